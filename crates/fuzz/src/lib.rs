//! What fuzzing feeds: one function for each kind of untrusted input. It takes any bytes, and panics when what they reach does
//! not hold.
//!
//! The targets of `fuzz/` search with libFuzzer from the honest inputs that are here; this crate's test changes those a fixed
//! number of times, in the workspace's own build.

mod agreement;
mod bytes;
mod calendar;
mod fhe_messages;
mod flags;
mod items;
mod lookup;
mod mutate;
mod objects;
mod openmined;
mod packed;
mod pair;
mod protocol_messages;
mod receipt;
mod sorted_set;
mod table;
mod typed;

pub use self::agreement::agreement;
pub use self::calendar::calendar;
pub use self::fhe_messages::fhe_messages;
pub use self::flags::flags;
pub use self::items::items;
pub use self::lookup::lookup;
pub use self::mutate::Mutator;
pub use self::objects::objects;
pub use self::openmined::openmined;
pub use self::packed::{gzip, workbook, zstd};
pub use self::pair::{pair_key, pair_list, pair_seen};
pub use self::protocol_messages::protocol_messages;
pub use self::receipt::receipt;
pub use self::sorted_set::sorted_set;
pub use self::table::table;
pub use self::typed::{arrow, parquet};

/// A kind of untrusted input.
pub struct Target {
    /// The name of its program in `fuzz/`.
    pub name: &'static str,
    /// Panics when what the bytes reach does not hold.
    pub run: fn(&[u8]),
    /// Honest inputs, which reach far, each with a name.
    pub seeds: fn() -> Vec<Seed>,
}

/// An honest input.
pub struct Seed {
    /// What it is.
    pub name: String,
    /// What the target is fed.
    pub bytes: Vec<u8>,
}

impl Seed {
    fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into() }
    }
}

/// Every kind of untrusted input.
pub const TARGETS: [Target; 20] = [
    Target { name: "sorted_set", run: sorted_set, seeds: sorted_set::seeds },
    Target { name: "protocol_messages", run: protocol_messages, seeds: protocol_messages::seeds },
    Target { name: "fhe_messages", run: fhe_messages, seeds: fhe_messages::seeds },
    Target { name: "agreement", run: agreement, seeds: agreement::seeds },
    Target { name: "table", run: table, seeds: table::seeds },
    Target { name: "objects", run: objects, seeds: objects::seeds },
    Target { name: "parquet", run: parquet, seeds: typed::parquet_seeds },
    Target { name: "arrow", run: arrow, seeds: typed::arrow_seeds },
    Target { name: "workbook", run: workbook, seeds: packed::workbook_seeds },
    Target { name: "gzip", run: gzip, seeds: packed::gzip_seeds },
    Target { name: "zstd", run: zstd, seeds: packed::zstd_seeds },
    Target { name: "calendar", run: calendar, seeds: calendar::seeds },
    Target { name: "items", run: items, seeds: items::seeds },
    Target { name: "flags", run: flags, seeds: flags::seeds },
    Target { name: "lookup", run: lookup, seeds: lookup::seeds },
    Target { name: "openmined", run: openmined, seeds: openmined::seeds },
    Target { name: "receipt", run: receipt, seeds: receipt::seeds },
    Target { name: "pair_list", run: pair_list, seeds: pair::list_seeds },
    Target { name: "pair_key", run: pair_key, seeds: pair::key_seeds },
    Target { name: "pair_seen", run: pair_seen, seeds: pair::seen_seeds },
];
