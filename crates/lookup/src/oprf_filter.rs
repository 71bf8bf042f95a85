//! The engine `oprf-filter`: a published set of masked items.

use rand_core::CryptoRng;
use veilset_channel::{MAX_FRAME, Malformed};
use veilset_party::Identity;

use crate::file::Contents;
use crate::signed::Signed;
use crate::wire::{CHUNK, Request};
use crate::{About, Engine, ListFile, Manifest, Refusal};

/// One version of a list, signed and ready to be asked.
pub struct OprfFilter {
    signed: Signed,
    contents: Contents,
}

impl OprfFilter {
    /// Signs the list as this party's.
    #[must_use]
    pub fn new(file: ListFile, identity: &Identity) -> Self {
        let (signed, contents) = Signed::new(file, identity);
        Self { signed, contents }
    }

    /// What it says of its list.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.signed.manifest
    }

    /// The changes from a version on; `None` if they are not kept.
    fn changes_since(&self, version: u64) -> Option<&[u8]> {
        let Contents { starts, changes, .. } = &self.contents;
        if version == self.manifest().version {
            return Some(&[]);
        }
        let (_, start) = starts.iter().find(|(since, _)| *since == version)?;
        Some(&changes[*start..])
    }

    fn current(&self, version: u64) -> Result<(), Refusal> {
        if version == self.manifest().version { Ok(()) } else { Err(Refusal::Moved) }
    }
}

impl Engine for OprfFilter {
    fn about(&self) -> About {
        About::of(self.manifest())
    }

    fn longest(&self) -> usize {
        // What is somewhat longer than any request comes in one frame, too, and is told that it is none.
        MAX_FRAME
    }

    fn items(&self, request: &[u8]) -> Result<u64, Malformed> {
        match Request::decode(request)? {
            Request::Ask { blinded, .. } => Ok(blinded.len() as u64),
            Request::Greet { .. } | Request::Chunk { .. } | Request::Changes { .. } => Ok(0),
            Request::Question { .. } => Err(Malformed::OutOfRange),
        }
    }

    fn answer(&self, request: &[u8], rng: &mut dyn CryptoRng) -> Result<Vec<u8>, Refusal> {
        match Request::decode(request).map_err(|_| Refusal::Malformed)? {
            Request::Greet { list, version } => {
                let known = (list == self.manifest().list).then_some(version);
                Ok(self.signed.greet(known.and_then(|version| self.changes_since(version))))
            }
            Request::Chunk { version, offset } => {
                self.current(version)?;
                chunk(&self.contents.published, offset)
            }
            Request::Changes { since, version, offset } => {
                self.current(version)?;
                chunk(self.changes_since(since).ok_or(Refusal::Moved)?, offset)
            }
            Request::Ask { key, blinded } => self.signed.evaluate(&key, &blinded, rng),
            Request::Question { .. } => Err(Refusal::Malformed),
        }
    }
}

fn chunk(bytes: &[u8], offset: u64) -> Result<Vec<u8>, Refusal> {
    let offset = usize::try_from(offset).map_err(|_| Refusal::Malformed)?;
    let rest = bytes.get(offset..).filter(|rest| !rest.is_empty()).ok_or(Refusal::Malformed)?;
    Ok(rest[..rest.len().min(CHUNK)].to_vec())
}
