//! The rows of a list whose values under several keys stay together.

use zeroize::Zeroizing;

use crate::KeySet;
use crate::keys::NO_KEY;

/// The rows of a list as persons: each with its values under several keys, of which each belongs to one person.
///
/// A value that several rows carry belongs to the one whose values have the smallest digest together, whatever the order of the
/// rows; rows with the same values are one person. A row that is left without a value belongs to the person that has its first. Rows
/// that have no value under any key belong to nobody.
pub struct Persons {
    /// Which row has the values of each person: the first of those that have them all.
    heads: KeySet,
    /// Of which person each row is.
    rows: KeySet,
    /// Of each person, the number of its value under each key, as [`Linkage`](crate::Linkage) numbers them.
    values: Vec<u32>,
}

impl Persons {
    /// Those of the rows with these keys, of which a row has one under each at most, and whose digests were not taken.
    pub(crate) fn new(sets: &[KeySet]) -> Self {
        let count = sets[0].rows();
        let ranks: Vec<u128> = (0..count).map(|row| rank(sets, row)).collect();
        let ranks = Zeroizing::new(ranks);
        let owners: Vec<Vec<u32>> = sets.iter().map(|set| owners(set, &ranks)).collect();
        let values_of = |row: usize| {
            let of_keys = sets.iter().zip(&owners);
            of_keys.map(move |(set, owners)| set.key_of(row).map(|value| (value, owners[value])))
        };
        // The first of the rows with the same values, or with its first one.
        let head = |row: usize| {
            let owners = || values_of(row).flatten().map(|(_, owner)| owner);
            let is_alike = |owner: &u32| ranks[*owner as usize] == ranks[row];
            owners().find(is_alike).or_else(|| owners().next())
        };
        let mut persons = 0;
        let number = |row: usize| {
            let is_head = head(row) == Some(row as u32);
            persons += u32::from(is_head);
            if is_head { persons - 1 } else { NO_KEY }
        };
        let numbers: Vec<u32> = (0..count).map(number).collect();
        let of_row = |row| head(row).map_or(NO_KEY, |head| numbers[head as usize]);
        let of_row = (0..count).map(of_row).collect();
        let mut values = vec![NO_KEY; persons as usize * sets.len()];
        for (row, number) in numbers.iter().enumerate().filter(|(_, number)| **number != NO_KEY) {
            let mut first = 0;
            let places = &mut values[*number as usize * sets.len()..];
            for ((place, value), set) in places.iter_mut().zip(values_of(row)).zip(sets) {
                if let Some((value, _)) = value.filter(|(_, owner)| *owner as usize == row) {
                    // There are fewer than 2^32 values.
                    *place = (first + value) as u32;
                }
                first += set.len();
            }
        }
        let of_all = |rows| KeySet::of_rows(rows, persons as usize);
        Self { heads: of_all(numbers), rows: of_all(of_row), values }
    }

    /// Which row has each person's values, and with it stands for the person, whose number is its key; the others have none.
    #[must_use]
    pub fn heads(&self) -> &KeySet {
        &self.heads
    }

    /// Which rows are of which person, also those that have none of its values to themselves; a person's number is its key, and
    /// those do not stand in the order of first rows.
    #[must_use]
    pub fn rows(&self) -> &KeySet {
        &self.rows
    }

    /// The numbers of each person's values, one under each key, person after person; none where it has no value.
    pub fn values(&self) -> impl ExactSizeIterator<Item = Option<usize>> + '_ {
        self.values.iter().map(|value| (*value != NO_KEY).then_some(*value as usize))
    }

    /// Bytes of memory that it occupies.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.heads.memory() + self.rows.memory() + size_of_val(&self.values[..]) as u64
    }
}

/// What rows with the same values have alike, and others only by chance, whatever the order of the rows.
fn rank(sets: &[KeySet], row: usize) -> u128 {
    let mut hasher = blake3::Hasher::new();
    for set in sets {
        hasher.update(set.key_of(row).map_or(&[0; 32], |value| &set.digests()[value]));
    }
    let mut rank = [0; 16];
    hasher.finalize_xof().fill(&mut rank);
    u128::from_le_bytes(rank)
}

/// Of each value the first row of the smallest rank that carries it.
fn owners(set: &KeySet, ranks: &[u128]) -> Vec<u32> {
    let mut owners = vec![NO_KEY; set.len()];
    for row in 0..set.rows() {
        let Some(value) = set.key_of(row) else { continue };
        let owner = owners[value];
        if owner == NO_KEY || ranks[row] < ranks[owner as usize] {
            // A table has fewer than 2^32 - 1 rows.
            owners[value] = row as u32;
        }
    }
    owners
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::strategy::{Just, Strategy};

    use crate::{Linkage, Table};

    type Row = [Option<u8>; 3];

    fn linkage(rows: &[Row]) -> Linkage {
        let mut text = "a,b,c\n".to_owned();
        for row in rows {
            let cells = row.map(|cell| cell.map_or(String::new(), |cell| format!("v{cell}")));
            text += &format!("{}\n", cells.join(","));
        }
        let table = Table::parse("t".into(), text.into(), b',').expect("a table");
        let specs = ["a", "b", "c"].map(|key| key.parse().expect("a key"));
        Linkage::build(&table, &specs).expect("the columns are there")
    }

    /// The digests of a person's values, and what stands in its rows.
    type Person = (Vec<Option<[u8; 32]>>, BTreeSet<Row>);

    fn persons(rows: &[Row]) -> BTreeSet<Person> {
        let list = linkage(rows);
        let (digests, persons) = (list.digests(), list.persons());
        let values: Vec<_> = persons.values().map(|value| value.map(|v| digests[v])).collect();
        let of = |person: u32| {
            let own = persons.rows().rows_of(&[person]).map(|row| rows[row]);
            (values[3 * person as usize..][..3].to_vec(), own.collect())
        };
        (0..persons.rows().len() as u32).map(of).collect()
    }

    #[test]
    fn a_value_belongs_to_one_person_and_a_row_without_one_to_that_of_its_first() {
        let (one, other) = ([Some(1), Some(2), None], [Some(1), None, None]);
        let found = persons(&[other, one, [None; 3], one]);
        // Whoever has the smaller digest takes the first value; the other row has another value to itself or none.
        let both = BTreeSet::from([one, other]);
        match &found.into_iter().collect::<Vec<_>>()[..] {
            [(values, rows)] => {
                assert_eq!((values.iter().flatten().count(), rows), (2, &both));
            }
            [first, second] => {
                assert_eq!(first.0.iter().chain(&second.0).flatten().count(), 2);
                assert!(first.1.is_disjoint(&second.1));
            }
            more => panic!("{} persons", more.len()),
        }
    }

    fn two_orders() -> impl Strategy<Value = (Vec<Row>, Vec<Row>)> {
        let cell = || proptest::option::weighted(0.7, 0..4_u8);
        let row = [cell(), cell(), cell()];
        let rows = proptest::collection::vec(row, 1..12);
        rows.prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle()))
    }

    proptest::proptest! {
        #[test]
        fn the_order_of_rows_changes_nothing((rows, shuffled) in two_orders()) {
            proptest::prop_assert_eq!(persons(&rows), persons(&shuffled));
        }

        #[test]
        fn every_value_has_one_person_which_carries_it_and_every_row_with_a_value_is_of_one(
            (rows, _) in two_orders(),
        ) {
            let list = linkage(&rows);
            let persons = list.persons();
            let mut carried: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
            for (row, cells) in rows.iter().enumerate() {
                let mut first = 0;
                for set in list.keys() {
                    if let Some(value) = set.key_of(row) {
                        carried.entry(first + value).or_default().extend(persons.rows().key_of(row));
                    }
                    first += set.len();
                }
                let has_value = cells.iter().any(Option::is_some);
                proptest::prop_assert_eq!(persons.rows().key_of(row).is_some(), has_value);
            }
            let mut values: Vec<usize> = persons.values().flatten().collect();
            for (place, value) in persons.values().enumerate() {
                if let Some(value) = value {
                    proptest::prop_assert!(carried[&value].contains(&(place / 3)));
                }
            }
            values.sort_unstable();
            proptest::prop_assert!(values.into_iter().eq(0..list.len()));
            // Whoever stands for a person carries all of its values.
            let heads = persons.heads();
            let first_rows = heads.first_rows();
            proptest::prop_assert!(first_rows.is_sorted() && first_rows.len() == heads.len());
            for (person, row) in first_rows.iter().enumerate() {
                proptest::prop_assert_eq!(persons.rows().key_of(*row as usize), Some(person));
                let mut first = 0;
                for (place, set) in list.keys().iter().enumerate() {
                    if let Some(value) = persons.values().nth(3 * person + place).flatten() {
                        proptest::prop_assert_eq!(set.key_of(*row as usize), Some(value - first));
                    }
                    first += set.len();
                }
            }
        }
    }
}
