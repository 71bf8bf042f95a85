//! Groups of keys: what sums are told by.

use std::collections::BTreeMap;

use zeroize::Zeroizing;

use crate::columns::locate_all;
use crate::{DataError, KeySet, Table};

/// The group of each key: what the cells of some columns say in the rows that carry it. Groups are in the order of these texts.
pub struct Groups {
    columns: Vec<String>,
    names: Vec<Vec<String>>,
    of: Zeroizing<Vec<u32>>,
}

impl Groups {
    /// The groups by `columns` of `table`, whose keys are `keys`. Rows without a key are not looked at; an empty cell is a text, too.
    ///
    /// # Errors
    /// When a column is missing or chosen twice, two rows of a key are in different groups, or there are more than `most` groups.
    pub fn build(
        table: &Table,
        keys: &KeySet,
        columns: &[String],
        most: usize,
    ) -> Result<Self, DataError> {
        let places = locate_all(columns, "--by", table)?;
        let mut numbers: BTreeMap<Vec<String>, u32> = BTreeMap::new();
        let mut first: Vec<Option<(u32, usize)>> = vec![None; keys.len()];
        table.try_for_each_row(&places, |row, fields| {
            let Some(key) = keys.key_of(row) else { return Ok(()) };
            let texts = (0..places.len()).map(|column| fields.get(column).to_string()).collect();
            let next = numbers.len() as u32;
            let group = *numbers.entry(texts).or_insert(next);
            if numbers.len() > most {
                let (file, columns) = (table.name().to_owned(), columns.join(", "));
                return Err(DataError::ManyGroups { file, columns, most });
            }
            match first[key] {
                Some((before, row_before)) if before != group => Err(DataError::TwoGroups {
                    place: table.place_of_row(row, None),
                    before: table.place_of_row(row_before, None).spot,
                }),
                Some(_) => Ok(()),
                None => {
                    first[key] = Some((group, row));
                    Ok(())
                }
            }
        })?;
        let mut places = vec![0; numbers.len()];
        let in_order = (0..).zip(numbers.values());
        in_order.for_each(|(place, number)| places[*number as usize] = place);
        let place =
            |group: &Option<(u32, usize)>| group.map_or(0, |(number, _)| places[number as usize]);
        let of = Zeroizing::new(first.iter().map(place).collect());
        Ok(Self { columns: columns.to_vec(), names: numbers.into_keys().collect(), of })
    }

    /// The same, but one group of empty cells where there is none, since no row has a key.
    #[must_use]
    pub fn or_one(mut self) -> Self {
        if self.names.is_empty() {
            self.names.push(vec![String::new(); self.columns.len()]);
        }
        self
    }

    /// The columns' names, in the order in which they were chosen.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Of each group its cells' texts.
    #[must_use]
    pub fn names(&self) -> &[Vec<String>] {
        &self.names
    }

    /// The group of each key in [`KeySet`]'s order.
    #[must_use]
    pub fn of(&self) -> &[u32] {
        &self.of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(text: &str, columns: &[&str], most: usize) -> Result<Groups, DataError> {
        let table = Table::parse("t.csv".into(), text.as_bytes().to_vec(), b',').expect("a table");
        let keys = KeySet::build(&table, &"id".parse().expect("a key")).expect("a column");
        let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
        Groups::build(&table, &keys, &columns, most)
    }

    #[test]
    fn groups_are_in_the_order_of_their_texts() {
        let text = "id,region,kind\n3,south,a\n,west,b\n1,north,a\n3,south,a\n2,south,b\n4,,a\n";
        let by_region = groups(text, &["region"], 3).expect("groups");
        assert_eq!(by_region.names(), [[""], ["north"], ["south"]]);
        let mut sorted = by_region.of().to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 2]);
        let by_both = groups(text, &["kind", "region"], 9).expect("groups");
        assert_eq!(by_both.names(), [["a", ""], ["a", "north"], ["a", "south"], ["b", "south"]]);
    }

    #[test]
    fn a_key_is_in_one_group() {
        let Err(error) = groups("id,region\n3,south\n1,north\n3,north\n", &["region"], 9) else {
            panic!("two groups");
        };
        let text = error.to_string();
        assert!(text.contains("line 4") && text.contains("line 2"), "{text}");
        assert!(groups("id,region\n3,south\n", &["regoin"], 9).is_err());
    }

    #[test]
    fn there_are_no_more_groups_than_may_be() {
        let text = "id,region\n1,a\n2,b\n3,c\n";
        let Err(error) = groups(text, &["region"], 2) else { panic!("too many") };
        assert!(error.to_string().contains("more than 2 groups by region"), "{error}");
    }
}
