//! What one version has that the one before had not, and the other way round.

use veilset_channel::{Malformed, Reader};
use veilset_protocols::oprf_filter::{Entries, Entry, EntryFormat};

/// The step to a version.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// The version that it leads to.
    pub(crate) version: u64,
    pub(crate) removed: Vec<Entry>,
    pub(crate) added: Vec<Entry>,
}

impl Change {
    /// Appends version, both counts (4 bytes each), and the entries: 16 bytes of fingerprint and the seal.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.version.to_le_bytes());
        for entries in [&self.removed, &self.added] {
            let count = u32::try_from(entries.len()).expect("a change is smaller than a list");
            out.extend_from_slice(&count.to_le_bytes());
        }
        for (fingerprint, seal) in self.removed.iter().chain(&self.added) {
            out.extend_from_slice(&fingerprint.to_le_bytes());
            out.extend_from_slice(seal);
        }
    }

    fn decode(reader: &mut Reader<'_>, format: EntryFormat) -> Result<Self, Malformed> {
        let version = reader.u64()?;
        let [removed, added] = [reader.array()?, reader.array()?].map(u32::from_le_bytes);
        let mut entries = |count: u32| -> Result<Vec<Entry>, Malformed> {
            // Grows with what is there, not with the count that is claimed.
            let mut entries = Vec::new();
            for _ in 0..count {
                let fingerprint = u128::from_le_bytes(reader.array()?);
                if fingerprint > u128::MAX >> (u128::BITS - format.bits) {
                    return Err(Malformed::OutOfRange);
                }
                entries.push((fingerprint, reader.bytes(format.seal)?.to_vec()));
            }
            Ok(entries)
        };
        Ok(Self { version, removed: entries(removed)?, added: entries(added)? })
    }

    /// Changes that follow one another from the version `since` on.
    ///
    /// # Errors
    /// When the bytes are no such changes, or end elsewhere.
    pub(crate) fn decode_all(
        bytes: &[u8],
        format: EntryFormat,
        since: u64,
        until: u64,
    ) -> Result<Vec<Self>, Malformed> {
        Reader::parse(bytes, |reader| {
            let mut changes = Vec::new();
            let mut version = since;
            while version < until {
                let change = Self::decode(reader, format)?;
                // No version is without a change, so each comes next.
                if version.checked_add(1) != Some(change.version) {
                    return Err(Malformed::Unordered);
                }
                version = change.version;
                changes.push(change);
            }
            Ok(changes)
        })
    }
}

/// The entries after all of these changes.
///
/// # Errors
/// As [`Entries::apply`].
pub(crate) fn changed(entries: &Entries, changes: &[Change]) -> Result<Entries, Malformed> {
    let removed = changes.iter().flat_map(|change| &change.removed);
    entries.apply(removed, changes.iter().flat_map(|change| &change.added))
}
