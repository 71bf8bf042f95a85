//! Where the parties meet.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use veilset_host::time::show_wait;
use veilset_party::{Identity, PeerKeys, PublicKey};

#[cfg(not(target_family = "wasm"))]
use crate::Listener;
use crate::address::{Purpose, host_and_port, relay_url};
use crate::connect::meet;
#[cfg(not(target_family = "wasm"))]
use crate::connect::seek;
use crate::{NetError, Stop, TlsTransport, Traffic};

/// Which side this party takes; it has no bearing on who learns what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// Waits for the peer at this `HOST:PORT`.
    Listen(String),
    /// Goes to the peer at this `HOST:PORT`, through this machine's proxy if it has one.
    Connect(String),
    /// Goes to the relay with this URL, where the peer goes, too.
    Via(String),
}

impl Endpoint {
    /// Its address, or its URL.
    #[must_use]
    pub fn place(&self) -> &str {
        match self {
            Self::Listen(place) | Self::Connect(place) | Self::Via(place) => place,
        }
    }

    /// Whether its text is an address. Asks no name server and opens nothing, so it is worth doing before anything that
    /// takes time.
    ///
    /// # Errors
    /// [`NetError::Address`], which says what to give instead.
    pub fn check(&self) -> Result<(), NetError> {
        match self {
            Self::Listen(addr) => host_and_port(addr, Purpose::Listen).map(drop),
            Self::Connect(addr) => host_and_port(addr, Purpose::Connect).map(drop),
            Self::Via(url) => relay_url(url).map(drop),
        }
    }
}

/// How patient a connection is, and who may end it.
#[derive(Debug, Clone)]
pub struct Options {
    /// How long to wait for the peer to appear, and for its return after the network failed unless `comeback` says another time.
    pub deadline: Duration,
    /// A sign of life goes out when nothing else did for this long.
    pub heartbeat: Duration,
    /// A connection over which nothing comes for this long is lost; several heartbeats long.
    pub silence: Duration,
    /// Ends the wait, or the connection.
    pub stop: Stop,
    /// Whether what [`establish`] makes goes on over another connection when one is lost.
    pub comeback: Comeback,
    /// What crossed so far.
    pub traffic: Traffic,
}

/// Whether a run goes on over another connection when one is lost, who is told, and how long the peer may take.
#[derive(Clone)]
pub struct Comeback {
    tell: Option<Arc<Tell>>,
    longest: Option<Duration>,
}

type Tell = dyn Fn(Event) + Send + Sync;

impl Comeback {
    /// A run ends with its connection.
    pub const NEVER: Self = Self { tell: None, longest: None };

    /// It goes on, and `tell` hears of it, on another thread.
    #[must_use]
    pub fn told(tell: impl Fn(Event) + Send + Sync + 'static) -> Self {
        Self { tell: Some(Arc::new(tell)), longest: None }
    }

    /// It goes on if the peer is back after so long at most, and not until the deadline.
    #[must_use]
    pub fn within(self, longest: Duration) -> Self {
        Self { longest: Some(longest), ..self }
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.tell.is_some()
    }

    /// How long the peer of these options may take to come back.
    pub(crate) fn longest(&self, deadline: Duration) -> Duration {
        self.longest.unwrap_or(deadline)
    }

    pub(crate) fn tell(&self, event: Event) {
        if let Some(tell) = &self.tell {
            tell(event);
        }
    }
}

impl fmt::Debug for Comeback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Comeback")
            .field("is_wanted", &self.is_wanted())
            .field("longest", &self.longest)
            .finish()
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(600),
            heartbeat: Duration::from_secs(5),
            silence: Duration::from_secs(20),
            stop: Stop::NEVER,
            comeback: Comeback::told(|_| ()),
            traffic: Traffic::UNSEEN,
        }
    }
}

/// What happens while a party waits, for its user's eyes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The wait at this address began.
    Listening(SocketAddr),
    /// The wait at this relay began.
    Waiting {
        /// Its URL.
        relay: String,
    },
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
    /// So many others were turned away that only their number is told, every few seconds.
    StrangersRefused {
        /// How many, since the last event that told of any.
        count: u64,
        /// Why the last one was.
        why: Stranger,
    },
    /// The peer is there, and it is the pinned one.
    Connected {
        /// Its address, or the relay's URL.
        addr: String,
    },
    /// The peer has the key that it announced as its next, which alone is pinned from now on.
    NextKey,
    /// The same, but its former key stays pinned, since the file cannot be written.
    FormerKeyKept {
        /// Why.
        why: String,
    },
    /// The connection was lost, and the peer may come back within `wait`.
    Lost {
        /// How.
        why: String,
        /// How long the peer is waited for.
        wait: Duration,
    },
    /// The peer is back.
    Returned {
        /// Its address, or the relay's URL.
        addr: String,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listening(address) => write!(f, "waiting for the peer at {address}"),
            Self::Waiting { relay } => write!(f, "waiting for the peer at {relay}"),
            Self::Retrying { addr, why, wait } => {
                write!(f, "{addr}: {why}; trying again in {:.1} s", wait.as_secs_f64())
            }
            Self::StrangerRefused { addr, why } => {
                write!(f, "turned away a caller from {addr}: {why}; still waiting")
            }
            Self::StrangersRefused { count, why } => {
                write!(f, "turned away {count} more callers, the last: {why}; still waiting")
            }
            Self::Connected { addr } => {
                write!(f, "connected to {addr}; the peer's key is the pinned one")
            }
            Self::NextKey => f.write_str(
                "the peer has the key that it announced; its former key is refused from now on",
            ),
            Self::FormerKeyKept { why } => write!(
                f,
                "warning: the peer has the key that it announced, but its former key stays pinned beside it: {why}"
            ),
            Self::Lost { why, wait } => write!(
                f,
                "{why}; the run goes on if the peer comes back within {}",
                show_wait(*wait)
            ),
            Self::Returned { addr } => write!(f, "the peer is back, at {addr}; the run goes on"),
        }
    }
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
    /// It is the peer, in another run.
    OtherRun,
    /// It did not complete the handshake in time.
    TooSlow,
    /// It had not completed the handshake when more callers came than are served at once.
    Crowded,
}

impl fmt::Display for Stranger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherKey(key) => write!(f, "its key is {key}, not the pinned one"),
            Self::ExpectsOtherKey => f.write_str("it expected another key than this side's"),
            Self::NotVeilset(why) => write!(f, "it is not veilset ({why})"),
            Self::Left => f.write_str("it left before it showed a key"),
            Self::OtherRun => {
                f.write_str("it wants to go on with a run that was cut off elsewhere")
            }
            Self::TooSlow => f.write_str("it did not show a key in time"),
            Self::Crowded => {
                f.write_str("it had not shown a key when more callers came than are served at once")
            }
        }
    }
}

/// A browser has neither.
#[cfg(target_family = "wasm")]
pub(crate) fn unreachable_address(addr: &str) -> NetError {
    let why = "a browser neither listens nor connects: both meet at a relay".to_owned();
    NetError::Address { given: addr.to_owned(), why }
}

/// Waits for the peer whose key is `peer`, or one of its keys, whichever side starts first, and connects both ways authenticated. Unless one of the two
/// ends [never](Comeback::NEVER) comes back, what is sent goes on over another connection when one is lost.
///
/// # Errors
/// See [`NetError`]; an address or a wrong key is reported at once, an absent peer at the deadline.
///
/// # Panics
/// When called inside an asynchronous runtime.
pub fn establish(
    identity: &Identity,
    peer: impl Into<PeerKeys>,
    endpoint: &Endpoint,
    options: &Options,
    events: &dyn Fn(Event),
) -> Result<TlsTransport, NetError> {
    let (peer, lasting) = (peer.into(), options.comeback.is_wanted());
    match endpoint {
        #[cfg(not(target_family = "wasm"))]
        Endpoint::Listen(addr) => {
            let mut came =
                Listener::bind(addr)?.await_all(identity, &[peer], options, events, lasting)?;
            Ok(came.remove(0))
        }
        #[cfg(not(target_family = "wasm"))]
        Endpoint::Connect(addr) => seek(identity, peer, addr, options, events, lasting),
        #[cfg(target_family = "wasm")]
        Endpoint::Listen(addr) | Endpoint::Connect(addr) => Err(unreachable_address(addr)),
        Endpoint::Via(url) => meet(identity, peer, url, options, events, lasting),
    }
}
