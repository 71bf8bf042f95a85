//! What a session leaves.

use std::time::Duration;

use crate::{Column, Learn};
use veilset_channel::{PhaseCost, WireBytes};
use veilset_protocols::{Operation, Outcome, Params, Role, Security};

/// The result of a run with its circumstances.
#[derive(Debug, Clone)]
pub struct Report {
    /// The run's id, the same on both sides.
    pub run: String,
    /// What this side calls the peer.
    pub peer: String,
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
    /// This side's part.
    pub role: Role,
    /// "You learn: …. NAME learns: …."
    pub learned: String,
    /// This side's number of distinct keys.
    pub distinct: u64,
    /// The peer's number of distinct keys.
    pub peer_distinct: u64,
    /// The group and the set digest.
    pub params: Params,
    /// The peer's value columns, those of its labels, or those of its rows in a union beyond those of the key.
    pub peer_columns: Vec<Column>,
    /// Indices of keys, numbers, shares or identifiers.
    pub outcome: Outcome,
    /// Bytes on the wire, with what the transport adds.
    pub wire: WireBytes,
    /// Rounds of the protocol; agreement and the end of the run add three.
    pub rounds: u64,
    /// The phases with their traffic and time, in order.
    pub phases: Vec<PhaseCost>,
    /// Threads that the run could use.
    pub threads: usize,
}

/// The id of a run for records of both sides: a digest of what both ends of its session have, which says nothing of it.
#[must_use]
pub fn run_id(session: &[u8; 32]) -> String {
    const DIGITS: usize = 32;
    let digest = blake3::Hash::from_bytes(blake3::derive_key("veilset v1 run", session));
    digest.to_hex()[..DIGITS].to_owned()
}

impl Report {
    /// How many distinct keys match, if this side was to learn it.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        match &self.outcome {
            Outcome::Nothing | Outcome::Shares(_) | Outcome::Agreed(_) => None,
            Outcome::Matched(rows) | Outcome::Listed { rows, .. } => Some(rows.len() as u64),
            Outcome::Count(count) | Outcome::Sums { count, .. } => Some(*count),
            Outcome::Lacking { width, bytes } => {
                Some(self.peer_distinct.saturating_sub((bytes.len() / (*width).max(1)) as u64))
            }
            Outcome::Identifiers { others, .. } => {
                Some(self.peer_distinct.saturating_sub(others.len() as u64))
            }
        }
    }

    /// The time of all phases.
    #[must_use]
    pub fn time(&self) -> Duration {
        self.phases.iter().map(|phase| phase.time).sum()
    }
}
