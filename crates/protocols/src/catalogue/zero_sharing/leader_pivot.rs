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
use veilset_channel::{Blob, ChannelExt, Tag};
use veilset_crypto::{Element, Group, permutation};
use veilset_ot::base::Base;
use veilset_ot::vole::Subfield;
use veilset_structures::okvs::OkvsValue;
use zeroize::Zeroizing;

use super::announcement::{self, Found};
use super::{ELEMENTS_A_TASK, Party, add, choices};
use crate::kit::mqrpmt::{MqRpmt, weight};
use crate::kit::store::{Width, half, over};
use crate::kit::vole_intersection::{self, VoleKind};
use crate::{
    Attached, AttachedShape, Means, MultipartyConclusion, MultipartyError, Operation, Outcome,
    Parties, ProtocolError, Reveal, Role, Run, RunInput, Security, Side,
};

/// How pairs are compared.
pub(super) const KIND_OF_PAIRS: VoleKind =
    VoleKind { security: Security::SemiHonest, base: Base::Ristretto };

/// A key of F.
type ShareKey = Blob<{ Tag::ZeroShareKey.byte() }>;

/// Bytes of a key.
pub(super) const KEY: usize = 32;

/// The field of sums: of the elements that leader and pivot share none may match by chance but with probability 2^-41.
pub(super) fn width(parties: &Parties<'_>) -> Width {
    Width::of(parties.sizes[parties.leader].min(parties.sizes[parties.pivot]), 41)
}

pub(super) fn intersect(
    mut party: Party<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<MultipartyConclusion, MultipartyError> {
    let found = match pairs(&mut party, &elements)? {
        None => None,
        Some(pairs) => party.compared(pairs, |mut run| {
            let conclusion = vole_intersection::run(KIND_OF_PAIRS, &mut run)?;
            match conclusion()? {
                Outcome::Matched(places) => Ok(Some(places)),
                _ => Ok(None),
            }
        })?,
    };
    let found = found.map(|places| {
        let mut matches = vec![false; elements.len()];
        places.iter().for_each(|place| matches[*place as usize] = true);
        Found::Elements(matches)
    });
    announcement::told(party, elements, Operation::Intersect, found)
}

pub(super) fn count(
    mut party: Party<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<MultipartyConclusion, MultipartyError> {
    let found = counted(&mut party, &elements)?.map(Found::Count);
    announcement::told(party, elements, Operation::Count, found)
}

/// How many elements all have, which the leader learns.
pub(super) fn counted(
    party: &mut Party<'_>,
    elements: &[Element],
) -> Result<Option<u64>, MultipartyError> {
    match pairs(party, elements)? {
        None => Ok(None),
        Some(pairs) => party.compared(pairs, common_of_two),
    }
}

/// How many elements two have, by mqRPMT; the receiver learns it.
pub(super) fn common_of_two(mut run: Run<'_>) -> Result<Option<u64>, ProtocolError> {
    let test = MqRpmt::CwPrf;
    match run.side.role {
        Role::Receiver => {
            let hits = test.p1(&run.input, &mut run.means)?.bits();
            hits.fault()?;
            Ok(Some(weight(&hits.e)))
        }
        Role::Sender => {
            let order = permutation(run.input.elements.len(), run.means.rng);
            test.p2(&run.input, &mut run.means, &order)?;
            Ok(None)
        }
    }
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
            Ok(means.channel.put::<ShareKey>(&Blob(key.to_vec()))?)
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
            let key = self.means.with(other, |means| {
                means.step("keys of shares", 1);
                Ok(Zeroizing::new(means.channel.take::<ShareKey>(&KEY)?.0))
            })?;
            let mut of_key = Zeroizing::new([0; KEY]);
            of_key.copy_from_slice(&key);
            add(&mut sums, elements, |element| f(&of_key, element));
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
        compare: impl FnOnce(Run<'_>) -> Result<T, ProtocolError>,
    ) -> Result<T, MultipartyError> {
        let Parties { leader, pivot, .. } = self.parties;
        let (role, other) =
            if self.is_leader() { (Role::Receiver, pivot) } else { (Role::Sender, leader) };
        self.between(role, other, pairs, compare)
    }

    /// A run of two with another party, of which the receiver learns.
    pub(super) fn between<T>(
        &mut self,
        role: Role,
        other: usize,
        elements: Zeroizing<Vec<Element>>,
        run: impl FnOnce(Run<'_>) -> Result<T, ProtocolError>,
    ) -> Result<T, MultipartyError> {
        let peer_count = self.parties.sizes[other];
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
                    // Half of what may go wrong is left to sums.
                    slack: 1,
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

/// F, under a key of one party.
fn f(key: &[u8; KEY], element: &Element) -> u128 {
    let digest = blake3::keyed_hash(key, &element.0);
    half(&Element(*digest.as_bytes()), 0)
}
