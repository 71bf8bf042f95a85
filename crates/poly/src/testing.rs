//! Fields, elements and slow twins for the tests.

use chacha20::ChaCha20Rng;
use crypto_bigint::Uint;
use curve25519_dalek::{RistrettoPoint, Scalar as RistrettoScalar};
use rand_core::{Rng, SeedableRng};

use crate::{Module, Multiplication, PolyError};
use veilset_crypto::{Field, PrimeField, RistrettoScalars};

/// 2^64 − 2^32 + 1: the modulus is found at run time, transforms have up to 2^32 coefficients, and tests are fast.
pub(crate) fn goldilocks() -> PrimeField<{ Uint::<1>::LIMBS }> {
    PrimeField::new(&Uint::from(0xffff_ffff_0000_0001u64)).expect("a prime")
}

/// Every way to multiply, with several cutoffs.
pub(crate) const ALL: [Multiplication; 11] = [
    Multiplication::Schoolbook,
    Multiplication::Karatsuba { cutoff: 0 },
    Multiplication::Karatsuba { cutoff: 1 },
    Multiplication::Karatsuba { cutoff: 5 },
    Multiplication::Toom3 { cutoff: 1 },
    Multiplication::Toom3 { cutoff: 2 },
    Multiplication::Toom3 { cutoff: 7 },
    Multiplication::Toom4 { cutoff: 1 },
    Multiplication::Toom4 { cutoff: 4 },
    Multiplication::Ntt { cutoff: 1 },
    TRANSFORMS,
];

/// Transforms wherever they take fewer products than each by each.
pub(crate) const TRANSFORMS: Multiplication = Multiplication::Ntt { cutoff: usize::MAX };

pub(crate) fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// Random elements of 256 bits, reduced.
pub(crate) fn random<F: Field>(field: &F, rng: &mut ChaCha20Rng, count: usize) -> Vec<F::Element> {
    let word = field.mul(&field.element(1 << 32), &field.element(1 << 32));
    let element = |rng: &mut ChaCha20Rng| {
        (0..4).fold(field.zero(), |sum, _| {
            field.add(&field.mul(&sum, &word), &field.element(rng.next_u64()))
        })
    };
    (0..count).map(|_| element(rng)).collect()
}

/// The product by its definition.
pub(crate) fn product<F: Field>(field: &F, a: &[F::Element], b: &[F::Element]) -> Vec<F::Element> {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let mut product = vec![field.zero(); a.len() + b.len() - 1];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            product[i + j] = field.add(&product[i + j], &field.mul(a, b));
        }
    }
    product
}

/// The transposed product by its definition.
pub(crate) fn transposed<F: Field>(
    field: &F,
    a: &[F::Element],
    c: &[F::Element],
) -> Vec<F::Element> {
    if a.is_empty() {
        return Vec::new();
    }
    let sum = |window: &[F::Element]| {
        window.iter().zip(a).fold(field.zero(), |sum, (c, a)| field.add(&sum, &field.mul(a, c)))
    };
    c.windows(a.len()).map(sum).collect()
}

/// f(x), power by power.
pub(crate) fn value<F: Field>(field: &F, poly: &[F::Element], x: &F::Element) -> F::Element {
    let mut power = field.one();
    let mut sum = field.zero();
    for coefficient in poly {
        sum = field.add(&sum, &field.mul(coefficient, &power));
        power = field.mul(&power, x);
    }
    sum
}

pub(crate) fn no_root(log_size: u32) -> PolyError {
    PolyError::NoRootOfUnity { log_size }
}

/// ristretto255 as a module.
pub(crate) struct Ristretto(pub(crate) RistrettoScalars);

impl Module for Ristretto {
    type Field = RistrettoScalars;
    type Element = RistrettoPoint;

    fn field(&self) -> &RistrettoScalars {
        &self.0
    }

    fn zero(&self) -> RistrettoPoint {
        RistrettoPoint::default()
    }

    fn add(&self, into: &mut [RistrettoPoint], other: &[RistrettoPoint]) {
        into.iter_mut().zip(other).for_each(|(a, b)| *a += b);
    }

    fn sub(&self, from: &mut [RistrettoPoint], other: &[RistrettoPoint]) {
        from.iter_mut().zip(other).for_each(|(a, b)| *a -= b);
    }

    fn negate(&self, elements: &mut [RistrettoPoint]) {
        elements.iter_mut().for_each(|a| *a = -*a);
    }

    fn scale(&self, scalars: &[RistrettoScalar], elements: &mut [RistrettoPoint]) {
        elements.iter_mut().zip(scalars).for_each(|(a, b)| *a *= b);
    }
}

pub(crate) fn in_the_exponent(scalars: &[RistrettoScalar]) -> Vec<RistrettoPoint> {
    scalars.iter().map(RistrettoPoint::mul_base).collect()
}
