//! A table's distinct keys, and which rows carry them.

mod brought;
mod building;
mod numbering;

use zeroize::Zeroizing;

use crate::preset::Normalised;
use crate::suspicion::{Count, Suspected, is_digest, marks};
use crate::table::Fields;
use crate::{DataError, KeySpec, Table, Warning, WarningCode};

/// A row without a key.
pub(crate) const NO_KEY: u32 = u32::MAX;

/// The digest of a key: BLAKE3 of the normalised texts of its columns, or of what generators make of them, each after its length
/// in bytes (4 bytes, little-endian), so that no two different rows of columns make the same key. Where a list has several keys, the place of
/// this one among them, from 0, comes before (4 bytes, little-endian).
///
/// Whoever has it can test guesses of the key.
pub type KeyDigest = [u8; 32];

/// Which keys each row carries.
enum KeysOfRow {
    /// So many rows have a key of their own.
    Own(usize),
    /// Numbers of keys, of each row one.
    Listed(Vec<u32>),
    /// Of each row where its keys end, whose numbers stand row after row.
    Several { ends: Vec<usize>, keys: Vec<u32> },
}

impl KeysOfRow {
    fn rows(&self) -> usize {
        match self {
            Self::Own(rows) => *rows,
            Self::Listed(keys) => keys.len(),
            Self::Several { ends, .. } => ends.len(),
        }
    }

    /// The numbers of the row's keys.
    fn get(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        let (one, several) = match self {
            // A table has fewer than 2^32 - 1 rows.
            Self::Own(rows) if row < *rows => (row as u32, &[][..]),
            Self::Own(rows) => panic!("row {row} of {rows}"),
            Self::Listed(keys) => (keys[row], &[][..]),
            Self::Several { ends, keys } => {
                let start = row.checked_sub(1).map_or(0, |before| ends[before]);
                (NO_KEY, &keys[start..ends[row]])
            }
        };
        let one = Some(one).filter(|key| *key != NO_KEY);
        one.into_iter().chain(several.iter().copied()).map(|key| key as usize)
    }

    /// The next row carries these keys.
    fn push(&mut self, own: &[u32], capacity: usize) {
        let key = own.first().copied().unwrap_or(NO_KEY);
        match self {
            Self::Own(rows) if key as usize == *rows => *rows += 1,
            Self::Own(rows) => {
                let mut keys = Vec::with_capacity(capacity);
                keys.extend(0..*rows as u32);
                keys.push(key);
                *self = Self::Listed(keys);
            }
            Self::Listed(keys) => keys.push(key),
            Self::Several { ends, keys } => {
                keys.extend_from_slice(own);
                ends.push(keys.len());
            }
        }
    }

    /// With each key's new number, and without those that have none; of the rows alone that are `kept`.
    fn renumbered(&self, numbers: &[u32], kept: impl Fn(usize) -> bool) -> Self {
        let kept = |row| {
            let keys = kept(row).then(|| self.get(row)).into_iter().flatten();
            keys.map(|key| numbers[key]).filter(|key| *key != NO_KEY)
        };
        match self {
            Self::Several { .. } => {
                let (mut ends, mut keys) = (Vec::with_capacity(self.rows()), Vec::new());
                for row in 0..self.rows() {
                    keys.extend(kept(row));
                    ends.push(keys.len());
                }
                Self::Several { ends, keys }
            }
            _ => Self::Listed(
                (0..self.rows()).map(|row| kept(row).next().unwrap_or(NO_KEY)).collect(),
            ),
        }
    }

    fn memory(&self) -> usize {
        match self {
            Self::Own(_) => 0,
            Self::Listed(keys) => size_of_val(&keys[..]),
            Self::Several { ends, keys } => size_of_val(&ends[..]) + size_of_val(&keys[..]),
        }
    }
}

/// Distinct normalised keys in the order of their first row, and the map from rows to keys. Costs 32 bytes a key, until its
/// digests are taken, and 4 bytes a row unless every row has a key of its own; with generators 8 bytes a row, and 4 for each of its
/// keys.
pub struct KeySet {
    digests: Zeroizing<Vec<KeyDigest>>,
    len: usize,
    keys_of_row: KeysOfRow,
    null_rows: usize,
    placeholders: Count,
    invalid: Count,
    crowded: Count,
    suspected: Suspected,
    hashed: usize,
    /// Distinct keys of all rows, whether these count or not.
    all: usize,
    /// Of each row whether it has a key and does not count; empty where all count.
    left_out: Vec<bool>,
}

impl KeySet {
    /// The keys of `table` under `spec`.
    ///
    /// # Errors
    /// When a column of `spec` is not in the table, or holds no keys; or when a row can have several.
    pub fn build(table: &Table, spec: &KeySpec) -> Result<Self, DataError> {
        spec.check_single()?;
        let mut sets = Self::build_all(table, std::slice::from_ref(spec))?;
        Ok(sets.remove(0))
    }

    /// The keys of `table` under each of `specs`, in one pass over it.
    ///
    /// # Errors
    /// As [`KeySet::build`], for any of them; but a row may have several keys, up to what there is room for.
    pub(crate) fn build_all(table: &Table, specs: &[KeySpec]) -> Result<Vec<Self>, DataError> {
        let built = building::build(table, specs)?.into_iter();
        let most = specs.iter().map(KeySpec::most_rows);
        let built = built.zip(most).map(|(keys, most)| keys.carried_by_at_most(most));
        Ok(built.map(|keys| Self { all: keys.len, ..keys }).collect())
    }

    /// Rows with keys of these numbers, or [`NO_KEY`], of `len` keys in all, which have no digests.
    pub(crate) fn of_rows(keys: Vec<u32>, len: usize) -> Self {
        Self { len, ..Self::without_digests(KeysOfRow::Listed(keys)) }
    }

    fn without_digests(keys_of_row: KeysOfRow) -> Self {
        Self {
            digests: Zeroizing::default(),
            len: 0,
            keys_of_row,
            null_rows: 0,
            placeholders: Count::default(),
            invalid: Count::default(),
            crowded: Count::default(),
            suspected: Suspected::default(),
            hashed: 0,
            all: 0,
            left_out: Vec::new(),
        }
    }

    /// How many distinct keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The keys' digests, in their order; none if they were taken.
    #[must_use]
    pub fn digests(&self) -> &[KeyDigest] {
        &self.digests
    }

    /// The keys' digests, in their order, which are gone from here: they are most of what it costs.
    #[must_use]
    pub fn take_digests(&mut self) -> Zeroizing<Vec<KeyDigest>> {
        std::mem::take(&mut self.digests)
    }

    /// The first row of each key.
    #[must_use]
    pub fn first_rows(&self) -> Vec<u32> {
        let mut first = Vec::with_capacity(self.len);
        for row in 0..self.rows() {
            for key in self.keys_of(row) {
                if key == first.len() {
                    first.push(row as u32);
                }
            }
        }
        first
    }

    /// The number of row `row`'s key, if it has one; of several that a generator made, the first.
    ///
    /// # Panics
    /// When `row` is not below [`KeySet::rows`].
    #[must_use]
    pub fn key_of(&self, row: usize) -> Option<usize> {
        self.keys_of(row).next()
    }

    /// The numbers of row `row`'s keys: one at most, unless a generator made several.
    ///
    /// # Panics
    /// When `row` is not below [`KeySet::rows`].
    pub fn keys_of(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        self.keys_of_row.get(row)
    }

    /// How many keys its rows carry, all together.
    pub(crate) fn carried(&self) -> usize {
        match &self.keys_of_row {
            KeysOfRow::Several { keys, .. } => keys.len(),
            _ => (0..self.rows()).map(|row| self.keys_of(row).count()).sum(),
        }
    }

    /// How many rows the table has.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.keys_of_row.rows()
    }

    /// Rows without a key because a key column is empty.
    #[must_use]
    pub fn null_rows(&self) -> usize {
        self.null_rows
    }

    /// Rows without a key because a key column holds a placeholder such as `n/a`, and none is empty.
    #[must_use]
    pub fn placeholder_rows(&self) -> usize {
        self.placeholders.rows
    }

    /// Rows without a key because a key column cannot be read by its preset, and none is empty or holds a placeholder.
    #[must_use]
    pub fn invalid_rows(&self) -> usize {
        self.invalid.rows
    }

    /// Rows without a key because more rows carry theirs than may.
    #[must_use]
    pub fn crowded_rows(&self) -> usize {
        self.crowded.rows
    }

    /// Rows that have a key and do not count.
    #[must_use]
    pub fn left_out_rows(&self) -> usize {
        self.left_out.iter().filter(|left_out| **left_out).count()
    }

    /// Whether a row has a key and does not count.
    pub(crate) fn is_left_out(&self, row: usize) -> bool {
        self.left_out.get(row).copied().unwrap_or_default()
    }

    /// How many distinct keys all rows have, whether these count or not.
    #[must_use]
    pub fn of_all_rows(&self) -> usize {
        self.all
    }

    /// The keys of these of its rows alone; the others carry none.
    pub(crate) fn among(mut self, rows: &[bool]) -> Self {
        let mut numbers = vec![NO_KEY; self.len];
        let mut order = Vec::new();
        for row in (0..self.rows()).filter(|row| rows[*row]) {
            for key in self.keys_of(row) {
                if numbers[key] == NO_KEY {
                    numbers[key] = order.len() as u32;
                    order.push(key);
                }
            }
        }
        let has_key = |row: usize| self.key_of(row).is_some();
        self.left_out = (0..self.rows()).map(|row| !rows[row] && has_key(row)).collect();
        self.keys_of_row = self.keys_of_row.renumbered(&numbers, |row| rows[row]);
        let mut digests = Zeroizing::new(Vec::with_capacity(order.len()));
        digests.extend(order.iter().map(|key| self.digests[*key]));
        (self.digests, self.len) = (digests, order.len());
        self
    }

    /// Rows with a placeholder, those that cannot be read, those whose key too many carry, and what all are suspected of.
    pub(crate) fn counts(&self) -> (&Count, &Count, &Count, &Suspected) {
        (&self.placeholders, &self.invalid, &self.crowded, &self.suspected)
    }

    /// Without keys that more rows carry.
    fn carried_by_at_most(mut self, most: Option<u32>) -> Self {
        let Some(most) = most else { return self };
        let mut rows_of_key = vec![0_u32; self.len];
        (0..self.rows()).flat_map(|row| self.keys_of(row)).for_each(|key| rows_of_key[key] += 1);
        let kept: Vec<bool> = rows_of_key.iter().map(|rows| *rows <= most).collect();
        if kept.iter().all(|kept| *kept) {
            return self;
        }
        let number = |(next, kept): (&mut u32, &bool)| {
            let number = if *kept { *next } else { NO_KEY };
            *next += u32::from(*kept);
            number
        };
        let mut next = 0;
        let numbers: Vec<u32> = kept.iter().map(|kept| number((&mut next, kept))).collect();
        let left_to_rows = self.keys_of_row.renumbered(&numbers, |_| true);
        let is_crowded =
            |row: &usize| left_to_rows.get(*row).next().is_none() && self.key_of(*row).is_some();
        let mut crowded = Count::default();
        (0..self.rows()).filter(is_crowded).for_each(|row| crowded.note(row));
        let digests = self.digests.iter().zip(&kept).filter(|(_, kept)| **kept);
        // With room for all from the start, so that none is left where there was too little.
        let mut left = Zeroizing::new(Vec::with_capacity(next as usize));
        left.extend(digests.map(|(digest, _)| *digest));
        self.digests = left;
        (self.keys_of_row, self.crowded, self.len) = (left_to_rows, crowded, next as usize);
        self
    }

    /// What a user should know of the rows before a run, the weightiest first. That values look hashed is no harm where those of
    /// the peer do, too.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        let without = [
            (WarningCode::Placeholders, self.placeholders.rows, PLACEHOLDERS_ARE),
            (
                WarningCode::UnreadableKeys,
                self.invalid.rows,
                "a key that its preset cannot read: they never match by it",
            ),
            (WarningCode::Crowded, self.crowded.rows, CROWDED_ARE),
            (WarningCode::OneKey, self.rows_of_one_key(), ONE_KEY),
        ];
        let suspected = self.suspected.found();
        let suspected = suspected.map(|(doubt, count)| (doubt.code, count.rows, doubt.what));
        without
            .into_iter()
            .chain(suspected)
            .filter(|(code, rows, _)| *rows > 0 && *code != WarningCode::Hashed)
            .map(|(code, rows, what)| Warning::of_rows(code, rows, what))
            .collect()
    }

    /// How many rows carry the only key, where there are two or more: such a list is more often a wrong column or preset.
    pub(crate) fn rows_of_one_key(&self) -> usize {
        let duplicates = self.duplicate_rows();
        if self.len == 1 && duplicates > 0 { 1 + duplicates } else { 0 }
    }

    /// Rows whose key an earlier row carries, and where a generator makes several, those whose keys earlier rows carry.
    #[must_use]
    pub fn duplicate_rows(&self) -> usize {
        if let KeysOfRow::Several { .. } = self.keys_of_row {
            let mut seen = 0;
            let brings_none = |row: usize| {
                // Numbers are given in the order of first rows.
                let last = self.keys_of(row).max()?;
                let brings = last >= seen;
                seen = seen.max(last + 1);
                (!brings).then_some(row)
            };
            return (0..self.rows()).filter_map(brings_none).count();
        }
        let skipped =
            self.null_rows + self.placeholders.rows + self.invalid.rows + self.crowded.rows;
        self.rows() - self.left_out_rows() - skipped - self.len()
    }

    /// Whether at least nine in ten keys of all rows are written as digests are.
    #[must_use]
    pub fn looks_hashed(&self) -> bool {
        self.all > 0 && 10 * self.hashed >= 9 * self.all
    }

    /// Bytes of memory that it occupies.
    #[must_use]
    pub fn memory(&self) -> u64 {
        (size_of_val(&self.digests[..]) + self.keys_of_row.memory() + self.left_out.len()) as u64
    }

    /// The rows that carry any of the keys `matched`, in the table's order.
    ///
    /// # Panics
    /// When a number in `matched` is not below [`KeySet::len`].
    pub fn rows_of(&self, matched: &[u32]) -> impl Iterator<Item = usize> + '_ {
        let mut chosen = vec![false; self.len()];
        for index in matched {
            chosen[*index as usize] = true;
        }
        (0..self.rows()).filter(move |row| self.keys_of(*row).any(|key| chosen[key]))
    }
}

/// Turns rows' fields in the key's columns into keys, one buffer for all.
pub(crate) struct RowEncoder<'a> {
    spec: &'a KeySpec,
    /// The key's place among several.
    place: Option<u32>,
    /// The place of its first column among the fields.
    first: usize,
    /// What its columns are in the last row.
    parts: Vec<String>,
    /// The last row's key, or one of them.
    pub(crate) key: Vec<u8>,
    /// Whether the last row's key is one column that is written as a digest is.
    pub(crate) looks_hashed: bool,
    /// What the last row's fields are suspected of.
    pub(crate) marks: u16,
}

impl<'a> RowEncoder<'a> {
    pub(crate) fn new(spec: &'a KeySpec) -> Self {
        let parts = vec![String::new(); spec.columns().len()];
        let key = Vec::new();
        Self { spec, place: None, first: 0, parts, key, looks_hashed: false, marks: 0 }
    }

    /// Reads the row's columns. An empty one makes it null, whatever the others hold; then a placeholder counts.
    pub(crate) fn encode(&mut self, fields: &Fields<'_>) -> Normalised {
        (self.looks_hashed, self.marks) = (false, 0);
        let mut worst = Normalised::Key;
        for (index, (column, part)) in self.spec.columns().iter().zip(&mut self.parts).enumerate() {
            part.clear();
            let field = fields.get(self.first + index);
            match (self.spec.normalise(index, &field, part), worst) {
                (Normalised::Key, _) => {}
                (Normalised::Null, _) => return Normalised::Null,
                (Normalised::Placeholder, _) => {
                    worst = Normalised::Placeholder;
                    continue;
                }
                (Normalised::Invalid, Normalised::Placeholder) => {}
                (Normalised::Invalid, _) => worst = Normalised::Invalid,
            }
            self.marks |= marks(column.preset, &field);
        }
        self.looks_hashed = matches!(&self.parts[..], [only] if is_digest(only));
        worst
    }

    /// Hands `each` every key of the last row that was read as one; no key twice.
    pub(crate) fn each_key(&mut self, mut each: impl FnMut(&[u8])) {
        self.key.clear();
        self.key.extend(self.place.iter().flat_map(|place| place.to_le_bytes()));
        if self.spec.has_generators() {
            let values = self.spec.values_of(&mut self.parts);
            each_row_of(&values, &mut self.key, &mut each);
        } else {
            self.parts.iter().for_each(|part| append(part.as_bytes(), &mut self.key));
            each(&self.key);
        }
    }

    /// Whether one of the last row's keys is not its text in the file.
    pub(crate) fn changes(&mut self, fields: &Fields<'_>) -> bool {
        let mut plain = Vec::new();
        plain.extend(self.place.iter().flat_map(|place| place.to_le_bytes()));
        let columns = 0..self.parts.len();
        columns.for_each(|column| append(fields.get(self.first + column).as_bytes(), &mut plain));
        let mut changes = false;
        self.each_key(|key| changes |= key != plain);
        changes
    }
}

/// Appends to `key` each choice of one value a column.
fn each_row_of(values: &[Vec<Vec<u8>>], key: &mut Vec<u8>, each: &mut dyn FnMut(&[u8])) {
    let Some((first, rest)) = values.split_first() else { return each(key) };
    let before = key.len();
    for value in first {
        append(value, key);
        each_row_of(rest, key, each);
        key.truncate(before);
    }
}

/// A value is shorter than its input, and inputs of 2^32 bytes in one field do not occur.
fn append(value: &[u8], key: &mut Vec<u8>) {
    let length = u32::try_from(value.len()).unwrap_or(u32::MAX);
    key.extend_from_slice(&length.to_le_bytes());
    key.extend_from_slice(value);
}

/// What a row with a placeholder in its key is.
pub(crate) const PLACEHOLDERS_ARE: &str =
    "a placeholder such as n/a, or a value of --stop, in the key: they never match by it";

/// What a row is whose key too many carry.
pub(crate) const CROWDED_ARE: &str =
    "a key that more rows carry than --most-per-key allows: they never match by it";

/// What rows of one key are.
pub(crate) const ONE_KEY: &str = "the same key in all that have one: a wrong column or preset?";

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::strategy::{Just, Strategy};

    use super::*;

    fn keys(csv: &str, spec: &str) -> KeySet {
        let table = Table::parse("t.csv".into(), csv.as_bytes().to_vec(), b',').expect("a table");
        KeySet::build(&table, &spec.parse().expect("a key")).expect("columns exist")
    }

    fn encoded(key: &str) -> Vec<u8> {
        [&u32::try_from(key.len()).expect("short").to_le_bytes()[..], key.as_bytes()].concat()
    }

    fn find(set: &KeySet, key: &str) -> u32 {
        let digest = *blake3::hash(&encoded(key)).as_bytes();
        let index = set.digests().iter().position(|other| *other == digest).expect("there");
        u32::try_from(index).expect("few")
    }

    #[test]
    fn duplicates_nulls_and_invalid_rows_are_counted_and_mapped() {
        let set = keys("ip,n\n192.0.2.1,a\n,b\nx,c\n ::ffff:192.0.2.1 ,d\n192.0.2.9,e\n", "ip:ip");
        assert_eq!((set.rows(), set.len()), (5, 2));
        assert_eq!((set.null_rows(), set.invalid_rows(), set.duplicate_rows()), (1, 1, 1));
        let matched = find(&set, "192.0.2.1");
        assert_eq!(set.rows_of(&[matched]).collect::<Vec<_>>(), [0, 3]);
        assert_eq!(set.rows_of(&[]).count(), 0);
        assert_eq!(set.first_rows(), [0, 4]);
        let of_rows: Vec<_> = (0..5).map(|row| set.key_of(row)).collect();
        assert_eq!(of_rows, [Some(0), None, None, Some(0), Some(1)]);
    }

    #[test]
    fn keys_that_too_many_rows_carry_never_match() {
        let table =
            Table::parse("t".into(), "k\na\nb\na\nc\na\nb\n\n".into(), b',').expect("a table");
        let at_most = |most| {
            let spec: KeySpec = "k".parse().expect("a key");
            KeySet::build(&table, &spec.carried_by_at_most(most)).expect("a column")
        };
        for (most, kept, crowded) in
            [(None, "abc", 0), (Some(3), "abc", 0), (Some(2), "bc", 3), (Some(1), "c", 5)]
        {
            let set = at_most(most);
            assert_eq!((set.len(), set.crowded_rows()), (kept.len(), crowded), "{most:?}");
            let all = ["a", "b", "a", "c", "a", "b"];
            for (row, key) in all.into_iter().enumerate() {
                let number = kept.contains(key).then(|| find(&set, key) as usize);
                assert_eq!(set.key_of(row), number, "{most:?} {row}");
            }
            assert_eq!(set.duplicate_rows(), 6 - crowded - kept.len());
        }
        assert_eq!(at_most(Some(1)).warnings()[0].code, WarningCode::Crowded);
    }

    #[test]
    fn columns_do_not_run_into_each_other_and_one_empty_column_is_enough() {
        let set = keys("a,b\nx,yz\nxy,z\n,z\nx,\n", "a,b");
        assert_eq!((set.len(), set.null_rows()), (2, 2));
        // Empty comes before unreadable.
        let set = keys("a,b\nx,\nx,192.0.2.1\n", "a:ip,b:ip");
        assert_eq!((set.null_rows(), set.invalid_rows()), (1, 1));
    }

    #[test]
    fn placeholders_never_match_unless_they_are_kept() {
        let csv = "k,n\nn/a,1\nNULL,2\n - ,3\nann@x.com,4\nunknown,5\n";
        for preset in ["raw", "email", "name"] {
            let set = keys(csv, &format!("k:{preset}"));
            assert_eq!(
                (set.len(), set.placeholder_rows(), set.invalid_rows()),
                (1, 4, 0),
                "{preset}"
            );
            assert_eq!((0..5).find_map(|row| set.key_of(row).map(|_| row)), Some(3));
        }
        // What the preset could not read either is a placeholder, and an empty column comes first.
        let set = keys("p,k\nn/a,a\n,n/a\nx,b\nn/a,n/a\nx,n/a\n", "p:phone,k");
        assert_eq!((set.null_rows(), set.placeholder_rows(), set.invalid_rows()), (1, 3, 1));
        let table = Table::parse("t.csv".into(), csv.into(), b',').expect("a table");
        let spec: KeySpec = "k:name".parse().expect("a key");
        let kept = KeySet::build(&table, &spec.keeping_placeholders(true)).expect("a column");
        assert_eq!((kept.len(), kept.placeholder_rows()), (5, 0));
    }

    #[test]
    fn a_user_is_warned_of_rows_with_their_numbers() {
        let warned = |csv: &str, spec: &str| {
            let warnings = keys(csv, spec).warnings();
            warnings.into_iter().map(|w| (w.code.name(), w.rows)).collect::<Vec<_>>()
        };
        assert_eq!(
            warned("k\nn/a\n-\n+44 (0)20\n1.2E+9\n+442079460018\n", "k:phone"),
            [("placeholders", Some(2)), ("unreadable-keys", Some(2)), ("rounded-numbers", Some(1))]
        );
        assert_eq!(warned("k\na\na\n a\n", "k:name"), [("one-key", Some(3))]);
        assert_eq!(warned(&format!("k\n{}\n", "0f".repeat(16)), "k"), []);
        assert_eq!(warned("k\nann@x.com\n\n", "k:email"), []);
    }

    #[test]
    fn hashed_lists_are_recognised() {
        let digest = "0123456789abcdefABCDEF0123456789abcdefABCDEF0123456789abcdefABCD";
        assert!(keys(&format!("h\n{digest}\n"), "h").looks_hashed());
        assert!(!keys(&format!("h\n{digest}\nplain\n"), "h").looks_hashed());
        assert!(!keys("h\n", "h").looks_hashed());
        let mostly: String = (10..20).map(|n| format!("{n}{}\n", &digest[..62])).collect();
        assert!(keys(&format!("h\n{}plain\n", &mostly[65..]), "h").looks_hashed());
        assert!(!keys(&format!("h\n{}plain\n", &mostly[130..]), "h").looks_hashed());
        assert!(!keys(&format!("h,i\n{digest},{digest}\n"), "h,i").looks_hashed());
    }

    /// A list and the same list in another order.
    fn two_orders() -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
        let values = proptest::collection::vec("[ab A]{0,3}", 0..40);
        values.prop_flat_map(|values| (Just(values.clone()), Just(values).prop_shuffle()))
    }

    fn table_of(values: &[String]) -> String {
        let rows: String = values.iter().map(|value| format!("\"{value}\"\n")).collect();
        format!("k\n{rows}")
    }

    proptest::proptest! {
        #[test]
        fn agrees_with_plain_sets_whatever_the_order((values, shuffled) in two_orders()) {
            let rule = |value: &String| value.trim().to_lowercase();
            for values in [&values, &shuffled] {
                let mut expected: BTreeMap<String, Vec<usize>> = BTreeMap::new();
                for (row, value) in values.iter().enumerate() {
                    expected.entry(rule(value)).or_default().push(row);
                }
                let nulls = expected.remove("").map_or(0, |rows| rows.len());
                let set = keys(&table_of(values), "k:email");
                proptest::prop_assert_eq!((set.len(), set.null_rows()), (expected.len(), nulls));
                for (key, rows) in &expected {
                    let got: Vec<usize> = set.rows_of(&[find(&set, key)]).collect();
                    proptest::prop_assert_eq!(&got, rows);
                    proptest::prop_assert_eq!(set.first_rows()[find(&set, key) as usize] as usize, rows[0]);
                }
            }
        }

        #[test]
        fn an_order_changes_neither_the_keys_nor_the_rows_that_match(
            (values, shuffled) in two_orders(), wanted in proptest::collection::btree_set("[ab]{1,2}", 0..4),
        ) {
            let look = |values: &[String]| {
                let set = keys(&table_of(values), "k:email");
                let digest = |key: &String| *blake3::hash(&encoded(key)).as_bytes();
                let wanted: Vec<KeyDigest> = wanted.iter().map(digest).collect();
                let matched: Vec<u32> =
                    (0..).zip(set.digests()).filter(|(_, key)| wanted.contains(key)).map(|(i, _)| i).collect();
                let mut rows: Vec<String> = set.rows_of(&matched).map(|row| values[row].clone()).collect();
                rows.sort_unstable();
                let all: BTreeSet<KeyDigest> = set.digests().iter().copied().collect();
                (all, rows, set.null_rows(), set.duplicate_rows())
            };
            proptest::prop_assert_eq!(look(&values), look(&shuffled));
        }

        #[test]
        fn different_rows_of_columns_are_different_keys(
            rows in proptest::collection::btree_set(("[a,]{1,3}", "[a,]{1,3}"), 1..12),
        ) {
            let lines: String = rows.iter().map(|(a, b)| format!("\"{a}\",\"{b}\"\n")).collect();
            proptest::prop_assert_eq!(keys(&format!("a,b\n{lines}"), "a,b").len(), rows.len());
        }
    }
}
