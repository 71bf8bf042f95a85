//! `leader-pivot-overlaps`: how many elements each two have, and all.
//!
//! 1. Each two find how many elements both have, by the mqRPMT of eprint 2022/652, Fig. 3; the one in the lower place learns it.
//! 2. Leader and pivot find how many all have, as in [`leader_pivot`].
//! 3. All tell all what they found, and make sure that all heard the same.
//!
//! **Security.** Semi-honest, as that of its parts: each two learn the number of the two, which all are told in the end.

use veilset_channel::{Malformed, Message, PeerFault};
use veilset_crypto::Element;
use zeroize::Zeroizing;

use super::{Party, leader_pivot};
use crate::kit::membership::Hits;
use crate::kit::mqrpmt::weight;
use crate::kit::parties::{RoundChunk, number, pairings};
use crate::{MultipartyConclusion, MultipartyError, Outcome, Overlaps, Parties, Role};

/// Bytes of a number.
pub(super) const NUMBER: usize = 8;

/// How many numbers the party in a place tells: of it and each higher place, and the leader one more.
pub(super) fn told(parties: &Parties<'_>, place: usize) -> usize {
    parties.sizes.len() - place - 1 + usize::from(place == parties.leader)
}

/// By how many bits a test must go wrong less often than with 2^-40, so that all numbers are right but for that.
pub(super) fn more(parties: &Parties<'_>) -> u32 {
    let all = parties.sizes.len() * (parties.sizes.len() - 1) / 2 + 2;
    all.next_power_of_two().ilog2()
}

impl Hits {
    /// How many there are; what the party in this place is to be blamed for goes to `faults`.
    fn counted(self, place: usize, faults: &mut Vec<MultipartyError>) -> u64 {
        faults.extend(leader_pivot::fault_of(&self, place));
        weight(&self.e)
    }
}

pub(super) fn run(
    mut party: Party<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<MultipartyConclusion, MultipartyError> {
    let parties = party.parties;
    let mut faults = Vec::new();
    let mut own = party.of_pairs(&elements, &mut faults)?;
    if !parties.has_an_empty_set() {
        let hits = leader_pivot::common(&mut party, &elements, more(&parties))?;
        own.extend(hits.map(|hits| hits.counted(parties.pivot, &mut faults)));
    } else if party.is_leader() {
        own.push(0);
    }
    let channels = &mut party.means.channels;
    channels.phase("counts");
    let lens: Vec<_> = parties.places().map(|place| NUMBER * told(&parties, place)).collect();
    let own: Vec<u8> = own.iter().flat_map(|count| count.to_le_bytes()).collect();
    let told = channels.broadcast(own, &lens)?;
    channels.compare()?;
    let overlaps = table(&parties, &told)?;
    Ok(Box::new(move || match faults.pop() {
        Some(fault) => Err(fault),
        None => Ok(Outcome::Overlaps(overlaps)),
    }))
}

impl Party<'_> {
    /// Step 1: the numbers of this party and each in a higher place, in their order. What somebody is to be blamed for goes to
    /// `faults`, since a run that stopped at once would tell that something matched.
    fn of_pairs(
        &mut self,
        elements: &[Element],
        faults: &mut Vec<MultipartyError>,
    ) -> Result<Vec<u64>, MultipartyError> {
        let (own, sizes) = (self.place, self.parties.sizes);
        let mut found = vec![0; sizes.len() - own - 1];
        for round in pairings(sizes.len()) {
            let met = round.iter().find(|(low, high)| [*low, *high].contains(&own));
            let Some((low, high)) = met else { continue };
            if sizes[*low] == 0 || sizes[*high] == 0 {
                continue;
            }
            let elements = Zeroizing::new(elements.to_vec());
            let (role, other) =
                if own == *low { (Role::Receiver, *high) } else { (Role::Sender, *low) };
            let slack = more(&self.parties);
            let hits = self.between(role, other, slack, elements, leader_pivot::common_of_two)?;
            if let Some(hits) = hits {
                found[high - own - 1] = hits.counted(other, faults);
            }
        }
        Ok(found)
    }
}

/// What all told; none can be more than the smallest of the lists that it is about has.
fn table(parties: &Parties<'_>, told: &[Vec<u8>]) -> Result<Overlaps, MultipartyError> {
    let sizes = parties.sizes;
    let mut overlaps = Overlaps { pairs: Vec::new(), common: 0 };
    for (place, told) in told.iter().enumerate() {
        let mut counts =
            told.as_chunks::<NUMBER>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
        let mut next = |most: usize| match counts.next() {
            Some(count) if count <= most as u64 => Ok(count),
            _ => {
                let why = Malformed::OutOfRange;
                let fault = PeerFault::Malformed { what: RoundChunk::TAG.name(), why };
                Err(MultipartyError::run_of(number(place))(fault.into()))
            }
        };
        for other in place + 1..sizes.len() {
            let count = next(sizes[place].min(sizes[other]))?;
            overlaps.pairs.push(([place, other], count));
        }
        if place == parties.leader {
            overlaps.common = next(sizes.iter().min().copied().unwrap_or(0))?;
        }
    }
    if overlaps.pairs.iter().any(|(_, count)| *count < overlaps.common) {
        return Err(MultipartyError::Contradictory);
    }
    Ok(overlaps)
}
