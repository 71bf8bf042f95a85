//! Runs that many workers of both parties share.
//!
//! Each party cuts its list into pieces ([`scan`], [`cut`], [`merge`]) inside its own cluster; workers of the two parties meet
//! piece by piece ([`Worker`]), each pair over a connection of its own between keys that live as long as the worker; and the two
//! parties' drivers, which hold the parties' identities, agree over a [`DriverConnection`] on everything that workers are told. A
//! [`Cluster`] says what a run costs before it happens.

mod connection;
mod error;
mod price;
mod slices;
#[cfg(not(target_family = "wasm"))]
mod worker;

pub use connection::{DriverConnection, MAX_MESSAGE};
pub use error::ClusterError;
pub use price::{
    CONNECTION_SECONDS, CONNECTION_TRIPS, Cluster, ClusterPrice, Fit, INNER_BITS_PER_SECOND,
    PASSES_A_ROW, PROCESS_BYTES, STORED_A_ROW,
};
pub use slices::{Cut, ListColumns, Merged, Scan, Slicing, cut, merge, scan, split};
#[cfg(not(target_family = "wasm"))]
pub use worker::{Rendezvous, Worker};
