//! What both parties agree on before the setup.

use std::ops::Range;

use veilset_simd::TILE;

use crate::OtError;
use crate::base::Session;

/// Against whom the extension is secure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// Parties that follow the protocol and look at what they see.
    SemiHonest,
    /// Parties that send what they like; the one that is cheated stops with an error.
    Malicious,
}

/// The depth of the seed trees unless another is asked for.
///
/// At depth k an OT costs 128/k bits and 2^k/k AES calls on each side. Where AES runs at one to four nanoseconds a
/// call and the link at a gigabit a second, 4 has the least sum of both; 2 is better on faster links, 8 on slower ones.
pub const DEFAULT_DEPTH: usize = 4;

/// The greatest depth of the seed trees.
pub const MAX_DEPTH: usize = 8;

/// What both parties agree on before the setup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtensionParameters {
    pub(crate) security: Security,
    pub(crate) session: Session,
    pub(super) split: TreeSplit,
}

impl ExtensionParameters {
    /// Trees of [`DEFAULT_DEPTH`]; no other setup may have the same `session`.
    #[must_use]
    pub fn new(security: Security, session: Session) -> Self {
        Self { security, session, split: TreeSplit { depth: DEFAULT_DEPTH } }
    }

    /// Trees of another depth: 1 is the extension of IKNP, larger ones send less and compute more.
    ///
    /// # Errors
    /// [`OtError::Depth`] for 0 and above [`MAX_DEPTH`].
    pub fn with_depth(self, depth: usize) -> Result<Self, OtError> {
        if !(1..=MAX_DEPTH).contains(&depth) {
            return Err(OtError::Depth { max: MAX_DEPTH, got: depth });
        }
        Ok(Self { split: TreeSplit { depth }, ..self })
    }
}

/// How the 128 bits of the sender's secret fall to the trees: `depth` to each, and the rest to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TreeSplit {
    depth: usize,
}

impl TreeSplit {
    /// How many trees there are.
    pub(super) fn trees(self) -> usize {
        TILE.div_ceil(self.depth)
    }

    /// The bits of the secret that belong to tree `index`, one a level; also the columns that it fills.
    pub(super) fn bits(self, index: usize) -> Range<usize> {
        index * self.depth..TILE.min((index + 1) * self.depth)
    }
}
