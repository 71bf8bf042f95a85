//! A Parquet file that takes little memory while it is written.

#[cfg_attr(target_family = "wasm", path = "none.rs")]
mod parquet;

pub(crate) use parquet::{ParquetWriter, compression_for, group_for, takes};
