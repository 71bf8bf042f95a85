//! Which of one side's values are in the other's set, once all are pseudorandom.

use veilset_channel::PeerFault;

/// Whether each query occurs in `sorted`, in the queries' order.
///
/// Each look-up takes the same steps whether it hits or not.
///
/// # Errors
/// When two queries hit the same value: honest elements are distinct, and a peer that repeats one would count it twice.
pub(crate) fn membership(queries: &[u128], sorted: &[u128]) -> Result<Vec<bool>, PeerFault> {
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
    let hits = queries.iter().map(&mut look_up).collect();
    if repeated { Err(PeerFault::Repeated) } else { Ok(hits) }
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
        assert_eq!(membership(&own, &sorted), Ok(expected));
        assert_eq!(membership(&own, &[]), Ok(vec![false; 200]));
        assert_eq!(membership(&[], &sorted), Ok(vec![]));
    }

    #[test]
    fn a_repeated_hit_is_the_peers_fault() {
        assert_eq!(membership(&[5, 7, 5], &[5, 7]), Err(PeerFault::Repeated));
        assert_eq!(membership(&[6, 7, 6], &[5, 7]), Ok(vec![false, true, false]));
    }
}
