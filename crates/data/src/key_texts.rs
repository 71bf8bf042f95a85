//! The texts of keys, for protocols of others, which have maps of their own from text.

use zeroize::Zeroizing;

use crate::preset::Normalised;
use crate::{DataError, KeySet, KeySpec, Table};

impl KeySet {
    /// What the preset makes of each key of `table`, in their order. These are the keys under `spec`, which has one column.
    ///
    /// # Errors
    /// When the column is missing or has no text.
    pub fn texts(
        &self,
        table: &Table,
        spec: &KeySpec,
    ) -> Result<Zeroizing<Vec<String>>, DataError> {
        let mut texts = Zeroizing::new(vec![String::new(); self.len()]);
        let mut next = 0;
        table.try_for_each_row(&spec.locate(table)?, |row, fields| {
            // Keys have their numbers in the order of their first rows.
            if self.key_of(row) == Some(next) {
                let became = spec.normalise(0, &fields.get(0), &mut texts[next]);
                debug_assert!(became == Normalised::Key, "a key's first row has it");
                next += 1;
            }
            Ok(())
        })?;
        Ok(texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_the_text_of_its_first_row() {
        let csv = "n,email\n1, Ann@Example.org \n2,n/a\n3,ben@example.org\n4,ann@example.org\n5,\n6,zoë@example.org\n";
        let table = Table::parse("t.csv".into(), csv.into(), b',').expect("a table");
        let spec: KeySpec = "email:email".parse().expect("a key");
        let keys = KeySet::build(&table, &spec).expect("a column");
        let texts = keys.texts(&table, &spec).expect("text");
        assert_eq!(*texts, ["ann@example.org", "ben@example.org", "zoë@example.org"]);
    }
}
