//! Keys become elements: digests that belong to one session alone.

use rayon::prelude::*;
use veilset_crypto::{Element, ElementHasher};
use veilset_data::KeyDigest;
use zeroize::Zeroizing;

/// Keys that one task hashes.
const KEYS_A_TASK: usize = 4096;

/// The elements of the keys of these digests, in their order, for the session and presets of `hasher`; in the same memory.
#[must_use]
pub fn hash_keys(
    mut digests: Zeroizing<Vec<KeyDigest>>,
    hasher: &ElementHasher,
) -> Zeroizing<Vec<Element>> {
    let keys = digests.par_iter_mut().with_min_len(KEYS_A_TASK);
    keys.for_each(|key| *key = hasher.element(key).0);
    Zeroizing::new(std::mem::take(&mut *digests).into_iter().map(Element).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_take_the_place_of_digests() {
        let hasher = ElementHasher::new(&[1; 32], "raw/1");
        let digests: Vec<KeyDigest> = (0..10_000u32).map(|n| [n as u8; 32]).collect();
        let kept = Zeroizing::new(digests.clone());
        let at = kept.as_ptr().addr();
        let elements = hash_keys(kept, &hasher);
        assert!(elements.iter().zip(&digests).all(|(e, key)| *e == hasher.element(key)));
        assert_eq!((elements.len(), elements.as_ptr().addr()), (digests.len(), at));
    }
}
