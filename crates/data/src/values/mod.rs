//! Value columns as exact integers: what `sum` and `share` compute with.

use zeroize::Zeroizing;

use crate::columns::locate_all;
use crate::decimal::{Decimal, show};
use crate::{DataError, KeySet, Table, Warning, WarningCode};

/// For each key, the sum of every value column over the rows that carry it, as an integer number of units of the
/// column's last decimal place.
///
/// The magnitudes of a column's cells add up to at most 2^127 − 1 units, so the sum over any set of keys fits in an
/// `i128`. Wiped when dropped. Costs 16 bytes a key and column.
pub struct Values {
    columns: Vec<String>,
    scales: Vec<u32>,
    nulls: Vec<usize>,
    words: Zeroizing<Vec<i128>>,
}

impl Values {
    /// The values in `columns` of `table`, whose keys are `keys`. Rows without a key are not looked at; an empty cell
    /// counts as 0.
    ///
    /// # Errors
    /// When a column is missing or chosen twice, a cell is no decimal number, or a column's sums might not fit.
    pub fn build(table: &Table, keys: &KeySet, columns: &[String]) -> Result<Self, DataError> {
        let places = locate_all(columns, "--value", table)?;
        let mut values = Self {
            columns: columns.to_vec(),
            scales: vec![0; columns.len()],
            nulls: vec![0; columns.len()],
            words: Zeroizing::new(vec![0; keys.len() * columns.len()]),
        };
        values.measure(table, keys, &places)?;
        values.add_up(table, keys, &places)?;
        Ok(values)
    }

    /// The columns' names, in the order in which they were chosen.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The sums: for each key in [`KeySet`]'s order, one word a column.
    #[must_use]
    pub fn words(&self) -> &[i128] {
        &self.words
    }

    /// How many decimal places the units of `column` have: the most digits after a point in it.
    ///
    /// # Panics
    /// When there is no such column.
    #[must_use]
    pub fn scale(&self, column: usize) -> u32 {
        self.scales[column]
    }

    /// How many rows with a key have an empty cell in `column`.
    ///
    /// # Panics
    /// When there is no such column.
    #[must_use]
    pub fn nulls(&self, column: usize) -> usize {
        self.nulls[column]
    }

    /// What a user should know: in which columns how many rows with a key have an empty cell.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        let columns = self.columns.iter().zip(&self.nulls).filter(|(_, nulls)| **nulls > 0);
        let warning = |(column, nulls): (&String, &usize)| {
            let what = format!("an empty cell of value column {column:?} counts as 0");
            Warning::of_rows(WarningCode::EmptyValues, *nulls, &what)
        };
        columns.map(warning).collect()
    }

    /// `sum` units of `column` as an exact decimal number with all of the column's decimal places, such as `-12.50`.
    ///
    /// # Panics
    /// When there is no such column.
    #[must_use]
    pub fn show(&self, column: usize, sum: i128) -> String {
        show(sum, self.scales[column])
    }

    /// Finds the columns' scales and empty cells; every cell is a number after this.
    fn measure(&mut self, table: &Table, keys: &KeySet, places: &[usize]) -> Result<(), DataError> {
        for_each_value(table, keys, places, |_, column, value| match value {
            Some(value) => self.scales[column] = self.scales[column].max(value.places()),
            None => self.nulls[column] += 1,
        })
    }

    fn add_up(&mut self, table: &Table, keys: &KeySet, places: &[usize]) -> Result<(), DataError> {
        let mut totals = vec![Some(0); places.len()];
        let Self { columns, scales, words, .. } = self;
        for_each_value(table, keys, places, |key, column, value| {
            let units = value.map_or(Some(0), |value| value.units(scales[column]));
            totals[column] = add_magnitude(totals[column], units);
            if let (Some(units), Some(_)) = (units, totals[column]) {
                words[key * places.len() + column] += units;
            }
        })?;
        match totals.iter().position(Option::is_none) {
            None => Ok(()),
            Some(column) => Err(DataError::SumTooLarge {
                file: table.name().to_owned(),
                column: columns[column].clone(),
                scale: scales[column],
            }),
        }
    }
}

/// `total` and the magnitude of `units`, if they fit.
fn add_magnitude(total: Option<i128>, units: Option<i128>) -> Option<i128> {
    total?.checked_add(units?.checked_abs()?)
}

/// Calls `visit` with the key, the column and the number (none where the cell is empty) of every value in a row that
/// has a key.
fn for_each_value(
    table: &Table,
    keys: &KeySet,
    places: &[usize],
    mut visit: impl FnMut(usize, usize, Option<Decimal<'_>>),
) -> Result<(), DataError> {
    table.try_for_each_row(places, |row, fields| {
        let Some(key) = keys.key_of(row) else { return Ok(()) };
        for (column, place) in places.iter().enumerate() {
            let cell = fields.get(column);
            let value = Decimal::read(&cell).map_err(|what| DataError::NotANumber {
                place: table.place_of_row(row, Some(*place)),
                what,
            })?;
            visit(key, column, value);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests;
