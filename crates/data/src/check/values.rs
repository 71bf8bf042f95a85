//! Columns of decimal numbers before a sum.

use crate::columns::locate_all;
use crate::decimal::Decimal;
use crate::error::Place;
use crate::suspicion::PLACES;
use crate::{DataError, KeySet, Table, Values};

/// What a value column holds in rows that have a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueCheck {
    /// The column's name.
    pub column: String,
    /// Cells that are decimal numbers.
    pub numbers: usize,
    /// Empty cells, which count as 0.
    pub empty: usize,
    /// Cells that are something else: a run ends at the first.
    pub unreadable: usize,
    /// Where the first of these are, and what stands there.
    pub places: Vec<(Place, &'static str)>,
    /// Whether the magnitudes of the numbers add up to more than a sum can be.
    pub too_large: bool,
}

impl ValueCheck {
    fn new(column: &str) -> Self {
        Self {
            column: column.to_owned(),
            numbers: 0,
            empty: 0,
            unreadable: 0,
            places: Vec::new(),
            too_large: false,
        }
    }

    fn take(&mut self, cell: &str, place: impl FnOnce() -> Place) {
        match Decimal::read(cell) {
            Ok(Some(_)) => self.numbers += 1,
            Ok(None) => self.empty += 1,
            Err(what) => {
                self.unreadable += 1;
                if self.places.len() < PLACES {
                    self.places.push((place(), what));
                }
            }
        }
    }
}

/// Looks at `columns` in the rows that have a key; in all rows where there are no `keys`, and then not at the sums.
pub(super) fn check(
    table: &Table,
    keys: Option<&KeySet>,
    columns: &[String],
) -> Result<Vec<ValueCheck>, DataError> {
    let places = locate_all(columns, "--value", table)?;
    let mut checks: Vec<ValueCheck> = columns.iter().map(|name| ValueCheck::new(name)).collect();
    if checks.is_empty() {
        return Ok(checks);
    }
    table.for_each_row(&places, |row, fields| {
        if keys.is_some_and(|keys| keys.key_of(row).is_none()) {
            return;
        }
        for (index, check) in checks.iter_mut().enumerate() {
            check.take(&fields.get(index), || table.place_of_row(row, Some(places[index])));
        }
    })?;
    if let Some(keys) = keys {
        for check in checks.iter_mut().filter(|check| check.unreadable == 0) {
            let sum = Values::build(table, keys, std::slice::from_ref(&check.column));
            check.too_large = matches!(sum, Err(DataError::SumTooLarge { .. }));
        }
    }
    Ok(checks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spot;

    fn look(csv: &str, with_key: bool) -> ValueCheck {
        let table = Table::parse("t.csv".into(), csv.into(), b',').expect("a table");
        let keys = KeySet::build(&table, &"k".parse().expect("a key")).expect("a column");
        let checks = check(&table, with_key.then_some(&keys), &["a".to_owned()]);
        checks.expect("a column").remove(0)
    }

    #[test]
    fn all_cells_that_are_no_numbers_are_counted_and_the_first_named() {
        let cells = ["1", "NA", "", "1,5", " -2.50 ", "$5", "1e5", "x", "y", "z"];
        let rows: String = cells.iter().map(|cell| format!("k,\"{cell}\"\n")).collect();
        let found = look(&format!("k,a\n{rows},bad but without a key\n"), true);
        assert_eq!((found.numbers, found.empty, found.unreadable), (2, 1, 7));
        let lines: Vec<Spot> = found.places.iter().map(|(place, _)| place.spot()).collect();
        assert_eq!(lines, [3, 5, 7, 8, 9].map(Spot::Line));
        assert!(found.places[1].1.contains("comma") && !found.too_large);
        assert_eq!(look(&format!("k,a\n{rows},bad\n"), false).unreadable, 8);
    }

    #[test]
    fn a_sum_that_may_not_fit_is_found() {
        let most = "170141183460469231731687303715884105727";
        assert!(!look(&format!("k,a\nx,{most}\n"), true).too_large);
        assert!(look(&format!("k,a\nx,{most}\ny,1\n"), true).too_large);
    }
}
