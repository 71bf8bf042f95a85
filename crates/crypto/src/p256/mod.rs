//! The commutative weak pseudorandom functions on P-256, and the arithmetic and encodings below it.

mod encoding;
mod field;
pub mod kernel;
mod library;
mod prf;
mod prp;
mod signed;
pub(crate) mod sswu;

pub use encoding::{Compressed, Encoding, Uncompressed};
pub use prf::P256Prf;
pub use prp::{P256Prp, Sec1, check_sec1};

use self::field::Fe;

/// Values that one task takes: all groups of eight lanes that share an inversion.
const VALUES_A_TASK: usize = 128;

/// The coefficient B of the curve y² = x³ − 3x + B.
const B: Fe = Fe::new([
    0x3bce_3c3e_27d2_604b,
    0x651d_06b0_cc53_b0f6,
    0xb3eb_bd55_7698_86bc,
    0x5ac6_35d8_aa3a_93e7,
]);

const THREE: Fe = Fe::new([3, 0, 0, 0]);

/// n, the prime order of the group, big-endian.
const ORDER: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6,
    0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
];
