//! The protocols, one folder each. None uses another; what several share is in the kit.

pub mod agree;
pub(crate) mod circuit;
pub(crate) mod dh;
pub mod fhe;
pub(crate) mod fnp;
pub mod ks;
pub mod oprf_filter;
pub(crate) mod private_id;
pub(crate) mod pso;
pub(crate) mod rr22;
pub(crate) mod rt21;
pub(crate) mod zero_sharing;
