//! Prices before a run.

mod cluster;

pub use veilset_session::{
    Calibration, Estimate, Link, MOST_WORKERS, Prices, Question, ROWS_A_PIECE, Speed, Wanted,
};

pub use cluster::{
    CONNECTION_SECONDS, CONNECTION_TRIPS, Cluster, ClusterPrice, Fit, INNER_BITS_PER_SECOND,
    PASSES_A_ROW, PROCESS_BYTES, STORED_A_ROW,
};
