//! The masked items in order: what a sender publishes and a receiver keeps.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use veilset_channel::{Malformed, Reader};
use veilset_structures::{Decoder, Encoder, SetShape};

use super::mask::{MAX_LABEL, Mask, slot_for};
use super::sizing::Sizing;

/// Fingerprints, rising, and the slot of each. Equal fingerprints stand in the order of their slots.
#[derive(Clone, PartialEq, Eq)]
pub struct Entries {
    format: EntryFormat,
    fingerprints: Vec<u128>,
    /// One slot after the other.
    slots: Vec<u8>,
}

/// How wide an entry of a published set is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryFormat {
    /// Bits of a fingerprint, 1 to 128.
    pub bits: u32,
    /// Bytes of a slot; 0 where there are no labels.
    pub slot: usize,
}

impl EntryFormat {
    /// Whether entries of a list of so many may be so wide: fingerprints of at least as many bits as the least sizing gives
    /// them, and slots for labels, if any, that can be.
    #[must_use]
    pub fn is_sound(self, count: u64) -> bool {
        let slots = slot_for(0)..=slot_for(MAX_LABEL);
        let least = Sizing::EachLookup.bits(count);
        least.is_some_and(|least| (least..=u128::BITS).contains(&self.bits))
            && (self.slot == 0 || slots.contains(&self.slot))
    }
}

/// A fingerprint and its slot.
pub type Entry = (u128, Vec<u8>);

impl Entries {
    /// Of entries in whatever order, each once.
    #[must_use]
    pub fn new(format: EntryFormat, mut entries: Vec<Entry>) -> Self {
        entries.sort_unstable();
        entries.dedup();
        let slots = entries.iter().flat_map(|(_, slot)| slot).copied().collect();
        Self {
            format,
            fingerprints: entries.iter().map(|(fingerprint, _)| *fingerprint).collect(),
            slots,
        }
    }

    /// Of fingerprints that rise, and their slots one after the other.
    ///
    /// # Panics
    /// When there is not a slot for each fingerprint.
    #[must_use]
    pub fn of(format: EntryFormat, fingerprints: Vec<u128>, slots: Vec<u8>) -> Self {
        assert_eq!(slots.len(), fingerprints.len() * format.slot, "a slot for each fingerprint");
        Self { format, fingerprints, slots }
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
        let mut slots = self.slots_of(mask.fingerprint(self.format.bits));
        if self.format.slot == 0 {
            return slots.next().map(|_| Vec::new());
        }
        // Another item's slot under an equal fingerprint does not open.
        slots.find_map(|slot| mask.open(slot))
    }

    /// Whether more than two fingerprints are equal. Among n of at least 30 + log2 n uniform bits three are with probability
    /// n³/6 · 2^-2(30 + log2 n) = n/6 · 2^-60 at most: 2^-42 for 2^20 of them.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        self.fingerprints.windows(3).any(|three| three[0] == three[2])
    }

    /// The slots of the entries with this fingerprint: none if there is no such entry, and almost never more than one.
    pub fn slots_of(&self, fingerprint: u128) -> impl ExactSizeIterator<Item = &[u8]> {
        self.range_of(fingerprint).map(|index| self.slot(index))
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u128, &[u8])> {
        self.fingerprints
            .iter()
            .enumerate()
            .map(|(index, fingerprint)| (*fingerprint, self.slot(index)))
    }

    /// Those that `other` has not.
    pub fn lacking<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (u128, &'a [u8])> {
        self.iter()
            .filter(|(fingerprint, slot)| !other.slots_of(*fingerprint).any(|there| there == *slot))
    }

    /// What is published: the coded set, block after block with its length (4 bytes, little-endian) before it, then the
    /// slots.
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
        out.extend_from_slice(&self.slots);
        out
    }

    /// The inverse of [`Entries::encode`], for so many entries.
    ///
    /// # Errors
    /// When the bytes are no encoding of as many.
    pub fn decode(format: EntryFormat, count: usize, bytes: &[u8]) -> Result<Self, Malformed> {
        let shape = SetShape { count, bits: format.bits };
        let slots = count.checked_mul(format.slot).ok_or(Malformed::OutOfRange)?;
        Reader::parse(bytes, |reader| {
            let mut blocks = Vec::new();
            for _ in 0..shape.blocks() {
                let length = u32::from_le_bytes(reader.array()?) as usize;
                blocks.push(reader.bytes(length)?);
            }
            let mut decoder = Decoder::new(shape);
            decoder.blocks(&blocks).map_err(|_| Malformed::OutOfRange)?;
            let fingerprints = decoder.finish().map_err(|_| Malformed::TooShort)?;
            let entries = Self { format, fingerprints, slots: reader.bytes(slots)?.to_vec() };
            if entries.is_ordered() { Ok(entries) } else { Err(Malformed::Unordered) }
        })
    }

    /// The bytes from the least to the most that [`Entries::encode`] makes of so many entries; `None` beyond what can be.
    #[must_use]
    pub fn lengths(format: EntryFormat, count: u64) -> Option<RangeInclusive<u64>> {
        let shape = SetShape { count: usize::try_from(count).ok()?, bits: format.bits };
        let coded = shape.min_len()?.checked_add(4 * shape.blocks())?;
        let least = (coded as u64).checked_add(count.checked_mul(format.slot as u64)?)?;
        Some(least..=Self::longest(format, count)?)
    }

    fn longest(format: EntryFormat, count: u64) -> Option<u64> {
        // A value is escaped at worst, and each block has its length and fills a byte up.
        let value = u64::from(format.bits) + 32;
        let coded = count.checked_mul(value)?.div_ceil(8);
        let blocks = count.checked_mul(value)?.div_ceil(8 * 128 * 1024).checked_add(1)?;
        coded.checked_add(6 * blocks)?.checked_add(count.checked_mul(format.slot as u64)?)
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
            slots: Vec::with_capacity(most * self.format.slot),
        };
        let mut net = net.into_iter().peekable();
        for index in 0..self.len() {
            let mut entry = Some((self.fingerprints[index], self.slot(index)));
            // Changes up to this entry, itself included.
            while let Some(((fingerprint, slot), balance)) =
                net.next_if(|((fingerprint, slot), _)| {
                    entry.is_some_and(|e| (*fingerprint, &slot[..]) <= e)
                })
            {
                match (balance, entry == Some((*fingerprint, &slot[..]))) {
                    (1, false) => next.push(*fingerprint, slot),
                    (-1, true) => entry = None,
                    _ => return Err(Malformed::OutOfRange),
                }
            }
            if let Some((fingerprint, slot)) = entry {
                next.push(fingerprint, slot);
            }
        }
        for ((fingerprint, slot), balance) in net {
            if balance != 1 {
                return Err(Malformed::OutOfRange);
            }
            next.push(*fingerprint, slot);
        }
        Ok(next)
    }

    fn push(&mut self, fingerprint: u128, slot: &[u8]) {
        self.fingerprints.push(fingerprint);
        self.slots.extend_from_slice(slot);
    }

    fn shape(&self) -> SetShape {
        SetShape { count: self.len(), bits: self.format.bits }
    }

    fn slot(&self, index: usize) -> &[u8] {
        &self.slots[index * self.format.slot..][..self.format.slot]
    }

    fn range_of(&self, fingerprint: u128) -> Range<usize> {
        let start = self.fingerprints.partition_point(|other| *other < fingerprint);
        let count =
            self.fingerprints[start..].iter().take_while(|other| **other == fingerprint).count();
        start..start + count
    }

    fn is_ordered(&self) -> bool {
        let entry = |index: usize| (self.fingerprints[index], self.slot(index));
        (1..self.len()).all(|index| entry(index - 1) < entry(index))
    }
}

#[cfg(test)]
mod tests;
