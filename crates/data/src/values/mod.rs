//! Value columns as exact integers: what `sum` and `share` compute with.

mod spread;

use zeroize::Zeroizing;

pub use spread::{ColumnSum, Spread};

use crate::columns::locate_all;
use crate::decimal::{Decimal, MOST_PLACES, show};
use crate::{DataError, KeySet, Table, Warning, WarningCode};

/// For each key, the sum of every value column over the rows that carry it, as an integer number of units of the
/// column's last decimal place.
///
/// The magnitudes of a column's cells add up to at most 2^127 − 1 units, so the sum over any set of keys fits in an
/// `i128`. Wiped when dropped. Costs 16 bytes a key and column.
///
/// Behind the columns that were chosen there can be one for each with the squares of its words, from which a variance comes.
pub struct Values {
    columns: Vec<String>,
    /// How many of these were chosen.
    chosen: usize,
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
            chosen: columns.len(),
            scales: vec![0; columns.len()],
            nulls: vec![0; columns.len()],
            words: Zeroizing::new(vec![0; keys.len() * columns.len()]),
        };
        values.measure(table, keys, &places)?;
        values.add_up(table, keys, &places)?;
        Ok(values)
    }

    /// With a column of the squares of each behind them.
    ///
    /// # Errors
    /// When the squares of a column of `table` might not fit.
    pub fn and_squares(self, table: &Table) -> Result<Self, DataError> {
        if self.has_squares() {
            return Ok(self);
        }
        let Self { mut columns, chosen, mut scales, mut nulls, words } = self;
        let most = |scale: &u32| (2 * scale <= MOST_PLACES as u32).then_some(0);
        let mut totals: Vec<Option<i128>> = scales.iter().map(most).collect();
        let mut all = Zeroizing::new(Vec::with_capacity(2 * words.len()));
        for of_key in words.chunks_exact(chosen.max(1)) {
            all.extend_from_slice(of_key);
            for (word, total) in of_key.iter().zip(&mut totals) {
                let square = word.checked_mul(*word);
                *total = add_magnitude(*total, square);
                all.push(square.unwrap_or_default());
            }
        }
        if let Some(column) = totals.iter().position(Option::is_none) {
            return Err(DataError::SquaresTooLarge {
                file: table.name().to_owned(),
                column: columns[column].clone(),
                scale: scales[column],
            });
        }
        columns.extend(columns.clone().iter().map(|name| format!("{name}^2")));
        scales.extend(scales.clone().iter().map(|scale| 2 * scale));
        nulls.resize(2 * chosen, 0);
        Ok(Self { columns, chosen, scales, nulls, words: all })
    }

    /// The names of all columns: of those that were chosen, in this order, and of those of squares.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The names of those that were chosen.
    #[must_use]
    pub fn chosen(&self) -> &[String] {
        &self.columns[..self.chosen]
    }

    /// Whether there are columns of squares.
    #[must_use]
    pub fn has_squares(&self) -> bool {
        self.chosen < self.columns.len()
    }

    /// What each chosen column's values over so many keys come to, whose sums are these, all columns' in their order.
    #[must_use]
    pub fn found(&self, count: u64, sums: &[i128]) -> Vec<ColumnSum> {
        let (sums, squares) = sums.split_at(self.chosen);
        let column = |(column, sum): (usize, &i128)| ColumnSum {
            name: self.columns[column].clone(),
            sum: show(*sum, self.scales[column]),
            spread: (squares.get(column))
                .map(|squares| Spread::of(count, *sum, *squares, self.scales[column])),
        };
        sums.iter().enumerate().map(column).collect()
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

    /// Finds the columns' scales and empty cells; every cell is a number after this.
    fn measure(&mut self, table: &Table, keys: &KeySet, places: &[usize]) -> Result<(), DataError> {
        // Rows that do not count set the scale, too, so that a peer does not see which do.
        for_each_value(table, keys, places, |key, column, value| match value {
            Some(value) => self.scales[column] = self.scales[column].max(value.places()),
            None => self.nulls[column] += usize::from(key.is_some()),
        })
    }

    fn add_up(&mut self, table: &Table, keys: &KeySet, places: &[usize]) -> Result<(), DataError> {
        let mut totals = vec![Some(0); places.len()];
        let Self { columns, scales, words, .. } = self;
        for_each_value(table, keys, places, |key, column, value| {
            let Some(key) = key else { return };
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
/// has a key; and without a key with every number in a row that does not count.
fn for_each_value(
    table: &Table,
    keys: &KeySet,
    places: &[usize],
    mut visit: impl FnMut(Option<usize>, usize, Option<Decimal<'_>>),
) -> Result<(), DataError> {
    table.try_for_each_row(places, |row, fields| {
        let key = keys.key_of(row);
        if key.is_none() && !keys.is_left_out(row) {
            return Ok(());
        }
        for (column, place) in places.iter().enumerate() {
            let cell = fields.get(column);
            match (Decimal::read(&cell), key) {
                (Ok(value), _) => visit(key, column, value),
                (Err(_), None) => {}
                (Err(what), Some(_)) => {
                    let place = table.place_of_row(row, Some(*place));
                    return Err(DataError::NotANumber { place, what });
                }
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests;
