//! What crosses the wire beside the vector OLE and the encoded set.

use veilset_channel::{Malformed, Message, Reader, Tag};

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
