//! This party and the other one, as `veilset` knows them.

use std::thread::available_parallelism;

use veilset::Job;
use veilset::party::{Home, Identity, Peer, Peers};

use crate::args::PartyArgs;
use crate::error::Failure;

/// This party's identity, and whom it expects.
pub(crate) struct Party {
    pub(crate) identity: Identity,
    pub(crate) peer: Peer,
    home: Home,
}

impl Party {
    /// The identity under `VEILSET_HOME` or in the user's folder, and the peer that is pinned there, or given by its key.
    pub(crate) fn load(peer: &str) -> Result<Self, Failure> {
        let home = Home::from_env()?;
        let identity = Identity::load(&home)?;
        let peer = Peers::load(&home, Some(identity.public_key()))?.resolve(peer)?;
        Ok(Self { identity, peer, home })
    }

    /// The peer as it is pinned now: it may have changed its key since.
    pub(crate) fn peer_now(&self) -> Result<Peer, veilset::Error> {
        let peers = Peers::load(&self.home, Some(self.identity.public_key()))?;
        // One that is given by its key has no name to be pinned under.
        Ok(peers.resolve(&self.peer.name).unwrap_or_else(|_| self.peer.clone()))
    }

    /// A job with the peer, under this party's policy.
    pub(crate) fn governs(&self, job: Job) -> Result<Job, Failure> {
        Ok(job.of_party(&self.home, None)?)
    }
}

impl PartyArgs {
    /// Threads for computing: every core that the system gives this process, unless the user says otherwise.
    pub(crate) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| available_parallelism().map_or(1, usize::from))
    }
}
