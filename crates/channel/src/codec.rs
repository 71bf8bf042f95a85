//! Messages parsed with context.

use crate::Tag;

/// A wire type. What the receiver knows (counts, widths) comes in as `Context`; the peer's bytes choose no length.
pub trait Message: Sized {
    /// The message's tag.
    const TAG: Tag;

    /// What the receiver knows before the bytes arrive.
    type Context: ?Sized;

    /// The longest valid body in bytes.
    fn max_len(context: &Self::Context) -> usize;

    /// Appends the body.
    fn encode(&self, out: &mut Vec<u8>);

    /// Reads the body; the caller refuses leftovers.
    ///
    /// # Errors
    /// When the bytes are not a valid message in this context.
    fn decode(reader: &mut Reader<'_>, context: &Self::Context) -> Result<Self, Malformed>;
}

/// Why bytes from the peer are not a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The bytes end too early.
    #[error("too short")]
    TooShort,
    /// Bytes are left over.
    #[error("bytes left over")]
    LeftOver,
    /// A value lies outside what is possible here.
    #[error("a value is out of range")]
    OutOfRange,
    /// Values that must rise do not.
    #[error("values are not in order")]
    Unordered,
    /// A group element is not one, or has another encoding.
    #[error("not the encoding of a group element")]
    NotAnElement,
    /// Text is not UTF-8.
    #[error("text is not UTF-8")]
    NotText,
}

/// Takes bytes off the front of a body.
#[derive(Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Runs `decode` over the whole of `bytes`.
    ///
    /// # Errors
    /// What `decode` returns, or [`Malformed::LeftOver`].
    pub fn parse<T>(
        bytes: &'a [u8],
        decode: impl FnOnce(&mut Self) -> Result<T, Malformed>,
    ) -> Result<T, Malformed> {
        let mut reader = Self { rest: bytes };
        let value = decode(&mut reader)?;
        if reader.rest.is_empty() { Ok(value) } else { Err(Malformed::LeftOver) }
    }

    /// The next `count` bytes.
    ///
    /// # Errors
    /// [`Malformed::TooShort`].
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (head, rest) = self.rest.split_at_checked(count).ok_or(Malformed::TooShort)?;
        self.rest = rest;
        Ok(head)
    }

    /// The next `N` bytes as an array.
    ///
    /// # Errors
    /// [`Malformed::TooShort`].
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (head, rest) = self.rest.split_first_chunk::<N>().ok_or(Malformed::TooShort)?;
        self.rest = rest;
        Ok(*head)
    }

    /// The next byte.
    ///
    /// # Errors
    /// [`Malformed::TooShort`].
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// The next 8 bytes, little-endian.
    ///
    /// # Errors
    /// [`Malformed::TooShort`].
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    /// All bytes that remain, for a message whose bound was checked before.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_is_there_and_refuses_more_and_less() {
        let bytes = [7, 1, 0, 0, 0, 0, 0, 0, 0];
        let both = |r: &mut Reader<'_>| Ok((r.u8()?, r.u64()?));
        assert_eq!(Reader::parse(&bytes, both), Ok((7, 1)));
        assert_eq!(Reader::parse(&bytes[..8], both), Err(Malformed::TooShort));
        assert_eq!(Reader::parse(&bytes, Reader::u8), Err(Malformed::LeftOver));
    }

    proptest::proptest! {
        #[test]
        fn splits_any_bytes_without_a_gap(bytes: Vec<u8>, cut in 0usize..64) {
            let got = Reader::parse(&bytes, |r| Ok([r.bytes(cut)?, r.rest()].concat()));
            let want = if cut <= bytes.len() { Ok(bytes.clone()) } else { Err(Malformed::TooShort) };
            proptest::prop_assert_eq!(got, want);
        }
    }
}
