//! A run between two clusters: what the drivers agree on, and into how many pieces it falls.
//!
//! Drivers tell each other their terms as JSON, each once. As between two parties, whatever differs is told by its name, and
//! what is left is parsed.

#[cfg(test)]
mod tests;
mod unchecked;

use veilset_protocols::{Operation, Protocol, Role, Security, Side, find};

use crate::briefing::{PeerBriefing, TIERS_LEAK, no_peer_keys, sentence};
use crate::pair::{Owner, role};
use crate::piece::PIECE_PROTOCOL;
use crate::{Asked, Briefing, Column, Learn, Matching, SessionError, Wanted};
use unchecked::UncheckedTerms;

/// The most keys of a side: matched values are no longer than 128 bits.
pub const MOST_KEYS: u64 = 1 << 40;
/// The most workers of a side.
pub const MOST_WORKERS: u64 = 1 << 12;
/// The most pieces: what a task hands out, and a message between drivers holds. Beyond, pieces grow.
pub const MOST_PIECES: u64 = 1 << 12;
/// A piece is no larger on average, up to the most pieces.
pub const ROWS_A_PIECE: u64 = 1 << 20;
/// The fewest pieces.
const LEAST_PIECES: u64 = 8;
/// Pieces of a worker, so that a slow one holds the others up for a quarter of the run at most.
const PIECES_A_WORKER: u64 = 4;

/// What the terms and the run tell beside what the protocol does.
const CLUSTER_LEAK: &str = "Each side learns how many workers the other has, the power of two of its rows if pieces come from it, and when \
                            the result of each piece is there.";

/// Into how many pieces a run over so many rows is cut: a power of two.
#[must_use]
pub fn pieces(rows: u64, workers: u64) -> u64 {
    let wanted = PIECES_A_WORKER.saturating_mul(workers).max(rows.div_ceil(ROWS_A_PIECE));
    wanted.clamp(LEAST_PIECES, MOST_PIECES).next_power_of_two()
}

/// The protocol that pieces run, if clusters run the operation.
#[must_use]
pub fn clustered(operation: Operation) -> Option<&'static dyn Protocol> {
    let id = match operation {
        Operation::Intersect => PIECE_PROTOCOL,
        Operation::Count => "mqrpmt-dh",
        Operation::Sum => "mqrpmt-dh-sum",
        Operation::Union => "mqrpmt-dh-union",
        Operation::Share
        | Operation::Align
        | Operation::Agree
        | Operation::Lookup
        | Operation::Overlaps => return None,
    };
    find(id)
}

/// What one side's driver wants.
#[derive(Debug, Clone)]
pub struct ClusterOffer {
    /// What to compute.
    pub operation: Operation,
    /// Who gets the result.
    pub learn: Learn,
    /// The versioned presets of the key columns, such as `email/1`; of several keys with semicolons between them.
    pub presets: String,
    /// How rows match that have several keys: in tiers, which an intersection alone does that both learn.
    pub matching: Option<Matching>,
    /// The value columns of a sum, on the side that has them.
    pub values: Vec<Column>,
    /// The columns that a union sends beside the key's.
    pub send: Vec<String>,
    /// Bytes of the longest row to send.
    pub width: usize,
    /// Rows of the list, repeated keys and all.
    pub rows: u64,
    /// Workers of this side.
    pub workers: u64,
    /// Whether this side opened the connection; the two sides differ in it.
    pub connecting: bool,
}

/// A run between two clusters as both sides want it.
pub struct AgreedCluster {
    protocol: &'static dyn Protocol,
    offer: ClusterOffer,
    /// This side's part.
    pub role: Role,
    /// Into how many pieces the lists fall: a power of two.
    pub pieces: u64,
    /// How many pairs of workers there are.
    pub slots: u64,
    /// Value columns of a sum, whoever has them.
    pub sums: usize,
    /// The columns that the peer sends in a union beside its key's.
    pub peer_send: Vec<String>,
    /// Bytes of a row that the peer sends.
    pub peer_width: usize,
}

impl ClusterOffer {
    /// The terms that the peer's driver is sent.
    ///
    /// # Errors
    /// When there are more columns, or longer names or rows, than terms hold.
    pub fn message(&self) -> Result<Vec<u8>, SessionError> {
        let said = UncheckedTerms::from(self);
        if said.is_bounded() { Ok(said.encoded()) } else { Err(SessionError::Columns) }
    }

    /// The run, if the terms that the peer's driver sent fit these.
    ///
    /// # Errors
    /// With all fields on which the two sides differ; or when no driver of this version sends such terms.
    pub fn agreed(self, heard: &[u8]) -> Result<AgreedCluster, SessionError> {
        let protocol = clustered(self.operation).ok_or_else(|| self.wanted().none())?;
        let theirs = UncheckedTerms::decode(heard)?;
        let mismatches = theirs.mismatches(&self);
        if !mismatches.is_empty() {
            return Err(SessionError::Terms(mismatches));
        }
        theirs.check(self.operation)?;
        let owner = match self.operation {
            Operation::Sum if self.values.is_empty() => Owner::Peer,
            Operation::Sum => Owner::Me,
            _ => Owner::Nobody,
        };
        let slots = self.workers.min(theirs.workers);
        Ok(AgreedCluster {
            protocol,
            role: role(owner, self.learn, self.connecting),
            pieces: pieces(self.rows, slots).max(theirs.pieces),
            slots,
            sums: self.values.len().max(theirs.values.len()),
            peer_send: theirs.send,
            peer_width: theirs.width.into(),
            offer: self,
        })
    }
}

impl ClusterOffer {
    fn wanted(&self) -> Wanted {
        let Self { operation, learn, .. } = *self;
        Wanted::new(operation, Security::SemiHonest, learn)
    }
}

impl AgreedCluster {
    /// What is computed.
    #[must_use]
    pub fn operation(&self) -> Operation {
        self.offer.operation
    }

    /// Whether this side gets the result, and whether the peer does.
    #[must_use]
    pub fn learns(&self) -> [bool; 2] {
        [self.offer.learn.includes_me(), self.offer.learn.mirrored().includes_me()]
    }

    /// What the user should see before the run with `peer`, whose number of distinct keys, of the first where there are several,
    /// is known by now.
    #[must_use]
    pub fn briefing(&self, peer: &str, peer_distinct: u64) -> Briefing {
        let ClusterOffer { operation, learn, matching, ref presets, .. } = self.offer;
        let (spec, reveal) = (self.protocol.spec(), learn.reveal());
        let tiers = matching == Some(Matching::Tiers);
        let mut of_peer = PeerBriefing::of(peer, peer_distinct, learn.mirrored().includes_me());
        if tiers {
            of_peer.has = format!("{peer} has {peer_distinct} distinct values of its first key");
        }
        Briefing {
            operation,
            presets: presets.clone(),
            protocol: spec.id,
            choices: spec.defaults(),
            security: spec.security,
            learn,
            // There is one protocol for an operation.
            asked_by_peer: Asked::default(),
            learned: sentence(spec, Side { role: self.role, reveal }, peer, [None; 2]),
            leaks: spec
                .leaks_of(reveal)
                .chain(tiers.then_some(TIERS_LEAK))
                .chain([CLUSTER_LEAK])
                .collect(),
            peers: vec![of_peer],
            warnings: no_peer_keys(peer_distinct).filter(|_| !tiers).into_iter().collect(),
        }
    }
}
