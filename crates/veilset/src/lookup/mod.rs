//! A list that is served to many, and lookups in one: where the user's data meets the service.

mod client;
mod list;

use veilset_crypto::{Element, ElementHasher};
use veilset_data::{KeySpec, Table};

pub use veilset_lookup::{
    Answer, Contact, Fetched, LookupService, Quota, Refusal, Sizing, Told, Way, open, serve_metrics,
};

pub use self::client::{LookedUp, LookupInput, Server, Takes, Visitor, look_up};
pub use self::list::{Changed, Labels, add, build, remove, single_items};
use crate::{Error, Input};

fn elements(input: &Input, session: &[u8; 32]) -> Vec<Element> {
    let hasher = ElementHasher::new(session, &input.spec().canonical());
    input.keys().digests().iter().map(|key| hasher.element(key)).collect()
}

fn check_presets(list: &str, input: &Input) -> Result<(), Error> {
    let (ours, list) = (input.spec().canonical(), list.to_owned());
    if ours == list {
        Ok(())
    } else if differ_in_version(&ours, &list) {
        Err(Error::PresetVersions { ours, list })
    } else {
        Err(Error::Presets { ours, list })
    }
}

/// Whether these are the same presets in other versions.
fn differ_in_version(ours: &str, theirs: &str) -> bool {
    let count = |presets: &str| presets.split(',').count();
    let same = |(ours, theirs): (&str, &str)| match (ours.rsplit_once('/'), theirs.rsplit_once('/'))
    {
        (Some((ours, _)), Some((theirs, version))) => {
            ours == theirs && version.parse::<u8>().is_ok()
        }
        _ => false,
    };
    count(ours) == count(theirs) && ours.split(',').zip(theirs.split(',')).all(same)
}

/// A table of one column with a row for each item. Whoever names an item means it, whatever it looks like.
fn input_of(items: &[String], presets: &str) -> Result<Input, Error> {
    let spec: KeySpec = column(presets).parse()?;
    if spec.canonical() != presets {
        return Err(Error::Columns { list: presets.to_owned() });
    }
    let lines = items.iter().map(|item| format!("\"{}\"\n", item.replace('"', "\"\"")));
    let text = format!("item\n{}", lines.collect::<String>());
    let table = Table::parse("the items".to_owned(), text.into_bytes(), b',')?;
    Ok(Input::of(table, &spec.keeping_placeholders(true))?)
}

/// The column of single items with a versioned preset.
fn column(preset: &str) -> String {
    quoted("item", preset.rsplit_once('/').map_or(preset, |(preset, _)| preset))
}

/// A column and its preset as [`KeySpec`] reads them.
fn quoted(column: &str, preset: &str) -> String {
    format!("\"{}\":{preset}", column.replace('"', "\"\""))
}
