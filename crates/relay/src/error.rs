//! Why a relay cannot serve.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a relay cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    /// The address cannot be listened on.
    #[error("cannot listen on {addr}: {why}; give an address of this machine and a free port")]
    Listen {
        /// `HOST:PORT`.
        addr: String,
        /// What the system says.
        why: io::Error,
    },
    /// Metrics cannot be shown at this address.
    #[error("cannot show metrics at {addr}: {why}")]
    Metrics {
        /// The address.
        addr: SocketAddr,
        /// What the system says.
        why: io::Error,
    },
    /// A certificate or its key cannot be used.
    #[error("{}: {why}", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The files of a page cannot be shown.
    #[error("the page in {}: {why}; give the folder that `make page` filled", path.display())]
    Page {
        /// The folder.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// The system refuses what every relay needs.
    #[error("the system gives no resources for a relay: {0}")]
    System(#[from] io::Error),
}
