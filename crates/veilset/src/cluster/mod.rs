//! Runs that many workers of both parties share.
//!
//! Each party cuts its list into pieces ([`scan`], [`cut`], [`merge`]) inside its own cluster; workers of the two parties meet
//! piece by piece ([`Worker`]), each pair over a connection of its own between keys that live as long as the worker; and the two
//! parties' drivers, which hold the parties' identities, agree over a [`Link`] on everything that workers are told.

mod link;
mod slices;
mod worker;

pub use link::{Link, MAX_MESSAGE};
pub use slices::{Cut, Merged, Scan, Slicing, Wanted, cut, merge, scan, split};
pub use worker::{Meeting, Worker};

pub use veilset_crypto::Element;
pub use veilset_protocols::pieces::value_bits;
pub use veilset_session::{
    AgreedCluster, ClusterOffer, Column, MAX_COLUMNS, MAX_NAME, MOST_KEYS, MOST_PIECES,
    MOST_WORKERS, Matched, PieceShape, Ticket, capacity, rows_of_items,
};
