//! The engine `fhe-lookup`: questions under homomorphic encryption about a list that nobody fetches.

use std::path::Path;

use rand_core::CryptoRng;
use veilset_channel::{MAX_FRAME, Malformed};
use veilset_party::Identity;
use veilset_protocols::fhe::{Entry, Served, served_parameters};
use veilset_protocols::oprf_filter::Entries;

use crate::service::fresh_rng;
use crate::signed::Signed;
use crate::wire::{QUESTION_HEAD, Request};
use crate::{About, Engine, FileError, ListFile, Refusal};

/// One version of a list, signed and ready to be asked.
pub struct Encrypted {
    signed: Signed,
    entries: Entries,
    served: Served,
    /// Of the parameters.
    digest: [u8; 16],
}

impl Encrypted {
    /// Signs the list from the file at `path` as this party's. Of the version before, if this is a change of it, what stays as
    /// it is is taken over.
    ///
    /// # Errors
    /// When its parts do not parse, or items find no places.
    pub(crate) fn new(
        path: &Path,
        file: ListFile,
        identity: &Identity,
        before: Option<&Self>,
    ) -> Result<Self, FileError> {
        let (signed, contents) = Signed::new(file, identity);
        let manifest = &signed.manifest;
        let count = manifest.count as usize;
        let entries = Entries::decode(manifest.format, count, &contents.published);
        let entries = entries.map_err(|_| FileError::does_not_parse(path))?;
        let changed = before.and_then(|before| before.changed(&signed, &entries));
        let served = changed.map_or_else(
            || {
                let parameters = served_parameters(manifest.capacity, manifest.format.seal)?;
                Served::new(parameters, manifest.list, entries.iter(), &mut fresh_rng())
            },
            Ok,
        );
        let served = served.map_err(|why| FileError::Places { path: path.to_owned(), why })?;
        let digest = served.parameters().digest();
        Ok(Self { signed, entries, served, digest })
    }

    /// What is served of the list after this one; `None` if that has little to do with it.
    fn changed(&self, signed: &Signed, entries: &Entries) -> Option<Served> {
        let (ours, theirs) = (&self.signed.manifest, &signed.manifest);
        let follows = ours.key == theirs.key
            && ours.list == theirs.list
            && (ours.capacity, ours.format) == (theirs.capacity, theirs.format);
        let removed: Vec<u128> =
            self.entries.lacking(entries).map(|(fingerprint, _)| fingerprint).collect();
        let added: Vec<Entry<'_>> = entries.lacking(&self.entries).collect();
        follows.then(|| self.served.changed(&removed, &added, &mut fresh_rng()).ok())?
    }
}

impl Engine for Encrypted {
    fn about(&self) -> About {
        About::of(&self.signed.manifest)
    }

    fn longest(&self) -> usize {
        let question =
            usize::try_from(self.served.parameters().query_bytes()).unwrap_or(usize::MAX);
        question.saturating_add(QUESTION_HEAD).max(MAX_FRAME)
    }

    fn items(&self, request: &[u8]) -> Result<u64, Malformed> {
        match Request::decode(request)? {
            Request::Ask { blinded, .. } => Ok(blinded.len() as u64),
            Request::Greet { .. } => Ok(0),
            // It takes about as long as the function on many items, and is not to be had for nothing.
            Request::Question { .. } => Ok(1),
            Request::Chunk { .. } | Request::Changes { .. } => Err(Malformed::OutOfRange),
        }
    }

    fn answer(&self, request: &[u8], rng: &mut dyn CryptoRng) -> Result<Vec<u8>, Refusal> {
        match Request::decode(request).map_err(|_| Refusal::Malformed)? {
            Request::Greet { .. } => Ok(self.signed.greet(None)),
            Request::Ask { key, blinded } => self.signed.evaluate(&key, &blinded, rng),
            Request::Question { key, parameters, question } => {
                self.signed.check_key(&key)?;
                if parameters != self.digest {
                    return Err(Refusal::Release);
                }
                self.served.answer(&question, rng).map_err(|_| Refusal::Malformed)
            }
            Request::Chunk { .. } | Request::Changes { .. } => Err(Refusal::Malformed),
        }
    }

    fn as_encrypted(&self) -> Option<&Encrypted> {
        Some(self)
    }
}
