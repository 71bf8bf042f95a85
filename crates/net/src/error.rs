//! What can go wrong, and whose business it is.

use std::io;
use std::time::Duration;

use veilset_host::time::show_wait;
use veilset_party::PublicKey;

use crate::{Role, Stranger};

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

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// An address does not parse.
    #[error("`{given}` is not an address: {why}")]
    Address {
        /// The text, escaped.
        given: String,
        /// What is wrong with it, and what to give instead.
        why: String,
    },
    /// A relay's URL does not parse.
    #[error("`{given}` is not a relay: {why}")]
    Relay {
        /// The text, escaped.
        given: String,
        /// What is wrong with it, and what to give instead.
        why: String,
    },
    /// This machine's proxy is none that can be used.
    #[error("{0}")]
    Proxy(String),
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
        "no connection to {addr} within {}: {why}; check the address, and that the peer is listening there",
        show_wait(*.waited)
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
        "the peer did not connect to {addr} within {}; {}",
        show_wait(*.waited), advice(*.strangers, .last.as_ref(), .other_key.as_deref())
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
        /// The key that one of them showed, the latest if several did.
        other_key: Option<Box<PublicKey>>,
    },
    /// The peer did not come to the relay in time.
    #[error("{}", nobody_met(relay, *.waited, .last.as_deref()))]
    NobodyMet {
        /// The relay's URL.
        relay: String,
        /// How long.
        waited: Duration,
        /// Why this side did not get through to the relay, if it did not.
        last: Option<String>,
    },
    /// What answers in a relay's place is none.
    #[error("whatever answers at {relay} is not a veilset relay: {why}; check the URL")]
    NotARelay {
        /// The URL.
        relay: String,
        /// What it did.
        why: String,
    },
    /// Nobody vouches for a relay whom this machine trusts.
    #[error(
        "{relay}: {why}; nothing was sent. If it is a relay of your organisation's own, or a proxy opens connections on the way, name the \
         file of its authority in the variable SSL_CERT_FILE"
    )]
    RelayCertificate {
        /// The relay's URL.
        relay: String,
        /// What is wrong.
        why: String,
    },
    /// Nobody with the code came in time.
    #[error("{}", not_introduced(*.role, at, *.waited, .last.as_deref()))]
    NotIntroduced {
        /// Which of the two this side is.
        role: Role,
        /// The address, or the relay's URL.
        at: String,
        /// How long.
        waited: Duration,
        /// How the last attempt failed, if one did.
        last: Option<String>,
    },
    /// Somebody told a wrong code, so that it is used up.
    #[error(
        "somebody gave a wrong code, so this one is used up, and nobody was pinned: make another invitation, and tell its code to nobody else"
    )]
    CodeUsedUp,
    /// The other side has another code, or it is used up.
    #[error(
        "the code is wrong, or was used up by somebody else, or the connection broke; nobody was pinned: ask for another invitation"
    )]
    WrongCode,
    /// This side's user ended the wait.
    #[error("stopped before the peer was there; nothing was sent")]
    Stopped,
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
            Self::Address { .. }
            | Self::Relay { .. }
            | Self::Proxy(_)
            | Self::OwnKey
            | Self::Listen { .. } => Class::Input,
            Self::System(_)
            | Self::Unreachable { .. }
            | Self::NobodyCame { .. }
            | Self::NobodyMet { .. }
            | Self::NotIntroduced { .. }
            | Self::Stopped => Class::Network,
            Self::WrongKey { .. }
            | Self::RefusedByPeer { .. }
            | Self::RelayCertificate { .. }
            | Self::CodeUsedUp
            | Self::WrongCode => Class::Refused,
            Self::NotVeilset { .. } | Self::NotARelay { .. } => Class::Protocol,
            Self::OtherVersion { .. } => Class::Version,
        }
    }
}

/// What to look at when the peer did not come to a relay.
fn nobody_met(relay: &str, waited: Duration, last: Option<&str>) -> String {
    let waited = show_wait(waited);
    match last {
        Some(why) => format!(
            "this side did not get through to {relay} within {waited} ({why}); check the URL, the network, and HTTPS_PROXY"
        ),
        None => format!(
            "the peer did not come to {relay} within {waited}; check that it gives the same --via, with the same name behind # if \
             there is one, and that both sides pinned the right key: compare `veilset id` there with `veilset peer list` here, and the \
             other way round"
        ),
    }
}

/// What to do about an invitation that came to nothing.
fn not_introduced(role: Role, at: &str, waited: Duration, last: Option<&str>) -> String {
    let last = last.map_or(String::new(), |last| format!(" (the last attempt: {last})"));
    let waited = show_wait(waited);
    match role {
        Role::Host => format!(
            "nobody with this code came to {at} within {waited}{last}; make another invitation"
        ),
        Role::Guest => format!(
            "no such invitation waits at {at}{last}: check the first four characters of the code, and where to go. It may have expired, been \
             used, or been ended: then ask for another"
        ),
    }
}

/// What to look at when the peer did not come: `strangers` others did.
fn advice(strangers: u64, last: Option<&Stranger>, other_key: Option<&PublicKey>) -> String {
    let Some(last) = last else {
        return "check that the peer connects to this address and that both sides pinned the right key"
            .to_owned();
    };
    let key = match (last, other_key) {
        (Stranger::OtherKey(_), _) | (_, None) => String::new(),
        (_, Some(key)) => format!("; one showed the key {key}"),
    };
    format!(
        "callers turned away: {strangers}, the last because {last}{key}. If one of them was the peer, it has another \
         key than the one that was pinned: compare `veilset id` there with `veilset peer list` here, and the other \
         way round"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_came_tells_who_did() {
        let key = PublicKey::from_bytes([7; 32]);
        let text = |strangers, last, other_key: Option<PublicKey>| {
            let (addr, waited) = ("127.0.0.1:7000".to_owned(), Duration::from_secs(9));
            NetError::NobodyCame {
                addr,
                waited,
                strangers,
                last,
                other_key: other_key.map(Box::new),
            }
            .to_string()
        };
        let alone = text(0, None, None);
        assert!(alone.contains("within 9 s; check that the peer connects"), "{alone}");
        for last in [Stranger::OtherKey(key), Stranger::TooSlow] {
            let text = text(3, Some(last), Some(key));
            assert!(text.contains("callers turned away: 3"), "{text}");
            assert_eq!(text.matches(&key.to_string()).count(), 1, "{text}");
            assert!(text.contains("`veilset id` there with `veilset peer list` here"), "{text}");
        }
        assert!(!text(1, Some(Stranger::Left), None).contains("showed the key"));
    }
}
