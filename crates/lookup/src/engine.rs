//! What a service needs of a way to look items up.

use std::path::Path;
use std::sync::Arc;

use rand_core::CryptoRng;
use veilset_channel::Malformed;
use veilset_party::Identity;

use crate::{Encrypted, FileError, ListFile, Manifest, OprfFilter, Refusal, Way};

/// What is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// The protocol's name in the registry.
    pub protocol: &'static str,
    /// The list's version.
    pub version: u64,
    /// How many items it has.
    pub items: u64,
}

impl About {
    pub(crate) fn of(manifest: &Manifest) -> Self {
        let protocol = manifest.way().protocol();
        Self { protocol, version: manifest.version, items: manifest.count }
    }
}

/// Reads a list's file, to be served as this party's: a change of `before`, if that is given, or another list.
///
/// # Errors
/// When it is no whole list, others may read it, or items find no places.
pub fn open(
    path: &Path,
    identity: &Identity,
    before: Option<&Arc<dyn Engine>>,
) -> Result<Arc<dyn Engine>, FileError> {
    let file = ListFile::read(path)?;
    Ok(match Way::of(file.format) {
        Way::Filter => Arc::new(OprfFilter::new(file, identity)),
        Way::Encrypted => {
            let before = before.and_then(|before| before.as_encrypted());
            Arc::new(Encrypted::new(path, file, identity, before)?)
        }
    })
}

/// One way to look items up in a list that is served: a request is a message, and so is its answer. Everything else that
/// a service does (keys, quotas, metrics, reloading) is the same for all.
pub trait Engine: Send + Sync + 'static {
    /// What is served.
    fn about(&self) -> About;

    /// Bytes of the longest request.
    fn longest(&self) -> usize;

    /// How many items a request asks for; 0 for one that asks for none, such as for the published list.
    ///
    /// # Errors
    /// When it is no request.
    fn items(&self, request: &[u8]) -> Result<u64, Malformed>;

    /// The answer to a request.
    ///
    /// # Errors
    /// With what the client is told instead.
    fn answer(&self, request: &[u8], rng: &mut dyn CryptoRng) -> Result<Vec<u8>, Refusal>;

    /// The engine that a version of its list takes much over from; most have none.
    fn as_encrypted(&self) -> Option<&Encrypted> {
        None
    }
}
