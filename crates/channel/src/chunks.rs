//! Long vectors travel in chunks.

use std::ops::Range;

/// How a vector of a known length is cut into frames: every chunk full but the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunks {
    total: usize,
    size: usize,
}

impl Chunks {
    /// `total` entries, `size` to a chunk.
    ///
    /// # Panics
    /// When `size` is 0.
    #[must_use]
    pub fn new(total: usize, size: usize) -> Self {
        assert!(size > 0, "a chunk holds something");
        Self { total, size }
    }

    /// How many chunks there are.
    #[must_use]
    pub fn count(self) -> usize {
        self.total.div_ceil(self.size)
    }

    /// The entries of chunk `index`; `None` past the end.
    #[must_use]
    pub fn range(self, index: usize) -> Option<Range<usize>> {
        let start = index.checked_mul(self.size).filter(|start| *start < self.total)?;
        Some(start..self.total.min(start + self.size))
    }

    /// All chunks in order.
    pub fn ranges(self) -> impl Iterator<Item = Range<usize>> {
        (0..self.count()).filter_map(move |index| self.range(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_every_entry_once() {
        for total in [0, 1, 3, 4, 5, 8, 9] {
            let seen: Vec<usize> = Chunks::new(total, 4).ranges().flatten().collect();
            assert_eq!(seen, (0..total).collect::<Vec<_>>());
            assert_eq!(Chunks::new(total, 4).range(total.div_ceil(4)), None);
        }
    }
}
