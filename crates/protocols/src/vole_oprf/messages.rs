//! What crosses the wire beside the vector OLE.

use veilset_channel::{Chunks, MAX_BODY, Malformed, Message, Reader, Tag};
use veilset_ot::Block;

/// The chunks in which an encoded set of `len` entries travels.
pub(super) fn chunks(len: usize) -> Chunks {
    Chunks::new(len, MAX_BODY / size_of::<Block>())
}

/// The seed of the rows.
pub(super) struct Seed(pub(super) u128);

impl Message for Seed {
    const TAG: Tag = Tag { byte: 8, name: "seed of the encoding" };
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

/// Entries of A + P. Context: how many.
pub(super) struct Sums(pub(super) Vec<Block>);

impl Message for Sums {
    const TAG: Tag = Tag { byte: 9, name: "encoded set" };
    type Context = usize;

    fn max_len(count: &usize) -> usize {
        count * size_of::<Block>()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.reserve(self.0.len() * size_of::<Block>());
        self.0.iter().for_each(|sum| out.extend_from_slice(&sum.to_le_bytes()));
    }

    fn decode(reader: &mut Reader<'_>, count: &usize) -> Result<Self, Malformed> {
        let (sums, _) = reader.bytes(count * size_of::<Block>())?.as_chunks();
        Ok(Self(sums.iter().copied().map(Block::from_le_bytes).collect()))
    }
}

/// A coin, or a commitment to one. Malicious security only.
pub(super) struct Coin(pub(super) [u8; 32]);

impl Message for Coin {
    const TAG: Tag = Tag { byte: 10, name: "coin" };
    type Context = ();

    fn max_len((): &()) -> usize {
        32
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        reader.array().map(Self)
    }
}
