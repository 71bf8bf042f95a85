//! Lanes of doubles with fused multiply-add, which gives products of 51 bits in two halves without rounding.
//!
//! # The product of two limbs
//!
//! Limbs are integers held as doubles. With C = 1.5·2^103, the sum C + a·b, rounded to nearest, is C + 2^51·h for an
//! integer h, since doubles from 2^103 to 2^104 lie 2^51 apart; and l = a·b − 2^51·h has at most 50 bits and a sign. Both
//! operations of `C + a·b` and of `a·b + (1.5·2^52 − 2^51·h)` are fused, the second is exact, and so is
//! (C + 1.5·2^52) − (C + 2^51·h). Their results lie in one binade, so their bits, as integers, are h and l plus those of
//! the constants: columns are sums of bits in 64-bit integers. This holds while |a·b| < 2^102.
//!
//! # Bounds
//!
//! [`Field::carry`] leaves limbs of at most 2^50 + 2^17 in size, and the sums and differences of two have at most
//! 2^51 + 2^18. The ladder multiplies such a sum only by a carried limb, so |a·b| < 2^101.1. A column has at most 5
//! values l below 2^50.1 and 5 values h below 2^50.2, and those above the fifth count 19 times: below
//! 20·10·2^50.2 < 2^57.9, a sum or difference of five below 2^60.3. Carries, less those of the bias, are below 2^10 and to
//! the first limb 19 times as much.

use super::field::{Field, MASK, Rows, Subroutine, before, each_limb};
use super::words::Words;

/// What the field needs besides; [`Words::multiply_add`] rounds once.
pub(super) trait Doubles: Words {
    fn float_add(self, a: Self::Float, b: Self::Float) -> Self::Float;
    fn float_subtract(self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// (a & mask) | bits
    fn keep_and_set(self, a: Self::Int, mask: Self::Int, bits: Self::Int) -> Self::Int;
    /// 19·a
    fn nineteen(self, a: Self::Int) -> Self::Int;
    /// 19·a for a below 2^32.
    fn nineteen_small(self, a: Self::Int) -> Self::Int;
    /// Bit i says yes for lane i.
    fn mask(self, lanes: u8) -> Self::Mask;
    /// [`Field::apart`]
    fn apart<P: Subroutine<Fma<Self>>>(self, subroutine: P) -> P::Output;
}

/// The field on lanes of doubles.
#[derive(Clone, Copy)]
pub(super) struct Fma<D>(pub(super) D);

/// C, which the higher half is added to.
const HIGH: f64 = 1.5 * POWER_103;
/// What the lower half is added to.
const LOW: f64 = 1.5 * POWER_52;
/// Integers from here to its double are the bits of doubles as they stand.
const WHOLE: f64 = POWER_52;

const POWER_52: f64 = (1u64 << 52) as f64;
const POWER_103: f64 = (1u128 << 103) as f64;

const WHOLE_BITS: i64 = WHOLE.to_bits().cast_signed();
const HIGH_BITS: i64 = HIGH.to_bits().cast_signed();
const LOW_BITS: i64 = LOW.to_bits().cast_signed();

/// Added before a carry: makes a column positive and rounds to nearest.
const BIAS: i64 = (1 << 62) + (1 << 50);
/// What the bias carries to the next limb.
const BIAS_CARRY: f64 = (1u64 << 11) as f64;
/// What the bias leaves in a limb.
const BIAS_REST: f64 = (1u64 << 50) as f64;

impl<D: Doubles> Field for Fma<D> {
    const LANES: usize = D::LANES;

    type Element = [D::Float; 5];
    type Wide = [D::Int; 5];
    type Mask = D::Mask;
    type Words = D;

    #[inline(always)]
    fn load(self, rows: &Rows) -> Self::Element {
        self.carry(each_limb!(k => self.0.load(&rows[k])))
    }

    #[inline(always)]
    fn store(self, element: Self::Element) -> Rows {
        let d = self.0;
        each_limb!(k => {
            // p makes every limb positive.
            let p = if k == 0 { MASK - 18 } else { MASK };
            let whole = d.bits(d.float_add(element[k], d.floats(LOW)));
            d.array(d.add(whole, d.ints(p.cast_signed() - LOW_BITS)))
        })
    }

    #[inline(always)]
    fn splat(self, number: u64) -> Self::Element {
        let mut element = [self.0.floats(0.0); 5];
        element[0] = self.0.floats(number as f64);
        element
    }

    #[inline(always)]
    fn multiply<const N: usize>(
        self,
        a: [Self::Element; N],
        b: [Self::Element; N],
    ) -> [Self::Wide; N] {
        let mut products = [[self.0.ints(0); 5]; N];
        for n in 0..N {
            products[n] = self.product::<false>(a[n], b[n]);
        }
        products
    }

    #[inline(always)]
    fn square<const N: usize>(self, a: [Self::Element; N]) -> [Self::Wide; N] {
        let mut products = [[self.0.ints(0); 5]; N];
        for n in 0..N {
            products[n] =
                self.product::<true>(a[n], each_limb!(k => self.0.float_add(a[n][k], a[n][k])));
        }
        products
    }

    #[inline(always)]
    fn multiply_add(self, a: Self::Element, b: Self::Element, number: u64) -> Self::Wide {
        let d = self.0;
        let number = d.floats(number as f64);
        let halves = each_limb!(k => self.halves(b[k], number));
        each_limb!(k => {
            let added = d.bits(d.float_add(a[k], d.floats(LOW)));
            let low = d.add(added, d.subtract(halves[k].0, d.ints(LOW_BITS.wrapping_mul(2))));
            let high = d.subtract(halves[before(k)].1, d.ints(HIGH_BITS));
            d.add(low, if k == 0 { d.nineteen(high) } else { high })
        })
    }

    #[inline(always)]
    fn widen(self, element: Self::Element) -> Self::Wide {
        let d = self.0;
        each_limb!(k => {
            d.subtract(d.bits(d.float_add(element[k], d.floats(LOW))), d.ints(LOW_BITS))
        })
    }

    #[inline(always)]
    fn wide_add(self, a: Self::Wide, b: Self::Wide) -> Self::Wide {
        each_limb!(k => self.0.add(a[k], b[k]))
    }

    #[inline(always)]
    fn wide_subtract(self, a: Self::Wide, b: Self::Wide) -> Self::Wide {
        each_limb!(k => self.0.subtract(a[k], b[k]))
    }

    #[inline(always)]
    fn carry(self, wide: Self::Wide) -> Self::Element {
        let d = self.0;
        let wide = each_limb!(k => d.add(wide[k], d.ints(BIAS)));
        let carries = each_limb!(k => d.right::<51>(wide[k]));
        each_limb!(k => {
            let (carry, biases) = match k {
                0 => (d.nineteen_small(carries[4]), 19.0 * BIAS_CARRY),
                _ => (carries[before(k)], BIAS_CARRY),
            };
            let rest = d.keep_and_set(wide[k], d.ints(MASK.cast_signed()), d.ints(WHOLE_BITS));
            let limb = d.number(d.add(rest, carry));
            d.float_subtract(limb, d.floats(WHOLE + BIAS_REST + biases))
        })
    }

    #[inline(always)]
    fn add(self, a: Self::Element, b: Self::Element) -> Self::Element {
        each_limb!(k => self.0.float_add(a[k], b[k]))
    }

    #[inline(always)]
    fn subtract(self, a: Self::Element, b: Self::Element) -> Self::Element {
        each_limb!(k => self.0.float_subtract(a[k], b[k]))
    }

    #[inline(always)]
    fn mask(self, lanes: u8) -> D::Mask {
        self.0.mask(lanes)
    }

    #[inline(always)]
    fn select(self, mask: D::Mask, yes: Self::Element, no: Self::Element) -> Self::Element {
        let d = self.0;
        each_limb!(k => d.number(d.select(mask, d.bits(yes[k]), d.bits(no[k]))))
    }

    #[inline(always)]
    fn words(self) -> D {
        self.0
    }

    #[inline(always)]
    fn to_words(self, element: Self::Element) -> [D::Int; 5] {
        each_limb!(k => self.0.bits(element[k]))
    }

    #[inline(always)]
    fn of_words(self, words: [D::Int; 5]) -> Self::Element {
        each_limb!(k => self.0.number(words[k]))
    }

    #[inline(always)]
    fn apart<P: Subroutine<Self>>(self, subroutine: P) -> P::Output {
        self.0.apart(subroutine)
    }
}

impl<D: Doubles> Fma<D> {
    /// a·b; or a² if `SQUARE` says so and `b` is 2a.
    #[inline(always)]
    fn product<const SQUARE: bool>(self, a: [D::Float; 5], b: [D::Float; 5]) -> [D::Int; 5] {
        let d = self.0;
        // Of the columns above the fifth, 19 times each counts in the fifth below; they are finished first.
        let mut columns = [d.ints(0); 10];
        for (k, column) in columns.iter_mut().enumerate().skip(4) {
            *column = d.ints(Self::start::<SQUARE>(k));
        }
        for k in 4..9 {
            self.column::<SQUARE>(&mut columns, k, a, b);
        }
        for k in 0..4 {
            let start = d.ints(Self::start::<SQUARE>(k));
            columns[k] = d.add(d.nineteen(columns[k + 5]), start);
        }
        columns[4] = d.add(columns[4], d.nineteen(columns[9]));
        for k in 0..4 {
            self.column::<SQUARE>(&mut columns, k, a, b);
        }
        each_limb!(k => columns[k])
    }

    /// Adds the products a_i·b_j with i + j = k, in a square those with i ≤ j, to column k and the next.
    #[inline(always)]
    fn column<const SQUARE: bool>(
        self,
        columns: &mut [D::Int; 10],
        k: usize,
        a: [D::Float; 5],
        b: [D::Float; 5],
    ) {
        let d = self.0;
        let (first, end) = Self::range::<SQUARE>(k);
        for i in first..end {
            let once = SQUARE && 2 * i == k;
            let (low, high) = self.halves(a[i], if once { a[i] } else { b[k - i] });
            columns[k] = d.add(columns[k], low);
            columns[k + 1] = d.add(columns[k + 1], high);
        }
    }

    /// Which a_i have a product in column k.
    #[inline(always)]
    const fn range<const SQUARE: bool>(k: usize) -> (usize, usize) {
        let first = k.saturating_sub(4);
        let end = if SQUARE { k / 2 + 1 } else { k + 1 };
        (first, if end > 5 { 5 } else { end })
    }

    /// What column k begins with: the bits of the constants in its products, negated.
    #[inline(always)]
    const fn start<const SQUARE: bool>(k: usize) -> i64 {
        let (first, end) = Self::range::<SQUARE>(k);
        let lows = end.saturating_sub(first) as i64;
        let mut highs = 0;
        if k > 0 {
            let (first, end) = Self::range::<SQUARE>(k - 1);
            highs = (end - first) as i64;
        }
        let bits = lows.wrapping_mul(LOW_BITS).wrapping_add(highs.wrapping_mul(HIGH_BITS));
        bits.wrapping_neg()
    }

    /// The halves of a·b, with the bits of their constants.
    #[inline(always)]
    fn halves(self, a: D::Float, b: D::Float) -> (D::Int, D::Int) {
        let d = self.0;
        let high = d.multiply_add(a, b, d.floats(HIGH));
        let low = d.multiply_add(a, b, d.float_subtract(d.floats(HIGH + LOW), high));
        (d.bits(low), d.bits(high))
    }
}
