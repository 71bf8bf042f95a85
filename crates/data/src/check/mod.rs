//! A local look at the data before a run; nothing is sent.

mod columns;
mod values;

use crate::error::Place;
use crate::keys::{CROWDED_ARE, ONE_KEY, PLACEHOLDERS_ARE, RowEncoder};
use crate::preset::{Normalised, Preset};
use crate::suspicion::{Count, PLACES};
use crate::table::Fields;
use crate::{DataError, KeySet, KeySpec, Table, WarningCode};

pub use self::columns::{ColumnLook, LooksLike, look_at_columns};
pub use self::values::ValueCheck;

/// What a list looks like under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// Rows below the header.
    pub rows: usize,
    /// Distinct keys.
    pub distinct: usize,
    /// How many keys generators make of all rows, where they make several of one.
    pub made: Option<usize>,
    /// Rows whose key an earlier row carries.
    pub duplicates: usize,
    /// Rows with an empty key column; they never match.
    pub empty: usize,
    /// Rows with a placeholder such as `n/a` in a key column; they never match, unless the key keeps them.
    pub placeholders: Finding,
    /// Rows with a key column that its preset cannot read; they never match.
    pub invalid: Finding,
    /// Rows whose key differs from the text in the file.
    pub changed: usize,
    /// What is probably not meant, most frequent first; kinds that do not occur are left out.
    pub suspicious: Vec<Finding>,
    /// The columns of the key, each as if it were looked at alone.
    pub columns: Vec<ColumnLook>,
    /// The value columns.
    pub values: Vec<ValueCheck>,
    /// Which columns of the key are compared as they are.
    raw: Vec<bool>,
}

impl CheckReport {
    /// Columns of the key that are compared as they are, and look like something that a preset is made for.
    pub fn proposals(&self) -> impl Iterator<Item = (&ColumnLook, LooksLike)> {
        let raw = self.columns.iter().zip(&self.raw).filter(|(_, raw)| **raw);
        let proposed = raw.filter_map(|(look, _)| Some((look, look.looks_like?)));
        proposed.filter(|(_, kind)| *kind != LooksLike::Hashes)
    }
}

/// Something found, how often, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its name for scripts.
    pub code: WarningCode,
    /// What.
    pub what: &'static str,
    /// In how many rows.
    pub rows: usize,
    /// Where the first few are.
    pub places: Vec<Place>,
}

impl Finding {
    fn new(table: &Table, code: WarningCode, what: &'static str, count: &Count) -> Self {
        let place = |row: &usize| table.place_of_row(*row, None);
        Self { code, what, rows: count.rows, places: count.first.iter().map(place).collect() }
    }
}

/// Looks at `table` under `spec`, and at the numbers in its columns `values`.
///
/// # Errors
/// When a column is not in the table.
pub fn check(table: &Table, spec: &KeySpec, values: &[String]) -> Result<CheckReport, DataError> {
    let places = spec.locate(table)?;
    let keys = KeySet::build_all(table, std::slice::from_ref(spec))?.remove(0);
    let (placeholders, invalid, crowded, suspected) = keys.counts();
    let crowded =
        (crowded.rows > 0).then(|| Finding::new(table, WarningCode::Crowded, CROWDED_ARE, crowded));
    let found = suspected.found();
    let mut suspicious: Vec<Finding> = found
        .map(|(suspicion, count)| Finding::new(table, suspicion.code, suspicion.what, count))
        .chain(few_keys(table, &keys))
        .chain(guessable(table, spec, &keys))
        .chain(crowded)
        .collect();
    suspicious.sort_by_key(|finding| std::cmp::Reverse(finding.rows));
    Ok(CheckReport {
        rows: keys.rows(),
        distinct: keys.len(),
        made: spec.makes_several().then(|| keys.carried()),
        duplicates: keys.duplicate_rows(),
        empty: keys.null_rows(),
        placeholders: Finding::new(
            table,
            WarningCode::Placeholders,
            PLACEHOLDERS_ARE,
            placeholders,
        ),
        invalid: Finding::new(
            table,
            WarningCode::UnreadableKeys,
            "not readable by the preset",
            invalid,
        ),
        changed: changed(table, spec, &places)?,
        suspicious,
        columns: look_at_columns(table, &places)?,
        values: values::check(table, Some(&keys), values)?,
        raw: spec.columns().iter().map(|column| column.preset == Preset::Raw).collect(),
    })
}

/// Looks at the numbers in the columns `values` of all rows.
///
/// # Errors
/// When a column is not in the table.
pub fn check_values(table: &Table, columns: &[String]) -> Result<Vec<ValueCheck>, DataError> {
    values::check(table, None, columns)
}

/// How many rows have a key that differs from the text in the file.
fn changed(table: &Table, spec: &KeySpec, places: &[usize]) -> Result<usize, DataError> {
    let mut all = 0;
    let start = |_| (RowEncoder::new(spec), 0);
    let visit = |(encoder, changed): &mut (RowEncoder<'_>, usize), _, fields: &Fields<'_>| {
        let read = encoder.encode(fields) == Normalised::Key;
        *changed += usize::from(read && encoder.changes(fields));
        Ok(())
    };
    table.by_stretches(places, start, visit, |round| {
        all += round.iter().map(|(_, changed)| changed).sum::<usize>();
        Ok(())
    })?;
    Ok(all)
}

/// A list of one key, or of none, is more often a wrong column or preset than a list.
fn few_keys(table: &Table, keys: &KeySet) -> Option<Finding> {
    let finding = |code, what, rows, first: &mut dyn Iterator<Item = usize>| {
        let first = first.take(PLACES).collect();
        Some(Finding::new(table, code, what, &Count { rows, first }))
    };
    let none = "no key at all, so nothing can match: a wrong column or preset?";
    match (keys.len(), keys.rows_of_one_key()) {
        (0, _) => finding(WarningCode::EmptySet, none, keys.rows(), &mut (0..keys.rows())),
        (1, rows @ 2..) => finding(WarningCode::OneKey, ONE_KEY, rows, &mut keys.rows_of(&[0])),
        _ => None,
    }
}

/// Rows under a key of which there are so few values that a peer can put all of them on its list.
fn guessable(table: &Table, spec: &KeySpec, keys: &KeySet) -> Option<Finding> {
    let mut with_key = (0..keys.rows()).filter(|row| keys.key_of(*row).is_some());
    let first: Vec<usize> = with_key.by_ref().take(PLACES).collect();
    let rows = first.len() + with_key.count();
    let is_crowded = keys.carried() >= MANY && keys.len() * SHARED <= keys.carried();
    let what = "a key of few values: a peer can put them all on its list and learn yours; add a column to the key";
    let found = rows > 0 && (spec.is_guessable() || is_crowded);
    found.then(|| Finding::new(table, WarningCode::Guessable, what, &Count { rows, first }))
}

/// A list of so many keys, each of which so many rows carry, has all that there are.
const MANY: usize = 10_000;
const SHARED: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spot;

    fn lines(finding: &Finding) -> Vec<u64> {
        let line = |place: &Place| match place.spot() {
            Spot::Line(line) => line,
            Spot::Row(_) => panic!("text has lines"),
        };
        finding.places.iter().map(line).collect()
    }

    #[test]
    fn counts_what_is_there_and_names_lines_only() {
        let csv =
            "mail,n\n\"A@x.com\",1\na@x.com,2\n,3\nn/a,4\n\"b@y.org\n\",5\nzero\u{200b}@z.com,6\n";
        let table = Table::parse("t.csv".into(), csv.into(), b',').expect("a table");
        let report = check(&table, &"mail:email".parse().expect("a key"), &[]).expect("a column");
        assert_eq!((report.rows, report.distinct, report.duplicates), (6, 3, 1));
        assert_eq!((report.empty, report.invalid.rows, report.changed), (1, 0, 2));
        assert_eq!((report.placeholders.rows, lines(&report.placeholders)), (1, vec![5]));
        let found: Vec<(&str, usize, Vec<u64>)> =
            report.suspicious.iter().map(|f| (f.code.name(), f.rows, lines(f))).collect();
        assert_eq!(found, [("invisible-characters", 1, vec![8])]);
    }

    #[test]
    fn a_list_of_one_key_is_suspicious() {
        let look = |csv: &str| {
            let table = Table::parse("t.csv".into(), csv.into(), b',').expect("a table");
            check(&table, &"c:name".parse().expect("a key"), &[]).expect("a column").suspicious
        };
        let found = look("c,n\nUK,1\n,2\nuk,3\n");
        let [finding] = found.as_slice() else { panic!("one finding") };
        assert_eq!((finding.code, finding.rows), (WarningCode::OneKey, 2));
        assert_eq!(lines(finding), [2, 4]);
        assert_eq!(look("c\nUK\n"), []);
        assert_eq!(look("c\nUK\nFR\n"), []);
    }

    #[test]
    fn a_list_without_any_key_is_suspicious() {
        let table = Table::parse("t.csv".into(), b"p\n0123\nx\n".to_vec(), b',').expect("a table");
        let report = check(&table, &"p:phone".parse().expect("a key"), &[]).expect("a column");
        assert_eq!((report.distinct, report.invalid.rows), (0, 2));
        assert_eq!(report.suspicious.len(), 1);
        assert_eq!((report.suspicious[0].rows, lines(&report.suspicious[0])), (2, vec![2, 3]));
    }
}
