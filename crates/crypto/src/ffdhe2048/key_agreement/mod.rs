//! Key agreement on the quadratic residues modulo a safe prime of 2048 bits.

#[cfg(test)]
mod tests;

use crypto_bigint::{Odd, Uint};
use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_simd::Kernel;
use veilset_simd::bignum::batch::Exponent;
use zeroize::Zeroizing;

use super::{LEN, Modulus, Number, PRIME, PowerBase, SafePrime, bytes, number};
use crate::tasks::VALUES_A_TASK;
use crate::{FirstMessageError, KeyAgreement, Second};

/// Diffie–Hellman on the quadratic residues modulo a safe prime p = 2q + 1 of 2048 bits; second messages are residues with a
/// random sign.
///
/// # The messages
///
/// With g = 4, which generates the residues that are squares, their number q being prime: the sender has an even number a and
/// sends m = g^a. For each second message the receiver has a number b and a sign, and sends g^b or −g^b. The sender
/// raises it to the power a, which takes the sign away: (±g^b)^a = m^b.
///
/// That is the encoding x or u·x by a u that is no square. For p = 2q + 1 with an odd q, −1 is none, since
/// (−1)^((p−1)/2) = (−1)^q; so of x and −x one is a square, and which one it is needs no symbol to tell apart: an even
/// exponent does to both what it does to the square. It is to these groups what the cofactor is to Curve25519.
///
/// # Definition 4
///
/// If b was uniform modulo q, a message would be uniform over the p − 1 integers from 1 on, within 1/p of the field, whatever m
/// is. Exponents have [256 bits](#exponents), so that g^b is pseudorandom instead, if discrete logarithms of 256 bits
/// are hard to find in the group: then powers with short exponents look like powers with any (Koshiba and Kurosawa,
/// "Short exponent Diffie–Hellman problems", PKC 2004). The choice of m plays no part.
///
/// # Exponents
///
/// Pollard's method takes 2^(e/2) steps for a logarithm known to have e bits, where the order q has no small factor that
/// would tell a part of it. RFC 7919 (section 5.2 and appendix A.1) asks for at least 225 bits with this prime and NIST
/// SP 800-56A (revision 3, appendix D) for 224, which goes with the strength that they give the prime: 103 and 112 bits by
/// number field sieves. **That, and not 128 bits, is the strength of this agreement**, whatever the exponents; they are
/// 256 bits long and so never the weaker part.
///
/// # Definitions 2 and 3
///
/// Strong computational Diffie–Hellman in the group of order q, for short exponents.
///
/// # What the peer sends
///
/// A first message that is not a square below p, or is 1, is refused. A second message 0 has the key 0, and ±1 the key 1.
pub struct SafePrimeAgreement {
    p: Odd<Uint<32>>,
    modulus: Modulus,
    generator: PowerBase,
}

/// The sender's exponent a.
pub struct EvenExponent(Zeroizing<Exponent>);

impl SafePrimeAgreement {
    /// The agreement with the prime of RFC 7919's group ffdhe2048.
    #[must_use]
    pub fn ffdhe2048() -> Self {
        Self::with_prime(Uint::from_be_hex(PRIME)).expect("the prime has 2048 bits")
    }

    /// The agreement with another prime.
    #[must_use]
    pub fn new(p: &SafePrime) -> Self {
        Self::with_prime(*p.number()).expect("the prime has 2048 bits")
    }

    fn with_prime(p: Uint<32>) -> Option<Self> {
        let modulus = Modulus::new(p.as_words())?;
        let mut four = [0; 32];
        four[0] = 4;
        let generator = PowerBase::new(Kernel::best(), &modulus, &four);
        Some(Self { p: Odd::new(p).into_option()?, modulus, generator })
    }

    /// The number of a first message.
    fn decode(&self, first: &[u8]) -> Result<Number, FirstMessageError> {
        let wrong = |_| FirstMessageError::Length { expected: LEN, found: first.len() };
        let number = number(first.try_into().map_err(wrong)?);
        let integer = Uint::from_words(number);
        let symbol = integer.jacobi_symbol_vartime(&self.p);
        match integer < *self.p && symbol.is_one().to_bool() {
            false => Err(FirstMessageError::NotAnElement),
            true if integer == Uint::ONE => Err(FirstMessageError::SmallOrder),
            true => Ok(number),
        }
    }

    /// The powers of a base, as bytes, in a form that `change` gives them.
    fn powers(
        &self,
        base: &PowerBase,
        exponents: &[Exponent],
        change: impl Fn(usize, &Number) -> Number + Sync,
    ) -> Zeroizing<Vec<[u8; LEN]>> {
        let mut bytes = Zeroizing::new(vec![[0; LEN]; exponents.len()]);
        let tasks = exponents.par_chunks(VALUES_A_TASK).zip(bytes.par_chunks_mut(VALUES_A_TASK));
        tasks.enumerate().for_each(|(task, (exponents, bytes))| {
            let mut powers = Zeroizing::new(vec![[0; 32]; exponents.len()]);
            base.powers(&self.modulus, exponents, &mut powers);
            for (index, (power, bytes)) in (task * VALUES_A_TASK..).zip(powers.iter().zip(bytes)) {
                *bytes = super::bytes(&change(index, power));
            }
        });
        bytes
    }
}

impl KeyAgreement for SafePrimeAgreement {
    type Secret = EvenExponent;
    type Value = [u8; LEN];

    fn first_len(&self) -> usize {
        LEN
    }

    fn modulus(&self) -> [u8; LEN] {
        bytes(self.p.as_words())
    }

    fn first(&self, rng: &mut dyn CryptoRng) -> (EvenExponent, Vec<u8>) {
        let mut exponent = Zeroizing::new([0; 32]);
        rng.fill_bytes(exponent.as_mut_slice());
        exponent[0] &= 0xfe;
        let mut power = [[0; 32]];
        self.generator.powers(&self.modulus, &[*exponent], &mut power);
        (EvenExponent(exponent), bytes(&power[0]).to_vec())
    }

    fn second(
        &self,
        first: &[u8],
        n: usize,
        rng: &mut dyn CryptoRng,
    ) -> Result<Second<[u8; LEN]>, FirstMessageError> {
        let first = PowerBase::new(Kernel::best(), &self.modulus, &self.decode(first)?);
        let mut exponents = Zeroizing::new(vec![[0; 32]; n]);
        let mut signs = Zeroizing::new(vec![0; n]);
        rng.fill_bytes(exponents.as_flattened_mut());
        rng.fill_bytes(&mut signs);
        let messages = self.powers(&self.generator, &exponents, |index, power| {
            let opposite = self.modulus.negative(power);
            let mask = u64::from(signs[index] & 1).wrapping_neg();
            std::array::from_fn(|word| power[word] ^ mask & (power[word] ^ opposite[word]))
        });
        let keys = self.powers(&first, &exponents, |_, power| *power);
        Ok(Second { messages, keys })
    }

    fn keys(&self, secret: &EvenExponent, messages: &[[u8; LEN]]) -> Zeroizing<Vec<[u8; LEN]>> {
        let mut keys = Zeroizing::new(messages.to_vec());
        keys.par_chunks_mut(VALUES_A_TASK).for_each(|keys| {
            let mut powers: Zeroizing<Vec<Number>> =
                Zeroizing::new(keys.iter().map(number).collect());
            self.modulus.power(Kernel::best(), &secret.0, &mut powers);
            keys.iter_mut().zip(powers.iter()).for_each(|(key, power)| *key = bytes(power));
        });
        keys
    }
}
