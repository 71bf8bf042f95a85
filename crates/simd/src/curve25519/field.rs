//! What a kernel must offer: elements of the field of p = 2^255 − 19, several at once.

use super::Point;
use super::words::Words;
use crate::vector::{MOST_LANES, Vector};

/// The field of 2^255 − 19 elements, on [`LANES`](Self::LANES) elements at once; a value of the type says that the
/// processor has the instructions. No operation's time depends on the data.
///
/// Sums and differences of products need no carries of their own: a product is a [`Wide`](Self::Wide), of which three
/// may be added, and from such a sum one of two subtracted, before [`carry`](Self::carry) makes of it an operand again.
/// A multiplication takes one operand that is a sum or difference of two elements, a square none. Every kernel says in
/// its documentation why nothing overflows under exactly these uses.
pub(super) trait Field: Copy {
    /// Elements at once, at most [`MOST_LANES`].
    const LANES: usize;

    /// An operand of multiplications.
    type Element: Copy;

    /// A product, or a sum or difference of some.
    type Wide: Copy;

    /// For each lane, yes or no.
    type Mask: Copy;

    /// The same lanes, as words.
    type Words: Words<Mask = Self::Mask>;

    /// The elements with these limbs, each below 2^57.
    fn load(self, rows: &Rows) -> Self::Element;

    /// Limbs below 2^52 of a result of [`carry`](Self::carry) or [`select`](Self::select).
    fn store(self, element: Self::Element) -> Rows;

    /// The same number below 2^49 in all lanes.
    fn splat(self, number: u64) -> Self::Element;

    /// Each a·b. Several products side by side keep the processor busy, for each alone waits on its own sums.
    fn multiply<const N: usize>(
        self,
        a: [Self::Element; N],
        b: [Self::Element; N],
    ) -> [Self::Wide; N];

    /// Each a².
    fn square<const N: usize>(self, a: [Self::Element; N]) -> [Self::Wide; N];

    /// a + number·b, for a number below 2^17.
    fn multiply_add(self, a: Self::Element, b: Self::Element, number: u64) -> Self::Wide;

    /// An element in place of a product, in sums.
    fn widen(self, element: Self::Element) -> Self::Wide;

    /// a + b, of at most three products.
    fn wide_add(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;

    /// a − b, for a sum a of at most three products and a sum b of at most two.
    fn wide_subtract(self, a: Self::Wide, b: Self::Wide) -> Self::Wide;

    /// The same elements, fit to be multiplied.
    fn carry(self, wide: Self::Wide) -> Self::Element;

    /// a + b, for results of [`carry`](Self::carry), [`load`](Self::load) or [`splat`](Self::splat).
    fn add(self, a: Self::Element, b: Self::Element) -> Self::Element;

    /// a − b, for results of [`carry`](Self::carry), [`load`](Self::load) or [`splat`](Self::splat); b must not come from
    /// a difference.
    fn subtract(self, a: Self::Element, b: Self::Element) -> Self::Element;

    /// Bit i says yes for lane i.
    fn mask(self, lanes: u8) -> Self::Mask;

    /// In each lane `yes` or `no`.
    fn select(self, mask: Self::Mask, yes: Self::Element, no: Self::Element) -> Self::Element;

    /// The same lanes, as words.
    fn words(self) -> Self::Words;

    /// The element in whatever form words can hold it: for keeping, moving and choosing.
    fn to_words(self, element: Self::Element) -> [Int<Self>; 5];

    /// The element that [`to_words`](Self::to_words) gave.
    fn of_words(self, words: [Int<Self>; 5]) -> Self::Element;

    /// Runs a subroutine in a function that all who need it call. Work is compiled as one function, which enables the
    /// instructions, and compiling takes more than twice as long for one of twice the length.
    fn apart<P: Subroutine<Self>>(self, subroutine: P) -> P::Output;
}

/// A part of some work that is compiled as a function of its own.
pub(super) trait Subroutine<F> {
    /// What it gives.
    type Output;

    fn run(self, f: F) -> Self::Output;
}

/// A vector of words of a field's lanes.
pub(super) type Int<F> = <<F as Field>::Words as Vector>::Int;

/// An array of five, from an expression in the index of a limb. A function that took a closure would not do: the
/// compiler does not promise to inline closures into the function that enables the instructions.
macro_rules! each_limb {
    ($k:ident => $limb:expr) => {
        [
            {
                let $k = 0;
                $limb
            },
            {
                let $k = 1;
                $limb
            },
            {
                let $k = 2;
                $limb
            },
            {
                let $k = 3;
                $limb
            },
            {
                let $k = 4;
                $limb
            },
        ]
    };
}
pub(super) use each_limb;

/// Five limbs of 51 bits, least first; each may be larger where that is said.
pub(super) type Limbs = [u64; 5];

/// The limbs of elements: row k has limb k of each lane.
pub(super) type Rows = [[u64; MOST_LANES]; 5];

/// The limbs of at most as many values as lanes; 0 in the other lanes.
#[inline]
pub(super) fn rows<T>(values: &[T], limbs: impl Fn(&T) -> Limbs) -> Rows {
    let mut rows = [[0; MOST_LANES]; 5];
    for (lane, value) in values.iter().enumerate() {
        let limbs = limbs(value);
        for (row, limb) in rows.iter_mut().zip(limbs) {
            row[lane] = limb;
        }
    }
    rows
}

/// The limbs of one lane.
#[inline]
pub(super) fn column(rows: &Rows, lane: usize) -> Limbs {
    each_limb!(k => rows[k][lane])
}

/// Puts the lanes into a group of points, at most as many.
#[inline(always)]
pub(super) fn put<F: Field>(f: F, element: F::Element, group: &mut [Point]) {
    let rows = f.store(element);
    for (lane, point) in group.iter_mut().enumerate() {
        *point = bytes(column(&rows, lane));
    }
}

/// A bit of each lane's number, in a mask.
#[inline(always)]
pub(super) fn bits<F: Field>(f: F, element: F::Element, bit: impl Fn(&Point) -> u8) -> u8 {
    let rows = f.store(element);
    let mut mask = 0;
    for lane in 0..F::LANES {
        mask |= bit(&bytes(column(&rows, lane))) << lane;
    }
    mask
}

/// The limb that carries into limb `k`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) const fn before(k: usize) -> usize {
    (k + 4) % 5
}

/// 51 bits.
pub(super) const MASK: u64 = (1 << 51) - 1;

/// p, limb by limb.
pub(super) const P: Limbs = [MASK - 18, MASK, MASK, MASK, MASK];

/// The limbs of a little-endian number; its top bit is ignored.
#[inline]
pub(super) fn limbs(bytes: &Point) -> Limbs {
    let [w0, w1, w2, w3] = words(bytes);
    [
        w0 & MASK,
        (w0 >> 51 | w1 << 13) & MASK,
        (w1 >> 38 | w2 << 26) & MASK,
        (w2 >> 25 | w3 << 39) & MASK,
        w3 >> 12 & MASK,
    ]
}

/// Limbs below 2^57 of a big-endian number of 48 bytes, by 2^255 = 19.
#[inline]
pub(super) fn wide_limbs(wide: &[u8; 48]) -> Limbs {
    let word = |index: usize| {
        let bytes = wide[40 - 8 * index..][..8].try_into().expect("8 bytes");
        u64::from_be_bytes(bytes)
    };
    let limb = |bit: usize| {
        let (index, shift) = (bit / 64, bit % 64);
        let above = if shift > 13 && index < 5 { word(index + 1) << (64 - shift) } else { 0 };
        (word(index) >> shift | above) & MASK
    };
    std::array::from_fn(|index| {
        let folded = if index < 3 { 19 * limb(255 + 51 * index) } else { 0 };
        limb(51 * index) + folded
    })
}

/// The number below p of these limbs, each below 2^52; little-endian.
#[inline]
pub(super) fn bytes(mut limbs: Limbs) -> Point {
    // Twice, so that each limb but the last is below 2^51 and the whole is below 2^255 + 2^51.
    for _ in 0..2 {
        for index in 0..4 {
            limbs[index + 1] += limbs[index] >> 51;
            limbs[index] &= MASK;
        }
        limbs[0] += 19 * (limbs[4] >> 51);
        limbs[4] &= MASK;
    }
    // The number is at least p if and only if adding 19 reaches 2^255.
    let reaches = limbs.iter().fold(19, |carry, limb| (limb + carry) >> 51);
    limbs[0] += 19 * reaches;
    for index in 0..4 {
        limbs[index + 1] += limbs[index] >> 51;
        limbs[index] &= MASK;
    }
    limbs[4] &= MASK;
    let [l0, l1, l2, l3, l4] = limbs;
    let words = [l0 | l1 << 51, l1 >> 13 | l2 << 38, l2 >> 26 | l3 << 25, l3 >> 39 | l4 << 12];
    let mut bytes = [0; 32];
    for (bytes, word) in bytes.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

fn words(bytes: &Point) -> [u64; 4] {
    std::array::from_fn(|index| {
        u64::from_le_bytes(bytes[8 * index..][..8].try_into().expect("8 bytes"))
    })
}
