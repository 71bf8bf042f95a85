//! The way to the peer.

use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use veilset::cluster::DriverConnection;
use veilset::net::{Endpoint, Event, Options};
use veilset::party::{self, Identity};
use veilset::{Connection, PeerAddress, Seats, seats, units};

use crate::attend::Reporter;
use crate::error::Failure;
use crate::party::Party;
use crate::stop::Stop;

/// The attributes of the way to the peer.
#[derive(FromPyObject)]
pub(crate) struct Way {
    /// A pinned name, or a key.
    pub(crate) peer: String,
    pub(crate) connect: Option<String>,
    pub(crate) listen: Option<String>,
    pub(crate) via: Option<String>,
    deadline: String,
    /// Several parties: of each its name and, unless all meet at a relay, its address behind an @.
    peers: Vec<String>,
    learners: Vec<String>,
    leader: Option<String>,
    pivot: Option<String>,
}

impl Way {
    /// Whether this side goes to the peer.
    pub(crate) fn connects(&self) -> bool {
        self.connect.is_some()
    }

    /// Whether it leads to several parties.
    pub(crate) fn is_to_several(&self) -> bool {
        !self.peers.is_empty()
    }

    /// How long to wait.
    pub(crate) fn deadline(&self) -> Result<Duration, Failure> {
        units::duration(&self.deadline).map_err(Failure::Argument)
    }

    /// This side's end, after a look at its address.
    pub(crate) fn endpoint(&self) -> Result<Endpoint, Failure> {
        let endpoint = match (&self.listen, &self.connect, &self.via) {
            (Some(address), None, None) => Endpoint::Listen(address.clone()),
            (None, Some(address), None) => Endpoint::Connect(address.clone()),
            (None, None, Some(relay)) => Endpoint::Via(relay.clone()),
            _ => {
                return Err(Failure::Argument("give one of listen=, connect= and via=".to_owned()));
            }
        };
        endpoint.check()?;
        Ok(endpoint)
    }
}

/// Whom a run is with.
pub(crate) enum Whom {
    Peer(Peer),
    Others(Others),
}

impl Whom {
    /// As the way names them.
    pub(crate) fn find(party: &Party, way: &Way, stop: &Stop) -> Result<Self, Failure> {
        Ok(match Others::find(party, way, stop)? {
            Some(others) => Self::Others(others),
            None => Self::Peer(Peer::find(party, way, stop)?),
        })
    }

    /// Waits for all of them.
    pub(crate) fn meet(&self, reporter: &Reporter) -> Result<Connection, Failure> {
        match self {
            Self::Peer(peer) => peer.meet(reporter),
            Self::Others(others) => others.meet(reporter),
        }
    }
}

/// All other parties, before they are met.
pub(crate) struct Others {
    addresses: Vec<PeerAddress>,
    seats: Seats,
    identity: Arc<Identity>,
    listen: Option<String>,
    via: Option<String>,
    options: Options,
}

impl Others {
    /// As the way names them, where it names several.
    fn find(party: &Party, way: &Way, stop: &Stop) -> Result<Option<Self>, Failure> {
        let Way { peers, learners, leader, pivot, listen, via, .. } = way;
        if peers.is_empty() {
            return match learners.is_empty() && leader.is_none() && pivot.is_none() {
                true => Ok(None),
                false => Err(Failure::Argument(
                    "learners, leader and pivot are for several parties: give peers=".to_owned(),
                )),
            };
        }
        if !(2..=Connection::MOST_PEERS).contains(&peers.len()) {
            return Err(Failure::Argument(
                "peers= has two other parties at least, and 63 at most".to_owned(),
            ));
        }
        if way.connect.is_some() || listen.is_some() == via.is_some() {
            return Err(Failure::Argument(
                "several parties listen, each at its own address, or meet at a relay: give listen= or via=".to_owned(),
            ));
        }
        let mut named = Vec::with_capacity(peers.len());
        for peer in peers {
            named.push(match (peer.rsplit_once('@'), via) {
                (Some((name, address)), None) if !name.is_empty() && !address.is_empty() => {
                    (name, Some(address))
                }
                (None, Some(_)) => (peer.as_str(), None),
                (_, None) => {
                    return Err(Failure::Argument(format!(
                        "{peer}: give each of peers= as name@host:port"
                    )));
                }
                (Some(_), Some(_)) => {
                    return Err(Failure::Argument(format!(
                        "{peer}: with via= nobody has an address, so give its name alone"
                    )));
                }
            });
        }
        let addresses = PeerAddress::of(&party.pinned()?, named).map_err(Failure::from)?;
        let identity = party.identity()?;
        let own = identity.public_key();
        let seats = seats(own, &addresses, learners, leader.as_deref(), pivot.as_deref());
        let seats = seats.map_err(veilset::Error::from)?;
        let options = Options { deadline: way.deadline()?, ..stop.options() };
        let (listen, via) = (listen.clone(), via.clone());
        Ok(Some(Self { addresses, seats, identity, listen, via, options }))
    }

    /// What this side calls them.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.addresses.iter().map(|peer| peer.name.as_str())
    }

    /// Who is what.
    pub(crate) fn seats(&self) -> &Seats {
        &self.seats
    }

    /// Waits for all.
    fn meet(&self, reporter: &Reporter) -> Result<Connection, Failure> {
        let tell = |event| reporter.tell(&event);
        let Self { addresses, identity, listen, via, options, .. } = self;
        Ok(match via {
            Some(relay) => Connection::meet_all(identity, relay, addresses, options, &tell)?,
            None => {
                let listen = listen.as_deref().unwrap_or_default();
                Connection::open_all(identity, listen, addresses, options, &tell)?
            }
        })
    }
}

/// The other party, before it is met.
pub(crate) struct Peer {
    pinned: party::Peer,
    identity: Arc<Identity>,
    endpoint: Endpoint,
    options: Options,
}

impl Peer {
    /// As the way names it.
    pub(crate) fn find(party: &Party, way: &Way, stop: &Stop) -> Result<Self, Failure> {
        let endpoint = way.endpoint()?;
        let deadline = way.deadline()?;
        let pinned = party.peer(&way.peer)?;
        let options = Options { deadline, ..stop.options() };
        Ok(Self { pinned, identity: party.identity()?, endpoint, options })
    }

    /// What this side calls it.
    pub(crate) fn name(&self) -> &str {
        &self.pinned.name
    }

    /// Waits for it.
    pub(crate) fn meet(&self, reporter: &Reporter) -> Result<Connection, Failure> {
        let tell = |event| reporter.tell(&event);
        let Self { pinned, identity, endpoint, options } = self;
        let options = Options { comeback: reporter.comeback(), ..options.clone() };
        Ok(Connection::open(identity, pinned, endpoint, &options, &tell)?)
    }

    /// Waits for it, for a conversation of drivers.
    pub(crate) fn connection(&self, reporter: &Reporter) -> Result<DriverConnection, Failure> {
        let tell = |event| reporter.tell(&event);
        let Self { pinned, identity, endpoint, options } = self;
        let connection = DriverConnection::open(identity, pinned, endpoint, options, &tell)?;
        if let Err(why) = pinned.met(connection.peer()) {
            tell(Event::FormerKeyKept { why: why.to_string() });
        }
        Ok(connection)
    }
}
