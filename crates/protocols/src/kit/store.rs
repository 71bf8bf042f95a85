//! Key-value stores as they travel: their kind, the field of their entries, and messages.

use std::collections::BTreeMap;
use std::ops::Range;

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_channel::{Blob, ChannelExt, Chunks, MAX_BODY, Malformed, Message, Reader, Tag};
use veilset_crypto::{Element, tasks};
use veilset_ot::Block;
use veilset_ot::vole::Subfield;
use veilset_structures::okvs::{OkvsKind, OkvsShape, OkvsValue, decode};
use zeroize::{Zeroize, Zeroizing};

use crate::kit::wire::frames;
use crate::{Means, ProtocolError};

/// The smaller store, which makes for a shorter vector OLE; its rows suit any field (`docs/notes/okvs.md`).
pub(crate) const KIND: OkvsKind = OkvsKind::Band;

/// The field of entries and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// GF(2^64).
    Narrow,
    /// GF(2^128).
    Wide,
}

impl Width {
    /// The smallest in which not one of so many random values is another one by chance, but with probability 2^-`bits`.
    pub(crate) fn of(values: usize, bits: u32) -> Self {
        if values <= 1 << (u64::BITS - bits) { Self::Narrow } else { Self::Wide }
    }
}

/// Evaluates `$body` with `$field` standing for the field of a width.
macro_rules! over {
    ($width:expr, $field:ident => $body:expr) => {
        match $width {
            Width::Narrow => {
                type $field = u64;
                $body
            }
            Width::Wide => {
                type $field = u128;
                $body
            }
        }
    };
}
pub(crate) use over;

/// The chunks in which an encoded set of `len` entries travels.
pub(crate) fn chunks<B: Subfield>(len: usize) -> Chunks {
    Chunks::new(len, MAX_BODY / bytes::<B>())
}

/// As many chunks at a time as there are threads, and what is left.
pub(crate) fn windows<B: Subfield>(len: usize) -> impl Iterator<Item = Range<usize>> {
    Chunks::new(len, tasks::threads() * (MAX_BODY / bytes::<B>())).ranges()
}

/// Bytes of an entry.
pub(crate) fn bytes<B: Subfield>() -> usize {
    B::BITS / 8
}

/// Bytes of a store of so many items on the wire.
pub(crate) fn store_bytes<B: Subfield>(items: usize) -> f64 {
    let len = OkvsShape::new(KIND, items).len();
    (len * bytes::<B>()) as f64 + frames(chunks::<B>(len).count())
}

/// Passes that an item takes where it is encoded, and a key where it is decoded.
pub(crate) const ENCODED: f64 = 1.6;
pub(crate) const DECODED: f64 = 0.9;

/// Elements that one task takes.
const ELEMENTS_A_TASK: usize = 1024;

/// What finds each element's row.
pub(crate) fn keys(elements: &[Element]) -> Zeroizing<Vec<u128>> {
    let keys = elements.par_iter().with_min_len(ELEMENTS_A_TASK).map(|element| half(element, 0));
    Zeroizing::new(keys.collect())
}

/// The seed of the rows.
pub(crate) struct Seed(pub(crate) u128);

impl Seed {
    /// A random one.
    pub(crate) fn draw(rng: &mut dyn CryptoRng) -> Self {
        let mut seed = [0; 16];
        rng.fill_bytes(&mut seed);
        Self(u128::from_le_bytes(seed))
    }
}

impl Message for Seed {
    const TAG: Tag = Tag::EncodingSeed;
    type Context = ();

    fn max_len((): &()) -> usize {
        16
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.to_le_bytes());
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        reader.array().map(u128::from_le_bytes).map(Self)
    }
}

/// Entries of a store, or of one under a mask, as many bytes each as the field has.
pub(crate) type Entries = Blob<{ Tag::EncodedSet.byte() }>;

/// These entries as they travel.
pub(crate) fn to_bytes<B: Subfield>(entries: impl ExactSizeIterator<Item = B>) -> Entries {
    let mut body = vec![0; entries.len() * bytes::<B>()];
    for (to, entry) in body.chunks_exact_mut(bytes::<B>()).zip(entries) {
        let block: Block = entry.into();
        to.copy_from_slice(&block.to_le_bytes()[..bytes::<B>()]);
    }
    Blob(body)
}

/// The entries that travelled so.
pub(crate) fn from_bytes<B: Subfield>(Blob(body): &Entries) -> impl Iterator<Item = B> {
    body.chunks_exact(bytes::<B>()).map(|bytes| {
        let mut block = [0; 16];
        block[..bytes.len()].copy_from_slice(bytes);
        B::truncate(Block::from_le_bytes(block))
    })
}

/// Sixteen bytes of an element as a number: the first finds its row in a store.
pub(crate) fn half(element: &Element, which: usize) -> u128 {
    let (halves, _) = element.0.as_chunks::<16>();
    u128::from_le_bytes(halves[which])
}

/// Sends a store.
pub(crate) fn put_store<B: Subfield>(
    means: &mut Means<'_>,
    store: &[B],
) -> Result<(), ProtocolError> {
    for range in chunks::<B>(store.len()).ranges() {
        means.observer.advance(range.len() as u64);
        means.channel.put(&to_bytes(store[range].iter().copied()))?;
    }
    Ok(())
}

/// The sums of stores of equal shapes under one seed, of which a key is decoded once.
pub(crate) struct StoreSums<B: Zeroize>(BTreeMap<usize, Zeroizing<Vec<B>>>);

impl<B: Subfield + OkvsValue> StoreSums<B> {
    /// Of none.
    pub(crate) fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Takes and adds a store of so many items.
    pub(crate) fn take(
        &mut self,
        means: &mut Means<'_>,
        items: usize,
    ) -> Result<(), ProtocolError> {
        let len = OkvsShape::new(KIND, items).len();
        let sum = self.0.entry(items).or_insert_with(|| Zeroizing::new(vec![B::ZERO; len]));
        for range in chunks::<B>(len).ranges() {
            let mut entries = means.channel.take::<Entries>(&(range.len() * bytes::<B>()))?;
            means.observer.advance(range.len() as u64);
            sum[range].iter_mut().zip(from_bytes(&entries)).for_each(|(sum, entry)| *sum ^= entry);
            entries.0.zeroize();
        }
        Ok(())
    }

    /// Adds to each of `values` what all stores hold under its key.
    pub(crate) fn add_to(self, seed: u128, keys: &[u128], values: &mut [B]) {
        let mut found = Zeroizing::new(vec![B::ZERO; keys.len()]);
        for (items, sum) in self.0 {
            decode(&OkvsShape::new(KIND, items), seed, &sum, keys, &mut found);
            values.iter_mut().zip(&*found).for_each(|(value, found)| *value ^= *found);
        }
    }
}
