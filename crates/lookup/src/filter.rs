//! What a client keeps of a list.

use veilset_channel::{Malformed, Reader};
use veilset_crypto::oprf::Output;
use veilset_party::PublicKey;
use veilset_protocols::oprf_filter::{Entries, Mask};

use crate::change::{Change, changed};
use crate::client::Answer;
use crate::{LookupError, Manifest};

/// A version of a list, as its owner signed it.
pub struct Filter {
    manifest: Manifest,
    signed: Vec<u8>,
    entries: Entries,
}

impl Filter {
    /// What was kept of the list that `signer` serves; `None` if these bytes are no such thing any more.
    #[must_use]
    pub fn decode(bytes: &[u8], signer: &PublicKey) -> Option<Self> {
        let parsed = Reader::parse(bytes, |reader| {
            let length = u16::from_le_bytes(reader.array()?);
            Ok((reader.bytes(usize::from(length))?.to_vec(), reader.rest()))
        });
        let (signed, published) = parsed.ok()?;
        let manifest = Manifest::open(&signed, signer).ok()??;
        Self::new(manifest, signed, published).ok()
    }

    /// For a file: the signed manifest after its length (2 bytes, little-endian), then the published list.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let length = u16::try_from(self.signed.len()).expect("a manifest is short");
        [&length.to_le_bytes()[..], &self.signed, &self.entries.encode()].concat()
    }

    /// What its owner says of it.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Whether the item with this output is listed.
    #[must_use]
    pub fn find(&self, output: &Output) -> Answer {
        let found = self.entries.find(&Mask::of(output));
        match self.entries.format().seal {
            0 => found.map_or(Answer::NotListed, |_| Answer::Listed(None)),
            _ => Answer::labelled(found),
        }
    }

    /// # Errors
    /// When the list is not the one that the manifest describes, or so many fingerprints are equal that looking for one would
    /// take longer.
    pub(crate) fn new(
        manifest: Manifest,
        signed: Vec<u8>,
        published: &[u8],
    ) -> Result<Self, LookupError> {
        let count = check(&manifest, published)?;
        let entries = Entries::decode(manifest.format, count, published).map_err(bad_list)?;
        Self::of(manifest, signed, entries)
    }

    /// The version after these changes. As a set has one encoding, the signed digest covers what the changes lead to.
    ///
    /// # Errors
    /// When the changes do not lead there.
    pub(crate) fn change(
        &self,
        manifest: Manifest,
        signed: Vec<u8>,
        changes: &[u8],
    ) -> Result<Self, LookupError> {
        let (since, until) = (self.manifest.version, manifest.version);
        let bad = |why| LookupError::Malformed { what: "list of changes", why };
        let changes = Change::decode_all(changes, manifest.format, since, until).map_err(bad)?;
        let entries = changed(&self.entries, &changes).map_err(bad)?;
        if check(&manifest, &entries.encode())? != entries.len() {
            return Err(bad_list(Malformed::OutOfRange));
        }
        Self::of(manifest, signed, entries)
    }

    fn of(manifest: Manifest, signed: Vec<u8>, entries: Entries) -> Result<Self, LookupError> {
        if entries.is_crowded() {
            return Err(LookupError::Check("count of entries under equal fingerprints"));
        }
        Ok(Self { manifest, signed, entries })
    }
}

/// Whether a published list is the one that was signed; returns its number of entries.
fn check(manifest: &Manifest, published: &[u8]) -> Result<usize, LookupError> {
    let matches = published.len() as u64 == manifest.length
        && *blake3::hash(published).as_bytes() == manifest.digest;
    if !matches {
        return Err(LookupError::Check("comparison of its list with the signed digest"));
    }
    usize::try_from(manifest.count).map_err(|_| bad_list(Malformed::OutOfRange))
}

fn bad_list(why: Malformed) -> LookupError {
    LookupError::Malformed { what: "list", why }
}
