//! Kernels for the processor at hand, chosen when the program runs: Curve25519 and its field, P-256, SHA-512, AES, the bit
//! transpose, GF(2^128), GF(2^64), maps of nine elements of GF(2^8), number-theoretic transforms, and arithmetic modulo long numbers.
//!
//! This is the only crate of the workspace that may hold unsafe code. Every kernel has a twin in plain Rust, which is
//! built everywhere, serves where no kernel does, and is what the tests compare each kernel with. No kernel's time
//! depends on the data.

mod aes128;
pub mod bignum;
mod curve25519;
mod gf128;
mod gf64;
mod kernel;
mod nonet;
pub mod ntt;
pub mod p256;
mod sha512;
mod transpose;
mod vector;
mod works;

pub use aes128::Aes128;
pub use curve25519::{Point, elligator2, field25519, ristretto255, x25519};
pub use gf64::{gf64_multiply, gf64_multiply_both};
pub use gf128::{Registers, gf128_add_columns, gf128_add_polynomial, gf128_multiply};
pub use kernel::Kernel;
pub use nonet::{Nonet, NonetMap};
pub use sha512::{SHA512_START, sha512_compress};
pub use transpose::{TILE, Tile, transpose};
