//! How the elements of both sides are spread over polynomials.

use veilset_crypto::Field;
use veilset_poly::cost;
use veilset_structures::bin_capacity;

use super::algorithms::{ENCRYPTION, SCALING, SUM_TERM, evaluation, multiplication};

/// How elements are spread over polynomials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// All elements in one polynomial a side, as `ks`.
    Whole,
    /// In bins, as `ks-binned`.
    Binned,
}

impl Spread {
    /// For sets of so many elements, over a group whose exponents are this field.
    pub(super) fn layout(self, field: &impl Field, sender: usize, receiver: usize) -> Layout {
        match self {
            Self::Whole => Layout::whole(sender, receiver),
            Self::Binned => Layout::binned(field, sender, receiver),
        }
    }
}

/// Bins, and the roots of each side's polynomial in each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) bins: usize,
    /// Degree of the sender's polynomials.
    pub(super) sender: usize,
    /// Degree of the receiver's polynomials.
    pub(super) receiver: usize,
}

/// Bits of the bound on each overflow, of a side's bins and of the receiver's batches: all together stay below 2^-40.
const OVERFLOW_BITS: f64 = 42.0;

impl Layout {
    /// All elements in one polynomial a side, as the paper draws it.
    pub(super) fn whole(sender: usize, receiver: usize) -> Self {
        Self { bins: 1, sender, receiver }
    }

    /// As many bins as make the least work. Both sides find the same: work is counted in integers, and capacities by the
    /// four operations that every machine rounds alike.
    pub(super) fn binned(field: &impl Field, sender: usize, receiver: usize) -> Self {
        let larger = sender.max(receiver);
        let loads = std::iter::successors(Some(1), |load| Some(2 * load));
        let loads = loads.take_while(|load| *load < 2 * larger);
        let layouts = loads.map(|load| Self::of(larger.div_ceil(load), sender, receiver));
        layouts
            .min_by_key(|layout| layout.work(field, receiver).iter().sum::<u64>())
            .unwrap_or(Self::whole(sender, receiver))
    }

    fn of(bins: usize, sender: usize, receiver: usize) -> Self {
        let degree = |items| bin_capacity(items, bins, OVERFLOW_BITS).max(1);
        Self { bins, sender: degree(sender), receiver: degree(receiver) }
    }

    /// The work of the sender and of the receiver, which has so many `points`, in hundredths of a scalar multiplication.
    pub(super) fn work(&self, field: &impl Field, points: usize) -> [u64; 2] {
        let (bins, len) = (self.bins as u64, self.result_len() as u64);
        let how = multiplication(field, self.sender + 1, self.receiver);
        let product = cost::multiply(how, self.sender + 1, self.receiver).scalings;
        let values = match evaluation(field, self.result_len(), self.mean(points)) {
            Some(how) => {
                bins * SCALING * cost::evaluate(how, self.result_len(), self.receiver).scalings
            }
            None => points as u64 * len * SUM_TERM,
        };
        let receiver = bins * (ENCRYPTION * self.receiver as u64 + SCALING * len) + values;
        [bins * (2 * SCALING * product + ENCRYPTION * len), receiver]
    }

    /// Elements that fall to a bin on average, rounded up.
    pub(super) fn mean(&self, items: usize) -> usize {
        items.div_ceil(self.bins)
    }

    /// How many of `items` fall to any `bins` of the bins at most.
    pub(super) fn most_in(&self, bins: usize, items: usize) -> usize {
        bin_capacity(items, (self.bins / bins).max(1), OVERFLOW_BITS)
    }

    /// Coefficients of the polynomial that comes back from a bin.
    pub(super) fn result_len(&self) -> usize {
        self.sender + self.receiver + 1
    }
}
