//! Why clusters have no result, or no price.

use veilset_data::show_bytes;
use veilset_net::NetError;
use veilset_protocols::Operation;
use veilset_session::SessionError;

/// Why there is no result, or no price.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The connection.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The agreement or a piece.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A worker has no port to listen on.
    #[error("no port is given for a worker to listen on: give a range such as 20000-20100")]
    NoPorts,
    /// A price is asked for a run between clusters that they do not do.
    #[error(
        "clusters run intersect on rr22, and count, sum and union on mqrpmt-dh, against semi-honest parties; {operation} with these flags is not among them: leave --cluster out"
    )]
    NotInCluster {
        /// What was to be computed.
        operation: Operation,
    },
    /// A price is asked for a run between clusters by several keys that they match by one.
    #[error(
        "clusters match by several keys in an intersection that both sides learn, and otherwise by one: leave --keys out, or give --learn both"
    )]
    OneKey,
    /// A piece of a run between clusters does not fit a worker.
    #[error(
        "a piece takes {} of a worker's memory, and a worker has {}: give --worker-memory as much",
        show_bytes(*.needed as f64),
        show_bytes(*.allowed as f64)
    )]
    WorkerMemory {
        /// Bytes that a piece takes.
        needed: u64,
        /// Bytes that a worker has.
        allowed: u64,
    },
}
