//! Private set operation protocols and the registry from which everything else is derived.
//!
//! What a protocol is stands in this folder: what it says of itself ([`Spec`]), what a run is given ([`Run`]), operations and
//! choices. `catalogue` has the protocols, one folder each, and `kit` what they are made of.
//!
//! A protocol is a driver that reads like its paper's figure, over pure round functions and bounded messages. It
//! gets elements, a channel, randomness and an observer, and returns an [`Outcome`]: indices or numbers, never
//! items. It sees no path, no clock and no socket, and it runs on whatever thread pool its caller installed.

mod catalogue;
mod choices;
mod kit;
mod multiparty;
mod operation;
#[cfg(test)]
mod page;
mod parts;
mod protocol;
mod registry;
mod run;
mod spec;

pub use catalogue::agree::Scheme;
pub use catalogue::circuit::without_room;
pub use catalogue::fhe::Flooding;
pub use catalogue::pso::pieces;
pub use catalogue::{agree, fhe, ks, oprf_filter};
pub use choices::{Allowed, CHOICES, Choice, ChoiceError, Choices, Taken, Told};
pub use kit::calibration::sample_passes;
pub use kit::set_encoding::SetEncoding;
pub use multiparty::{
    MOST_PARTIES, MultipartyConclusion, MultipartyCost, MultipartyError, MultipartyProtocol,
    MultipartyRun, MultipartySpec, Parties, Withstands,
};
pub use operation::{Attaches, Gives, Keys, OPERATIONS, Operation, OperationSpec, Over};
pub use parts::{Found, Parts, capacity, cost_of_part, shape_of_part};
pub use protocol::{
    Attached, AttachedShape, Conclusion, GroupSums, Groups, Identifier, MAX_FACTOR, MAX_GROUPS,
    MAX_LENT_GROUPS, Observer, Outcome, Overlaps, Protocol, ProtocolError, Reveal, Role, Shares,
    Sharing, Silent,
};
pub use registry::{MULTIPARTY, PROTOCOLS, candidates, find, find_multiparty};
pub use run::{Means, Run, RunInput, Side};
pub use spec::{Cost, Knowledge, Leak, PartyCost, Security, Shape, Spec};
