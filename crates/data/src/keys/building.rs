//! From a table's rows to the distinct keys that they have.

use std::hash::RandomState;

use super::brought::Brought;
use super::numbering::Numbering;
use super::{KeySet, KeysOfRow, NO_KEY, RowEncoder};
use crate::generator::MOST_VALUES;
use crate::table::Fields;
use crate::{DataError, KeySpec, Table};

/// Rows that there is room for from the start, at most: a longer list may have far fewer keys, and a file says how many rows
/// it has before it shows them.
const RESERVED: usize = 1 << 24;

/// Digests that are numbered at once where a row may have several: so many rows may have more than there is memory for.
const FEW: usize = 1 << 12;

/// The keys of `table` under each of `specs`, in one pass over it, whether or not too many rows carry them.
pub(super) fn build(table: &Table, specs: &[KeySpec]) -> Result<Vec<KeySet>, DataError> {
    let places = specs.iter().map(|spec| spec.locate(table)).collect::<Result<Vec<_>, _>>()?;
    let columns = places.concat();
    let new = |spec| Builder::new(table.rows(), spec);
    let mut builders: Vec<Builder> = specs.iter().map(new).collect();
    let states: Vec<_> = builders.iter().map(|builder| builder.numbering.state()).collect();
    if specs.iter().any(KeySpec::makes_several) {
        make_several(table, specs, &columns, &states, &mut builders)?;
    } else {
        let start = |rows| Reading::new(specs, rows);
        let visit = |reading: &mut Reading<'_>, row, fields: &Fields<'_>| {
            reading.add(row, fields, &states);
            Ok(())
        };
        table.by_stretches(&columns, start, visit, |round| {
            take(round, &mut builders);
            Ok(())
        })?;
    }
    Ok(builders.into_iter().map(Builder::finish).collect())
}

/// The same where a row may have several keys, which are numbered as soon as there are a few.
fn make_several(
    table: &Table,
    specs: &[KeySpec],
    columns: &[usize],
    states: &[RandomState],
    builders: &mut [Builder],
) -> Result<(), DataError> {
    let most = table.most_made().min(NO_KEY as usize - 1);
    let mut all = 0;
    let start = || Reading::new(specs, FEW + MOST_VALUES);
    let mut reading = start();
    table.try_for_each_row(columns, |row, fields| {
        all += reading.add(row, fields, states);
        if all > most {
            return Err(DataError::TooManyMade { file: table.name().to_owned(), most });
        }
        if reading.is_long() {
            take(vec![std::mem::replace(&mut reading, start())], builders);
        }
        Ok(())
    })?;
    take(vec![reading], builders);
    Ok(())
}

/// Hands the builder of each key what rows bring under it.
fn take(round: Vec<Reading<'_>>, builders: &mut [Builder]) {
    let mut round: Vec<_> = round.into_iter().map(|reading| reading.brought.into_iter()).collect();
    for builder in builders {
        builder.take(round.iter_mut().filter_map(Iterator::next).collect());
    }
}

/// Rows on their way to digests under each of several keys.
struct Reading<'a> {
    encoders: Vec<RowEncoder<'a>>,
    brought: Vec<Brought>,
}

impl<'a> Reading<'a> {
    /// No row yet, with room for so many digests under each key.
    fn new(specs: &'a [KeySpec], room: usize) -> Self {
        let mut first = 0;
        let encoder = |(place, spec): (u32, &'a KeySpec)| {
            let place = (specs.len() > 1).then_some(place);
            let encoder = RowEncoder { place, first, ..RowEncoder::new(spec) };
            first += spec.columns().len();
            encoder
        };
        let encoders = (0..).zip(specs).map(encoder).collect();
        let brought = specs.iter().map(|_| Brought::with_room(room)).collect();
        Self { encoders, brought }
    }

    /// Adds a row; says how many keys generators have made of it.
    fn add(&mut self, row: usize, fields: &Fields<'_>, states: &[RandomState]) -> usize {
        let mut made = 0;
        let keys = self.encoders.iter_mut().zip(&mut self.brought).zip(states);
        for ((encoder, brought), state) in keys {
            let became = encoder.encode(fields);
            let digests = brought.add(row, became, encoder, state);
            made += if encoder.spec.makes_several() { digests } else { 0 };
        }
        made
    }

    /// Whether it is time to number what was made.
    fn is_long(&self) -> bool {
        self.brought.iter().any(|brought| brought.digests.len().max(brought.of_rows.len()) >= FEW)
    }
}

/// A list's keys under one spec, as far as its rows were read.
struct Builder {
    keys: KeySet,
    numbering: Numbering,
    /// Rows that there is room for.
    room: usize,
}

impl Builder {
    fn new(rows: usize, spec: &KeySpec) -> Self {
        let room = rows.min(RESERVED);
        let keys_of_row = if spec.makes_several() {
            KeysOfRow::Several { ends: Vec::with_capacity(room), keys: Vec::with_capacity(room) }
        } else {
            KeysOfRow::Own(0)
        };
        let mut keys = KeySet::without_digests(keys_of_row);
        keys.digests.reserve_exact(room);
        Self { keys, numbering: Numbering::new(room), room }
    }

    /// Takes what the next rows bring, stretch by stretch.
    fn take(&mut self, round: Vec<Brought>) {
        let before = self.keys.len;
        let hashes: Vec<u64> = round.iter().flat_map(|rows| &rows.hashes).copied().collect();
        round.iter().for_each(|rows| self.keys.digests.extend_from_slice(&rows.digests));
        let numbers = self.numbering.number(&mut self.keys.digests, &hashes);
        self.keys.len = self.keys.digests.len();
        let mut rest = &numbers[..];
        // The number that the next digest gets if it is new.
        let mut next = before;
        for rows in round {
            let (own, behind) = rest.split_at(rows.digests.len());
            self.count_hashed(&rows, own, &mut next);
            self.carry(&rows.of_rows, own);
            self.note(rows);
            rest = behind;
        }
    }

    /// Counts the new ones of these numbers whose keys are written as digests are.
    fn count_hashed(&mut self, rows: &Brought, numbers: &[u32], next: &mut usize) {
        if let KeysOfRow::Several { .. } = self.keys.keys_of_row {
            return;
        }
        let mut look_hashed = rows.look_hashed.iter().peekable();
        for (place, number) in numbers.iter().enumerate() {
            let is_new = *number as usize == *next;
            let looks_hashed = look_hashed.next_if_eq(&&place).is_some();
            *next += usize::from(is_new);
            self.keys.hashed += usize::from(is_new && looks_hashed);
        }
    }

    /// The next rows carry keys of these numbers, each as many of them as `of_rows` says.
    fn carry(&mut self, of_rows: &[u32], numbers: &[u32]) {
        let mut rest = numbers;
        for count in of_rows {
            let (own, behind) = rest.split_at(*count as usize);
            self.keys.keys_of_row.push(own, self.room);
            rest = behind;
        }
    }

    /// Takes note of what else is known of the next rows.
    fn note(&mut self, rows: Brought) {
        self.keys.null_rows += rows.nulls;
        self.keys.placeholders.extend(rows.placeholders);
        self.keys.invalid.extend(rows.invalid);
        self.keys.suspected.extend(rows.suspected);
    }

    fn finish(mut self) -> KeySet {
        self.keys.digests.shrink_to_fit();
        match &mut self.keys.keys_of_row {
            KeysOfRow::Own(_) => {}
            KeysOfRow::Listed(keys) | KeysOfRow::Several { keys, .. } => keys.shrink_to_fit(),
        }
        self.keys
    }
}
