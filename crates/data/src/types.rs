//! Types of columns with others in their place.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};

/// Whether a dictionary with such keys has place for few values.
pub(crate) fn has_short_keys(key: &DataType) -> bool {
    matches!(key, DataType::Int8 | DataType::UInt8 | DataType::Int16 | DataType::UInt16)
}

/// The types in which columns are read. Dictionaries get keys of four bytes or more: those of several batches are one to some formats,
/// and have more values together than short keys tell apart. Of booleans and decimals Parquet's reader makes none.
pub(crate) fn as_read(schema: &SchemaRef) -> SchemaRef {
    with_kinds(schema, |kind| kind_as_read(&kind_with_lists(kind)))
}

fn with_kinds(schema: &SchemaRef, kind: impl Fn(&DataType) -> DataType) -> SchemaRef {
    let field = |field: &FieldRef| field.as_ref().clone().with_data_type(kind(field.data_type()));
    let fields: Vec<Field> = schema.fields().iter().map(field).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

fn kind_as_read(kind: &DataType) -> DataType {
    match kind {
        DataType::Dictionary(_, values)
            if values.is_decimal()
                || matches!(**values, DataType::Boolean | DataType::Float16 | DataType::Null) =>
        {
            values.as_ref().clone()
        }
        // Its values stay what they are: many batches may share them.
        DataType::Dictionary(..) => with_longer_keys(kind, DataType::clone),
        kind => with_parts(kind, kind_as_read),
    }
}

/// The types in which batches in memory are kept: their own, and lists for list views, which may share values in ways that multiply
/// wherever they are copied.
pub(crate) fn with_lists(schema: &SchemaRef) -> SchemaRef {
    with_kinds(schema, kind_with_lists)
}

pub(crate) fn kind_with_lists(kind: &DataType) -> DataType {
    match with_parts(kind, kind_with_lists) {
        DataType::ListView(values) => DataType::List(values),
        DataType::LargeListView(values) => DataType::LargeList(values),
        DataType::Dictionary(_, values) if has_list_views(kind) => *values,
        kind => kind,
    }
}

fn has_list_views(kind: &DataType) -> bool {
    matches!(kind, DataType::ListView(_) | DataType::LargeListView(_))
        || part_kinds(kind).iter().any(has_list_views)
}

/// `kind`, where it is a dictionary with keys of four bytes or more, and with other types of the values in it.
pub(crate) fn with_longer_keys(kind: &DataType, part: impl Fn(&DataType) -> DataType) -> DataType {
    match with_parts(kind, part) {
        DataType::Dictionary(key, values) if has_short_keys(&key) => {
            DataType::Dictionary(Box::new(DataType::Int32), values)
        }
        kind => kind,
    }
}

/// `kind` with other types of the values in it.
pub(crate) fn with_parts(kind: &DataType, part: impl Fn(&DataType) -> DataType) -> DataType {
    let field =
        |field: &FieldRef| Arc::new(field.as_ref().clone().with_data_type(part(field.data_type())));
    match kind {
        DataType::List(values) => DataType::List(field(values)),
        DataType::LargeList(values) => DataType::LargeList(field(values)),
        DataType::ListView(values) => DataType::ListView(field(values)),
        DataType::LargeListView(values) => DataType::LargeListView(field(values)),
        DataType::FixedSizeList(values, length) => DataType::FixedSizeList(field(values), *length),
        DataType::Map(entries, sorted) => DataType::Map(field(entries), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        DataType::Union(fields, mode) => {
            DataType::Union(fields.iter().map(|(id, of)| (id, field(of))).collect(), *mode)
        }
        DataType::Dictionary(key, values) => {
            DataType::Dictionary(key.clone(), Box::new(part(values)))
        }
        DataType::RunEndEncoded(ends, values) => {
            DataType::RunEndEncoded(Arc::clone(ends), field(values))
        }
        kind => kind.clone(),
    }
}

/// The types of the arrays that one of `kind` is made of.
pub(crate) fn part_kinds(kind: &DataType) -> Vec<DataType> {
    match kind {
        DataType::Dictionary(_, values) => vec![values.as_ref().clone()],
        kind => part_fields(kind).into_iter().map(|field| field.data_type().clone()).collect(),
    }
}

/// How many columns Parquet makes of one of this type.
pub(crate) fn leaves(kind: &DataType) -> usize {
    part_kinds(kind).iter().map(leaves).sum::<usize>().max(1)
}

/// How many arrays one of this type is made of, with itself.
pub(crate) fn arrays(kind: &DataType) -> usize {
    1 + part_kinds(kind).iter().map(arrays).sum::<usize>()
}

/// The fields that an array of this type is made of, but for those of a dictionary, which has types alone.
pub(crate) fn part_fields(kind: &DataType) -> Vec<&FieldRef> {
    match kind {
        DataType::List(part)
        | DataType::LargeList(part)
        | DataType::ListView(part)
        | DataType::LargeListView(part)
        | DataType::FixedSizeList(part, _)
        | DataType::Map(part, _) => vec![part],
        DataType::Struct(fields) => fields.iter().collect(),
        DataType::Union(fields, _) => fields.iter().map(|(_, field)| field).collect(),
        DataType::RunEndEncoded(ends, values) => vec![ends, values],
        DataType::Dictionary(_, values) => part_fields(values),
        _ => Vec::new(),
    }
}

pub(crate) fn has_dictionaries(kind: &DataType) -> bool {
    matches!(kind, DataType::Dictionary(..)) || part_kinds(kind).iter().any(has_dictionaries)
}

/// Whether there are views of texts in it, beside those in dictionaries.
pub(crate) fn has_views(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8View | DataType::BinaryView => true,
        DataType::Dictionary(..) => false,
        kind => part_kinds(kind).iter().any(has_views),
    }
}

/// Whether arrays of this type may have values that some of their elements share, or none has.
pub(crate) fn may_share(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8View
        | DataType::BinaryView
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::Dictionary(..)
        | DataType::RunEndEncoded(..)
        | DataType::Union(..) => true,
        kind => part_kinds(kind).iter().any(may_share),
    }
}
