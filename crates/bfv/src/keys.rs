//! Keys, seeded ciphertexts, relinearisation and decryption.

use rand_core::CryptoRng;
use zeroize::Zeroizing;

use crate::ciphertext::Ciphertext;
use crate::ring::Ring;
use crate::sample::{error, ternary, uniform};

/// A secret s with coefficients −1, 0 and 1; wiped when dropped.
pub struct SecretKey {
    /// Its values modulo all primes.
    pub(crate) s: Zeroizing<Vec<u64>>,
}

/// What both sides draw the second part of a ciphertext from.
pub type Seed = [u8; 32];

/// A ciphertext of which the second part is drawn from a public seed, as it travels: the rows of its first part.
pub struct Seeded {
    pub(crate) seed: Seed,
    pub(crate) rows: Vec<u64>,
}

/// What relinearises: s² times the special prime under s, for each prime of ciphertexts apart.
pub struct RelinearisationKey {
    pub(crate) digits: Vec<Seeded>,
    /// The second parts.
    seconds: Vec<Vec<u64>>,
}

/// An encryption of zero under which others can be made.
pub struct PublicKey {
    pub(crate) zero: Ciphertext,
}

impl SecretKey {
    /// A fresh key.
    pub fn generate(ring: &Ring, rng: &mut dyn CryptoRng) -> Self {
        let s = ternary(ring.n(), rng);
        Self { s: Zeroizing::new(ring.rows(&s, 0..ring.primes.len())) }
    }

    /// Encrypts a plaintext of these coefficients, below t.
    pub fn encrypt(&self, ring: &Ring, coefficients: &[u64], rng: &mut dyn CryptoRng) -> Seeded {
        let t = ring.plain.modulus.p.cast_signed();
        let mut message = error(ring.n(), rng);
        for (x, residue) in message.iter_mut().zip(coefficients) {
            *x = *x * t + ring.plain.modulus.centred(*residue);
        }
        let message = Zeroizing::new(ring.rows(&message, 0..ring.levels()));
        self.masked(ring, &message, rng)
    }

    /// The key for relinearisation.
    ///
    /// # Panics
    /// When the parameters have no special prime.
    pub fn relinearisation(&self, ring: &Ring, rng: &mut dyn CryptoRng) -> RelinearisationKey {
        let special = ring.special().expect("parameters with a special prime");
        let t = ring.plain.modulus.p.cast_signed();
        let digit = |index: usize| {
            let mut noise = error(ring.n(), rng);
            noise.iter_mut().for_each(|x| *x *= t);
            let mut message = Zeroizing::new(ring.rows(&noise, 0..special + 1));
            let modulus = ring.primes[index].modulus;
            let factor = modulus.factor(modulus.reduce(ring.primes[special].modulus.p));
            let row = index * ring.n()..(index + 1) * ring.n();
            for (value, s) in message[row.clone()].iter_mut().zip(&self.s[row]) {
                let square = modulus.multiply(*s, *s);
                *value = modulus.add(*value, modulus.times(square, factor));
            }
            self.masked(ring, &message, rng)
        };
        RelinearisationKey::new(ring, (0..ring.levels()).map(digit).collect())
    }

    /// The message less a uniform polynomial times s.
    fn masked(&self, ring: &Ring, message: &[u64], rng: &mut dyn CryptoRng) -> Seeded {
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);
        let count = message.len() / ring.n();
        let mut rows = uniform(ring.n(), &ring.moduli()[..count], &seed);
        let values = rows.iter_mut().zip(message).zip(self.s.iter()).enumerate();
        for (at, ((value, message), s)) in values {
            let modulus = ring.primes[at / ring.n()].modulus;
            *value = modulus.subtract(*message, modulus.multiply(*value, *s));
        }
        Seeded { seed, rows }
    }

    /// m + t·e of a ciphertext, as values modulo the primes that it has.
    pub(crate) fn phase(&self, ring: &Ring, ciphertext: &Ciphertext) -> Zeroizing<Vec<u64>> {
        let (last, parts) = ciphertext.parts.split_last().expect("parts");
        let mut phase = Zeroizing::new(last.clone());
        for part in parts.iter().rev() {
            let values = phase.iter_mut().zip(part).zip(self.s.iter()).enumerate();
            for (at, ((value, part), s)) in values {
                let modulus = ring.primes[at / ring.n()].modulus;
                *value = modulus.add(*part, modulus.multiply(*value, *s));
            }
        }
        phase
    }

    /// m + t·e, coefficient by coefficient, of a ciphertext that has come down to one prime: all that the key opens.
    ///
    /// # Panics
    /// When it has more.
    #[must_use]
    pub fn open(&self, ring: &Ring, ciphertext: &Ciphertext) -> Zeroizing<Vec<i64>> {
        assert_eq!(ciphertext.level, 1, "one prime");
        let mut phase = self.phase(ring, ciphertext);
        let prime = &ring.primes[0];
        prime.backward(&mut phase);
        Zeroizing::new(phase.iter().map(|x| prime.modulus.centred(*x)).collect())
    }

    /// The coefficients, below t, of the plaintext of a ciphertext that has come down to one prime.
    ///
    /// # Panics
    /// When it has more.
    #[must_use]
    pub fn decrypt(&self, ring: &Ring, ciphertext: &Ciphertext) -> Zeroizing<Vec<u64>> {
        let plain = ring.plain.modulus;
        let unscale = plain.factor(plain.invert(ciphertext.scale));
        let opened = self.open(ring, ciphertext);
        Zeroizing::new(opened.iter().map(|x| plain.times(plain.signed(*x), unscale)).collect())
    }
}

impl Seeded {
    /// The whole ciphertext.
    #[must_use]
    pub fn expand(self, ring: &Ring) -> Ciphertext {
        let level = ring.levels();
        let second = uniform(ring.n(), &ring.moduli()[..level], &self.seed);
        Ciphertext { parts: vec![self.rows, second], level, scale: 1 }
    }
}

impl RelinearisationKey {
    pub(crate) fn new(ring: &Ring, digits: Vec<Seeded>) -> Self {
        let moduli = ring.moduli();
        let seconds = digits.iter().map(|digit| uniform(ring.n(), &moduli, &digit.seed));
        let seconds = seconds.collect();
        Self { digits, seconds }
    }
}

impl PublicKey {
    /// From an encryption of zero, which the owner of the secret sent.
    #[must_use]
    pub fn new(zero: Ciphertext) -> Self {
        Self { zero }
    }
}

impl Ring {
    /// A ciphertext of two parts with the plaintext of one of three.
    ///
    /// The third part's residues modulo each prime, small numbers, meet s² times the special prime P under s; that sum is
    /// divided by P (the hybrid method of Gentry, Halevi and Smart, eprint 2012/099, with the digits of Bajard et al.,
    /// eprint 2016/510).
    ///
    /// # Panics
    /// When the parameters have no special prime.
    pub fn relinearise(&self, ciphertext: &mut Ciphertext, key: &RelinearisationKey) {
        let special = self.special().expect("parameters with a special prime");
        let n = self.n();
        let Some(third) = ciphertext.parts.get(2).cloned() else { return };
        ciphertext.parts.truncate(2);
        // Rows of the primes that the ciphertext has, and of the special one.
        let rows: Vec<usize> = (0..ciphertext.level).chain([special]).collect();
        let mut sums = vec![vec![0_u128; n * rows.len()]; 2];
        for ((index, values), digit) in third.chunks_exact(n).enumerate().zip(&key.digits) {
            let mut residues = values.to_vec();
            self.primes[index].backward(&mut residues);
            let modulus = self.primes[index].modulus;
            let small: Vec<i64> = residues.iter().map(|x| modulus.centred(*x)).collect();
            for (place, row) in rows.iter().enumerate() {
                let values = match *row == index {
                    true => values.to_vec(),
                    false => self.rows(&small, *row..row + 1),
                };
                for (sums, key) in sums.iter_mut().zip([&digit.rows, &key.seconds[index]]) {
                    let sums = &mut sums[place * n..][..n];
                    let key = &key[row * n..][..n];
                    let terms = sums.iter_mut().zip(&values).zip(key);
                    terms.for_each(|((sum, a), b)| *sum += u128::from(*a) * u128::from(*b));
                }
            }
        }
        for (part, sums) in ciphertext.parts.iter_mut().zip(sums) {
            let reduced = sums.iter().enumerate();
            let mut reduced: Vec<u64> = reduced
                .map(|(at, sum)| self.primes[rows[at / n]].modulus.reduce_wide(*sum))
                .collect();
            let mut last = reduced.split_off(ciphertext.level * n);
            self.divide(&mut reduced, &mut last, special);
            for (at, (value, more)) in part.iter_mut().zip(&reduced).enumerate() {
                *value = self.primes[at / n].modulus.add(*value, *more);
            }
        }
    }
}
