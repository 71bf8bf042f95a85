//! Keys by cluster.

use rayon::prelude::*;
use zeroize::Zeroizing;

use super::cipher::{BATCH, Hash};
use super::{OkvsEntry, OkvsValue};

/// Keys are grouped in chunks of this many, each by itself: what is moved stays in an L2 cache, and a place in a chunk
/// fits 16 bits.
const CHUNK: usize = 1 << 14;

/// The hashed keys of each cluster, in the order of the keys.
pub(super) struct Groups {
    /// Hashes, in each chunk by cluster.
    hashes: Vec<u128>,
    /// Where in its chunk the key of each hash stands.
    places: Vec<u16>,
    /// Where in each chunk the hashes of each cluster begin, and where the last end.
    bounds: Vec<Vec<u32>>,
}

/// A part of the groups.
struct Chunk<'a> {
    hashes: &'a [u128],
    places: &'a [u16],
    bounds: &'a [u32],
}

impl Groups {
    pub(super) fn new(hash: &Hash, clusters: usize, keys: &[u128]) -> Self {
        let (mut hashes, mut places) = (vec![0; keys.len()], vec![0; keys.len()]);
        let groups = hashes.par_chunks_mut(CHUNK).zip(places.par_chunks_mut(CHUNK));
        let chunks = keys.par_chunks(CHUNK).zip(groups);
        let bounds = chunks.map_init(Vec::new, |unordered, (keys, groups)| {
            unordered.clear();
            let (hashes, places) = groups;
            group(hash, clusters, keys, unordered, hashes, places)
        });
        let bounds = bounds.collect();
        Self { hashes, places, bounds }
    }

    fn chunks(&self) -> impl IndexedParallelIterator<Item = Chunk<'_>> {
        let groups = self.hashes.par_chunks(CHUNK).zip(self.places.par_chunks(CHUNK));
        let chunks = groups.zip(&self.bounds);
        chunks.map(|((hashes, places), bounds)| Chunk { hashes, places, bounds })
    }

    fn each_chunk(&self) -> impl Iterator<Item = Chunk<'_>> {
        let groups = self.hashes.chunks(CHUNK).zip(self.places.chunks(CHUNK));
        let chunks = groups.zip(&self.bounds);
        chunks.map(|((hashes, places), bounds)| Chunk { hashes, places, bounds })
    }

    /// The hashes of `cluster`.
    pub(super) fn hashes(&self, cluster: usize) -> Vec<u128> {
        let mut hashes = Vec::with_capacity(self.load(cluster));
        for chunk in self.each_chunk() {
            hashes.extend_from_slice(&chunk.hashes[chunk.range(cluster)]);
        }
        hashes
    }

    /// The entries of `values` whose keys are in `cluster`.
    pub(super) fn values<E: OkvsEntry>(
        &self,
        cluster: usize,
        values: &[E],
    ) -> Zeroizing<Vec<E::Value>> {
        let mut here = Zeroizing::new(Vec::with_capacity(self.load(cluster)));
        for (chunk, values) in self.each_chunk().zip(values.chunks(CHUNK)) {
            let places = &chunk.places[chunk.range(cluster)];
            here.extend(places.iter().map(|place| values[usize::from(*place)].value()));
        }
        here
    }

    /// Where the keys of `cluster` stand among all.
    pub(super) fn positions(&self, cluster: usize) -> impl Iterator<Item = usize> {
        self.each_chunk().enumerate().flat_map(move |(number, chunk)| {
            let places = chunk.places[chunk.range(cluster)].iter();
            places.map(move |place| number * CHUNK + usize::from(*place))
        })
    }

    /// Cuts `values` into the pieces that belong to each cluster when each chunk is ordered as its hashes are.
    pub(super) fn pieces<'a, V: OkvsValue>(
        &self,
        clusters: usize,
        values: &'a mut [V],
    ) -> Vec<Vec<&'a mut [V]>> {
        let mut pieces: Vec<Vec<&mut [V]>> = (0..clusters).map(|_| Vec::new()).collect();
        for (chunk, mut rest) in self.each_chunk().zip(values.chunks_mut(CHUNK)) {
            for (cluster, pieces) in pieces.iter_mut().enumerate() {
                pieces.push(rest.split_off_mut(..chunk.range(cluster).len()).unwrap_or_default());
            }
        }
        pieces
    }

    /// Turns values in the order of the hashes of each chunk into values in the order of the keys.
    pub(super) fn ungroup<V: OkvsValue>(&self, values: &mut [V]) {
        let chunks = values.par_chunks_mut(CHUNK).zip(self.chunks());
        chunks.for_each_init(
            Zeroizing::default,
            |grouped: &mut Zeroizing<Vec<V>>, (values, chunk)| {
                grouped.clear();
                grouped.extend_from_slice(values);
                for (place, value) in chunk.places.iter().zip(grouped.iter()) {
                    values[usize::from(*place)] = *value;
                }
            },
        );
    }

    fn load(&self, cluster: usize) -> usize {
        self.each_chunk().map(|chunk| chunk.range(cluster).len()).sum()
    }
}

/// Groups the `keys` of a chunk; returns where the groups begin. `unordered` is room for hashes and their clusters.
fn group(
    hash: &Hash,
    clusters: usize,
    keys: &[u128],
    unordered: &mut Vec<(u128, u32)>,
    hashes: &mut [u128],
    places: &mut [u16],
) -> Vec<u32> {
    let mut bounds = vec![0; clusters + 1];
    for keys in keys.chunks(BATCH) {
        let mut batch = [0; BATCH];
        let batch = &mut batch[..keys.len()];
        batch.copy_from_slice(keys);
        hash.apply(batch);
        for hash in batch {
            let cluster = split_off(hash, clusters);
            bounds[cluster + 1] += 1;
            unordered.push((*hash, cluster as u32));
        }
    }
    for cluster in 0..clusters {
        bounds[cluster + 1] += bounds[cluster];
    }
    let mut next = bounds.clone();
    for (place, (hash, cluster)) in unordered.iter().enumerate() {
        let slot = &mut next[*cluster as usize];
        hashes[*slot as usize] = *hash;
        places[*slot as usize] = place as u16;
        *slot += 1;
    }
    bounds
}

impl Chunk<'_> {
    fn range(&self, cluster: usize) -> std::ops::Range<usize> {
        self.bounds[cluster] as usize..self.bounds[cluster + 1] as usize
    }
}

/// Takes the cluster, 0 to `clusters` − 1, out of a hash: its upper half, as a fraction of one, times `clusters` has
/// the cluster as its whole part and leaves a fraction again, which replaces that half.
#[inline]
pub(super) fn split_off(hash: &mut u128, clusters: usize) -> usize {
    let (whole, fraction) = scale((*hash >> 64) as u64, clusters);
    *hash = (u128::from(fraction) << 64) | u128::from(*hash as u64);
    whole
}

/// `fraction`/2^64 times `range`: its whole part, and the fraction that is left.
#[inline]
pub(super) fn scale(fraction: u64, range: usize) -> (usize, u64) {
    let product = u128::from(fraction) * range as u128;
    ((product >> 64) as usize, product as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_in_the_cluster_that_its_hash_says() {
        let hash = Hash::new(5);
        for (count, clusters) in [(0, 1), (1, 3), (1000, 1), (CHUNK + 1, 7), (3 * CHUNK, 64)] {
            let keys: Vec<u128> = (0..count as u128).collect();
            let groups = Groups::new(&hash, clusters, &keys);
            let mut seen = vec![false; count];
            for cluster in 0..clusters {
                let hashes = groups.hashes(cluster);
                let positions: Vec<usize> = groups.positions(cluster).collect();
                assert_eq!(hashes.len(), positions.len());
                assert!(positions.is_sorted());
                for (row, position) in hashes.iter().zip(positions) {
                    let mut of_key = [keys[position]];
                    hash.apply(&mut of_key);
                    let whole = (of_key[0] >> 64) * clusters as u128;
                    assert_eq!((whole >> 64) as usize, cluster);
                    let rest = u128::from(whole as u64) << 64 | u128::from(of_key[0] as u64);
                    assert_eq!(*row, rest);
                    assert!(!std::mem::replace(&mut seen[position], true));
                }
            }
            assert!(seen.iter().all(|seen| *seen), "{count} {clusters}");
        }
    }

    #[test]
    fn values_return_to_their_keys() {
        let keys: Vec<u128> = (0..2 * CHUNK as u128 + 10).collect();
        let groups = Groups::new(&Hash::new(5), 9, &keys);
        let mut values = vec![0; keys.len()];
        for (cluster, pieces) in groups.pieces(9, &mut values).into_iter().enumerate() {
            let places = pieces.into_iter().flatten();
            for (value, position) in places.zip(groups.positions(cluster)) {
                *value = keys[position];
            }
        }
        groups.ungroup(&mut values);
        assert_eq!(values, keys);
    }
}
