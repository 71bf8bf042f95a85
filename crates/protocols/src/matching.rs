//! Which of one side's values are in the other's set, once all are pseudorandom.

use veilset_channel::PeerFault;

/// The answers to the queries, in their order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hits {
    /// Whether each query is in the set.
    pub(crate) e: Vec<bool>,
    repeated: bool,
}

impl Hits {
    /// Answers of a structure that cannot tell a repeated query.
    pub(crate) fn new(e: Vec<bool>) -> Self {
        Self { e, repeated: false }
    }

    /// What the peer is to be blamed for: honest elements are distinct, and one that hits twice would count twice.
    ///
    /// A run goes on to its last message and ends with this; to stop at once would tell that there was a hit.
    pub(crate) fn fault(&self) -> Result<(), PeerFault> {
        if self.repeated { Err(PeerFault::Repeated) } else { Ok(()) }
    }
}

/// Looks each query up in `sorted`. Each look-up takes the same steps whether it hits or not.
pub(crate) fn membership(queries: &[u128], sorted: &[u128]) -> Hits {
    let mut taken = vec![false; sorted.len()];
    let mut repeated = false;
    let mut look_up = |query: &u128| {
        let place = sorted.partition_point(|value| value < query).min(sorted.len().wrapping_sub(1));
        let Some(value) = sorted.get(place) else { return false };
        let hit = value == query;
        repeated |= hit & taken[place];
        taken[place] |= hit;
        hit
    };
    let e = queries.iter().map(&mut look_up).collect();
    Hits { e, repeated }
}

/// The elements whose bits are set, rising; `order[i]` is the element that bit `i` is about.
pub(crate) fn in_order(order: &[u32], e: &[bool]) -> Vec<u32> {
    let mut matched: Vec<u32> =
        order.iter().zip(e).filter_map(|(index, e)| e.then_some(*index)).collect();
    matched.sort_unstable();
    matched
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn finds_what_a_plain_set_finds() {
        let own: Vec<u128> = (0..200).map(|value| value * 7 % 201).collect();
        let set: BTreeSet<u128> = (0..200).step_by(3).collect();
        let sorted: Vec<u128> = set.iter().copied().collect();
        let expected: Vec<bool> = own.iter().map(|value| set.contains(value)).collect();
        assert_eq!(membership(&own, &sorted), Hits::new(expected));
        assert_eq!(membership(&own, &[]), Hits::new(vec![false; 200]));
        assert_eq!(membership(&[], &sorted), Hits::new(vec![]));
    }

    #[test]
    fn a_repeated_hit_is_the_peers_fault() {
        let twice = membership(&[5, 7, 5], &[5, 7]);
        assert_eq!((twice.e.as_slice(), twice.fault()), (&[true; 3][..], Err(PeerFault::Repeated)));
        assert_eq!(membership(&[6, 7, 6], &[5, 7]).fault(), Ok(()));
    }
}
