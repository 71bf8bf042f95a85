//! How the elements of both sides are spread over polynomials.

use rayon::prelude::*;
use veilset_crypto::{Element, PrimeGroup};
use veilset_poly::cost;
use veilset_structures::bin_capacity;
use zeroize::Zeroizing;

use super::algorithms::{Algorithms, SUM_TERM};
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

/// Bits of the bound on a side's overflow: both together make 2^-40.
const OVERFLOW_BITS: f64 = 41.0;

/// What one scalar multiplication costs; the unit of [`SUM_TERM`].
const SCALING: u64 = 100;

/// An encryption: three multiplications of fixed elements.
const ENCRYPTION: u64 = 60;

impl Layout {
    /// All elements in one polynomial a side, as the paper draws it.
    pub(super) fn whole(sender: usize, receiver: usize) -> Self {
        Self { bins: 1, sender, receiver }
    }

    /// As many bins as make the least work. Integers alone decide, so that both sides find the same.
    pub(super) fn binned(sender: usize, receiver: usize) -> Self {
        let larger = sender.max(receiver);
        let loads = std::iter::successors(Some(1), |load| Some(2 * load));
        let loads = loads.take_while(|load| *load < 2 * larger);
        let layouts = loads.map(|load| Self::of(larger.div_ceil(load), sender, receiver));
        layouts.min_by_key(|layout| layout.work(receiver)).unwrap_or(Self::whole(sender, receiver))
    }

    fn of(bins: usize, sender: usize, receiver: usize) -> Self {
        let degree = |items| bin_capacity(items, bins, OVERFLOW_BITS).max(1);
        Self { bins, sender: degree(sender), receiver: degree(receiver) }
    }

    /// The work of both sides, in hundredths of a scalar multiplication.
    fn work(&self, points: usize) -> u64 {
        let algorithms = Algorithms::new(false);
        let how = algorithms.multiplication(self.sender + 1, self.receiver);
        let product = cost::multiply(how, self.sender + 1, self.receiver).scalings;
        let coefficients = self.result_len() as u64;
        let bin = 2 * SCALING * product
            + (SCALING + ENCRYPTION) * coefficients
            + ENCRYPTION * self.receiver as u64;
        self.bins as u64 * bin + points as u64 * coefficients * SUM_TERM
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
#[derive(Clone)]
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
