//! Terms with each, and what all make of them.

use veilset_channel::{Malformed, Reader, Tag};
use veilset_protocols::ks::multiparty::MOST_PARTIES;
use veilset_protocols::{AttachedShape, Choices};

use super::*;
use crate::terms::{PartyCount, UncheckedTerms};

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
    peers: &mut ConnectedPeers,
    key: &[u8; 32],
    offer: &Offer,
    rng: &mut dyn CryptoRng,
) -> Result<Exchanged, SessionError> {
    check_parties(peers, key);
    if !is_for_several(offer) {
        return Err(SessionError::Multiparty);
    }
    let mut nonce = [0; 32];
    rng.fill_bytes(&mut nonce);
    let parties = peers.0.len() + 1;
    let mine = |peer: &ConnectedPeer| own_terms(offer, parties, peer, nonce);
    let said = |peer: &ConnectedPeer| Hello::of(UncheckedTerms::from(&mine(peer)));
    let openings = peers.swap(STEP, &(), said)?;
    let mut theirs = Vec::with_capacity(openings.len());
    for (peer, opening) in peers.0.iter().zip(openings) {
        let fitting = opening
            .into_terms()
            .and_then(|heard| mine(peer).fitting(heard).map_err(SessionError::Terms));
        theirs.push(fitting.map_err(|why| why.with(peer.name.clone()))?);
    }
    check_sizes(peers, offer, &theirs)?;
    let own = Known { key: *key, distinct: offer.distinct as u64, nonce };
    let known = peers.0.iter().zip(&theirs).map(|(peer, terms)| Known::of(peer.key, terms));
    let own = roll(&offer.presets, known.chain([own]).collect());
    let rolls = peers.swap(STEP, &(), |_| own)?;
    for (peer, roll) in peers.0.iter().zip(&rolls) {
        if let Some(mismatch) = own.mismatch(roll) {
            return Err(SessionError::Terms(vec![mismatch]).with(peer.name.clone()));
        }
    }
    Ok(Exchanged { theirs, session: own.session })
}

fn check_parties(peers: &ConnectedPeers, key: &[u8; 32]) {
    let all = peers.0.len() + 1;
    assert!((3..=MOST_PARTIES).contains(&all), "three parties or more");
    let differ = peers.0.is_sorted_by(|one, next| one.key < next.key);
    let others = peers.0.iter().all(|peer| peer.key != *key);
    assert!(differ && others, "a key for each party");
}

/// Whether it is what several parties do: there is one protocol, of which nothing is left to choose.
fn is_for_several(offer: &Offer) -> bool {
    let Offer { operation, protocol, security, learn, choices, attached, .. } = *offer;
    (operation, learn) == (Operation::Intersect, Learn::Both)
        && protocol.is_none_or(|id| id == MULTIPARTY_PROTOCOL)
        && security == Security::SemiHonest
        && (choices, attached) == (Choices::default(), AttachedShape::Nothing)
        && offer.columns.is_empty()
        && offer.details.is_empty()
        && offer.reference.is_none()
        && offer.padding == 0
        && !offer.release.is_limited()
        && offer.matching.is_none()
}

/// As in a run of two, but between more.
fn own_terms(offer: &Offer, parties: usize, peer: &ConnectedPeer, nonce: [u8; 32]) -> Terms {
    Terms {
        parties: PartyCount::Many(parties),
        protocol: Some(MULTIPARTY_PROTOCOL),
        connecting: peer.connecting,
        ..Terms::new(offer, nonce)
    }
}

fn check_sizes(
    peers: &ConnectedPeers,
    offer: &Offer,
    theirs: &[Terms],
) -> Result<(), SessionError> {
    let (protocol, most) = (MULTIPARTY_PROTOCOL, MOST_ELEMENTS);
    let own = offer.distinct as u64;
    if own > most {
        return Err(SessionError::TooLarge { whose: "this side's", count: own, protocol, most });
    }
    for (peer, terms) in peers.0.iter().zip(theirs) {
        if terms.distinct > most {
            let (whose, count) = ("the peer's", terms.distinct);
            let error = SessionError::TooLarge { whose, count, protocol, most };
            return Err(error.with(peer.name.clone()));
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

/// What all others know of a party.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Known {
    key: [u8; 32],
    distinct: u64,
    nonce: [u8; 32],
}

impl Known {
    fn of(key: [u8; 32], terms: &Terms) -> Self {
        Self { key, distinct: terms.distinct, nonce: terms.nonce }
    }
}

/// What this side takes for the run of all these parties. Everything in it is the same for all.
fn roll(presets: &str, mut all: Vec<Known>) -> Roll {
    all.sort_unstable();
    let mut parties = blake3::Hasher::new_derive_key("veilset v1 parties of a session");
    let mut session = blake3::Hasher::new_derive_key("veilset v1 session of several parties");
    session.update(presets.as_bytes());
    for Known { key, distinct, nonce } in &all {
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
