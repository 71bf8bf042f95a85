//! The map from keys to a group, commutative pseudorandom functions on it, and shuffles; no input or output.
//!
//! * [`ElementHasher`] turns a normalised key into an [`Element`], a digest that belongs to one session;
//! * [`CommutativePrf`] is what the Diffie–Hellman protocols are written against, [`Curve25519Prf`], [`P256Prf`] and [`Ffdhe2048Prf`] its
//!   instances; [`RistrettoPrp`] can also be inverted ([`CommutativePrp`]), and [`P256Prp`] as protocols of others have it;
//! * [`DistributedPrf`] has the keys of private-ID on Curve25519;
//! * [`Group`] lists the groups;
//! * an [`Accelerator`] takes large batches on Curve25519, where a program has one;
//! * [`kernel`] has the operations that take all the time, for one thread and many values;
//! * [`elgamal`] encrypts numbers so that they can be added, over a [`PrimeGroup`], whose scalars are a [`Field`]; [`threshold`]
//!   shares its keys among many;
//! * a [`KeyAgreement`] has second messages that look random, and [`ideal_permutation`] permutes the field that they are from;
//! * [`paillier`] encrypts numbers of 2000 bits and more so that they can be added, and decrypted whole;
//! * [`oprf`] is the verifiable oblivious pseudorandom function of RFC 9497;
//! * [`permutation`] is uniform;
//! * [`tasks`] cuts batches for threads.

mod accelerator;
mod curve25519;
mod element;
pub mod elgamal;
mod expand;
mod ffdhe2048;
mod field;
mod group;
pub mod ideal_permutation;
pub mod kernel;
mod key_agreement;
mod lanes;
mod p256;
pub mod paillier;
mod prf;
mod prime_group;
mod ristretto255;
mod shuffle;
pub mod tasks;
pub mod threshold;
#[cfg(test)]
mod uniformity;
#[cfg(test)]
mod vectors;

pub use accelerator::{Accelerator, Underway, accelerate, accelerate_after, accelerator};
pub use curve25519::{ClampedExponent, Curve25519Agreement, Curve25519Prf, DistributedPrf, Point};
pub use element::{Element, ElementHasher};
pub use ffdhe2048::{
    EvenExponent, Ffdhe2048Prf, NotAPrime, SafePrime, SafePrimeAgreement, SafePrimeError,
    check_safe_prime, generate_safe_prime,
};
pub use field::{Field, KnownField, ModulusError, PrimeField, Residue, RistrettoScalars};
pub use group::Group;
pub use key_agreement::{FirstMessageError, KeyAgreement, Second};
pub use prf::{CommutativePrf, CommutativePrp, Evaluating, NotAnElement};
pub use prime_group::{PrimeGroup, Row};
pub use ristretto255::{Ristretto255, RistrettoPrp, oprf};
pub use shuffle::permutation;

pub use self::p256::{Compressed, Encoding, P256Prf, P256Prp, Sec1, Uncompressed, check_sec1};
