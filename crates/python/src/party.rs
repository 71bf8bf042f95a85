//! This party's identity and the peers that it pinned.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use veilset::party::{Home, Identity, Peer, Peers};

use crate::error::Failure;

/// A party: an identity and the keys of others, kept in a folder. Without ``home`` it is the command line's:
/// ``VEILSET_HOME``, or ``veilset`` in the user's configuration.
#[pyclass(frozen, module = "veilset")]
pub(crate) struct Party {
    home: Home,
    identity: Mutex<Option<Arc<Identity>>>,
}

impl Party {
    fn of(home: Home, identity: Identity) -> Self {
        Self { home, identity: Mutex::new(Some(Arc::new(identity))) }
    }

    /// The identity, while the party is open.
    pub(crate) fn identity(&self) -> Result<Arc<Identity>, Failure> {
        let identity = self.identity.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = || Failure::Argument("the party is closed: load it again".to_owned());
        identity.clone().ok_or_else(closed)
    }

    /// The folder that holds the identity, the peers, and what is kept of lists.
    pub(crate) fn at(&self) -> &Home {
        &self.home
    }

    /// The peer that the caller means.
    pub(crate) fn peer(&self, name_or_key: &str) -> Result<Peer, Failure> {
        Ok(self.pinned()?.resolve(name_or_key)?)
    }

    pub(crate) fn pinned(&self) -> Result<Peers, Failure> {
        Ok(Peers::load(&self.home, Some(self.identity()?.public_key()))?)
    }
}

#[pymethods]
impl Party {
    /// The party whose identity is in ``home``.
    #[staticmethod]
    #[pyo3(signature = (home=None))]
    fn load(home: Option<PathBuf>) -> Result<Self, Failure> {
        let home = folder(home)?;
        let identity = Identity::load(&home)?;
        Ok(Self::of(home, identity))
    }

    /// A party with a new identity, written to ``home``; never over another.
    #[staticmethod]
    #[pyo3(signature = (home=None))]
    fn create(home: Option<PathBuf>) -> Result<Self, Failure> {
        let home = folder(home)?;
        let identity = Identity::create(&home)?;
        Ok(Self::of(home, identity))
    }

    /// The one line that others pin.
    #[getter]
    fn key(&self) -> Result<String, Failure> {
        Ok(self.identity()?.public_key().to_string())
    }

    /// The folder that holds the identity and the peers.
    #[getter]
    fn home(&self) -> PathBuf {
        self.home.path().to_owned()
    }

    /// The pinned names and their keys.
    #[getter]
    fn peers(&self) -> Result<BTreeMap<String, String>, Failure> {
        let pinned = self.pinned()?;
        Ok(pinned.iter().map(|(name, key)| (name.to_owned(), key.now().to_string())).collect())
    }

    /// Pins the key that the other party sent, or the next one that it announces. Another key under the same name is refused
    /// unless ``force``.
    #[pyo3(signature = (name, key, *, force=false))]
    fn add_peer(&self, name: &str, key: &str, force: bool) -> Result<(), Failure> {
        self.pinned()?.pin(name, key, force)?;
        Ok(())
    }

    /// Forgets a pinned key.
    fn remove_peer(&self, name: &str) -> Result<(), Failure> {
        self.pinned()?.remove(name)?;
        Ok(())
    }

    /// Wipes the identity from memory; what runs still goes on.
    fn close(&self) {
        *self.identity.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.close();
    }

    fn __repr__(&self) -> Result<String, Failure> {
        Ok(format!("Party({})", self.key()?))
    }
}

fn folder(home: Option<PathBuf>) -> Result<Home, Failure> {
    home.map_or_else(|| Ok(Home::from_env()?), |path| Ok(Home::new(path)))
}
