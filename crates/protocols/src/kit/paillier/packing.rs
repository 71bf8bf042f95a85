//! Short values under Paillier's encryption: residues modulo a small prime p, several side by side in a plaintext.
//!
//! A value is a sum over the integers of which only the residue modulo p is to be seen. The multiple of p in it would tell
//! more, so a random multiple of p is added that is longer by all values' number and 2^40: what is seen of all values is
//! within 2^-40 of what can be made from their residues.

use crypto_bigint::{BoxedUint, RandomBits, Resize, Uint};
use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_crypto::paillier::{Ciphertext, Integer, KeySize, PublicKey, SecretKey};
use veilset_crypto::{PrimeField, Residue};
use zeroize::Zeroizing;

/// The largest primes below some powers of 2: the exponent, and how far below. A test looks at each.
const FIELDS: [(u32, u64); 7] =
    [(48, 59), (60, 93), (72, 93), (84, 35), (96, 17), (108, 59), (120, 119)];

/// Statistical security.
const LAMBDA: u32 = 40;

/// How values lie in plaintexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slots {
    key: KeySize,
    /// Bits of p.
    pub(crate) bits: u32,
    /// 2^`bits` − p.
    below: u64,
    /// Bits of the factor of p that is added.
    mask: u32,
    /// Bits of a value with its mask.
    pub(crate) width: u32,
    /// Values in a plaintext.
    pub(crate) count: usize,
}

impl Slots {
    /// For a prime of `least` bits at least; each of at most `values` values is a sum of `products` products of two residues, and
    /// of two residues.
    pub(crate) fn new(key: KeySize, least: u32, products: usize, values: usize) -> Self {
        let longest = FIELDS[FIELDS.len() - 1];
        let (bits, below) = FIELDS.into_iter().find(|(bits, _)| *bits >= least).unwrap_or(longest);
        let mask = bits + log2_ceiling(products + 2) + LAMBDA + log2_ceiling(values);
        let width = bits + mask + 1;
        Self { key, bits, below, mask, width, count: ((key.bits() - 1) / width) as usize }
    }

    /// p.
    pub(crate) fn prime(&self) -> u128 {
        (1 << self.bits) - u128::from(self.below)
    }

    /// Integers modulo p.
    pub(crate) fn field(&self) -> PrimeField<2> {
        PrimeField::new(&Uint::from_u128(self.prime())).expect("a prime")
    }

    /// A uniform number from 1 to p − 1, by rejection; how often tells nothing about it.
    pub(crate) fn unit(&self, rng: &mut dyn CryptoRng) -> u128 {
        loop {
            let mut bytes = Zeroizing::new([0; 16]);
            rng.fill_bytes(&mut *bytes);
            let number = u128::from_le_bytes(*bytes) & ((1 << self.bits) - 1);
            if (1..self.prime()).contains(&number) {
                return number;
            }
        }
    }

    /// How often p is to be added to a value.
    pub(crate) fn times(&self, rng: &mut dyn CryptoRng) -> Zeroizing<Integer> {
        Zeroizing::new(BoxedUint::random_bits(rng, self.mask))
    }

    /// `times`·p and residues.
    pub(crate) fn masked(&self, times: &Integer, residues: &[u128]) -> Zeroizing<Integer> {
        let times = Zeroizing::new(times.resize(self.width));
        let mut sum = Zeroizing::new(times.wrapping_mul(BoxedUint::from(self.prime())));
        residues.iter().for_each(|residue| sum.wrapping_add_assign(BoxedUint::from(*residue)));
        sum
    }

    /// Values in plaintexts, as many as fit each.
    pub(crate) fn pack(&self, key: &PublicKey, values: &[Ciphertext]) -> Vec<Ciphertext> {
        values.par_chunks(self.count).map(|values| key.pack(values, self.width)).collect()
    }

    /// The same of numbers: Σ 2^(width·i)·`plain[i]`.
    pub(crate) fn pack_plain(&self, plain: &[Zeroizing<Integer>]) -> Zeroizing<Vec<Integer>> {
        let packed = plain.chunks(self.count).map(|plain| {
            let whole = Zeroizing::new(BoxedUint::zero_with_precision(self.key.bits()));
            let whole = plain.iter().rev().fold(whole, |whole, plain| {
                let shifted = whole.shl_vartime(self.width).expect("room for the slots");
                let mut shifted = Zeroizing::new(shifted);
                shifted.wrapping_add_assign(&**plain);
                shifted
            });
            Integer::clone(&whole)
        });
        Zeroizing::new(packed.collect())
    }

    /// The residues of the first `count` values in these plaintexts.
    pub(crate) fn opened(
        &self,
        key: &SecretKey,
        packed: &[Ciphertext],
        count: usize,
    ) -> Zeroizing<Vec<u128>> {
        let plain = key.decrypt(packed);
        let modulus = BoxedUint::from(self.prime()).into_nz().expect("a prime");
        let values = plain.par_iter().flat_map_iter(|plain| {
            (0..self.count as u32).map(|slot| {
                let shifted =
                    plain.shr_vartime(slot * self.width).expect("a slot of the plaintext");
                let top = self.key.bits() - self.width;
                let value = shifted.shl_vartime(top).and_then(|value| value.shr_vartime(top));
                let rest = value.expect("less than the plaintext has").rem(&modulus);
                let words = rest.as_words();
                u128::from(words[0]) | u128::from(words[1]) << 64
            })
        });
        let mut values = Zeroizing::new(values.collect::<Vec<_>>());
        values.truncate(count);
        values
    }
}

/// An element's root: a number below 2^128, of which the field takes the residue.
pub(crate) fn scalar(wide: &[u8; 64]) -> u128 {
    u128::from_le_bytes(std::array::from_fn(|at| wide[at]))
}

/// A number modulo p.
pub(crate) fn residue(field: &PrimeField<2>, number: u128) -> Residue<2> {
    field.residue(&number.into())
}

/// The number below p.
pub(crate) fn number(field: &PrimeField<2>, residue: &Residue<2>) -> u128 {
    let integer = field.integer(residue);
    let [low, high] = *integer.as_words();
    u128::from(low) | u128::from(high) << 64
}

fn log2_ceiling(count: usize) -> u32 {
    count.max(1).next_power_of_two().ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_primes_and_values_have_room() {
        for (least, products, values) in
            [(0, 1, 1), (55, 1, 2500), (84, 300, 1 << 20), (96, 1, 1 << 22)]
        {
            for key in [KeySize::insecure(256), KeySize::B2048] {
                let slots = Slots::new(key, least, products, values);
                let (factors, ones) = (products as f64, f64::from(slots.bits));
                // The longest sum and the longest multiple of p, in bits.
                let longest = (factors + 2.0).log2() + 2.0 * ones;
                let all = (longest.exp2() + (f64::from(slots.mask) + ones).exp2()).log2();
                assert!(all <= f64::from(slots.width), "{slots:?}");
                assert!(slots.count as u32 * slots.width < key.bits(), "{slots:?}");
                let hidden = f64::from(slots.mask) - ones - (factors + 2.0).log2();
                assert!(hidden >= 40.0 + (values as f64).log2() - 1e-9, "{slots:?}");
                assert!(slots.bits >= least, "{slots:?}");
            }
        }
    }

    #[test]
    fn moduli_are_prime() {
        for (bits, below) in FIELDS {
            let p = (1u128 << bits) - u128::from(below);
            // Fermat's test to some bases, and no small divisor.
            assert!((3u128..1000).step_by(2).all(|divisor| !p.is_multiple_of(divisor)), "{bits}");
            let field = PrimeField::<2>::new(&p.into()).expect("odd");
            let power = |base| {
                (0..bits).rev().fold(field.element(1), |power, bit| {
                    let square = field.mul(&power, &power);
                    if (p - 1) >> bit & 1 == 1 {
                        field.mul(&square, &field.element(base))
                    } else {
                        square
                    }
                })
            };
            assert!([2, 3, 5, 7, 11, 13].into_iter().all(|base| power(base) == field.element(1)));
        }
    }
}
