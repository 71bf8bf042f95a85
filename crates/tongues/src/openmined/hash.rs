//! From items to points: SHA-256 gives x-coordinates until one belongs to a point.
//!
//! The oracle O takes bytes to the number SHA-256(1 ‖ bytes) · 2^256 + SHA-256(2 ‖ bytes) modulo p. An item's first coordinate is
//! O(item), and after each x with which the curve has no point comes O(x), where x is written with as many bytes as it needs. The
//! point is that with an even y.

use sha2::{Digest, Sha256};
use veilset_crypto::kernel::Kernel;
use veilset_crypto::kernel::p256::{Point, X, lift_each_batch, reduce};
use zeroize::Zeroizing;

/// Puts the items' points into `points`.
///
/// # Panics
/// When the two differ in length.
pub(super) fn map<T: AsRef<[u8]>>(items: &[T], points: &mut [Point]) {
    assert_eq!(items.len(), points.len(), "each item has its point");
    let first = items.iter().map(|item| oracle(item.as_ref()));
    let mut xs = Zeroizing::new(first.collect::<Vec<X>>());
    let mut waiting: Vec<usize> = (0..items.len()).collect();
    let mut tried = Zeroizing::new(vec![[0; 64]; items.len()]);
    let mut lifted = vec![false; items.len()];
    while !waiting.is_empty() {
        let (tried, lifted) = (&mut tried[..waiting.len()], &mut lifted[..waiting.len()]);
        lift_each_batch(Kernel::best(), &xs, tried, lifted);
        let mut again = Vec::with_capacity(waiting.len() / 2);
        let mut next = Zeroizing::new(Vec::with_capacity(waiting.len() / 2));
        for (place, index) in waiting.iter().enumerate() {
            if lifted[place] {
                points[*index] = tried[place];
            } else {
                again.push(*index);
                next.push(oracle(number(&xs[place])));
            }
        }
        (waiting, xs) = (again, next);
    }
}

fn oracle(bytes: &[u8]) -> X {
    let mut wide = Zeroizing::new([0; 64]);
    for (count, half) in (1..).zip(wide.chunks_exact_mut(32)) {
        half.copy_from_slice(&Sha256::new().chain_update([count]).chain_update(bytes).finalize());
    }
    reduce(&wide)
}

/// A number without zeros before it.
fn number(x: &X) -> &[u8] {
    let zeros = x.iter().take_while(|byte| **byte == 0).count();
    &x[zeros..]
}
