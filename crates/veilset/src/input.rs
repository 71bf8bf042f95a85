//! A party's list, ready for a run.

use std::borrow::Cow;
use std::io::{self, Write};
use std::mem;
use std::sync::{Mutex, PoisonError};

use rand_core::CryptoRng;
use veilset_data::{
    Arrivals, Condition, DataError, Destination, DiskNeed, Factor, Groups, Items, KeyDigest,
    KeySet, KeySpec, LABEL_COLUMN, Linkage, Persons, RowsToSend, Scratch, SentColumns, ShareTable,
    Source, Table, Values, Warning,
};
use veilset_protocols::{
    Attached, AttachedShape, Attaches, Gives, MAX_FACTOR, MAX_GROUPS, MAX_LENT_GROUPS, Operation,
    Role,
};
use veilset_session::{Column, Learn, LentGroups, Matching};
use veilset_sources::{Arrival, ObjectError, QueryError, is_database, is_object, objects};
use zeroize::Zeroizing;

use crate::{Error, Join, Joining, join, memory};

/// The list at `place`: a file, several, standard input (`-`), objects of a store (`s3://`, `gs://`, `az://`), or what the
/// database at this address answers to `query`. `delimiter` is that of delimited text, by default the one that its name says. What
/// takes too much memory goes to `scratch`.
///
/// # Errors
/// When it cannot be read, or is no table.
pub fn table(
    place: &str,
    query: Option<&str>,
    delimiter: Option<u8>,
    scratch: &Scratch,
) -> Result<Table, Error> {
    memory::allow(scratch.most_memory());
    match (is_database(place), query) {
        (true, Some(query)) => {
            let mut arrivals = Arrivals::new(scratch);
            let host =
                veilset_sources::query(place, query, &mut arrivals).map_err(
                    |error| match error {
                        QueryError::Unkept(why) => {
                            unkept(why, |why| QueryError::Unkept(why).into())
                        }
                        error => error.into(),
                    },
                )?;
            Ok(arrivals.delimited(host, b',')?)
        }
        (true, None) => Err(QueryError::NoQuery.into()),
        (false, Some(_)) => Err(QueryError::NotADatabase.into()),
        (false, None) if is_object(place) => {
            let mut arrivals = Arrivals::new(scratch);
            let mut take = |arrival: Arrival<'_>| match arrival {
                Arrival::Object(name) => {
                    arrivals.begin(name);
                    Ok(())
                }
                Arrival::Bytes(bytes) => arrivals.write_all(bytes),
            };
            objects(place, &mut take).map_err(|error| match error {
                ObjectError::Unkept(why) => unkept(why, |why| ObjectError::Unkept(why).into()),
                error => error.into(),
            })?;
            Ok(arrivals.table(place.to_owned(), delimiter)?)
        }
        (false, None) => Ok(Table::read_within(&Source::new(place), delimiter, scratch)?),
    }
}

/// Why rows that came could not be kept.
fn unkept(why: io::Error, otherwise: impl FnOnce(io::Error) -> Error) -> Error {
    match why.downcast::<DataError>() {
        Ok(error) => error.into(),
        Err(why) => otherwise(why),
    }
}

/// What the list at `place` will take of the disk, if anything, as far as its size is known before it is read.
///
/// # Errors
/// When there is not that much room, or a file cannot be looked at.
pub fn disk_need(place: &str, scratch: &Scratch) -> Result<Option<DiskNeed>, Error> {
    if is_database(place) || is_object(place) {
        return Ok(None);
    }
    Ok(scratch.need(&Source::new(place))?)
}

/// A table with its keys, and what belongs to these.
pub struct Input {
    pub(crate) table: Table,
    pub(crate) linkage: Linkage,
    /// Where the values of a row stay together.
    persons: Option<Persons>,
    pub(crate) specs: Vec<KeySpec>,
    attachment: Attachment,
    /// How rows that match are written.
    pub(crate) joining: Joining,
    /// Of each row whether it counts, where not all do.
    rows_that_count: Option<Vec<bool>>,
    /// The digests of the keys, where one run may have them.
    given: Option<Mutex<Zeroizing<Vec<KeyDigest>>>>,
}

/// What a party holds about each of its keys.
enum Attachment {
    Nothing,
    Values(Values, Option<Groups>),
    Lent(Lent),
    Items(Items),
    Columns(SentColumns),
}

// A list has factors of as many bits as a run takes.
const _: () = assert!(Factor::MOST_BITS as usize == 8 * MAX_FACTOR);

/// What a party lends to the sums of its peer.
#[derive(Default)]
struct Lent {
    factor: Option<Factor>,
    groups: Option<Groups>,
}

impl Lent {
    fn attached(&self) -> Attached<'_> {
        let factor = self.factor.as_ref();
        Attached::Lent {
            factor: factor.map_or(0, Factor::bytes),
            words: factor.map_or(&[], Factor::words),
            groups: self.groups.as_ref().map(in_run),
        }
    }
}

/// Groups as a peer hears of them.
fn lent_of(groups: &Groups) -> LentGroups {
    LentGroups { columns: groups.columns().to_vec(), names: groups.names().to_vec() }
}

/// Groups as a run has them.
fn in_run(groups: &Groups) -> veilset_protocols::Groups<'_> {
    veilset_protocols::Groups { count: groups.names().len(), of: groups.of() }
}

/// The columns that a side names for an operation, beside its key's.
#[derive(Debug, Clone, Copy, Default)]
pub struct Columns<'a> {
    /// Those of its values.
    pub values: &'a [String],
    /// Whether the squares of its values are added up, too.
    pub squares: bool,
    /// That by which the peer's values are multiplied, if any.
    pub factor: Option<&'a str>,
    /// Those by whose cells values are added up, if by any: its own, or where it has none the peer's.
    pub by: &'a [String],
    /// Those that the peer gets of its rows.
    pub send: &'a [String],
    /// That of its labels.
    pub label: Option<&'a str>,
}

impl Input {
    /// Reads `source` and makes its keys.
    ///
    /// # Errors
    /// When the source is no table or lacks a column of `spec`.
    pub fn read(source: &Source, delimiter: Option<u8>, spec: &KeySpec) -> Result<Self, DataError> {
        Self::of(Table::read(source, delimiter)?, spec)
    }

    /// Makes the keys of a table that was read before, each of what presets alone make of a row.
    ///
    /// # Errors
    /// When the table lacks a column of `spec`, or a column of `spec` has a generator.
    pub fn of(table: Table, spec: &KeySpec) -> Result<Self, DataError> {
        spec.check_plain()?;
        Self::linked(table, std::slice::from_ref(spec), None)
    }

    /// Makes the values of a table that was read before under each of these keys, the most trusted first, for rows that match as
    /// [`Job::matching_of`](crate::Job::matching_of) has it.
    ///
    /// # Errors
    /// When the table lacks a column of one, or generators make more values than there is room for.
    ///
    /// # Panics
    /// When there is no key.
    pub fn linked(
        table: Table,
        specs: &[KeySpec],
        matching: Option<Matching>,
    ) -> Result<Self, DataError> {
        let grouped = matching.is_some_and(Matching::keeps_rows);
        if grouped {
            specs.iter().try_for_each(KeySpec::check_single)?;
        }
        let linkage = Linkage::build(&table, specs)?;
        let persons = grouped.then(|| linkage.persons());
        let (specs, attachment) = (specs.to_vec(), Attachment::Nothing);
        let joining = Joining::default();
        let (rows_that_count, given) = (None, None);
        Ok(Self { table, linkage, persons, specs, attachment, joining, rows_that_count, given })
    }

    /// With the rows alone that meet all of these conditions; the others carry no key. Whoever meets a peer tells it of as many keys as
    /// all rows have, so that it does not see how many are left.
    ///
    /// # Errors
    /// When a column is missing, or a cell cannot be compared.
    ///
    /// # Panics
    /// When something is attached to the keys already.
    pub fn only(mut self, conditions: &[Condition]) -> Result<Self, DataError> {
        assert!(
            matches!(self.attachment, Attachment::Nothing),
            "keys come before what belongs to them"
        );
        if conditions.is_empty() {
            return Ok(self);
        }
        let mut rows = Condition::rows(conditions, &self.table)?;
        if let Some(before) = &self.rows_that_count {
            rows.iter_mut().zip(before).for_each(|(row, before)| *row &= before);
        }
        drop(self.linkage.take_digests());
        (self.rows_that_count, self.given) = (Some(rows), None);
        self.linkage = self.linked_again()?;
        self.persons = self.persons.is_some().then(|| self.linkage.persons());
        Ok(self)
    }

    /// The values of its rows under its keys, made once more.
    fn linked_again(&self) -> Result<Linkage, DataError> {
        let linkage = Linkage::build(&self.table, &self.specs)?;
        Ok(match &self.rows_that_count {
            Some(rows) => linkage.among(rows),
            None => linkage,
        })
    }

    /// How many distinct keys it has with the rows that do not count, where not all do.
    pub(crate) fn distinct_of_all(&self) -> Option<usize> {
        self.rows_that_count.as_ref().map(|_| self.linkage.first().of_all_rows())
    }

    /// Rows with a key that do not meet a condition, where there are conditions.
    #[must_use]
    pub fn left_out(&self) -> Option<usize> {
        self.rows_that_count.as_ref().map(|_| self.linkage.first().left_out_rows())
    }

    /// What messages call the list.
    #[must_use]
    pub fn name(&self) -> &str {
        self.table.name()
    }

    /// Its only key, or the first; where the values of a row stay together, each row that has some to itself as a key.
    pub(crate) fn keys(&self) -> &KeySet {
        self.persons.as_ref().map_or_else(|| self.linkage.first(), Persons::heads)
    }

    /// Whether the values of a row under several keys stay together.
    pub(crate) fn is_grouped(&self) -> bool {
        self.persons.is_some()
    }

    /// How many elements it is in a run: its values, or where these stay together one for each key and row.
    pub(crate) fn elements(&self) -> usize {
        self.persons.as_ref().map_or_else(|| self.linkage.len(), |persons| persons.values().len())
    }

    /// The columns of all its keys, as a row that goes to a peer has them.
    fn sent_key(&self) -> KeySpec {
        KeySpec::joined(&self.specs)
    }

    /// The columns of all its keys, each once, as rows from a peer are written, and the place among them of each that comes.
    pub(crate) fn written_key(&self) -> (KeySpec, Vec<usize>) {
        self.sent_key().distinct()
    }

    /// What makes that key.
    pub(crate) fn spec(&self) -> &KeySpec {
        &self.specs[0]
    }

    /// Its values under each key.
    pub fn by_key(&self) -> impl Iterator<Item = (&KeySpec, &KeySet)> {
        self.specs.iter().zip(self.linkage.keys())
    }

    /// Whether its rows can match by more than one key.
    #[must_use]
    pub fn has_several_keys(&self) -> bool {
        self.specs.len() > 1
    }

    /// For one run, which takes the keys' memory, most of what a list costs; another run would make its keys again.
    #[must_use]
    pub fn for_one_run(mut self) -> Self {
        self.given = Some(Mutex::new(self.linkage.take_digests()));
        self
    }

    /// The digests of its keys for a run; where the values of a row stay together, those of each row, filled up from `rng`.
    pub(crate) fn digests(
        &self,
        rng: &mut dyn CryptoRng,
    ) -> Result<Zeroizing<Vec<KeyDigest>>, DataError> {
        let given = match &self.given {
            Some(given) => mem::take(&mut *given.lock().unwrap_or_else(PoisonError::into_inner)),
            None => self.linkage.digests(),
        };
        let digests = if given.len() == self.linkage.len() {
            given
        } else {
            self.linked_again()?.take_digests()
        };
        let Some(persons) = &self.persons else { return Ok(digests) };
        let mut filled = Zeroizing::new(vec![KeyDigest::default(); self.elements()]);
        for (digest, value) in filled.iter_mut().zip(persons.values()) {
            match value {
                Some(value) => *digest = digests[value],
                None => rng.fill_bytes(digest),
            }
        }
        Ok(filled)
    }

    /// Tells the digests of its keys, in the order of their first rows, or of the values under all its keys; some at a time.
    pub(crate) fn over_digests(&self, tell: &mut dyn FnMut(&[u8])) -> Result<(), DataError> {
        let Some(given) = &self.given else {
            self.linkage.over_digests(tell);
            return Ok(());
        };
        let given = given.lock().unwrap_or_else(PoisonError::into_inner);
        if given.len() == self.linkage.len() {
            tell(given.as_flattened());
        } else {
            // A run has taken them.
            self.linked_again()?.over_digests(tell);
        }
        Ok(())
    }

    /// Of the digests for a run those of values that the list has.
    pub(crate) fn of_values<'a>(&self, digests: &'a [KeyDigest]) -> Cow<'a, [KeyDigest]> {
        let Some(persons) = &self.persons else { return digests.into() };
        let all = digests.iter().zip(persons.values());
        all.filter_map(|(digest, value)| value.map(|_| *digest)).collect()
    }

    /// With the numbers in these columns, for a sum or for shares.
    ///
    /// # Errors
    /// When a column is missing or holds something else, or a sum could overflow.
    pub fn with_values(mut self, columns: &[String]) -> Result<Self, DataError> {
        let carriers = self.persons.as_ref().map_or_else(|| self.linkage.first(), Persons::rows);
        self.attachment = Attachment::Values(Values::build(&self.table, carriers, columns)?, None);
        Ok(self)
    }

    /// With the squares of its values, too, from which their variance comes.
    ///
    /// # Errors
    /// When their sum could overflow.
    pub fn and_squares(mut self) -> Result<Self, DataError> {
        if let Attachment::Values(values, groups) = self.attachment {
            self.attachment = Attachment::Values(values.and_squares(&self.table)?, groups);
        }
        Ok(self)
    }

    /// With the numbers in this column, by which the peer's values are multiplied.
    ///
    /// # Errors
    /// When the column is missing or holds something else, or a number is too large.
    pub fn with_factor(mut self, column: &str) -> Result<Self, DataError> {
        let carriers = self.persons.as_ref().map_or_else(|| self.linkage.first(), Persons::rows);
        let factor = Some(Factor::build(&self.table, carriers, column)?);
        self.attachment = Attachment::Lent(Lent { factor, ..self.lent() });
        Ok(self)
    }

    /// With its values added up by the cells of these columns, or where it has none the peer's.
    ///
    /// # Errors
    /// When a column is missing, a key is in two groups, or there are more than [`MAX_GROUPS`]; of the peer's values,
    /// [`MAX_LENT_GROUPS`], or their names are too long to be sent.
    pub fn by(mut self, columns: &[String]) -> Result<Self, DataError> {
        let owns = self.values().is_some();
        let most = if owns { MAX_GROUPS } else { MAX_LENT_GROUPS };
        let carriers = self.persons.as_ref().map_or_else(|| self.linkage.first(), Persons::rows);
        let by = Groups::build(&self.table, carriers, columns, most)?;
        if let Attachment::Values(_, groups) = &mut self.attachment {
            *groups = Some(by);
            return Ok(self);
        }
        let by = by.or_one();
        if !lent_of(&by).is_possible() {
            let (file, columns) = (self.table.name().to_owned(), columns.join(", "));
            return Err(DataError::LongGroups { file, columns });
        }
        self.attachment = Attachment::Lent(Lent { groups: Some(by), ..self.lent() });
        Ok(self)
    }

    /// Takes what it lends; nothing where it lends nothing yet.
    fn lent(&mut self) -> Lent {
        match mem::replace(&mut self.attachment, Attachment::Nothing) {
            Attachment::Lent(lent) => lent,
            _ => Lent::default(),
        }
    }

    /// With its rows, for a union in which the peer learns: the columns of all keys and these.
    ///
    /// # Errors
    /// When a column is missing, or a row is too long.
    pub fn with_rows(mut self, columns: &[String]) -> Result<Self, DataError> {
        let items = Items::build(&self.table, self.keys(), &self.sent_key(), columns)?;
        self.attachment = Attachment::Items(items);
        Ok(self)
    }

    /// With these columns of its rows, which the peer gets of those that match.
    ///
    /// # Errors
    /// When a column is missing, or the rows of a key are too long.
    pub fn with_columns(mut self, columns: &[String]) -> Result<Self, DataError> {
        let columns = SentColumns::of(&self.table, &self.linkage, columns)?;
        self.attachment = Attachment::Columns(columns);
        Ok(self)
    }

    /// Whether its rows that match are written otherwise than as they are.
    pub(crate) fn joins(&self) -> bool {
        self.joining.join != Join::Inner
    }

    /// Whose rows that match are written so.
    #[must_use]
    pub fn joining(self, joining: Joining) -> Self {
        Self { joining, ..self }
    }

    /// With the labels in this column, for a lookup by the peer.
    ///
    /// # Errors
    /// When the column is missing, or a label is too long.
    pub fn with_labels(mut self, column: &str) -> Result<Self, DataError> {
        self.attachment = Attachment::Items(Items::labels(&self.table, self.keys(), column)?);
        Ok(self)
    }

    /// With what `operation` takes of it, of these columns, where the result goes so.
    ///
    /// # Errors
    /// When a column is missing, or what it holds does not do.
    pub fn attach(
        self,
        operation: Operation,
        learn: Learn,
        columns: Columns<'_>,
    ) -> Result<Self, DataError> {
        if let (Some(column), false) = (columns.factor, columns.values.is_empty()) {
            return Err(DataError::FactorOfOwner { column: column.to_owned() });
        }
        match (operation.spec().attaches, columns.label) {
            (Attaches::Values { .. }, _) if !columns.values.is_empty() => {
                let mut valued = self.with_values(columns.values)?;
                if columns.squares {
                    valued = valued.and_squares()?;
                }
                if columns.by.is_empty() { Ok(valued) } else { valued.by(columns.by) }
            }
            (Attaches::Values { needed: true }, _) => {
                let lending = match columns.factor {
                    Some(factor) => self.with_factor(factor)?,
                    None => self,
                };
                if columns.by.is_empty() { Ok(lending) } else { lending.by(columns.by) }
            }
            (Attaches::Rows { needed: true }, _) if learn != Learn::Me => {
                self.with_rows(columns.send)
            }
            (Attaches::Rows { needed: false }, _) if !columns.send.is_empty() => {
                self.with_columns(columns.send)
            }
            (Attaches::Labels, Some(label)) => self.with_labels(label),
            _ => Ok(self),
        }
    }

    /// Its values, if it has any.
    #[must_use]
    pub fn values(&self) -> Option<&Values> {
        match &self.attachment {
            Attachment::Values(values, _) => Some(values),
            _ => None,
        }
    }

    /// Its factor, if it has one.
    #[must_use]
    pub fn factor(&self) -> Option<&Factor> {
        match &self.attachment {
            Attachment::Lent(lent) => lent.factor.as_ref(),
            _ => None,
        }
    }

    /// The column by which values are multiplied, the peer's or its own, if any.
    pub(crate) fn factor_name(&self) -> Option<&str> {
        self.factor().map(Factor::column).or_else(|| self.values()?.factor())
    }

    /// The groups by which its values are added up, or the peer's, if by any.
    #[must_use]
    pub fn groups(&self) -> Option<&Groups> {
        match &self.attachment {
            Attachment::Values(_, groups) => groups.as_ref(),
            Attachment::Lent(lent) => lent.groups.as_ref(),
            _ => None,
        }
    }

    /// The groups that it lends to the peer's sums, if it does.
    pub(crate) fn lent_groups(&self) -> Option<LentGroups> {
        self.groups().filter(|_| self.lends()).map(lent_of)
    }

    /// Whether it lends something to the peer's sums.
    pub(crate) fn lends(&self) -> bool {
        matches!(self.attachment, Attachment::Lent(_))
    }

    pub(crate) fn attached(&self) -> Attached<'_> {
        match &self.attachment {
            Attachment::Nothing | Attachment::Columns(_) => Attached::Nothing,
            Attachment::Values(values, groups) => Attached::Values {
                columns: values.columns().len(),
                products: values.products(),
                words: values.words(),
                groups: groups.as_ref().map(in_run),
            },
            Attachment::Lent(lent) => lent.attached(),
            Attachment::Items(items) => {
                Attached::Items { width: items.width(), bytes: items.bytes() }
            }
        }
    }

    /// What the peer may know of what is attached.
    pub(crate) fn attached_shape(&self) -> AttachedShape {
        match self.rows_to_send() {
            Some(rows) => AttachedShape::Items { width: rows.columns.width() },
            None => self.attached().shape(),
        }
    }

    /// What goes of its rows with matches.
    pub(crate) fn rows_to_send(&self) -> Option<RowsToSend<'_>> {
        let Attachment::Columns(columns) = &self.attachment else { return None };
        Some(RowsToSend { table: &self.table, linkage: &self.linkage, columns })
    }

    /// How many rows go for one key at most, where rows go with matches.
    pub(crate) fn rows_of_key(&self) -> u16 {
        self.rows_to_send().map_or(0, |rows| rows.columns.rows_of_key())
    }

    pub(crate) fn columns(&self) -> Vec<Column> {
        match &self.attachment {
            Attachment::Nothing => Vec::new(),
            Attachment::Columns(columns) => {
                columns.names().iter().map(|name| Column { name: name.clone(), scale: 0 }).collect()
            }
            Attachment::Values(values, _) => (0..)
                .zip(values.columns())
                .map(|(index, name)| Column { name: name.clone(), scale: values.scale(index) })
                .collect(),
            Attachment::Lent(lent) => {
                let column = |factor: &Factor| Column {
                    name: factor.column().to_owned(),
                    scale: factor.scale(),
                };
                lent.factor.iter().map(column).collect()
            }
            Attachment::Items(items) => {
                items.columns().iter().map(|name| Column { name: name.clone(), scale: 0 }).collect()
            }
        }
    }

    /// The value columns of shares where this side plays `role`: the sender's and then the receiver's, with a number behind a name that
    /// is taken, so that both sides have the same.
    pub(crate) fn share_columns(&self, theirs: &[Column], role: Role) -> Vec<Column> {
        let mut columns = self.columns();
        let mut more = theirs.to_vec();
        if role == Role::Receiver {
            std::mem::swap(&mut columns, &mut more);
        }
        for column in more {
            let is_taken = |name: &str| columns.iter().any(|column| column.name == name);
            let mut names = std::iter::once(column.name.clone())
                .chain((2..).map(|number| format!("{}_{number}", column.name)));
            let name = names.find(|name| !is_taken(name)).unwrap_or_default();
            columns.push(Column { name, ..column });
        }
        columns
    }

    /// Whether the result, with the peer's columns in it, can be written under this table's header where this side plays `role`.
    pub(crate) fn check_names(
        &self,
        operation: Operation,
        peer: &str,
        theirs: &[Column],
        role: Role,
    ) -> Result<(), DataError> {
        let names = || theirs.iter().map(|column| column.name.clone());
        match operation.spec().gives {
            Gives::PeerRows => {
                self.table.check_union(&self.written_key().0, &names().collect::<Vec<_>>())
            }
            Gives::Shares => {
                let columns = self.share_columns(theirs, role);
                ShareTable::check_names(columns.iter().map(|column| column.name.as_str()))
            }
            Gives::Identifiers => self.table.check_aligned(),
            Gives::OwnRows if operation.spec().may_send_rows() => {
                join::columns(self, peer, theirs).map(drop)
            }
            Gives::OwnRows if !theirs.is_empty() => self.table.check_labelled(LABEL_COLUMN),
            Gives::Numbers | Gives::OwnRows | Gives::OneRow => Ok(()),
        }
    }

    /// Writes the given rows under the header, byte for byte as they were.
    ///
    /// # Errors
    /// When writing fails; a file is then as it was before.
    pub fn write(
        &self,
        rows: impl Iterator<Item = usize>,
        destination: &Destination,
    ) -> Result<(), DataError> {
        destination.write_rows(&self.table, rows)
    }

    /// The table itself.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Rows below the header.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.linkage.rows()
    }

    /// Distinct keys; of several, distinct values under all, or the rows where these stay together.
    #[must_use]
    pub fn distinct(&self) -> usize {
        self.persons.as_ref().map_or_else(|| self.linkage.len(), |persons| persons.heads().len())
    }

    /// Bytes of memory that the table, its keys and what belongs to them occupy.
    pub(crate) fn memory(&self) -> u64 {
        let attached = match self.attached() {
            Attached::Nothing => 0,
            Attached::Values { words, .. } | Attached::Lent { words, .. } => size_of_val(words),
            Attached::Items { bytes, .. } => bytes.len(),
        };
        // Those of a run that are filled up stand beside those of the list for a moment.
        let filled_up = (self.linkage.len() * size_of::<KeyDigest>()) as u64;
        let persons = self.persons.as_ref().map_or(0, |persons| persons.memory() + filled_up);
        let rows = self.rows_that_count.as_ref().map_or(0, Vec::len);
        self.table.memory() + self.linkage.memory() + persons + (attached + rows) as u64
    }

    /// Rows without a key: an empty key column, or one that its preset cannot read. Under several keys, a row counts once for
    /// each that it has no value of.
    #[must_use]
    pub fn skipped(&self) -> (usize, usize) {
        (self.of_all(KeySet::null_rows), self.of_all(KeySet::invalid_rows))
    }

    /// Rows without a key because a key column holds a placeholder such as `n/a`, counted as [`Input::skipped`] does.
    #[must_use]
    pub fn placeholders(&self) -> usize {
        self.of_all(KeySet::placeholder_rows)
    }

    /// Rows without a key because more rows carry theirs than may, counted as [`Input::skipped`] does.
    #[must_use]
    pub fn crowded(&self) -> usize {
        self.of_all(KeySet::crowded_rows)
    }

    fn of_all(&self, count: fn(&KeySet) -> usize) -> usize {
        self.linkage.keys().iter().map(count).sum()
    }

    /// What a user should know of the list before a run.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        let of_values = self.values().map(Values::warnings);
        let of_values =
            of_values.or_else(|| self.factor().map(Factor::warnings)).unwrap_or_default();
        of_values.into_iter().chain(self.linkage.warnings()).collect()
    }
}
