//! Residues in the form that multiplication needs, from one operation to the next.

use zeroize::{Zeroize, Zeroizing};

use super::lanes::{self, Element, Factor, Lanes};
use super::power::store;
use super::{Modulus, Work, on_lanes};
use crate::Kernel;
use crate::vector::MOST_LANES;

/// A residue, in the form of the kernel and modulus that it was made with: times R, and with AVX-512 IFMA below 4p.
#[derive(Clone, Copy)]
pub struct Residue<const LIMBS: usize>([u64; LIMBS]);

impl<const LIMBS: usize> Zeroize for Residue<LIMBS> {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// Words of the moduli of [`Residues`].
const WORDS: usize = 16;

/// Limbs of 52 bits of these.
const LIMBS: usize = 20;

/// Arithmetic on residues modulo p of at most 1024 bits, many at once. Two slices of one call have the same length; a function panics otherwise.
pub struct Residues {
    kernel: Kernel,
    modulus: Modulus<WORDS, LIMBS>,
    one: Residue<LIMBS>,
}

/// Powers of one residue with exponents that stand side by side, which go to products that do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The place of the residue.
    pub base: usize,
    /// The place of the first exponent.
    pub from: usize,
    /// How many there are.
    pub count: usize,
    /// The place of the first product.
    pub to: usize,
}

impl Residues {
    /// Those modulo `modulus`.
    #[must_use]
    pub fn new(kernel: Kernel, modulus: Modulus<WORDS, LIMBS>) -> Self {
        let mut residues = Self { kernel, modulus, one: Residue([0; LIMBS]) };
        let mut one = [0; WORDS];
        one[0] = 1;
        residues.one = residues.enter(&[one])[0];
        residues
    }

    /// The modulus.
    #[must_use]
    pub fn modulus(&self) -> &Modulus<WORDS, LIMBS> {
        &self.modulus
    }

    /// The kernel that computes.
    #[must_use]
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// 1.
    #[must_use]
    pub fn one(&self) -> Residue<LIMBS> {
        self.one
    }

    /// The residues of numbers, which need not be below p.
    #[must_use]
    pub fn enter(&self, numbers: &[[u64; WORDS]]) -> Vec<Residue<LIMBS>> {
        let mut residues = vec![Residue([0; LIMBS]); numbers.len()];
        on_lanes(self.kernel, Enter { modulus: &self.modulus, numbers, residues: &mut residues });
        residues
    }

    /// The least numbers of residues.
    #[must_use]
    pub fn leave(&self, residues: &[Residue<LIMBS>]) -> Vec<[u64; WORDS]> {
        let mut numbers = vec![[0; WORDS]; residues.len()];
        on_lanes(self.kernel, Leave { modulus: &self.modulus, residues, numbers: &mut numbers });
        numbers
    }

    /// Multiplies each of `left` by that of `right`.
    pub fn multiply(&self, left: &mut [Residue<LIMBS>], right: &[Residue<LIMBS>]) {
        assert_eq!(left.len(), right.len(), "each residue has its factor");
        on_lanes(self.kernel, Multiply { modulus: &self.modulus, left, right });
    }

    /// Squares each.
    pub fn square(&self, residues: &mut [Residue<LIMBS>]) {
        on_lanes(self.kernel, Square { modulus: &self.modulus, residues });
    }

    /// Replaces each residue by its power.
    pub fn powers(&self, exponents: &[[u64; WORDS]], residues: &mut [Residue<LIMBS>]) {
        assert_eq!(exponents.len(), residues.len(), "each residue has its exponent");
        // Each alone in its product.
        let products = self.products_of_powers(exponents, residues, 1);
        residues.copy_from_slice(&Zeroizing::new(products));
    }

    /// For each run of `terms` pairs of an exponent and a residue the product of the powers; the squarings are shared. Windows
    /// have four bits, and every power of the table is read for each.
    ///
    /// # Panics
    /// When `terms` is 0 or does not divide the pairs.
    #[must_use]
    pub fn products_of_powers(
        &self,
        exponents: &[[u64; WORDS]],
        residues: &[Residue<LIMBS>],
        terms: usize,
    ) -> Vec<Residue<LIMBS>> {
        assert_eq!(exponents.len(), residues.len(), "each residue has its exponent");
        assert!(exponents.len().is_multiple_of(terms), "whole runs");
        let mut products = vec![self.one; exponents.len() / terms];
        let modulus = &self.modulus;
        let work = Products { modulus, exponents, residues, terms, products: &mut products };
        on_lanes(self.kernel, work);
        products
    }

    /// `count` products of powers, to which `rows` say what contributes. A residue has one table, of 64 powers, for all
    /// its exponents; so the more exponents share a residue, the better.
    #[must_use]
    pub fn rows(
        &self,
        exponents: &[[u64; WORDS]],
        residues: &[Residue<LIMBS>],
        rows: &[Row],
        count: usize,
    ) -> Vec<Residue<LIMBS>> {
        let mut products = vec![self.one; count];
        if exponents.is_empty() {
            return products;
        }
        let modulus = &self.modulus;
        let work = Rows { modulus, exponents, residues, rows, products: &mut products };
        on_lanes(self.kernel, work);
        products
    }
}

/// At most as many as lanes, one in each.
#[inline(always)]
fn take<L: Lanes, const LIMBS: usize>(l: L, group: &[Residue<LIMBS>]) -> Element<L, LIMBS> {
    lanes::together(l, group.iter().map(|residue| residue.0))
}

/// Puts what is in the lanes into a group of at most as many.
#[inline(always)]
pub(super) fn put<L: Lanes, const LIMBS: usize>(
    l: L,
    element: &Element<L, LIMBS>,
    group: &mut [Residue<LIMBS>],
) {
    for (residue, limbs) in group.iter_mut().zip(lanes::columns(l, element)) {
        residue.0 = limbs;
    }
}

struct Enter<'a, const WORDS: usize, const LIMBS: usize> {
    modulus: &'a Modulus<WORDS, LIMBS>,
    numbers: &'a [[u64; WORDS]],
    residues: &'a mut [Residue<LIMBS>],
}

impl<const WORDS: usize, const LIMBS: usize> Work for Enter<'_, WORDS, LIMBS> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let square = lanes::splat(l, &l.constants(self.modulus).square);
        let groups = self.numbers.chunks(L::LANES).zip(self.residues.chunks_mut(L::LANES));
        for (numbers, residues) in groups {
            put(l, &l.multiply(self.modulus, &lanes::load(l, numbers), &square), residues);
        }
    }
}

struct Leave<'a, const WORDS: usize, const LIMBS: usize> {
    modulus: &'a Modulus<WORDS, LIMBS>,
    residues: &'a [Residue<LIMBS>],
    numbers: &'a mut [[u64; WORDS]],
}

impl<const WORDS: usize, const LIMBS: usize> Work for Leave<'_, WORDS, LIMBS> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let groups = self.residues.chunks(L::LANES).zip(self.numbers.chunks_mut(L::LANES));
        for (residues, numbers) in groups {
            store(l, self.modulus, &take(l, residues), numbers);
        }
    }
}

struct Multiply<'a, const WORDS: usize, const LIMBS: usize> {
    modulus: &'a Modulus<WORDS, LIMBS>,
    left: &'a mut [Residue<LIMBS>],
    right: &'a [Residue<LIMBS>],
}

impl<const WORDS: usize, const LIMBS: usize> Work for Multiply<'_, WORDS, LIMBS> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        for (left, right) in self.left.chunks_mut(L::LANES).zip(self.right.chunks(L::LANES)) {
            put(l, &l.multiply(self.modulus, &take(l, left), &take(l, right)), left);
        }
    }
}

struct Square<'a, const WORDS: usize, const LIMBS: usize> {
    modulus: &'a Modulus<WORDS, LIMBS>,
    residues: &'a mut [Residue<LIMBS>],
}

impl<const WORDS: usize, const LIMBS: usize> Work for Square<'_, WORDS, LIMBS> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        for group in self.residues.chunks_mut(L::LANES) {
            put(l, &l.square(self.modulus, &take(l, group)), group);
        }
    }
}

/// Bits of a window, of which each lane has its own table.
const OWN: usize = 4;

/// Pairs of a product whose tables are in memory at a time: for eight lanes of 1024 bits 640 KB.
const TABLES: usize = 32;

struct Products<'a, const WORDS: usize, const LIMBS: usize> {
    modulus: &'a Modulus<WORDS, LIMBS>,
    exponents: &'a [[u64; WORDS]],
    residues: &'a [Residue<LIMBS>],
    terms: usize,
    products: &'a mut [Residue<LIMBS>],
}

impl<const WORDS: usize, const LIMBS: usize> Work for Products<'_, WORDS, LIMBS> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let (modulus, terms) = (self.modulus, self.terms);
        let one = lanes::splat(l, &l.constants(modulus).one);
        let mut tables = vec![[one; 1 << OWN]; terms.min(TABLES)];
        for (index, products) in self.products.chunks_mut(L::LANES).enumerate() {
            let first = index * L::LANES * terms;
            let place = |lane: usize, term: usize| first + lane * terms + term;
            let mut all = one;
            for start in (0..terms).step_by(TABLES) {
                let block = start..terms.min(start + TABLES);
                for (table, term) in tables.iter_mut().zip(block.clone()) {
                    let bases = (0..products.len()).map(|lane| self.residues[place(lane, term)].0);
                    fill(l, modulus, table, lanes::together(l, bases));
                }
                let mut product = one;
                for digit in (0..64 * WORDS / OWN).rev() {
                    for _ in 0..OWN {
                        product = l.square(modulus, &product);
                    }
                    for (table, term) in tables.iter().zip(block.clone()) {
                        let mut digits = [0; MOST_LANES];
                        for (lane, digits) in digits[..products.len()].iter_mut().enumerate() {
                            *digits = self::digit::<OWN>(&self.exponents[place(lane, term)], digit);
                        }
                        let factor = look_up(l, table, l.load(&digits));
                        product = l.multiply(modulus, &product, &factor);
                    }
                }
                all = if start == 0 { product } else { l.multiply(modulus, &all, &product) };
            }
            put(l, &all, products);
        }
        wipe(l, &mut tables);
    }
}

/// The powers of a base, of which the first is 1.
#[inline(always)]
fn fill<L: Lanes, const WORDS: usize, const LIMBS: usize, const POWERS: usize>(
    l: L,
    modulus: &Modulus<WORDS, LIMBS>,
    table: &mut [Element<L, LIMBS>; POWERS],
    base: Element<L, LIMBS>,
) {
    table[1] = base;
    for index in 2..POWERS {
        table[index] = if index % 2 == 0 {
            l.square(modulus, &table[index / 2])
        } else {
            l.multiply(modulus, &table[index - 1], &base)
        };
    }
}

/// In each lane the power that its digit, which is secret, names.
#[inline(always)]
fn look_up<L: Lanes, const LIMBS: usize>(
    l: L,
    table: &[Element<L, LIMBS>; 1 << OWN],
    digits: L::Int,
) -> Element<L, LIMBS> {
    let mut found = [l.splat(0); LIMBS];
    for (index, power) in (0u64..).zip(table) {
        // All bits where the two are the same.
        let less = l.subtract(l.xor(digits, l.splat(index)), l.splat(1));
        let mask = l.right_signed::<63>(less);
        for (found, limb) in found.iter_mut().zip(power) {
            *found = l.add(*found, l.and(*limb, mask));
        }
    }
    found
}

fn wipe<L: Lanes, const LIMBS: usize, const POWERS: usize>(
    l: L,
    tables: &mut [[Element<L, LIMBS>; POWERS]],
) {
    for limb in tables.as_flattened_mut().as_flattened_mut() {
        *limb = l.splat(0);
    }
    std::hint::black_box(tables);
}

/// An exponent's digit of so many bits.
#[inline(always)]
fn digit<const BITS: usize>(exponent: &[u64], index: usize) -> u64 {
    let (word, shift) = (BITS * index / 64, BITS * index % 64);
    let above = exponent.get(word + 1).copied().unwrap_or(0);
    let digit = (u128::from(above) << 64 | u128::from(exponent[word])) >> shift;
    digit as u64 & ((1 << BITS) - 1)
}

/// Exponents that are cut into digits together, so that they stay in the first cache: 8 KB.
const EXPONENTS: usize = 64;

/// Words of a line of the cache.
const LINE: usize = 8;

/// Bits of a window, of which all lanes have the same table.
const SHARED: usize = 6;

/// The powers of a base as factors, limb by limb, so that no vector of them straddles two lines of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Powers<const LIMBS: usize>(Factor<[[u64; 1 << SHARED]; LIMBS]>);

impl<const LIMBS: usize> Zeroize for Powers<LIMBS> {
    fn zeroize(&mut self) {
        self.0.itself.as_flattened_mut().zeroize();
        self.0.quotient.as_flattened_mut().zeroize();
    }
}

struct Rows<'a, const WORDS: usize, const LIMBS: usize> {
    modulus: &'a Modulus<WORDS, LIMBS>,
    exponents: &'a [[u64; WORDS]],
    residues: &'a [Residue<LIMBS>],
    rows: &'a [Row],
    products: &'a mut [Residue<LIMBS>],
}

impl<const WORDS: usize, const LIMBS: usize> Work for Rows<'_, WORDS, LIMBS> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let modulus = self.modulus;
        let tables = tables(l, modulus, self.residues);
        // Limb by limb, each at the start of a line of the cache; a group of lanes that a row does not fill multiplies what is
        // beside it by 1.
        let stride = self.products.len().next_multiple_of(MOST_LANES) + MOST_LANES;
        let mut memory = Zeroizing::new(vec![0; LIMBS * stride + LINE]);
        let start = memory.as_ptr().align_offset(8 * LINE);
        let products = &mut memory[start..][..LIMBS * stride];
        let one = &l.constants(modulus).one;
        for (products, limb) in products.chunks_mut(stride).zip(one) {
            products.fill(*limb);
        }
        let digits = digits(self.exponents);
        for digits in digits.chunks(self.exponents.len()).rev() {
            for place in (0..self.products.len()).step_by(L::LANES) {
                let products = &mut products[place..];
                let mut product = lanes::read(l, products, stride);
                // By twos, so that no square is copied.
                for _ in 0..SHARED / 2 {
                    let square = l.square(modulus, &product);
                    product = l.square(modulus, &square);
                }
                lanes::write(l, &product, products, stride);
            }
            for row in self.rows {
                let digits = &digits[row.from..][..row.count];
                for (group, digits) in digits.chunks(L::LANES).enumerate() {
                    let digits = match digits.first_chunk() {
                        Some(digits) => l.widen(digits),
                        None => {
                            let mut few = [0; MOST_LANES];
                            few[..digits.len()].copy_from_slice(digits);
                            l.widen(&few)
                        }
                    };
                    let products = &mut products[row.to + group * L::LANES..];
                    l.multiply_factor(modulus, &tables[row.base].0, digits, products, stride);
                }
            }
        }
        for (index, group) in self.products.chunks_mut(L::LANES).enumerate() {
            put(l, &lanes::read(l, &products[index * L::LANES..], stride), group);
        }
    }
}

/// The digits of all exponents, the lowest of each first.
fn digits<const WORDS: usize>(exponents: &[[u64; WORDS]]) -> Zeroizing<Vec<u8>> {
    let mut digits = Zeroizing::new(vec![0; (64 * WORDS).div_ceil(SHARED) * exponents.len()]);
    for (block, some) in exponents.chunks(EXPONENTS).enumerate() {
        for (index, digits) in digits.chunks_mut(exponents.len()).enumerate() {
            for (place, exponent) in (block * EXPONENTS..).zip(some) {
                digits[place] = digit::<SHARED>(exponent, index) as u8;
            }
        }
    }
    digits
}

#[inline(always)]
fn tables<L: Lanes, const WORDS: usize, const LIMBS: usize>(
    l: L,
    modulus: &Modulus<WORDS, LIMBS>,
    residues: &[Residue<LIMBS>],
) -> Zeroizing<Vec<Powers<LIMBS>>> {
    let none = [[0; 1 << SHARED]; LIMBS];
    let mut tables =
        Zeroizing::new(vec![Powers(Factor { itself: none, quotient: none }); residues.len()]);
    let mut powers = vec![[lanes::splat(l, &l.constants(modulus).one); 1 << SHARED]; 1];
    for (group, tables) in residues.chunks(L::LANES).zip(tables.chunks_mut(L::LANES)) {
        fill(l, modulus, &mut powers[0], take(l, group));
        for (entry, power) in powers[0].iter().enumerate() {
            let Factor { itself, quotient } = l.factor(modulus, power);
            let columns = lanes::columns(l, &itself).into_iter().zip(lanes::columns(l, &quotient));
            for (table, (itself, quotient)) in tables.iter_mut().zip(columns) {
                for limb in 0..LIMBS {
                    table.0.itself[limb][entry] = itself[limb];
                    table.0.quotient[limb][entry] = quotient[limb];
                }
            }
        }
    }
    wipe(l, &mut powers);
    tables
}
