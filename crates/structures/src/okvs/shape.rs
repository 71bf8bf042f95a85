//! What both sides know of a store before a byte of it travels.

use super::band::Banded;
use super::cipher::{Hash, Stream};
use super::cuckoo::Cuckoo;
use super::{Failure, OkvsError, OkvsValue};

/// How a key becomes a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OkvsKind {
    /// Three ones in a table, and powers of one element in a few dense columns.
    Cuckoo,
    /// A random string of bits at a random place.
    Band,
}

impl OkvsKind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Cuckoo, Self::Band];

    /// As programs print it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cuckoo => "cuckoo",
            Self::Band => "band",
        }
    }
}

/// The sizes of a store, which follow from its kind and its number of items alone: both sides compute the same, on any
/// machine.
///
/// Items are thrown into clusters by their hash, and each cluster is a small store of its own. No row depends on the
/// others in any cluster, except with probability at most 2^-40 for all clusters together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OkvsShape {
    kind: OkvsKind,
    items: usize,
    clusters: usize,
    matrix: Matrix,
}

/// The matrix of one cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matrix {
    Cuckoo(Cuckoo),
    Band(Banded),
}

impl OkvsShape {
    /// The shape of a store of `items` pairs.
    ///
    /// A store of none has columns too, all of them random.
    ///
    /// # Panics
    /// When `items` is above 2^32.
    #[must_use]
    pub fn new(kind: OkvsKind, items: usize) -> Self {
        assert!(items as u64 <= 1 << 32, "a store holds at most 2^32 items");
        let some = items.max(1);
        let (clusters, matrix) = match kind {
            OkvsKind::Cuckoo => {
                let clusters = Cuckoo::clusters(some);
                (clusters, Matrix::Cuckoo(Cuckoo::new(some, clusters)))
            }
            OkvsKind::Band => {
                let clusters = Banded::clusters(some);
                (clusters, Matrix::Band(Banded::new(some, clusters)))
            }
        };
        Self { kind, items, clusters, matrix }
    }

    /// How a key becomes a row.
    #[must_use]
    pub fn kind(&self) -> OkvsKind {
        self.kind
    }

    /// Pairs that a store of this shape is made for.
    #[must_use]
    pub fn items(&self) -> usize {
        self.items
    }

    /// Columns of the matrix, which is the number of values that an encoding has; never 0.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "no shape is empty")]
    pub fn len(&self) -> usize {
        self.clusters * self.columns()
    }

    pub(super) fn clusters(&self) -> usize {
        self.clusters
    }

    /// Columns of one cluster; where items are many, there are several.
    #[must_use]
    pub fn columns(&self) -> usize {
        match self.matrix {
            Matrix::Cuckoo(matrix) => matrix.columns(),
            Matrix::Band(matrix) => matrix.columns(),
        }
    }

    pub(super) fn check(&self, keys: usize, values: usize) -> Result<(), OkvsError> {
        if keys == self.items && values == self.items {
            return Ok(());
        }
        Err(OkvsError::Length { items: self.items, keys, values })
    }

    /// Solves one cluster; `columns` holds zeros.
    pub(super) fn solve<V: OkvsValue>(
        &self,
        hash: &Hash,
        hashes: &[u128],
        values: &[V],
        stream: &mut Stream<'_>,
        columns: &mut [V],
    ) -> Result<(), Failure> {
        match self.matrix {
            Matrix::Cuckoo(matrix) => matrix.solve(hashes, values, stream, columns),
            Matrix::Band(matrix) => matrix.solve(hash, hashes, values, stream, columns),
        }
    }

    /// Decodes the keys of one cluster.
    pub(super) fn decode<V: OkvsValue>(
        &self,
        hash: &Hash,
        columns: &[V],
        hashes: &[u128],
        values: &mut [V],
    ) {
        match self.matrix {
            Matrix::Cuckoo(matrix) => matrix.decode(columns, hashes, values),
            Matrix::Band(matrix) => matrix.decode(hash, columns, hashes, values),
        }
    }
}
