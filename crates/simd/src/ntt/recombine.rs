//! From residues back to numbers modulo the caller's modulus P, by the Chinese remainder theorem.
//!
//! With M the product of all primes p and c = x·(M/p)^−1 modulo p, the number is Σ c·(M/p) − k·M where k is the whole part
//! of Σ c/p. Modulo P each M/p is a constant below P, and −M is one. That leaves a sum below 2^57·P for up to 2^7 primes,
//! of which two quotients of doubles take the multiples of P.
//!
//! # Bounds
//!
//! Σ c/p comes as Σ floor(c·floor(2^101/p)/2^52), too small by less than 2^8 units of 2^−49. The number is below M/2,
//! so with 2^−10 added the whole part is k. Each limb of the sum is below 2·(2^7 + 1)·2^52, and carried before it is used.
//! A quotient is taken a little too small, so that nothing gets negative: the first is in units of 2^8·P, below 2^49,
//! and leaves less than (2^9 + 2^57·2^−47)·P; the second leaves less than 2·P.

use zeroize::Zeroizing;

use super::Prime;
use super::lanes::Lanes;
use super::modulo::Modulo;
use super::residues::CHUNK;
use super::{primes, wide};
use crate::vector::MASK_52;

/// Limbs whose sums are formed side by side, for each addition waits for the one before.
const SIDE_BY_SIDE: usize = 5;

/// The bits of the unit of the first quotient.
const UNIT: u32 = 8;

/// What a modulus takes.
pub(super) struct Recombination {
    /// 64-bit words of a number.
    words: usize,
    /// 52-bit limbs of 2^5·P: one more holds 2^57·P.
    limbs: usize,
    /// Limbs of f·M/p modulo P for each prime, and of −f·M: run by run of limbs.
    weights: Vec<[u64; SIDE_BY_SIDE]>,
    /// P and 2^8·P, of a limb more.
    modulus: Vec<u64>,
    unit: Vec<u64>,
    /// 1/P, where P is in units of the last of these limbs.
    inverse: f64,
    /// floor(2^101/p)
    shares: Vec<u64>,
}

impl Recombination {
    /// Results get the factor f of as many words as the modulus, of which the last is not 0, and have `words` words.
    pub(super) fn new(primes: &[u64], modulus: &[u64], factor: &[u64], words: usize) -> Self {
        let limbs = (wide::bits(modulus) + 5).div_ceil(52) as usize;
        let room = limbs.next_multiple_of(SIDE_BY_SIDE);
        let constants = constants(primes, modulus, factor);
        let constants: Vec<_> =
            constants.iter().map(|constant| wide::limbs(constant, room)).collect();
        let weights = (0..limbs).step_by(SIDE_BY_SIDE).flat_map(|run| {
            constants.iter().map(move |limbs| std::array::from_fn(|index| limbs[run + index]))
        });
        let weights = weights.collect();
        let modulus = wide::limbs(modulus, limbs + 1);
        let unit = (0..=limbs).map(|index| {
            let low = if index == 0 { 0 } else { modulus[index - 1] >> (52 - UNIT) };
            modulus[index] << UNIT & MASK_52 | low
        });
        // The three highest limbs.
        let leading = modulus[limbs.saturating_sub(3)..limbs].iter();
        let size = leading.fold(0.0, |sum, limb| sum * 2f64.powi(-52) + *limb as f64);
        let shares = primes.iter().map(|p| ((1u128 << 101) / u128::from(*p)) as u64);
        let (unit, shares) = (unit.collect(), shares.collect());
        Self { words, limbs, weights, modulus, unit, inverse: 1.0 / size, shares }
    }

    /// The numbers from place `from` on of rows of residues, one row a prime, each before the division by their length.
    #[inline(always)]
    pub(super) fn run<L: Lanes>(
        &self,
        l: L,
        primes: &[Prime],
        rows: &[u64],
        from: usize,
        numbers: &mut [u64],
    ) {
        let size = rows.len() / primes.len();
        let mut shares = Zeroizing::new(vec![0; (primes.len() + 1) * CHUNK]);
        // All limbs, whole runs of them, and all that words are joined from.
        let room = (self.limbs + SIDE_BY_SIDE).max(64 * self.words / 52 + 2) + 1;
        let mut sums = Zeroizing::new(vec![0; room * L::LANES]);
        for (chunk, numbers) in numbers.chunks_mut(self.words * CHUNK).enumerate() {
            let place = from + chunk * CHUNK;
            // The last chunk may reach back.
            let start = place.min(size - CHUNK);
            self.shares(l, primes, rows, start, &mut shares);
            let mut lane = place - start;
            for numbers in numbers.chunks_mut(self.words * L::LANES) {
                // So may the last group of a chunk.
                let first = lane.min(CHUNK - L::LANES);
                self.sums(l, &shares[first..], &mut sums);
                self.reduce(l, &mut sums);
                for (lane, number) in (lane - first..).zip(numbers.chunks_exact_mut(self.words)) {
                    join::<L>(&sums, lane, number);
                }
                lane += L::LANES;
            }
        }
    }

    /// Rows of c for each prime, and of k.
    #[inline(always)]
    fn shares<L: Lanes>(
        &self,
        l: L,
        primes: &[Prime],
        rows: &[u64],
        start: usize,
        shares: &mut [u64],
    ) {
        let size = rows.len() / primes.len();
        let log_size = size.ilog2() as usize;
        let (shares, last) = shares.split_at_mut(primes.len() * CHUNK);
        last.fill(1 << 39);
        for (index, share) in shares.chunks_exact_mut(CHUNK).enumerate() {
            let prime = &primes[index];
            let m = Modulo::new(l, prime.p);
            let scale = m.factor(prime.scales[log_size]);
            let part = l.splat(self.shares[index]);
            let residues = rows[index * size + start..][..CHUNK].chunks_exact(L::LANES);
            let places = share.chunks_exact_mut(L::LANES).zip(last.chunks_exact_mut(L::LANES));
            for (residue, (share, whole)) in residues.zip(places) {
                let residue = m.least(m.times(l.load(residue), scale));
                l.store(share, residue);
                l.store(whole, l.high(l.load(whole), residue, part));
            }
        }
        for whole in last.chunks_exact_mut(L::LANES) {
            let sum = l.load(whole);
            l.store(whole, l.right::<49>(sum));
        }
    }

    /// The limbs of Σ c·(f·M/p) − k·f·M, not carried.
    #[inline(always)]
    fn sums<L: Lanes>(&self, l: L, shares: &[u64], sums: &mut [u64]) {
        let mut above = l.splat(0);
        let mut limbs = sums.chunks_exact_mut(L::LANES);
        for weights in self.weights.chunks_exact(self.shares.len() + 1) {
            let mut low = [l.splat(0); SIDE_BY_SIDE];
            let mut high = low;
            for (share, weights) in shares.chunks(CHUNK).zip(weights) {
                let share = l.load(share);
                for n in 0..SIDE_BY_SIDE {
                    let weight = l.splat(weights[n]);
                    low[n] = l.low(low[n], share, weight);
                    high[n] = l.high(high[n], share, weight);
                }
            }
            for (n, limb) in limbs.by_ref().take(SIDE_BY_SIDE).enumerate() {
                l.store(limb, l.add(low[n], if n == 0 { above } else { high[n - 1] }));
            }
            above = high[SIDE_BY_SIDE - 1];
        }
        if let Some(limb) = limbs.next() {
            l.store(limb, above);
        }
    }

    /// Below P.
    #[inline(always)]
    fn reduce<L: Lanes>(&self, l: L, sums: &mut [u64]) {
        let sums = &mut sums[..(self.limbs + 1) * L::LANES];
        self.carry(l, sums);
        let scale = 2f64.powi(-(UNIT as i32)) * (1.0 - 2f64.powi(-48));
        let quotient = self.quotient(l, sums, scale);
        self.subtract(l, sums, &self.unit, quotient);
        self.carry(l, sums);
        let quotient = self.quotient(l, sums, 1.0 - 2f64.powi(-40));
        self.subtract(l, sums, &self.modulus, quotient);
        self.carry(l, sums);
        self.subtract_once(l, sums);
    }

    /// Carries, of limbs with signs, to the last, which keeps what it gets.
    #[inline(always)]
    fn carry<L: Lanes>(&self, l: L, sums: &mut [u64]) {
        let mask = l.splat(MASK_52);
        let mut carry = l.splat(0);
        let (limbs, last) = sums.split_at_mut(self.limbs * L::LANES);
        for limb in limbs.chunks_exact_mut(L::LANES) {
            let sum = l.add(l.load(limb), carry);
            carry = l.right_signed::<52>(sum);
            l.store(limb, l.and(sum, mask));
        }
        let sum = l.add(l.load(last), carry);
        l.store(last, sum);
    }

    /// The whole part of sum/P·scale, from the three highest limbs.
    #[inline(always)]
    fn quotient<L: Lanes>(&self, l: L, sums: &[u64], scale: f64) -> L::Int {
        let limb = l.double(2f64.powi(52));
        let mut number = l.doubles(l.load(&sums[self.limbs * L::LANES..]));
        number =
            l.multiply_add(number, limb, l.doubles(l.load(&sums[(self.limbs - 1) * L::LANES..])));
        if self.limbs > 1 {
            let below = l.doubles(l.load(&sums[(self.limbs - 2) * L::LANES..]));
            number = l.multiply_add(below, l.double(2f64.powi(-52)), number);
        }
        l.words(l.multiply(number, l.double(self.inverse * scale)))
    }

    /// Takes quotient·limbs; limbs get signs.
    #[inline(always)]
    fn subtract<L: Lanes>(&self, l: L, sums: &mut [u64], limbs: &[u64], quotient: L::Int) {
        let zero = l.splat(0);
        let mut above = zero;
        for (sum, limb) in sums.chunks_exact_mut(L::LANES).zip(limbs) {
            let limb = l.splat(*limb);
            let taken = l.low(above, quotient, limb);
            l.store(sum, l.subtract(l.load(sum), taken));
            above = l.high(zero, quotient, limb);
        }
    }

    /// Takes P if that leaves no negative number.
    #[inline(always)]
    fn subtract_once<L: Lanes>(&self, l: L, sums: &mut [u64]) {
        let mut borrow = l.splat(0);
        for (sum, limb) in sums.chunks_exact(L::LANES).zip(&self.modulus) {
            let difference = l.subtract(l.load(sum), l.splat(*limb));
            borrow = l.right_signed::<52>(l.add(difference, borrow));
        }
        // All bits where P is too large, and added back there.
        let negative = borrow;
        let mut carry = l.splat(0);
        let mask = l.splat(MASK_52);
        for (sum, limb) in sums.chunks_exact_mut(L::LANES).zip(&self.modulus) {
            let limb = l.splat(*limb);
            let kept = l.subtract(limb, l.and(limb, negative));
            let difference = l.add(l.subtract(l.load(sum), kept), carry);
            carry = l.right_signed::<52>(difference);
            l.store(sum, l.and(difference, mask));
        }
    }
}

/// The words of a lane's number.
#[inline(always)]
fn join<L: Lanes>(limbs: &[u64], lane: usize, number: &mut [u64]) {
    for (index, word) in number.iter_mut().enumerate() {
        let (first, shift) = (64 * index / 52, 64 * index % 52);
        let [a, b, c] = [0, 1, 2].map(|next| limbs[(first + next) * L::LANES + lane]);
        // The third begins within the word if the shift is more than 40.
        *word = a >> shift | b << (52 - shift) | c << 1 << (103 - shift).min(63);
    }
}

/// f·M/p modulo P for each prime, and −f·M.
fn constants(primes: &[u64], modulus: &[u64], factor: &[u64]) -> Vec<Vec<u64>> {
    let product = |without: usize| {
        let others = primes.iter().enumerate().filter(|(index, _)| *index != without);
        others.fold(factor.to_vec(), |product, (_, p)| wide::times(&product, *p, modulus))
    };
    let mut opposite = modulus.to_vec();
    wide::subtract(&mut opposite, &product(primes.len()), 1);
    (0..primes.len()).map(product).chain([opposite]).collect()
}

/// For each size 2^i the factor (M/p)^−1/2^i modulo p.
pub(super) fn scales(all: &[u64], p: u64, log_size: u32) -> Vec<[u64; 2]> {
    let others = all.iter().filter(|other| **other != p);
    let product = others.fold(1, |product, other| primes::multiply(product, other % p, p));
    let half = p.div_ceil(2);
    let first = primes::inverse(product, p);
    let scales =
        std::iter::successors(Some(first), |scale| Some(primes::multiply(*scale, half, p)));
    let scales = scales.take(log_size as usize + 1);
    scales.map(|scale| [scale, primes::quotient(scale, p)]).collect()
}
