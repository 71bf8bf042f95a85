//! Messages without a structure of their own.

use crate::{Malformed, Message, Reader, Tag};

/// Bytes whose number the receiver knows, as the message whose tag has this byte. Context: how many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob<const TAG: u8>(pub Vec<u8>);

impl<const TAG: u8> Message for Blob<TAG> {
    const TAG: Tag = Tag::of(TAG);
    type Context = usize;

    fn max_len(bytes: &usize) -> usize {
        *bytes
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }

    fn decode(reader: &mut Reader<'_>, bytes: &usize) -> Result<Self, Malformed> {
        reader.bytes(*bytes).map(|bytes| Self(bytes.to_vec()))
    }
}

/// A message without content: its tag, which has this byte, is all it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal<const TAG: u8>;

impl<const TAG: u8> Message for Signal<TAG> {
    const TAG: Tag = Tag::of(TAG);
    type Context = ();

    fn max_len((): &()) -> usize {
        0
    }

    fn encode(&self, _out: &mut Vec<u8>) {}

    fn decode(_reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        Ok(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Body = Blob<{ Tag::Polynomial.byte() }>;

    #[test]
    fn a_blob_is_as_long_as_its_receiver_knows() {
        let parse = |bytes: &[u8]| Reader::parse(bytes, |reader| Body::decode(reader, &3));
        assert_eq!(Body::TAG, Tag::Polynomial);
        let mut out = Vec::new();
        Blob::<15>(vec![1, 2, 3]).encode(&mut out);
        assert_eq!(parse(&out), Ok(Blob(vec![1, 2, 3])));
        assert_eq!(parse(&[1, 2]), Err(Malformed::TooShort));
        assert_eq!(parse(&[1, 2, 3, 4]), Err(Malformed::LeftOver));
    }
}
