//! Powers of one number with many exponents: a table for every window of five bits, no squarings.
//!
//! A window takes one multiplication, and its lookup chooses for each lane one of 32 words a limb. With windows of six bits
//! there are 43 instead of 52 for a table of 880 KB instead of 532 KB, and making it takes a third longer.

use super::lanes::{self, Element, Lanes};
use super::power::store;
use super::residues::{Residue, put};
use super::{Modulus, Work, on_lanes};
use crate::Kernel;
use crate::vector::MOST_LANES;

/// Bits of a window.
const WINDOW: usize = 5;

/// Powers of a window.
const PICKS: usize = 1 << WINDOW;

/// The 32 powers of a window, limb by limb.
type Powers<const LIMBS: usize> = [[u64; PICKS]; LIMBS];

/// Powers of one number for many exponents, bytes in little-endian order: 532 KB for 2048 bits and exponents of 32 bytes.
pub struct PowerBase<const LIMBS: usize, const BYTES: usize> {
    kernel: Kernel,
    windows: Vec<Powers<LIMBS>>,
}

/// The functions are not generic, so that their code is this crate's.
macro_rules! bases {
    ($($words:literal, $limbs:literal, $bytes:literal;)*) => {$(
        impl PowerBase<$limbs, $bytes> {
            /// The powers of a base below the modulus.
            #[must_use]
            pub fn new(
                kernel: Kernel,
                modulus: &Modulus<$words, $limbs>,
                base: &[u64; $words],
            ) -> Self {
                let mut windows = vec![[[0; PICKS]; $limbs]; (8_usize * $bytes).div_ceil(WINDOW)];
                on_lanes(kernel, Prepare { modulus, base, windows: &mut windows });
                Self { kernel, windows }
            }

            /// Puts the base's power with each exponent, below the same modulus, into `powers`.
            ///
            /// # Panics
            /// When the two differ in length.
            pub fn powers(
                &self,
                modulus: &Modulus<$words, $limbs>,
                exponents: &[[u8; $bytes]],
                powers: &mut [[u64; $words]],
            ) {
                assert_eq!(exponents.len(), powers.len(), "each exponent has its power");
                let windows = &self.windows;
                on_lanes(self.kernel, Multiply { modulus, windows, exponents, powers });
            }

            /// The same in the form that [`Residues`](super::Residues) of this kernel and modulus have.
            ///
            /// # Panics
            /// When the two differ in length.
            pub fn residues(
                &self,
                modulus: &Modulus<$words, $limbs>,
                exponents: &[[u8; $bytes]],
                powers: &mut [Residue<$limbs>],
            ) {
                assert_eq!(exponents.len(), powers.len(), "each exponent has its power");
                let windows = &self.windows;
                on_lanes(self.kernel, Keep { modulus, windows, exponents, powers });
            }
        }
    )*};
}

bases! {
    32, 40, 32;
    16, 20, 128;
}

struct Prepare<'a, const WORDS: usize, const LIMBS: usize> {
    modulus: &'a Modulus<WORDS, LIMBS>,
    base: &'a [u64; WORDS],
    windows: &'a mut [Powers<LIMBS>],
}

impl<const WORDS: usize, const LIMBS: usize> Work for Prepare<'_, WORDS, LIMBS> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let modulus = self.modulus;
        let bases = bases(l, modulus, self.base, self.windows.len());
        for (bases, windows) in bases.chunks(L::LANES).zip(self.windows.chunks_mut(L::LANES)) {
            let base = lanes::together(l, bases.iter().copied());
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
fn bases<L: Lanes, const WORDS: usize, const LIMBS: usize>(
    l: L,
    modulus: &Modulus<WORDS, LIMBS>,
    base: &[u64; WORDS],
    windows: usize,
) -> Vec<[u64; LIMBS]> {
    let mut bases = vec![[0; LIMBS]; windows];
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

struct Multiply<'a, const WORDS: usize, const LIMBS: usize, const BYTES: usize> {
    modulus: &'a Modulus<WORDS, LIMBS>,
    windows: &'a [Powers<LIMBS>],
    exponents: &'a [[u8; BYTES]],
    powers: &'a mut [[u64; WORDS]],
}

impl<const WORDS: usize, const LIMBS: usize, const BYTES: usize> Work
    for Multiply<'_, WORDS, LIMBS, BYTES>
{
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let groups = self.exponents.chunks(L::LANES).zip(self.powers.chunks_mut(L::LANES));
        for (exponents, powers) in groups {
            store(l, self.modulus, &product(l, self.modulus, self.windows, exponents), powers);
        }
    }
}

struct Keep<'a, const WORDS: usize, const LIMBS: usize, const BYTES: usize> {
    modulus: &'a Modulus<WORDS, LIMBS>,
    windows: &'a [Powers<LIMBS>],
    exponents: &'a [[u8; BYTES]],
    powers: &'a mut [Residue<LIMBS>],
}

impl<const WORDS: usize, const LIMBS: usize, const BYTES: usize> Work
    for Keep<'_, WORDS, LIMBS, BYTES>
{
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let groups = self.exponents.chunks(L::LANES).zip(self.powers.chunks_mut(L::LANES));
        for (exponents, powers) in groups {
            put(l, &product(l, self.modulus, self.windows, exponents), powers);
        }
    }
}

#[inline(always)]
fn product<L: Lanes, const WORDS: usize, const LIMBS: usize, const BYTES: usize>(
    l: L,
    modulus: &Modulus<WORDS, LIMBS>,
    windows: &[Powers<LIMBS>],
    exponents: &[[u8; BYTES]],
) -> Element<L, LIMBS> {
    let mut product = look_up(l, &windows[0], exponents, 0);
    for (index, window) in windows.iter().enumerate().skip(1) {
        let factor = look_up(l, window, exponents, index);
        product = l.multiply(modulus, &product, &factor);
    }
    product
}

/// In each lane the power that the exponent's digit names.
#[inline(always)]
fn look_up<L: Lanes, const LIMBS: usize, const BYTES: usize>(
    l: L,
    window: &Powers<LIMBS>,
    exponents: &[[u8; BYTES]],
    index: usize,
) -> Element<L, LIMBS> {
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

fn digit(exponent: &[u8], index: usize) -> u64 {
    let (byte, shift) = (WINDOW * index / 8, WINDOW * index % 8);
    let above = exponent.get(byte + 1).copied().unwrap_or(0);
    u64::from(u16::from_le_bytes([exponent[byte], above]) >> shift) & (PICKS as u64 - 1)
}
