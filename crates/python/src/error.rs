//! Errors as Python's exceptions.

use pyo3::prelude::*;
use pyo3::types::PyType;
use veilset::data::DataError;
use veilset::exit_code;

use crate::words::in_python;

/// Why there is no result.
pub(crate) enum Failure {
    /// From the facade.
    Facade(veilset::Error),
    /// An argument that cannot be read.
    Argument(String),
    /// A receipt that not both parties signed.
    Unverified(String),
    /// The caller's `confirm` said no.
    Declined,
    /// A party with a policy is asked to run where nothing checks it.
    Ungoverned,
}

impl<E: Into<veilset::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Facade(error.into())
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        let (code, text) = match failure {
            Failure::Facade(veilset::Error::Data(DataError::KeySpec { why, .. })) => {
                (exit_code::INPUT, format!("on= and preset=: {why}"))
            }
            Failure::Facade(error) => (error.exit_code(), in_python(&error.to_string())),
            Failure::Argument(why) => (exit_code::INPUT, why),
            Failure::Unverified(why) => (exit_code::PEER, why),
            Failure::Ungoverned => {
                let why = "you have a policy, and nothing on a cluster checks it: run on one machine, or as a party without one";
                (exit_code::POLICY, why.to_owned())
            }
            Failure::Declined => {
                (exit_code::POLICY, "declined; nothing was sent but the terms".to_owned())
            }
        };
        Python::attach(|py| {
            class_of(py, code).map_or_else(|error| error, |class| Self::from_type(class, text))
        })
    }
}

/// The class whose `exit_code` this is.
fn class_of(py: Python<'_>, code: u8) -> PyResult<Bound<'_, PyType>> {
    let by_code = py.import("veilset.errors")?.getattr("BY_EXIT_CODE")?;
    Ok(by_code.get_item(code)?.cast_into()?)
}
