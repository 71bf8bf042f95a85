//! The map from keys to a group, commutative pseudorandom functions on it, and shuffles; no input or output.
//!
//! * [`ElementHasher`] turns a normalised key into an [`Element`], a digest that belongs to one session;
//! * [`CommutativePrf`] is what the Diffie–Hellman protocols are written against, [`Curve25519Prf`] its instance;
//! * [`elligator`] maps elements into the curve, [`kernel`] has the two operations that take all the time, for one
//!   thread and many values;
//! * [`shuffle`] and [`permutation`] are uniform.

mod element;
pub mod elligator;
mod expand;
mod field;
pub mod kernel;
mod prf;
mod shuffle;
#[cfg(test)]
mod vectors;

pub use element::{Element, ElementHasher};
pub use elligator::SUITE;
pub use prf::{CommutativePrf, Curve25519Prf, NotAnElement};
pub use shuffle::{permutation, shuffle};

/// A point of Curve25519 as its u-coordinate: 32 bytes, little-endian, less than 2^255 − 19.
pub type Point = [u8; 32];
