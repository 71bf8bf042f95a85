//! Sums of products, a sum in each lane (Straus, Amer. Math. Monthly 71, 1964).
//!
//! With the digits of [`Windows`], Σ s_j·P_j = Σ_i 16^i · Σ_j d_ij·P_j: term by term, each digit's multiple is added to
//! the sum of its place, and in the end the sums of the places are put together with one multiplication's doublings. So
//! the table of one term is in use at a time and stays in the first cache; of the sums of the places an addition reads and
//! writes one, an eighth of what the lookup before it reads. A term takes 64 additions of 8 multiplications each, and
//! the table 69 and 4 squarings.

use super::digits::Windows;
use super::formulas::{self, Extended, Left};
use super::{Point, Scalar, multiply};
use crate::Kernel;
use crate::curve25519::field::Field;
use crate::curve25519::{Work, on_lanes_with};
use crate::vector::MOST_LANES;

/// Bytes of stack that this takes at most: mostly the sums of all places in each lane.
const STACK: usize = 192 << 10;

/// As the function of this name in the module above, which says when its conditions are broken.
pub(super) fn sums_of_products(
    kernel: Kernel,
    scalars: &[Scalar],
    points: &[Point],
    terms: usize,
) -> Vec<Point> {
    let mut sums = vec![Point::IDENTITY; points.len() / terms];
    on_lanes_with::<STACK>(kernel, Sums { scalars, points, terms, sums: &mut sums });
    sums
}

struct Sums<'a> {
    scalars: &'a [Scalar],
    points: &'a [Point],
    terms: usize,
    sums: &'a mut [Point],
}

impl Work for Sums<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let Self { scalars, points, terms, sums } = self;
        let most = F::LANES * terms;
        let groups = scalars.chunks(most).zip(points.chunks(most));
        for ((scalars, points), sums) in groups.zip(sums.chunks_mut(F::LANES)) {
            let mut places = [Left::neutral(f); Windows::COUNT];
            for term in 0..terms {
                let windows = Windows::new(&every(scalars, term, terms, [0; 32])[..sums.len()]);
                let points = every(points, term, terms, Point::IDENTITY);
                add_term(f, &mut places, &windows, Extended::load(f, &points[..sums.len()]));
            }
            total(f, &places).store(f, sums);
        }
    }
}

/// One value of each run of `terms`.
fn every<T: Copy>(values: &[T], term: usize, terms: usize, vacant: T) -> [T; MOST_LANES] {
    let mut chosen = [vacant; MOST_LANES];
    for (chosen, value) in chosen.iter_mut().zip(values.iter().skip(term).step_by(terms)) {
        *chosen = *value;
    }
    chosen
}

/// Adds to each place its digit's multiple of the point.
#[inline(always)]
fn add_term<F: Field>(
    f: F,
    places: &mut [Left<F>; Windows::COUNT],
    windows: &Windows,
    point: Extended<F>,
) {
    let table = multiply::odd_multiples(f, point);
    for (index, place) in places.iter_mut().enumerate() {
        let digit = windows.digit(index);
        let multiple = multiply::look_up(f, &table, &digit);
        *place = formulas::add_or_subtract(f, f.mask(digit.negative), *place, multiple).left(f);
    }
}

/// Σ 16^i · place_i
#[inline(always)]
fn total<F: Field>(f: F, places: &[Left<F>; Windows::COUNT]) -> Extended<F> {
    let mut sum = formulas::add(f, places[Windows::COUNT - 1], Left::neutral(f).right(f));
    for place in places[..Windows::COUNT - 1].iter().rev() {
        for _ in 0..4 {
            sum = formulas::double(f, sum.projective(f));
        }
        sum = formulas::add(f, sum.left(f), place.right(f));
    }
    sum.extended(f)
}
