//! Why the program ends without a result, and with which exit code.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use veilset::data::DataError;
use veilset::exit_code;

/// Why the program ends without a result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// From the facade.
    #[error(transparent)]
    Facade(#[from] veilset::Error),
    /// Flags that do not go together, or do not fit the list.
    #[error("{0}")]
    Flags(String),
    /// The manifest is larger than this side allows.
    #[error("refused: the manifest has {got} distinct keys, more than --max-manifest {most}")]
    TooLarge {
        /// Its distinct keys.
        got: u64,
        /// How many are allowed.
        most: u64,
    },
    /// The page cannot be shown.
    #[error("cannot open a page on this machine: {0}; screen without --page")]
    Page(io::Error),
    /// The manual or the completions cannot be written.
    #[error("cannot write the manual into {}: {why}", folder.display())]
    Reference {
        /// The folder they were to be in.
        folder: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// Signals cannot be heard.
    #[error("cannot listen for signals: {0}")]
    Signals(io::Error),
    /// Standard output is gone.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// Whether whoever reads the result has enough of it, and went away.
    pub(crate) fn is_enough(&self) -> bool {
        match self {
            Self::Facade(error) => error.is_enough(),
            Self::Output(error) => error.kind() == ErrorKind::BrokenPipe,
            _ => false,
        }
    }

    /// The exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Facade(error) => error.exit_code(),
            Self::Flags(_) | Self::Output(_) | Self::Reference { .. } => exit_code::INPUT,
            Self::TooLarge { .. } => exit_code::POLICY,
            Self::Page(_) => exit_code::NETWORK,
            Self::Signals(_) => exit_code::BUG,
        }
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        Self::Facade(error.into())
    }
}

impl From<veilset::party::StoreError> for Failure {
    fn from(error: veilset::party::StoreError) -> Self {
        Self::Facade(error.into())
    }
}
