//! Where data meets protocols: terms, agreement, planner, and the run.
//!
//! A run is a line of states, each consumed by the next: [`Offer`] → [`agree`] → [`Agreed`] (show its
//! [`Briefing`], then go on or decline) → [`Agreed::run`] → [`Report`]. Two parties and several take
//! the same line. What a run would take is known without a peer:
//!
//! ```
//! use veilset_protocols::{Operation, Security};
//! use veilset_session::{Learn, Link, PlannedRun, Wanted};
//!
//! let wanted = Wanted::new(Operation::Intersect, Security::SemiHonest, Learn::Both);
//! let link: Link = "50mbit,80ms".parse()?;
//! let (rows, peer_rows, threads) = (100_000, 20_000, 2);
//! let run = PlannedRun { wanted, rows, peer_rows, keys: 1, blind: false, values: 0, peer_values: 0, groups: None, lent_groups: None, products: 0, factor_bytes: 1, row_bytes: None, link, threads };
//! let prices = run.price()?;
//! let first = &prices.plans[0];
//! let (sent, received) = prices.bytes(first);
//! println!("{}: {:?}, {} bytes", first.spec().id, first.time, sent + received);
//! assert!(prices.plans.iter().all(|plan| plan.spec().operation == Operation::Intersect));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agreement;
mod briefing;
mod cluster;
mod elements;
mod error;
pub mod memory;
mod multiparty;
mod noise;
mod offer;
mod pair;
mod piece;
mod pipe;
mod plan;
mod planned;
mod receipt;
mod release;
mod report;
mod rng;
mod run;
mod terms;
mod tiers;
mod wanted;

pub use agreement::{Agreed, ConnectedPeer, agree};
pub use briefing::{Briefing, PeerBriefing};
pub use cluster::{
    AgreedCluster, ClusterOffer, MOST_KEYS, MOST_PIECES, MOST_WORKERS, ROWS_A_PIECE, clustered,
    pieces,
};
pub use elements::hash_keys;
pub use error::{Blame, SessionError};
pub use multiparty::listed;
pub use noise::{NoNoise, Noise};
pub use offer::{
    Column, Detail, Learn, LentGroups, Matching, Offer, Seats, can_be_filled, numbers_of_sums,
};
pub use piece::{Matched, PieceShape, Ticket};
pub(crate) use pipe::End;
pub use pipe::Pipe;
pub use plan::{Calibration, Estimate, Link, PlanError, Price, Speed, Times};
pub use planned::{MeetingEstimate, PlannedMeeting, PlannedRun, Prices};
pub use receipt::{Pledge, RECEIPT_FORMAT, Receipt, Sign, Statement, StatementParty};
pub use release::{Release, Withheld};
pub use report::{PeerReport, Report, no_match, rows_of_items, run_id};
pub use rng::fresh_rng;
pub use run::{ListInput, Resources, pool};
pub use terms::{MAX_COLUMNS, MAX_LENT_NAMES, MAX_NAME, Mismatch, WIRE_VERSION};
pub use tiers::session_of;
pub use wanted::{Asked, Wanted};
