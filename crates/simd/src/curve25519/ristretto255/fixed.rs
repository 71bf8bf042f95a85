//! Multiples of one base: a table of odd multiples for every window of 6 bits, no doublings.
//!
//! A digit in each lane chooses one of 32 words that all lanes share, which is a permutation of registers: three
//! instructions a word with AVX-512. In multiplications of the field, an addition of an affine entry takes 7, so that
//! windows of w bits take 7·⌈254/w⌉; the table has 120·2^(w − 1)·⌈254/w⌉ bytes.
//!
//! | w | multiplications | instructions a word of a lookup | table |
//! |---|---|---|---|
//! | 4 | 448 | 1 | 60 KiB |
//! | 5 | 357 | 1 | 96 KiB |
//! | 6 | 301 | 3 | 161 KiB |
//! | 7 | 259 | 7 | 278 KiB |
//!
//! With AVX-512 IFMA an addition's products take 392 cycles and two other instructions one: eight lanes take
//! 43·(392 + 45/2) = 17,800 cycles with 6 bits, 8 % less with 7, for a table nearly twice as large that takes nearly twice
//! as long to make. Groups of lanes go through each window's 4 KiB together.

use std::sync::OnceLock;

use super::digits::{WIDE_COUNT, WIDE_WINDOW, WideDigits};
use super::formulas::{self, Affine, Extended, Factors, Running};
use super::{Point, Scalar};
use crate::Kernel;
use crate::curve25519::field::{Field, each_limb};
use crate::curve25519::powers;
use crate::curve25519::words::{PICKS, Table, Words};
use crate::curve25519::{Work, on_lanes_with};
use crate::vector::{MOST_LANES, Vector};

/// Bytes of stack that making the table takes at most: mostly the multiples of a base in each lane, twice.
const PREPARE_STACK: usize = 160 << 10;

/// Bytes of stack that multiplying takes at most: mostly digits and running sums of [`GROUPS`].
const MULTIPLY_STACK: usize = 72 << 10;

/// Groups of lanes that go through a window's multiples together.
const GROUPS: usize = 8;

/// The words of the multiples 1, 3, …, 63 of a point, for each coordinate that an addition takes, limb by limb.
type Multiples = [[Table; 5]; 3];

/// Multiples of one point for multiplying it by many scalars, 165 KB.
pub struct FixedBase {
    kernel: Kernel,
    windows: Vec<Multiples>,
}

impl FixedBase {
    /// The multiples of a base, in the time of 17 to 35 multiplications.
    #[must_use]
    pub fn new(kernel: Kernel, base: &Point) -> Self {
        let mut windows = vec![[[[[0; MOST_LANES]; PICKS / MOST_LANES]; 5]; 3]; WIDE_COUNT];
        on_lanes_with::<PREPARE_STACK>(kernel, Prepare { base, windows: &mut windows });
        Self { kernel, windows }
    }

    /// Puts the base's product with each scalar into `products`.
    ///
    /// # Panics
    /// When the two differ in length.
    pub fn multiply(&self, scalars: &[Scalar], products: &mut [Point]) {
        assert_eq!(scalars.len(), products.len(), "each scalar has its product");
        let work = Multiply { windows: &self.windows, scalars, products };
        on_lanes_with::<MULTIPLY_STACK>(self.kernel, work);
    }
}

/// Puts the generator's product with each scalar into `products`. Its multiples are made once for every kernel.
///
/// # Panics
/// When the two differ in length.
pub fn multiply_generator(kernel: Kernel, scalars: &[Scalar], products: &mut [Point]) {
    static BASES: [OnceLock<FixedBase>; Kernel::ALL.len()] = [const { OnceLock::new() }; _];
    let base = &BASES[kernel as usize];
    base.get_or_init(|| FixedBase::new(kernel, &Point::GENERATOR)).multiply(scalars, products);
}

struct Prepare<'a> {
    base: &'a Point,
    windows: &'a mut [Multiples],
}

impl Work for Prepare<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let bases = bases(f, self.base);
        for (bases, windows) in bases.chunks(F::LANES).zip(self.windows.chunks_mut(F::LANES)) {
            for (place, entry) in affine_multiples(f, bases).into_iter().enumerate() {
                keep(f, entry, place, windows);
            }
        }
    }
}

/// 2^(6i) times the point, for window i.
#[inline(always)]
fn bases<F: Field>(f: F, base: &Point) -> [Point; WIDE_COUNT] {
    let mut bases = [*base; WIDE_COUNT];
    for index in 1..WIDE_COUNT {
        let mut point = Extended::load(f, &bases[index - 1..index]);
        for _ in 0..WIDE_WINDOW {
            point = formulas::double(f, point.projective(f)).extended(f);
        }
        point.store(f, &mut bases[index..=index]);
    }
    bases
}

/// The odd multiples of as many points as lanes.
#[inline(always)]
fn affine_multiples<F: Field>(f: F, bases: &[Point]) -> [Affine<F>; PICKS] {
    let base = Extended::load(f, bases);
    let twice = formulas::double(f, base.projective(f)).left(f).right(f);
    let mut multiples = [base.left(f); PICKS];
    for index in 1..PICKS {
        multiples[index] = formulas::add(f, multiples[index - 1], twice).left(f);
    }
    // A lane without a base has Z = 0 all along, and nobody looks at it.
    let one = f.splat(1);
    let (mut inverses, mut before) = ([one; PICKS], [one; PICKS]);
    for (inverse, multiple) in inverses.iter_mut().zip(&multiples) {
        *inverse = multiple.z;
    }
    powers::invert_all(f, &mut inverses, &mut before);
    let mut entries = [Affine::neutral(f); PICKS];
    for index in 0..PICKS {
        entries[index] = multiples[index].affine(f, inverses[index]);
    }
    entries
}

/// Puts an entry of as many windows as lanes at its place.
#[inline(always)]
fn keep<F: Field>(f: F, Affine(entry): Affine<F>, place: usize, windows: &mut [Multiples]) {
    for (coordinate, element) in entry.into_iter().enumerate() {
        for (limb, words) in f.to_words(element).into_iter().enumerate() {
            let words = f.words().array(words);
            for (window, word) in windows.iter_mut().zip(words) {
                window[coordinate][limb][place / MOST_LANES][place % MOST_LANES] = word;
            }
        }
    }
}

struct Multiply<'a> {
    windows: &'a [Multiples],
    scalars: &'a [Scalar],
    products: &'a mut [Point],
}

impl Work for Multiply<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let most = GROUPS * F::LANES;
        for (scalars, products) in self.scalars.chunks(most).zip(self.products.chunks_mut(most)) {
            multiply_groups(f, self.windows, scalars, products);
        }
    }
}

/// The products of at most [`GROUPS`] groups of lanes.
#[inline(always)]
fn multiply_groups<F: Field>(
    f: F,
    windows: &[Multiples],
    scalars: &[Scalar],
    products: &mut [Point],
) {
    let mut digits = [WideDigits::VACANT; GROUPS];
    let mut sums = [Running::neutral(f); GROUPS];
    let groups = scalars.len().div_ceil(F::LANES);
    for (digits, scalars) in digits.iter_mut().zip(scalars.chunks(F::LANES)) {
        digits.fill(scalars);
    }
    let (last, others) = (WIDE_COUNT - 1, &windows[..WIDE_COUNT - 1]);
    for (index, multiples) in others.iter().enumerate() {
        for (digits, sum) in digits[..groups].iter().zip(&mut sums) {
            *sum = add_multiple(f, *sum, multiples, digits, index).running(f);
        }
    }
    let groups = digits.iter().zip(sums).zip(products.chunks_mut(F::LANES));
    for ((digits, sum), group) in groups {
        add_multiple(f, sum, &windows[last], digits, last).extended(f).store(f, group);
    }
}

#[inline(always)]
fn add_multiple<F: Field>(
    f: F,
    sum: Running<F>,
    multiples: &Multiples,
    digits: &WideDigits,
    index: usize,
) -> Factors<F> {
    let w = f.words();
    let places = w.load(&digits.places[index]);
    let mut entry = Affine::neutral(f);
    for (element, tables) in entry.0.iter_mut().zip(multiples) {
        *element = f.of_words(each_limb!(k => w.pick(&tables[k], places)));
    }
    formulas::add_affine(f, f.mask(digits.negative[index]), sum, entry)
}
