//! Uniform shuffles.

use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// Permutes `items` uniformly (Fisher–Yates).
pub fn shuffle<T>(items: &mut [T], rng: &mut dyn CryptoRng) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(last as u64 + 1, rng) as usize);
    }
}

/// A uniform permutation of `0..n`, wiped when dropped.
///
/// # Panics
/// When `n` exceeds 2^32.
#[must_use]
pub fn permutation(n: usize, rng: &mut dyn CryptoRng) -> Zeroizing<Vec<u32>> {
    let last = n.saturating_sub(1);
    assert!(u32::try_from(last).is_ok(), "indices of a permutation have 32 bits");
    let mut order = Zeroizing::new((0..n).map(|index| index as u32).collect::<Vec<_>>());
    shuffle(&mut order, rng);
    order
}

/// A uniform number below `bound`, which is not 0 (Lemire, "Fast random integer generation in an interval", 2019).
///
/// The high half of `bound` times a random word is the number; words whose low half falls into the incomplete last
/// interval are drawn again, so that each number has equally many words.
fn below(bound: u64, rng: &mut dyn CryptoRng) -> u64 {
    let incomplete = bound.wrapping_neg() % bound;
    loop {
        let product = u128::from(rng.next_u64()) * u128::from(bound);
        if product as u64 >= incomplete {
            return (product >> u64::BITS) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use chacha20::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::*;

    #[test]
    fn permutations_hold_each_index_once() {
        let mut rng = ChaCha20Rng::from_seed([1; 32]);
        for n in [0, 1, 2, 1000] {
            let mut order = permutation(n, &mut rng);
            assert!(n < 1000 || !order.is_sorted());
            order.sort_unstable();
            assert_eq!(*order, (0..n as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_orders_of_four_items_are_equally_likely() {
        let mut rng = ChaCha20Rng::from_seed([2; 32]);
        let mut seen = std::collections::HashMap::new();
        for _ in 0..24_000 {
            *seen.entry(permutation(4, &mut rng).to_vec()).or_insert(0i32) += 1;
        }
        assert_eq!(seen.len(), 24);
        // Chi-squared with 23 degrees of freedom exceeds 59 with probability 5·10^-5.
        let chi: f64 = seen.values().map(|count| f64::from(count - 1000).powi(2) / 1000.0).sum();
        assert!(chi < 59.0, "{chi}");
    }

    #[test]
    fn numbers_below_a_bound_that_divides_badly_are_unbiased() {
        // Without drawing again the lowest third of the words would count double.
        let bound = (1 << 63) + (1 << 62);
        let mut rng = ChaCha20Rng::from_seed([3; 32]);
        let draws: Vec<u64> = (0..3000).map(|_| below(bound, &mut rng)).collect();
        assert!(draws.iter().all(|draw| *draw < bound));
        for residue in 0..3 {
            let count = draws.iter().filter(|draw| **draw % 3 == residue).count();
            assert!((850..1150).contains(&count), "{residue}: {count}");
        }
    }
}
