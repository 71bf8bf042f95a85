//! The work of each function, group of lanes by group of lanes.

use super::digits::Windows;
use super::encoding::{self, CHAINS};
use super::formulas::{self, Extended};
use super::{Encoded, Point, Scalar, doubled, map, multiply};
use crate::curve25519::field::{self, Field, Int};
use crate::curve25519::{Work, canonical};
use crate::vector::Vector;

pub(super) struct Decode<'a> {
    pub(super) encoded: &'a [Encoded],
    pub(super) points: &'a mut [Point],
    /// The place of the first that is refused.
    pub(super) refused: &'a mut Option<usize>,
}

impl Work for Decode<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let most = CHAINS * F::LANES;
        let batches = self.encoded.chunks(most).zip(self.points.chunks_mut(most));
        for (batch, (encoded, points)) in batches.enumerate() {
            let masks = encoding::decode(f, encoded, points);
            for (place, _) in encoded.iter().enumerate() {
                let refused = masks[place / F::LANES] >> (place % F::LANES) & 1 == 1;
                if refused && self.refused.is_none() {
                    *self.refused = Some(batch * most + place);
                }
            }
        }
    }
}

pub(super) struct Encode<'a> {
    pub(super) points: &'a [Point],
    pub(super) encoded: &'a mut [Encoded],
}

impl Work for Encode<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let most = CHAINS * F::LANES;
        for (points, encoded) in self.points.chunks(most).zip(self.encoded.chunks_mut(most)) {
            encoding::encode(f, points, encoded);
        }
    }
}

pub(super) struct EncodeDoubled<'a> {
    pub(super) points: &'a [Point],
    pub(super) encoded: &'a mut [Encoded],
}

impl Work for EncodeDoubled<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let most = doubled::GROUPS * F::LANES;
        for (points, encoded) in self.points.chunks(most).zip(self.encoded.chunks_mut(most)) {
            doubled::encode_doubled(f, points, encoded);
        }
    }
}

pub(super) struct Map<'a> {
    pub(super) uniform: &'a [[u8; 64]],
    pub(super) points: &'a mut [Point],
}

impl Work for Map<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        for (uniform, points) in self.uniform.chunks(F::LANES).zip(self.points.chunks_mut(F::LANES))
        {
            map::map(f, uniform, points);
        }
    }
}

/// Sums, or differences.
pub(super) struct Add<'a, const SUBTRACT: bool> {
    pub(super) sums: &'a mut [Point],
    pub(super) points: &'a [Point],
}

impl<const SUBTRACT: bool> Work for Add<'_, SUBTRACT> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let subtract = f.mask(if SUBTRACT { u8::MAX } else { 0 });
        for (sums, points) in self.sums.chunks_mut(F::LANES).zip(self.points.chunks(F::LANES)) {
            let (left, right) = (Extended::load(f, sums), Extended::load(f, points));
            let sum = formulas::add_or_subtract(f, subtract, left.left(f), right.right(f));
            sum.extended(f).store(f, sums);
        }
    }
}

pub(super) struct Double<'a>(pub(super) &'a mut [Point]);

impl Work for Double<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        for group in self.0.chunks_mut(F::LANES) {
            let point = Extended::load(f, group).projective(f);
            formulas::double(f, point).extended(f).store(f, group);
        }
    }
}

pub(super) struct Multiply<'a> {
    pub(super) scalars: Scalars<'a>,
    pub(super) points: &'a mut [Point],
}

/// What points are multiplied by.
pub(super) enum Scalars<'a> {
    /// The same scalar for all.
    One(&'a Scalar),
    /// A scalar for each.
    Each(&'a [Scalar]),
}

impl Work for Multiply<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        for (index, group) in self.points.chunks_mut(F::LANES).enumerate() {
            let windows = match self.scalars {
                Scalars::One(scalar) => Windows::in_all_lanes(scalar),
                Scalars::Each(scalars) => Windows::new(&scalars[F::LANES * index..][..group.len()]),
            };
            let point = Extended::load(f, group);
            multiply::multiply(f, &windows, point).store(f, group);
        }
    }
}

pub(super) struct IsIdentity<'a> {
    pub(super) points: &'a [Point],
    pub(super) answers: &'a mut Vec<bool>,
}

impl Work for IsIdentity<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        for group in self.points.chunks(F::LANES) {
            // The points that stand for it have x = 0 or y = 0.
            let t = f.load(&field::rows(group, |point| point.t));
            answer(f, canonical::zero(f, t), group.len(), self.answers);
        }
    }
}

pub(super) struct Equal<'a> {
    pub(super) points: &'a [Point],
    pub(super) others: &'a [Point],
    pub(super) answers: &'a mut Vec<bool>,
}

impl Work for Equal<'_> {
    #[inline(always)]
    fn run<F: Field>(self, f: F) {
        let w = f.words();
        for (group, others) in self.points.chunks(F::LANES).zip(self.others.chunks(F::LANES)) {
            // x1·y2 = y1·x2 or y1·y2 = x1·x2 (RFC 9496, section 4.3.3).
            let (one, other) = (Extended::load(f, group), Extended::load(f, others));
            let [xy, yx, yy, xx] =
                f.multiply([one.x, one.y, one.y, one.x], [other.y, other.x, other.y, other.x]);
            let first = canonical::zero(f, f.carry(f.wide_subtract(xy, yx)));
            let second = canonical::zero(f, f.carry(f.wide_subtract(yy, xx)));
            answer(f, w.add(first, second), group.len(), self.answers);
        }
    }
}

/// Says yes for each of the first lanes that is not 0.
#[inline(always)]
fn answer<F: Field>(f: F, lanes: Int<F>, count: usize, answers: &mut Vec<bool>) {
    answers.extend(f.words().array(lanes)[..count].iter().map(|lane| *lane != 0));
}
