//! Where the parties meet.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use crate::{Identity, Listener, NetError, PublicKey, TlsTransport, connect};

/// Which side this party takes; it has no bearing on who learns what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// Waits for the peer at this `HOST:PORT`.
    Listen(String),
    /// Goes to the peer at this `HOST:PORT`.
    Connect(String),
}

/// How patient a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How long to wait for the peer to appear.
    pub deadline: Duration,
    /// A sign of life goes out when nothing else did for this long.
    pub heartbeat: Duration,
    /// A peer from whom nothing comes for this long is dead; several heartbeats long.
    pub silence: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(600),
            heartbeat: Duration::from_secs(5),
            silence: Duration::from_secs(20),
        }
    }
}

/// What happens while a party waits, for its user's eyes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The wait at this address began.
    Listening(SocketAddr),
    /// An attempt failed; the next comes after `wait`.
    Retrying {
        /// The peer's address.
        addr: String,
        /// How the attempt failed.
        why: String,
        /// Until the next attempt.
        wait: Duration,
    },
    /// Somebody else connected and was turned away.
    StrangerRefused {
        /// Where from.
        addr: SocketAddr,
        /// Why.
        why: Stranger,
    },
    /// The peer is there, and it is the pinned one.
    Connected {
        /// Its address.
        addr: SocketAddr,
    },
}

/// How a listener knows that a caller is not the peer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stranger {
    /// It presented this key.
    OtherKey(PublicKey),
    /// It expected another key than this party's.
    ExpectsOtherKey,
    /// It does not speak the protocol.
    NotVeilset(String),
    /// It went away.
    Left,
    /// It did not complete the handshake in time.
    TooSlow,
}

impl fmt::Display for Stranger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherKey(key) => write!(f, "its key is {key}, not the pinned one"),
            Self::ExpectsOtherKey => f.write_str("it expected another key than this side's"),
            Self::NotVeilset(why) => write!(f, "it is not veilset ({why})"),
            Self::Left => f.write_str("it left before it showed a key"),
            Self::TooSlow => f.write_str("it did not show a key in time"),
        }
    }
}

/// Waits for the peer whose key is `peer`, whichever side starts first, and connects both ways authenticated.
///
/// # Errors
/// See [`NetError`]; an address or a wrong key is reported at once, an absent peer at the deadline.
///
/// # Panics
/// When called inside an asynchronous runtime.
pub fn establish(
    identity: &Identity,
    peer: &PublicKey,
    endpoint: &Endpoint,
    options: &Options,
    events: &dyn Fn(Event),
) -> Result<TlsTransport, NetError> {
    match endpoint {
        Endpoint::Listen(addr) => Listener::bind(addr)?.accept(identity, peer, options, events),
        Endpoint::Connect(addr) => connect(identity, peer, addr, options, events),
    }
}

/// Splits `HOST:PORT`; an IPv6 host stands in brackets.
pub(crate) fn host_and_port(given: &str) -> Result<(&str, u16), NetError> {
    let wrong = |why| NetError::Address { given: given.escape_default().to_string(), why };
    let (host, port) = given.rsplit_once(':').ok_or_else(|| wrong("it has no port"))?;
    let port = port.parse().map_err(|_| wrong("its port is not a number up to 65535"))?;
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    match bare.unwrap_or(host) {
        "" => Err(wrong("it has no host (0.0.0.0 stands for every address of this machine)")),
        host if bare.is_none() && host.contains(':') => {
            Err(wrong("an IPv6 address stands in brackets"))
        }
        host if host.chars().any(|c| c.is_whitespace() || c.is_control() || c == '/') => {
            Err(wrong("its host is not a name or number"))
        }
        host => Ok((host, port)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_host_and_a_port() {
        for (given, want) in [
            ("example.org:7000", ("example.org", 7000)),
            ("127.0.0.1:0", ("127.0.0.1", 0)),
            ("[::1]:65535", ("::1", 65535)),
        ] {
            assert_eq!(host_and_port(given).expect("good"), want);
        }
        for given in ["", "host", "host:", "host:65536", ":7000", "::1:7000", "http://x:1", "a b:1"]
        {
            assert!(matches!(host_and_port(given), Err(NetError::Address { .. })), "{given}");
        }
    }
}
