//! Roots of unity modulo a prime, in the order in which transforms need them.
//!
//! A block of coefficients stands for a polynomial modulo x^s − c. With w² = c that is taken apart into x^(s/2) − w and
//! x^(s/2) + w, blocks 2b and 2b + 1 of the next level, if it was block b of its own. The first block is modulo x^n − 1.
//! So w depends on b alone, neither on the level nor on n: for b = Σ b_i·2^i it is the root of unity with the angle
//! Σ b_i·2^−(i + 2) of a turn, and each bit of b contributes a factor.
//!
//! Block b of eight coefficients is one modulo x^8 − v^8, where v has the angle Σ b_i·2^−(i + 4). With x = v·y that is
//! y^8 − 1, the same for all blocks; and for b = 8·g + l the power v^j is one that depends on g, times one that depends on l.

use super::modulo::{Factor, Modulo};
use super::primes;
use crate::vector::V1;

/// A constant and its quotient: see [`Factor`].
pub(super) type Pair = [u64; 2];

/// Constants for eight lanes, and their quotients.
pub(super) type Pairs = [[u64; 8]; 2];

/// Roots for transforms up to some size.
pub(super) struct Roots {
    /// The w of all blocks that are taken apart by them.
    pub(super) blocks: Vec<Pair>,
    /// For each g the powers v^0 to v^7 of v for b = 8·g. Not for a single lane.
    pub(super) groups: Vec<Pairs>,
    /// For each j from 1 to 7 the powers v^j of v for b = 0 to 7.
    pub(super) within: Vec<Pairs>,
}

impl Roots {
    /// For transforms of up to 2^`log_size` words, from a root of order 2^[`primes::MOST_LOG`].
    pub(super) fn new(p: u64, root: u64, log_size: u32, lanes: usize) -> Self {
        if lanes == 1 {
            let blocks = pairs(p, &products(p, root, 2, log_size - 1));
            return Self { blocks, groups: Vec::new(), within: Vec::new() };
        }
        let blocks = pairs(p, &products(p, root, 2, log_size - 4));
        let groups = products(p, root, 7, log_size - 6);
        let groups = groups.iter().map(|v| {
            let mut power = 1;
            let powers = std::array::from_fn(|_| {
                let this = power;
                power = multiply(p, power, [*v, primes::quotient(*v, p)]);
                this
            });
            [powers, powers.map(|power| primes::quotient(power, p))]
        });
        let groups = groups.collect();
        let first = products(p, root, 4, 3);
        let within = (1..8).map(|exponent| {
            let powers = std::array::from_fn(|lane| primes::power(first[lane], exponent, p));
            [powers, powers.map(|power| primes::quotient(power, p))]
        });
        Self { blocks, groups, within: within.collect() }
    }
}

/// For all b below 2^`bits` the root of unity with the angle Σ b_i·2^−(i + first).
fn products(p: u64, root: u64, first: u32, bits: u32) -> Vec<u64> {
    let mut products = Vec::with_capacity(1 << bits);
    products.push(1);
    for bit in 0..bits {
        let turn = primes::power(root, 1 << (primes::MOST_LOG - first - bit), p);
        let turn = [turn, primes::quotient(turn, p)];
        products.extend_from_within(..);
        for product in &mut products[1 << bit..] {
            *product = multiply(p, *product, turn);
        }
    }
    products
}

fn multiply(p: u64, a: u64, [factor, quotient]: Pair) -> u64 {
    let modulo = Modulo::new(V1, p);
    modulo.least(modulo.times(a, Factor(factor, quotient)))
}

fn pairs(p: u64, factors: &[u64]) -> Vec<Pair> {
    factors.iter().map(|factor| [*factor, primes::quotient(*factor, p)]).collect()
}
