//! One interface to a field's text, whatever the row is made of.

use std::borrow::Cow;

use crate::json::text;
use crate::scan::Scanner;

/// The fields of one row in the columns that were asked for.
pub struct Fields<'a>(pub(super) Row<'a>);

pub(super) enum Row<'a> {
    /// A line of delimited text.
    Delimited { text: &'a str, scanner: &'a Scanner, columns: &'a [usize] },
    /// Members of a JSON object, as they are written.
    Object { values: &'a [Option<&'a str>] },
    /// Values of types, by column.
    Typed { cell: &'a dyn Fn(usize) -> Option<Cow<'a, str>> },
}

impl Fields<'_> {
    /// The text of the field in column number `index` of those that were asked for; empty where there is no value.
    #[must_use]
    pub fn get(&self, index: usize) -> Cow<'_, str> {
        self.value(index).unwrap_or_default()
    }

    /// As [`Fields::get`], where there is a value.
    pub(crate) fn value(&self, index: usize) -> Option<Cow<'_, str>> {
        match &self.0 {
            Row::Delimited { text, scanner, columns } => {
                Some(Cow::Borrowed(scanner.field(text, columns[index])))
            }
            // Every value was read before.
            Row::Object { values } => values[index].and_then(|value| text(value).ok().flatten()),
            Row::Typed { cell } => cell(index),
        }
    }
}
