//! Why a file is no policy.

use std::path::PathBuf;

use veilset_party::StoreError;

use super::Place;

/// Why a file is no policy.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// It cannot be read, or others may change it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It is no text.
    #[error("{} is not UTF-8: that is no policy", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
    },
    /// A line is not TOML.
    #[error("{place}: {why}")]
    Syntax {
        /// Where.
        place: Place,
        /// What is wrong.
        why: String,
    },
    /// There is no such rule.
    #[error("{place}: there is no rule `{name}`; the rules are {all}")]
    Unknown {
        /// Where.
        place: Place,
        /// The name.
        name: String,
        /// All names.
        all: String,
    },
    /// A rule has no such value.
    #[error("{place}: the rule `{name}` takes {wanted}")]
    Value {
        /// Where.
        place: Place,
        /// The rule.
        name: &'static str,
        /// What it takes.
        wanted: String,
    },
    /// Two rules leave nothing that both allow.
    #[error("{place}: the rule `{name}` is above the rule `{other}`: no run obeys both")]
    Crossed {
        /// Where.
        place: Place,
        /// The lower bound.
        name: &'static str,
        /// The upper bound.
        other: &'static str,
    },
}
