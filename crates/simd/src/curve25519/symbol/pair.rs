//! Two numbers in limbs, in each lane.

use crate::curve25519::field::Rows;
use crate::curve25519::words::Words;

use super::Factors;

/// Bits of a limb; the last limb has the sign and up to 31 bits.
pub(super) const BITS: u32 = 29;
pub(super) const LIMBS: usize = 9;

/// The bits of a limb.
const LIMB: i64 = (1 << BITS) - 1;
const WEIGHT: f64 = (1u64 << BITS) as f64;

/// The two numbers, their limbs least first.
#[derive(Clone, Copy)]
pub(super) struct Pair<W: Words> {
    pub(super) a: [W::Int; LIMBS],
    pub(super) b: [W::Int; LIMBS],
}

impl<W: Words> Pair<W> {
    /// a = x, b = p
    #[inline(always)]
    pub(super) fn new(w: W, x: &Rows) -> Self {
        Self { a: limbs(w, x), b: modulus(w) }
    }
}

/// p
#[inline(always)]
fn modulus<W: Words>(w: W) -> [W::Int; LIMBS] {
    let mut limbs = [w.ints(LIMB); LIMBS];
    limbs[0] = w.ints(LIMB - 18);
    limbs[LIMBS - 1] = w.ints(LIMB >> 6);
    limbs
}

/// From limbs of 51 bits; the bit that these may have besides stays in the limb that has the ones below it.
#[inline(always)]
fn limbs<W: Words>(w: W, rows: &Rows) -> [W::Int; LIMBS] {
    let [r0, r1, r2, r3, r4] =
        [w.load(&rows[0]), w.load(&rows[1]), w.load(&rows[2]), w.load(&rows[3]), w.load(&rows[4])];
    let limb = w.ints(LIMB);
    [
        w.and(r0, limb),
        w.add(w.right::<29>(r0), w.and(w.left::<22>(r1), limb)),
        w.and(w.right::<7>(r1), limb),
        w.add(w.right::<36>(r1), w.and(w.left::<15>(r2), limb)),
        w.and(w.right::<14>(r2), limb),
        w.add(w.right::<43>(r2), w.and(w.left::<8>(r3), limb)),
        w.and(w.right::<21>(r3), limb),
        w.add(w.right::<50>(r3), w.and(w.left::<1>(r4), limb)),
        w.right::<28>(r4),
    ]
}

/// Doubles of both numbers, off by 2^-50 of each at most.
#[inline(always)]
pub(super) fn floats<W: Words, const N: usize>(
    w: W,
    pairs: &[Pair<W>; N],
    count: usize,
) -> [[W::Float; 2]; N] {
    let weight = w.floats(WEIGHT);
    let mut floats = [[w.floats(0.0); 2]; N];
    for k in (0..count).rev() {
        for n in 0..N {
            let [a, b] = floats[n];
            let limbs = [w.convert(pairs[n].a[k]), w.convert(pairs[n].b[k])];
            floats[n] = [w.multiply_add(a, weight, limbs[0]), w.multiply_add(b, weight, limbs[1])];
        }
    }
    floats
}

/// The lowest two, as one number.
#[inline(always)]
pub(super) fn two_limbs<W: Words>(w: W, limbs: &[W::Int; LIMBS]) -> W::Int {
    w.add(limbs[0], w.left::<BITS>(limbs[1]))
}

/// Both numbers after a round.
#[inline(always)]
pub(super) fn update<W: Words, const N: usize>(
    w: W,
    pairs: &mut [Pair<W>; N],
    factors: &[Factors<W>; N],
    count: usize,
) {
    let mut f = [[w.ints(0); 2]; N];
    let mut g = f;
    for n in 0..N {
        // A multiplication sees the lower half alone, which is f as it stands.
        f[n] = [factors[n].a, factors[n].b];
        g[n] = [upper(w, factors[n].a), upper(w, factors[n].b)];
    }
    let mut carries = [[w.ints(0); 2]; N];
    for k in 0..count {
        for n in 0..N {
            let Pair { a, b } = &mut pairs[n];
            let mut limbs = carries[n];
            for row in 0..2 {
                let product = w.add(w.multiply(f[n][row], a[k]), w.multiply(g[n][row], b[k]));
                let sum = w.add(product, carries[n][row]);
                carries[n][row] = w.right_signed::<BITS>(sum);
                limbs[row] = w.and(sum, w.ints(LIMB));
            }
            // The first is 0.
            if k > 0 {
                [a[k - 1], b[k - 1]] = limbs;
            }
        }
    }
    for n in 0..N {
        [pairs[n].a[count - 1], pairs[n].b[count - 1]] = carries[n];
    }
}

/// g, from f + 2^32·g, in the lower half.
#[inline(always)]
fn upper<W: Words>(w: W, factors: W::Int) -> W::Int {
    w.right::<32>(w.add(factors, w.ints(1 << 31)))
}

/// Adds the last limb to the one before.
#[inline(always)]
pub(super) fn drop_limb<W: Words, const N: usize>(w: W, pairs: &mut [Pair<W>; N], count: usize) {
    for Pair { a, b } in pairs {
        a[count - 2] = w.add(a[count - 2], w.left::<BITS>(a[count - 1]));
        b[count - 2] = w.add(b[count - 2], w.left::<BITS>(b[count - 1]));
    }
}
