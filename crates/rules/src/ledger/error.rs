//! Why a ledger lets no run begin.

use std::path::PathBuf;

use veilset_party::StoreError;

use crate::Refusal;

/// Why a ledger lets no run begin, or cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// It cannot be read or written, or others may change it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It is not as this party left it.
    #[error(
        "{} was changed: {what}. Nothing runs with budgets that may be wrong: restore it with {}.head, or move both away to begin \
         a new ledger, with new budgets",
        path.display(), path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// What shows it.
        what: &'static str,
    },
    /// A budget has too little left.
    #[error(transparent)]
    Refused(Refusal),
}
