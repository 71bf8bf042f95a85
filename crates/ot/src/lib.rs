//! Oblivious transfer: of two blocks that the sender has, the receiver gets the one of its choice; the sender does not
//! learn which, the receiver nothing of the other.
//!
//! A few transfers cost public-key operations each ([`base`]). An extension turns 128 of them into as many as wanted
//! for a few block cipher calls each: [`ExtensionSender`], [`ExtensionReceiver`]. From a few of those, [`vole`] makes
//! long vectors of correlated field elements, and [`silent`] transfers of these. Trusted-party twins for the tests of what is built on top are in [`ideal`]. What is built, from which papers, and what it costs: `docs/notes/ot.md`.

pub mod base;
mod base_ot;
mod block;
mod cipher;
mod error;
mod extension;
pub mod ideal;
pub mod silent;
pub mod vole;

pub use base_ot::BaseOt;
pub use block::{BLOCK_BYTES, Block};
pub use error::OtError;
pub use extension::{
    DEFAULT_DEPTH, ExtensionParameters, ExtensionReceiver, ExtensionSender, Hash, MAX_DEPTH,
    RandomChoices, Security, WireCost, Word, setup_bytes, transfer_bytes,
};
