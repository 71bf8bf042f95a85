//! Which of one's own values are in the other's set, once all are pseudorandom.

/// The indices of `own` whose values occur in `sorted`, in rising order.
pub(crate) fn positions_in(own: &[u128], sorted: &[u128]) -> Vec<u32> {
    let hit = |(index, value): (usize, &u128)| {
        sorted.binary_search(value).ok().and_then(|_| u32::try_from(index).ok())
    };
    own.iter().enumerate().filter_map(hit).collect()
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
        let expected: Vec<u32> =
            (0..200).filter(|index| set.contains(&own[*index as usize])).collect();
        assert_eq!(positions_in(&own, &sorted), expected);
        assert_eq!(positions_in(&own, &[]), []);
    }
}
