//! The match confirmation.

use veilset_channel::{Malformed, Message, PeerFault, Reader, Tag};

use super::matching::Token;

/// What a side that tested the pairs of a round says of them: the place of the pair to agree on, if any, with the token that
/// only the side that showed them and one that holds the same entry has. Context: how many pairs there were.
pub(super) struct Verdict(pub(super) Option<(u32, Token)>);

/// In place of a place, where no pair is equal.
const NONE: u32 = u32::MAX;

impl Verdict {
    /// Bytes of any verdict.
    pub(super) const LEN: usize = size_of::<u32>() + size_of::<Token>();

    /// The first pair that is equal. Looks at all, so that the time does not tell which it is.
    pub(super) fn on(tested: &[Option<Token>]) -> Self {
        let equal = (0..).zip(tested).map(|(place, token)| Some((place, (*token)?)));
        Self(equal.fold(None, Option::or))
    }

    /// The verdict if `genuine` pairs were tested, and else that no pair is equal.
    pub(super) fn if_genuine(self, genuine: bool) -> Self {
        Self(self.0.filter(|_| genuine))
    }

    /// The place of the pair.
    pub(super) fn place(&self) -> Option<u32> {
        self.0.map(|(place, _)| place)
    }

    /// The place of the pair, after a look at its token.
    pub(super) fn checked(&self, shown: &[Token]) -> Result<Option<u32>, PeerFault> {
        match self.0 {
            Some((place, token)) if shown.get(place as usize) != Some(&token) => {
                Err(PeerFault::CheckFailed("match confirmation"))
            }
            _ => Ok(self.place()),
        }
    }
}

impl Message for Verdict {
    const TAG: Tag = Tag::MatchConfirmation;
    type Context = usize;

    fn max_len(_pairs: &usize) -> usize {
        Self::LEN
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let (place, token) = self.0.unwrap_or((NONE, Token::default()));
        out.extend_from_slice(&place.to_le_bytes());
        out.extend_from_slice(&token);
    }

    fn decode(reader: &mut Reader<'_>, pairs: &usize) -> Result<Self, Malformed> {
        let (place, token) = (u32::from_le_bytes(reader.array()?), reader.array()?);
        match place {
            NONE if token == Token::default() => Ok(Self(None)),
            place if (place as usize) < *pairs => Ok(Self(Some((place, token)))),
            _ => Err(Malformed::OutOfRange),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(verdict: &Verdict, pairs: usize) -> Result<Verdict, Malformed> {
        let mut body = Vec::new();
        verdict.encode(&mut body);
        assert_eq!(body.len(), Verdict::LEN);
        Reader::parse(&body, |reader| Verdict::decode(reader, &pairs))
    }

    #[test]
    fn a_verdict_names_the_first_equal_pair_and_proves_it() {
        let verdict = Verdict::on(&[None, Some([1; 16]), Some([2; 16])]);
        let verdict = round_trip(&verdict, 3).expect("in range");
        assert_eq!(verdict.checked(&[[0; 16], [1; 16], [2; 16]]), Ok(Some(1)));
        let forged = Err(PeerFault::CheckFailed("match confirmation"));
        assert_eq!(verdict.checked(&[[0; 16], [3; 16], [2; 16]]), forged);
        assert_eq!(round_trip(&verdict, 1).err(), Some(Malformed::OutOfRange));
        let none = round_trip(&Verdict::on(&[None]), 1).expect("in range");
        assert_eq!(none.checked(&[[0; 16]]), Ok(None));
    }
}
