//! What the server says of its list, signed.

use veilset_channel::{Malformed, Reader};
use veilset_crypto::oprf::PublicKey as OprfKey;
use veilset_party::{Identity, PublicKey};
use veilset_protocols::fhe::FAILURE;
use veilset_protocols::oprf_filter::{Entries, EntryFormat};

use crate::{LookupError, Way};

/// What the signature is for.
const CONTEXT: &str = "veilset lookup manifest v1";

/// The longest presets in bytes: some thirty columns.
pub(crate) const MAX_PRESETS: usize = 512;

/// Everything that a client needs to know of a version of a list, and all that it can check the list against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// Which list: stays the same when it is built anew under another key.
    pub list: [u8; 32],
    /// The version; each change makes the next.
    pub version: u64,
    /// The key of the pseudorandom function.
    pub key: OprfKey,
    /// The versioned presets of the key's columns: visible ASCII.
    pub presets: String,
    /// How many items there are.
    pub count: u64,
    /// How many items it has room for.
    pub capacity: u64,
    pub(crate) format: EntryFormat,
    pub(crate) length: u64,
    pub(crate) digest: [u8; 32],
}

impl Manifest {
    /// Whether items have labels.
    #[must_use]
    pub fn labelled(&self) -> bool {
        self.format.seal > 0
    }

    /// The most bytes that a label has; 0 where items have none.
    #[must_use]
    pub fn longest_label(&self) -> u64 {
        self.format.seal as u64
    }

    /// How it is looked up in.
    #[must_use]
    pub fn way(&self) -> Way {
        Way::of(self.format)
    }

    /// Which list, in hexadecimal digits.
    #[must_use]
    pub fn id(&self) -> String {
        blake3::Hash::from_bytes(self.list).to_string()
    }

    /// A digest of all that is signed, in hexadecimal digits: clients that have the same were served the same list.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        blake3::hash(&self.encode()).to_string()
    }

    /// Whether it can come after the version `ours` of its list; `same` says whether it is that very one.
    ///
    /// # Errors
    /// [`LookupError::Older`], or [`LookupError::Check`] for another list with the same number.
    pub(crate) fn check_after(&self, ours: u64, same: bool) -> Result<(), LookupError> {
        if self.version < ours {
            return Err(LookupError::Older { ours, theirs: self.version });
        }
        if self.version == ours && !same {
            return Err(LookupError::Check("comparison of two lists that it gave one version"));
        }
        Ok(())
    }

    /// Bytes of the published list.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// How probable it is at most that an item is called listed which is not: count · 2^-bits, or as seldom as an encrypted
    /// question fails; of labelled items the tags of labels leave 2^-128 of that.
    #[must_use]
    pub fn false_positive(&self) -> f64 {
        let matches = match self.way() {
            Way::Filter => self.count as f64 * (-f64::from(self.format.bits)).exp2(),
            Way::Encrypted => (-FAILURE).exp2(),
        };
        if self.labelled() { matches * (-128_f64).exp2() } else { matches }
    }

    /// The manifest with this party's signature before it.
    pub(crate) fn sign(&self, identity: &Identity) -> Vec<u8> {
        let bytes = self.encode();
        [&identity.sign(CONTEXT, &bytes)[..], &bytes].concat()
    }

    /// The manifest in `signed`, if `signer` signed it.
    ///
    /// # Errors
    /// [`Malformed`] when the bytes are no manifest; `Ok(None)` when the signature is not the signer's.
    pub(crate) fn open(signed: &[u8], signer: &PublicKey) -> Result<Option<Self>, Malformed> {
        let (signature, bytes) = signed.split_first_chunk().ok_or(Malformed::TooShort)?;
        let manifest = Self::decode(bytes)?;
        Ok(signer.signed(CONTEXT, bytes, signature).then_some(manifest))
    }

    fn encode(&self) -> Vec<u8> {
        let presets = u16::try_from(self.presets.len()).expect("presets are short");
        let seal = u16::try_from(self.format.seal).expect("seals are short");
        let mut out = Vec::new();
        out.extend_from_slice(&self.list);
        out.extend_from_slice(&self.version.to_le_bytes());
        out.extend_from_slice(self.key.as_bytes());
        out.extend_from_slice(&self.count.to_le_bytes());
        out.extend_from_slice(&self.capacity.to_le_bytes());
        out.push(self.format.bits as u8);
        out.extend_from_slice(&seal.to_le_bytes());
        out.extend_from_slice(&self.length.to_le_bytes());
        out.extend_from_slice(&self.digest);
        out.extend_from_slice(&presets.to_le_bytes());
        out.extend_from_slice(self.presets.as_bytes());
        out
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let manifest = Reader::parse(bytes, |reader| {
            let (list, version) = (reader.array()?, reader.u64()?);
            let key = OprfKey::from_bytes(&reader.array()?).ok_or(Malformed::NotAnElement)?;
            let (count, capacity) = (reader.u64()?, reader.u64()?);
            let (bits, seal) = (u32::from(reader.u8()?), u16::from_le_bytes(reader.array()?));
            let (length, digest) = (reader.u64()?, reader.array()?);
            let presets = u16::from_le_bytes(reader.array()?);
            let presets = reader.bytes(usize::from(presets))?.to_vec();
            let presets = String::from_utf8(presets).map_err(|_| Malformed::NotText)?;
            let format = EntryFormat { bits, seal: usize::from(seal) };
            Ok(Self { list, version, key, presets, count, capacity, format, length, digest })
        })?;
        if manifest.is_sound() { Ok(manifest) } else { Err(Malformed::OutOfRange) }
    }

    /// Whether a list can be like this: fingerprints wide enough, and as many bytes as so many entries take.
    fn is_sound(&self) -> bool {
        self.format.is_sound(self.count)
            && self.count <= self.capacity
            && is_presets(&self.presets)
            && Entries::lengths(self.format, self.count)
                .is_some_and(|lengths| lengths.contains(&self.length))
    }
}

/// Whether a manifest can name these presets: short, and visible ASCII, which no terminal takes for a command.
pub(crate) fn is_presets(presets: &str) -> bool {
    presets.len() <= MAX_PRESETS && presets.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
pub(crate) mod tests;
