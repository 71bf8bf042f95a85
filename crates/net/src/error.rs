//! What can go wrong, and whose business it is.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::{KeyError, PublicKey, Stranger};

/// Whose business an error is; a program's exit code follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The user's input: an address, a name, a file.
    Input,
    /// The network, or nobody came in time.
    Network,
    /// The other end does not speak the protocol.
    Protocol,
    /// The two ends speak different versions of it.
    Version,
    /// An identity was refused.
    Refused,
}

/// Why an identity or a peer could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No directory for identities.
    #[error("there is no directory for identities: set VEILSET_HOME to one")]
    NoHome,
    /// A file cannot be read.
    #[error("cannot read {}: {why}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {why}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// This party has no identity yet.
    #[error("there is no identity at {}: run `veilset id` to make one", .path.display())]
    NoIdentity {
        /// Where it would be.
        path: PathBuf,
    },
    /// This party has an identity already.
    #[error("{} exists and is never overwritten: run `veilset id --new` to replace this identity", .path.display())]
    IdentityExists {
        /// The file.
        path: PathBuf,
    },
    /// Others than its owner may read the secret key.
    #[error(
        "others may read or write the secret key {0}: run `chmod 600 {0}`, and `veilset id --new` if somebody may have read it",
        .path.display()
    )]
    Exposed {
        /// The file.
        path: PathBuf,
    },
    /// The key file holds something else.
    #[error("{} is not an Ed25519 key in PKCS#8 (DER): restore it, or run `veilset id --new` for a new identity", .path.display())]
    NotAnIdentity {
        /// The file.
        path: PathBuf,
    },
    /// A line of the peers file is wrong.
    #[error("{}, line {line}: {why}", .path.display())]
    PeersLine {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        why: Box<StoreError>,
    },
    /// A line of the peers file is something else.
    #[error("expected a name and a key, with a space between; a comment starts with #")]
    NotNameAndKey,
    /// A name stands on two lines.
    #[error("the name {name} is there already: delete one of the two lines")]
    NameTwice {
        /// The name.
        name: String,
    },
    /// A name cannot be a peer's.
    #[error(
        "`{name}` cannot be a peer's name: use 1 to 64 letters, digits, dots, underscores and dashes, and no `veilset1` at the start"
    )]
    Name {
        /// The name, escaped.
        name: String,
    },
    /// A key does not parse.
    #[error(transparent)]
    Key(KeyError),
    /// The peer's key is this party's own.
    #[error(
        "this is your own key: ask the peer for the line that `veilset id` prints on their side"
    )]
    OwnKey,
    /// No peer has the name.
    #[error(
        "there is no peer called `{name}`{}: run `veilset peer add {name} KEY` with the key that the peer sent you",
        closest(close)
    )]
    NoPeer {
        /// The name, escaped.
        name: String,
        /// Names that look like it, the closest first.
        close: Vec<String>,
    },
    /// The name belongs to another key.
    #[error(
        "THE KEY OF {name} IS ANOTHER ONE NOW\n  pinned:  {old}\n  offered: {new}\nAsk {name} over another channel whether they made a new identity. If they did, add it again with --force; if not, somebody is posing as them."
    )]
    ChangedKey {
        /// The peer.
        name: String,
        /// The pinned key.
        old: PublicKey,
        /// The key that was to be pinned.
        new: PublicKey,
    },
}

impl StoreError {
    /// Whose business it is.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::ChangedKey { .. } => Class::Refused,
            _ => Class::Input,
        }
    }
}

fn closest(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(" (close: {})", names.join(", ")) }
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// An address does not parse.
    #[error(
        "`{given}` is not an address: {why}; give HOST:PORT, such as 203.0.113.7:7000 or [2001:db8::7]:7000"
    )]
    Address {
        /// The text, escaped.
        given: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The peer's key is this party's own.
    #[error(
        "the peer's key is your own: ask the peer for the line that `veilset id` prints on their side"
    )]
    OwnKey,
    /// The address cannot be listened on.
    #[error("cannot listen on {addr}: {why}; give an address of this machine and a free port")]
    Listen {
        /// The address.
        addr: String,
        /// What the system says.
        why: io::Error,
    },
    /// The system refuses what every connection needs.
    #[error("the system gives no resources for a connection: {0}")]
    System(io::Error),
    /// The peer's side could not be reached in time.
    #[error(
        "no connection to {addr} within {} s: {why}; check the address, and that the peer is listening there",
        .waited.as_secs()
    )]
    Unreachable {
        /// The address.
        addr: String,
        /// How long was tried.
        waited: Duration,
        /// How the last attempt failed.
        why: String,
    },
    /// The peer did not come in time.
    #[error(
        "the peer did not connect to {addr} within {} s{}; check that the peer connects to this address and that both sides pinned the right key",
        .waited.as_secs(), refused(.strangers, .last.as_ref())
    )]
    NobodyCame {
        /// The address that was listened on.
        addr: String,
        /// How long.
        waited: Duration,
        /// How many others were turned away.
        strangers: u64,
        /// Why the last one was.
        last: Option<Stranger>,
    },
    /// The other end has another key than the pinned one.
    #[error(
        "THE PEER AT {addr} HAS ANOTHER KEY THAN THE ONE YOU PINNED\n  pinned:    {expected}\n  presented: {got}\nNothing was sent. Either the address is somebody else's, or the peer made a new identity (ask them over another channel, then pin it with `veilset peer add NAME KEY --force`), or somebody is posing as them."
    )]
    WrongKey {
        /// The address.
        addr: String,
        /// The pinned key.
        expected: PublicKey,
        /// The key that was presented.
        got: PublicKey,
    },
    /// The other end does not accept this party's key.
    #[error(
        "the peer at {addr} does not accept this identity; ask them to run: veilset peer add NAME {own}"
    )]
    RefusedByPeer {
        /// The address.
        addr: String,
        /// This party's key.
        own: PublicKey,
    },
    /// The other end is something else.
    #[error("whatever answers at {addr} is not veilset: {why}; check the address and the port")]
    NotVeilset {
        /// The address.
        addr: String,
        /// What it did.
        why: String,
    },
    /// The peer speaks another version.
    #[error(
        "the peer at {addr} speaks version {theirs} of the wire format, this side version {ours}: both sides need the same release of veilset"
    )]
    OtherVersion {
        /// The address.
        addr: String,
        /// This side's version.
        ours: u8,
        /// The peer's version.
        theirs: u8,
    },
}

impl NetError {
    /// Whose business it is.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::Address { .. } | Self::OwnKey | Self::Listen { .. } => Class::Input,
            Self::System(_) | Self::Unreachable { .. } | Self::NobodyCame { .. } => Class::Network,
            Self::WrongKey { .. } | Self::RefusedByPeer { .. } => Class::Refused,
            Self::NotVeilset { .. } => Class::Protocol,
            Self::OtherVersion { .. } => Class::Version,
        }
    }
}

fn refused(strangers: &u64, last: Option<&Stranger>) -> String {
    match last {
        Some(why) => format!(" (callers turned away: {strangers}, the last because {why})"),
        None => String::new(),
    }
}
