//! Kernels for the processor at hand, chosen when the program runs: the bit transpose and GF(2^128).
//!
//! This is the only crate of the workspace that may hold unsafe code. Every kernel has a twin in plain Rust, which is
//! built everywhere, serves where no kernel does, and is what the tests compare each kernel with. No kernel's time
//! depends on the data.

mod gf128;
mod kernel;
mod transpose;

use kernel::Kernel;

pub use gf128::{gf128_add_columns, gf128_multiply};
pub use transpose::{TILE, Tile, transpose};
