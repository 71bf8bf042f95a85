//! The operations that take all the time, group by group, for many values and one thread.
//!
//! Here those of Curve25519, in [`p256`] and [`ristretto255`] those of the other groups. Callers that have more threads
//! cut their values into pieces; a benchmark times these functions as they are.

pub use crate::curve25519::kernel::{Scalar, expansion, map_batch, multiply_batch};
pub use crate::expand::Expansion;
pub use crate::p256::kernel as p256;
pub use crate::ristretto255::kernel as ristretto255;
pub use veilset_simd::Kernel;
