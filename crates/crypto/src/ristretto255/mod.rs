//! ristretto255 (RFC 9496): the permutation, the group that encryption takes, and the verifiable oblivious function.

pub mod kernel;
pub mod oprf;
mod prf;
mod prime_group;

pub use prf::RistrettoPrp;
pub use prime_group::Ristretto255;
