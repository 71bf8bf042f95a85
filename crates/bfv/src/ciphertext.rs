//! Ciphertexts and what is computed with them.
//!
//! A ciphertext (c_0, c_1, …) of m has c_0 + c_1·s + c_2·s² + … = m + t·e modulo Q, where m is scaled by a factor that both
//! sides know. It is t times a ciphertext as Fan and Vercauteren write it (eprint 2012/144), which has ⌊Q/t⌋·m + e there, up to that
//! factor: both forms of the scheme hide the same, and each becomes the other by a constant (Alperin-Sheriff and
//! Peikert, CRYPTO 2013, appendix A). In this one a product is that of the polynomials, without a larger modulus.

use crate::modulus::Modulus;
use crate::ring::Ring;

/// An encrypted plaintext that can be computed with.
#[derive(Clone)]
pub struct Ciphertext {
    /// Two polynomials, or three after a product.
    pub(crate) parts: Vec<Vec<u64>>,
    /// Primes of its modulus.
    pub(crate) level: usize,
    /// By what the plaintext is multiplied.
    pub(crate) scale: u64,
}

/// A plaintext, prepared for products.
pub struct Plain {
    pub(crate) rows: Vec<u64>,
}

/// Words that are summed up at once: sums stay in the first cache.
const BLOCK: usize = 256;

/// As many products of residues fit into 128 bits, and are added up at once.
pub const MOST_TERMS: usize = 256;

impl Ciphertext {
    /// Primes of its modulus.
    #[must_use]
    pub fn level(&self) -> usize {
        self.level
    }

    /// The factor, modulo t, by which the plaintext is multiplied.
    #[must_use]
    pub fn scale(&self) -> u64 {
        self.scale
    }

    /// The same ciphertext, whose plaintext the caller knows to be multiplied by this factor.
    #[must_use]
    pub fn with_scale(self, scale: u64) -> Self {
        Self { scale, ..self }
    }
}

impl Ring {
    /// The ciphertext of nothing but zeros that is its own sum with any other of `level` primes and this scale.
    #[must_use]
    pub fn zero(&self, level: usize, scale: u64) -> Ciphertext {
        Ciphertext { parts: vec![vec![0; level * self.n()]; 2], level, scale }
    }

    /// Adds another one of the same level and scale.
    ///
    /// # Panics
    /// When it has another level or scale.
    pub fn add(&self, sum: &mut Ciphertext, other: &Ciphertext) {
        assert!(sum.level == other.level && sum.scale == other.scale, "the same level and scale");
        sum.parts.resize(sum.parts.len().max(other.parts.len()), vec![0; sum.level * self.n()]);
        for (part, other) in sum.parts.iter_mut().zip(&other.parts) {
            self.each(part, other, |modulus, a, b| *a = modulus.add(*a, b));
        }
    }

    /// Adds a plaintext, which counts as multiplied by the ciphertext's scale already.
    pub fn add_plain(&self, sum: &mut Ciphertext, plain: &Plain) {
        self.each(&mut sum.parts[0], &plain.rows, |modulus, a, b| *a = modulus.add(*a, b));
    }

    /// The sum of the products of ciphertexts of one level and scale, of two parts, with plaintexts of that level or more.
    ///
    /// # Panics
    /// When there are none, more than 256, or a different number of plaintexts.
    #[must_use]
    pub fn inner(&self, ciphertexts: &[&Ciphertext], plains: &[&Plain]) -> Ciphertext {
        assert!(matches!(plains.len(), 1..=MOST_TERMS), "1 to {MOST_TERMS} terms");
        assert_eq!(ciphertexts.len(), plains.len(), "as many plaintexts");
        let level = ciphertexts[0].level;
        let mut parts = vec![vec![0; level * self.n()]; 2];
        let (low, high) = parts.split_at_mut(1);
        for ((start, modulus), (low, high)) in
            self.blocks(level).zip(low[0].chunks_mut(BLOCK).zip(high[0].chunks_mut(BLOCK)))
        {
            let range = start..start + low.len();
            let mut sums = [[0_u128; BLOCK]; 2];
            for (ciphertext, plain) in ciphertexts.iter().zip(plains) {
                let plain = &plain.rows[range.clone()];
                for (sums, part) in sums.iter_mut().zip(&ciphertext.parts) {
                    accumulate(sums, &part[range.clone()], plain);
                }
            }
            reduce(modulus, low, &sums[0]);
            reduce(modulus, high, &sums[1]);
        }
        Ciphertext { parts, level, scale: ciphertexts[0].scale }
    }

    /// The sum of the products of pairs of ciphertexts, all of one level and of two parts, the left ones of one scale and
    /// the right ones of one scale; of three parts.
    ///
    /// # Panics
    /// When there is none, or more than 128.
    #[must_use]
    pub fn products(&self, pairs: &[(&Ciphertext, &Ciphertext)]) -> Ciphertext {
        assert!((1..=MOST_TERMS / 2).contains(&pairs.len()), "1 to {} pairs", MOST_TERMS / 2);
        let level = pairs[0].0.level;
        let mut parts = vec![vec![0; level * self.n()]; 3];
        for (start, modulus) in self.blocks(level) {
            let range = start..(start + BLOCK).min(parts[0].len());
            let mut sums = [[0_u128; BLOCK]; 3];
            for (left, right) in pairs {
                let [a, b] = [left, right]
                    .map(|factor| [0, 1].map(|part: usize| &factor.parts[part][range.clone()]));
                accumulate(&mut sums[0], a[0], b[0]);
                accumulate(&mut sums[1], a[0], b[1]);
                accumulate(&mut sums[1], a[1], b[0]);
                accumulate(&mut sums[2], a[1], b[1]);
            }
            for (part, sums) in parts.iter_mut().zip(&sums) {
                reduce(modulus, &mut part[range.clone()], sums);
            }
        }
        let scale = self.plain.modulus.multiply(pairs[0].0.scale, pairs[0].1.scale);
        Ciphertext { parts, level, scale }
    }

    /// Drops the last prime: noise is divided by it, and so is the plaintext, modulo t.
    ///
    /// # Panics
    /// When there is but one.
    pub fn switch_down(&self, ciphertext: &mut Ciphertext) {
        assert!(ciphertext.level > 1, "a prime must stay");
        ciphertext.level -= 1;
        let kept = ciphertext.level * self.n();
        for part in &mut ciphertext.parts {
            let mut row = part.split_off(kept);
            self.divide(part, &mut row, ciphertext.level);
        }
        ciphertext.scale = self.scaled(ciphertext.scale, ciphertext.level);
    }

    /// Where blocks of words begin, and modulo what they are.
    fn blocks(&self, level: usize) -> impl Iterator<Item = (usize, Modulus)> {
        let n = self.n();
        (0..level * n).step_by(BLOCK).map(move |start| (start, self.primes[start / n].modulus))
    }

    fn each(&self, values: &mut [u64], others: &[u64], work: impl Fn(Modulus, &mut u64, u64)) {
        let rows = values.chunks_exact_mut(self.n()).zip(others.chunks_exact(self.n()));
        for (prime, (row, others)) in self.primes.iter().zip(rows) {
            row.iter_mut().zip(others).for_each(|(a, b)| work(prime.modulus, a, *b));
        }
    }
}

#[inline(always)]
fn accumulate(sums: &mut [u128; BLOCK], a: &[u64], b: &[u64]) {
    for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
        *sum += u128::from(*a) * u128::from(*b);
    }
}

fn reduce(modulus: Modulus, values: &mut [u64], sums: &[u128; BLOCK]) {
    values.iter_mut().zip(sums).for_each(|(value, sum)| *value = modulus.reduce_wide(*sum));
}
