//! From sorted values to blocks.

use crate::SetShape;
use crate::bits::BitWriter;
use crate::shape::{ESCAPE, RiceCode};

/// Codes a sorted set block by block: an iterator over the blocks in order.
pub struct Encoder<'a> {
    code: RiceCode,
    values_a_block: usize,
    rest: &'a [u128],
    previous: u128,
}

impl<'a> Encoder<'a> {
    /// Codes `sorted`, whose values rise and fit into the shape's bits.
    ///
    /// # Panics
    /// When the number of values is not the shape's, or `bits` is not in 1..=128; while iterating, when a value is
    /// too wide or smaller than the one before.
    #[must_use]
    pub fn new(shape: SetShape, sorted: &'a [u128]) -> Self {
        assert_eq!(sorted.len(), shape.count, "a set has as many values as its shape says");
        let code = shape.code();
        assert!(sorted.last().is_none_or(|last| *last <= code.max), "values fit");
        Self { code, values_a_block: shape.values_a_block(), rest: sorted, previous: 0 }
    }
}

impl Iterator for Encoder<'_> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let (block, rest) = self.rest.split_at(self.values_a_block.min(self.rest.len()));
        self.rest = rest;
        let mut out = BitWriter::default();
        for value in block {
            assert!(*value >= self.previous, "values rise");
            put_gap(&mut out, &self.code, value - self.previous);
            self.previous = *value;
        }
        (!block.is_empty()).then(|| out.finish())
    }
}

fn put_gap(out: &mut BitWriter, code: &RiceCode, gap: u128) {
    match u32::try_from(gap >> code.r) {
        Ok(quotient) if quotient < ESCAPE => {
            out.put((1 << quotient) - 1, quotient + 1);
            out.put_wide(gap & !(u128::MAX << code.r), code.r);
        }
        _ => {
            out.put((1 << ESCAPE) - 1, ESCAPE);
            out.put_wide(gap, code.bits);
        }
    }
}
