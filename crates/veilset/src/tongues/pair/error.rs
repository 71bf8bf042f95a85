//! Why a step of PAIR is not done.

use std::path::PathBuf;

use veilset_tongues::pair::{KeyFileError, MatchingError, NotARecord, Refusal};

use super::Stage;
use crate::exit_code;

/// Why a step of PAIR is not done.
#[derive(Debug, thiserror::Error)]
pub enum PairError {
    /// A file should have a key and has not.
    #[error("{}: {why}", path.display())]
    KeyFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: KeyFileError,
    },
    /// A partner's key cannot be imported.
    #[error("{place}: {why}")]
    Import {
        /// Where it is from.
        place: String,
        /// What is wrong.
        why: KeyFileError,
    },
    /// Others may read a key.
    #[error(
        "others may read the key in {0}: run `chmod 600 {0}`, and make another with `veilset pair key` if somebody may have read it",
        path.display()
    )]
    Exposed {
        /// The file.
        path: PathBuf,
    },
    /// A key would take the place of a file.
    #[error("{} exists: what is encrypted with a key needs it; give another file, or --force", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A file that is no key would be lost.
    #[error("{} is no file that `veilset pair key` made, so --force does not replace it: give --output another name", path.display())]
    NotReplaced {
        /// The file.
        path: PathBuf,
    },
    /// The list's key makes no identifiers of PAIR's.
    #[error(
        "PAIR's identifiers are of one column: give --key COL:email-ascii-sha256, COL:phone-sha256, or COL:raw for what both rooms agreed on, \
         and run the command once for each"
    )]
    Preset,
    /// A list has no column of entries.
    #[error(
        "{file} has several columns and none called {column:?}: name the one with the encrypted identifiers with --column"
    )]
    Column {
        /// The file.
        file: String,
        /// What it should be called.
        column: String,
    },
    /// A list is another than a step takes.
    #[error(
        "{file}: its header says that its entries have {}, and here those with {} are needed: check which file is which", found.keys(),
        wanted.keys()
    )]
    Stage {
        /// The file.
        file: String,
        /// How far it is.
        found: Stage,
        /// How far it has to be.
        wanted: Stage,
    },
    /// An entry is no text of an encrypted identifier.
    #[error(
        "{place}: not an encrypted identifier, which is the Base64 (RFC 4648) of 32 bytes in 44 characters; ask whoever made the file for it \
         anew, or name its column with --column"
    )]
    Entry {
        /// Where.
        place: String,
    },
    /// An entry is no point.
    #[error(
        "{place}: its 32 bytes are no point of ristretto255, or the neutral one, which no clean room sends; it may be of another cipher: \
         ask whoever made the file"
    )]
    Point {
        /// Where.
        place: String,
    },
    /// A row is of another relationship.
    #[error(
        "{place}: its AdvPubID is not the one of --advpubid: check which file is of whom, and what both rooms call this pair"
    )]
    Pairing {
        /// Where.
        place: String,
    },
    /// A list did not come back as it was sent.
    #[error("{file}: {why}")]
    Matching {
        /// The file.
        file: String,
        /// What is wrong.
        why: MatchingError,
    },
    /// A rule of PAIR's.
    #[error("{place}: {why}")]
    Rule {
        /// The file.
        place: String,
        /// The rule.
        why: Refusal,
    },
    /// Somebody other than the advertiser's room would get what matched.
    #[error(
        "PAIR gives what matched to the advertiser's clean room alone, which has Ka: {} has another key; leave out --output and --cipher-key",
        path.display()
    )]
    NotTheAdvertisers {
        /// The file of the key.
        path: PathBuf,
    },
    /// The publisher's table is for the publisher.
    #[error(
        "the table of Publisher Identifiers is the publisher's, who has Kp: {} has another key; leave out --table",
        path.display()
    )]
    NotThePublishers {
        /// The file of the key.
        path: PathBuf,
    },
    /// The record of earlier matches is something else.
    #[error("{}: {why}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: NotARecord,
    },
}

impl PairError {
    /// The exit code of a program that ends with it.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::KeyFile { .. }
            | Self::Import { .. }
            | Self::Exists { .. }
            | Self::NotReplaced { .. }
            | Self::Preset
            | Self::Column { .. }
            | Self::Stage { .. }
            | Self::Record { .. } => exit_code::INPUT,
            Self::Pairing { .. } => exit_code::TERMS,
            Self::Matching { why, .. } if !why.is_of_peer() => exit_code::INPUT,
            Self::Entry { .. } | Self::Point { .. } | Self::Matching { .. } => exit_code::PEER,
            Self::Exposed { .. }
            | Self::Rule { .. }
            | Self::NotTheAdvertisers { .. }
            | Self::NotThePublishers { .. } => exit_code::POLICY,
        }
    }
}
