//! Uniform permutations.

use chacha20::ChaCha20Rng;
use rand_core::{CryptoRng, SeedableRng};
use rayon::prelude::*;
use zeroize::Zeroizing;

/// Indices that one thread shuffles at a time; twice as many are shuffled by several.
const PIECE: usize = 1 << 14;

/// The most pieces into which indices are scattered.
const MOST_PIECES: usize = 1 << 8;

/// A uniform permutation of `0..n`, wiped when dropped. It is made on the threads of the caller's rayon pool, and is the
/// same for any number of them.
///
/// # Panics
/// When `n` exceeds 2^32.
#[must_use]
pub fn permutation(n: usize, rng: &mut dyn CryptoRng) -> Zeroizing<Vec<u32>> {
    let last = n.saturating_sub(1);
    assert!(u32::try_from(last).is_ok(), "indices of a permutation have 32 bits");
    let pieces = (n / PIECE).clamp(1, MOST_PIECES);
    if pieces > 1 {
        return scatter(n, pieces, rng);
    }
    let mut order = Zeroizing::new((0..n).map(|index| index as u32).collect::<Vec<_>>());
    shuffle(&mut order, rng);
    order
}

/// A permutation in two steps (Sandelius, "A simple randomization procedure", 1962): each index goes to a uniform one of
/// `pieces` piles, each pile is shuffled, and the piles are put one after the other.
fn scatter(n: usize, pieces: usize, rng: &mut dyn CryptoRng) -> Zeroizing<Vec<u32>> {
    let mut generators = || {
        let seeds = (0..pieces).map(|_| seeded(rng)).collect::<Vec<_>>();
        seeds.into_par_iter()
    };
    let length = n.div_ceil(pieces);
    let dealt = generators().enumerate().map(|(piece, mut rng)| {
        let start = n.min(piece * length);
        Hands::deal(start..n.min(start + length), pieces, &mut rng)
    });
    let dealt: Vec<Hands> = dealt.collect();
    let piles = generators().enumerate().map(|(pile, mut rng)| {
        let hands = dealt.iter().map(|hands| hands.of(pile));
        let mut pile = Zeroizing::new(hands.collect::<Vec<_>>().concat());
        shuffle(&mut pile, &mut rng);
        pile
    });
    let piles: Vec<Zeroizing<Vec<u32>>> = piles.collect();
    let mut order = Zeroizing::new(Vec::with_capacity(n));
    piles.iter().for_each(|pile| order.extend_from_slice(pile));
    order
}

/// A generator with a seed from another.
pub(crate) fn seeded(rng: &mut dyn CryptoRng) -> ChaCha20Rng {
    let mut seed = Zeroizing::new([0; 32]);
    rng.fill_bytes(seed.as_mut_slice());
    ChaCha20Rng::from_seed(*seed)
}

/// Some indices, pile by pile.
struct Hands {
    indices: Zeroizing<Vec<u32>>,
    /// Where each pile's indices end.
    ends: Vec<usize>,
}

impl Hands {
    /// Deals the indices to `pieces` piles, at most [`MOST_PIECES`].
    fn deal(range: std::ops::Range<usize>, pieces: usize, rng: &mut ChaCha20Rng) -> Self {
        let piles = range.clone().map(|_| below(pieces as u64, rng) as u8);
        let piles = Zeroizing::new(piles.collect::<Vec<_>>());
        let mut ends = vec![0; pieces + 1];
        piles.iter().for_each(|pile| ends[usize::from(*pile) + 1] += 1);
        for pile in 1..=pieces {
            ends[pile] += ends[pile - 1];
        }
        let mut indices = Zeroizing::new(vec![0; piles.len()]);
        for (index, pile) in range.zip(piles.iter()) {
            let end = &mut ends[usize::from(*pile)];
            indices[*end] = index as u32;
            *end += 1;
        }
        Self { indices, ends }
    }

    fn of(&self, pile: usize) -> &[u32] {
        let start = if pile == 0 { 0 } else { self.ends[pile - 1] };
        &self.indices[start..self.ends[pile]]
    }
}

/// Permutes `items` uniformly (Fisher–Yates).
fn shuffle(items: &mut [u32], rng: &mut dyn CryptoRng) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(last as u64 + 1, rng) as usize);
    }
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
        for n in [0, 1, 2, 1000, 2 * PIECE - 1, 2 * PIECE, 5 * PIECE + 3] {
            let mut order = permutation(n, &mut rng);
            assert!(n < 1000 || !order.is_sorted());
            order.sort_unstable();
            assert_eq!(*order, (0..n as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_orders_of_four_items_are_equally_likely() {
        let mut rng = ChaCha20Rng::from_seed([2; 32]);
        assert_uniform((0..24_000).map(|_| permutation(4, &mut rng).to_vec()).collect());
    }

    #[test]
    fn scattered_orders_of_four_items_are_equally_likely_for_any_number_of_threads() {
        let orders = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let mut rng = ChaCha20Rng::from_seed([4; 32]);
            let mut draw = || (0..24_000).map(|_| scatter(4, 3, &mut rng).to_vec()).collect();
            let orders: Vec<Vec<u32>> = pool.expect("threads start").install(&mut draw);
            orders
        };
        let one = orders(1);
        assert!(one == orders(3));
        assert_uniform(one);
    }

    /// Whether 24000 orders of four items look uniform.
    fn assert_uniform(orders: Vec<Vec<u32>>) {
        let mut seen = std::collections::HashMap::new();
        orders.into_iter().for_each(|order| *seen.entry(order).or_insert(0i32) += 1);
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
