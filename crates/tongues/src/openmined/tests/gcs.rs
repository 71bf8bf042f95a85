//! Compressed sets by a reader that goes bit by bit.

use super::super::gcs::Gcs;
use super::*;

fn slowly(set: &Gcs) -> Vec<u64> {
    let bits: Vec<bool> =
        set.bits.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1)).collect();
    let (mut values, mut sum, mut rest) = (Vec::new(), 0, &bits[..]);
    while let Some(zeros) = rest.iter().position(|bit| *bit) {
        let (remainder, after) = rest[zeros + 1..].split_at(set.div as usize);
        let remainder = remainder.iter().rev().fold(0, |sum, bit| 2 * sum + u64::from(*bit));
        sum += ((zeros as u64) << set.div) + remainder;
        values.push(sum);
        rest = after;
    }
    values
}

#[test]
fn sets_of_any_density_are_read_bit_by_bit_alike() {
    let points = Client::new(key(5), true).encrypt(&items(0..300));
    for rate in [0.9, 0.5, 0.1, 1e-3, 1e-6, 1e-12] {
        for count in [0, 1, 2, 300] {
            let set = Gcs::build(&points[..count], rate, count.max(1)).expect("in range");
            let mut values = Vec::new();
            set.try_for_each(|value| values.push(value)).expect("a set");
            assert_eq!(values, slowly(&set), "{rate} {count}");
            assert!(values.len() <= count && values.is_sorted());
            let here: Vec<usize> = (0..count).collect();
            assert_eq!(set.matches(&points[..count]), Ok(here));
        }
    }
}
