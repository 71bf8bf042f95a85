//! What the leader found, for the others that learn.
//!
//! For what all have, the leader sends each learner a value for each of its own elements: of a common one bits of the element itself,
//! which the learner has, too, and of any other a random one. So neither how much crosses nor when depends on the result.

use rayon::prelude::*;
use veilset_channel::ChannelExt;
use veilset_crypto::Element;
use zeroize::Zeroizing;

use super::{ELEMENTS_A_TASK, Party};
use crate::kit::membership::{membership, sort};
use crate::kit::parties::number;
use crate::kit::set_encoding::{SetTerms, put_sorted, take_sorted};
use crate::kit::store::half;
use crate::kit::wire::Total;
use crate::{MultipartyConclusion, MultipartyError, Operation, Outcome, Parties, SetEncoding};

/// What the leader found.
pub(super) struct Found {
    pub(super) what: What,
    /// What ends the run once all are told: to stop at once would tell that something matched.
    pub(super) fault: Option<MultipartyError>,
}

/// What is common.
pub(super) enum What {
    /// Whether all have each of its elements.
    Elements(Vec<bool>),
    /// How many elements all have.
    Count(u64),
}

/// The step in which the leader tells.
const STEP: &str = "announcement";

/// The values that the leader tells the party in this place, so long that none of all that are told is wrong but with 2^-41, and less
/// in one of several runs.
pub(super) fn set(parties: &Parties<'_>, to: usize) -> SetTerms {
    let sizes = parties.sizes;
    let set = SetTerms::new(SetEncoding::Sorted, sizes[parties.leader], sizes[to]);
    set.longer(1 + sizes.len().next_power_of_two().ilog2() + parties.slack)
}

/// The end of a run: the leader, which `found` something, tells those who learn.
pub(super) fn told(
    party: Party<'_>,
    elements: Zeroizing<Vec<Element>>,
    operation: Operation,
    found: Option<Found>,
) -> Result<MultipartyConclusion, MultipartyError> {
    match found {
        Some(found) => tell(party, &elements, found),
        None if !party.parties.learners[party.place] => Ok(Box::new(|| Ok(Outcome::Nothing))),
        None => hear(party, elements, operation),
    }
}

fn tell(
    mut party: Party<'_>,
    elements: &[Element],
    found: Found,
) -> Result<MultipartyConclusion, MultipartyError> {
    let (own, parties) = (party.place, party.parties);
    for to in parties.places().filter(|to| *to != own && parties.learners[*to]) {
        let set = set(&parties, to);
        party.means.with(to, |means| {
            means.step(STEP, elements.len());
            match &found.what {
                What::Count(count) => means.channel.put(&Total(*count))?,
                What::Elements(matches) => {
                    let mut random = Zeroizing::new(vec![0; 16 * elements.len()]);
                    means.rng.fill_bytes(&mut random);
                    let mut values = told_values(elements, matches, &random, set.bits());
                    sort(&mut values);
                    put_sorted(means.channel, set.sorted(), &values)?;
                }
            }
            Ok(())
        })?;
    }
    Ok(Box::new(move || match (found.fault, found.what) {
        (Some(fault), _) => Err(fault),
        (None, What::Count(count)) => Ok(Outcome::Count(count)),
        (None, What::Elements(matches)) => Ok(Outcome::Matched(indices(&matches))),
    }))
}

/// The same steps whatever matches.
fn told_values(
    elements: &[Element],
    matches: &[bool],
    random: &[u8],
    bits: u32,
) -> Zeroizing<Vec<u128>> {
    let random = random.as_chunks::<16>().0;
    let all = elements.par_iter().zip(matches).zip(random).with_min_len(ELEMENTS_A_TASK);
    let value = all.map(|((element, e), random)| {
        let (element, random) = (half(element, 0), u128::from_le_bytes(*random));
        let chosen = random ^ (u128::from(*e).wrapping_neg() & (random ^ element));
        chosen & (u128::MAX >> (u128::BITS - bits))
    });
    Zeroizing::new(value.collect())
}

fn hear(
    mut party: Party<'_>,
    elements: Zeroizing<Vec<Element>>,
    operation: Operation,
) -> Result<MultipartyConclusion, MultipartyError> {
    let (parties, leader) = (party.parties, party.parties.leader);
    let set = set(&parties, party.place);
    if operation == Operation::Count {
        let most = parties.sizes.iter().min().copied().unwrap_or(0) as u64;
        let Total(count) = party.means.with(leader, |means| {
            means.step(STEP, 1);
            Ok(means.channel.take::<Total>(&most)?)
        })?;
        return Ok(Box::new(move || Ok(Outcome::Count(count))));
    }
    let told = party.means.with(leader, |means| {
        means.step(STEP, set.count);
        take_sorted(means.channel, set.sorted())
    })?;
    Ok(Box::new(move || {
        let own = told_values(
            &elements,
            &vec![true; elements.len()],
            &vec![0; 16 * elements.len()],
            set.bits(),
        );
        let hits = membership(&own, &told);
        hits.fault().map_err(|fault| MultipartyError::run_of(number(leader))(fault.into()))?;
        Ok(Outcome::Matched(hits.indices()))
    }))
}

/// The places that are set, rising.
fn indices(matches: &[bool]) -> Vec<u32> {
    (0..).zip(matches).filter_map(|(place, e)| e.then_some(place)).collect()
}
