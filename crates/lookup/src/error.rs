//! What can go wrong, and whose business it is.

use std::io;
use std::path::{Path, PathBuf};

use veilset_channel::{ChannelError, Malformed};
use veilset_party::{PublicKey, StoreError};
use veilset_protocols::ProtocolError;

/// A list cannot be built or changed like this.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// A label does not fit.
    #[error(
        "item {index} (from 0) has a label of {got} bytes, at most {most} fit; shorten it, or build the list anew"
    )]
    Label {
        /// The item's place.
        index: usize,
        /// The label's length in bytes.
        got: usize,
        /// The bound in bytes.
        most: usize,
    },
    /// An item stands there twice.
    #[error("item {index} (from 0) was there before: give each item once")]
    Twice {
        /// The second one's place.
        index: usize,
    },
    /// The presets do not fit into what is published of the list.
    #[error("the key's presets take more than {most} bytes; make a key of fewer columns")]
    Presets {
        /// The bound in bytes.
        most: usize,
    },
    /// The list was made for fewer items.
    #[error("the list was built for at most {most} items, and would have {got}; build it anew")]
    Full {
        /// The bound.
        most: u64,
        /// How many there would be.
        got: u64,
    },
    /// Encrypted questions would not find all items.
    #[error(
        "not all items have room in a list for encrypted questions; build the list anew, or for `oprf-filter`"
    )]
    Places,
    /// The fingerprints would have more than 128 bits.
    #[error("no list can hold that many items for that many lookups; give a smaller --budget")]
    Budget,
}

/// A list's file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("cannot read {path}: {why}", path = .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// It cannot be written.
    #[error("cannot write {path}: {why}", path = .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// Others may read it.
    #[error("others may read {path}, which holds the list's key: run `chmod 600 {path}`", path = .path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
    },
    /// It, or its folder, is another's, or others may change it.
    #[error(transparent)]
    Untrusted(StoreError),
    /// It is there already.
    #[error("{path} exists; --force builds the list anew, under a new key, as its next version", path = .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Not all of its items fit where encrypted questions look for them.
    #[error(
        "{path} cannot answer encrypted questions: {why}; build the list anew with --force",
        path = .path.display()
    )]
    Places {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: ProtocolError,
    },
    /// It is something else, or was cut or altered.
    #[error("{path} is not a whole list file: {why}; `veilset serve build` makes one", path = .path.display())]
    NotAList {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl FileError {
    /// What the guard says of the file at `path`, or of its folder.
    pub(crate) fn guarded(path: &Path, why: StoreError) -> Self {
        match why {
            StoreError::Exposed { .. } => Self::Exposed { path: path.to_owned() },
            other => Self::Untrusted(other),
        }
    }

    /// A file whose parts are not what they should be, though its checksum is.
    pub(crate) fn does_not_parse(path: &Path) -> Self {
        Self::NotAList { path: path.to_owned(), why: "it does not parse" }
    }
}

/// Why a server does not answer a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The client has asked as often as it may.
    #[error("you have asked for as many items as you may in an hour; ask again in {} min", .0.div_ceil(60))]
    Quota(u32),
    /// The list is there in another version meanwhile.
    #[error("the list was changed meanwhile; ask again")]
    Moved,
    /// The request is none.
    #[error("the server does not understand the request")]
    Malformed,
    /// The service stops.
    #[error("the service is stopping; ask again later")]
    Stopping,
    /// The service has as many clients as it can have.
    #[error("the service has as many clients as it takes, or as many of yours; ask again later")]
    Full,
    /// The server's release makes questions otherwise.
    #[error("the server's release takes other requests: use the same release of veilset")]
    Release,
    /// The client's key is not allowed, or not any more.
    #[error(
        "the service knows your key, and does not let you ask; ask its owner to add you with --allow, or to the file of --allow-file"
    )]
    Forbidden,
}

impl Refusal {
    /// A word for logs and counts.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Quota(_) => "quota",
            Self::Moved => "moved",
            Self::Malformed => "malformed",
            Self::Stopping => "stopping",
            Self::Full => "full",
            Self::Release => "release",
            Self::Forbidden => "forbidden",
        }
    }
}

/// Why a client has no answer.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// The connection, or frames that no server sends.
    #[error(transparent)]
    Channel(#[from] ChannelError),
    /// The server does not know this side's key.
    #[error(
        "the service at {addr} does not know this identity; ask its owner to run: veilset peer add NAME {own}, and to serve with --allow NAME"
    )]
    Stranger {
        /// The service's address.
        addr: String,
        /// This side's key.
        own: PublicKey,
    },
    /// The server said no.
    #[error("refused: {0}")]
    Refused(Refusal),
    /// There is no question to be asked.
    #[error("the list cannot answer: {0}; ask its owner")]
    Question(ProtocolError),
    /// The server sent what is no answer.
    #[error(
        "the server's {what} cannot be read: {why}; it runs another release, or breaks the protocol"
    )]
    Malformed {
        /// The answer.
        what: &'static str,
        /// What is wrong with it.
        why: Malformed,
    },
    /// What the server sent is not what it says of itself.
    #[error("the server failed the {0}: no answer of it can be used")]
    Check(&'static str),
    /// The server went back to an older version.
    #[error(
        "the server has version {theirs} of its list, and had version {ours} before: it went back, or shows you another list than others; ask its owner"
    )]
    Older {
        /// The version that this side has.
        ours: u64,
        /// The server's.
        theirs: u64,
    },
    /// The server has another list than before at its address.
    #[error(
        "the server has another list at this address than it had before: ask its owner why; --new-list takes it from now on"
    )]
    OtherList,
    /// The list is longer than this side takes.
    #[error(
        "the server's list has {length} bytes, and --max-list allows {most}; raise it to fetch the list"
    )]
    TooLong {
        /// The published list's.
        length: u64,
        /// This side's bound.
        most: u64,
    },
    /// The list changed again and again while it was fetched.
    #[error("the list changed {0} times while it was fetched; ask again later")]
    Restless(u32),
}
