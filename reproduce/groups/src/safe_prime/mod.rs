//! The groups of Kim and Kim, "An experimental study of encrypted polynomial arithmetics for private set operations", section
//! II-A, in lanes.

mod invert;
mod rows;
#[cfg(test)]
mod tests;

use crypto_bigint::{CtLt, CtSelect, Odd, Uint};
use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_crypto::tasks::{VALUES_A_TASK, refusing_tasks};
use veilset_crypto::{
    NotAnElement, PrimeField, PrimeGroup, Residue, Row, SafePrimeError, check_safe_prime,
    generate_safe_prime,
};
use veilset_simd::Kernel;
use veilset_simd::bignum::batch::{self, Modulus, PowerBase, Residues};
use zeroize::{Zeroize, Zeroizing};

/// The residues modulo a prime p = 2q + 1 of at most 1024 bits up to the sign, where q is prime and their number.
///
/// **Insecure**: discrete logarithms modulo primes of that length are within reach of large organisations. It is here to measure what the paper measured; [`Ristretto255`](veilset_crypto::Ristretto255) and
/// [`Pallas`](crate::Pallas) are smaller, faster and secure.
///
/// The paper has the squares. Of x and −x one is a square, since −1 is none; so the groups are isomorphic, and whether a number
/// is an element is a comparison, not a symbol that takes as long as a power. Encodings have 128 bytes, most
/// significant first, of the lesser of x and p − x. The generator is 4. The paper's g, no square itself, generates all residues and
/// tells by its powers' Legendre symbols whether exponents are even.
pub struct SafePrimeGroup {
    p: Odd<Uint<WORDS>>,
    residues: Residues,
    exponents: PrimeField<WORDS>,
    /// The same in lanes.
    powers: Residues,
    generator: Base,
}

/// Words of p.
const WORDS: usize = 16;

/// The kernels' limbs of p.
const LIMBS: usize = 20;

/// Scalars from which rows are what to take.
const LEAST_ROW: usize = 6;

/// Powers of an element.
type Base = PowerBase<LIMBS, { 8 * WORDS }>;

/// A residue up to the sign.
#[derive(Clone, Copy)]
pub struct Unsigned(batch::Residue<LIMBS>);

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

impl SafePrimeGroup {
    /// The group modulo p. An unsuitable p passes with probability at most 2^-128, whoever chose it.
    ///
    /// # Errors
    /// When p is not a safe prime, or smaller than 11.
    pub fn new(p: &Uint<WORDS>, rng: &mut dyn CryptoRng) -> Result<Self, SafePrimeError> {
        let q = check_safe_prime(p, rng)?;
        Self::with_primes(&q, p, Kernel::best())
    }

    /// A group whose p has exactly 1024 bits, as [`SafePrime::generate`](veilset_crypto::SafePrime::generate) finds them.
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
        Self::with_primes(&q, &p, Kernel::best())
    }

    fn with_primes(
        q: &Uint<WORDS>,
        p: &Uint<WORDS>,
        kernel: Kernel,
    ) -> Result<Self, SafePrimeError> {
        let exponents = PrimeField::new(q)?;
        let p = Odd::new(*p).into_option().ok_or(SafePrimeError::NotSafePrime)?;
        let modulo = |n: &Uint<WORDS>| {
            let modulus = Modulus::new(n.as_words()).ok_or(SafePrimeError::NotSafePrime)?;
            Ok::<_, SafePrimeError>(Residues::new(kernel, modulus))
        };
        let (residues, powers) = (modulo(&p)?, modulo(q)?);
        let generator = base(&residues, Uint::from(4u8).as_words());
        Ok(Self { p, residues, exponents, powers, generator })
    }

    /// p.
    #[must_use]
    pub fn modulus(&self) -> &Uint<WORDS> {
        &self.p
    }

    fn integers(&self, scalars: &[Residue<WORDS>]) -> Zeroizing<Vec<[u64; WORDS]>> {
        let words = |scalar| self.exponents.integer(scalar).to_words();
        Zeroizing::new(scalars.iter().map(words).collect())
    }

    /// The numbers of elements, below p.
    fn numbers(&self, elements: &[Unsigned]) -> Zeroizing<Vec<[u64; WORDS]>> {
        Zeroizing::new(self.residues.leave(&bare(elements)))
    }

    /// The lesser of x and p − x, in a time that tells neither.
    fn lesser(&self, number: &[u64; WORDS]) -> Uint<WORDS> {
        let number = Uint::from_words(*number);
        let opposite = self.p.wrapping_sub(&number);
        number.ct_select(&opposite, opposite.ct_lt(&number))
    }

    fn multiply_base_of(&self, base: &Base, scalars: &[Residue<WORDS>]) -> Vec<Unsigned> {
        let mut powers = vec![self.residues.one(); scalars.len()];
        let tasks = scalars.par_chunks(VALUES_A_TASK).zip(powers.par_chunks_mut(VALUES_A_TASK));
        tasks.for_each(|(scalars, powers)| {
            let integers = self.integers(scalars);
            let mut bytes = Zeroizing::new(vec![[0; 8 * WORDS]; scalars.len()]);
            for (bytes, integer) in bytes.iter_mut().zip(integers.iter()) {
                let words = bytes.as_chunks_mut().0.iter_mut().zip(integer);
                words.for_each(|(bytes, word)| *bytes = word.to_le_bytes());
            }
            base.residues(self.residues.modulus(), &bytes, powers);
        });
        powers.into_iter().map(Unsigned).collect()
    }
}

fn base(residues: &Residues, number: &[u64; WORDS]) -> Base {
    Base::new(residues.kernel(), residues.modulus(), number)
}

/// Without their type.
fn bare(elements: &[Unsigned]) -> Zeroizing<Vec<batch::Residue<LIMBS>>> {
    Zeroizing::new(elements.iter().map(|element| element.0).collect())
}

/// Does `task` with the residues of elements and what belongs to each, in tasks of some.
fn change<T: Sync>(
    elements: &mut [Unsigned],
    others: &[T],
    task: impl Fn(&mut [batch::Residue<LIMBS>], &[T]) + Sync,
) {
    assert_eq!(elements.len(), others.len(), "each element has its counterpart");
    let tasks = elements.par_chunks_mut(VALUES_A_TASK).zip(others.par_chunks(VALUES_A_TASK));
    tasks.for_each(|(elements, others)| {
        let mut residues = bare(elements);
        task(&mut residues, others);
        elements.iter_mut().zip(residues.iter()).for_each(|(element, new)| element.0 = *new);
    });
}

impl Zeroize for Unsigned {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// The operation is multiplication modulo p; scalars are integers modulo q.
impl PrimeGroup for SafePrimeGroup {
    type Scalar = Residue<WORDS>;
    type Field = PrimeField<WORDS>;
    type Element = Unsigned;
    type Base = Base;

    fn field(&self) -> &PrimeField<WORDS> {
        &self.exponents
    }

    fn encoded_len(&self) -> usize {
        8 * WORDS
    }

    fn scalar(&self, bytes: &[u8; 64]) -> Residue<WORDS> {
        let field = &self.exponents;
        let base = field.element(256);
        bytes.iter().rev().fold(field.element(0), |sum, byte| {
            field.add(&field.mul(&sum, &base), &field.element(u64::from(*byte)))
        })
    }

    fn random(&self, rng: &mut dyn CryptoRng) -> Residue<WORDS> {
        self.exponents.random(rng)
    }

    fn identity(&self) -> Unsigned {
        Unsigned(self.residues.one())
    }

    fn generator(&self) -> Unsigned {
        Unsigned(self.residues.enter(&[Uint::from(4u8).to_words()])[0])
    }

    fn add(&self, sums: &mut [Unsigned], elements: &[Unsigned]) {
        change(sums, elements, |sums, elements| self.residues.multiply(sums, &bare(elements)));
    }

    fn subtract(&self, differences: &mut [Unsigned], elements: &[Unsigned]) {
        let mut inverses = Zeroizing::new(elements.to_vec());
        self.negate(&mut inverses);
        self.add(differences, &inverses);
    }

    fn negate(&self, elements: &mut [Unsigned]) {
        elements.par_chunks_mut(invert::AT_ONCE).for_each(|elements| self.invert(elements));
    }

    fn double(&self, elements: &mut [Unsigned]) {
        let same = vec![(); elements.len()];
        change(elements, &same, |elements, _| self.residues.square(elements));
    }

    fn multiply(&self, scalars: &[Residue<WORDS>], elements: &mut [Unsigned]) {
        change(elements, scalars, |elements, scalars| {
            self.residues.powers(&self.integers(scalars), elements);
        });
    }

    fn multiply_all(&self, scalar: &Residue<WORDS>, elements: &mut [Unsigned]) {
        self.multiply(&Zeroizing::new(vec![*scalar; elements.len()]), elements);
    }

    fn sums_of_products(
        &self,
        scalars: &[Residue<WORDS>],
        elements: &[Unsigned],
        terms: usize,
    ) -> Vec<Unsigned> {
        assert_eq!(scalars.len(), elements.len(), "each element has its scalar");
        // A group of lanes at least, for each lane makes a sum.
        let task = terms * VALUES_A_TASK.div_ceil(terms).next_multiple_of(8);
        let sums = scalars.par_chunks(task).zip(elements.par_chunks(task)).flat_map_iter(
            |(scalars, elements)| {
                let (exponents, residues) = (self.integers(scalars), bare(elements));
                self.residues.products_of_powers(&exponents, &residues, terms)
            },
        );
        sums.map(Unsigned).collect()
    }

    /// With 6 of the 8 lanes filled a row is as fast as powers of their own would be.
    fn least_row(&self) -> Option<usize> {
        Some(LEAST_ROW)
    }

    fn sums_of_rows(
        &self,
        scalars: &[Residue<WORDS>],
        elements: &[Unsigned],
        rows: &[Row],
        count: usize,
    ) -> Vec<Unsigned> {
        self.rows(scalars, elements, rows, count)
    }

    /// The points' powers are computed in lanes, too.
    fn values(&self, elements: &[Unsigned], points: &[Residue<WORDS>]) -> Option<Vec<Unsigned>> {
        let (first, others) = elements.split_first()?;
        let count = points.len();
        if count < LEAST_ROW {
            return None;
        }
        let points = Zeroizing::new(self.powers.enter(&self.integers(points)));
        let mut powers = points.clone();
        let mut exponents = Zeroizing::new(Vec::with_capacity(count * others.len()));
        for _ in others {
            exponents.extend(Zeroizing::new(self.powers.leave(&powers)).iter());
            self.powers.multiply(&mut powers, &points);
        }
        let row = |base| batch::Row { base, from: base * count, count, to: 0 };
        let rows: Vec<_> = (0..others.len()).map(row).collect();
        let mut values = self.residues.rows(&exponents, &bare(others), &rows, count);
        self.residues.multiply(&mut values, &vec![first.0; count]);
        Some(values.into_iter().map(Unsigned).collect())
    }

    fn base(&self, element: &Unsigned) -> Base {
        base(&self.residues, &self.numbers(std::slice::from_ref(element))[0])
    }

    fn multiply_base(&self, base: &Base, scalars: &[Residue<WORDS>]) -> Vec<Unsigned> {
        self.multiply_base_of(base, scalars)
    }

    fn multiply_generator(&self, scalars: &[Residue<WORDS>]) -> Vec<Unsigned> {
        self.multiply_base_of(&self.generator, scalars)
    }

    fn are_identity(&self, elements: &[Unsigned]) -> Vec<bool> {
        let numbers = self.numbers(elements);
        let lesser = |number| self.lesser(number) == Uint::ONE;
        numbers.iter().map(lesser).collect()
    }

    fn encode(&self, elements: &[Unsigned], out: &mut Vec<u8>) {
        for number in self.numbers(elements).iter() {
            out.extend_from_slice(self.lesser(number).to_be_bytes().as_ref());
        }
    }

    fn decode(&self, encoded: &[u8]) -> Result<Vec<Unsigned>, NotAnElement> {
        let encodings = encoded.chunks_exact(self.encoded_len());
        assert!(encodings.remainder().is_empty(), "whole encodings");
        let numbers: Vec<_> = encodings.map(Uint::from_be_slice).collect();
        let most = self.p.shr_vartime(1);
        let decode = |numbers: &[Uint<WORDS>], elements: &mut [Unsigned]| {
            let outside = |number: &Uint<WORDS>| *number == Uint::ZERO || *number > most;
            if let Some(refused) = numbers.iter().position(outside) {
                return Err(refused);
            }
            let words: Vec<_> = numbers.iter().map(|number| number.to_words()).collect();
            let entered = self.residues.enter(&words);
            elements.iter_mut().zip(entered).for_each(|(element, new)| element.0 = new);
            Ok(())
        };
        refusing_tasks::<VALUES_A_TASK, _, _>(&numbers, self.identity(), decode)
    }

    fn scalar_len(&self) -> usize {
        8 * WORDS
    }

    fn encode_scalars(&self, scalars: &[Residue<WORDS>], out: &mut Vec<u8>) {
        for integer in &*self.integers(scalars) {
            out.extend_from_slice(Uint::from_words(*integer).to_be_bytes().as_ref());
        }
    }

    fn decode_scalars(&self, encoded: &[u8]) -> Option<Vec<Residue<WORDS>>> {
        let encodings = encoded.chunks_exact(self.scalar_len());
        assert!(encodings.remainder().is_empty(), "whole encodings");
        let integers = encodings.map(Uint::from_be_slice);
        let below = |integer: &Uint<WORDS>| integer < self.exponents.modulus();
        let scalar = |integer| below(&integer).then(|| self.exponents.residue(&integer));
        integers.map(scalar).collect()
    }
}
