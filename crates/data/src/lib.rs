//! A user's data: files to rows, rows to normalised keys, and results back to rows.
//!
//! One direction, one type a stage: [`Table`] (read) → [`KeySet`] (distinct keys and which rows carry them) →
//! [`Destination`] (the user's own rows, in the user's own order). Beside the keys stand what an operation computes
//! with: [`Values`] (exact sums) and [`Items`] (rows to send). Errors carry file, line and column, never a
//! value.
//!
//! ```
//! use veilset_data::{KeySet, KeySpec, Table};
//!
//! let text = "email,since\nAnn@Example.com,2019\n,2020\nann@example.com ,2021\n";
//! let table = Table::parse("members.csv".into(), text.into(), b',')?;
//! let keys = KeySet::build(&table, &"email:email".parse::<KeySpec>()?)?;
//! assert_eq!((keys.len(), keys.rows(), keys.null_rows()), (1, 3, 1));
//! // A match of the first key is a match of both rows that have it.
//! assert_eq!(keys.rows_of(&[0]).collect::<Vec<_>>(), [0, 2]);
//!
//! let mut matches = Vec::new();
//! table.write_rows(&mut matches, keys.rows_of(&[0]))?;
//! assert_eq!(matches, b"email,since\nAnn@Example.com,2019\nann@example.com ,2021\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "calendar")]
pub mod calendar;
mod caught;
mod check;
mod columns;
mod condition;
mod converted;
mod decimal;
mod destination;
mod error;
mod escape;
mod format;
mod generator;
mod groups;
mod identifiers;
mod items;
mod json;
mod key_texts;
mod keys;
mod linkage;
mod nobody;
mod parquet_writer;
mod persons;
mod phone;
mod phonetic;
mod pieces;
mod places;
mod postal;
mod preset;
mod quote;
mod rounds;
mod scan;
mod shown;
mod source;
mod spill;
mod stamp;
mod suspicion;
mod table;
mod types;
mod values;
mod warning;

pub use caught::{caught, is_caught, is_decoding};
pub use check::{
    CheckReport, ColumnLook, Finding, LooksLike, ValueCheck, check, check_values, look_at_columns,
};
pub use columns::{KeyColumn, KeySpec, Pairs};
pub use condition::{Condition, NoCondition};
pub use destination::{
    Destination, ID_COLUMN, JoinedColumns, JoinedRow, KEY_COLUMN, LABEL_COLUMN, NewFile,
    ShareColumn, ShareEncoding, ShareTable, Sink, SinkError, is_full, remove_unfinished,
};
pub use error::{DataError, Place, Spot};
pub use format::Format;
pub use generator::Generator;
pub use groups::Groups;
pub use items::{
    BadItem, Items, MAX_ITEM, RowsToSend, SentColumns, check_rows, decode, decode_rows,
};
pub use keys::{KeyDigest, KeySet};
pub use linkage::{Linkage, MAX_LINKAGE_KEYS, Match};
pub use persons::Persons;
pub use preset::Preset;
pub use shown::{counted, show_bytes};
pub use source::Source;
pub use spill::{DiskNeed, PROGRAM_MEMORY, Scratch};
pub use stamp::Stamp;
pub use table::{Arrivals, Fields, RawRows, Table};
pub use values::{ColumnSum, Factor, Spread, Values};
pub use warning::{Warning, WarningCode};
