//! Lanes of doubles where no multiply-add is fused.
//!
//! As in Bernstein's "Curve25519: new Diffie-Hellman speed records" (PKC 2006), section 4, an element is a sum of limbs
//! that are floating-point numbers, of which limb k is a multiple of 2^⌈(255/12)·k⌉; here there are twelve of them, for
//! doubles. Products of limbs and sums of these are exact, and the exponents take care of the places.
//!
//! # Bounds
//!
//! Limb k has w = 21 or 22 bits, and [`Field::carry`] leaves it at most 2^(w − 1) + 2^15 units in size; sums and
//! differences of two have twice that. A product of limbs is a multiple of its column's unit, for
//! ⌈x⌉ + ⌈y⌉ ≥ ⌈x + y⌉; beyond the twelfth column it counts 19·2^−255 times in the twelfth before, which is exact. A
//! column of a product of carried elements is below 2^49.1 units; three products with one sum each, less two others, have
//! columns below 2^52.4 units (a test adds them up). So all are below 2^53 units, and exact.
//!
//! A carry rounds to the next limb's unit by adding and taking away 1.5·2^52 of these units. The first carries take at
//! most 2^32 units of the next limb along, 19 times as many from the last limb to the first; those after them at most 2^15.

use super::field::{Field, Int, MASK, Rows, Subroutine, each_limb};
use super::words::Words;

/// What the field needs besides.
pub(super) trait Rounding: Words {
    fn float_multiply(self, a: Self::Float, b: Self::Float) -> Self::Float;
    fn float_add(self, a: Self::Float, b: Self::Float) -> Self::Float;
    fn float_subtract(self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// Bit i says yes for lane i.
    fn mask(self, lanes: u8) -> Self::Mask;
    /// [`Field::apart`]
    fn apart<P: Subroutine<Floats<Self>>>(self, subroutine: P) -> P::Output;
}

/// The field on lanes of doubles.
#[derive(Clone, Copy)]
pub(super) struct Floats<D>(D, &'static [f64; LIMBS]);

/// Limbs of an element.
pub(super) const LIMBS: usize = 12;

/// The block for each limb in turn. Loops of this length are not unrolled by themselves, and limbs that are chosen by a
/// variable stay in memory.
macro_rules! unrolled {
    ($k:ident => $block:block) => {
        unrolled!($k => $block; 0 1 2 3 4 5 6 7 8 9 10 11)
    };
    ($k:ident => $block:block; $($limb:literal)+) => {
        $({
            let $k: usize = $limb;
            $block
        })+
    };
}

/// What limb k is a multiple of: two to this power.
pub(super) const fn exponent(k: usize) -> u32 {
    (85 * k as u32).div_ceil(4)
}

/// 2^exponent
const fn power(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// 19·2^−255: the twelfth limb beyond a limb, in its place.
const FOLD: f64 = 19.0 * power(-255);

/// What rounds each limb to the unit of the next. Constants of 128 bits take several instructions each; loads take one.
static ROUNDING: [f64; LIMBS] = {
    let mut rounding = [0.0; LIMBS];
    let mut k = 0;
    while k < LIMBS {
        rounding[k] = WHOLE * power(exponent(k + 1) as i32);
        k += 1;
    }
    rounding
};

/// A double from here to twice as much is a multiple of 1.
const WHOLE: f64 = 1.5 * power(52);

/// The limb whose place is at bit `bit` or the last before it.
const fn limb_at(bit: u32) -> usize {
    let mut k = 0;
    while k + 1 < LIMBS && exponent(k + 1) <= bit {
        k += 1;
    }
    k
}

impl<D: Rounding> Field for Floats<D> {
    const LANES: usize = D::LANES;

    type Element = [D::Float; LIMBS];
    type Wide = [D::Float; LIMBS];
    type Mask = D::Mask;
    type Words = D;

    #[inline(always)]
    fn load(self, rows: &Rows) -> Self::Element {
        let d = self.0;
        let mut sums = [d.floats(0.0); LIMBS];
        for (row, bit) in rows.iter().zip((0..).step_by(51)) {
            let limb = d.load(row);
            for (half, bit) in
                [(d.and(limb, d.splat(u64::from(u32::MAX))), bit), (d.right::<32>(limb), bit + 32)]
            {
                let double = d.number(d.add(half, d.splat(power(52).to_bits())));
                let double = d.float_subtract(double, d.floats(power(52)));
                let placed = d.float_multiply(double, d.floats(power(bit as i32)));
                let k = limb_at(bit);
                sums[k] = d.float_add(sums[k], placed);
            }
        }
        self.carry(sums)
    }

    #[inline(always)]
    fn store(self, element: Self::Element) -> Rows {
        let d = self.0;
        let mut rows = Rows::default();
        for (k, limb) in element.into_iter().enumerate() {
            let (from, to) = (exponent(k), exponent(k + 1));
            // p makes every limb positive.
            let p = (1 << (to - from)) - if k == 0 { 19 } else { 1 };
            let units = d.float_multiply(limb, d.floats(power(-(from as i32))));
            let whole = d.bits(d.float_add(units, d.floats(WHOLE)));
            let units = d.array(d.add(whole, d.ints(p - WHOLE.to_bits().cast_signed())));
            let (row, bit) = ((from / 51) as usize, from % 51);
            for (lane, units) in units[..D::LANES].iter().enumerate() {
                if row == 4 {
                    rows[row][lane] += units << bit;
                } else {
                    rows[row][lane] += units << bit & MASK;
                    rows[row + 1][lane] += units >> (51 - bit);
                }
            }
        }
        rows
    }

    #[inline(always)]
    fn splat(self, number: u64) -> Self::Element {
        let mut element = [self.0.floats(0.0); LIMBS];
        let mut rest = number.cast_signed();
        for (k, limb) in element[..3].iter_mut().enumerate() {
            let (from, to) = (exponent(k), exponent(k + 1));
            let half = 1 << (to - from - 1);
            let carry = (rest + half) >> (to - from);
            let digit = rest - (carry << (to - from));
            *limb = self.0.floats(digit as f64 * power(from as i32));
            rest = carry;
        }
        element
    }

    #[inline(always)]
    fn multiply<const N: usize>(
        self,
        a: [Self::Element; N],
        b: [Self::Element; N],
    ) -> [Self::Wide; N] {
        let mut products = a;
        for n in 0..N {
            products[n] = self.product(&a[n], &b[n]);
        }
        products
    }

    #[inline(always)]
    fn square<const N: usize>(self, a: [Self::Element; N]) -> [Self::Wide; N] {
        let mut products = a;
        for n in 0..N {
            products[n] = self.square_of(&a[n]);
        }
        products
    }

    #[inline(always)]
    fn multiply_add(self, a: Self::Element, b: Self::Element, number: u64) -> Self::Wide {
        let number = self.0.floats(number as f64);
        let mut sums = a;
        for k in 0..LIMBS {
            sums[k] = self.0.multiply_add(b[k], number, a[k]);
        }
        sums
    }

    #[inline(always)]
    fn widen(self, element: Self::Element) -> Self::Wide {
        element
    }

    #[inline(always)]
    fn wide_add(self, mut a: Self::Wide, b: Self::Wide) -> Self::Wide {
        for k in 0..LIMBS {
            a[k] = self.0.float_add(a[k], b[k]);
        }
        a
    }

    #[inline(always)]
    fn wide_subtract(self, mut a: Self::Wide, b: Self::Wide) -> Self::Wide {
        for k in 0..LIMBS {
            a[k] = self.0.float_subtract(a[k], b[k]);
        }
        a
    }

    /// Four chains of three carries side by side, then what came to the last of each.
    #[inline(always)]
    fn carry(self, mut wide: Self::Wide) -> Self::Element {
        unrolled!(place => {
            self.carry_one(&mut wide, 3 * (place % 4) + place / 4);
        });
        for chain in 0..4 {
            self.carry_one(&mut wide, 3 * chain);
        }
        wide
    }

    #[inline(always)]
    fn add(self, a: Self::Element, b: Self::Element) -> Self::Element {
        self.wide_add(a, b)
    }

    #[inline(always)]
    fn subtract(self, a: Self::Element, b: Self::Element) -> Self::Element {
        self.wide_subtract(a, b)
    }

    #[inline(always)]
    fn mask(self, lanes: u8) -> D::Mask {
        self.0.mask(lanes)
    }

    #[inline(always)]
    fn select(self, mask: D::Mask, yes: Self::Element, no: Self::Element) -> Self::Element {
        let d = self.0;
        let mut selected = no;
        for k in 0..LIMBS {
            selected[k] = d.number(d.select(mask, d.bits(yes[k]), d.bits(no[k])));
        }
        selected
    }

    #[inline(always)]
    fn words(self) -> D {
        self.0
    }

    #[inline(always)]
    fn to_words(self, element: Self::Element) -> [Int<Self>; 5] {
        let rows = self.store(element);
        each_limb!(k => self.0.load(&rows[k]))
    }

    #[inline(always)]
    fn of_words(self, words: [Int<Self>; 5]) -> Self::Element {
        self.load(&each_limb!(k => self.0.array(words[k])))
    }

    #[inline(always)]
    fn apart<P: Subroutine<Self>>(self, subroutine: P) -> P::Output {
        self.0.apart(subroutine)
    }
}

impl<D: Rounding> Floats<D> {
    pub(super) fn new(lanes: D) -> Self {
        Self(lanes, std::hint::black_box(&ROUNDING))
    }

    /// Brings what limb `k` has beyond its bits to the next.
    #[inline(always)]
    fn carry_one(self, limbs: &mut [D::Float; LIMBS], k: usize) {
        let d = self.0;
        let rounding = d.floats(self.1[k]);
        let carry = d.float_subtract(d.float_add(limbs[k], rounding), rounding);
        limbs[k] = d.float_subtract(limbs[k], carry);
        if k + 1 < LIMBS {
            limbs[k + 1] = d.float_add(limbs[k + 1], carry);
        } else {
            limbs[0] = d.multiply_add(carry, d.floats(FOLD), limbs[0]);
        }
    }

    /// a·b. A function of its own, as is a square: engines compile small ones sooner and give them registers, and the
    /// code is a tenth shorter.
    #[inline(never)]
    fn product(self, a: &[D::Float; LIMBS], b: &[D::Float; LIMBS]) -> [D::Float; LIMBS] {
        let d = self.0;
        let mut folded = *b;
        unrolled!(k => { folded[k] = d.float_multiply(b[k], d.floats(FOLD)); });
        let mut columns = *b;
        unrolled!(k => { columns[k] = d.float_multiply(a[0], b[k]); });
        unrolled!(i => {
            unrolled!(k => {
                if i > 0 {
                    let right = if i <= k { b[k - i] } else { folded[LIMBS + k - i] };
                    columns[k] = d.multiply_add(a[i], right, columns[k]);
                }
            });
        });
        columns
    }

    /// a²
    #[inline(never)]
    fn square_of(self, a: &[D::Float; LIMBS]) -> [D::Float; LIMBS] {
        let d = self.0;
        let (mut twice, mut folded) = (*a, *a);
        unrolled!(k => {
            twice[k] = d.float_add(a[k], a[k]);
            folded[k] = d.float_multiply(a[k], d.floats(FOLD));
        });
        let mut columns = *a;
        unrolled!(k => {
            let mut sum = if k.is_multiple_of(2) {
                d.multiply_add(a[k / 2], a[k / 2], d.float_multiply(a[k / 2 + 6], folded[k / 2 + 6]))
            } else {
                d.float_multiply(twice[k / 2], a[k / 2 + 1])
            };
            unrolled!(i => {
                if 2 * i < k && !(k % 2 == 1 && i == k / 2) {
                    sum = d.multiply_add(twice[i], a[k - i], sum);
                }
                if i > k && 2 * i < k + LIMBS {
                    sum = d.multiply_add(twice[i], folded[k + LIMBS - i], sum);
                }
            });
            columns[k] = sum;
        });
        columns
    }
}
