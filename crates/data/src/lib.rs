//! A user's data: files to rows, rows to normalised keys, and results back to rows.
//!
//! One direction, one type a stage: [`Table`] (read) → [`KeySet`] (distinct keys and which rows carry them) →
//! [`Destination`] (the user's own rows, in the user's own order). Errors carry file, line and column, never a
//! value.

mod check;
mod columns;
mod destination;
mod error;
mod keys;
mod phone;
mod preset;
mod scan;
mod source;
mod table;

pub use check::{CheckReport, Finding, check};
pub use columns::{KeyColumn, KeySpec};
pub use destination::Destination;
pub use error::{DataError, Place};
pub use keys::KeySet;
pub use preset::Preset;
pub use source::Source;
pub use table::Table;
