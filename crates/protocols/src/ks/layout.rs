//! How the elements of both sides are spread over polynomials.

use rayon::prelude::*;
use veilset_crypto::{Element, PrimeGroup};
use veilset_poly::cost;
use veilset_structures::bin_capacity;
use zeroize::Zeroizing;

use super::algorithms::{ENCRYPTION, SCALING, SUM_TERM, evaluation, multiplication};
use crate::ProtocolError;

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
    pub(super) fn binned(sender: usize, receiver: usize) -> Self {
        let larger = sender.max(receiver);
        let loads = std::iter::successors(Some(1), |load| Some(2 * load));
        let loads = loads.take_while(|load| *load < 2 * larger);
        let layouts = loads.map(|load| Self::of(larger.div_ceil(load), sender, receiver));
        layouts
            .min_by_key(|layout| layout.work(receiver).iter().sum::<u64>())
            .unwrap_or(Self::whole(sender, receiver))
    }

    fn of(bins: usize, sender: usize, receiver: usize) -> Self {
        let degree = |items| bin_capacity(items, bins, OVERFLOW_BITS).max(1);
        Self { bins, sender: degree(sender), receiver: degree(receiver) }
    }

    /// The work of the sender and of the receiver, which has so many `points`, in hundredths of a scalar multiplication.
    pub(super) fn work(&self, points: usize) -> [u64; 2] {
        let (bins, len) = (self.bins as u64, self.result_len() as u64);
        let how = multiplication(self.sender + 1, self.receiver);
        let product = cost::multiply(how, self.sender + 1, self.receiver).scalings;
        let values = match evaluation(self.result_len(), self.mean(points)) {
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

    /// The places of the elements of each bin, which has room for `degree`.
    ///
    /// # Errors
    /// When one has more.
    pub(super) fn spread(
        &self,
        roots: &[Root<impl Sync>],
        degree: usize,
    ) -> Result<Vec<Vec<u32>>, ProtocolError> {
        let mut bins = vec![Vec::new(); self.bins];
        for (place, root) in (0..).zip(roots) {
            bins[self.bin(root)].push(place);
        }
        match bins.iter().all(|places| places.len() <= degree) {
            true => Ok(bins),
            false => Err(ProtocolError::Overfull),
        }
    }

    fn bin<S>(&self, root: &Root<S>) -> usize {
        ((u128::from(root.place) * self.bins as u128) >> 64) as usize
    }
}

/// An element as a root of a polynomial.
pub(super) struct Root<S> {
    pub(super) scalar: S,
    /// Decides the bin.
    place: u64,
    /// Names the element to the other side, if that has it too.
    pub(super) name: u128,
}

impl<S: zeroize::Zeroize> zeroize::Zeroize for Root<S> {
    fn zeroize(&mut self) {
        self.scalar.zeroize();
        self.place.zeroize();
        self.name.zeroize();
    }
}

/// The roots that elements stand for: a random oracle's output, since elements are digests that belong to the session.
pub(super) fn roots<G: PrimeGroup>(
    group: &G,
    session: &[u8; 32],
    elements: &[Element],
) -> Zeroizing<Vec<Root<G::Scalar>>> {
    let key = blake3::derive_key("veilset v1 root of a polynomial", session);
    let root = |element: &Element| {
        let mut output = Zeroizing::new([0; 88]);
        blake3::Hasher::new_keyed(&key).update(&element.0).finalize_xof().fill(&mut *output);
        let scalar = std::array::from_fn(|at| output[at]);
        let place = std::array::from_fn(|at| output[64 + at]);
        let name = std::array::from_fn(|at| output[72 + at]);
        Root {
            scalar: group.scalar(&scalar),
            place: u64::from_le_bytes(place),
            name: u128::from_le_bytes(name),
        }
    };
    Zeroizing::new(elements.par_iter().map(root).collect())
}
