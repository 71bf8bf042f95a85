//! A table's distinct keys, and which rows carry them.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

use crate::preset::Normalised;
use crate::table::Fields;
use crate::{DataError, KeySpec, Table};

/// A row without a key.
const NO_KEY: u32 = u32::MAX;

/// Distinct normalised keys in the order of their first row, and the map from rows to keys.
///
/// A key of several columns is the columns' normalised texts, each after its length in bytes (4 bytes,
/// little-endian), so that no two different rows of columns make the same key. Costs the keys' texts, 8 bytes a key
/// and 4 bytes a row.
pub struct KeySet {
    text: Vec<u8>,
    ends: Vec<u64>,
    key_of_row: Vec<u32>,
    null_rows: usize,
    invalid_rows: usize,
    hashed: usize,
}

impl KeySet {
    /// The keys of `table` under `spec`.
    ///
    /// # Errors
    /// When a column of `spec` is not in the table.
    pub fn build(table: &Table, spec: &KeySpec) -> Result<Self, DataError> {
        let places = spec.locate(table)?;
        let mut builder = Builder::new(table.rows());
        let mut encoder = RowEncoder::new(spec, &places);
        table.for_each_row(|_, fields| match encoder.encode(fields) {
            Normalised::Key => builder.add(&encoder.key, encoder.looks_hashed),
            Normalised::Null => builder.skip(|keys| keys.null_rows += 1),
            Normalised::Invalid => builder.skip(|keys| keys.invalid_rows += 1),
        });
        Ok(builder.finish())
    }

    /// How many distinct keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Key number `index`.
    #[must_use]
    pub fn key(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.text[start..self.ends[index] as usize]
    }

    /// How many rows the table has.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.key_of_row.len()
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

    /// Bytes of memory that the keys occupy.
    #[must_use]
    pub fn memory(&self) -> u64 {
        (self.text.len() + 8 * self.ends.len() + 4 * self.key_of_row.len()) as u64
    }

    /// The rows that carry any of the keys `matched`, in the table's order.
    pub fn rows_of(&self, matched: &[u32]) -> impl Iterator<Item = usize> + '_ {
        let mut chosen = vec![false; self.len()];
        for index in matched {
            chosen[*index as usize] = true;
        }
        let carries = move |key: u32| key != NO_KEY && chosen[key as usize];
        self.key_of_row
            .iter()
            .enumerate()
            .filter_map(move |(row, key)| carries(*key).then_some(row))
    }
}

/// Turns rows into keys, one buffer for all.
pub(crate) struct RowEncoder<'a> {
    spec: &'a KeySpec,
    places: &'a [usize],
    part: String,
    /// The last row's key.
    pub(crate) key: Vec<u8>,
    /// Whether the last row's key is one column of 64 hexadecimal digits.
    pub(crate) looks_hashed: bool,
}

impl<'a> RowEncoder<'a> {
    pub(crate) fn new(spec: &'a KeySpec, places: &'a [usize]) -> Self {
        Self { spec, places, part: String::new(), key: Vec::new(), looks_hashed: false }
    }

    /// Fills `key`. An empty column makes the row null, whatever the others hold.
    pub(crate) fn encode(&mut self, fields: &Fields<'_>) -> Normalised {
        self.key.clear();
        self.looks_hashed = false;
        let mut worst = Normalised::Key;
        for (column, place) in self.spec.columns().iter().zip(self.places) {
            self.part.clear();
            match column.preset.normalise(fields.get(*place), &mut self.part) {
                Normalised::Key => {}
                Normalised::Null => return Normalised::Null,
                Normalised::Invalid => worst = Normalised::Invalid,
            }
            let part = std::mem::take(&mut self.part);
            self.append(&part);
            self.part = part;
        }
        self.looks_hashed = self.places.len() == 1 && is_digest(&self.part);
        worst
    }

    /// The key as it would be without any normalisation.
    pub(crate) fn encode_raw(&mut self, fields: &Fields<'_>) -> &[u8] {
        self.key.clear();
        for place in self.places {
            self.append(fields.get(*place));
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

struct Builder {
    keys: KeySet,
    seen: HashTable<u32>,
    state: RandomState,
}

impl Builder {
    fn new(rows: usize) -> Self {
        let keys = KeySet {
            text: Vec::new(),
            ends: Vec::new(),
            key_of_row: Vec::with_capacity(rows),
            null_rows: 0,
            invalid_rows: 0,
            hashed: 0,
        };
        Self { keys, seen: HashTable::new(), state: RandomState::new() }
    }

    fn add(&mut self, key: &[u8], looks_hashed: bool) {
        let Self { keys, seen, state } = self;
        let hash = state.hash_one(key);
        let index = match seen.find(hash, |index| keys.key(*index as usize) == key) {
            Some(index) => *index,
            None => {
                // The table has fewer than 2^32 − 1 rows, hence keys.
                let index = u32::try_from(keys.len()).unwrap_or(NO_KEY);
                keys.text.extend_from_slice(key);
                keys.ends.push(keys.text.len() as u64);
                keys.hashed += usize::from(looks_hashed);
                seen.insert_unique(hash, index, |other| state.hash_one(keys.key(*other as usize)));
                index
            }
        };
        keys.key_of_row.push(index);
    }

    fn skip(&mut self, count: impl FnOnce(&mut KeySet)) {
        count(&mut self.keys);
        self.keys.key_of_row.push(NO_KEY);
    }

    fn finish(mut self) -> KeySet {
        self.keys.text.shrink_to_fit();
        self.keys.ends.shrink_to_fit();
        self.keys
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn keys(csv: &str, spec: &str) -> KeySet {
        let table = Table::parse("t.csv".into(), csv.as_bytes().to_vec(), b',').expect("a table");
        KeySet::build(&table, &spec.parse().expect("a key")).expect("columns exist")
    }

    fn find(set: &KeySet, key: &str) -> u32 {
        let encoded =
            [&u32::try_from(key.len()).expect("short").to_le_bytes()[..], key.as_bytes()].concat();
        let index = (0..set.len()).find(|index| set.key(*index) == encoded).expect("there");
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
    }

    #[test]
    fn columns_do_not_run_into_each_other_and_one_empty_column_is_enough() {
        let set = keys("a,b\nx,yz\nxy,z\n,z\nx,\n", "a,b");
        assert_eq!((set.len(), set.null_rows()), (2, 2));
    }

    #[test]
    fn hashed_lists_are_recognised() {
        let digest = "0123456789abcdefABCDEF0123456789abcdefABCDEF0123456789abcdefABCD";
        assert!(keys(&format!("h\n{digest}\n"), "h").looks_hashed());
        assert!(!keys(&format!("h\n{digest}\nplain\n"), "h").looks_hashed());
        assert!(!keys("h\n", "h").looks_hashed());
    }

    proptest::proptest! {
        #[test]
        fn agrees_with_plain_sets_whatever_the_order(
            values in proptest::collection::vec("[ab A]{0,3}", 0..40), rotate in 0usize..40,
        ) {
            let csv = |values: &[String]| {
                let rows: String = values.iter().map(|value| format!("\"{value}\"\n")).collect();
                format!("k\n{rows}")
            };
            let rule = |value: &String| value.trim().to_lowercase();
            let mut expected: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for (row, value) in values.iter().enumerate() {
                if !rule(value).is_empty() {
                    expected.entry(rule(value)).or_default().push(row);
                }
            }
            let set = keys(&csv(&values), "k:email");
            proptest::prop_assert_eq!(set.len(), expected.len());
            for (key, rows) in &expected {
                let got: Vec<usize> = set.rows_of(&[find(&set, key)]).collect();
                proptest::prop_assert_eq!(&got, rows);
            }
            let mut turned = values.clone();
            if !turned.is_empty() {
                let by = rotate % turned.len();
                turned.rotate_left(by);
            }
            let other = keys(&csv(&turned), "k:email");
            let all = |set: &KeySet| (0..set.len()).map(|i| set.key(i).to_vec()).collect::<BTreeSet<_>>();
            proptest::prop_assert_eq!(all(&set), all(&other));
            proptest::prop_assert_eq!(set.null_rows(), other.null_rows());
        }
    }
}
