//! `leader-pivot`: bicentric zero-sharing, Gao et al., CCS 2024 (doi 10.1145/3658644.3690245).
//!
//! F is a pseudorandom function with values of 64 or 128 bits.
//!
//! 1. Each party but the leader and the pivot draws a key k and tells it to the pivot. It encodes its pairs (x, F(k, x)) in a store
//!    and sends that to the leader.
//! 2. For each of its elements the leader adds up what all stores hold, the pivot what F has under all keys.
//! 3. The two compare the pairs of element and sum as in a run of two: where all parties have the element the sums are equal. They find
//!    equal pairs by [`vole_intersection`], or count them by mqRPMT.
//!
//! **Correct.** Where a party lacks an element of the leader's, its store holds a value there that is independent of F, so sums of t
//! bits agree with probability 2^-t, and over the elements that leader and pivot share with at most 2^-41. As much is left for step 3.
//!
//! **Security.** Semi-honest, against any parties that pool what they see, unless both the leader and the pivot are among them.
//! *With the leader, without the pivot:* the keys of honest parties are unknown to all of them, so the values in those parties'
//! stores look random, and with them the stores do. The pivot's pair of an element that some honest party lacks has a value of F in
//! its sum that stands in no store, and step 3 hides it. So step 3 ends with what all have, or how much that is.
//! *With the pivot, without the leader:* keys say nothing, and in step 3 the pivot is the side that learns nothing.
//! *With both:* they hold a store and its key, and can test any key against it. So the leader and the pivot must be parties that the
//! others trust not to pool what they have.

use rayon::prelude::*;
use veilset_channel::{ChannelExt, Malformed, Message, Reader, Tag};
use veilset_crypto::{Element, Group, permutation};
use veilset_ot::base::Base;
use veilset_ot::vole::Subfield;
use veilset_structures::okvs::OkvsValue;
use zeroize::Zeroizing;

use super::announcement::{self, Found, What};
use super::{ELEMENTS_A_TASK, Party, add, choices};
use crate::kit::membership::Hits;
use crate::kit::mqrpmt::{MqRpmt, weight};
use crate::kit::parties::number;
use crate::kit::store::{Width, half, over};
use crate::kit::vole_intersection::{self, VoleKind};
use crate::{
    Attached, AttachedShape, Means, MultipartyConclusion, MultipartyError, Operation, Parties,
    ProtocolError, Reveal, Role, Run, RunInput, Security, Side,
};

/// How pairs are compared.
pub(super) const KIND_OF_PAIRS: VoleKind =
    VoleKind { security: Security::SemiHonest, base: Base::Ristretto };

/// Bytes of a key.
pub(super) const KEY: usize = 32;

/// The field of sums: of the elements that leader and pivot share none may match by chance but with probability 2^-41, and less in one
/// of several runs.
pub(super) fn width(parties: &Parties<'_>) -> Width {
    let shared = parties.sizes[parties.leader].min(parties.sizes[parties.pivot]);
    Width::of(shared, 41 + parties.slack)
}

pub(super) fn intersect(
    mut party: Party<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<MultipartyConclusion, MultipartyError> {
    let hits = match pairs(&mut party, &elements)? {
        None => None,
        Some(pairs) => party.compared(pairs, SLACK, |mut run| match run.side.role {
            Role::Receiver => vole_intersection::hits(KIND_OF_PAIRS, &mut run).map(Some),
            Role::Sender => vole_intersection::run(KIND_OF_PAIRS, &mut run).map(|_| None),
        })?,
    };
    let found = hits.map(|hits| Found {
        fault: fault_of(&hits, party.parties.pivot),
        what: What::Elements(hits.e),
    });
    announcement::told(party, elements, Operation::Intersect, found)
}

pub(super) fn count(
    mut party: Party<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<MultipartyConclusion, MultipartyError> {
    let hits = common(&mut party, &elements, SLACK)?;
    let found = hits.map(|hits| Found {
        fault: fault_of(&hits, party.parties.pivot),
        what: What::Count(weight(&hits.e)),
    });
    announcement::told(party, elements, Operation::Count, found)
}

/// Half of what may go wrong is left to sums.
pub(super) const SLACK: u32 = 1;

/// Of as many places as all have elements in common, bits that the leader gets.
pub(super) fn common(
    party: &mut Party<'_>,
    elements: &[Element],
    slack: u32,
) -> Result<Option<Hits>, MultipartyError> {
    match pairs(party, elements)? {
        None => Ok(None),
        Some(pairs) => party.compared(pairs, slack, common_of_two),
    }
}

/// The bits of mqRPMT, which the receiver gets.
pub(super) fn common_of_two(mut run: Run<'_>) -> Result<Option<Hits>, ProtocolError> {
    let test = MqRpmt::CwPrf;
    match run.side.role {
        Role::Receiver => Ok(Some(test.p1(&run.input, &mut run.means)?.bits())),
        Role::Sender => {
            let order = permutation(run.input.elements.len(), run.means.rng);
            test.p2(&run.input, &mut run.means, &order)?;
            Ok(None)
        }
    }
}

/// What the party in a place is to be blamed for, whose elements these bits are about.
pub(super) fn fault_of(hits: &Hits, place: usize) -> Option<MultipartyError> {
    let fault = hits.fault().err()?;
    Some(MultipartyError::run_of(number(place))(fault.into()))
}

/// Steps 1 and 2: the pairs of the leader and of the pivot, hashed; nothing of others.
fn pairs(
    party: &mut Party<'_>,
    elements: &[Element],
) -> Result<Option<Zeroizing<Vec<Element>>>, MultipartyError> {
    over!(width(&party.parties), B => {
        if party.is_leader() {
            party.leader_sums::<B>(elements).map(|sums| Some(party.hashed(elements, &sums)))
        } else if party.is_pivot() {
            party.pivot_sums::<B>(elements).map(|sums| Some(party.hashed(elements, &sums)))
        } else {
            party.share::<B>(elements).map(|()| None)
        }
    })
}

impl Party<'_> {
    fn is_pivot(&self) -> bool {
        self.place == self.parties.pivot
    }

    /// The places of all but the leader and the pivot.
    fn others(&self) -> Vec<usize> {
        let Parties { leader, pivot, .. } = self.parties;
        self.parties.places().filter(|place| ![leader, pivot].contains(place)).collect()
    }

    /// Step 1.
    fn share<B: Subfield + OkvsValue>(
        &mut self,
        elements: &[Element],
    ) -> Result<(), MultipartyError> {
        let mut key = Zeroizing::new([0; KEY]);
        self.means.rng.fill_bytes(&mut *key);
        self.means.with(self.parties.pivot, |means| {
            means.step("keys of shares", 1);
            Ok(means.channel.put(&ShareKey(key.clone()))?)
        })?;
        let mut values = Zeroizing::new(vec![B::ZERO; elements.len()]);
        add(&mut values, elements, |element| f(&key, element));
        self.put_shares(elements, &values)
    }

    /// Step 2 of the leader.
    fn leader_sums<B: Subfield + OkvsValue>(
        &mut self,
        elements: &[Element],
    ) -> Result<Zeroizing<Vec<B>>, MultipartyError> {
        let mut sums = Zeroizing::new(vec![B::ZERO; elements.len()]);
        self.add_shares(&self.others(), elements, &mut sums)?;
        Ok(sums)
    }

    /// Step 2 of the pivot.
    fn pivot_sums<B: Subfield + OkvsValue>(
        &mut self,
        elements: &[Element],
    ) -> Result<Zeroizing<Vec<B>>, MultipartyError> {
        let mut sums = Zeroizing::new(vec![B::ZERO; elements.len()]);
        for other in self.others() {
            let ShareKey(key) = self.means.with(other, |means| {
                means.step("keys of shares", 1);
                Ok(means.channel.take(&())?)
            })?;
            add(&mut sums, elements, |element| f(&key, element));
        }
        Ok(sums)
    }

    /// Each element and its sum as one element.
    fn hashed<B: Subfield>(&self, elements: &[Element], sums: &[B]) -> Zeroizing<Vec<Element>> {
        let key = self.derived("veilset v1 pairs of element and sum of shares");
        let pairs = elements.par_iter().zip(sums).with_min_len(ELEMENTS_A_TASK);
        let pairs = pairs.map(|(element, sum)| {
            let mut pair = Zeroizing::new([0; Element::LEN + 16]);
            pair[..Element::LEN].copy_from_slice(&element.0);
            pair[Element::LEN..].copy_from_slice(&(*sum).into().to_le_bytes());
            Element(*blake3::keyed_hash(&key, &*pair).as_bytes())
        });
        Zeroizing::new(pairs.collect())
    }

    /// Step 3, of the leader and the pivot.
    fn compared<T>(
        &mut self,
        pairs: Zeroizing<Vec<Element>>,
        slack: u32,
        compare: impl FnOnce(Run<'_>) -> Result<T, ProtocolError>,
    ) -> Result<T, MultipartyError> {
        let Parties { leader, pivot, .. } = self.parties;
        let (role, other) =
            if self.is_leader() { (Role::Receiver, pivot) } else { (Role::Sender, leader) };
        self.between(role, other, slack, pairs, compare)
    }

    /// A run of two with another party, of which the receiver learns; it fails less often by so many bits, and by those of all runs.
    pub(super) fn between<T>(
        &mut self,
        role: Role,
        other: usize,
        slack: u32,
        elements: Zeroizing<Vec<Element>>,
        run: impl FnOnce(Run<'_>) -> Result<T, ProtocolError>,
    ) -> Result<T, MultipartyError> {
        let peer_count = self.parties.sizes[other];
        let slack = slack + self.parties.slack;
        self.means.with(other, |means| {
            let Means { session, channel, rng, observer } = means;
            run(Run {
                side: Side { role, reveal: Reveal::Receiver },
                input: RunInput {
                    elements,
                    peer_count,
                    attached: Attached::Nothing,
                    peer_attached: AttachedShape::Nothing,
                    per_row: 1,
                    slack,
                    coins: 0,
                    least: None,
                    choices: choices(Group::Curve25519),
                },
                means: Means {
                    session,
                    channel: &mut **channel,
                    rng: &mut **rng,
                    observer: *observer,
                },
            })
        })
    }
}

/// A key of F, which is wiped.
struct ShareKey(Zeroizing<[u8; KEY]>);

impl Message for ShareKey {
    const TAG: Tag = Tag::ZeroShareKey;
    type Context = ();

    fn max_len((): &()) -> usize {
        KEY
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&*self.0);
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        reader.array().map(Zeroizing::new).map(Self)
    }
}

/// F, under a key of one party.
fn f(key: &[u8; KEY], element: &Element) -> u128 {
    let digest = blake3::keyed_hash(key, &element.0);
    half(&Element(*digest.as_bytes()), 0)
}
