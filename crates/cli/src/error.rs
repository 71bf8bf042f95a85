//! Why the program ends without a result, and with which exit code.

use std::io::ErrorKind;
use std::path::PathBuf;

use veilset::exit_code;
use veilset::invitation::InvitationError;

/// Why the program ends without a result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// From the facade.
    #[error(transparent)]
    Facade(#[from] veilset::Error),
    /// Flags that do not go together.
    #[error("{0}")]
    Flags(String),
    /// The user said no.
    #[error("declined; nothing was sent but the terms")]
    Declined,
    /// What a service needs beside its list and its address.
    #[error("cannot {what}: {why}")]
    Service {
        /// What it was to do.
        what: &'static str,
        /// What the system says.
        why: std::io::Error,
    },
    /// A file whose run goes on.
    #[error("another run of {} goes on: this one did nothing", .path.display())]
    Running {
        /// The file.
        path: PathBuf,
    },
    /// A receipt that is not one.
    #[error("{0}")]
    Unverified(String),
    /// Of a command in a file that asks for JSON: scripts read of it, too.
    #[error(transparent)]
    ForScripts(Box<Self>),
    /// The program's own fault.
    #[error("{0}; this is a bug, please report it")]
    Bug(String),
    /// Standard output is gone.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] std::io::Error),
}

impl From<InvitationError> for Failure {
    fn from(error: InvitationError) -> Self {
        match error {
            InvitationError::Given(why) => Self::Flags(why),
            InvitationError::Store(why) => Self::Facade(why.into()),
        }
    }
}

impl Failure {
    /// Whether whoever reads the result has enough of it, and went away.
    pub(crate) fn is_enough(&self) -> bool {
        match self {
            Self::Facade(error) => error.is_enough(),
            Self::Output(error) => error.kind() == ErrorKind::BrokenPipe,
            Self::ForScripts(failure) => failure.is_enough(),
            _ => false,
        }
    }

    /// Whether scripts read of it though no flag says so.
    pub(crate) fn is_for_scripts(&self) -> bool {
        matches!(self, Self::ForScripts(_))
    }

    /// The exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Facade(error) => error.exit_code(),
            Self::Flags(_) | Self::Output(_) | Self::Service { .. } => exit_code::INPUT,
            Self::Running { .. } => exit_code::NETWORK,
            Self::Declined => exit_code::POLICY,
            Self::Unverified(_) => exit_code::PEER,
            Self::ForScripts(failure) => failure.exit_code(),
            Self::Bug(_) => exit_code::BUG,
        }
    }
}

impl From<veilset::data::DataError> for Failure {
    fn from(error: veilset::data::DataError) -> Self {
        Self::Facade(error.into())
    }
}

impl From<veilset::party::StoreError> for Failure {
    fn from(error: veilset::party::StoreError) -> Self {
        Self::Facade(error.into())
    }
}
