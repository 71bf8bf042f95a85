//! A complete run and its result as rows.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::time::SystemTime;

use veilset_data::{
    ColumnSum, DataError, Destination, Groups, LABEL_COLUMN, ShareColumn, ShareEncoding,
    ShareTable, Warning,
};
use veilset_protocols::{GroupSums, Identifier, Outcome, Role, Shares, Sharing};
use veilset_rules::LedgerError;
use veilset_session::{Report, rows_of_items};

use crate::join::{self, RowMatches};
use crate::{Error, Input, Joined, JoinedRows};

/// A complete run.
pub struct Done {
    /// The result and its circumstances.
    pub report: Report,
    /// When this side began, after the consent.
    pub started: SystemTime,
    /// Why the ledger does not have how the run ended, if it has not.
    pub unrecorded: Option<LedgerError>,
    received: Vec<Vec<String>>,
    /// Found once, for the report, the summary and the output.
    matches: OnceLock<Option<RowMatches>>,
}

/// What is known of a group.
#[derive(Debug, Clone)]
pub struct GroupDone<'a> {
    /// Its cells in the columns of [`Done::group_columns`].
    pub names: Vec<&'a str>,
    /// How many of its keys match, and what the value columns come to over these; none where there are fewer than the least result.
    pub known: Option<(u64, Vec<ColumnSum>)>,
}

impl Done {
    /// Reads the rows or labels that the peer sent, if it sent any.
    pub(crate) fn new(
        report: Report,
        started: SystemTime,
        unrecorded: Option<LedgerError>,
        input: &Input,
    ) -> Result<Self, Error> {
        let (_, places) = input.written_key();
        let (width, bytes, places) = match &report.outcome {
            Outcome::Listed { .. } if report.joins() => {
                join::check(&report)?;
                (0, &[][..], &[][..])
            }
            Outcome::Lacking { width, bytes } => (*width, &bytes[..], &places[..]),
            Outcome::Listed { width, labels, .. } => (*width, &labels[..], &[][..]),
            _ => (0, &[][..], &[][..]),
        };
        let cells = places.len() + report.peer_columns.len();
        let received = rows_of_items(bytes, width, cells)?;
        let received = received.into_iter().map(|cells| with_key_once(cells, places));
        let received = received.collect();
        Ok(Self { report, started, unrecorded, received, matches: OnceLock::new() })
    }

    /// What a user should know of all lists, the result, and `input`.
    #[must_use]
    pub fn warnings(&self, input: &Input) -> Vec<Warning> {
        self.report.warnings.iter().cloned().chain(input.warnings()).collect()
    }

    /// The rows of `input` that match or are listed, in its order, or the one that both sides agree on; `None` if the result is something
    /// else.
    #[must_use]
    pub fn rows<'a>(&'a self, input: &'a Input) -> Option<impl Iterator<Item = usize> + 'a> {
        self.rows_by_key(input).map(|rows| rows.map(|(row, _)| row))
    }

    /// The same rows, each with the first key by which it matches, from 0.
    #[must_use]
    pub fn rows_by_key<'a>(
        &'a self,
        input: &'a Input,
    ) -> Option<impl Iterator<Item = (usize, usize)> + 'a> {
        match &self.report.outcome {
            Outcome::Matched(keys) | Outcome::Listed { rows: keys, .. } => {
                Some(input.linkage.rows_of(keys))
            }
            Outcome::Agreed(key) => Some(input.linkage.rows_of(key.as_slice())),
            _ => None,
        }
    }

    /// How many rows of `input` match by each key, which is the first for each of them; `None` if the result is something else.
    #[must_use]
    pub fn counts_by_key(&self, input: &Input) -> Option<Vec<usize>> {
        let rows = self.rows_by_key(input)?;
        let mut counts = vec![0; input.specs.len()];
        rows.for_each(|(_, key)| counts[key] += 1);
        Some(counts)
    }

    /// The column beside the rows of a lookup, with a text for each: the labels, if the list has any; `None` if there is no such column.
    #[must_use]
    pub fn beside(&self, input: &Input) -> Option<(&'static str, Vec<Cow<'_, str>>)> {
        match &self.report.outcome {
            Outcome::Listed { rows: keys, .. }
                if !(self.report.joins() || self.report.peer_columns.is_empty()) =>
            {
                let label = |row| {
                    let key = u32::try_from(input.keys().key_of(row)?).ok()?;
                    Some(Cow::from(&*self.received[keys.binary_search(&key).ok()?][0]))
                };
                Some((LABEL_COLUMN, input.keys().rows_of(keys).filter_map(label).collect()))
            }
            _ => None,
        }
    }

    /// The rows of the peer's that match those of `input`; `None` if the result is something else.
    #[must_use]
    pub fn joined(&self, input: &Input) -> Option<Joined<'_>> {
        let matches = self.matches.get_or_init(|| RowMatches::of(&self.report, input));
        matches.as_ref().map(|matches| Joined { done: self, matches })
    }

    /// How many rows of an intersection its [`Joining`](crate::Joining) gives; `None` if the result is something else.
    #[must_use]
    pub fn rows_of_join(&self, input: &Input) -> Option<usize> {
        if !self.report.joins() {
            return None;
        }
        if self.is_plain(input) {
            return self.rows(input).map(Iterator::count);
        }
        self.joined(input).map(|joined| joined.count(input))
    }

    /// Whether the rows of an intersection are those that match, as they were.
    fn is_plain(&self, input: &Input) -> bool {
        self.report.joins()
            && self.report.peer_columns.is_empty()
            && !(input.joins() || input.has_several_keys())
    }

    /// The rows that an intersection of `input` gives, with what is beside them; `None` if there is nothing, and these are
    /// [`Done::rows`].
    ///
    /// # Errors
    /// When two columns would have one name.
    pub fn joined_rows(&self, input: &Input) -> Result<Option<JoinedRows>, DataError> {
        let joined = if self.is_plain(input) { None } else { self.joined(input) };
        joined.map(|joined| joined.in_memory(input)).transpose()
    }

    /// The row of `input` that both sides agree on, if any; `None` if the result is something else.
    #[must_use]
    pub fn agreed(&self, input: &Input) -> Option<Option<usize>> {
        match &self.report.outcome {
            Outcome::Agreed(key) => Some(key.and_then(|key| input.keys().rows_of(&[key]).next())),
            _ => None,
        }
    }

    /// How many rows of a union, or identifiers, the peer alone has; `None` if the result is something else.
    #[must_use]
    pub fn received(&self) -> Option<usize> {
        match &self.report.outcome {
            Outcome::Lacking { .. } => Some(self.received.len()),
            Outcome::Identifiers { others, .. } => Some(others.len()),
            _ => None,
        }
    }

    /// The rows of a union that the peer alone has: their columns' names, those of the key as `input` has them, and their
    /// texts; `None` if the result is something else.
    #[must_use]
    pub fn received_rows(&self, input: &Input) -> Option<(Vec<String>, &[Vec<String>])> {
        let Outcome::Lacking { .. } = self.report.outcome else { return None };
        let (key, _) = input.written_key();
        let key = key.columns().iter().map(|column| &column.name);
        let names = key.chain(self.report.peer_columns.iter().map(|column| &column.name));
        Some((names.cloned().collect(), &self.received))
    }

    /// The identifiers of an alignment: for each row of `input` its own, if it has a key, and those that the peer alone
    /// has; `None` if the result is something else.
    #[must_use]
    pub fn identifiers(&self, input: &Input) -> Option<(Vec<Option<String>>, Vec<String>)> {
        let Outcome::Identifiers { own, others } = &self.report.outcome else { return None };
        let id = |row| input.keys().key_of(row).map(|key| text(&own[key]));
        Some(((0..input.rows()).map(id).collect(), others.iter().map(text).collect()))
    }

    /// The identifiers of an alignment, of each of the list's keys in their order; `None` if the result is something else.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn identifiers_of_keys(&self) -> Option<Vec<String>> {
        let Outcome::Identifiers { own, .. } = &self.report.outcome else { return None };
        Some(own.iter().map(text).collect())
    }

    /// This side's shares; `None` if the result is something else.
    #[must_use]
    pub fn shares(&self, input: &Input) -> Option<ShareTable<'_>> {
        match &self.report.outcome {
            Outcome::Shares(shares) => Some(self.share_table(shares, input)),
            _ => None,
        }
    }

    /// What the value columns of `input` come to over the keys that match; `None` if this side was not to learn any.
    #[must_use]
    pub fn sums(&self, input: &Input) -> Option<Vec<ColumnSum>> {
        match &self.report.outcome {
            Outcome::Sums { count, sums } => {
                Some(input.values()?.found(*count, sums, self.scale_of_factor()))
            }
            _ => None,
        }
    }

    /// The columns of groups: those of `input`, and those that the peer lent, with the peer's name before a name that is taken.
    #[must_use]
    pub fn group_columns(&self, input: &Input) -> Vec<String> {
        let mut columns = input.groups().map(Groups::columns).unwrap_or_default().to_vec();
        for name in self.report.peer_lent.iter().flat_map(|lent| &lent.columns) {
            // The peer's differ from one another, and are few.
            let mut name = name.clone();
            while columns.contains(&name) {
                name = format!("{}.{name}", self.report.peer().name);
            }
            columns.push(name);
        }
        columns
    }

    /// The groups of `input`, each with each that the peer lent, with what is known of them; `None` if this side was not to learn any.
    #[must_use]
    pub fn groups<'a>(&'a self, input: &'a Input) -> Option<impl Iterator<Item = GroupDone<'a>>> {
        let Outcome::ByGroup(found) = &self.report.outcome else { return None };
        let values = input.values()?;
        // Without groups there is one of all; a list of no rows has no groups of its own.
        let all = |names: Option<&'a [Vec<String>]>| -> Vec<&'a [String]> {
            names.map_or_else(|| vec![&[][..]], |names| names.iter().map(Vec::as_slice).collect())
        };
        let own = all(input.groups().map(Groups::names));
        let lent = all(self.report.peer_lent.as_ref().map(|lent| &lent.names[..]));
        let both = own.into_iter().flat_map(move |own| {
            let beside = lent.clone().into_iter();
            beside.map(move |lent| own.iter().chain(lent).map(String::as_str).collect())
        });
        let factor = self.scale_of_factor();
        let known =
            move |group: &GroupSums| (group.count, values.found(group.count, &group.sums, factor));
        let rows = both.zip(found);
        Some(rows.map(move |(names, found)| GroupDone { names, known: found.as_ref().map(known) }))
    }

    /// How many decimal places the peer's factor has; none where it has none.
    fn scale_of_factor(&self) -> u32 {
        self.report.peer_columns.first().map_or(0, |column| column.scale)
    }

    /// Writes the result where it is one of rows; nothing if there are none to know.
    ///
    /// Of an intersection, the rows of `input` that match, byte for byte as they were, or those that its [`Joining`](crate::Joining) has,
    /// with the number of the key where there are several, and what the peer sent; of a lookup, those that are listed, with their
    /// labels; of a union, all its rows and the
    /// received ones; of ordered lists, the row agreed on, if there is one; of aligned lists, all its rows with their identifiers, and the other identifiers; else this side's
    /// shares.
    ///
    /// # Errors
    /// When writing fails; the file is then as it was before.
    pub fn write(&self, input: &Input, destination: &Destination) -> Result<(), DataError> {
        if !self.is_plain(input)
            && let Some(joined) = self.joined(input)
        {
            return join::write(&joined, input, destination);
        }
        match &self.report.outcome {
            Outcome::Matched(keys) | Outcome::Listed { rows: keys, .. } => {
                let rows = input.linkage.rows_of(keys).map(|(row, _)| row);
                let Some((column, texts)) = self.beside(input) else {
                    return input.write(rows, destination);
                };
                let rows: Vec<_> = rows.zip(texts.iter().map(|text| &**text)).collect();
                destination.write_labelled(&input.table, column, &rows)
            }
            Outcome::Agreed(key) => input.write(input.keys().rows_of(key.as_slice()), destination),
            Outcome::Lacking { .. } => {
                let extra: Vec<String> =
                    self.report.peer_columns.iter().map(|column| column.name.clone()).collect();
                destination.write_union(
                    &input.table,
                    &input.written_key().0,
                    &extra,
                    &self.received,
                )
            }
            Outcome::Identifiers { own, others } => {
                let id = |row| input.keys().key_of(row).map(|key| text(&own[key]));
                destination.write_aligned(&input.table, &id, others.iter().map(text))
            }
            Outcome::Shares(shares) => {
                let table = self.share_table(shares, input);
                destination.write_shares(&table)
            }
            Outcome::Nothing
            | Outcome::Fewer
            | Outcome::Count(_)
            | Outcome::Overlaps(_)
            | Outcome::Sums { .. }
            | Outcome::ByGroup(_) => Ok(()),
        }
    }

    fn share_table<'a>(&self, shares: &'a Shares, input: &Input) -> ShareTable<'a> {
        let role = if shares.order.is_some() { Role::Sender } else { Role::Receiver };
        let columns = input.share_columns(&self.report.peer_columns, role);
        let first_rows = input.keys().first_rows();
        let first_row = |key: &Option<u32>| key.map(|key| u64::from(first_rows[key as usize]) + 1);
        ShareTable {
            columns: columns
                .iter()
                .map(|column| ShareColumn { name: column.name.clone(), scale: Some(column.scale) })
                .collect(),
            words: Cow::Borrowed(&shares.words),
            encoding: match shares.sharing {
                Sharing::Additive => ShareEncoding::Additive,
                Sharing::Xor => ShareEncoding::Xor,
            },
            source_row: shares.order.as_ref().map(|order| order.iter().map(first_row).collect()),
        }
    }
}

/// A row from the peer with one cell for each column of this side's keys: of those that `places` has go to one column, the first
/// that is not empty.
fn with_key_once(cells: Vec<String>, places: &[usize]) -> Vec<String> {
    let mut once: Vec<String> = Vec::with_capacity(cells.len());
    for (index, cell) in cells.into_iter().enumerate() {
        match places.get(index).and_then(|place| once.get_mut(*place)) {
            Some(before) if before.is_empty() => *before = cell,
            Some(_) => {}
            None => once.push(cell),
        }
    }
    once
}

/// An identifier in hexadecimal digits.
fn text(id: &Identifier) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
