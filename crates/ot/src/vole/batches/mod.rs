//! A long vector put together from shorter ones, *batches*: each is a vector OLE of its own noise, trees and code, on one extension.
//!
//! A region of a short code fits a cache, light words of it weigh more, and beside the result only the batches in work take
//! memory. Transfers are made for [`GROUP`] batches at a time: the receiver sends all corrections of a group before it takes the
//! group's trees, and the sender takes all before it sends one. So it is nobody's matter how many batches the other works on at
//! once, as many as it has threads.
//!
//! **Security.** Semi-honest. Batches share Δ and the extension, whose rows are fresh for each; noise, keys of trees and code follow from
//! the batch's number. So all are pseudorandom together as each is by itself, by one exchange after the other.

mod receiver;
mod sender;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::messages::TreesShape;
use super::parameters::LpnParameters;
use super::tree::depth;
use super::{Subfield, tree_frames};
use crate::base::Session;
use crate::{ExtensionParameters, Security, WireCost, transfer_bytes};

/// Batches for which transfers are made at once.
const GROUP: usize = 16;

/// How a vector is put together.
pub(super) struct Batches {
    session: Session,
    len: usize,
    /// How many batches there are.
    count: usize,
    /// Of each batch.
    noise: LpnParameters,
}

impl Batches {
    /// Of so many entries over B; none where one vector is enough, or where trees are checked.
    pub(super) fn of<B: Subfield>(parameters: &ExtensionParameters, len: usize) -> Option<Self> {
        let ExtensionParameters { security, session, .. } = *parameters;
        Self::serve::<B>(security, len).then(|| Self::with(session, len, B::AT_ONCE))
    }

    fn serve<B: Subfield>(security: Security, len: usize) -> bool {
        len > B::AT_ONCE && security == Security::SemiHonest
    }

    fn with(session: Session, len: usize, at_once: usize) -> Self {
        let count = len.div_ceil(at_once);
        Self { session, len, count, noise: LpnParameters::new(len.div_ceil(count)) }
    }

    fn depth(&self) -> usize {
        depth(self.noise.block())
    }

    /// Entries that all batches make.
    fn made(&self) -> usize {
        self.count * self.noise.compressed_len()
    }

    /// The batches of each group.
    fn groups(&self) -> impl Iterator<Item = Range<usize>> {
        (0..self.count).step_by(GROUP).map(|first| first..self.count.min(first + GROUP))
    }

    /// What batch `number` has in place of a session of its own.
    fn session(&self, number: usize) -> Session {
        let mut hasher = blake3::Hasher::new_derive_key("veilset 2026 vector OLE: batch");
        hasher.update(&self.session).update(&(number as u64).to_le_bytes());
        *hasher.finalize().as_bytes()
    }

    /// Bytes and frames of so many entries, without the setup; none where [`of`](Self::of) has none.
    pub(super) fn cost<B: Subfield>(security: Security, len: usize) -> Option<WireCost> {
        let bytes = || Self::with([0; 32], len, B::AT_ONCE).bytes::<B>();
        Self::serve::<B>(security, len).then(bytes)
    }

    fn bytes<B: Subfield>(&self) -> WireCost {
        let (blocks, depth) = (self.noise.blocks(), self.depth());
        let frames = tree_frames(&self.noise);
        let trees = blocks * TreesShape::tree_bytes(depth);
        let mut receiver = (0.0, 0);
        for group in self.groups() {
            let transfers = [B::BITS, depth].map(|each| each * blocks * group.len());
            for (bytes, frames) in transfers.map(|count| transfer_bytes(count, 0).receiver) {
                receiver = (receiver.0 + bytes, receiver.1 + frames);
            }
        }
        let sender = ((self.count * trees) as f64, self.count * frames.count());
        WireCost { sender, receiver }
    }
}
