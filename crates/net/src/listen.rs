//! The side that waits.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::endpoint::host_and_port;
use crate::handshake::{self, Connected, Failure, VERSION};
use crate::link::{background, runtime};
use crate::tls::{self, PinnedKey};
use crate::{Event, Identity, NetError, Options, PublicKey, Stranger, TlsTransport};

/// How many handshakes run at once; further callers wait in the system's queue.
const PENDING: usize = 64;

/// The pause after the system refused to accept a connection.
const BREATH: Duration = Duration::from_millis(100);

/// An address at which the peer is awaited.
#[derive(Debug)]
pub struct Listener {
    socket: std::net::TcpListener,
    addr: SocketAddr,
}

impl Listener {
    /// Opens `HOST:PORT`; port 0 stands for any free one.
    ///
    /// # Errors
    /// When the address does not parse or cannot be listened on.
    pub fn bind(addr: &str) -> Result<Self, NetError> {
        let target = host_and_port(addr)?;
        let failed = |why| NetError::Listen { addr: addr.to_owned(), why };
        let socket = std::net::TcpListener::bind(target).map_err(failed)?;
        socket.set_nonblocking(true).map_err(failed)?;
        let addr = socket.local_addr().map_err(failed)?;
        Ok(Self { socket, addr })
    }

    /// The address that is listened on.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.addr
    }

    /// Waits for the peer whose key is `peer`. Nobody else ends the wait: handshakes run side by side, each within 10 s,
    /// and the first caller that proves to be the peer is taken.
    ///
    /// # Errors
    /// [`NetError::NobodyCame`] at the deadline, [`NetError::OtherVersion`] when the peer came with another release.
    ///
    /// # Panics
    /// When called inside an asynchronous runtime.
    pub fn accept(
        self,
        identity: &Identity,
        peer: &PublicKey,
        options: &Options,
        events: &dyn Fn(Event),
    ) -> Result<TlsTransport, NetError> {
        if identity.public_key() == *peer {
            return Err(NetError::OwnKey);
        }
        let runtime = runtime()?;
        let addr = self.addr;
        events(Event::Listening(addr));
        let mut door = Door { identity, peer: *peer, events, strangers: 0, last: None };
        let waiting = async {
            match timeout(options.deadline, door.answer(self.socket)).await {
                Ok(answered) => answered,
                Err(_) => Err(NetError::NobodyCame {
                    addr: addr.to_string(),
                    waited: options.deadline,
                    strangers: door.strangers,
                    last: door.last,
                }),
            }
        };
        let connected = runtime.block_on(waiting)?;
        events(Event::Connected { addr: connected.addr });
        background(runtime, connected, *options)
    }
}

/// Who is expected, and who came instead.
struct Door<'a> {
    identity: &'a Identity,
    peer: PublicKey,
    events: &'a dyn Fn(Event),
    strangers: u64,
    last: Option<Stranger>,
}

type Visit = (SocketAddr, Result<Connected, Failure>);

impl Door<'_> {
    async fn answer(&mut self, socket: std::net::TcpListener) -> Result<Connected, NetError> {
        let socket = tokio::net::TcpListener::from_std(socket).map_err(NetError::System)?;
        let mut visits: JoinSet<Visit> = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                Some(visit) = visits.join_next() => {
                    if let Some(connected) = self.judge(visit.expect("a handshake does not panic"))? {
                        return Ok(connected);
                    }
                }
                accepted = socket.accept(), if visits.len() < PENDING => match accepted {
                    Ok((tcp, addr)) => {
                        let pin = PinnedKey::new(self.peer);
                        let config = tls::server(self.identity, &pin);
                        visits.spawn(async move {
                            (addr, handshake::as_server(config, &pin, tcp).await)
                        });
                    }
                    // The caller is gone already, or the system is short of something: neither ends the wait.
                    Err(_) => sleep(BREATH).await,
                },
            }
        }
    }

    fn judge(&mut self, (addr, outcome): Visit) -> Result<Option<Connected>, NetError> {
        let why = match outcome {
            Ok(connected) => return Ok(Some(connected)),
            Err(Failure::OtherVersion(theirs)) => {
                return Err(NetError::OtherVersion {
                    addr: addr.to_string(),
                    ours: VERSION,
                    theirs,
                });
            }
            Err(Failure::OtherKey(key)) => Stranger::OtherKey(key),
            Err(Failure::Refused) => Stranger::ExpectsOtherKey,
            Err(Failure::Alien(why)) => Stranger::NotVeilset(why),
            Err(Failure::Gone(_)) => Stranger::Left,
            Err(Failure::TooSlow) => Stranger::TooSlow,
        };
        self.strangers += 1;
        self.last = Some(why.clone());
        (self.events)(Event::StrangerRefused { addr, why });
        Ok(None)
    }
}
