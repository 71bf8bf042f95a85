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
    /// Those that were not taken.
    values: Vec<u128>,
    /// How many were, and the last of all.
    taken: usize,
    last: u128,
}

impl Decoder {
    /// Expects a set of this shape.
    ///
    /// # Panics
    /// When `bits` is not in 1..=128.
    #[must_use]
    pub fn new(shape: SetShape) -> Self {
        Self { shape, code: shape.code(), block: 0, values: Vec::new(), taken: 0, last: 0 }
    }

    /// Reads the next blocks on the threads of the caller's rayon pool.
    ///
    /// The work is bounded by the agreed shape: each value takes at most `bits` + 32 bits. Memory is bounded by what is
    /// there: blocks that are too short for their values are not read.
    ///
    /// # Errors
    /// When they are not the encodings of the next blocks: that of the first which is none, however many are given at
    /// a time. The decoder is of no further use then.
    pub fn blocks<B: AsRef<[u8]> + Sync>(&mut self, blocks: &[B]) -> Result<(), DecodeError> {
        let mut counts: Vec<usize> =
            (self.block..).zip(blocks).map(|(block, _)| self.shape.values_in(block)).collect();
        let fits = |(count, block): (&usize, &B)| block.as_ref().len() >= self.code.least(*count);
        let whole = counts.iter().zip(blocks).take_while(|pair| fits(*pair)).count();
        counts.truncate(whole);
        self.block += whole;
        let start = self.values.len();
        self.values.resize(start + counts.iter().sum::<usize>(), 0);
        let mut parts = split(&mut self.values[start..], &counts);

        let sums = parts.par_iter_mut().zip(blocks);
        let sums = sums.map(|(part, block)| read_sums(block.as_ref(), &self.code, part));
        let mut base = self.last;
        let mut bases = Vec::with_capacity(blocks.len());
        for last in sums.collect::<Vec<_>>() {
            bases.push(base);
            base = base.checked_add(last?).ok_or(DecodeError::OutOfRange)?;
            if base > self.code.max {
                return Err(DecodeError::OutOfRange);
            }
        }
        self.last = base;
        parts.par_iter_mut().zip(bases).for_each(|(part, base)| {
            part.iter_mut().for_each(|sum| *sum += base);
        });
        if whole == blocks.len() { Ok(()) } else { Err(DecodeError::TooShort) }
    }

    /// The values that were read since they were last taken, rising.
    pub fn take(&mut self) -> Vec<u128> {
        self.taken += self.values.len();
        std::mem::take(&mut self.values)
    }

    /// The values that were not taken, rising.
    ///
    /// # Errors
    /// When blocks are missing.
    pub fn finish(self) -> Result<Vec<u128>, DecodeError> {
        if self.taken + self.values.len() == self.shape.count {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_reserved_for_values_that_are_not_there() {
        // r = 72 − ⌊log2(2^30 · 133/64)⌋ = 41: a value takes 42 bits at least, and a block holds 10,082 values.
        let shape = SetShape { count: 1 << 30, bits: 72 };
        let least = (10_082 * 42usize).div_ceil(8);
        let full = vec![0; least];
        for blocks in [vec![Vec::new(); 50_000], vec![vec![0; least - 1]; 3]] {
            let mut decoder = Decoder::new(shape);
            assert_eq!(decoder.blocks(&blocks), Err(DecodeError::TooShort));
            assert_eq!(decoder.values.capacity(), 0);
        }
        let mut decoder = Decoder::new(shape);
        assert_eq!(decoder.blocks(&[full.clone(), Vec::new(), full]), Err(DecodeError::TooShort));
        assert_eq!(decoder.values, [0; 10_082], "what came before was whole");
    }

    #[test]
    fn values_that_are_taken_block_by_block_are_the_set() {
        let shape = SetShape { count: 50_000, bits: 72 };
        let sorted: Vec<u128> = (0..50_000).map(|place| ((place * place) << 40) | 7).collect();
        let encoder = crate::Encoder::new(shape, &sorted);
        let blocks: Vec<Vec<u8>> = (0..shape.blocks()).map(|block| encoder.block(block)).collect();
        let (mut decoder, mut values) = (Decoder::new(shape), Vec::new());
        for block in &blocks {
            decoder.blocks(&[block]).expect("an encoding");
            values.append(&mut decoder.take());
        }
        assert!(blocks.len() > 2 && values == sorted);
        assert_eq!(decoder.finish(), Ok(Vec::new()));
        let mut decoder = Decoder::new(shape);
        decoder.blocks(&blocks[..1]).expect("an encoding");
        assert!(!decoder.take().is_empty());
        assert_eq!(decoder.finish(), Err(DecodeError::TooShort));
    }
}
