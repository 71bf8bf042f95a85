//! From sorted values to blocks.

use crate::SetShape;
use crate::bits::BitWriter;
use crate::shape::{ESCAPE, RiceCode};

/// Codes a sorted set. Blocks do not depend on one another, so several threads can make them.
pub struct Encoder<'a> {
    code: RiceCode,
    values_a_block: usize,
    sorted: &'a [u128],
}

impl<'a> Encoder<'a> {
    /// Codes `sorted`, whose values rise and fit into the shape's bits.
    ///
    /// # Panics
    /// When the number of values is not the shape's, the last is too wide, or `bits` is not in 1..=128.
    #[must_use]
    pub fn new(shape: SetShape, sorted: &'a [u128]) -> Self {
        assert_eq!(sorted.len(), shape.count, "a set has as many values as its shape says");
        let code = shape.code();
        assert!(sorted.last().is_none_or(|last| *last <= code.max), "values fit");
        Self { code, values_a_block: shape.values_a_block(), sorted }
    }

    /// Block number `index` of the shape's.
    ///
    /// # Panics
    /// When there is no such block, or a value in it is smaller than the one before.
    #[must_use]
    pub fn block(&self, index: usize) -> Vec<u8> {
        let start = index * self.values_a_block;
        let end = self.sorted.len().min(start + self.values_a_block);
        let mut previous = if start == 0 { 0 } else { self.sorted[start - 1] };
        let mut out = BitWriter::default();
        for value in &self.sorted[start..end] {
            assert!(*value >= previous, "values rise");
            put_gap(&mut out, &self.code, value - previous);
            previous = *value;
        }
        out.finish()
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
