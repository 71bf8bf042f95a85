//! What hides from the owner of the secret how a ciphertext was computed.

use rand_core::CryptoRng;

use crate::ciphertext::Ciphertext;
use crate::keys::PublicKey;
use crate::ring::Ring;
use crate::sample::{error, ternary, wide};

impl Ring {
    /// Adds a fresh encryption of zero and an error uniform between ±2^`bits`, times t.
    ///
    /// The first makes both parts independent of how they were computed but for their plaintext and noise (by ring
    /// LWE), the second drowns that noise: if it is at most E a coefficient, what is decrypted is within n·E/2^(bits + 1)
    /// of a distribution that depends on the plaintext alone ([`flood_bits`](crate::flood_bits)).
    pub fn flood(
        &self,
        ciphertext: &mut Ciphertext,
        key: &PublicKey,
        bits: u32,
        rng: &mut dyn CryptoRng,
    ) {
        let level = ciphertext.level;
        let t = self.plain.modulus.p.cast_signed();
        let u = self.rows(&ternary(self.n(), rng), 0..level);
        for (part, zero) in ciphertext.parts.iter_mut().zip(&key.zero.parts) {
            let mut noise = error(self.n(), rng);
            noise.iter_mut().for_each(|x| *x *= t);
            let noise = self.rows(&noise, 0..level);
            let terms = part.iter_mut().zip(&u).zip(zero.iter().zip(&noise)).enumerate();
            for (at, ((value, u), (zero, noise))) in terms {
                let modulus = self.primes[at / self.n()].modulus;
                let fresh = modulus.add(modulus.multiply(*u, *zero), *noise);
                *value = modulus.add(*value, fresh);
            }
        }
        let moduli = &self.moduli()[..level];
        let mut flood = wide(self.n(), bits, moduli, rng);
        let rows = flood.chunks_exact_mut(self.n()).zip(&self.primes);
        let parts = ciphertext.parts[0].chunks_exact_mut(self.n());
        for ((row, prime), part) in rows.zip(parts) {
            prime.forward(row);
            let t = prime.modulus.factor(prime.modulus.signed(t));
            for (value, flood) in part.iter_mut().zip(row) {
                *value = prime.modulus.add(*value, prime.modulus.times(*flood, t));
            }
        }
    }
}
