//! Value columns as exact integers: what `sum` and `share` compute with.

mod factor;
mod spread;

use std::collections::BTreeSet;

use zeroize::Zeroizing;

pub use factor::Factor;
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
/// Behind the columns that were chosen there can be one for each with the squares of its words, from which a variance comes. Columns that
/// are multiplied by a factor of another party's stand behind those that are not.
pub struct Values {
    columns: Vec<String>,
    /// How many of these were chosen.
    chosen: usize,
    /// Where the chosen ones are in the table's header.
    sources: Vec<String>,
    /// By what the last ones of them are multiplied, if any.
    factor: Option<String>,
    products: usize,
    scales: Vec<u32>,
    nulls: Vec<usize>,
    words: Zeroizing<Vec<i128>>,
}

impl Values {
    /// The values in `columns` of `table`, whose keys are `keys`. Rows without a key are not looked at; an empty cell
    /// counts as 0. `price*quantity` is the column `price`, to be multiplied by another party's factor `quantity`, and `*quantity` is one
    /// for each key, to be multiplied by it, unless the table has a column that is called so.
    ///
    /// # Errors
    /// When a column is missing or chosen twice, there is more than one factor, a cell is no decimal number, or a column's sums might not
    /// fit.
    pub fn build(table: &Table, keys: &KeySet, columns: &[String]) -> Result<Self, DataError> {
        let named: Vec<Named<'_>> = columns.iter().map(|name| Named::of(name, table)).collect();
        let factors: BTreeSet<&str> = named.iter().filter_map(|named| named.factor).collect();
        if factors.len() > 1 {
            let factors = Vec::from_iter(factors).join(", ");
            return Err(DataError::ManyFactors { file: table.name().to_owned(), factors });
        }
        let (ones, named): (Vec<_>, Vec<_>) = named.iter().partition(|named| named.is_one());
        let (products, plain): (Vec<_>, Vec<_>) =
            named.into_iter().partition(|named| named.factor.is_some());
        let in_order = || plain.iter().chain(&products);
        let sources = |named: &[&Named<'_>]| {
            named.iter().filter_map(|named| named.column.map(str::to_owned)).collect()
        };
        let [plain_sources, product_sources]: [Vec<String>; 2] =
            [sources(&plain), sources(&products)];
        let mut places = locate_all(&plain_sources, VALUE, table)?;
        places.extend(locate_all(&product_sources, VALUE, table)?);
        let unread = Self {
            columns: in_order().map(|named| named.text()).collect(),
            factor: factors.first().map(|factor| (*factor).to_owned()),
            products: products.len(),
            ..Self::unread([plain_sources, product_sources].concat(), keys)
        };
        let values = unread.read(table, keys, Chosen { flag: VALUE, places: &places })?;
        match &ones[..] {
            [] => Ok(values),
            [one] => Ok(values.and_one(keys, one.text())),
            [one, ..] => Err(DataError::ChosenTwice { flag: VALUE, column: one.text() }),
        }
    }

    /// With a product behind the others that is one for each key.
    fn and_one(self, keys: &KeySet, name: String) -> Self {
        let Self { mut columns, chosen, products, mut scales, mut nulls, words, .. } = self;
        let mut all = Zeroizing::new(Vec::with_capacity((chosen + 1) * keys.len()));
        for key in 0..keys.len() {
            all.extend_from_slice(&words[chosen * key..chosen * (key + 1)]);
            all.push(1);
        }
        columns.push(name);
        scales.push(0);
        nulls.push(0);
        let (chosen, products) = (chosen + 1, products + 1);
        Self { columns, chosen, products, scales, nulls, words: all, ..self }
    }

    /// The values in a column that `flag` names, by itself.
    fn of_one(
        table: &Table,
        keys: &KeySet,
        column: &str,
        flag: &'static str,
    ) -> Result<Self, DataError> {
        let columns = vec![column.to_owned()];
        let places = locate_all(&columns, flag, table)?;
        Self::unread(columns, keys).read(table, keys, Chosen { flag, places: &places })
    }

    /// Zeros in these columns.
    fn unread(columns: Vec<String>, keys: &KeySet) -> Self {
        let chosen = columns.len();
        Self {
            chosen,
            sources: columns.clone(),
            factor: None,
            products: 0,
            scales: vec![0; chosen],
            nulls: vec![0; chosen],
            words: Zeroizing::new(vec![0; keys.len() * chosen]),
            columns,
        }
    }

    fn read(mut self, table: &Table, keys: &KeySet, chosen: Chosen<'_>) -> Result<Self, DataError> {
        self.measure(table, keys, chosen)?;
        self.add_up(table, keys, chosen)?;
        Ok(self)
    }

    /// With a column of the squares of each behind them.
    ///
    /// # Errors
    /// When the squares of a column of `table` might not fit, or a column is multiplied.
    pub fn and_squares(self, table: &Table) -> Result<Self, DataError> {
        if self.has_squares() {
            return Ok(self);
        }
        if self.products > 0 {
            let column = self.columns[self.chosen - self.products].clone();
            return Err(DataError::SquareOfProduct { column });
        }
        let Self { mut columns, chosen, mut scales, mut nulls, words, .. } = self;
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
        Ok(Self { columns, scales, nulls, words: all, ..self })
    }

    /// The names of all columns: of those that were chosen, in this order but for products behind the others, and of those of squares.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The names of those that were chosen.
    #[must_use]
    pub fn chosen(&self) -> &[String] {
        &self.columns[..self.chosen]
    }

    /// The columns of the table in which they are; one is in none.
    #[must_use]
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// By which column of another party's some are multiplied, if by any.
    #[must_use]
    pub fn factor(&self) -> Option<&str> {
        self.factor.as_deref()
    }

    /// How many are, the last ones.
    #[must_use]
    pub fn products(&self) -> usize {
        self.products
    }

    /// Whether there are columns of squares.
    #[must_use]
    pub fn has_squares(&self) -> bool {
        self.chosen < self.columns.len()
    }

    /// What each chosen column's values over so many keys come to, whose sums are these, all columns' in their order; a factor has so
    /// many decimal places.
    #[must_use]
    pub fn found(&self, count: u64, sums: &[i128], factor: u32) -> Vec<ColumnSum> {
        let (sums, squares) = sums.split_at(self.chosen);
        let scale = |column| {
            let more = if column < self.chosen - self.products { 0 } else { factor };
            self.scales[column] + more
        };
        let column = |(column, sum): (usize, &i128)| ColumnSum {
            name: self.columns[column].clone(),
            sum: show(*sum, scale(column)),
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
    fn measure(
        &mut self,
        table: &Table,
        keys: &KeySet,
        chosen: Chosen<'_>,
    ) -> Result<(), DataError> {
        // Rows that do not count set the scale, too, so that a peer does not see which do.
        for_each_value(table, keys, chosen, |key, column, value| match value {
            Some(value) => self.scales[column] = self.scales[column].max(value.places()),
            None => self.nulls[column] += usize::from(key.is_some()),
        })
    }

    fn add_up(
        &mut self,
        table: &Table,
        keys: &KeySet,
        chosen: Chosen<'_>,
    ) -> Result<(), DataError> {
        let mut totals = vec![Some(0); chosen.places.len()];
        let Self { columns, scales, words, .. } = self;
        for_each_value(table, keys, chosen, |key, column, value| {
            let Some(key) = key else { return };
            let units = value.map_or(Some(0), |value| value.units(scales[column]));
            totals[column] = add_magnitude(totals[column], units);
            if let (Some(units), Some(_)) = (units, totals[column]) {
                words[key * chosen.places.len() + column] += units;
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

/// Where columns are in a table, and the flag that named them.
#[derive(Clone, Copy)]
struct Chosen<'a> {
    flag: &'static str,
    places: &'a [usize],
}

/// The flag that names columns of values.
const VALUE: &str = "--value";

/// A column as it is named.
struct Named<'a> {
    /// Of ones there is none.
    column: Option<&'a str>,
    /// By what it is multiplied.
    factor: Option<&'a str>,
}

impl<'a> Named<'a> {
    /// What this names in the table: a column of it, or one in front of a `*`.
    fn of(name: &'a str, table: &Table) -> Self {
        let is_column = |name: &str| table.header().iter().any(|column| column == name);
        let parts =
            name.match_indices('*').map(|(at, _)| (name[..at].trim(), name[at + 1..].trim()));
        let mut parts = parts.filter(|(_, factor)| !factor.is_empty());
        if is_column(name) {
            return Self { column: Some(name), factor: None };
        }
        let first = parts.clone().next();
        match parts.find(|(column, _)| is_column(column)).or(first) {
            Some(("", factor)) => Self { column: None, factor: Some(factor) },
            Some((column, factor)) => Self { column: Some(column), factor: Some(factor) },
            None => Self { column: Some(name), factor: None },
        }
    }

    fn is_one(&self) -> bool {
        self.column.is_none()
    }

    fn text(&self) -> String {
        match self.factor {
            Some(factor) => format!("{}*{factor}", self.column.unwrap_or_default()),
            None => self.column.unwrap_or_default().to_owned(),
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
    Chosen { flag, places }: Chosen<'_>,
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
                    let place = Box::new(table.place_of_row(row, Some(*place)));
                    return Err(DataError::NotANumber { flag, place, what });
                }
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests;
