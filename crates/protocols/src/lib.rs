//! Private set operation protocols, one folder each, and the registry from which everything else is derived.
//!
//! A protocol is a driver that reads like its paper's figure, over pure round functions and bounded messages. It
//! gets elements, a channel, randomness and an observer, and returns an [`Outcome`]: indices or numbers, never
//! items. It sees no path, no clock and no socket, and it runs on whatever thread pool its caller installed.

pub mod agree;
mod bins;
#[cfg(test)]
mod cheats;
mod choices;
mod dh;
mod digest;
mod exchange;
pub mod fhe;
mod fnp;
mod indication;
pub mod ks;
mod matching;
mod mqrpmt;
mod operation;
pub mod oprf_filter;
#[cfg(test)]
mod page;
mod passes;
mod private_id;
mod protocol;
mod pso;
mod registry;
mod rr22;
mod rt21;
mod run;
mod slots;
mod spec;
mod vole_oprf;
mod wire;
mod words;

pub use agree::Scheme;
pub use choices::{Allowed, CHOICES, Choice, ChoiceError, Choices, Taken};
pub use digest::Digest;
pub use operation::{Attaches, Gives, OPERATIONS, Operation, OperationSpec, Over};
pub use passes::sample_passes;
pub use protocol::{
    Attached, AttachedShape, Conclusion, Identifier, Observer, Outcome, Protocol, ProtocolError,
    Reveal, Role, Shares, Sharing, Silent,
};
pub use pso::pieces;
pub use registry::{PROTOCOLS, candidates, find};
pub use run::{Input, Means, Part, Run};
pub use spec::{Cost, Knowledge, Leak, PartyCost, Security, Shape, Spec};
