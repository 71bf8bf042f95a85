//! An intersection's rows with the columns that the peer sent of its own.

use std::collections::HashSet;
use std::fmt;

use veilset_data::{
    DataError, Destination, JoinedColumns, JoinedRow, Match, check_rows, decode_rows,
};
use veilset_names::names;
use veilset_protocols::Outcome;
use veilset_session::{Column, Report, SessionError};

use crate::{Done, Input};

names! {
    "rows of a join";
    /// Which rows of one's list an intersection writes.
    #[derive(Default)]
    pub enum Join {
        /// Those that match.
        #[default]
        Inner = "inner",
        /// All, those that match with what the peer sent.
        Left = "left",
        /// Those that do not match.
        Anti = "anti",
    }
}

/// How the rows of an intersection are written; a matter of this side alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Joining {
    /// Which rows.
    pub join: Join,
    /// Whether delimited text has the peer's cells as they came, formulas and control characters among them.
    pub raw_cells: bool,
}

/// The rows that an intersection gives, in memory.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct JoinedRows {
    /// The number of each in the list, rising; once for each row of the peer's that matches it.
    pub rows: Vec<usize>,
    /// The names of the columns beside them.
    pub names: Vec<String>,
    /// The cells in each of these columns; nothing in a row that does not match.
    pub columns: Vec<Vec<Option<String>>>,
}

/// Which rows of a list match, by their numbers.
pub(crate) struct RowMatches {
    matches: Vec<Match>,
    /// Of each row, where its matches end.
    ends: Vec<u32>,
}

impl RowMatches {
    /// Of an intersection that this side learned; `None` of any other result.
    pub(crate) fn of(report: &Report, input: &Input) -> Option<Self> {
        // A table has fewer than 2^32 rows, and a list fewer values.
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let matches: Vec<Match> = match &report.outcome {
            // No place of theirs has a row of the peer's.
            Outcome::Matched(keys) => {
                let rows = input.linkage.rows_of(keys);
                let of_row = |(row, key)| Match { row: narrow(row), key: narrow(key), place: 0 };
                rows.map(of_row).collect()
            }
            Outcome::Listed { rows, .. } if report.joins() => {
                input.linkage.matches_of(rows).collect()
            }
            _ => return None,
        };
        let mut ends = vec![0; input.rows()];
        matches.iter().for_each(|one| ends[one.row as usize] += 1);
        let mut all = 0;
        for end in &mut ends {
            all += *end;
            *end = all;
        }
        Some(Self { matches, ends })
    }

    fn of_row(&self, row: usize) -> &[Match] {
        let first = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.matches[first as usize..self.ends[row] as usize]
    }
}

/// The rows of the peer's that match those of a list.
pub struct Joined<'a> {
    pub(crate) done: &'a Done,
    pub(crate) matches: &'a RowMatches,
}

impl Joined<'_> {
    /// The peer's rows that match this row of the list, each as often as the peer has it; where the peer sent no columns one that
    /// has none, if the row matches.
    #[must_use]
    pub fn rows_of(&self, row: usize) -> Vec<JoinedRow> {
        let matches = self.matches.of_row(row);
        if self.is_bare() {
            let row = |one: &Match| JoinedRow { key: one.key as usize + 1, cells: Vec::new() };
            return matches.first().map(row).into_iter().collect();
        }
        let several = matches.len() > 1;
        // By several values of one key the same row can come several times.
        let mut before: HashSet<Vec<String>> = HashSet::new();
        let mut rows = Vec::new();
        for Match { key, place, .. } in matches {
            let cells = self.cells(*place as usize);
            let fresh: Vec<_> = cells.into_iter().filter(|cells| !before.contains(cells)).collect();
            if several {
                before.extend(fresh.iter().cloned());
            }
            rows.extend(fresh.into_iter().map(|cells| JoinedRow { key: *key as usize + 1, cells }));
        }
        rows
    }

    /// Whether nothing of the peer's goes with a match.
    fn is_bare(&self) -> bool {
        matches!(self.done.report.outcome, Outcome::Matched(_))
    }

    /// How many rows the [`Joining`] of `input` gives.
    #[must_use]
    pub fn count(&self, input: &Input) -> usize {
        let join = input.joining.join;
        let rows = self.rows(join, input);
        if self.is_bare() {
            return rows.count();
        }
        rows.map(|row| if join == Join::Anti { 1 } else { self.rows_of(row).len().max(1) }).sum()
    }

    fn cells(&self, place: usize) -> Vec<Vec<String>> {
        let report = &self.done.report;
        match &report.outcome {
            Outcome::Listed { width, labels, .. } => {
                let item = &labels[place * width..(place + 1) * width];
                let rows = decode_rows(item, report.peer_columns.len(), report.peer_rows_of_key);
                rows.expect("items were looked at as they came")
            }
            _ => vec![Vec::new()],
        }
    }

    /// Whether the row of the list matches.
    fn has(&self, row: usize) -> bool {
        !self.matches.of_row(row).is_empty()
    }

    /// The rows of `input` that its [`Joining`] has, with what is beside them.
    pub(crate) fn in_memory(&self, input: &Input) -> Result<JoinedRows, DataError> {
        let Report { peer_columns, .. } = &self.done.report;
        let Joining { join, .. } = input.joining;
        if join == Join::Anti {
            let rows = self.rows(join, input).collect();
            return Ok(JoinedRows { rows, ..JoinedRows::default() });
        }
        let columns = columns(input, &self.done.report.peer().name, peer_columns)?;
        let names = columns.names().to_vec();
        let mut columns = vec![Vec::new(); names.len()];
        let mut numbers = Vec::new();
        for row in self.rows(join, input) {
            let joined = self.rows_of(row);
            if joined.is_empty() {
                numbers.push(row);
                columns.iter_mut().for_each(|column| column.push(None));
            }
            for JoinedRow { key, cells } in joined {
                numbers.push(row);
                let key = input.has_several_keys().then(|| key.to_string());
                let cells = key.into_iter().chain(cells).map(Some);
                columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
            }
        }
        Ok(JoinedRows { rows: numbers, names, columns })
    }

    /// The numbers of the rows of `input` that a join of this kind has, rising.
    pub fn rows<'b>(&'b self, join: Join, input: &Input) -> impl Iterator<Item = usize> + use<'b> {
        (0..input.rows()).filter(move |row| match join {
            Join::Inner => self.has(*row),
            Join::Left => true,
            Join::Anti => !self.has(*row),
        })
    }
}

/// The columns that an intersection of `input` adds, where the peer sends these.
pub(crate) fn columns(
    input: &Input,
    peer: &str,
    theirs: &[Column],
) -> Result<JoinedColumns, DataError> {
    let names: Vec<String> = theirs.iter().map(|column| column.name.clone()).collect();
    let Joining { raw_cells, .. } = input.joining;
    JoinedColumns::new(&input.table, peer, &names, input.has_several_keys(), raw_cells)
}

/// Finds out whether all that the peer sent with matches is rows.
pub(crate) fn check(report: &Report) -> Result<(), SessionError> {
    let Outcome::Listed { width, labels, .. } = &report.outcome else { return Ok(()) };
    let mut items = labels.chunks_exact((*width).max(1));
    let columns = report.peer_columns.len();
    items
        .try_for_each(|item| check_rows(item, columns, report.peer_rows_of_key))
        .map_err(|_| SessionError::bad_row())
}

/// Writes the rows of an intersection.
pub(crate) fn write(
    joined: &Joined<'_>,
    input: &Input,
    destination: &Destination,
) -> Result<(), DataError> {
    let Report { peer_columns, .. } = &joined.done.report;
    let Joining { join, .. } = input.joining;
    let rows = joined.rows(join, input);
    let columns = columns(input, &joined.done.report.peer().name, peer_columns)?;
    if join == Join::Anti || columns.names().is_empty() {
        return input.write(rows, destination);
    }
    destination.write_joined(&input.table, &columns, rows, &|row| joined.rows_of(row))
}

impl fmt::Debug for Joined<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Joined")
            .field("matches", &self.matches.matches.len())
            .finish_non_exhaustive()
    }
}
