//! The masked items in order: what a sender publishes and a receiver keeps.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use veilset_channel::{Malformed, Reader};
use veilset_structures::{Decoder, Encoder, SetShape};

use super::mask::{MAX_LABEL, Mask, seal_for};
use super::sizing::Sizing;

/// Fingerprints, rising, and the seal of each. Equal fingerprints stand in the order of their seals.
#[derive(Clone, PartialEq, Eq)]
pub struct Entries {
    format: EntryFormat,
    fingerprints: Vec<u128>,
    /// One seal after the other.
    seals: Vec<u8>,
}

/// How wide an entry of a published set is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryFormat {
    /// Bits of a fingerprint, 1 to 128.
    pub bits: u32,
    /// Bytes of a seal; 0 where there are no labels.
    pub seal: usize,
}

impl EntryFormat {
    /// Whether entries of a list of so many may be so wide: fingerprints of at least as many bits as the least sizing gives
    /// them, and seals for labels, if any, that can be.
    #[must_use]
    pub fn is_sound(self, count: u64) -> bool {
        let seals = seal_for(0)..=seal_for(MAX_LABEL);
        let least = Sizing::EachLookup.bits(count);
        least.is_some_and(|least| (least..=u128::BITS).contains(&self.bits))
            && (self.seal == 0 || seals.contains(&self.seal))
    }
}

/// A fingerprint and its seal.
pub type Entry = (u128, Vec<u8>);

impl Entries {
    /// Of entries in whatever order, each once.
    #[must_use]
    pub fn new(format: EntryFormat, mut entries: Vec<Entry>) -> Self {
        entries.sort_unstable();
        entries.dedup();
        let seals = entries.iter().flat_map(|(_, seal)| seal).copied().collect();
        Self {
            format,
            fingerprints: entries.iter().map(|(fingerprint, _)| *fingerprint).collect(),
            seals,
        }
    }

    /// Of fingerprints that rise, and their seals one after the other.
    ///
    /// # Panics
    /// When there is not a seal for each fingerprint.
    #[must_use]
    pub fn of(format: EntryFormat, fingerprints: Vec<u128>, seals: Vec<u8>) -> Self {
        assert_eq!(seals.len(), fingerprints.len() * format.seal, "a seal for each fingerprint");
        Self { format, fingerprints, seals }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.fingerprints.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fingerprints.is_empty()
    }

    /// How wide each is.
    #[must_use]
    pub fn format(&self) -> EntryFormat {
        self.format
    }

    /// The label of the item with this mask, empty where there are none; `None` if it is not listed.
    #[must_use]
    pub fn find(&self, mask: &Mask) -> Option<Vec<u8>> {
        let mut seals = self.seals_of(mask.fingerprint(self.format.bits));
        if self.format.seal == 0 {
            return seals.next().map(|_| Vec::new());
        }
        // Another item's seal under an equal fingerprint does not open.
        seals.find_map(|seal| mask.open(seal))
    }

    /// Whether more than two fingerprints are equal. Among n of at least 30 + log2 n uniform bits three are with probability
    /// n³/6 · 2^-2(30 + log2 n) = n/6 · 2^-60 at most: 2^-42 for 2^20 of them.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        self.fingerprints.windows(3).any(|three| three[0] == three[2])
    }

    /// The seals of the entries with this fingerprint: none if there is no such entry, and almost never more than one.
    pub fn seals_of(&self, fingerprint: u128) -> impl ExactSizeIterator<Item = &[u8]> {
        self.range_of(fingerprint).map(|index| self.seal(index))
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u128, &[u8])> {
        self.fingerprints
            .iter()
            .enumerate()
            .map(|(index, fingerprint)| (*fingerprint, self.seal(index)))
    }

    /// Those that `other` has not.
    pub fn lacking<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (u128, &'a [u8])> {
        self.iter()
            .filter(|(fingerprint, seal)| !other.seals_of(*fingerprint).any(|there| there == *seal))
    }

    /// What is published: the coded set, block after block with its length (4 bytes, little-endian) before it, then the
    /// seals.
    ///
    /// # Panics
    /// When a block is longer than the format allows, which none is.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let shape = self.shape();
        let encoder = Encoder::new(shape, &self.fingerprints);
        let mut out = Vec::new();
        for index in 0..shape.blocks() {
            let block = encoder.block(index);
            let length = u32::try_from(block.len()).expect("a block is at most 128 KiB long");
            out.extend_from_slice(&length.to_le_bytes());
            out.extend_from_slice(&block);
        }
        out.extend_from_slice(&self.seals);
        out
    }

    /// The inverse of [`Entries::encode`], for so many entries.
    ///
    /// # Errors
    /// When the bytes are no encoding of as many.
    pub fn decode(format: EntryFormat, count: usize, bytes: &[u8]) -> Result<Self, Malformed> {
        let shape = SetShape { count, bits: format.bits };
        let seals = count.checked_mul(format.seal).ok_or(Malformed::OutOfRange)?;
        Reader::parse(bytes, |reader| {
            let mut blocks = Vec::new();
            for _ in 0..shape.blocks() {
                let length = u32::from_le_bytes(reader.array()?) as usize;
                blocks.push(reader.bytes(length)?);
            }
            let mut decoder = Decoder::new(shape);
            decoder.blocks(&blocks).map_err(|_| Malformed::OutOfRange)?;
            let fingerprints = decoder.finish().map_err(|_| Malformed::TooShort)?;
            let entries = Self { format, fingerprints, seals: reader.bytes(seals)?.to_vec() };
            if entries.is_ordered() { Ok(entries) } else { Err(Malformed::Unordered) }
        })
    }

    /// The bytes from the least to the most that [`Entries::encode`] makes of so many entries; `None` beyond what can be.
    #[must_use]
    pub fn lengths(format: EntryFormat, count: u64) -> Option<RangeInclusive<u64>> {
        let shape = SetShape { count: usize::try_from(count).ok()?, bits: format.bits };
        let coded = shape.min_len()?.checked_add(4 * shape.blocks())?;
        let least = (coded as u64).checked_add(count.checked_mul(format.seal as u64)?)?;
        Some(least..=Self::longest(format, count)?)
    }

    fn longest(format: EntryFormat, count: u64) -> Option<u64> {
        // A value is escaped at worst, and each block has its length and fills a byte up.
        let value = u64::from(format.bits) + 32;
        let coded = count.checked_mul(value)?.div_ceil(8);
        let blocks = count.checked_mul(value)?.div_ceil(8 * 128 * 1024).checked_add(1)?;
        coded.checked_add(6 * blocks)?.checked_add(count.checked_mul(format.seal as u64)?)
    }

    /// With what changes took out and put in, of which each entry may go and come again.
    ///
    /// # Errors
    /// When an entry is taken out that is not there, or put in that is.
    pub fn apply<'a>(
        &self,
        removed: impl IntoIterator<Item = &'a Entry>,
        added: impl IntoIterator<Item = &'a Entry>,
    ) -> Result<Self, Malformed> {
        let mut net = BTreeMap::<&Entry, i64>::new();
        removed.into_iter().for_each(|entry| *net.entry(entry).or_default() -= 1);
        added.into_iter().for_each(|entry| *net.entry(entry).or_default() += 1);
        net.retain(|_, balance| *balance != 0);
        if net.is_empty() {
            return Ok(self.clone());
        }
        let most = self.len() + net.len();
        let mut next = Self {
            format: self.format,
            fingerprints: Vec::with_capacity(most),
            seals: Vec::with_capacity(most * self.format.seal),
        };
        let mut net = net.into_iter().peekable();
        for index in 0..self.len() {
            let mut entry = Some((self.fingerprints[index], self.seal(index)));
            // Changes up to this entry, itself included.
            while let Some(((fingerprint, seal), balance)) =
                net.next_if(|((fingerprint, seal), _)| {
                    entry.is_some_and(|e| (*fingerprint, &seal[..]) <= e)
                })
            {
                match (balance, entry == Some((*fingerprint, &seal[..]))) {
                    (1, false) => next.push(*fingerprint, seal),
                    (-1, true) => entry = None,
                    _ => return Err(Malformed::OutOfRange),
                }
            }
            if let Some((fingerprint, seal)) = entry {
                next.push(fingerprint, seal);
            }
        }
        for ((fingerprint, seal), balance) in net {
            if balance != 1 {
                return Err(Malformed::OutOfRange);
            }
            next.push(*fingerprint, seal);
        }
        Ok(next)
    }

    fn push(&mut self, fingerprint: u128, seal: &[u8]) {
        self.fingerprints.push(fingerprint);
        self.seals.extend_from_slice(seal);
    }

    fn shape(&self) -> SetShape {
        SetShape { count: self.len(), bits: self.format.bits }
    }

    fn seal(&self, index: usize) -> &[u8] {
        &self.seals[index * self.format.seal..][..self.format.seal]
    }

    fn range_of(&self, fingerprint: u128) -> Range<usize> {
        let start = self.fingerprints.partition_point(|other| *other < fingerprint);
        let count =
            self.fingerprints[start..].iter().take_while(|other| **other == fingerprint).count();
        start..start + count
    }

    fn is_ordered(&self) -> bool {
        let entry = |index: usize| (self.fingerprints[index], self.seal(index));
        (1..self.len()).all(|index| entry(index - 1) < entry(index))
    }
}

#[cfg(test)]
mod tests;
