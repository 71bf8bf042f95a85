//! H, the last step of the function.

use rayon::prelude::*;
use veilset_crypto::Element;
use veilset_ot::{Block, Hash};

use super::VALUES_A_TASK;
use super::coin::Coins;

/// H for one evaluation.
pub(super) enum Output {
    /// Tweakable correlation robust.
    SemiHonest(Hash),
    /// In place of a random oracle; its key has the session and both coins.
    Malicious([u8; 32]),
}

impl Output {
    pub(super) fn new(session: &[u8; 32], coins: Option<Coins>) -> Self {
        match coins {
            None => Self::SemiHonest(Hash::new(session)),
            Some(coins) => {
                let mut hasher = blake3::Hasher::new_derive_key("veilset v1 vector OLE output");
                hasher.update(session).update(coins.as_flattened());
                Self::Malicious(*hasher.finalize().as_bytes())
            }
        }
    }

    /// Replaces each value by H of it, under the element that it belongs to, whose first half is its key.
    /// The semi-honest one takes the keys alone, the other the elements alone.
    pub(super) fn finish(&self, values: &mut [Block], keys: &[u128], elements: &[Element]) {
        match self {
            Self::SemiHonest(hash) => {
                let tasks =
                    values.par_chunks_mut(VALUES_A_TASK).zip(keys.par_chunks(VALUES_A_TASK));
                tasks.for_each(|(values, keys)| hash.tweaked(values, keys));
            }
            Self::Malicious(key) => {
                let tasks = values.par_iter_mut().zip(elements).with_min_len(VALUES_A_TASK);
                tasks.for_each(|(value, element)| {
                    let mut input = [0; 16 + Element::LEN];
                    input[..16].copy_from_slice(&value.to_le_bytes());
                    input[16..].copy_from_slice(&element.0);
                    let digest = blake3::keyed_hash(key, &input);
                    *value = u128::from_le_bytes(std::array::from_fn(|at| digest.as_bytes()[at]));
                });
            }
        }
    }
}
