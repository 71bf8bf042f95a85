//! Polynomials modulo x^n + 1 and all primes, and the plaintexts' slots.

use crate::ciphertext::Plain;
use crate::modulus::{Factor, Modulus};
use crate::ntt::Ntt;
use crate::{BfvParameters, parameters::ParameterError};

/// What computing with given parameters needs.
///
/// A polynomial is held as its values modulo each prime, a row of n words for a prime, one row after the other.
pub struct Ring {
    parameters: BfvParameters,
    pub(crate) plain: Ntt,
    /// The primes of ciphertexts, then the special one.
    pub(crate) primes: Vec<Ntt>,
    /// What dividing by each of the primes takes.
    divisions: Vec<Division>,
}

/// What dividing by a prime takes.
struct Division {
    /// 1/t modulo the prime.
    plain: Factor,
    /// 1/prime modulo each prime, t last.
    inverses: Vec<Factor>,
}

impl Ring {
    /// For these parameters.
    #[must_use]
    pub fn new(parameters: BfvParameters) -> Self {
        let log_n = parameters.log_n();
        let all: Vec<u64> =
            parameters.primes().iter().copied().chain(parameters.special()).collect();
        let primes: Vec<Ntt> = all.iter().map(|p| Ntt::new(*p, log_n)).collect();
        let plain = Ntt::new(parameters.t(), log_n);
        let inverse = |modulus: Modulus, of: u64| {
            // The prime itself is never divided by.
            modulus.factor(modulus.invert(modulus.reduce(of)))
        };
        let divisions = primes.iter().map(|prime| {
            let by = prime.modulus;
            let moduli = primes.iter().chain([&plain]).map(|other| other.modulus);
            Division {
                plain: inverse(by, parameters.t()),
                inverses: moduli.map(|modulus| inverse(modulus, by.p)).collect(),
            }
        });
        let divisions = divisions.collect();
        Self { parameters, plain, primes, divisions }
    }

    /// The ring for a choice of sizes: [`BfvParameters::new`].
    ///
    /// # Errors
    /// As there.
    pub fn with(
        log_n: u32,
        plain: u32,
        bits: &[u32],
        special: Option<u32>,
    ) -> Result<Self, ParameterError> {
        BfvParameters::new(log_n, plain, bits, special).map(Self::new)
    }

    /// Its parameters.
    #[must_use]
    pub fn parameters(&self) -> &BfvParameters {
        &self.parameters
    }

    pub(crate) fn n(&self) -> usize {
        self.parameters.slots()
    }

    /// Primes of a fresh ciphertext.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.parameters.primes().len()
    }

    pub(crate) fn moduli(&self) -> Vec<Modulus> {
        self.primes.iter().map(|prime| prime.modulus).collect()
    }

    /// The rows of the special prime, if there is one, lie here among the [`primes`](Self::primes).
    pub(crate) fn special(&self) -> Option<usize> {
        self.parameters.special().map(|_| self.levels())
    }

    /// The coefficients, below t, of the plaintext with these slots, which are all there are, below t.
    pub fn encode(&self, slots: &mut [u64]) {
        self.plain.backward(slots);
    }

    /// The slots of the plaintext with these coefficients.
    pub fn decode(&self, coefficients: &mut [u64]) {
        self.plain.forward(coefficients);
    }

    /// A plaintext of these coefficients, below t, for products with ciphertexts of `level` primes or fewer.
    #[must_use]
    pub fn prepare(&self, coefficients: &[u64], level: usize) -> Plain {
        let centred = coefficients.iter().map(|residue| self.plain.modulus.centred(*residue));
        let centred: Vec<i64> = centred.collect();
        Plain { rows: self.rows(&centred, 0..level) }
    }

    /// The values of a polynomial with these coefficients modulo some of the primes.
    pub(crate) fn rows(&self, coefficients: &[i64], primes: std::ops::Range<usize>) -> Vec<u64> {
        let mut rows = Vec::with_capacity(coefficients.len() * primes.len());
        for prime in &self.primes[primes] {
            let start = rows.len();
            rows.extend(coefficients.iter().map(|x| prime.modulus.signed(*x)));
            prime.forward(&mut rows[start..]);
        }
        rows
    }

    /// Divides a polynomial, `rows` of the primes before `last`, by the prime of index `by`, of which `row` are the
    /// values, so that what is added lest a fraction stay is a multiple of t of least size.
    ///
    /// For a ciphertext's polynomials this divides noise too; a plaintext is divided modulo t.
    pub(crate) fn divide(&self, rows: &mut [u64], row: &mut [u64], by: usize) {
        let (prime, division) = (&self.primes[by], &self.divisions[by]);
        prime.backward(row);
        let t = self.parameters.t().cast_signed();
        // δ ≡ the coefficient modulo the prime, and 0 modulo t.
        let rest =
            row.iter().map(|x| prime.modulus.centred(prime.modulus.times(*x, division.plain)));
        let rest: Vec<i64> = rest.collect();
        let mut deltas = vec![0; row.len()];
        for (index, values) in rows.chunks_exact_mut(row.len()).enumerate() {
            let ntt = &self.primes[index];
            let (modulus, inverse) = (ntt.modulus, division.inverses[index]);
            let t = modulus.factor(modulus.signed(t));
            for (delta, rest) in deltas.iter_mut().zip(&rest) {
                *delta = modulus.times(modulus.signed(*rest), t);
            }
            ntt.forward(&mut deltas);
            for (value, delta) in values.iter_mut().zip(&deltas) {
                *value = modulus.times(modulus.subtract(*value, *delta), inverse);
            }
        }
    }

    /// What becomes of a scale when a ciphertext comes down from `from` primes to `to`.
    #[must_use]
    pub fn switched_scale(&self, scale: u64, from: usize, to: usize) -> u64 {
        (to..from).fold(scale, |scale, by| self.scaled(scale, by))
    }

    pub(crate) fn scaled(&self, scale: u64, by: usize) -> u64 {
        self.plain.modulus.times(scale, self.divisions[by].inverses[self.primes.len()])
    }
}
