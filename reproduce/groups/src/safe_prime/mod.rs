//! Quadratic residues modulo a safe prime, the groups of Kim and Kim, "An experimental study of encrypted polynomial
//! arithmetics for private set operations", section II-A.

#[cfg(test)]
mod tests;
mod window;

use crypto_bigint::{Odd, Uint};
use rand_core::CryptoRng;
use rayon::prelude::*;
use zeroize::{Zeroize, Zeroizing};

use veilset_crypto::tasks::{VALUES_A_TASK, pairs, refusing_tasks};
use veilset_crypto::{
    NotAnElement, PrimeField, PrimeGroup, Residue, SafePrimeError, check_safe_prime,
    generate_safe_prime,
};
use window::product_of_powers;

pub use window::SafePrimeBase;

/// The quadratic residues modulo a prime p = 2q + 1 of at most 64·`LIMBS` bits, where q is prime and their number.
///
/// **Insecure with the 16 limbs of the paper**: discrete logarithms modulo primes of 1024 bits are within reach of large
/// organisations. It is here to measure what the paper measured; [`Ristretto255`](veilset_crypto::Ristretto255) and
/// [`Pallas`](crate::Pallas) are smaller, faster and secure.
///
/// Encodings have 8·`LIMBS` bytes, most significant first. The generator is 4. The paper's g, no square itself, generates
/// all residues and tells by its powers' Legendre symbols whether exponents are even.
pub struct SafePrimeGroup<const LIMBS: usize> {
    residues: PrimeField<LIMBS>,
    exponents: PrimeField<LIMBS>,
    generator: SafePrimeBase<LIMBS>,
}

/// A quadratic residue.
#[derive(Clone, Copy)]
pub struct Square<const LIMBS: usize>(Residue<LIMBS>);

/// Which primes are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// Any safe prime.
    General,
    /// q = v·2^`log_size` + 1, so that exponents have number-theoretic transforms of 2^`log_size` coefficients.
    Special {
        /// The transforms' logarithmic size; at most a quarter of the bits.
        log_size: u32,
    },
}

impl<const LIMBS: usize> SafePrimeGroup<LIMBS> {
    /// The group modulo p. An unsuitable p passes with probability at most 2^-128, whoever chose it.
    ///
    /// # Errors
    /// When p is not a safe prime, or smaller than 11.
    pub fn new(p: &Uint<LIMBS>, rng: &mut dyn CryptoRng) -> Result<Self, SafePrimeError> {
        let q = check_safe_prime(p, rng)?;
        Self::with_primes(&q, p)
    }

    /// A group whose p has exactly 64·`LIMBS` bits, as [`SafePrime::generate`](veilset_crypto::SafePrime::generate) finds them.
    ///
    /// # Errors
    /// When so large a power of 2 is asked for that few primes are left.
    pub fn generate(setting: Setting, rng: &mut dyn CryptoRng) -> Result<Self, SafePrimeError> {
        let log_size = match setting {
            // Every odd q is v·2 + 1.
            Setting::General => 1,
            Setting::Special { log_size } => log_size,
        };
        let (q, p) = generate_safe_prime(log_size, rng)?;
        Self::with_primes(&q, &p)
    }

    fn with_primes(q: &Uint<LIMBS>, p: &Uint<LIMBS>) -> Result<Self, SafePrimeError> {
        let (residues, exponents) = (PrimeField::new(p)?, PrimeField::new(q)?);
        let generator = SafePrimeBase::new(&residues, &residues.element(4));
        Ok(Self { residues, exponents, generator })
    }

    /// p.
    #[must_use]
    pub fn modulus(&self) -> &Uint<LIMBS> {
        self.residues.modulus()
    }

    fn integers(&self, scalars: &[Residue<LIMBS>]) -> Zeroizing<Vec<Uint<LIMBS>>> {
        Zeroizing::new(scalars.iter().map(|scalar| self.exponents.integer(scalar)).collect())
    }

    /// Replaces each element by its inverse, with one inversion for all (Montgomery's trick).
    fn invert(&self, elements: &mut [Square<LIMBS>]) {
        let mut product = self.residues.one();
        let mut before = Zeroizing::new(Vec::with_capacity(elements.len()));
        for element in &*elements {
            before.push(product);
            product = self.residues.mul(&product, &element.0);
        }
        let mut inverse = self.residues.inverse(&product).expect("a product of units");
        for (element, before) in elements.iter_mut().zip(before.iter()).rev() {
            let next = self.residues.mul(&inverse, &element.0);
            element.0 = self.residues.mul(&inverse, before);
            inverse = next;
        }
    }

    fn multiply_base_of(
        &self,
        base: &SafePrimeBase<LIMBS>,
        scalars: &[Residue<LIMBS>],
    ) -> Vec<Square<LIMBS>> {
        let power = |scalar: &Residue<LIMBS>| {
            let exponent = Zeroizing::new(self.exponents.integer(scalar));
            Square(base.power(&self.residues, &exponent))
        };
        scalars.par_iter().map(power).collect()
    }

    /// The square that these bytes stand for, if they do.
    fn square(&self, encoded: &[u8]) -> Option<Square<LIMBS>> {
        let integer = Uint::from_be_slice(encoded);
        let p = &Odd::new(*self.modulus()).into_option()?;
        let is_square = integer < **p && integer.jacobi_symbol_vartime(p).is_one().to_bool();
        is_square.then(|| Square(self.residues.residue(&integer)))
    }
}

impl<const LIMBS: usize> Zeroize for Square<LIMBS> {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// The operation is multiplication modulo p; scalars are integers modulo q.
impl<const LIMBS: usize> PrimeGroup for SafePrimeGroup<LIMBS> {
    type Scalar = Residue<LIMBS>;
    type Field = PrimeField<LIMBS>;
    type Element = Square<LIMBS>;
    type Base = SafePrimeBase<LIMBS>;

    fn field(&self) -> &PrimeField<LIMBS> {
        &self.exponents
    }

    fn encoded_len(&self) -> usize {
        8 * LIMBS
    }

    fn scalar(&self, bytes: &[u8; 64]) -> Residue<LIMBS> {
        let field = &self.exponents;
        let base = field.element(256);
        bytes.iter().rev().fold(field.element(0), |sum, byte| {
            field.add(&field.mul(&sum, &base), &field.element(u64::from(*byte)))
        })
    }

    fn random(&self, rng: &mut dyn CryptoRng) -> Residue<LIMBS> {
        self.exponents.random(rng)
    }

    fn identity(&self) -> Square<LIMBS> {
        Square(self.residues.one())
    }

    fn generator(&self) -> Square<LIMBS> {
        Square(self.residues.element(4))
    }

    fn add(&self, sums: &mut [Square<LIMBS>], elements: &[Square<LIMBS>]) {
        pairs::<VALUES_A_TASK, _, _>(sums, elements, |sum, element| {
            sum.0 = self.residues.mul(&sum.0, &element.0);
        });
    }

    fn subtract(&self, differences: &mut [Square<LIMBS>], elements: &[Square<LIMBS>]) {
        let mut inverses = Zeroizing::new(elements.to_vec());
        self.negate(&mut inverses);
        self.add(differences, &inverses);
    }

    fn negate(&self, elements: &mut [Square<LIMBS>]) {
        elements.par_chunks_mut(VALUES_A_TASK).for_each(|elements| self.invert(elements));
    }

    fn double(&self, elements: &mut [Square<LIMBS>]) {
        elements
            .par_iter_mut()
            .with_min_len(VALUES_A_TASK)
            .for_each(|element| element.0 = self.residues.square(&element.0));
    }

    fn multiply(&self, scalars: &[Residue<LIMBS>], elements: &mut [Square<LIMBS>]) {
        pairs::<1, _, _>(elements, scalars, |element, scalar| {
            let exponent = Zeroizing::new(self.exponents.integer(scalar));
            element.0 = self.residues.power(&element.0, &exponent);
        });
    }

    fn multiply_all(&self, scalar: &Residue<LIMBS>, elements: &mut [Square<LIMBS>]) {
        let exponent = Zeroizing::new(self.exponents.integer(scalar));
        let power = |element: &mut Square<LIMBS>| {
            element.0 = self.residues.power(&element.0, &exponent);
        };
        elements.par_iter_mut().for_each(power);
    }

    fn sums_of_products(
        &self,
        scalars: &[Residue<LIMBS>],
        elements: &[Square<LIMBS>],
        terms: usize,
    ) -> Vec<Square<LIMBS>> {
        assert_eq!(scalars.len(), elements.len(), "each element has its scalar");
        let sums = scalars.par_chunks(terms).zip(elements.par_chunks(terms));
        let sum = |(scalars, elements): (&[_], &[Square<LIMBS>])| {
            let residues = elements.iter().map(|element| element.0);
            Square(product_of_powers(&self.residues, &self.integers(scalars), residues))
        };
        sums.map(sum).collect()
    }

    fn base(&self, element: &Square<LIMBS>) -> SafePrimeBase<LIMBS> {
        SafePrimeBase::new(&self.residues, &element.0)
    }

    fn multiply_base(
        &self,
        base: &SafePrimeBase<LIMBS>,
        scalars: &[Residue<LIMBS>],
    ) -> Vec<Square<LIMBS>> {
        self.multiply_base_of(base, scalars)
    }

    fn multiply_generator(&self, scalars: &[Residue<LIMBS>]) -> Vec<Square<LIMBS>> {
        self.multiply_base_of(&self.generator, scalars)
    }

    fn are_identity(&self, elements: &[Square<LIMBS>]) -> Vec<bool> {
        elements.iter().map(|element| element.0 == self.residues.one()).collect()
    }

    fn encode(&self, elements: &[Square<LIMBS>], out: &mut Vec<u8>) {
        for element in elements {
            out.extend_from_slice(self.residues.integer(&element.0).to_be_bytes().as_ref());
        }
    }

    fn decode(&self, encoded: &[u8]) -> Result<Vec<Square<LIMBS>>, NotAnElement> {
        let encodings = encoded.chunks_exact(self.encoded_len());
        assert!(encodings.remainder().is_empty(), "whole encodings");
        let encodings: Vec<_> = encodings.collect();
        let decode = |encodings: &[&[u8]], squares: &mut [Square<LIMBS>]| {
            for (index, (encoding, square)) in encodings.iter().zip(squares).enumerate() {
                *square = self.square(encoding).ok_or(index)?;
            }
            Ok(())
        };
        refusing_tasks::<VALUES_A_TASK, _, _>(&encodings, self.identity(), decode)
    }

    fn scalar_len(&self) -> usize {
        8 * LIMBS
    }

    fn encode_scalars(&self, scalars: &[Residue<LIMBS>], out: &mut Vec<u8>) {
        for integer in &*self.integers(scalars) {
            out.extend_from_slice(integer.to_be_bytes().as_ref());
        }
    }

    fn decode_scalars(&self, encoded: &[u8]) -> Option<Vec<Residue<LIMBS>>> {
        let encodings = encoded.chunks_exact(self.scalar_len());
        assert!(encodings.remainder().is_empty(), "whole encodings");
        let integers = encodings.map(Uint::from_be_slice);
        let below = |integer: &Uint<LIMBS>| integer < self.exponents.modulus();
        let scalar = |integer| below(&integer).then(|| self.exponents.residue(&integer));
        integers.map(scalar).collect()
    }
}
