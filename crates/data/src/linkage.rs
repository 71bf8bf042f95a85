//! A list under one key or several, and which of its rows match by which.

use zeroize::Zeroizing;

use crate::{DataError, KeyDigest, KeySet, KeySpec, Persons, Table, Warning};

/// The most keys of a list.
pub const MAX_LINKAGE_KEYS: usize = 64;

/// A list under the keys by which its rows can match, the most trusted first.
///
/// A value of a key has a number: those of the first key come first, in the order of their first rows, then those of the
/// second, and so on. Where there are several keys, a value's digest is that of its key's place, too, so that a telephone
/// number under the second key is another value than the same number under the third.
pub struct Linkage {
    sets: Vec<KeySet>,
}

impl Linkage {
    /// The values of `table` under `specs`, of which there is at least one.
    ///
    /// # Errors
    /// When a column is not in the table, or holds no keys.
    ///
    /// # Panics
    /// When there is no key.
    pub fn build(table: &Table, specs: &[KeySpec]) -> Result<Self, DataError> {
        assert!(!specs.is_empty(), "a list has a key");
        Ok(Self { sets: KeySet::build_all(table, specs)? })
    }

    /// The values of these of its rows alone; the others carry none. Which keys too many rows carry, and whether keys look hashed, stays as it
    /// is of all rows. Its digests must not have been taken.
    ///
    /// # Panics
    /// When `rows` are fewer than the table's.
    #[must_use]
    pub fn among(self, rows: &[bool]) -> Self {
        Self { sets: self.sets.into_iter().map(|set| set.among(rows)).collect() }
    }

    /// The values under each key.
    #[must_use]
    pub fn keys(&self) -> &[KeySet] {
        &self.sets
    }

    /// Those under the first, which is the only one of most lists.
    #[must_use]
    pub fn first(&self) -> &KeySet {
        &self.sets[0]
    }

    /// The rows as persons, each with its values under all keys. Their digests must not have been taken, and no generator makes
    /// several of a row.
    #[must_use]
    pub fn persons(&self) -> Persons {
        Persons::new(&self.sets)
    }

    /// How many distinct values there are, under all keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sets.iter().map(KeySet::len).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many rows the table has.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.first().rows()
    }

    /// The digests of all values by their numbers, as far as they were not taken.
    #[must_use]
    pub fn digests(&self) -> Zeroizing<Vec<KeyDigest>> {
        let mut all = Zeroizing::new(Vec::with_capacity(self.len()));
        self.sets.iter().for_each(|set| all.extend_from_slice(set.digests()));
        all
    }

    /// Tells the digests of all values by their numbers, some at a time.
    pub fn over_digests(&self, tell: &mut dyn FnMut(&[u8])) {
        self.sets.iter().for_each(|set| tell(set.digests().as_flattened()));
    }

    /// The digests of all values by their numbers, which are gone from here: they are most of what it costs.
    #[must_use]
    pub fn take_digests(&mut self) -> Zeroizing<Vec<KeyDigest>> {
        if let [only] = &mut self.sets[..] {
            return only.take_digests();
        }
        let mut all = Zeroizing::new(Vec::with_capacity(self.len()));
        self.sets.iter_mut().for_each(|set| all.extend_from_slice(&set.take_digests()));
        all
    }

    /// Bytes of memory that it occupies.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.sets.iter().map(KeySet::memory).sum()
    }

    /// Whether the values under any key are written as digests are.
    #[must_use]
    pub fn looks_hashed(&self) -> bool {
        self.sets.iter().any(KeySet::looks_hashed)
    }

    /// What a user should know of the values before a run, by key.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        let of_key = |(place, set): (usize, &KeySet)| {
            let several = self.sets.len() > 1;
            set.warnings().into_iter().map(move |warning| match several {
                true => Warning { text: format!("key {place}, {}", warning.text), ..warning },
                false => warning,
            })
        };
        (1..).zip(&self.sets).flat_map(of_key).collect()
    }

    /// The rows that match by the values of these numbers, rising, and the first key by which each does.
    ///
    /// # Panics
    /// When a number is not below [`Linkage::len`].
    pub fn rows_of(&self, matched: &[u32]) -> impl Iterator<Item = (usize, usize)> + '_ {
        let matches = self.matches(matched);
        (0..self.rows()).filter_map(move |row| Some((row, matches.of(row, self.sets.len())?)))
    }

    /// The numbers of the values that the row carries under all keys.
    ///
    /// # Panics
    /// When `row` is not below [`Linkage::rows`].
    pub(crate) fn numbers_of(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        let mut first = 0;
        self.sets.iter().flat_map(move |set| {
            let before = first;
            first += set.len();
            set.keys_of(row).map(move |value| before + value)
        })
    }

    /// The most values that a row has under one key: several where a generator makes them.
    #[must_use]
    pub fn values_of_row(&self) -> usize {
        let of_set = |set: &KeySet| (0..set.rows()).map(|row| set.keys_of(row).count()).max();
        self.sets.iter().filter_map(of_set).max().unwrap_or(0)
    }

    /// The rows that match by the values of these numbers, which rise: each with the first key by which it does, and the places in
    /// `matched` of its values under that key.
    ///
    /// # Panics
    /// When a number is not below [`Linkage::len`].
    pub fn matches_of<'a>(&'a self, matched: &'a [u32]) -> impl Iterator<Item = Match> + 'a {
        let firsts = self.sets.iter().scan(0, |next, set| {
            let first = *next;
            *next += set.len();
            Some(first)
        });
        let firsts: Vec<usize> = firsts.collect();
        self.rows_of(matched).flat_map(move |(row, key)| {
            let values = self.sets[key].keys_of(row).map({
                let first = firsts[key];
                move |value| u32::try_from(first + value).unwrap_or(u32::MAX)
            });
            let places = values.filter_map(|number| matched.binary_search(&number).ok());
            // A table has fewer rows, and a list fewer values, than fit 32 bits.
            let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
            let of = |place| Match { row: narrow(row), key: narrow(key), place: narrow(place) };
            places.map(of).collect::<Vec<_>>()
        })
    }

    /// The numbers of the values under the key at `place` that are carried by rows which match by none of the values
    /// `matched` under the keys before it; rising.
    ///
    /// # Panics
    /// When there is no such key, or a number is not below [`Linkage::len`].
    #[must_use]
    pub fn left(&self, place: usize, matched: &[u32]) -> Vec<u32> {
        let set = &self.sets[place];
        if place == 0 {
            return (0..set.len())
                .map(|number| u32::try_from(number).unwrap_or(u32::MAX))
                .collect();
        }
        let matches = self.matches(matched);
        let mut left = vec![false; set.len()];
        for row in 0..set.rows() {
            if matches.of(row, place).is_none() {
                set.keys_of(row).for_each(|value| left[value] = true);
            }
        }
        let first: usize = self.sets[..place].iter().map(KeySet::len).sum();
        let numbers = (first..).zip(left).filter(|(_, left)| *left);
        // Numbers of 32 bits were enough for `matched`.
        numbers.map(|(number, _)| u32::try_from(number).unwrap_or(u32::MAX)).collect()
    }

    fn matches(&self, matched: &[u32]) -> Matches<'_> {
        let mut all = vec![false; self.len()];
        matched.iter().for_each(|number| all[*number as usize] = true);
        let mut rest = all.into_iter();
        let by_key = self.sets.iter().map(|set| (set, rest.by_ref().take(set.len()).collect()));
        Matches { by_key: by_key.collect() }
    }
}

/// That a row matches by one of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// The row.
    pub row: u32,
    /// The first key by which it matches.
    pub key: u32,
    /// Which of the values that match it is.
    pub place: u32,
}

/// Of each key, whether its values match.
struct Matches<'a> {
    by_key: Vec<(&'a KeySet, Vec<bool>)>,
}

impl Matches<'_> {
    /// The first of the first `keys` by which the row matches.
    fn of(&self, row: usize, keys: usize) -> Option<usize> {
        let matches =
            |(set, matches): &(&KeySet, Vec<bool>)| set.keys_of(row).any(|value| matches[value]);
        self.by_key[..keys].iter().position(matches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linkage(text: &str, keys: &[&str]) -> Linkage {
        let table = Table::parse("t".into(), text.into(), b',').expect("a table");
        let specs: Vec<KeySpec> = keys.iter().map(|key| key.parse().expect("a key")).collect();
        Linkage::build(&table, &specs).expect("the columns are there")
    }

    const PEOPLE: &str = "mail,phone\na@x,1\nb@x,\n,1\nA@x,2\n,\n,3\n";

    #[test]
    fn values_are_numbered_key_after_key_and_rows_match_by_the_first() {
        let list = linkage(PEOPLE, &["mail:email", "phone"]);
        // a@x, b@x; 1, 2, 3.
        assert_eq!((list.len(), list.rows()), (5, 6));
        assert_eq!(list.rows_of(&[2]).collect::<Vec<_>>(), [(0, 1), (2, 1)]);
        assert_eq!(list.rows_of(&[0, 2]).collect::<Vec<_>>(), [(0, 0), (2, 1), (3, 0)]);
        assert_eq!(list.rows_of(&[]).count(), 0);
    }

    #[test]
    fn rows_that_match_leave_their_other_values() {
        let list = linkage(PEOPLE, &["mail:email", "phone"]);
        assert_eq!(list.left(0, &[]), [0, 1]);
        assert_eq!(list.left(1, &[]), [2, 3, 4]);
        // The third row still carries the first number.
        assert_eq!(list.left(1, &[0]), [2, 4]);
        assert_eq!(list.left(1, &[1]), [2, 3, 4]);
    }

    #[test]
    fn one_value_under_two_keys_is_two_values_and_under_one_key_it_is_as_ever() {
        let list = linkage("a,b\nx,x\n", &["a", "b"]);
        let digests = list.digests();
        assert_ne!(digests[0], digests[1]);
        let mut one = linkage("a,b\nx,x\n", &["a"]);
        let (kept, taken) = (one.digests(), one.take_digests());
        assert_eq!(*kept, *taken);
        let same = KeySet::build(
            &Table::parse("t".into(), "a\nx\n".into(), b',').expect("a table"),
            &"a".parse().expect("a key"),
        );
        assert_eq!(kept[..], *same.expect("a column").digests());
        assert!(one.digests().is_empty());
    }
}
