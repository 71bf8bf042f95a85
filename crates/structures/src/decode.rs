//! From blocks to sorted values, refusing all that is no encoding.

use crate::SetShape;
use crate::bits::BitReader;
use crate::shape::{ESCAPE, RiceCode};

/// Why bytes are not the encoding of a set of the agreed shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// A block, or the set, ends too early.
    #[error("the coded set ends too early")]
    TooShort,
    /// Bytes or blocks are left over.
    #[error("something follows the coded set")]
    LeftOver,
    /// A value has more bits than agreed.
    #[error("a value of the coded set is out of range")]
    OutOfRange,
    /// The bytes are not the one encoding of their values.
    #[error("the coded set is not in its only valid form")]
    NotCanonical,
}

/// Decodes a set block by block.
pub struct Decoder {
    shape: SetShape,
    code: RiceCode,
    block: usize,
    values: Vec<u128>,
}

impl Decoder {
    /// Expects a set of this shape.
    ///
    /// # Panics
    /// When `bits` is not in 1..=128.
    #[must_use]
    pub fn new(shape: SetShape) -> Self {
        Self { shape, code: shape.code(), block: 0, values: Vec::new() }
    }

    /// Reads the next block.
    ///
    /// The work is bounded by the agreed shape: each value takes at most `bits` + 32 bits.
    ///
    /// # Errors
    /// When it is not the encoding of a next block. The decoder is of no further use then.
    pub fn block(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        let count = self.shape.values_in(self.block);
        if count == 0 {
            return Err(DecodeError::LeftOver);
        }
        self.block += 1;
        let mut reader = BitReader::new(bytes);
        let mut value = self.values.last().copied().unwrap_or(0);
        for _ in 0..count {
            value = value
                .checked_add(take_gap(&mut reader, &self.code)?)
                .filter(|value| *value <= self.code.max)
                .ok_or(DecodeError::OutOfRange)?;
            self.values.push(value);
        }
        match reader.end() {
            (0, true) => Ok(()),
            (0, false) => Err(DecodeError::NotCanonical),
            _ => Err(DecodeError::LeftOver),
        }
    }

    /// The values, rising.
    ///
    /// # Errors
    /// When blocks are missing.
    pub fn finish(self) -> Result<Vec<u128>, DecodeError> {
        if self.values.len() == self.shape.count {
            Ok(self.values)
        } else {
            Err(DecodeError::TooShort)
        }
    }
}

fn take_gap(reader: &mut BitReader<'_>, code: &RiceCode) -> Result<u128, DecodeError> {
    let quotient = u128::from(reader.ones(ESCAPE).ok_or(DecodeError::TooShort)?);
    if quotient < u128::from(ESCAPE) {
        // Not above the largest value's, so that shifting it back loses nothing.
        if quotient > code.max >> code.r {
            return Err(DecodeError::OutOfRange);
        }
        return Ok((quotient << code.r) | reader.take(code.r).ok_or(DecodeError::TooShort)?);
    }
    let gap = reader.take(code.bits).ok_or(DecodeError::TooShort)?;
    if gap >> code.r < u128::from(ESCAPE) { Err(DecodeError::NotCanonical) } else { Ok(gap) }
}
