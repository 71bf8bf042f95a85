//! Oblivious key-value stores.
//!
//! A store of pairs (x_i, v_i) is a vector P over GF(2^128) with ⟨row(x_i), P⟩ = v_i for all i, where row(x) follows
//! from the key and a seed. Apart from these equations P is uniform: if the values look random, so does the whole of P,
//! and it tells nothing about the keys. [`OkvsShape`] is what both sides know beforehand; where its numbers come from,
//! and how the two kinds compare, is in `docs/notes/okvs.md`.
//!
//! The seed must be drawn after the keys are fixed. No time depends on values; [`encode`]'s depends on its keys.
//!
//! ```
//! use chacha20::ChaCha20Rng;
//! use rand_core::SeedableRng;
//! use veilset_structures::okvs::{OkvsKind, OkvsShape, decode, encode};
//!
//! let (keys, values) = ([11_u128, 22, 33], [1_u64, 2, 3]);
//! let shape = OkvsShape::new(OkvsKind::Band, keys.len());
//! let store = encode(&shape, 5, &keys, &values, &mut ChaCha20Rng::from_seed([1; 32]))?;
//! let mut found = [0; 2];
//! decode(&shape, 5, &store, &[33, 11], &mut found);
//! assert_eq!(found, [3, 1]);
//! # Ok::<(), veilset_structures::okvs::OkvsError>(())
//! ```

mod band;
mod cipher;
mod clusters;
mod cuckoo;
mod groups;
mod loads;
mod shape;
#[cfg(test)]
mod tests;
mod value;

use rand_core::CryptoRng;
use rayon::prelude::*;
use zeroize::Zeroizing;

pub use clusters::{Clusters, FreeColumns};
pub(crate) use loads::at_most_in_a_cluster;
pub use shape::{OkvsKind, OkvsShape};
pub use value::{OkvsEntry, OkvsValue};

use cipher::{Hash, Streams};
use groups::Groups;

/// An encoding fails with probability at most 2^-λ.
const LAMBDA: f64 = 40.0;

/// Keys that [`decode`] sorts at once, of so many, which bounds its memory: 18 bytes for each. Each time it goes over the whole
/// encoding, so it does four times at most.
fn at_once(keys: usize) -> usize {
    keys.div_ceil(4).max(1 << 18)
}

/// Why pairs have no encoding. None of the texts holds a key or a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OkvsError {
    /// The arguments are not as many as the shape says.
    #[error("{keys} keys and {values} values for a store of {items} items; give as many of each")]
    Length {
        /// Pairs that the shape is made for.
        items: usize,
        /// Keys given.
        keys: usize,
        /// Values given.
        values: usize,
    },
    /// Two keys are equal.
    #[error("keys {first} and {second}, counted from 0, are equal; a store takes each key once")]
    Repeated {
        /// Where the one stands.
        first: usize,
        /// Where the other stands.
        second: usize,
    },
    /// The rows of this seed depend on each other, which happens with probability at most 2^-40.
    #[error("the keys have no encoding under this seed; draw a new seed and encode again")]
    Unsolvable,
}

/// Why a cluster has no solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    /// These two rows have the same hash.
    Repeated(usize, usize),
    Unsolvable,
}

/// Encodes the pairs of `keys` and `values`: as many as `shape` says, and no key twice. Keys are digests, which look
/// random to whoever chose the seed.
///
/// The result has [`OkvsShape::len`] entries and depends on the arguments and on `rng` alone, not on the number of
/// threads. It works on the current rayon pool.
///
/// # Errors
/// [`OkvsError::Length`] and [`OkvsError::Repeated`] are mistakes of the caller; [`OkvsError::Unsolvable`] is bad luck.
///
/// # Panics
/// When parts of values are to go into a store that is not banded.
pub fn encode<E: OkvsEntry>(
    shape: &OkvsShape,
    seed: u128,
    keys: &[u128],
    values: &[E],
    rng: &mut dyn CryptoRng,
) -> Result<Vec<E>, OkvsError> {
    assert!(!E::PART || shape.kind() == OkvsKind::Band, "parts need rows of zeros and ones");
    shape.check(keys.len(), values.len())?;
    // Allocated first, so that what is given up at the end is at the end of the heap.
    let mut encoding = vec![E::of(E::Value::ZERO); shape.len()];
    let hash = &Hash::new(seed);
    let groups = &Groups::new(hash, shape.clusters(), keys);
    let streams = &Streams::new(rng);
    let clusters = encoding.par_chunks_mut(shape.columns()).enumerate();
    let solved: Vec<Result<(), OkvsError>> = clusters
        .map_init(
            Zeroizing::default,
            |columns: &mut Zeroizing<Vec<E::Value>>, (cluster, entries)| {
                columns.clear();
                columns.resize(entries.len(), E::Value::ZERO);
                let hashes = groups.hashes(cluster);
                let values = groups.values(cluster, values);
                let mut stream = streams.cluster(cluster);
                let solved = shape.solve(hash, &hashes, &values, &mut stream, columns);
                entries
                    .iter_mut()
                    .zip(&**columns)
                    .for_each(|(entry, column)| *entry = E::of(*column));
                solved.map_err(|failure| explain(failure, groups, cluster))
            },
        )
        .collect();
    solved.into_iter().collect::<Result<(), _>>()?;
    Ok(encoding)
}

/// Writes ⟨row(keys\[i\]), `encoding`⟩ to `values[i]`, for any number of keys, repeated or not.
///
/// No branch and no address depends on the encoding or on the values. It works on the current rayon pool.
///
/// # Panics
/// When `encoding` has another length than `shape` says, or there are not as many values as keys.
pub fn decode<V: OkvsValue>(
    shape: &OkvsShape,
    seed: u128,
    encoding: &[V],
    keys: &[u128],
    values: &mut [V],
) {
    assert_eq!(encoding.len(), shape.len(), "an encoding has as many entries as its shape says");
    assert_eq!(keys.len(), values.len(), "a value for each key");
    let at_once = at_once(keys.len());
    for (keys, values) in keys.chunks(at_once).zip(values.chunks_mut(at_once)) {
        decode_at_once(shape, seed, encoding, keys, values);
    }
}

/// As [`decode`], in one go over the encoding, for 18 bytes of memory a key.
fn decode_at_once<V: OkvsValue>(
    shape: &OkvsShape,
    seed: u128,
    encoding: &[V],
    keys: &[u128],
    values: &mut [V],
) {
    let hash = &Hash::new(seed);
    let groups = &Groups::new(hash, shape.clusters(), keys);
    let pieces = groups.pieces(shape.clusters(), values);
    let clusters = encoding.par_chunks(shape.columns()).zip(pieces).enumerate();
    clusters.for_each(|(cluster, (columns, pieces))| {
        let hashes = groups.hashes(cluster);
        let mut values = Zeroizing::new(vec![V::ZERO; hashes.len()]);
        shape.decode(hash, columns, &hashes, &mut values);
        let mut rest = &values[..];
        for piece in pieces {
            let (here, after) = rest.split_at(piece.len());
            piece.copy_from_slice(here);
            rest = after;
        }
    });
    groups.ungroup(values);
}

/// What a cluster's failure means for the caller, who counts keys and not rows.
fn explain(failure: Failure, groups: &Groups, cluster: usize) -> OkvsError {
    let Failure::Repeated(one, other) = failure else {
        return OkvsError::Unsolvable;
    };
    let positions: Vec<usize> = groups.positions(cluster).collect();
    let (one, other) = (positions[one], positions[other]);
    OkvsError::Repeated { first: one.min(other), second: one.max(other) }
}
