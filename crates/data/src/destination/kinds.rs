//! The types of a result's values: those of the table, where its format has them.

use arrow_schema::{DataType, TimeUnit};

use crate::Format;
use crate::table::cell::has_text;
use crate::types::{part_kinds, with_longer_keys, with_parts};

/// The type that a column of `kind` has in `format`.
///
/// Parquet has no whole seconds, which would be plain integers to other readers, one type for dates, and dictionaries with
/// keys of four bytes or more. An Arrow file has one dictionary for a column, which is made of texts, so those inside other
/// values become plain values.
pub(super) fn kind_in(format: Format, kind: &DataType) -> DataType {
    match (format, kind) {
        (Format::Parquet, kind) => in_parquet(kind),
        (Format::Arrow, DataType::Dictionary(..)) if has_text(kind) => kind.clone(),
        (Format::Arrow, kind) => without_dictionaries(kind),
        _ => kind.clone(),
    }
}

/// Whether `format` has a place for the unions in a type: Parquet for none.
pub(super) fn fits(format: Format, kind: &DataType) -> bool {
    match (format, kind) {
        (Format::Parquet, DataType::Union(..)) => false,
        (_, kind) => part_kinds(kind).iter().all(|part| fits(format, part)),
    }
}

fn in_parquet(kind: &DataType) -> DataType {
    match kind {
        DataType::Date64 => DataType::Date32,
        DataType::Time32(TimeUnit::Second) => DataType::Time32(TimeUnit::Millisecond),
        DataType::Timestamp(TimeUnit::Second, zone) => {
            DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
        }
        // A file's groups have dictionaries of their own, which are one to those who read it.
        DataType::Dictionary(..) => with_longer_keys(kind, in_parquet),
        kind => with_parts(kind, in_parquet),
    }
}

/// The type of the values that dictionaries stand for.
pub(super) fn without_dictionaries(kind: &DataType) -> DataType {
    match kind {
        DataType::Dictionary(_, values) => without_dictionaries(values),
        kind => with_parts(kind, without_dictionaries),
    }
}
