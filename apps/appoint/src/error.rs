//! Why the program ends, and why the page shows an error beside one of its fields.

use std::io;

use veilset::data::DataError;
use veilset::exit_code;
use veilset::net::{NetError, StoreError};

/// Why the program ends before its user closed the page.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// From the facade.
    #[error(transparent)]
    Facade(#[from] veilset::Error),
    /// The page cannot be shown.
    #[error(
        "cannot open a page on this machine: {0}; give another port with --port, or leave it away"
    )]
    Page(io::Error),
    /// There is no browser to start.
    #[error("cannot start a browser: {0}; leave --open away, and copy the address into one")]
    Open(io::Error),
}

impl Failure {
    /// The exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Facade(error) => error.exit_code(),
            Self::Page(_) | Self::Open(_) => exit_code::INPUT,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Facade(error.into())
    }
}

/// What is wrong with a field, in words for its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The field's place on the page.
    pub(crate) field: &'static str,
    pub(crate) why: String,
}

impl Refusal {
    pub(crate) fn new(field: &'static str, why: impl ToString) -> Self {
        Self { field, why: why.to_string() }
    }
}

/// An error of a calendar or of preferences.
impl From<DataError> for Refusal {
    fn from(error: DataError) -> Self {
        let field = match &error {
            DataError::Preference { .. } => "prefer",
            DataError::TooManySlots { .. } => "dates",
            _ => "calendar",
        };
        Self::new(field, error)
    }
}

/// An error of a run.
impl From<veilset::Error> for Refusal {
    fn from(error: veilset::Error) -> Self {
        let field = match &error {
            veilset::Error::Data(_) | veilset::Error::Fetch(_) => "calendar",
            veilset::Error::Net(NetError::Address { .. } | NetError::Listen { .. }) => "address",
            veilset::Error::Store(_) | veilset::Error::Net(NetError::OwnKey) => "peer",
            _ => "run",
        };
        Self::new(field, error)
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::new("peer", error)
    }
}
