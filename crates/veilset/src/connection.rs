//! Authenticated ways to the other parties.

use std::time::Duration;

use veilset_channel::Transport;
use veilset_net::{Comeback, Endpoint, Event, Options, TlsTransport, establish};
#[cfg(not(target_family = "wasm"))]
use veilset_net::{Listener, connect};
use veilset_party::{Identity, Peer, PublicKey};
use veilset_protocols::MOST_PARTIES;
use veilset_session::{ConnectedPeer, Pipe};

use crate::{Error, NoParties, PeerAddress, memory};

/// An authenticated way to the peer, or to each of several.
pub struct Connection {
    /// This party's key, which decides its number among several.
    pub(crate) own: Option<PublicKey>,
    pub(crate) peers: Vec<ConnectedPeer>,
}

impl Connection {
    /// The most peers of a multiparty run.
    pub const MOST_PEERS: usize = MOST_PARTIES - 1;

    /// Meets these parties, on whichever side each appears; where one has the next key that it announced, its former one is forgotten. Each may
    /// then take as long again, the deadline of `options`, to consent to the terms.
    ///
    /// One peer is met at `endpoint`; where it has an address and this side listens, too, the side with the smaller key goes to the
    /// other. Of several each two meet, in the same way, or pair by pair at a relay.
    ///
    /// # Errors
    /// When one does not come in time, somebody else answers at its address, or `endpoint` leads to one of several alone.
    pub fn open(
        identity: &Identity,
        peers: &[PeerAddress],
        endpoint: &Endpoint,
        options: &Options,
        events: &dyn Fn(Event),
    ) -> Result<Self, Error> {
        memory::has_read();
        if let [PeerAddress { peer, address }] = peers {
            let larger = peer.keys.now() > identity.public_key();
            let endpoint = match (endpoint, address) {
                (Endpoint::Listen(_), Some(address)) if larger => {
                    &Endpoint::Connect(address.clone())
                }
                _ => endpoint,
            };
            let transport = establish(identity, peer, endpoint, options, events)?;
            settle(peer, &transport, events);
            let peers = vec![connected_peer(&peer.name, transport, options.deadline)];
            return Ok(Self { own: None, peers });
        }
        let peers = match endpoint {
            #[cfg(not(target_family = "wasm"))]
            Endpoint::Listen(place) => in_a_mesh(identity, place, peers, options, events),
            Endpoint::Via(_) => at_a_relay(identity, endpoint, peers, options, events),
            _ => Err(NoParties::SeveralConnect.into()),
        }?;
        Ok(Self { own: Some(identity.public_key()), peers })
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
        Self { own: None, peers: vec![connected_peer(&peer.name, transport, patience)] }
    }

    /// Each peer may take so long for its terms, and then to consent to them.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        let patient = |peer: ConnectedPeer| {
            let pipe = peer.pipe.with_patience(patience);
            ConnectedPeer { pipe, ..peer }
        };
        Self { peers: self.peers.into_iter().map(patient).collect(), ..self }
    }

    /// Over any transport, for two parties in one process; nothing binds the session to the connection.
    #[must_use]
    pub fn from_transport(transport: Box<dyn Transport>, connecting: bool) -> Self {
        let (name, pipe) = (String::new(), Pipe::new(transport, [0; 32]));
        Self { own: None, peers: vec![ConnectedPeer { name, pipe, connecting }] }
    }

    /// The same for several parties in one process: each other one's name and key, the way to it, and whether the party of the key
    /// `own` opened it.
    #[must_use]
    pub fn from_transports(
        own: PublicKey,
        peers: impl IntoIterator<Item = (String, PublicKey, Box<dyn Transport>, bool)>,
    ) -> Self {
        let peers = peers.into_iter().map(|(name, key, transport, connecting)| ConnectedPeer {
            name,
            pipe: Pipe::new(transport, [0; 32]).with_peer(*key.as_bytes()),
            connecting,
        });
        Self { own: Some(own), peers: peers.collect() }
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

/// Waits at `listen` for the parties with smaller keys, then goes to the others. As every party does so, each two meet once.
#[cfg(not(target_family = "wasm"))]
fn in_a_mesh(
    identity: &Identity,
    listen: &str,
    peers: &[PeerAddress],
    options: &Options,
    events: &dyn Fn(Event),
) -> Result<Vec<ConnectedPeer>, Error> {
    let own = identity.public_key();
    let (smaller, larger): (Vec<&PeerAddress>, Vec<&PeerAddress>) =
        peers.iter().partition(|peer| peer.key() < own);
    let mut connected = Vec::with_capacity(peers.len());
    if !smaller.is_empty() {
        let keys: Vec<PublicKey> = smaller.iter().map(|peer| peer.key()).collect();
        let came = Listener::bind(listen)?.accept_all(identity, &keys, options, events)?;
        let came = smaller.into_iter().zip(came);
        connected.extend(
            came.map(|(peer, came)| connected_peer(&peer.peer.name, came, options.deadline)),
        );
    }
    for peer in larger {
        let name = || peer.peer.name.clone();
        let address = peer.address.as_deref().ok_or_else(|| NoParties::NoAddress(name()))?;
        let transport = connect(identity, peer.key(), address, options, events)?;
        connected.push(connected_peer(&peer.peer.name, transport, options.deadline));
    }
    Ok(connected)
}

/// Meets all at a relay, pair by pair: every party goes to the pairs that it is in by their smaller keys, then by their larger ones, so
/// that none waits for one that waits for it.
fn at_a_relay(
    identity: &Identity,
    relay: &Endpoint,
    peers: &[PeerAddress],
    options: &Options,
    events: &dyn Fn(Event),
) -> Result<Vec<ConnectedPeer>, Error> {
    let mut peers: Vec<&PeerAddress> = peers.iter().collect();
    peers.sort_by_key(|peer| peer.key());
    let options = Options { comeback: Comeback::NEVER, ..options.clone() };
    let meet = |peer: &PeerAddress| {
        let transport = establish(identity, peer.key(), relay, &options, events)?;
        Ok(connected_peer(&peer.peer.name, transport, options.deadline))
    };
    peers.into_iter().map(meet).collect()
}

fn connected_peer(name: &str, transport: TlsTransport, patience: Duration) -> ConnectedPeer {
    let connecting = transport.connects();
    ConnectedPeer {
        name: name.to_owned(),
        pipe: pipe(transport).with_patience(patience),
        connecting,
    }
}
