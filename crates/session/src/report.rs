//! What a session leaves.

use std::time::Duration;

use veilset_channel::{PhaseCost, WireBytes};
use veilset_data::{Warning, WarningCode, decode};
use veilset_protocols::{Choices, Operation, Outcome, Role, Security};

use crate::{Column, Learn, LentGroups, Matching, Noise, Receipt, Release, SessionError, Withheld};

/// The result of a run with its circumstances.
#[derive(Debug, Clone)]
pub struct Report {
    /// The run's id, the same on both sides.
    pub run: String,
    /// The other parties: one, or each of several.
    pub peers: Vec<PeerReport>,
    /// What was computed.
    pub operation: Operation,
    /// The protocol's id.
    pub protocol: &'static str,
    /// Against whom the protocol holds.
    pub security: Security,
    /// Who gets the result.
    pub learn: Learn,
    /// The versioned presets of the key columns, such as `email/1`.
    pub presets: String,
    /// How rows matched that have several keys.
    pub matching: Option<Matching>,
    /// This side's role in a run of two; a multiparty run has none.
    pub role: Option<Role>,
    /// This side's place among several parties, in the order of their keys, from 0; the peers have the others, in their order.
    pub place: Option<usize>,
    /// "You learn: …. NAME learns: …."
    pub learned: String,
    /// This side's number of distinct keys.
    pub distinct: u64,
    /// Of how many the others were told: made-up ones are among these.
    pub told: u64,
    /// What looked wrong about the sets before the run, and what does about the result.
    pub warnings: Vec<Warning>,
    /// The group and the set digest.
    pub choices: Choices,
    /// The peer's value columns, those of its labels, or those of its rows: in a union beyond those of the key.
    pub peer_columns: Vec<Column>,
    /// The groups that the peer lent to this side's sums.
    pub peer_lent: Option<LentGroups>,
    /// How many of the peer's rows came for one key at most, where rows came with matches.
    pub peer_rows_of_key: u64,
    /// Indices of keys, numbers, shares or identifiers.
    pub outcome: Outcome,
    /// What both sides signed, where this side has a key.
    pub receipt: Option<Receipt>,
    /// How much of the result was to be released.
    pub release: Release,
    /// The noise of each number that is told, if they have any: of a sum the count and each column share it.
    pub noise_of_each: Option<Noise>,
    /// The reference of the parties' agreement.
    pub reference: Option<String>,
    /// Why this side, which was to learn the result, sees nothing of it.
    pub withheld: Option<Withheld>,
    /// Rounds of the protocol; agreement and the end of the run add three.
    pub rounds: u64,
    /// The phases with their traffic, to all others, and their time, in order.
    pub phases: Vec<PhaseCost>,
    /// Threads that the run could use.
    pub threads: usize,
}

/// Another party of a run.
#[derive(Debug, Clone)]
pub struct PeerReport {
    /// What this side calls it.
    pub name: String,
    /// Its public key; `None` where the way to it has no keys.
    pub key: Option<[u8; 32]>,
    /// Its number of distinct keys.
    pub distinct: u64,
    /// Bytes on the wire to and from it, with what the transport adds.
    pub wire: WireBytes,
}

/// The id of a run for records of both sides: a digest of what both ends of its session have, which says nothing of it.
#[must_use]
pub fn run_id(session: &[u8; 32]) -> String {
    const DIGITS: usize = 32;
    let digest = blake3::Hash::from_bytes(blake3::derive_key("veilset v1 run", session));
    digest.to_hex()[..DIGITS].to_owned()
}

impl Report {
    /// The peer of a run of two, and the first of several.
    #[must_use]
    pub fn peer(&self) -> &PeerReport {
        &self.peers[0]
    }

    /// Bytes on the wire, to and from all.
    #[must_use]
    pub fn wire(&self) -> WireBytes {
        let sum = |of: fn(&PeerReport) -> u64| self.peers.iter().map(of).sum();
        WireBytes { sent: sum(|peer| peer.wire.sent), received: sum(|peer| peer.wire.received) }
    }

    /// How many distinct keys match, if this side was to learn it.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        match &self.outcome {
            Outcome::Nothing
            | Outcome::Fewer
            | Outcome::ByGroup(_)
            | Outcome::Shares(_)
            | Outcome::Agreed(_) => None,
            Outcome::Matched(rows) | Outcome::Listed { rows, .. } => Some(rows.len() as u64),
            Outcome::Count(count) | Outcome::Sums { count, .. } => Some(*count),
            Outcome::Overlaps(overlaps) => Some(overlaps.common),
            Outcome::Lacking { width, bytes } => {
                let lacking = (bytes.len() / (*width).max(1)) as u64;
                Some(self.peer().distinct.saturating_sub(lacking))
            }
            Outcome::Identifiers { others, .. } => {
                Some(self.peer().distinct.saturating_sub(others.len() as u64))
            }
        }
    }

    /// Whether rows of the peer's go with the matches of this side's.
    #[must_use]
    pub fn joins(&self) -> bool {
        self.operation.spec().may_send_rows()
    }

    /// The time of all phases.
    #[must_use]
    pub fn time(&self) -> Duration {
        self.phases.iter().map(|phase| phase.time).sum()
    }

    /// With as much of the outcome as is released, whose sums have these scales.
    pub(crate) fn released(mut self, scales: &[u32]) -> Self {
        let sizes = self.peers.iter().map(|peer| peer.distinct).chain([self.distinct]);
        let smaller = sizes.min().unwrap_or_default();
        let count = self.count();
        // Fewer than any least result, where nobody knows how many.
        let count = if self.outcome == Outcome::Fewer { Some(0) } else { count };
        self.withheld = count.and_then(|count| self.release.withholds(count, smaller));
        self.outcome = match self.withheld {
            Some(_) => Outcome::Nothing,
            None => self.release.rounded(self.outcome, scales),
        };
        self
    }

    /// With what is to be said where sets that were expected to share something share nothing.
    pub(crate) fn and_no_match(mut self) -> Self {
        let shares_nothing = self.operation != Operation::Lookup && self.count() == Some(0);
        if self.warnings.is_empty() && shares_nothing && !self.release.is_limited() {
            let sizes = self.peers.iter().map(|peer| peer.distinct);
            let sizes: Vec<u64> = sizes.chain([self.distinct]).collect();
            self.warnings.extend(no_match(&sizes));
        }
        self
    }
}

/// The rows in items of `width` bytes that the peer sent, each of so many cells.
///
/// # Errors
/// When the peer sent something else.
pub fn rows_of_items(
    items: &[u8],
    width: usize,
    cells: usize,
) -> Result<Vec<Vec<String>>, SessionError> {
    let rows = items.chunks_exact(width.max(1)).map(|item| decode(item, cells));
    rows.collect::<Result<_, _>>().map_err(|_| SessionError::bad_row())
}

/// What to say where no key matches, and no set of these sizes is so small that this was to be expected.
#[must_use]
pub fn no_match(sizes: &[u64]) -> Option<Warning> {
    const FEW: u64 = 2;
    let text = "No key matches. Compare with the peer: the columns and presets of the key, how one key that both should have is \
                written on each side, and whether the keys were hashed before. veilset check says what this side's look like.";
    let expected = sizes.iter().any(|size| *size < FEW);
    (!expected).then(|| Warning::of_lists(WarningCode::NoMatch, text.to_owned()))
}
