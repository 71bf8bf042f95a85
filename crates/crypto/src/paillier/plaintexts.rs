//! Integers modulo N.

use crypto_bigint::{BoxedUint, Odd, RandomMod, Resize};
use rand_core::CryptoRng;
use veilset_simd::Kernel;
use veilset_simd::bignum::single::Montgomery;

use super::Integer;
use crate::Field;

/// The ring of plaintexts: integers modulo N, each below N and with as many words.
///
/// It is no field, but who finds a number that is neither 0 nor a unit has factored N: of uniform ones some 2^-1023 are
/// such for 2048 bits.
pub struct Plaintexts {
    n: Odd<BoxedUint>,
    modulus: Montgomery,
}

impl Plaintexts {
    pub(super) fn new(n: Odd<BoxedUint>) -> Self {
        let modulus = Montgomery::new(Kernel::best(), n.as_words());
        Self { n, modulus }
    }

    /// Bits of N.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.n.bits_precision()
    }

    /// The residue of a small number.
    #[must_use]
    pub fn element(&self, value: u64) -> Integer {
        BoxedUint::from(value).resize(self.bits())
    }

    /// A uniform number, by rejection; how often tells nothing about it.
    pub fn random(&self, rng: &mut dyn CryptoRng) -> Integer {
        BoxedUint::random_mod_vartime(rng, self.n.as_nz_ref())
    }

    /// a + b.
    #[must_use]
    pub fn add(&self, a: &Integer, b: &Integer) -> Integer {
        a.add_mod(b, self.n.as_nz_ref())
    }

    /// a − b.
    #[must_use]
    pub fn sub(&self, a: &Integer, b: &Integer) -> Integer {
        a.sub_mod(b, self.n.as_nz_ref())
    }

    /// a·b.
    #[must_use]
    pub fn mul(&self, a: &Integer, b: &Integer) -> Integer {
        let [a, b] = [a, b].map(|factor| self.modulus.residue(factor.as_words()));
        BoxedUint::from_words(self.modulus.integer(&self.modulus.multiply(&a, &b)))
    }

    /// −a.
    #[must_use]
    pub fn neg(&self, a: &Integer) -> Integer {
        a.neg_mod(self.n.as_nz_ref())
    }

    /// 1/a, or `None` for what is no unit. Takes a time that tells only which of both.
    #[must_use]
    pub fn inverse(&self, a: &Integer) -> Option<Integer> {
        a.invert_odd_mod(&self.n).into_option()
    }
}

/// It passes for a field.
impl Field for Plaintexts {
    type Element = Integer;

    fn zero(&self) -> Integer {
        self.element(0)
    }

    fn one(&self) -> Integer {
        self.element(1)
    }

    fn element(&self, value: u64) -> Integer {
        Self::element(self, value)
    }

    fn add(&self, a: &Integer, b: &Integer) -> Integer {
        Self::add(self, a, b)
    }

    fn sub(&self, a: &Integer, b: &Integer) -> Integer {
        Self::sub(self, a, b)
    }

    fn mul(&self, a: &Integer, b: &Integer) -> Integer {
        Self::mul(self, a, b)
    }

    fn neg(&self, a: &Integer) -> Integer {
        Self::neg(self, a)
    }

    fn inverse(&self, a: &Integer) -> Option<Integer> {
        Self::inverse(self, a)
    }

    /// There is −1. Other roots would take the factors of N.
    fn root_of_unity(&self, log_size: u32) -> Option<Integer> {
        match log_size {
            0 => Some(self.one()),
            1 => Some(Self::neg(self, &self.one())),
            _ => None,
        }
    }
}
