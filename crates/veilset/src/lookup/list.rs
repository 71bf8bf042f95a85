//! Making, changing and opening the file of a list that is served.

use std::path::Path;

use veilset_data::{DataError, Items};
use veilset_lookup::{Edit, Item, List, ListFile, Sizing};

use super::{check_presets, elements, input_of};
use crate::{Error, Input};
use veilset_session::fresh_rng;

/// What a change left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changed {
    /// What it did.
    pub edit: Edit,
    /// The list's version now.
    pub version: u64,
    /// Its number of items.
    pub items: usize,
}

/// The labels of an input's keys, in their order.
pub struct Labels(Vec<String>);

impl Labels {
    /// No label for any key.
    #[must_use]
    pub fn none(input: &Input) -> Self {
        Self::same(input, "")
    }

    /// One label for all keys.
    #[must_use]
    pub fn same(input: &Input, label: &str) -> Self {
        Self(vec![label.to_owned(); input.distinct()])
    }

    /// Those in a column.
    ///
    /// # Errors
    /// When the column is missing or has no text, or rows of one key have different labels.
    pub fn of_column(input: &Input, column: &str) -> Result<Self, DataError> {
        Ok(Self(Items::texts_of_keys(&input.table, input.keys(), column)?))
    }
}

/// Builds a list and puts it into a file; over another with `replace`, as its next version under a new key. Returns the
/// version and the number of items.
///
/// # Errors
/// When the file is there, a label is too long, or the file cannot be written.
pub fn build(
    path: &Path,
    input: &Input,
    labels: Option<&Labels>,
    sizing: Sizing,
    replace: bool,
) -> Result<(u64, usize), Error> {
    let list = List::create(path, replace, |before| -> Result<List, Error> {
        let none = Labels::none(input);
        let items = |session: &[u8; 32]| items(input, labels.unwrap_or(&none), session);
        let (presets, labelled) = (input.spec().canonical(), labels.is_some());
        Ok(List::build(before, presets, labelled, sizing, items, &mut fresh_rng()?)?)
    })?;
    Ok((list.version(), list.count()))
}

/// Puts the keys of `input` on the list in a file.
///
/// # Errors
/// When the presets differ, a label does not fit, the list is full, or the file cannot be changed.
pub fn add(path: &Path, input: &Input, labels: &Labels) -> Result<Changed, Error> {
    let changed = List::change(path, |list| -> Result<Edit, Error> {
        check_presets(list.presets(), input)?;
        Ok(list.add(&items(input, labels, list.session()))?)
    });
    changed.map(|(edit, version, items)| Changed { edit, version, items })
}

/// Takes the keys of `input` off the list in a file.
///
/// # Errors
/// When the presets differ, or the file cannot be changed.
pub fn remove(path: &Path, input: &Input) -> Result<Changed, Error> {
    let changed = List::change(path, |list| -> Result<Edit, Error> {
        check_presets(list.presets(), input)?;
        Ok(list.remove(&elements(input, list.session()))?)
    });
    changed.map(|(edit, version, items)| Changed { edit, version, items })
}

/// The items of the command line as an input whose rows they are, under the presets of the list in a file.
///
/// # Errors
/// When the list's key has several columns, or an item is no key by its preset.
pub fn single_items(path: &Path, items: &[String]) -> Result<Input, Error> {
    let list = ListFile::read(path)?;
    let input = input_of(items, list.presets())?;
    match (0..input.rows()).find(|row| input.keys().key_of(*row).is_none()) {
        Some(row) => Err(Error::NoKey { item: row + 1, list: list.presets().to_owned() }),
        None => Ok(input),
    }
}

fn items(input: &Input, labels: &Labels, session: &[u8; 32]) -> Vec<Item> {
    let elements = elements(input, session);
    let items = elements.into_iter().zip(&labels.0);
    items.map(|(element, label)| Item { element, label: label.clone() }).collect()
}
