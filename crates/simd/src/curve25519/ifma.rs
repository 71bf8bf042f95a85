//! Eight lanes with AVX-512 IFMA: 52-bit products, low and high halves.
//!
//! # Bounds
//!
//! Elements have limbs below 2^51 + 2^17. A low half is below 2^52, a high half below 2^50.1; a high half counts twice
//! in the next column, for limbs have 51 bits. So a column is below 5·2^52 + 2·5·2^50.1 < 7.7·2^52, the ones above the
//! fifth, taken 19 times, included: below 20·7.7·2^52 < 2^59.3. The sum of two is below 2^60.3 and that of three below
//! 2^60.9; with 2^11·p added, whose limbs are just below 2^62, a difference is positive and below 2^62.6: nothing leaves 64 bits. A carry
//! takes at most 2^11.6 to the next limb, 19 times as much to the first: below 2^51 + 2^16 again.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "what is said before the implementation holds for every block: they are one intrinsic each"
)]

use std::arch::x86_64::{__m512i, __mmask8, _mm512_mask_blend_epi64, _mm512_mullo_epi64};

use super::field::{Field, MASK, P, Rows, Subroutine, before, each_limb};
use crate::vector::{Halves, V8Ifma, Vector};

/// The field on lanes that multiply 52 bits.
#[derive(Clone, Copy)]
pub(super) struct Ifma(pub(super) V8Ifma);

type Vectors = [__m512i; 5];

// SAFETY of all blocks below: a value of `Ifma` says that the processor has the instructions.
impl Field for Ifma {
    const LANES: usize = 8;

    type Element = Vectors;
    type Wide = Vectors;
    type Mask = __mmask8;
    type Words = V8Ifma;

    #[inline(always)]
    fn load(self, rows: &Rows) -> Vectors {
        self.carry(each_limb!(k => self.0.load(&rows[k])))
    }

    #[inline(always)]
    fn store(self, element: Vectors) -> Rows {
        each_limb!(k => self.0.array(element[k]))
    }

    #[inline(always)]
    fn splat(self, number: u64) -> Vectors {
        let mut element = [self.0.splat(0); 5];
        element[0] = self.0.splat(number);
        element
    }

    #[inline(always)]
    fn multiply<const N: usize>(self, a: [Vectors; N], b: [Vectors; N]) -> [Vectors; N] {
        let mut products = a;
        each_limb!(k => {
            // Column k + 5 counts 19 times in column k.
            let mut sums = self.column::<true, N>([self.0.splat(0); N], &a, &b, k + 4);
            self.double(&mut sums);
            let mut sums = self.column::<false, N>(sums, &a, &b, k + 5);
            for sum in &mut sums {
                *sum = self.nineteen(*sum);
            }
            if k > 0 {
                let mut lower = self.column::<true, N>([self.0.splat(0); N], &a, &b, k - 1);
                self.double(&mut lower);
                for n in 0..N {
                    sums[n] = self.0.add(sums[n], lower[n]);
                }
            }
            let sums = self.column::<false, N>(sums, &a, &b, k);
            for n in 0..N {
                products[n][k] = sums[n];
            }
        });
        products
    }

    #[inline(always)]
    fn square<const N: usize>(self, a: [Vectors; N]) -> [Vectors; N] {
        let mut squares = a;
        each_limb!(k => {
            let upper = self.square_columns(&a, k + 5);
            let lower = self.square_columns(&a, k);
            for n in 0..N {
                squares[n][k] = self.0.add(lower[n], self.nineteen(upper[n]));
            }
        });
        squares
    }

    #[inline(always)]
    fn multiply_add(self, a: Vectors, b: Vectors, number: u64) -> Vectors {
        let number = self.0.splat(number);
        let high = each_limb!(k => self.0.high(self.0.splat(0), b[k], number));
        each_limb!(k => {
            let sum = match k {
                // Twice, and 19 times.
                0 => self.0.low(a[0], high[4], self.0.splat(38)),
                _ => self.0.add(a[k], self.0.add(high[before(k)], high[before(k)])),
            };
            self.0.low(sum, b[k], number)
        })
    }

    #[inline(always)]
    fn widen(self, element: Vectors) -> Vectors {
        element
    }

    #[inline(always)]
    fn wide_add(self, a: Vectors, b: Vectors) -> Vectors {
        each_limb!(k => self.0.add(a[k], b[k]))
    }

    #[inline(always)]
    fn wide_subtract(self, a: Vectors, b: Vectors) -> Vectors {
        self.subtract_from_multiple(a, b, 1 << 11)
    }

    #[inline(always)]
    fn carry(self, wide: Vectors) -> Vectors {
        let mask = self.0.splat(MASK);
        let carries = each_limb!(k => self.0.right::<51>(wide[k]));
        let limbs = each_limb!(k => self.0.and(wide[k], mask));
        each_limb!(k => match k {
            0 => self.0.low(limbs[0], carries[4], self.0.splat(19)),
            _ => self.0.add(limbs[k], carries[before(k)]),
        })
    }

    #[inline(always)]
    fn add(self, a: Vectors, b: Vectors) -> Vectors {
        self.carry(self.wide_add(a, b))
    }

    #[inline(always)]
    fn subtract(self, a: Vectors, b: Vectors) -> Vectors {
        self.carry(self.subtract_from_multiple(a, b, 2))
    }

    #[inline(always)]
    fn mask(self, lanes: u8) -> __mmask8 {
        lanes
    }

    #[inline(always)]
    fn select(self, mask: __mmask8, yes: Vectors, no: Vectors) -> Vectors {
        each_limb!(k => unsafe { _mm512_mask_blend_epi64(mask, no[k], yes[k]) })
    }

    #[inline(always)]
    fn words(self) -> V8Ifma {
        self.0
    }

    #[inline(always)]
    fn to_words(self, element: Vectors) -> Vectors {
        element
    }

    #[inline(always)]
    fn of_words(self, words: Vectors) -> Vectors {
        words
    }

    #[inline(always)]
    fn apart<P: Subroutine<Self>>(self, subroutine: P) -> P::Output {
        unsafe { apart(self, subroutine) }
    }
}

/// # Safety
/// The processor has AVX-512F, BW, DQ and IFMA.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
#[inline(never)]
unsafe fn apart<P: Subroutine<Ifma>>(f: Ifma, subroutine: P) -> P::Output {
    subroutine.run(f)
}

impl Ifma {
    #[inline(always)]
    fn nineteen(self, a: __m512i) -> __m512i {
        unsafe { _mm512_mullo_epi64(a, self.0.splat(19)) }
    }

    #[inline(always)]
    fn double<const N: usize>(self, sums: &mut [__m512i; N]) {
        for sum in sums {
            *sum = self.0.add(*sum, *sum);
        }
    }

    /// To each of `sums` the low halves, or the `HIGH` ones, of all a_i·b_j with i + j = k.
    #[inline(always)]
    fn column<const HIGH: bool, const N: usize>(
        self,
        mut sums: [__m512i; N],
        a: &[Vectors; N],
        b: &[Vectors; N],
        k: usize,
    ) -> [__m512i; N] {
        for i in k.saturating_sub(4)..(k + 1).min(5) {
            for n in 0..N {
                let (acc, a, b) = (sums[n], a[n][i], b[n][k - i]);
                sums[n] = if HIGH { self.0.high(acc, a, b) } else { self.0.low(acc, a, b) };
            }
        }
        sums
    }

    /// Column k of each a²: each product of different limbs once, doubled in the end, and high halves once more.
    #[inline(always)]
    fn square_columns<const N: usize>(self, a: &[Vectors; N], k: usize) -> [__m512i; N] {
        let mut sums = [self.0.splat(0); N];
        if k > 0 {
            for i in (k - 1).saturating_sub(4)..k / 2 {
                for n in 0..N {
                    sums[n] = self.0.high(sums[n], a[n][i], a[n][k - 1 - i]);
                }
            }
            self.double(&mut sums);
        }
        for i in k.saturating_sub(4)..k.div_ceil(2) {
            for n in 0..N {
                sums[n] = self.0.low(sums[n], a[n][i], a[n][k - i]);
            }
        }
        if k % 2 == 1 {
            for n in 0..N {
                sums[n] = self.0.high(sums[n], a[n][k / 2], a[n][k / 2]);
            }
        }
        self.double(&mut sums);
        if k.is_multiple_of(2) {
            for n in 0..N {
                sums[n] = self.0.low(sums[n], a[n][k / 2], a[n][k / 2]);
            }
        }
        sums
    }

    /// a − b + multiple·p
    #[inline(always)]
    fn subtract_from_multiple(self, a: Vectors, b: Vectors, multiple: u64) -> Vectors {
        each_limb!(k => self.0.subtract(self.0.add(a[k], self.0.splat(multiple * P[k])), b[k]))
    }
}
