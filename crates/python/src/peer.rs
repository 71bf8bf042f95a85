//! The way to the peer, or to several parties.

use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use veilset::cluster::DriverConnection;
use veilset::net::{Endpoint, Event, Options};
use veilset::party::Identity;
use veilset::{Connection, Ends, NamedPeer, PeerAddress, Seats, seats, units};

use crate::attend::Reporter;
use crate::error::Failure;
use crate::party::Party;
use crate::stop::Stop;

/// The attributes of the way to the others.
#[derive(FromPyObject)]
pub(crate) struct Way {
    /// Of each its name, or its key, and its address behind an @ where it has one.
    peers: Vec<String>,
    connect: Option<String>,
    listen: Option<String>,
    via: Option<String>,
    deadline: String,
    learners: Vec<String>,
    leader: Option<String>,
    pivot: Option<String>,
}

impl Way {
    /// Whether this side goes to the peer.
    pub(crate) fn connects(&self) -> bool {
        self.connect.is_some()
    }

    /// How long to wait.
    pub(crate) fn deadline(&self) -> Result<Duration, Failure> {
        units::duration(&self.deadline).map_err(Failure::Argument)
    }

    /// The others, as they are named.
    pub(crate) fn named(&self) -> Result<Vec<NamedPeer>, Failure> {
        let named = self.peers.iter().map(|peer| peer.parse());
        Ok(named.collect::<Result<_, _>>().map_err(veilset::Error::from)?)
    }

    /// The one peer.
    pub(crate) fn one(&self) -> Result<NamedPeer, Failure> {
        match <[NamedPeer; 1]>::try_from(self.named()?) {
            Ok([one]) => Ok(one),
            Err(_) => Err(Failure::Argument("this is between two parties: give peer=".to_owned())),
        }
    }

    /// What they are called.
    pub(crate) fn names(&self) -> Result<Vec<String>, Failure> {
        Ok(self.named()?.into_iter().map(|peer| peer.name).collect())
    }

    /// This side's end, after a look at all addresses.
    pub(crate) fn endpoint(&self) -> Result<Endpoint, Failure> {
        Ok(self.ends().endpoint(&self.named()?)?)
    }

    /// What the call says of this side's end.
    pub(crate) fn ends(&self) -> Ends<'_> {
        let Self { listen, connect, via, .. } = self;
        let [listen, connect, via] = [listen, connect, via].map(Option::as_deref);
        Ends { listen, connect, via }
    }
}

/// The other parties, before they are met.
pub(crate) struct Others {
    peers: Vec<PeerAddress>,
    seats: Seats,
    identity: Arc<Identity>,
    endpoint: Endpoint,
    options: Options,
}

impl Others {
    /// As the way names them.
    pub(crate) fn find(party: &Party, way: &Way, stop: &Stop) -> Result<Self, Failure> {
        let Way { learners, leader, pivot, .. } = way;
        let endpoint = way.endpoint()?;
        let options = Options { deadline: way.deadline()?, ..stop.options() };
        let peers = PeerAddress::of(&party.pinned()?, &way.named()?)?;
        let identity = party.identity()?;
        let own = identity.public_key();
        let seats = seats(own, &peers, learners, leader.as_deref(), pivot.as_deref());
        let seats = seats.map_err(veilset::Error::from)?;
        Ok(Self { peers, seats, identity, endpoint, options })
    }

    /// What this side calls them.
    pub(crate) fn names(&self) -> Vec<String> {
        self.peers.iter().map(|other| other.peer.name.clone()).collect()
    }

    /// Who is what.
    pub(crate) fn seats(&self) -> &Seats {
        &self.seats
    }

    /// Waits for all.
    pub(crate) fn meet(&self, reporter: &Reporter) -> Result<Connection, Failure> {
        let tell = |event| reporter.tell(&event);
        let Self { peers, identity, endpoint, options, .. } = self;
        let options = Options { comeback: reporter.comeback(), ..options.clone() };
        Ok(Connection::open(identity, peers, endpoint, &options, &tell)?)
    }

    /// Waits for the one peer, for a conversation of drivers.
    pub(crate) fn connection(&self, reporter: &Reporter) -> Result<DriverConnection, Failure> {
        let tell = |event| reporter.tell(&event);
        let Self { identity, endpoint, options, .. } = self;
        let [PeerAddress { peer, .. }] = &self.peers[..] else {
            return Err(Failure::Argument("this is between two parties: give peer=".to_owned()));
        };
        let connection = DriverConnection::open(identity, peer, endpoint, options, &tell)?;
        if let Err(why) = peer.met(connection.peer()) {
            tell(Event::FormerKeyKept { why: why.to_string() });
        }
        Ok(connection)
    }
}
