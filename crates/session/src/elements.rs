//! Keys become elements: digests that belong to one session alone.

use rayon::prelude::*;
use veilset_crypto::{Element, ElementHasher};
use veilset_data::KeySet;
use zeroize::Zeroizing;

/// Keys that one task hashes.
const KEYS_A_TASK: usize = 4096;

/// The elements of `keys`, in their order, for the session and presets of `hasher`.
#[must_use]
pub fn hash_keys(keys: &KeySet, hasher: &ElementHasher) -> Zeroizing<Vec<Element>> {
    let elements = (0..keys.len())
        .into_par_iter()
        .with_min_len(KEYS_A_TASK)
        .map(|index| hasher.element(keys.key(index)));
    Zeroizing::new(elements.collect())
}
