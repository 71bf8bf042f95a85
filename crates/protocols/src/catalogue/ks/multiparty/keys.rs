//! Step 1: the joint key.

use veilset_crypto::PrimeGroup;
use veilset_crypto::threshold::{Commitments, KeyShare, Opening, Quorum, Share, deal};
use zeroize::Zeroizing;

use super::PartyState;
use crate::MultipartyError;
use crate::kit::parties::number;

impl<G: PrimeGroup> PartyState<'_, '_, G> {
    /// The three rounds of the key; it may be used once all have heard the same, which is compared at the end.
    pub(super) fn share_key(
        &mut self,
        session: &[u8; 32],
        threshold: u16,
    ) -> Result<KeyShare<G>, MultipartyError> {
        let (group, parties) = (self.group, self.sizes.len());
        let quorum = Quorum::new(*session, threshold, number(parties - 1))?;
        let own = number(self.channels.own());
        let (dealing, commitments, shares) = deal(group, &quorum, own, self.rng)?;
        let commitments = self.all(encoded(|out| commitments.encode(group, out)))?;
        let commitments = read(&commitments, |bytes| Commitments::decode(group, &quorum, bytes))?;
        let shares = shares.iter().map(|share| encoded(|out| share.encode(group, out)));
        let shares: Vec<_> = shares.map(Zeroizing::new).collect();
        let lens = vec![2 * group.scalar_len(); parties];
        let outgoing = shares.iter().map(|share| &***share).collect();
        let shares = Zeroizing::new(self.channels.swap(outgoing, &lens)?);
        let shares = read(&shares, |bytes| Share::decode(group, bytes))?;
        let (opened, opening) = dealing.open(group, &commitments, shares, self.rng)?;
        let openings = self.all(encoded(|out| opening.encode(group, out)))?;
        let openings = read(&openings, |bytes| Opening::decode(group, &quorum, bytes))?;
        let key = opened.finish(group, &openings)?;
        self.channels.compare()?;
        Ok(key)
    }

    /// A broadcast of which everybody's is equally long.
    fn all(&mut self, own: Vec<u8>) -> Result<Vec<Vec<u8>>, MultipartyError> {
        let lens = vec![own.len(); self.sizes.len()];
        self.channels.broadcast(own, &lens)
    }
}

fn encoded(encode: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    encode(&mut out);
    out
}

/// Each party's message.
fn read<T>(
    messages: &[Vec<u8>],
    decode: impl Fn(&[u8]) -> Result<T, veilset_crypto::threshold::ThresholdError>,
) -> Result<Vec<T>, MultipartyError> {
    let message =
        |(party, bytes): (u16, &Vec<u8>)| decode(bytes).map_err(MultipartyError::message_of(party));
    (1..).zip(messages).map(message).collect()
}
