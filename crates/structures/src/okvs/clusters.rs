//! A store cluster by cluster, for whoever brings the keys of each together and never holds the whole.

use zeroize::Zeroizing;

use super::cipher::{BATCH, Hash, Streams};
use super::groups::split_off;
use super::{Failure, OkvsEntry, OkvsError, OkvsKind, OkvsShape, OkvsValue};

/// The clusters of a store under a seed: each is a store of the keys that are in it, over its own columns, and all of them in order
/// are the store that [`encode`](super::encode) makes and [`decode`](super::decode) takes.
pub struct Clusters {
    shape: OkvsShape,
    hash: Hash,
}

/// What columns are drawn from that no key determines: as many as are asked for, the same for any order of clusters.
pub struct FreeColumns(Streams);

impl FreeColumns {
    /// Of one store.
    #[must_use]
    pub fn new(rng: &mut dyn rand_core::CryptoRng) -> Self {
        Self(Streams::new(rng))
    }
}

impl Clusters {
    /// Those of the store of this shape and seed.
    #[must_use]
    pub fn new(shape: &OkvsShape, seed: u128) -> Self {
        Self { shape: *shape, hash: Hash::new(seed) }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.shape.clusters()
    }

    /// Columns of each.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.shape.columns()
    }

    /// Calls `each` with the cluster of each of `keys`, in their order.
    pub fn of(&self, keys: impl Iterator<Item = u128>, mut each: impl FnMut(usize)) {
        let (mut keys, mut batch) = (keys, [0; BATCH]);
        loop {
            let mut taken = 0;
            for (place, key) in batch.iter_mut().zip(&mut keys) {
                *place = key;
                taken += 1;
            }
            self.hash.apply(&mut batch[..taken]);
            batch[..taken].iter_mut().for_each(|hash| each(split_off(hash, self.count())));
            if taken < BATCH {
                return;
            }
        }
    }

    /// Fills the columns of `cluster`, so that each of `keys`, all that are in it, gives its value.
    ///
    /// # Errors
    /// As [`encode`](super::encode), with keys counted within the cluster.
    ///
    /// # Panics
    /// When there are not as many values as keys, or not a cluster's columns, or parts of values are to go into a store that is
    /// not banded.
    pub fn encode<E: OkvsEntry>(
        &self,
        cluster: usize,
        keys: &[u128],
        values: impl Iterator<Item = E>,
        free: &FreeColumns,
        columns: &mut [E],
    ) -> Result<(), OkvsError> {
        assert!(
            !E::PART || self.shape.kind() == OkvsKind::Band,
            "parts need rows of zeros and ones"
        );
        assert_eq!(columns.len(), self.columns(), "the columns of a cluster");
        let values: Zeroizing<Vec<E::Value>> = Zeroizing::new(values.map(E::value).collect());
        assert_eq!(keys.len(), values.len(), "a value for each key");
        let mut solution = Zeroizing::new(vec![E::Value::ZERO; columns.len()]);
        let (hashes, mut stream) = (self.hashes(keys), free.0.cluster(cluster));
        self.shape.solve(&self.hash, &hashes, &values, &mut stream, &mut solution).map_err(
            |failure| match failure {
                Failure::Repeated(one, other) => {
                    OkvsError::Repeated { first: one.min(other), second: one.max(other) }
                }
                Failure::Unsolvable => OkvsError::Unsolvable,
            },
        )?;
        columns.iter_mut().zip(&*solution).for_each(|(to, column)| *to = E::of(*column));
        Ok(())
    }

    /// Writes to `values` what a cluster with these columns gives for each of `keys`, all of which are in it. No branch and no
    /// address depends on columns or values.
    ///
    /// # Panics
    /// When there are not as many values as keys, or not a cluster's columns.
    pub fn decode<V: OkvsValue>(&self, columns: &[V], keys: &[u128], values: &mut [V]) {
        assert_eq!(columns.len(), self.columns(), "the columns of a cluster");
        assert_eq!(keys.len(), values.len(), "a value for each key");
        self.shape.decode(&self.hash, columns, &self.hashes(keys), values);
    }

    /// What is left of the hashes of keys of one cluster.
    fn hashes(&self, keys: &[u128]) -> Vec<u128> {
        let mut hashes = keys.to_vec();
        for batch in hashes.chunks_mut(BATCH) {
            self.hash.apply(batch);
            batch.iter_mut().for_each(|hash| {
                split_off(hash, self.count());
            });
        }
        hashes
    }
}
