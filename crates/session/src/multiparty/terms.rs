//! Terms with each, and what all make of them.

use veilset_channel::{Malformed, Reader, Tag};
use veilset_protocols::{AttachedShape, MOST_PARTIES};

use super::*;
use crate::Wanted;
use crate::pair::memory_of_tiers;
use crate::terms::{PartyCount, UncheckedTerms, encoded};

/// What the parties agreed on.
pub(super) struct Exchanged {
    /// The others' terms, in the order of their keys.
    pub(super) theirs: Vec<Terms>,
    pub(super) protocol: &'static dyn MultipartyProtocol,
    pub(super) seated: Seated,
    /// Everybody's number of elements, in the order of keys: under each key, the most trusted first.
    pub(super) tiers: Vec<Vec<usize>>,
    pub(super) session: [u8; 32],
}

/// What a party takes for the run: digests of all keys, of who is what, and the session's id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Roll {
    parties: [u8; 32],
    seats: [u8; 32],
    session: [u8; 32],
}

impl Message for Roll {
    const TAG: Tag = Tag::Roll;
    type Context = ();

    fn max_len((): &()) -> usize {
        96
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.parties);
        out.extend_from_slice(&self.seats);
        out.extend_from_slice(&self.session);
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        Ok(Self { parties: reader.array()?, seats: reader.array()?, session: reader.array()? })
    }
}

pub(super) fn exchanged(
    peers: &mut ConnectedPeers,
    key: &[u8; 32],
    offer: &Offer,
    rng: &mut dyn CryptoRng,
) -> Result<Exchanged, SessionError> {
    check_parties(peers, key);
    let protocol = protocol_of(offer)?;
    let place = peers.0.partition_point(|peer| peer.key() < *key);
    let mut keys: Vec<_> = peers.0.iter().map(ConnectedPeer::key).collect();
    keys.insert(place, *key);
    let seated = Seated::new(&offer.seats, &keys)?;
    if !protocol.spec().some_learn && !seated.all_learn() {
        return Err(SessionError::Multiparty("with this protocol all learn: leave out --learner"));
    }
    offer.matching.map_or(Ok(()), |matching| matching.check_among_several(seated.all_learn()))?;
    let mut nonce = [0; 32];
    rng.fill_bytes(&mut nonce);
    let mine = |peer: &ConnectedPeer| own_terms(offer, protocol, keys.len(), peer, nonce);
    let said = |peer: &ConnectedPeer| Hello::of(UncheckedTerms::from(&mine(peer)));
    let openings = peers.swap(STEP, &(), said)?;
    let mut theirs = Vec::with_capacity(openings.len());
    for (peer, opening) in peers.0.iter().zip(openings) {
        let fitting = opening
            .into_terms()
            .and_then(|heard| mine(peer).fitting(heard).map_err(SessionError::Terms));
        theirs.push(fitting.map_err(|why| why.with(peer.name.clone()))?);
    }
    let tiers = checked_tiers(peers, offer, protocol, &theirs, &seated, place)?;
    let own = Known::of(*key, &mine(&peers.0[0]));
    let known = peers.0.iter().zip(&theirs).map(|(peer, terms)| Known::of(peer.key(), terms));
    let own = roll(known.chain([own]).collect(), &seated);
    let rolls = peers.swap(STEP, &(), |_| own)?;
    for (peer, roll) in peers.0.iter().zip(&rolls) {
        if let Some(mismatch) = own.mismatch(roll) {
            return Err(SessionError::Terms(vec![mismatch]).with(peer.name.clone()));
        }
    }
    Ok(Exchanged { theirs, protocol, seated, tiers, session: own.session })
}

fn check_parties(peers: &ConnectedPeers, key: &[u8; 32]) {
    let all = peers.0.len() + 1;
    assert!((3..=MOST_PARTIES).contains(&all), "three parties or more");
    let differ = peers.0.is_sorted_by(|one, next| one.key() < next.key());
    let others = peers.0.iter().all(|peer| peer.key() != *key);
    assert!(differ && others, "a key for each party");
}

/// The protocol of an offer for several parties: as it is named, or else the first of its operation.
fn protocol_of(offer: &Offer) -> Result<&'static dyn MultipartyProtocol, SessionError> {
    let refused = |why| Err(SessionError::Multiparty(why));
    if offer.attached != AttachedShape::Nothing || !offer.columns.is_empty() {
        return refused("no columns go with matches: leave out --send");
    }
    if offer.release.noise.is_some() {
        return refused("a count has no noise: leave out --noise");
    }
    Wanted::of(offer).among_several(offer.protocol)
}

/// As in a run of two, but between more.
fn own_terms(
    offer: &Offer,
    protocol: &'static dyn MultipartyProtocol,
    parties: usize,
    peer: &ConnectedPeer,
    nonce: [u8; 32],
) -> Terms {
    Terms {
        parties: PartyCount::Many(parties),
        protocol: Some(protocol.spec().id),
        ..Terms::new(offer, peer.connecting, nonce)
    }
}

/// Everybody's number of elements under each key, with this side's in its place, where the protocol and this side's memory take them.
fn checked_tiers(
    peers: &ConnectedPeers,
    offer: &Offer,
    protocol: &'static dyn MultipartyProtocol,
    theirs: &[Terms],
    seated: &Seated,
    place: usize,
) -> Result<Vec<Vec<usize>>, SessionError> {
    let (id, most) = (protocol.spec().id, protocol.spec().max_elements);
    let mut of_all: Vec<Vec<u64>> = theirs.iter().map(Terms::sizes).collect();
    let mine = Terms::new(offer, false, [0; 32]);
    let own = mine.sizes();
    let too_large = |whose, count| SessionError::TooLarge { whose, count, protocol: id, most };
    if let Some(count) = own.iter().find(|count| **count > most) {
        return Err(too_large("this side's", *count));
    }
    for (peer, sizes) in peers.0.iter().zip(&of_all) {
        if let Some(count) = sizes.iter().find(|count| **count > most) {
            return Err(too_large("the peer's", *count).with(peer.name.clone()));
        }
    }
    of_all.insert(place, own);
    // Terms that fit have as many keys.
    let under = |key: usize| {
        let sizes = of_all.iter().map(|sizes| usize::try_from(sizes[key]).unwrap_or(usize::MAX));
        sizes.collect::<Vec<usize>>()
    };
    let tiers: Vec<Vec<usize>> = (0..of_all[place].len()).map(under).collect();
    let needs = |sizes: &Vec<usize>| {
        protocol.cost(&seated.parties(sizes, tiers.len())).parties[place].memory as u64
    };
    let needed = tiers.iter().map(needs).max().unwrap_or(0).saturating_add(memory_of_tiers(&mine));
    if needed > offer.memory {
        let largest = tiers.iter().flatten().max().map_or(0, |largest| *largest as u64);
        return Err(SessionError::Memory { needed, allowed: offer.memory, peer: largest });
    }
    Ok(tiers)
}

/// What all others know of a party.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Known {
    key: [u8; 32],
    /// A digest of all that it said, but for who connects, which is a matter of two.
    terms: [u8; 32],
}

impl Known {
    fn of(key: [u8; 32], terms: &Terms) -> Self {
        let said = UncheckedTerms::from(&Terms { connecting: false, ..terms.clone() });
        let context = "veilset v1 terms of one of several parties";
        Self { key, terms: blake3::derive_key(context, &encoded(&said)) }
    }
}

/// What this side takes for the run of all these parties. Everything in it is the same for all.
fn roll(mut all: Vec<Known>, seated: &Seated) -> Roll {
    all.sort_unstable();
    let mut parties = blake3::Hasher::new_derive_key("veilset v1 parties of a session");
    let mut session = blake3::Hasher::new_derive_key("veilset v1 session of several parties");
    for Known { key, terms } in &all {
        parties.update(key);
        session.update(key).update(terms);
    }
    let mut seats = blake3::Hasher::new_derive_key("veilset v1 seats of several parties");
    for place in [seated.leader, seated.pivot] {
        seats.update(&all[place].key);
    }
    for (known, learns) in all.iter().zip(&seated.learners) {
        seats.update(&known.key).update(&[u8::from(*learns)]);
    }
    let seats = *seats.finalize().as_bytes();
    session.update(&seats);
    let [parties, session] = [parties, session].map(|digest| *digest.finalize().as_bytes());
    Roll { parties, seats, session }
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
        differ("who the parties are (--peer; digests of all keys)", &self.parties, &theirs.parties)
            .or_else(|| {
                let field =
                    "who learns, leads and is the pivot (--learner, --leader, --pivot; digests)";
                differ(field, &self.seats, &theirs.seats)
            })
            .or_else(|| {
                differ(
                    "what each party was told (digests of all terms)",
                    &self.session,
                    &theirs.session,
                )
            })
    }
}
