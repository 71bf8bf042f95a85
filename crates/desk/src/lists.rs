//! Lists: what is in a file, and what a run would see of it.

use std::io::Write;

use serde_json::{Value, json};
use veilset::data::{Arrivals, KeySpec, Table, check, look_at_columns};
use veilset::json::{of_check, of_columns};

use crate::answer::{needed, number, text, texts};
use crate::{Answer, Desk, Refusal};

impl Desk {
    /// Reads a list: bytes under a name, or a file of this machine.
    pub(crate) fn open(&self, args: &Value, bytes: Vec<u8>) -> Result<Answer, Refusal> {
        let scratch = self.scratch();
        let (name, table) = match text(args, "path") {
            Some(path) if self.place.has_files => {
                (path.to_owned(), veilset::table(path, None, None, &scratch)?)
            }
            Some(_) => return Err(Refusal::of("a page reads no file that nobody gave it")),
            None => {
                let name = needed(args, "name")?.to_owned();
                let mut arrivals = Arrivals::new(&scratch);
                arrivals.begin(name.clone());
                let whole = arrivals.write_all(&bytes);
                whole.map_err(|why| Refusal::of(why.to_string()))?;
                drop(bytes);
                let table = arrivals.table(name.clone(), None)?;
                (name, table)
            }
        };
        let all: Vec<usize> = (0..table.header().len()).collect();
        let looks = look_at_columns(&table, &all)?;
        let suggestion = looks
            .iter()
            .find(|look| look.fit && !look.nameless && look.looks_like.is_some())
            .or_else(|| looks.iter().find(|look| look.fit && !look.nameless))
            .map(veilset::data::ColumnLook::key);
        let columns: Vec<Value> = looks
            .iter()
            .map(|look| {
                json!({
                    "name": look.column,
                    "looks_like": look.looks_like.map(|kind| kind.preset()),
                    "empty": look.empty,
                    "placeholders": look.placeholders,
                    "fit": look.fit,
                    "nameless": look.nameless,
                })
            })
            .collect();
        let mut object = of_columns(table.rows(), &looks, &[]);
        let mut state = self.state();
        let list = state.number();
        state.lists.insert(list, table);
        state.drop_old_lists();
        for (member, value) in [
            ("list", json!(list)),
            ("name", json!(name)),
            ("columns", columns.into()),
            ("suggestion", json!(suggestion)),
        ] {
            object[member] = value;
        }
        Ok(object.into())
    }

    /// What a run would see of a list under each of these keys.
    pub(crate) fn check(&self, args: &Value) -> Result<Answer, Refusal> {
        let (table, keys) = (self.list(args)?, keys(args)?);
        let reports: Result<Vec<Value>, Refusal> =
            keys.iter().map(|key| Ok(of_check(&check(&table, key, &[])?))).collect();
        let mut reports = reports?;
        let one = reports.len() == 1;
        Ok(Answer::from(if one { reports.remove(0) } else { reports.into() }))
    }

    pub(crate) fn list(&self, args: &Value) -> Result<Table, Refusal> {
        let table = self.state().lists.get(&number(args, "list")?).cloned();
        table.ok_or_else(|| Refusal::of("the list is gone").next("Choose the file again."))
    }
}

/// The keys among arguments.
pub(crate) fn keys(args: &Value) -> Result<Vec<KeySpec>, Refusal> {
    let keys = texts(args, "keys");
    if keys.is_empty() {
        return Err(Refusal::of("no column is chosen").next("Choose the column to compare."));
    }
    keys.iter().map(|key| key.parse().map_err(Refusal::from)).collect()
}
