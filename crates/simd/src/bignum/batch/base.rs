//! Powers of one number with many exponents: a table for every window of five bits, no squarings.
//!
//! A window takes one multiplication, and its lookup chooses for each lane one of 32 words a limb. With windows of six bits
//! there are 43 instead of 52 for a table of 880 KB instead of 532 KB, and making it takes a third longer.

use super::lanes::{self, Element, LIMBS, Lanes, Limbs, PICKS};
use super::power::store;
use super::{Exponent, Modulus, Number, Work, on_lanes};
use crate::Kernel;
use crate::vector::MOST_LANES;

/// Bits of a window.
const WINDOW: usize = 5;
const WINDOWS: usize = 256usize.div_ceil(WINDOW);

/// The 32 powers of a window, limb by limb.
type Powers = [[u64; PICKS]; LIMBS];

/// Powers of one number for many exponents, 532 KB.
pub struct PowerBase {
    kernel: Kernel,
    windows: Vec<Powers>,
}

impl PowerBase {
    /// The powers of a base below the modulus.
    #[must_use]
    pub fn new(kernel: Kernel, modulus: &Modulus, base: &Number) -> Self {
        let mut windows = vec![[[0; PICKS]; LIMBS]; WINDOWS];
        on_lanes(kernel, Prepare { modulus, base, windows: &mut windows });
        Self { kernel, windows }
    }

    /// Puts the base's power with each exponent, below the same modulus, into `powers`.
    ///
    /// # Panics
    /// When the two differ in length.
    pub fn powers(&self, modulus: &Modulus, exponents: &[Exponent], powers: &mut [Number]) {
        assert_eq!(exponents.len(), powers.len(), "each exponent has its power");
        on_lanes(self.kernel, Multiply { modulus, windows: &self.windows, exponents, powers });
    }
}

struct Prepare<'a> {
    modulus: &'a Modulus,
    base: &'a Number,
    windows: &'a mut [Powers],
}

impl Work for Prepare<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let modulus = self.modulus;
        let bases = bases(l, modulus, self.base);
        for (bases, windows) in bases.chunks(L::LANES).zip(self.windows.chunks_mut(L::LANES)) {
            let base = together(l, bases);
            let mut power = lanes::splat(l, &l.constants(modulus).one);
            for entry in 0..PICKS {
                let columns = lanes::columns(l, &power);
                for (window, limbs) in windows.iter_mut().zip(&columns) {
                    for (words, limb) in window.iter_mut().zip(limbs) {
                        words[entry] = *limb;
                    }
                }
                power = l.multiply(modulus, &power, &base);
            }
        }
    }
}

/// The limbs of b^(2^(5i)) for window i.
#[inline(always)]
fn bases<L: Lanes>(l: L, modulus: &Modulus, base: &Number) -> [Limbs; WINDOWS] {
    let mut bases = [[0; LIMBS]; WINDOWS];
    let square = lanes::splat(l, &l.constants(modulus).square);
    let mut power = l.multiply(modulus, &lanes::load(l, &[*base]), &square);
    for base in &mut bases {
        *base = lanes::columns(l, &power)[0];
        for _ in 0..WINDOW {
            power = l.square(modulus, &power);
        }
    }
    bases
}

/// At most as many as lanes, one in each.
#[inline(always)]
fn together<L: Lanes>(l: L, columns: &[Limbs]) -> Element<L> {
    let mut element = [l.splat(0); LIMBS];
    for (index, limb) in element.iter_mut().enumerate() {
        let mut row = [0; MOST_LANES];
        for (word, column) in row.iter_mut().zip(columns) {
            *word = column[index];
        }
        *limb = l.load(&row);
    }
    element
}

struct Multiply<'a> {
    modulus: &'a Modulus,
    windows: &'a [Powers],
    exponents: &'a [Exponent],
    powers: &'a mut [Number],
}

impl Work for Multiply<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let groups = self.exponents.chunks(L::LANES).zip(self.powers.chunks_mut(L::LANES));
        for (exponents, powers) in groups {
            let mut product = look_up(l, &self.windows[0], exponents, 0);
            for (index, window) in self.windows.iter().enumerate().skip(1) {
                let factor = look_up(l, window, exponents, index);
                product = l.multiply(self.modulus, &product, &factor);
            }
            store(l, self.modulus, &product, powers);
        }
    }
}

/// In each lane the power that the exponent's digit names.
#[inline(always)]
fn look_up<L: Lanes>(l: L, window: &Powers, exponents: &[Exponent], index: usize) -> Element<L> {
    let mut digits = [0; MOST_LANES];
    for (digit, exponent) in digits.iter_mut().zip(exponents) {
        *digit = self::digit(exponent, index);
    }
    let digits = l.load(&digits);
    let mut element = [l.splat(0); LIMBS];
    for (limb, words) in element.iter_mut().zip(window) {
        *limb = l.pick(words, digits);
    }
    element
}

fn digit(exponent: &Exponent, index: usize) -> u64 {
    let (byte, shift) = (WINDOW * index / 8, WINDOW * index % 8);
    let above = exponent.get(byte + 1).copied().unwrap_or(0);
    u64::from(u16::from_le_bytes([exponent[byte], above]) >> shift) & (PICKS as u64 - 1)
}
