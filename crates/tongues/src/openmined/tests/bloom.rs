//! How often a Bloom filter of this form is wrong.

use sha2::{Digest, Sha256};

use super::super::bloom::Bloom;
use super::*;

/// Bytes as long as a point: a filter does not look at what they are.
fn sample(number: u64) -> Sec1 {
    let mut point = [2; 33];
    point[1..].copy_from_slice(&Sha256::digest(number.to_le_bytes()));
    point
}

#[test]
fn a_filter_is_wrong_as_often_as_its_form_says() {
    let held: Vec<Sec1> = (0..300).map(sample).collect();
    let filter = Bloom::build(&held, 1e-12, 300).expect("in range");
    let others: Vec<Sec1> = (1000..1_001_000).map(sample).collect();
    let wrong = filter.matches(&others).len() as f64;
    // A millionth of a false positive was asked for.
    let expected = others.len() as f64 * 0.89 / (8 * filter.bits.len()) as f64;
    assert!((40.0..70.0).contains(&expected), "{expected}");
    assert!((wrong - expected).abs() < 5.0 * expected.sqrt(), "{wrong} for {expected}");
    assert_eq!(filter.matches(&held).len(), held.len());
}
