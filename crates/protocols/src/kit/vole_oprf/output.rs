//! H, the last step of the function.

use rayon::prelude::*;
use veilset_crypto::Element;
use veilset_ot::vole::Subfield;
use veilset_ot::{Block, Hash};
use zeroize::Zeroizing;

use super::VALUES_A_TASK;
use super::coin::Coins;

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

    /// H of each of `inputs`, under the element whose halves are in the same places of `keys` and `halves`: a value, which takes the place
    /// of the key, and another for a key in `rows`, where there is room. The semi-honest one takes the first halves alone.
    pub(super) fn finish<B: Subfield>(
        &self,
        mut inputs: Zeroizing<Vec<Block>>,
        keys: &mut [u128],
        halves: &[B],
        rows: &mut [u128],
    ) {
        match self {
            Self::SemiHonest(hashes) => {
                let [of_values, of_rows] = &**hashes;
                if !rows.is_empty() {
                    rows.copy_from_slice(&inputs);
                    tweaked(of_rows, rows, keys);
                }
                tweaked(of_values, &mut inputs, keys);
                keys.copy_from_slice(&inputs);
            }
            Self::Malicious(hash) => {
                assert_eq!(B::BITS, 128, "against cheats a point is the whole of a half");
                let mut rows = rows.iter_mut();
                for ((input, key), half) in inputs.iter().zip(keys).zip(halves) {
                    let [value, of_row] = digest(hash, *input, [*key, (*half).into()]);
                    *key = value;
                    rows.next().into_iter().for_each(|row| *row = of_row);
                }
            }
        }
    }
}

/// The tweakable hash of each of `blocks`.
fn tweaked(hash: &Hash, blocks: &mut [Block], tweaks: &[u128]) {
    let tasks = blocks.par_chunks_mut(VALUES_A_TASK).zip(tweaks.par_chunks(VALUES_A_TASK));
    tasks.for_each(|(blocks, tweaks)| hash.tweaked(blocks, tweaks));
}

/// BLAKE3 of an input and an element, in halves.
fn digest(key: &[u8; 32], input: Block, element: [u128; 2]) -> [u128; 2] {
    let mut bytes = Zeroizing::new([0; 16 + Element::LEN]);
    let (parts, _) = bytes.as_chunks_mut();
    parts
        .iter_mut()
        .zip([input, element[0], element[1]])
        .for_each(|(to, part)| *to = part.to_le_bytes());
    let digest = blake3::keyed_hash(key, &*bytes);
    let (halves, _) = digest.as_bytes().as_chunks::<16>();
    [halves[0], halves[1]].map(u128::from_le_bytes)
}
