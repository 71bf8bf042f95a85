//! An end that the caller wants.

use pyo3::prelude::*;
use veilset::net::{Options, Stop as NetStop};

/// Ends, from another thread, the run that it was given to. One that was used ends whatever is begun with it.
#[pyclass(frozen, module = "veilset")]
pub(crate) struct Stop(NetStop);

impl Stop {
    /// The options of a connection that this ends.
    pub(crate) fn options(&self) -> Options {
        Options { stop: self.0.clone(), ..Options::default() }
    }
}

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Self {
        Self(NetStop::new())
    }

    /// Ends what was begun.
    pub(crate) fn stop(&self) {
        self.0.stop();
    }

    /// Whether it was used.
    #[getter]
    fn stopped(&self) -> bool {
        self.0.is_stopped()
    }
}
