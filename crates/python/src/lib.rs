//! The Rust part of the Python package `veilset`: arguments in, the facade's stages, Arrow and JSON out.

mod attend;
mod bytes;
mod cluster;
mod error;
mod list;
mod lookup;
mod meeting;
mod order;
mod party;
mod peer;
mod plan;
mod run;
mod stop;
mod stream;
mod terms;
mod words;
mod worker;

use pyo3::prelude::*;

/// The Rust part of the package; its names are for the package alone.
#[pymodule]
mod _native {
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    const MAX_COLUMNS: usize = veilset::cluster::MAX_COLUMNS;
    #[pymodule_export]
    const MAX_LINKAGE_KEYS: usize = veilset::data::MAX_LINKAGE_KEYS;
    #[pymodule_export]
    const MAX_NAME: usize = veilset::cluster::MAX_NAME;
    #[pymodule_export]
    const MAX_KEYS: u64 = veilset::cluster::MOST_KEYS;
    #[pymodule_export]
    const MAX_PIECES: u64 = veilset::cluster::MOST_PIECES;
    #[pymodule_export]
    const MAX_WORKERS: u64 = veilset::cluster::MOST_WORKERS;
    #[pymodule_export]
    use crate::cluster::{
        DriverConnection, capacity, condition_column, cut, heading, memory, merge, no_match,
        presets, rows_of_items, scan, split, value_bits,
    };
    #[pymodule_export]
    use crate::lookup::{Answers, lookup};
    #[pymodule_export]
    use crate::meeting::agree;
    #[pymodule_export]
    use crate::party::Party;
    #[pymodule_export]
    use crate::plan::plan;
    #[pymodule_export]
    use crate::run::{Run, run, run_local, verify_receipt};
    #[pymodule_export]
    use crate::stop::Stop;
    #[pymodule_export]
    use crate::stream::Batches;
    #[pymodule_export]
    use crate::terms::{Agreed, cluster_terms};
    #[pymodule_export]
    use crate::worker::Worker;
}
