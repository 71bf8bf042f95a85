//! Leaves of product trees, one a lane.

use super::{MOST_LEAF, Number, load, store};
use crate::curve25519::Work;
use crate::curve25519::field::Field;

/// Products side by side, for each alone waits on its own sums. Places beyond a polynomial's end are 0.
const SIDE: usize = 2;

/// The coefficients of a polynomial in each lane, and zeros.
type Polynomials<F> = [<F as Field>::Element; MOST_LEAF + SIDE];

/// The coefficients from that place on.
#[inline(always)]
fn several<F: Field>(poly: &Polynomials<F>, from: usize) -> [F::Element; SIDE] {
    let mut several = [poly[from]; SIDE];
    several.copy_from_slice(&poly[from..from + SIDE]);
    several
}

pub(super) struct Products<'a> {
    pub(super) leaf: usize,
    pub(super) roots: &'a [Number],
    pub(super) products: &'a mut [Number],
}

impl Work for Products<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let most = self.leaf * F::LANES;
        for (roots, products) in self.roots.chunks(most).zip(self.products.chunks_mut(most)) {
            let mut product = one(f);
            for place in 0..self.leaf {
                let root = load(f, roots, self.leaf, place);
                multiply_linear(f, &mut product, place, root);
            }
            for (place, coefficient) in product[..self.leaf].iter().enumerate() {
                store(f, *coefficient, products, self.leaf, place);
            }
        }
    }
}

/// The polynomial 1.
#[inline(always)]
fn one<F: Field>(f: F) -> Polynomials<F> {
    let mut product = [f.splat(0); MOST_LEAF + SIDE];
    product[0] = f.splat(1);
    product
}

/// Multiplies a polynomial of that degree by x − root, in place: from the highest coefficient on, so that what is needed
/// is still there.
#[inline(always)]
fn multiply_linear<F: Field>(f: F, poly: &mut Polynomials<F>, degree: usize, root: F::Element) {
    let mut end = (degree + 2).next_multiple_of(SIDE);
    while end > 0 {
        end -= SIDE;
        let products = f.multiply(several::<F>(poly, end), [root; SIDE]);
        for n in (0..SIDE).rev() {
            let below = if end + n == 0 { f.splat(0) } else { poly[end + n - 1] };
            poly[end + n] = f.carry(f.wide_subtract(f.widen(below), products[n]));
        }
    }
}

pub(super) struct Values<'a> {
    pub(super) leaf: usize,
    pub(super) products: &'a [Number],
    pub(super) numerators: &'a [Number],
    pub(super) points: &'a [Number],
    pub(super) values: &'a mut [Number],
}

impl Work for Values<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let most = self.leaf * F::LANES;
        let products = self.products.chunks(most).zip(self.numerators.chunks(most));
        let values = self.points.chunks(most).zip(self.values.chunks_mut(most));
        for ((products, numerators), (points, values)) in products.zip(values) {
            let remainder = remainder(f, self.leaf, products, numerators);
            for place in (0..self.leaf).step_by(SIDE) {
                // The last point stands in for one that is missing.
                let mut x = [f.splat(0); SIDE];
                for (n, x) in x.iter_mut().enumerate() {
                    *x = load(f, points, self.leaf, (place + n).min(self.leaf - 1));
                }
                for (n, sum) in horner(f, &remainder[..self.leaf], x).into_iter().enumerate() {
                    store(f, sum, values, self.leaf, (place + n).min(self.leaf - 1));
                }
            }
        }
    }
}

/// The values of the same polynomial at several points, in each lane.
#[inline(always)]
fn horner<F: Field>(f: F, poly: &[F::Element], x: [F::Element; SIDE]) -> [F::Element; SIDE] {
    let mut sums = [f.splat(0); SIDE];
    for coefficient in poly.iter().rev() {
        let products = f.multiply(sums, x);
        for n in 0..SIDE {
            sums[n] = f.carry(f.wide_add(products[n], f.widen(*coefficient)));
        }
    }
    sums
}

/// r_i = u_i + Σ_k u_k·P_(leaf − k + i), over k > i.
#[inline(always)]
fn remainder<F: Field>(
    f: F,
    leaf: usize,
    products: &[Number],
    numerators: &[Number],
) -> Polynomials<F> {
    let mut rest = [f.splat(0); MOST_LEAF + SIDE];
    for (place, rest) in rest[..leaf].iter_mut().enumerate() {
        *rest = load(f, numerators, leaf, place);
    }
    // Falling powers, from that of leaf − 1 on.
    let mut reversed = [f.splat(0); MOST_LEAF + SIDE];
    for (place, reversed) in reversed[..leaf].iter_mut().enumerate() {
        *reversed = load(f, products, leaf, leaf - 1 - place);
    }
    // r_i takes the place of u_i, which no later one needs.
    for i in 0..leaf {
        let mut sum = rest[i];
        for k in (i + 1..leaf).step_by(SIDE) {
            let (u, p) = (several::<F>(&rest, k), several::<F>(&reversed, k - i - 1));
            let mut wide = f.widen(sum);
            for product in f.multiply(u, p) {
                wide = f.wide_add(wide, product);
            }
            sum = f.carry(wide);
        }
        rest[i] = sum;
    }
    rest
}

pub(super) struct Sums<'a> {
    pub(super) leaf: usize,
    pub(super) points: &'a [Number],
    pub(super) weights: &'a [Number],
    pub(super) sums: &'a mut [Number],
}

impl Work for Sums<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let most = self.leaf * F::LANES;
        let leaves = self.points.chunks(most).zip(self.weights.chunks(most));
        for ((points, weights), sums) in leaves.zip(self.sums.chunks_mut(most)) {
            let mut product = one(f);
            let mut sum = [f.splat(0); MOST_LEAF + SIDE];
            for place in 0..self.leaf {
                let point = load(f, points, self.leaf, place);
                let weight = load(f, weights, self.leaf, place);
                // With P over the points before, the sum becomes (x − α)·S + w·P and the product (x − α)·P.
                multiply_linear(f, &mut sum, place, point);
                for k in (0..=place).step_by(SIDE) {
                    let terms = f.multiply(several::<F>(&product, k), [weight; SIDE]);
                    for n in 0..SIDE {
                        sum[k + n] = f.carry(f.wide_add(terms[n], f.widen(sum[k + n])));
                    }
                }
                multiply_linear(f, &mut product, place, point);
            }
            for (place, coefficient) in sum[..self.leaf].iter().enumerate() {
                store(f, *coefficient, sums, self.leaf, place);
            }
        }
    }
}
