//! Authenticated ways to the other parties.

use std::time::Duration;

use veilset_channel::Transport;
use veilset_net::{Comeback, Endpoint, Event, Options, TlsTransport, establish};
#[cfg(not(target_family = "wasm"))]
use veilset_net::{Listener, connect};
use veilset_party::{Identity, Peer, PublicKey};
use veilset_protocols::MOST_PARTIES;
use veilset_session::{ConnectedPeer, Pipe};

use crate::{Error, memory};

/// A peer of a multiparty run: what this side calls it, its pinned key, and where it listens.
#[derive(Debug, Clone)]
pub struct PeerAddress {
    /// What this side calls it.
    pub name: String,
    /// Its key.
    pub key: PublicKey,
    /// `HOST:PORT`; empty where all meet at a relay.
    pub address: String,
}

/// An authenticated way to the peer, or to each peer of a multiparty run.
pub struct Connection(pub(crate) Ways);

/// The pipes of a connection.
pub(crate) enum Ways {
    /// To the peer, and whether this side opened it.
    Pair { pipe: Pipe, connecting: bool },
    /// To all others, from the party with this key.
    Multiparty { own: PublicKey, peers: Vec<ConnectedPeer> },
}

impl Connection {
    /// The most peers of a multiparty run.
    pub const MOST_PEERS: usize = MOST_PARTIES - 1;

    /// Waits for the peer, on whichever side it appears; where it has the next key that it announced, its former one is forgotten. It may then take as long again, the deadline of
    /// `options`, to consent to the terms.
    ///
    /// # Errors
    /// When it does not come in time or is somebody else.
    pub fn open(
        identity: &Identity,
        peer: &Peer,
        endpoint: &Endpoint,
        options: &Options,
        events: &dyn Fn(Event),
    ) -> Result<Self, Error> {
        memory::has_read();
        let transport = establish(identity, peer, endpoint, options, events)?;
        settle(peer, &transport, events);
        let connecting = transport.connects();
        let pipe = pipe(transport).with_patience(options.deadline);
        Ok(Self(Ways::Pair { pipe, connecting }))
    }

    /// Meets all of `peers`: waits at `listen` for those with smaller keys, then goes to the others. As every party does
    /// so, each two meet once.
    ///
    /// # Errors
    /// When one does not come in time, or somebody else answers at its address.
    #[cfg(not(target_family = "wasm"))]
    pub fn open_all(
        identity: &Identity,
        listen: &str,
        peers: &[PeerAddress],
        options: &Options,
        events: &dyn Fn(Event),
    ) -> Result<Self, Error> {
        memory::has_read();
        let own = identity.public_key();
        let (smaller, larger): (Vec<&PeerAddress>, Vec<&PeerAddress>) =
            peers.iter().partition(|peer| peer.key < own);
        let mut connected = Vec::with_capacity(peers.len());
        if !smaller.is_empty() {
            let keys: Vec<PublicKey> = smaller.iter().map(|peer| peer.key).collect();
            let came = Listener::bind(listen)?.accept_all(identity, &keys, options, events)?;
            let came = smaller.into_iter().zip(came);
            connected.extend(came.map(|(peer, came)| connected_peer(peer, came, options.deadline)));
        }
        for peer in larger {
            let transport = connect(identity, peer.key, &peer.address, options, events)?;
            connected.push(connected_peer(peer, transport, options.deadline));
        }
        Ok(Self(Ways::Multiparty { own, peers: connected }))
    }

    /// Meets all of `peers` at the relay with this URL, pair by pair: every party goes to the pairs that it is in by their smaller keys,
    /// then by their larger ones, so that none waits for one that waits for it.
    ///
    /// # Errors
    /// When one does not come in time.
    pub fn meet_all(
        identity: &Identity,
        relay: &str,
        peers: &[PeerAddress],
        options: &Options,
        events: &dyn Fn(Event),
    ) -> Result<Self, Error> {
        memory::has_read();
        let own = identity.public_key();
        let mut peers: Vec<&PeerAddress> = peers.iter().collect();
        peers.sort_by_key(|peer| peer.key);
        let endpoint = Endpoint::Via(relay.to_owned());
        let options = Options { comeback: Comeback::NEVER, ..options.clone() };
        let meet = |peer: &PeerAddress| {
            let transport = establish(identity, peer.key, &endpoint, &options, events)?;
            Ok(connected_peer(peer, transport, options.deadline))
        };
        let met: Result<Vec<ConnectedPeer>, Error> = peers.into_iter().map(meet).collect();
        Ok(Self(Ways::Multiparty { own, peers: met? }))
    }

    /// Over a TLS connection with this peer that a listener took. The peer may take so long for its terms, and then to consent to them.
    #[must_use]
    pub fn taken(
        peer: &Peer,
        transport: TlsTransport,
        patience: Duration,
        events: &dyn Fn(Event),
    ) -> Self {
        settle(peer, &transport, events);
        Self(Ways::Pair { pipe: pipe(transport).with_patience(patience), connecting: false })
    }

    /// The peer may take so long for its terms, and then to consent to them.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self(match self.0 {
            Ways::Pair { pipe, connecting } => {
                Ways::Pair { pipe: pipe.with_patience(patience), connecting }
            }
            several @ Ways::Multiparty { .. } => several,
        })
    }

    /// Over any transport, for two parties in one process; nothing binds the session to the connection.
    #[must_use]
    pub fn from_transport(transport: Box<dyn Transport>, connecting: bool) -> Self {
        Self(Ways::Pair { pipe: Pipe::new(transport, [0; 32]), connecting })
    }

    /// The same for several parties in one process: the way to each other one, and whether the party of the key `own` opened it.
    #[must_use]
    pub fn from_transports(
        own: PublicKey,
        peers: impl IntoIterator<Item = (PeerAddress, Box<dyn Transport>, bool)>,
    ) -> Self {
        let peers = peers.into_iter().map(|(peer, transport, connecting)| ConnectedPeer {
            name: peer.name,
            key: *peer.key.as_bytes(),
            pipe: Pipe::new(transport, [0; 32]),
            connecting,
        });
        Self(Ways::Multiparty { own, peers: peers.collect() })
    }
}

/// Forgets the former key of a peer that has its next one, and returns whether it did; where that cannot be written, it is tried again
/// at the next run.
pub(crate) fn settle(peer: &Peer, transport: &TlsTransport, events: &dyn Fn(Event)) -> bool {
    let settled = peer.met(transport.peer());
    match &settled {
        Ok(true) => events(Event::NextKey),
        Ok(false) => {}
        Err(why) => events(Event::FormerKeyKept { why: why.to_string() }),
    }
    settled.unwrap_or(false)
}

/// What a session runs over.
pub(crate) fn pipe(transport: TlsTransport) -> Pipe {
    let (peer, binding) = (*transport.peer().as_bytes(), transport.binding());
    Pipe::new(Box::new(transport), binding).with_peer(peer)
}

fn connected_peer(
    peer: &PeerAddress,
    transport: TlsTransport,
    patience: Duration,
) -> ConnectedPeer {
    let connecting = transport.connects();
    ConnectedPeer {
        name: peer.name.clone(),
        key: *peer.key.as_bytes(),
        pipe: pipe(transport).with_patience(patience),
        connecting,
    }
}
