//! H, the last step of the function.

use rayon::prelude::*;
use veilset_crypto::Element;
use veilset_ot::{Block, Hash};
use zeroize::Zeroizing;

use super::VALUES_A_TASK;
use super::coin::Coins;
use crate::kit::comparison::Outputs;

/// H for one evaluation.
pub(super) enum Output {
    /// Tweakable correlation robust: one for values, one for keys.
    SemiHonest(Box<[Hash; 2]>),
    /// In place of a random oracle; its key has the session and both coins.
    Malicious([u8; 32]),
}

impl Output {
    pub(super) fn new(session: &[u8; 32], coins: Option<Coins>) -> Self {
        match coins {
            None => {
                let of_keys = blake3::derive_key("veilset v1 vector OLE keys", session);
                Self::SemiHonest(Box::new([*session, of_keys].map(|session| Hash::new(&session))))
            }
            Some(coins) => {
                let mut hasher = blake3::Hasher::new_derive_key("veilset v1 vector OLE output");
                hasher.update(session).update(coins.as_flattened());
                Self::Malicious(*hasher.finalize().as_bytes())
            }
        }
    }

    /// H of each of `inputs`, under the element that it belongs to, whose first half is its key: a value, and another for a key
    /// where `keyed`. The semi-honest one takes the keys alone, the other the elements alone.
    pub(super) fn finish(
        &self,
        mut inputs: Zeroizing<Vec<Block>>,
        tweaks: &[u128],
        elements: &[Element],
        keyed: bool,
    ) -> Outputs {
        let mut keys = Zeroizing::new(vec![0; if keyed { inputs.len() } else { 0 }]);
        match self {
            Self::SemiHonest(hashes) => {
                if keyed {
                    keys.copy_from_slice(&inputs);
                }
                for (hash, blocks) in hashes.iter().zip([&mut inputs, &mut keys]) {
                    let tasks = blocks.par_chunks_mut(VALUES_A_TASK);
                    let tasks = tasks.zip(tweaks.par_chunks(VALUES_A_TASK));
                    tasks
                        .for_each(|(blocks, tweaks)| hash.tweaked(blocks, &tweaks[..blocks.len()]));
                }
            }
            Self::Malicious(hash) => {
                let digest = |(input, element): (&Block, &Element)| {
                    let mut bytes = [0; 16 + Element::LEN];
                    bytes[..16].copy_from_slice(&input.to_le_bytes());
                    bytes[16..].copy_from_slice(&element.0);
                    let digest = blake3::keyed_hash(hash, &bytes);
                    let (halves, _) = digest.as_bytes().as_chunks::<16>();
                    [halves[0], halves[1]].map(u128::from_le_bytes)
                };
                if keyed {
                    let tasks = keys.par_iter_mut().zip(&*inputs).zip(elements);
                    let tasks = tasks.with_min_len(VALUES_A_TASK);
                    tasks.for_each(|((key, input), element)| *key = digest((input, element))[1]);
                }
                let tasks = inputs.par_iter_mut().zip(elements).with_min_len(VALUES_A_TASK);
                tasks.for_each(|(input, element)| *input = digest((input, element))[0]);
            }
        }
        Outputs { values: inputs, keys }
    }
}
