//! What crosses the wire beside the vector OLE.

use veilset_channel::{Chunks, MAX_BODY, Malformed, Message, Reader, Tag};
use veilset_ot::Block;
use veilset_ot::vole::Subfield;

/// The chunks in which an encoded set of `len` entries travels.
pub(super) fn chunks<B: Subfield>(len: usize) -> Chunks {
    Chunks::new(len, MAX_BODY / bytes::<B>())
}

/// Bytes of an entry.
pub(super) fn bytes<B: Subfield>() -> usize {
    B::BITS / 8
}

/// The seed of the rows.
pub(super) struct Seed(pub(super) u128);

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

/// Entries of A + P. Context: how many.
pub(super) struct Sums<B>(pub(super) Vec<B>);

impl<B: Subfield> Message for Sums<B> {
    const TAG: Tag = Tag::EncodedSet;
    type Context = usize;

    fn max_len(count: &usize) -> usize {
        count * bytes::<B>()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.reserve(self.0.len() * bytes::<B>());
        for sum in &self.0 {
            let block: Block = (*sum).into();
            out.extend_from_slice(&block.to_le_bytes()[..bytes::<B>()]);
        }
    }

    fn decode(reader: &mut Reader<'_>, count: &usize) -> Result<Self, Malformed> {
        let sums = reader.bytes(count * bytes::<B>())?.chunks_exact(bytes::<B>());
        let sum = |bytes: &[u8]| {
            let mut block = [0; 16];
            block[..bytes.len()].copy_from_slice(bytes);
            B::truncate(Block::from_le_bytes(block))
        };
        Ok(Self(sums.map(sum).collect()))
    }
}

/// A coin, or a commitment to one. Malicious security only.
pub(super) struct Coin(pub(super) [u8; 32]);

impl Message for Coin {
    const TAG: Tag = Tag::Coin;
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
