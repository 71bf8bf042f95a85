//! Scalars in signed odd digits.
//!
//! An odd number k below 2^n is, with windows of w bits and n a multiple of w, the sum of d_i·2^(w·i) with odd digits d_i
//! from −2^w + 1 to 2^w − 1: for u_i the windows of (k + 2^n − 1)/2, the digits d_i = 2·u_i − (2^w − 1) add up to it. No
//! digit is 0 and none carries. An even scalar has the order ℓ added, which is odd and takes a point to the neutral
//! element; the sum is below 2·ℓ < 2^254.
//!
//! (k + 2^n − 1)/2 is ⌊k/2⌋ + 2^(n − 1): its bits are those of the half, below 2^253, and the highest of the highest
//! window. The highest bit of a window says that the digit is positive; the others are its place among the odd numbers,
//! inverted if it is negative.

use super::Scalar;
use super::constants::ORDER;
use crate::vector::MOST_LANES;

/// ⌊k/2⌋ for the odd k that is the scalar modulo ℓ; in words.
pub(super) fn odd_half(scalar: &Scalar) -> [u64; 4] {
    let even = u64::from(scalar[0] & 1).wrapping_sub(1);
    let mut carry = 0;
    let mut words = [0; 4];
    for ((word, bytes), order) in words.iter_mut().zip(scalar.chunks_exact(8)).zip(ORDER) {
        let bytes = bytes.try_into().expect("8 bytes");
        let sum = u128::from(u64::from_le_bytes(bytes)) + u128::from(order & even) + carry;
        (*word, carry) = (sum as u64, sum >> 64);
    }
    let [w0, w1, w2, w3] = words;
    [w0 >> 1 | w1 << 63, w1 >> 1 | w2 << 63, w2 >> 1 | w3 << 63, w3 >> 1]
}

/// Bits of a window of [`Windows`].
const WINDOW: usize = 4;

/// Digits of 4 bits for a scalar in each lane.
pub(super) struct Windows {
    /// Byte i has bit i of each lane's half.
    bits: [u8; 256],
}

/// A digit of each lane, in masks.
pub(super) struct Digit {
    pub(super) negative: u8,
    /// The bits of the digit's place in 1, 3, 5, …, 15, the lowest first.
    pub(super) place: [u8; WINDOW - 1],
}

impl Windows {
    /// Digits of each scalar.
    pub(super) const COUNT: usize = 256 / WINDOW;

    /// At most as many scalars as lanes.
    pub(super) fn new(scalars: &[Scalar]) -> Self {
        let mut halves = [[0; 4]; MOST_LANES];
        for (half, scalar) in halves.iter_mut().zip(scalars) {
            *half = odd_half(scalar);
        }
        Self::of_halves(halves)
    }

    /// The same scalar in all lanes.
    pub(super) fn in_all_lanes(scalar: &Scalar) -> Self {
        Self::of_halves([odd_half(scalar); MOST_LANES])
    }

    fn of_halves(halves: [[u64; 4]; MOST_LANES]) -> Self {
        let mut bits = [0; 256];
        for (byte, rows) in bits.chunks_exact_mut(8).enumerate() {
            let bytes = halves.map(|half| (half[byte / 8] >> (8 * (byte % 8))) as u8);
            rows.copy_from_slice(&transpose(bytes));
        }
        bits[255] = u8::MAX;
        Self { bits }
    }

    /// Digit `index`, the least first.
    #[inline(always)]
    pub(super) fn digit(&self, index: usize) -> Digit {
        let [b0, b1, b2, positive] = std::array::from_fn(|bit| self.bits[WINDOW * index + bit]);
        Digit { negative: !positive, place: [b0, b1, b2].map(|bit| bit ^ !positive) }
    }
}

/// Bits of a window of [`WideDigits`].
pub(super) const WIDE_WINDOW: usize = 6;

/// Wide digits of each scalar.
pub(super) const WIDE_COUNT: usize = 43;

/// Digits of 6 bits for a scalar in each lane.
#[derive(Clone, Copy)]
pub(super) struct WideDigits {
    pub(super) negative: [u8; WIDE_COUNT],
    /// The places of each digit in 1, 3, 5, …, 63.
    pub(super) places: [[u64; MOST_LANES]; WIDE_COUNT],
}

impl WideDigits {
    /// Before it is filled.
    pub(super) const VACANT: Self =
        Self { negative: [0; WIDE_COUNT], places: [[0; MOST_LANES]; WIDE_COUNT] };

    /// At most as many scalars as lanes.
    pub(super) fn fill(&mut self, scalars: &[Scalar]) {
        for (lane, scalar) in scalars.iter().enumerate() {
            let half = odd_half(scalar);
            for (index, places) in self.places.iter_mut().enumerate() {
                let window = wide_window(&half, index);
                let positive = window >> (WIDE_WINDOW - 1);
                places[lane] = (window ^ positive.wrapping_sub(1)) & 31;
                self.negative[index] |= ((positive ^ 1) as u8) << lane;
            }
        }
    }
}

/// A window of (k + 2^258 − 1)/2.
fn wide_window(half: &[u64; 4], index: usize) -> u64 {
    let (word, shift) = (WIDE_WINDOW * index / 64, WIDE_WINDOW * index % 64);
    let above = match half.get(word + 1) {
        Some(above) if shift > 64 - WIDE_WINDOW => above << (64 - shift),
        _ => 0,
    };
    let highest = if index == WIDE_COUNT - 1 { 32 } else { 0 };
    (half[word] >> shift | above | highest) & 63
}

/// Bit c of byte r goes to bit r of byte c: squares of 4, 2 and 1 bits are exchanged.
fn transpose(rows: [u8; 8]) -> [u8; 8] {
    let mut square = u64::from_le_bytes(rows);
    for (shift, lower) in
        [(28, 0x0000_0000_f0f0_f0f0), (14, 0x0000_cccc_0000_cccc), (7, 0x00aa_00aa_00aa_00aa)]
    {
        let exchanged = (square ^ square >> shift) & lower;
        square ^= exchanged ^ exchanged << shift;
    }
    square.to_le_bytes()
}
