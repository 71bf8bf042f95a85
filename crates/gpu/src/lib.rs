//! Curve25519 for many points at once on graphics processors: the ladder, Elligator 2 and the hash before it, as [`veilset_crypto`]
//! has them on this one.
//!
//! `programs/` has them in CUDA C++, over numbers of two shapes, and `programs.ptx` what CUDA's compiler makes of them
//! (`scripts/ptx`): text that a driver compiles for the device it finds. So neither a build nor a machine without such a
//! device needs anything of the vendor's. The driver is loaded when a device is asked for. A [`Pool`] gives batches to whichever
//! device is free.
//!
//! **Secrets.** No branch and no address of a program depends on a key or a point. Keys are wiped from the device's memory after
//! each batch, and products lie in the place of what was not blinded yet. What stays in its registers, caches and shared memory until the next
//! program is not, and no one has studied side channels of such processors as they have those of ordinary ones: use a device
//! that nobody else uses meanwhile.

mod device;
mod fault;
mod lane;
mod pool;

pub use device::open;
pub use fault::Fault;
pub use pool::{Batch, Pool, Values, Worker};
