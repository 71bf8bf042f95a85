//! The map from keys to a group, commutative pseudorandom functions on it, and shuffles; no input or output.
//!
//! * [`ElementHasher`] turns a normalised key into an [`Element`], a digest that belongs to one session;
//! * [`CommutativePrf`] is what the Diffie–Hellman protocols are written against, [`Curve25519Prf`], [`P256Prf`] and [`Ffdhe2048Prf`] its
//!   instances; [`RistrettoPrp`] can also be inverted ([`CommutativePrp`]);
//! * [`DistributedPrf`] has the keys of private-ID on Curve25519;
//! * [`Group`] lists the groups;
//! * [`kernel`] has the operations that take all the time, for one thread and many values;
//! * [`elgamal`] encrypts numbers so that they can be added, over a [`PrimeGroup`], whose exponents
//!   may be residues of a [`PrimeField`];
//! * [`key_agreement`] has second messages that look random, and [`ideal_permutation`] permutes the field that they are from;
//! * [`paillier`] encrypts numbers of 2000 bits and more so that they can be added, and decrypted whole;
//! * [`oprf`] is the verifiable oblivious pseudorandom function of RFC 9497;
//! * [`permutation`] is uniform.

mod curve25519;
mod element;
pub mod elgamal;
mod expand;
mod finite_field;
mod group;
pub mod ideal_permutation;
pub mod kernel;
pub mod key_agreement;
mod lanes;
pub mod oprf;
mod p256;
pub mod paillier;
mod prf;
mod prime_field;
mod prime_group;
mod ristretto;
mod shuffle;
mod tasks;
#[cfg(test)]
mod vectors;

pub use curve25519::{Curve25519Prf, DistributedPrf, Point};
pub use element::{Element, ElementHasher};
pub use finite_field::Ffdhe2048Prf;
pub use group::Group;
pub use prf::{CommutativePrf, CommutativePrp, NotAnElement};
pub use prime_field::{ModulusError, PrimeField, Residue};
pub use prime_group::{
    NotAPrime, Pallas, PallasBase, PallasPoint, PrimeGroup, Ristretto255, SafePrimeBase,
    SafePrimeError, SafePrimeGroup, Setting, Square,
};
pub use ristretto::RistrettoPrp;
pub use shuffle::permutation;

pub use self::p256::{Compressed, Encoding, P256Prf, Uncompressed};
