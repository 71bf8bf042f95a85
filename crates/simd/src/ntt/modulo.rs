//! Arithmetic modulo one of the primes, in lanes.
//!
//! # Bounds
//!
//! p is below 2^50. A word is *loose* if it is below 2^52, *tight* if it is below 2p. With e = 2^52 − 4p > 0, a loose word
//! of which 2p is taken if it is at least that is below 2p + e, so its sum with a tight one is loose again; and so is
//! its difference from one, 2p added.

use super::lanes::Lanes;
use super::tables::{Pair, Pairs};
use crate::vector::MASK_52;

/// A prime in all lanes.
#[derive(Clone, Copy)]
pub(super) struct Modulo<L: Lanes> {
    pub(super) l: L,
    prime: L::Int,
    twice: L::Int,
    /// 2^52 − p.
    opposite: L::Int,
    mask: L::Int,
    zero: L::Int,
}

/// A constant below p, and floor(constant·2^52/p).
#[derive(Clone, Copy)]
pub(super) struct Factor<W>(pub(super) W, pub(super) W);

impl<L: Lanes> Modulo<L> {
    #[inline(always)]
    pub(super) fn new(l: L, p: u64) -> Self {
        Self {
            l,
            prime: l.splat(p),
            twice: l.splat(2 * p),
            opposite: l.splat(MASK_52 + 1 - p),
            mask: l.splat(MASK_52),
            zero: l.splat(0),
        }
    }

    /// The same constant in all lanes.
    #[inline(always)]
    pub(super) fn factor(self, [factor, quotient]: Pair) -> Factor<L::Int> {
        Factor(self.l.splat(factor), self.l.splat(quotient))
    }

    /// Constants of their own in the lanes.
    #[inline(always)]
    pub(super) fn factors(self, pairs: &Pairs) -> Factor<L::Int> {
        Factor(self.l.load(&pairs[0]), self.l.load(&pairs[1]))
    }

    /// factor·x for a loose x; tight. The quotient is short of x·factor/p by less than 2 (Shoup's multiplication).
    #[inline(always)]
    pub(super) fn times(self, x: L::Int, factor: Factor<L::Int>) -> L::Int {
        let l = self.l;
        let quotient = l.high(self.zero, x, factor.1);
        l.and(l.low(l.low(self.zero, x, factor.0), quotient, self.opposite), self.mask)
    }

    /// A loose word less 2p, if it is at least that.
    #[inline(always)]
    pub(super) fn less(self, x: L::Int) -> L::Int {
        self.l.minimum(x, self.l.subtract(x, self.twice))
    }

    /// The number below p of a tight word.
    #[inline(always)]
    pub(super) fn least(self, x: L::Int) -> L::Int {
        self.l.minimum(x, self.l.subtract(x, self.prime))
    }

    /// (x + w·y, x − w·y) of loose words; loose.
    #[inline(always)]
    pub(super) fn forward(self, x: L::Int, y: L::Int, w: Factor<L::Int>) -> (L::Int, L::Int) {
        self.cross(self.less(x), self.times(y, w))
    }

    /// (x + y, (x − y)·w) of tight words; tight.
    #[inline(always)]
    pub(super) fn backward(self, x: L::Int, y: L::Int, w: Factor<L::Int>) -> (L::Int, L::Int) {
        let (sum, difference) = self.cross(x, y);
        (self.less(sum), self.times(difference, w))
    }

    /// (x + y, x − y) of tight words; below 4p.
    #[inline(always)]
    pub(super) fn cross(self, x: L::Int, y: L::Int) -> (L::Int, L::Int) {
        let l = self.l;
        (l.add(x, y), l.subtract(l.add(x, self.twice), y))
    }

    /// (x + y, x − y) of tight words; tight.
    #[inline(always)]
    pub(super) fn cross_back(self, x: L::Int, y: L::Int) -> (L::Int, L::Int) {
        let (sum, difference) = self.cross(x, y);
        (self.less(sum), self.less(difference))
    }

    /// [`forward`](Self::forward) or [`backward`](Self::backward).
    #[inline(always)]
    pub(super) fn step<const BACK: bool>(
        self,
        x: L::Int,
        y: L::Int,
        w: Factor<L::Int>,
    ) -> (L::Int, L::Int) {
        if BACK { self.backward(x, y, w) } else { self.forward(x, y, w) }
    }

    /// x + y of tight words; tight.
    #[inline(always)]
    pub(super) fn add(self, x: L::Int, y: L::Int) -> L::Int {
        self.less(self.l.add(x, y))
    }

    /// x·y of loose words, where `shift` is 2^52; tight.
    #[inline(always)]
    pub(super) fn product(self, x: L::Int, y: L::Int, shift: Factor<L::Int>) -> L::Int {
        let l = self.l;
        let low = self.least(self.less(l.low(self.zero, x, y)));
        // The low half is below p + e now, and the sum with a tight word below 3p + e.
        self.less(l.add(low, self.times(l.high(self.zero, x, y), shift)))
    }

    /// low + 2^52·high for sums of halves of products, where `shift` is 2^52, `high` is below 2^52 − 2^12 and `low` below
    /// 2^64; loose.
    #[inline(always)]
    pub(super) fn fold(self, low: L::Int, high: L::Int, shift: Factor<L::Int>) -> L::Int {
        let l = self.l;
        let high = l.add(high, l.right::<52>(low));
        l.add(self.less(l.and(low, self.mask)), self.times(high, shift))
    }
}
