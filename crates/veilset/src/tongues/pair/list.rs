//! Lists of encrypted identifiers, as they pass between clean rooms.

use std::collections::HashSet;

use veilset_data::{DataError, Destination, Table};
use veilset_session::fresh_rng;
use veilset_tongues::pair::{Encrypted, check_size, decode, encode};

use super::{Key, PairError};
use crate::Error;
use crate::tongues::quoted;

/// How far a list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Under one room's key, or one list's Publisher Identifiers.
    Once,
    /// Under the keys of both rooms; PAIR calls such entries PAIR IDs.
    Twice,
}

impl Stage {
    const ALL: [Self; 2] = [Self::Once, Self::Twice];

    /// The column of its entries.
    fn column(self) -> &'static str {
        match self {
            Self::Once => "identifier",
            Self::Twice => "pair_id",
        }
    }

    /// Whose key it has, in words.
    pub(super) fn keys(self) -> &'static str {
        match self {
            Self::Once => "one room's key",
            Self::Twice => "the keys of both rooms",
        }
    }
}

/// The column that says of which relationship a row is.
const PAIRING: &str = "AdvPubID";

/// How a list is written.
#[derive(Debug, Clone, Default)]
pub struct Shape {
    /// What both rooms call this pair of advertiser and publisher; it is in each row.
    pub pairing: Option<String>,
    /// Whether there is no header.
    pub bare: bool,
}

/// Encrypted identifiers from a file.
pub struct EncryptedList {
    table: Table,
    /// Where its entries stand.
    column: usize,
    /// Whether there is no header, so that the first line is an entry.
    bare: bool,
    /// How far it is, where its header says that.
    stage: Option<Stage>,
    pub(super) entries: Vec<Encrypted>,
}

impl EncryptedList {
    /// The list in `table`: its only column, the one of this name, or the one called as a [`Stage`] has it; where the header itself is
    /// an entry, the first. Where `pairing` is given, rows that say another are refused.
    ///
    /// # Errors
    /// When there is no such column, or a row in it is no encrypted identifier.
    pub fn read(table: Table, column: Option<&str>, pairing: Option<&str>) -> Result<Self, Error> {
        let header = table.header();
        let first = header.first().and_then(|cell| decode(cell).ok());
        let bare = first.is_some() && column.is_none();
        let called = |wanted: &str| header.iter().position(|name| name == wanted);
        let named = Stage::ALL.into_iter().find_map(|stage| called(stage.column()));
        let place = match column.map_or(named, called) {
            Some(place) => place,
            None if bare || header.len() == 1 && column.is_none() => 0,
            None => {
                let wanted = column.unwrap_or(Stage::Once.column());
                let (file, column) = (table.name().to_owned(), wanted.to_owned());
                return Err(PairError::Column { file, column }.into());
            }
        };
        let stage = Stage::ALL.into_iter().find(|stage| header[place] == stage.column());
        let entries = first.filter(|_| bare).into_iter().collect();
        let mut list = Self { table, column: place, bare, stage, entries };
        list.read_rows(pairing)?;
        Ok(list)
    }

    fn read_rows(&mut self, pairing: Option<&str>) -> Result<(), Error> {
        let paired = pairing.and_then(|wanted| Some((self.pairing_column()?, wanted)));
        let columns: Vec<usize> =
            std::iter::once(self.column).chain(paired.map(|(column, _)| column)).collect();
        if self.bare && paired.is_some_and(|(column, wanted)| self.table.header()[column] != wanted)
        {
            return Err(PairError::Pairing { place: self.place(0) }.into());
        }
        let mut entries = std::mem::take(&mut self.entries);
        entries.reserve_exact(self.table.rows());
        let mut fault = None;
        self.table.for_each_row(&columns, |_, fields| {
            let entry = decode(&fields.get(0));
            let is_other = paired.is_some_and(|(_, wanted)| fields.get(1) != wanted);
            match entry {
                _ if fault.is_some() => {}
                Ok(entry) if !is_other => entries.push(entry),
                entry => fault = Some((entries.len(), entry.is_err())),
            }
        })?;
        match fault.map(|(index, is_entry)| (self.place(index), is_entry)) {
            None => self.entries = entries,
            Some((place, true)) => return Err(PairError::Entry { place }.into()),
            Some((place, false)) => return Err(PairError::Pairing { place }.into()),
        }
        Ok(())
    }

    fn pairing_column(&self) -> Option<usize> {
        let header = self.table.header();
        let named = header.iter().position(|name| name.eq_ignore_ascii_case(PAIRING));
        named.or_else(|| (self.bare && header.len() > 1).then_some(1))
    }

    /// Where an entry is, for people.
    pub(super) fn place(&self, index: usize) -> String {
        match index.checked_sub(usize::from(self.bare)) {
            None => format!("{}, line 1", self.name()),
            Some(row) => self.table.place_of_row(row, None).to_string(),
        }
    }

    /// What messages call it.
    #[must_use]
    pub fn name(&self) -> &str {
        self.table.name()
    }

    /// How many entries it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// How many of them are distinct.
    #[must_use]
    pub fn distinct(&self) -> usize {
        self.entries.iter().collect::<HashSet<_>>().len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether it is as far as a step takes it, unless its header does not say so.
    pub(super) fn check_stage(&self, wanted: Stage) -> Result<(), PairError> {
        match self.stage {
            Some(found) if found != wanted => {
                Err(PairError::Stage { file: self.name().to_owned(), found, wanted })
            }
            _ => Ok(()),
        }
    }

    /// Whether it is as long as PAIR wants lists.
    pub(super) fn check_size(&self, distinct: usize) -> Result<(), PairError> {
        let place = || self.name().to_owned();
        check_size(distinct).map_err(|why| PairError::Rule { place: place(), why })
    }

    /// The other room's list under this room's key, too, in a fresh random order.
    ///
    /// # Errors
    /// When it is shorter than PAIR wants, an entry is no point, or the key is a salt.
    pub fn encrypt_again(&self, key: &Key) -> Result<Vec<Encrypted>, Error> {
        self.check_stage(Stage::Once)?;
        self.check_size(self.distinct())?;
        let cipher = key.cipher_key()?;
        let encrypted = cipher.encrypt_again(&self.entries, &mut fresh_rng()?);
        Ok(encrypted.map_err(|why| PairError::Point { place: self.place(why.index) })?)
    }
}

/// Writes a list that is so far, in the format that the destination's name says: with a header, or as lines alone.
///
/// # Errors
/// When writing fails; a file is then as it was before.
pub fn write(
    entries: &[Encrypted],
    stage: Stage,
    destination: &Destination,
    shape: &Shape,
) -> Result<(), DataError> {
    let pairing = shape.pairing.as_deref().map(quoted);
    let mut text = String::with_capacity(46 * (entries.len() + 1));
    if !shape.bare {
        text.push_str(stage.column());
        if pairing.is_some() {
            text.extend([",", PAIRING]);
        }
        text.push('\n');
    }
    for entry in entries {
        text.push_str(&encode(entry));
        if let Some(pairing) = &pairing {
            text.extend([",", pairing]);
        }
        text.push('\n');
    }
    if shape.bare {
        return destination.write_text(&text);
    }
    let table = Table::parse(stage.column().to_owned(), text.into_bytes(), b',')?;
    destination.write_rows(&table, 0..table.rows())
}
