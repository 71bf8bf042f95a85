//! Terms with each, and what all make of them.

use veilset_channel::{Malformed, Reader, Tag};
use veilset_protocols::ks::parties::MOST_PARTIES;

use super::*;
use crate::terms::{Peers, UncheckedTerms};

/// What the parties agreed on.
pub(super) struct Exchanged {
    /// The others' terms, in the order of their keys.
    pub(super) theirs: Vec<Terms>,
    pub(super) session: [u8; 32],
}

impl Exchanged {
    /// Everybody's number of elements, with this side's in its place.
    pub(super) fn sizes(&self, place: usize, own: usize) -> Vec<usize> {
        // Checked to be small.
        let size = |terms: &Terms| usize::try_from(terms.distinct).unwrap_or(usize::MAX);
        let mut sizes: Vec<_> = self.theirs.iter().map(size).collect();
        sizes.insert(place, own);
        sizes
    }
}

/// What a party takes for the run: how many parties, a digest of their keys, and the session's id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Roll {
    parties: [u8; 32],
    session: [u8; 32],
}

impl Message for Roll {
    const TAG: Tag = Tag::Roll;
    type Context = ();

    fn max_len((): &()) -> usize {
        64
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.parties);
        out.extend_from_slice(&self.session);
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        Ok(Self { parties: reader.array()?, session: reader.array()? })
    }
}

pub(super) fn exchanged(
    members: &mut Members,
    offer: &CircleOffer,
    rng: &mut dyn CryptoRng,
) -> Result<Exchanged, SessionError> {
    check_parties(members, offer);
    let mut nonce = [0; 32];
    rng.fill_bytes(&mut nonce);
    let parties = members.0.len() + 1;
    let mine = |member: &Member| own_terms(offer, parties, member, nonce);
    let said = |member: &Member| Opening::of(UncheckedTerms::from(&mine(member)));
    let openings = members.swap(STEP, &(), said)?;
    let mut theirs = Vec::with_capacity(openings.len());
    for (member, opening) in members.0.iter().zip(openings) {
        let fitting = opening
            .into_terms()
            .and_then(|heard| mine(member).fitting(heard).map_err(SessionError::Terms));
        theirs.push(fitting.map_err(|why| why.with(member.name.clone()))?);
    }
    check_sizes(members, offer, &theirs)?;
    let own = roll(members, offer, &nonce, &theirs);
    let rolls = members.swap(STEP, &(), |_| own)?;
    for (member, roll) in members.0.iter().zip(&rolls) {
        if let Some(mismatch) = own.mismatch(roll) {
            return Err(SessionError::Terms(vec![mismatch]).with(member.name.clone()));
        }
    }
    Ok(Exchanged { theirs, session: own.session })
}

fn check_parties(members: &Members, offer: &CircleOffer) {
    let all = members.0.len() + 1;
    assert!((3..=MOST_PARTIES).contains(&all), "three parties or more");
    let differ = members.0.is_sorted_by(|one, next| one.key < next.key);
    let others = members.0.iter().all(|member| member.key != offer.key);
    assert!(differ && others, "a key for each party");
}

/// As in a run of two, but between more.
fn own_terms(offer: &CircleOffer, parties: usize, member: &Member, nonce: [u8; 32]) -> Terms {
    let pair = Offer {
        operation: Operation::Intersect,
        protocol: Some(CIRCLE_PROTOCOL),
        security: Security::SemiHonest,
        learn: Learn::Both,
        presets: offer.presets.clone(),
        distinct: offer.distinct,
        looks_hashed: offer.looks_hashed,
        connecting: member.connecting,
        peer: member.name.clone(),
        memory: offer.memory,
        choices: veilset_protocols::Choices::default(),
        attached: veilset_protocols::AttachedShape::Nothing,
        columns: Vec::new(),
        details: Vec::new(),
    };
    Terms { peers: Peers::Many(parties), ..Terms::new(&pair, nonce) }
}

fn check_sizes(
    members: &Members,
    offer: &CircleOffer,
    theirs: &[Terms],
) -> Result<(), SessionError> {
    let (protocol, most) = (CIRCLE_PROTOCOL, MOST_ELEMENTS);
    let own = offer.distinct as u64;
    if own > most {
        return Err(SessionError::TooLarge { whose: "this side's", count: own, protocol, most });
    }
    for (member, terms) in members.0.iter().zip(theirs) {
        if terms.distinct > most {
            let (whose, count) = ("the peer's", terms.distinct);
            let error = SessionError::TooLarge { whose, count, protocol, most };
            return Err(error.with(member.name.clone()));
        }
    }
    // A product of polynomials of these degrees, as in `ks`, and for each party's sums that all broadcast a set of two
    // elements of 160 bytes, its partial decryption as it came and decoded, and the weights of these.
    let largest = theirs.iter().map(|terms| terms.distinct).chain([own]).max().unwrap_or(own);
    let coefficients = 2 * largest + 1;
    let needed = coefficients * (2_000 + 544 * (theirs.len() as u64 + 1));
    if needed > offer.memory {
        return Err(SessionError::Memory { needed, allowed: offer.memory, peer: largest });
    }
    Ok(())
}

/// What this side takes for the run. Everything in it is the same for all parties.
fn roll(members: &Members, offer: &CircleOffer, nonce: &[u8; 32], theirs: &[Terms]) -> Roll {
    let mut all: Vec<_> =
        members.0.iter().zip(theirs).map(|(m, t)| (m.key, t.distinct, t.nonce)).collect();
    all.push((offer.key, offer.distinct as u64, *nonce));
    all.sort_unstable();
    let mut parties = blake3::Hasher::new_derive_key("veilset v1 parties of a session");
    let mut session = blake3::Hasher::new_derive_key("veilset v1 session of several parties");
    session.update(offer.presets.as_bytes());
    for (key, distinct, nonce) in &all {
        parties.update(key);
        session.update(key).update(&distinct.to_le_bytes()).update(nonce);
    }
    Roll { parties: *parties.finalize().as_bytes(), session: *session.finalize().as_bytes() }
}

impl Roll {
    fn mismatch(&self, theirs: &Self) -> Option<Mismatch> {
        let differ = |field: &'static str, mine: &[u8; 32], theirs: &[u8; 32]| {
            let short =
                |digest: &[u8; 32]| blake3::Hash::from_bytes(*digest).to_hex()[..16].to_owned();
            (mine != theirs).then(|| Mismatch {
                field: field.into(),
                mine: short(mine),
                theirs: short(theirs),
            })
        };
        differ("who the parties are (--with; digests of all keys)", &self.parties, &theirs.parties)
            .or_else(|| {
                differ(
                    "what each party was told (digests of all terms)",
                    &self.session,
                    &theirs.session,
                )
            })
    }
}
