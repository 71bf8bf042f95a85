//! What two clusters agree on before anything is computed.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use veilset::Matching;
use veilset::cluster::{AgreedCluster, ClusterOffer, Column};
use veilset::data::KeySpec;
use veilset::registry::Role;

use crate::attend::Terms;
use crate::error::Failure;
use crate::order::named;

/// What this side's driver is asked to compute.
#[derive(FromPyObject)]
pub(crate) struct Job {
    operation: String,
    keys: Vec<String>,
    learn: String,
    values: Vec<String>,
    send: Option<Vec<String>>,
}

/// What it knows of its list.
#[derive(FromPyObject)]
pub(crate) struct Scan {
    rows: u64,
    scales: Vec<u32>,
    width: usize,
}

/// Agrees with the peer's driver: `swap` sends that the terms of this side, and returns its own.
#[pyfunction]
pub(crate) fn cluster_terms(
    py: Python<'_>,
    job: Job,
    scan: Scan,
    workers: u64,
    connecting: bool,
    swap: &Bound<'_, PyAny>,
) -> PyResult<Agreed> {
    let offer = job.offer(scan, workers, connecting)?;
    let sent = offer.message().map_err(Failure::from)?;
    let heard: PyBackedBytes = swap.call1((PyBytes::new(py, &sent),))?.extract()?;
    Ok(Agreed(offer.agreed(&heard).map_err(Failure::from)?))
}

impl Job {
    fn offer(self, scan: Scan, workers: u64, connecting: bool) -> Result<ClusterOffer, Failure> {
        let columns = self.values.into_iter().zip(scan.scales);
        let keys = self.keys.iter().map(|key| key.parse()).collect::<Result<Vec<KeySpec>, _>>()?;
        Ok(ClusterOffer {
            operation: named("operation", &self.operation)?,
            learn: named("learn", &self.learn)?,
            presets: KeySpec::canonical_of(&keys),
            matching: (keys.len() > 1).then_some(Matching::Tiers),
            values: columns.map(|(name, scale)| Column { name, scale }).collect(),
            send: self.send.unwrap_or_default(),
            width: scan.width,
            rows: scan.rows,
            workers,
            connecting,
        })
    }
}

/// A run between two clusters as both sides want it.
#[pyclass(frozen, module = "veilset")]
pub(crate) struct Agreed(AgreedCluster);

#[pymethods]
impl Agreed {
    #[getter]
    fn operation(&self) -> &'static str {
        self.0.operation().name()
    }

    /// Whether this side is the receiver, which learns first, or the sender.
    #[getter]
    fn receiver(&self) -> bool {
        self.0.role == Role::Receiver
    }

    /// The word for this side's part.
    #[getter]
    fn role(&self) -> &'static str {
        self.0.role.name()
    }

    #[getter]
    fn learns(&self) -> bool {
        self.0.learns()[0]
    }

    #[getter]
    fn peer_learns(&self) -> bool {
        self.0.learns()[1]
    }

    /// Pieces: a power of two.
    #[getter]
    fn pieces(&self) -> u64 {
        self.0.pieces
    }

    /// Pairs of workers.
    #[getter]
    fn slots(&self) -> u64 {
        self.0.slots
    }

    /// Value columns of a sum, whoever has them.
    #[getter]
    fn sums(&self) -> usize {
        self.0.sums
    }

    /// The names of what the peer sends.
    #[getter]
    fn peer_columns(&self) -> Vec<String> {
        self.0.peer_send.clone()
    }

    /// Bytes of a row that the peer sends.
    #[getter]
    fn peer_width(&self) -> usize {
        self.0.peer_width
    }

    /// What is to be known of the sizes: code and text.
    fn warnings(&self, peer_distinct: u64) -> Vec<(&'static str, String)> {
        let warnings = self.0.briefing("", peer_distinct).warnings.into_iter();
        warnings.map(|warning| (warning.code.name(), warning.text)).collect()
    }

    /// The attributes of `veilset.Terms`.
    fn terms(&self, peer: &str, peer_distinct: u64) -> Terms {
        Terms::from(&self.0.briefing(peer, peer_distinct))
    }
}
