//! How large m + t·e grows, as log₂ of the standard deviation of a coefficient.
//!
//! The average case (Costache, Laine and Player, eprint 2019/493): coefficients of a product of independent polynomials with
//! deviations a and b have the deviation √n·a·b, sums add squares. A square, or factors that share an error, can have
//! twice the variance.

use veilset_real::{exp2, log2};

use crate::sample::DEVIATION;

/// What a modulus must leave free above a deviation: 10 of these, which a normal variable exceeds once in 2^75, one bit for
/// the sign, and [`MARGIN`].
const TAIL: f64 = 3.33 + 1.0 + MARGIN;

/// Bits for what the model leaves out: coefficients that are not quite independent, and not quite normal.
const MARGIN: f64 = 2.0;

/// log₂ of the deviation of a coefficient of m + t·e.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Noise {
    deviation: f64,
    model: Model,
}

/// What noise depends on.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Model {
    /// log₂ of the degree.
    pub log_n: u32,
    /// log₂ of the plaintext modulus.
    pub plain: f64,
}

impl Model {
    fn noise(self, deviation: f64) -> Noise {
        Noise { deviation, model: self }
    }

    /// Of a fresh ciphertext of a plaintext with uniform coefficients.
    #[must_use]
    pub fn fresh(self) -> Noise {
        self.noise(self.plain + log2(1.0 / 12.0 + DEVIATION * DEVIATION) / 2.0)
    }

    /// What a division adds, be it by a prime that is dropped or by the special one: t·Σ δ_i·s^i for δ_i uniform between
    /// ±1/2, with s of variance 2/3 and s², whose terms come in equal pairs, of 2·(2/3)²·n.
    #[must_use]
    pub fn rounding(self, parts: usize) -> Noise {
        let n = f64::from(1 << self.log_n);
        let (second, third) = (n * 2.0 / 3.0, n * n * 8.0 / 9.0);
        let sum = 1.0 + second + if parts > 2 { third } else { 0.0 };
        self.noise(self.plain + log2(sum / 12.0) / 2.0)
    }

    /// What `digits` digits, none larger than the special prime times 2^`excess`, add before that division: each meets a fresh
    /// error.
    #[must_use]
    pub fn relinearisation(self, digits: usize, excess: u32) -> Noise {
        let error = self.plain + log2(DEVIATION) - log2(12.0) / 2.0;
        let sum = f64::from(self.log_n) / 2.0 + log2(digits as f64) / 2.0;
        self.noise(error + sum + f64::from(excess))
    }
}

impl Noise {
    /// log₂ of the deviation.
    #[must_use]
    pub fn log_deviation(self) -> f64 {
        self.deviation
    }

    /// Of a sum of `terms` products with plaintexts of uniform coefficients.
    #[must_use]
    pub fn times_plain(self, terms: usize) -> Self {
        let Model { log_n, plain } = self.model;
        let product = self.deviation + plain - log2(12.0) / 2.0 + f64::from(log_n) / 2.0;
        self.model.noise(product + log2(terms as f64) / 2.0)
    }

    /// Of a sum of `terms` products with ciphertexts of this noise.
    #[must_use]
    pub fn times(self, other: Self, terms: usize) -> Self {
        let product = self.deviation + other.deviation + f64::from(self.model.log_n) / 2.0 + 0.5;
        self.model.noise(product + log2(terms as f64) / 2.0)
    }

    /// Of a sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let (a, b) = (self.deviation, other.deviation);
        let part = exp2(-2.0 * (a - b).abs());
        self.model.noise(a.max(b) + log2(1.0 + part) / 2.0)
    }

    /// After a ciphertext of so many parts has lost primes of `bits` bits.
    #[must_use]
    pub fn switched(self, bits: f64, parts: usize) -> Self {
        self.model.noise(self.deviation - bits).plus(self.model.rounding(parts))
    }

    /// After relinearisation with `digits` digits, none larger than the special prime times 2^`excess`.
    #[must_use]
    pub fn relinearised(self, digits: usize, excess: u32) -> Self {
        self.plus(self.model.relinearisation(digits, excess)).plus(self.model.rounding(2))
    }

    /// With errors uniform between ±2^`bits`, times t.
    #[must_use]
    pub fn flooded(self, bits: u32) -> Self {
        self.plus(self.model.noise(self.model.plain + f64::from(bits) - log2(3.0) / 2.0))
    }

    /// Bits that a modulus must have so that the plaintext comes out.
    #[must_use]
    pub fn modulus_bits(self) -> f64 {
        self.deviation + TAIL
    }

    /// log₂ of a bound on |e|, in m + t·e.
    fn error_bits(self) -> f64 {
        self.deviation - self.model.plain + TAIL - 1.0
    }
}

/// The bits of an error with which noise must be flooded so that `coefficients` of them, all that the owner of the secret
/// gets, lie within 2^-40 of what depends on plaintexts alone.
///
/// Two uniform distributions on 2F numbers that are E apart have the statistical distance E/(2F).
#[must_use]
pub fn flood_bits(noise: Noise, coefficients: f64) -> u32 {
    (noise.error_bits() - 1.0 + log2(coefficients) + 40.0).ceil() as u32
}
