//! A long vector put together from shorter ones, *batches*: each is a vector OLE of its own noise, trees and code, on one extension.
//!
//! A region of a short code fits a cache, light words of it weigh more, and no more than a *group* of batches need be in memory.
//! Transfers are made for a group at a time: the receiver sends all corrections of a group before it takes the
//! group's trees, and the sender takes all before it sends one. So it is nobody's matter how many batches the other works on at
//! once, as many as it has threads; and between groups nothing is on the way, so that a party can use one before the next is made.
//!
//! **Security.** Semi-honest. Batches share Δ and the extension, whose rows are fresh for each; noise, keys of trees and code follow from
//! the batch's number. So all are pseudorandom together as each is by itself, by one exchange after the other.

mod receiver;
mod sender;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub(super) use self::sender::Room;
use super::messages::TreesShape;
use super::parameters::LpnParameters;
use super::tree::depth;
use super::{Subfield, tree_frames};
use crate::base::Session;
use crate::{ExtensionParameters, Security, WireCost, transfer_bytes};

/// Batches of a group at most, so that as many threads have one each.
const GROUP: usize = 16;

/// Groups that a vector has at least, if it has as many batches: each takes a part of the memory, and a round trip.
const GROUPS: usize = 8;

/// How a vector is put together.
pub(super) struct Batches {
    session: Session,
    len: usize,
    /// How many batches there are, and how many make a group.
    count: usize,
    group: usize,
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
        let group = count.div_ceil(GROUPS).min(GROUP);
        Self { session, len, count, group, noise: LpnParameters::new(len.div_ceil(count)) }
    }

    /// How many groups there are.
    pub(super) fn count(&self) -> usize {
        self.count.div_ceil(self.group)
    }

    /// The entries of group `number`.
    pub(super) fn entries(&self, number: usize) -> Range<usize> {
        let Range { start, end } = self.batches(number);
        let first = |batch: usize| self.len.min(batch * self.noise.compressed_len());
        first(start)..first(end)
    }

    /// Entries that the longest group makes, those in its last batch that nobody takes among them.
    pub(super) fn most(&self) -> usize {
        self.group * self.noise.compressed_len()
    }

    /// The batches of group `number`.
    fn batches(&self, number: usize) -> Range<usize> {
        let first = number * self.group;
        first..self.count.min(first + self.group)
    }

    fn depth(&self) -> usize {
        depth(self.noise.block())
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
        for group in 0..self.count() {
            let batches = self.batches(group).len();
            let transfers = [B::BITS, depth].map(|each| each * blocks * batches);
            for (bytes, frames) in transfers.map(|count| transfer_bytes(count, 0).receiver) {
                receiver = (receiver.0 + bytes, receiver.1 + frames);
            }
        }
        let sender = ((self.count * trees) as f64, self.count * frames.count());
        WireCost { sender, receiver }
    }
}
