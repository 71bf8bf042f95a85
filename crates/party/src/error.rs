//! What can go wrong with what a party keeps on disk.

use std::io;
use std::path::PathBuf;

use crate::{KeyError, PublicKey};

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
    /// Others than its owner may change what this party relies on.
    #[error(
        "others may change {0}, which you rely on: check that it is as you left it, then run `chmod go-w {0}`",
        .path.display()
    )]
    Writable {
        /// The file or directory.
        path: PathBuf,
    },
    /// A file or directory is another user's.
    #[error(
        "{0} belongs to another user (number {owner}), who may change it: run `chown` on it if it is yours, or use a folder of your own; for identities and peers VEILSET_HOME names it",
        .path.display()
    )]
    Foreign {
        /// The file or directory.
        path: PathBuf,
        /// The number of the user.
        owner: u32,
    },
    /// Another program holds the lock for longer than any change takes.
    #[error(
        "another veilset is changing the files beside {}: try again when it is done",
        .path.display()
    )]
    Busy {
        /// The lock's file.
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
    /// A next key is announced by another key than the pinned one.
    #[error(
        "this line comes from another key than the one pinned as {name}, {}: a line before it is missing, or it is not of {name}; ask {name} for its key, and pin that with --force",
        .pinned.short()
    )]
    NotItsSuccessor {
        /// The name.
        name: String,
        /// The pinned key.
        pinned: PublicKey,
    },
    /// Another next key was announced before.
    #[error(
        "{name} announced another next key before, {}: ask {name} which one is right, and give --force to pin this one in its place",
        .other.short()
    )]
    OtherSuccessor {
        /// The name.
        name: String,
        /// The key that was announced before.
        other: PublicKey,
    },
    /// There is no next identity to switch to.
    #[error(
        "there is no next identity: run `veilset id --next` first, and send its line to your peers"
    )]
    NoNextIdentity,
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
    /// The key has a name already.
    #[error(
        "this key is pinned already, as {known}: go on with that name, or run `veilset peer remove {known}` first"
    )]
    KnownAs {
        /// The name that it has.
        known: String,
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
    /// Whether an identity was refused; anything else is a matter of the user's input.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::ChangedKey { .. })
    }
}

fn closest(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(" (close: {})", names.join(", ")) }
}
