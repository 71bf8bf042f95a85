//! A table's distinct keys, and which rows carry them.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;
use zeroize::Zeroizing;

use crate::preset::Normalised;
use crate::table::Fields;
use crate::{DataError, KeySpec, Table};

/// A row without a key.
const NO_KEY: u32 = u32::MAX;

/// The digest of a key: BLAKE3 of the normalised texts of its columns, each after its length in bytes (4 bytes,
/// little-endian), so that no two different rows of columns make the same key.
///
/// Whoever has it can test guesses of the key.
pub type KeyDigest = [u8; 32];

/// Which key each row carries.
enum KeyOfRow {
    /// So many rows have a key of their own.
    Own(usize),
    /// Numbers of keys.
    Listed(Vec<u32>),
}

impl KeyOfRow {
    fn rows(&self) -> usize {
        match self {
            Self::Own(rows) => *rows,
            Self::Listed(keys) => keys.len(),
        }
    }

    fn get(&self, row: usize) -> u32 {
        match self {
            // A table has fewer than 2^32 - 1 rows.
            Self::Own(rows) if row < *rows => row as u32,
            Self::Own(rows) => panic!("row {row} of {rows}"),
            Self::Listed(keys) => keys[row],
        }
    }

    /// The next row carries this key.
    fn push(&mut self, key: u32, capacity: usize) {
        match self {
            Self::Own(rows) if key as usize == *rows => *rows += 1,
            Self::Own(rows) => {
                let mut keys = Vec::with_capacity(capacity);
                keys.extend(0..*rows as u32);
                keys.push(key);
                *self = Self::Listed(keys);
            }
            Self::Listed(keys) => keys.push(key),
        }
    }
}

/// Distinct normalised keys in the order of their first row, and the map from rows to keys. Costs 32 bytes a key, until its
/// digests are taken, and 4 bytes a row unless every row has a key of its own.
pub struct KeySet {
    digests: Zeroizing<Vec<KeyDigest>>,
    len: usize,
    key_of_row: KeyOfRow,
    null_rows: usize,
    invalid_rows: usize,
    hashed: usize,
}

impl KeySet {
    /// The keys of `table` under `spec`.
    ///
    /// # Errors
    /// When a column of `spec` is not in the table, or holds no keys.
    pub fn build(table: &Table, spec: &KeySpec) -> Result<Self, DataError> {
        let places = spec.locate(table)?;
        let mut builder = Builder::new(table.rows());
        let mut encoder = RowEncoder::new(spec);
        table.for_each_row(&places, |_, fields| match encoder.encode(fields) {
            Normalised::Key => builder.add(&encoder.key, encoder.looks_hashed),
            Normalised::Null => builder.skip(|keys| keys.null_rows += 1),
            Normalised::Invalid => builder.skip(|keys| keys.invalid_rows += 1),
        })?;
        Ok(builder.finish())
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
            if self.key_of_row.get(row) as usize == first.len() {
                first.push(row as u32);
            }
        }
        first
    }

    /// The number of row `row`'s key, if it has one.
    ///
    /// # Panics
    /// When `row` is not below [`KeySet::rows`].
    #[must_use]
    pub fn key_of(&self, row: usize) -> Option<usize> {
        let key = self.key_of_row.get(row);
        (key != NO_KEY).then_some(key as usize)
    }

    /// How many rows the table has.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.key_of_row.rows()
    }

    /// Rows without a key because a key column is empty.
    #[must_use]
    pub fn null_rows(&self) -> usize {
        self.null_rows
    }

    /// Rows without a key because a key column cannot be read by its preset.
    #[must_use]
    pub fn invalid_rows(&self) -> usize {
        self.invalid_rows
    }

    /// Rows whose key an earlier row carries.
    #[must_use]
    pub fn duplicate_rows(&self) -> usize {
        self.rows() - self.null_rows - self.invalid_rows - self.len()
    }

    /// Whether at least nine in ten keys are 64 hexadecimal digits.
    #[must_use]
    pub fn looks_hashed(&self) -> bool {
        !self.is_empty() && 10 * self.hashed >= 9 * self.len()
    }

    /// Bytes of memory that it occupies.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let listed = match &self.key_of_row {
            KeyOfRow::Own(_) => 0,
            KeyOfRow::Listed(keys) => size_of_val(&keys[..]),
        };
        (size_of_val(&self.digests[..]) + listed) as u64
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
        (0..self.rows()).filter(move |row| self.key_of(*row).is_some_and(|key| chosen[key]))
    }
}

/// Turns rows' fields in the key's columns into keys, one buffer for all.
pub(crate) struct RowEncoder<'a> {
    spec: &'a KeySpec,
    part: String,
    /// The last row's key.
    pub(crate) key: Vec<u8>,
    /// Whether the last row's key is one column of 64 hexadecimal digits.
    pub(crate) looks_hashed: bool,
}

impl<'a> RowEncoder<'a> {
    pub(crate) fn new(spec: &'a KeySpec) -> Self {
        Self { spec, part: String::new(), key: Vec::new(), looks_hashed: false }
    }

    /// Fills `key`. An empty column makes the row null, whatever the others hold.
    pub(crate) fn encode(&mut self, fields: &Fields<'_>) -> Normalised {
        self.key.clear();
        self.looks_hashed = false;
        let mut worst = Normalised::Key;
        for (index, column) in self.spec.columns().iter().enumerate() {
            self.part.clear();
            match column.preset.normalise(&fields.get(index), &mut self.part) {
                Normalised::Key => {}
                Normalised::Null => return Normalised::Null,
                Normalised::Invalid => worst = Normalised::Invalid,
            }
            let part = std::mem::take(&mut self.part);
            self.append(&part);
            self.part = part;
        }
        self.looks_hashed = self.spec.columns().len() == 1 && is_digest(&self.part);
        worst
    }

    /// The key as it would be without any normalisation.
    pub(crate) fn encode_raw(&mut self, fields: &Fields<'_>) -> &[u8] {
        self.key.clear();
        for index in 0..self.spec.columns().len() {
            self.append(&fields.get(index));
        }
        &self.key
    }

    /// A field is shorter than its input, and inputs of 2^32 bytes in one field do not occur.
    fn append(&mut self, text: &str) {
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        self.key.extend_from_slice(&length.to_le_bytes());
        self.key.extend_from_slice(text.as_bytes());
    }
}

/// Whether `text` is 64 hexadecimal digits.
pub(crate) fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Keys that there is room for from the start: a longer list may have far fewer keys than rows.
const RESERVED: usize = 1 << 24;

struct Builder {
    keys: KeySet,
    seen: HashTable<u32>,
    state: RandomState,
    rows: usize,
}

impl Builder {
    fn new(rows: usize) -> Self {
        let keys = KeySet {
            digests: Zeroizing::new(Vec::with_capacity(rows.min(RESERVED))),
            len: 0,
            key_of_row: KeyOfRow::Own(0),
            null_rows: 0,
            invalid_rows: 0,
            hashed: 0,
        };
        Self { keys, seen: HashTable::with_capacity(rows), state: RandomState::new(), rows }
    }

    fn add(&mut self, key: &[u8], looks_hashed: bool) {
        let Self { keys, seen, state, rows } = self;
        let digest = *blake3::hash(key).as_bytes();
        // Whoever supplies keys can choose digests of like bits, but does not know this hash.
        let hash = state.hash_one(digest);
        let index = match seen.find(hash, |index| keys.digests[*index as usize] == digest) {
            Some(index) => *index,
            None => {
                // The table has fewer than 2^32 − 1 rows, hence keys.
                let index = u32::try_from(keys.len).unwrap_or(NO_KEY);
                keys.digests.push(digest);
                keys.len += 1;
                keys.hashed += usize::from(looks_hashed);
                seen.insert_unique(hash, index, |i| state.hash_one(keys.digests[*i as usize]));
                index
            }
        };
        keys.key_of_row.push(index, *rows);
    }

    fn skip(&mut self, count: impl FnOnce(&mut KeySet)) {
        count(&mut self.keys);
        self.keys.key_of_row.push(NO_KEY, self.rows);
    }

    fn finish(mut self) -> KeySet {
        self.keys.digests.shrink_to_fit();
        self.keys
    }
}

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
    fn columns_do_not_run_into_each_other_and_one_empty_column_is_enough() {
        let set = keys("a,b\nx,yz\nxy,z\n,z\nx,\n", "a,b");
        assert_eq!((set.len(), set.null_rows()), (2, 2));
        // Empty comes before unreadable.
        let set = keys("a,b\nx,\nx,192.0.2.1\n", "a:ip,b:ip");
        assert_eq!((set.null_rows(), set.invalid_rows()), (1, 1));
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
