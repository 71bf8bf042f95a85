//! What a column's type in Arrow makes of its values in Parquet.

use arrow_schema::{DataType, Fields};

/// A column of Parquet, as the library makes it of what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leaf {
    /// Values of a row, at least: a list of a fixed length has that many even where it is null.
    pub(super) row: u64,
    /// Whether values are views, which keep the page that they are in.
    pub(super) keeps_pages: bool,
}

impl Leaf {
    const PLAIN: Self = Self { row: 1, keeps_pages: false };

    /// All of a schema, in the order in which Parquet has them.
    pub(super) fn all(fields: &Fields) -> Vec<Self> {
        fields.iter().flat_map(|field| Self::of(field.data_type())).collect()
    }

    fn of(kind: &DataType) -> Vec<Self> {
        let within = |kind: &DataType, row: &dyn Fn(u64) -> u64| -> Vec<Self> {
            let leaves = Self::of(kind).into_iter();
            leaves.map(|leaf| Self { row: row(leaf.row), ..leaf }).collect()
        };
        match kind {
            DataType::FixedSizeList(field, length) => {
                let length = u64::try_from(*length).unwrap_or(0).max(1);
                within(field.data_type(), &|row| row.saturating_mul(length))
            }
            DataType::List(field)
            | DataType::LargeList(field)
            | DataType::ListView(field)
            | DataType::LargeListView(field)
            | DataType::Map(field, _) => within(field.data_type(), &|_| 1),
            DataType::Struct(fields) => Self::all(fields),
            DataType::Utf8View | DataType::BinaryView => {
                vec![Self { keeps_pages: true, ..Self::PLAIN }]
            }
            _ => vec![Self::PLAIN],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_schema::Field;

    use super::*;

    #[test]
    fn each_column_is_padded_for_what_it_lies_in() {
        let field = |kind| Arc::new(Field::new("item", kind, true));
        let fixed = |kind, length| DataType::FixedSizeList(field(kind), length);
        let list = |kind| DataType::List(field(kind));
        let leaf = |row| Leaf { row, keeps_pages: false };
        let view = Leaf { keeps_pages: true, ..leaf(1) };
        let pair = DataType::Struct(Fields::from(vec![
            Field::new("text", DataType::Utf8View, true),
            Field::new("vector", fixed(DataType::Float32, 768), true),
        ]));
        for (kind, leaves) in [
            (DataType::Int32, vec![leaf(1)]),
            (fixed(fixed(DataType::Int32, 3), 4), vec![leaf(12)]),
            (fixed(list(fixed(DataType::Int32, 3)), 4), vec![leaf(4)]),
            (list(list(fixed(DataType::Int32, 0))), vec![leaf(1)]),
            (pair.clone(), vec![view, leaf(768)]),
            (list(pair), vec![view, leaf(1)]),
        ] {
            assert_eq!(Leaf::of(&kind), leaves, "{kind}");
        }
    }
}
