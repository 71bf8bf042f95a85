//! From numbers to their residues.

use super::lanes::Lanes;
use super::modulo::Modulo;
use super::{Prime, primes, wide};
use crate::vector::MASK_52;

/// Numbers that are taken apart at a time: four vectors, so that sums of products do not wait for each other.
pub(super) const CHUNK: usize = 32;

/// How numbers are cut into digits.
pub(super) struct Digits {
    bits: u32,
    pub(super) count: usize,
}

impl Digits {
    /// For numbers of that many bits. The high halves of all products of a digit and a residue, each below 2^(bits − 2),
    /// add up to less than 2^52 − 2^12.
    pub(super) fn new(bits: u32) -> Self {
        let digits = (1..52).map(|size| Self { bits: size, count: bits.div_ceil(size) as usize });
        let fits =
            |digits: &Self| (digits.count as u64) << digits.bits >> 2 < (1 << 52) - (1 << 12);
        digits.rev().find(fits).expect("numbers have fewer than 2^40 bits")
    }

    /// 1, 2^bits, 2^(2·bits), … modulo p.
    pub(super) fn weights(&self, p: u64) -> Vec<u64> {
        let base = (1 << self.bits) % p;
        (0..self.count as u64).map(|index| primes::power(base, index, p)).collect()
    }

    /// Puts digit i of each number, of that many words, into row i.
    pub(super) fn split(&self, numbers: &[u64], words: usize, rows: &mut [u64]) {
        let mask = MASK_52 >> (52 - self.bits);
        rows.fill(0);
        for (place, number) in numbers.chunks_exact(words).enumerate() {
            let rows = rows.chunks_exact_mut(CHUNK);
            for (row, bit) in rows.zip((0..).step_by(self.bits as usize)) {
                row[place] = wide::bits_from(number, bit) & mask;
            }
        }
    }
}

/// The residues modulo a prime of the numbers that rows of digits stand for; loose.
#[inline(always)]
pub(super) fn residues<L: Lanes>(
    m: Modulo<L>,
    prime: &Prime,
    digits: &[u64],
    residues: &mut [u64],
) {
    let l = m.l;
    let shift = m.factor(prime.shift);
    let rows = digits.chunks_exact(CHUNK);
    for start in (0..CHUNK).step_by(4 * L::LANES) {
        let mut low = [l.splat(0); 4];
        let mut high = low;
        for (row, weight) in rows.clone().zip(&prime.weights) {
            let weight = l.splat(*weight);
            for n in 0..4 {
                let digit = l.load(&row[start + n * L::LANES..]);
                low[n] = l.low(low[n], digit, weight);
                high[n] = l.high(high[n], digit, weight);
            }
        }
        for n in 0..4 {
            let residue = m.fold(low[n], high[n], shift);
            l.store(&mut residues[start + n * L::LANES..], residue);
        }
    }
}
