//! Curve25519 by x-coordinates: the commutative weak pseudorandom function, its keys for private-ID, and the key agreement.

mod distributed;
pub(crate) mod elligator;
pub(crate) mod kernel;
mod key_agreement;
mod library;
mod prf;

pub use distributed::DistributedPrf;
pub use key_agreement::{ClampedExponent, Curve25519Agreement};
pub use prf::Curve25519Prf;

/// A point of Curve25519 as its u-coordinate: 32 bytes, little-endian, less than 2^255 − 19.
pub type Point = [u8; 32];

/// Values that one task takes: all groups of eight lanes that share an inversion.
const VALUES_A_TASK: usize = 256;

/// p = 2^255 − 19, little-endian.
const P: Point = {
    let mut bytes = [0xff; 32];
    (bytes[0], bytes[31]) = (0xed, 0x7f);
    bytes
};

/// Whether a point is encoded as a number below p. Points on the wire are public.
fn is_canonical(point: &Point) -> bool {
    point.iter().rev().lt(P.iter().rev())
}
