//! What can be wrong with a user's data. No error holds a value from it.

use std::io;

/// What is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The input could not be read.
    #[error("cannot read {file}: {why}")]
    Read {
        /// The file's name.
        file: String,
        /// What the system said.
        why: io::Error,
    },
    /// The input holds nothing at all.
    #[error("{file} is empty; a header line with the columns' names is needed")]
    Empty {
        /// The file's name.
        file: String,
    },
    /// The input is something else than delimited text.
    #[error("{file} is {kind}, not CSV; save it as CSV (UTF-8) and give that file")]
    NotCsv {
        /// The file's name.
        file: String,
        /// What it looks like.
        kind: &'static str,
    },
    /// A byte sequence is not UTF-8.
    #[error(
        "{file}, line {line}: not UTF-8 text; convert the file, for example with iconv -t UTF-8"
    )]
    NotUtf8 {
        /// The file's name.
        file: String,
        /// The line, from 1.
        line: u64,
    },
    /// A row has another number of fields than the header.
    #[error(
        "{file}, line {line}: {got} fields, the header has {expected}; \
         quote fields that contain the delimiter, or name it with --delimiter"
    )]
    Width {
        /// The file's name.
        file: String,
        /// The row's first line, from 1.
        line: u64,
        /// Fields in the header.
        expected: usize,
        /// Fields in the row.
        got: usize,
    },
    /// A quoted field never ends.
    #[error(
        "{file}, line {line}: a quoted field opens in this row and never closes; close its quote"
    )]
    OpenQuote {
        /// The file's name.
        file: String,
        /// The row's first line, from 1.
        line: u64,
    },
    /// A column does not exist.
    #[error("{file} has no column {column:?}; {hint}")]
    NoColumn {
        /// The file's name.
        file: String,
        /// The column that was asked for.
        column: String,
        /// The closest names, or all.
        hint: String,
    },
    /// A column's name occurs twice.
    #[error("{file} has {times} columns named {column:?}; rename them so that --key means one")]
    TwiceNamed {
        /// The file's name.
        file: String,
        /// The name.
        column: String,
        /// How often it occurs.
        times: usize,
    },
    /// A key cannot be read.
    #[error("--key {text:?}: {why}")]
    KeySpec {
        /// What was given.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// More rows than a run can index.
    #[error("{file} has more than 4294967294 rows; split it")]
    TooManyRows {
        /// The file's name.
        file: String,
    },
    /// The output exists.
    #[error("{file} exists; give another name with -o, or --force to overwrite it")]
    Exists {
        /// The file's name.
        file: String,
    },
    /// The output is the input.
    #[error("{file} is the input; give another name with -o")]
    OutputIsInput {
        /// The file's name.
        file: String,
    },
    /// The output could not be written; nothing was left behind.
    #[error("cannot write {file}: {why}; nothing was written")]
    Write {
        /// The file's name.
        file: String,
        /// What the system said.
        why: io::Error,
    },
}
