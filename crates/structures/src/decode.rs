//! From blocks to sorted values, refusing all that is no encoding.

use rayon::prelude::*;

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

/// Decodes a set, some blocks at a time.
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

    /// Reads the next blocks on the threads of the caller's rayon pool.
    ///
    /// The work is bounded by the agreed shape: each value takes at most `bits` + 32 bits.
    ///
    /// # Errors
    /// When they are not the encodings of the next blocks: that of the first which is none, however many are given at
    /// a time. The decoder is of no further use then.
    pub fn blocks<B: AsRef<[u8]> + Sync>(&mut self, blocks: &[B]) -> Result<(), DecodeError> {
        let counts = self.block..self.block + blocks.len();
        let counts: Vec<usize> = counts.map(|block| self.shape.values_in(block)).collect();
        self.block += blocks.len();
        let start = self.values.len();
        self.values.resize(start + counts.iter().sum::<usize>(), 0);
        let (before, values) = self.values.split_at_mut(start);
        let mut parts = split(values, &counts);

        let sums = parts.par_iter_mut().zip(blocks);
        let sums = sums.map(|(part, block)| read_sums(block.as_ref(), &self.code, part));
        let mut base = before.last().copied().unwrap_or(0);
        let mut bases = Vec::with_capacity(blocks.len());
        for last in sums.collect::<Vec<_>>() {
            bases.push(base);
            base = base.checked_add(last?).ok_or(DecodeError::OutOfRange)?;
            if base > self.code.max {
                return Err(DecodeError::OutOfRange);
            }
        }
        parts.par_iter_mut().zip(bases).for_each(|(part, base)| {
            part.iter_mut().for_each(|sum| *sum += base);
        });
        Ok(())
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

/// Cuts `values` into parts of these lengths, which add up to theirs.
fn split<'a>(mut values: &'a mut [u128], counts: &[usize]) -> Vec<&'a mut [u128]> {
    let mut part = |count: &usize| {
        let (part, rest) = std::mem::take(&mut values).split_at_mut(*count);
        values = rest;
        part
    };
    counts.iter().map(&mut part).collect()
}

/// Fills `sums` with the sums of a block's gaps, and returns the last.
fn read_sums(bytes: &[u8], code: &RiceCode, sums: &mut [u128]) -> Result<u128, DecodeError> {
    if sums.is_empty() {
        return Err(DecodeError::LeftOver);
    }
    let mut reader = BitReader::new(bytes);
    let mut last = 0u128;
    for sum in sums {
        last = last
            .checked_add(take_gap(&mut reader, code)?)
            .filter(|sum| *sum <= code.max)
            .ok_or(DecodeError::OutOfRange)?;
        *sum = last;
    }
    match reader.end() {
        (0, true) => Ok(last),
        (0, false) => Err(DecodeError::NotCanonical),
        _ => Err(DecodeError::LeftOver),
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
