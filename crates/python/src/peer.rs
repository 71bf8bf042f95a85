//! The way to the peer.

use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use veilset::cluster::DriverConnection;
use veilset::net::{Endpoint, Event, Options};
use veilset::party::{self, Identity};
use veilset::{Connection, units};

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
