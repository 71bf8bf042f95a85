//! This party and whom it knows, as `veilset` has them.

use std::sync::Arc;

use serde_json::{Value, json};
use veilset::Job;
use veilset::party::{Home, Identity, Peer, PeerKeys, Peers, StoreError};

/// This party.
pub(crate) struct Party {
    home: Home,
    pub(crate) identity: Arc<Identity>,
}

impl Party {
    /// The identity under `VEILSET_HOME` or in the user's folder; made if there is none.
    ///
    /// # Errors
    /// When it cannot be read or made.
    pub(crate) fn load() -> Result<Self, StoreError> {
        let home = Home::from_env()?;
        let (identity, _) = Identity::load_or_create(&home)?;
        Ok(Self { home, identity: Arc::new(identity) })
    }

    /// A job under this party's policy.
    ///
    /// # Errors
    /// When the policy or the identity cannot be read.
    pub(crate) fn governs(&self, job: Job) -> Result<Job, veilset::Error> {
        job.of_party(&self.home, None)
    }

    /// Its own key, and the names that it pinned with their keys.
    ///
    /// # Errors
    /// When the file of peers cannot be read.
    pub(crate) fn known(&self) -> Result<Value, StoreError> {
        let peers = self.peers()?;
        let peer =
            |(name, keys): (&str, PeerKeys)| json!({ "name": name, "key": keys.now().to_string() });
        Ok(json!({
            "own": self.identity.public_key().to_string(),
            "peers": peers.iter().map(peer).collect::<Vec<_>>(),
        }))
    }

    /// Pins a key under a name that has none yet, or the next key that a pinned party announces.
    ///
    /// # Errors
    /// When either is none, or the name has another key.
    pub(crate) fn pin(&self, name: &str, key: &str) -> Result<(), StoreError> {
        self.peers()?.pin(name.trim(), key.trim(), false).map(drop)
    }

    /// The party that a pinned name or a key names.
    ///
    /// # Errors
    /// When it is neither.
    pub(crate) fn find(&self, name_or_key: &str) -> Result<Peer, StoreError> {
        self.peers()?.resolve(name_or_key.trim())
    }

    /// As the file has them now: others may change it while the page is open.
    fn peers(&self) -> Result<Peers, StoreError> {
        Peers::load(&self.home, Some(self.identity.public_key()))
    }
}
