//! Elements as roots of polynomials in bins.

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_crypto::Element;
use zeroize::{Zeroize, Zeroizing};

use crate::ProtocolError;

/// An element as a root of a polynomial.
pub(crate) struct Root<S> {
    pub(crate) scalar: S,
    /// Decides the bin.
    place: u64,
    /// Names the element to the other side, if that has it too.
    pub(crate) name: u128,
}

impl<S: Zeroize> Zeroize for Root<S> {
    fn zeroize(&mut self) {
        self.scalar.zeroize();
        self.place.zeroize();
        self.name.zeroize();
    }
}

/// The roots that elements stand for, where `scalar` takes uniform bytes to a field: a random oracle's output, since
/// elements are digests that belong to the session.
pub(crate) fn roots<S: Zeroize + Send>(
    scalar: impl Fn(&[u8; 64]) -> S + Sync,
    session: &[u8; 32],
    elements: &[Element],
) -> Zeroizing<Vec<Root<S>>> {
    let key = blake3::derive_key("veilset v1 root of a polynomial", session);
    let root = |element: &Element| {
        let mut output = Zeroizing::new([0; 88]);
        blake3::Hasher::new_keyed(&key).update(&element.0).finalize_xof().fill(&mut *output);
        let wide = std::array::from_fn(|at| output[at]);
        let place = std::array::from_fn(|at| output[64 + at]);
        let name = std::array::from_fn(|at| output[72 + at]);
        Root {
            scalar: scalar(&wide),
            place: u64::from_le_bytes(place),
            name: u128::from_le_bytes(name),
        }
    };
    Zeroizing::new(elements.par_iter().map(root).collect())
}

/// The places of the elements of each of `bins` bins, which have room for `most`.
///
/// # Errors
/// When one has more.
pub(crate) fn spread<S>(
    bins: usize,
    roots: &[Root<S>],
    most: usize,
) -> Result<Vec<Vec<u32>>, ProtocolError> {
    let mut spread = vec![Vec::new(); bins];
    for (place, root) in (0..).zip(roots) {
        let bin = (u128::from(root.place) * bins as u128) >> 64;
        spread[bin as usize].push(place);
    }
    match spread.iter().all(|places| places.len() <= most) {
        true => Ok(spread),
        false => Err(ProtocolError::Overfull),
    }
}

/// The names and random ones, `count` in all, so that nobody on the way sees how many there are; all are drawn first, so
/// that the time does not tell either.
pub(crate) fn filled_up(
    mut names: Zeroizing<Vec<u128>>,
    count: usize,
    rng: &mut dyn CryptoRng,
) -> Zeroizing<Vec<u128>> {
    let mut random = Zeroizing::new(vec![[0; 16]; count]);
    rng.fill_bytes(random.as_flattened_mut());
    let more = random.iter().skip(names.len()).map(|bytes| u128::from_le_bytes(*bytes));
    names.extend(more);
    names.sort_unstable();
    names
}

/// The places of the elements that are among the names, rising.
pub(crate) fn named(own: &[u128], names: &[u128]) -> Vec<u32> {
    let mut names = names.to_vec();
    // The peer chose them, so no hash table, as in `rt21`.
    names.sort_unstable();
    let places = (0..).zip(own).filter(|(_, name)| names.binary_search(name).is_ok());
    places.map(|(place, _)| place).collect()
}
