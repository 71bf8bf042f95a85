//! Vectors over Z_q as ML-KEM-768 encodes them: the `t` part of an encapsulation key.
//!
//! Three polynomials of degree below 256 make 768 coefficients modulo q = 3329, each in 12 bits. Encapsulation keys
//! hold them in the NTT domain; addition is coefficient by coefficient there as elsewhere, and uniform stays uniform.

use subtle::{Choice, ConditionallySelectable};
use veilset_channel::Malformed;
use zeroize::Zeroize;

/// The modulus.
const Q: u16 = 3329;

/// Coefficients in a vector.
const LEN: usize = 3 * 256;

/// Bytes of an encoded vector.
pub(super) const ENCODED: usize = LEN * 12 / 8;

/// Uniform bytes that make a coefficient.
const SAMPLE: usize = 16;

/// Uniform bytes that make a vector.
pub(super) const SAMPLES: usize = LEN * SAMPLE;

/// An element of Z_q^768, coefficients reduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Vector([u16; LEN]);

impl Vector {
    /// A uniform vector from uniform bytes, up to a statistical distance of 2^-106.
    ///
    /// Each coefficient is ⌊u·q / 2^128⌋ for 128 uniform bits `u`, within q / 2^128 of uniform. Rejection would be exact
    /// and read fewer bytes, but its time depends on the bytes; the receiver hashes the branch that it did not choose,
    /// and the sender, who can repeat that hash for both branches, could tell by the time which it was.
    pub(super) fn from_uniform(bytes: &[u8; SAMPLES]) -> Self {
        let (samples, _) = bytes.as_chunks::<SAMPLE>();
        Self(std::array::from_fn(|index| scale(u128::from_le_bytes(samples[index]))))
    }

    /// Decodes a vector from the peer.
    ///
    /// # Errors
    /// [`Malformed::OutOfRange`] for a coefficient that is not reduced.
    pub(super) fn decode(bytes: &[u8; ENCODED]) -> Result<Self, Malformed> {
        let vector = Self::unpack(bytes);
        if vector.0.iter().all(|value| *value < Q) {
            Ok(vector)
        } else {
            Err(Malformed::OutOfRange)
        }
    }

    /// Decodes 12 bits a coefficient, little-endian, from an encoding that is known to be of reduced coefficients.
    pub(super) fn unpack(bytes: &[u8; ENCODED]) -> Self {
        let (triples, _) = bytes.as_chunks::<3>();
        let mut vector = Self([0; LEN]);
        let (pairs, _) = vector.0.as_chunks_mut::<2>();
        for (pair, [a, b, c]) in pairs.iter_mut().zip(triples) {
            let [a, b, c] = [a, b, c].map(|byte| u16::from(*byte));
            *pair = [a | (b & 0x0f) << 8, b >> 4 | c << 4];
        }
        vector
    }

    /// Encodes 12 bits a coefficient, little-endian.
    pub(super) fn encode(&self) -> [u8; ENCODED] {
        let mut bytes = [0; ENCODED];
        let (triples, _) = bytes.as_chunks_mut::<3>();
        let (pairs, _) = self.0.as_chunks::<2>();
        for (triple, [x, y]) in triples.iter_mut().zip(pairs) {
            let [low, middle, high, _] = (u32::from(*x) | u32::from(*y) << 12).to_le_bytes();
            *triple = [low, middle, high];
        }
        bytes
    }

    /// The sum.
    pub(super) fn add(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|index| reduce(self.0[index] + other.0[index])))
    }

    /// The difference.
    pub(super) fn subtract(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|index| reduce(self.0[index] + Q - other.0[index])))
    }
}

impl Zeroize for Vector {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// A value below 2q modulo q, in constant time.
fn reduce(value: u16) -> u16 {
    let difference = value.wrapping_sub(Q);
    let borrowed = Choice::from((difference >> 15).to_le_bytes()[0]);
    u16::conditional_select(&difference, &value, borrowed)
}

/// ⌊u·q / 2^128⌋, in constant time.
fn scale(u: u128) -> u16 {
    let q = u128::from(Q);
    // Products of 64 and 12 bits; the result is below q.
    let low = (u & u128::from(u64::MAX)).wrapping_mul(q);
    let high = (u >> 64).wrapping_mul(q);
    ((high + (low >> 64)) >> 64) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_meets_every_interval_at_both_ends() {
        // 2^128 = q·m + r, so the first u with ⌊uq / 2^128⌋ = k is ⌈k·2^128 / q⌉ = k·m + ⌈k·r / q⌉.
        let q = u128::from(Q);
        let (m, r) = (u128::MAX / q, u128::MAX % q + 1);
        for k in 1..Q {
            let first = u128::from(k) * m + (u128::from(k) * r).div_ceil(q);
            assert_eq!((scale(first - 1), scale(first)), (k - 1, k));
        }
        assert_eq!((scale(0), scale(u128::MAX)), (0, Q - 1));
    }

    #[test]
    fn reduction_is_the_remainder() {
        assert!((0..2 * Q).all(|value| reduce(value) == value % Q));
    }

    fn ramp(step: u16) -> Vector {
        Vector(std::array::from_fn(|index| (index as u16 * step + 5) % Q))
    }

    #[test]
    fn sums_and_differences_are_those_of_integers() {
        let (a, b) = (ramp(7), ramp(61));
        let (sum, difference) = (a.add(&b), a.subtract(&b));
        for index in 0..LEN {
            let [x, y] = [&a, &b].map(|v| i32::from(v.0[index]));
            assert_eq!(i32::from(sum.0[index]), (x + y).rem_euclid(3329));
            assert_eq!(i32::from(difference.0[index]), (x - y).rem_euclid(3329));
        }
    }

    #[test]
    fn an_encoding_is_the_bits_of_the_coefficients_in_order() {
        let vector = ramp(61);
        let encoded = vector.encode();
        for (index, coefficient) in vector.0.iter().enumerate() {
            let bit = |at: usize| u16::from(encoded[at / 8] >> (at % 8) & 1);
            let value: u16 =
                (0..12).map(|bit_index| bit(12 * index + bit_index) << bit_index).sum();
            assert_eq!(value, *coefficient);
        }
        assert_eq!(Vector::decode(&encoded), Ok(vector));
    }

    #[test]
    fn coefficients_from_q_on_are_refused_wherever_they_stand() {
        for index in [0, 1, 2, LEN - 1] {
            for (value, refused) in [(Q - 1, false), (Q, true), (4095, true)] {
                let mut vector = Vector([0; LEN]);
                vector.0[index] = value;
                assert_eq!(Vector::decode(&vector.encode()).is_err(), refused);
            }
        }
    }
}
