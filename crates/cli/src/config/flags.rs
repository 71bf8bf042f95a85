//! Flags in a TOML file, by their names.

use std::path::Path;

use clap::{Arg, Command};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use veilset::json;

use crate::error::Failure;

/// A file that gives flags.
#[derive(Clone, Copy)]
pub(crate) struct FlagFile<'a> {
    pub(crate) path: &'a Path,
    pub(crate) text: &'a str,
}

impl<'a> FlagFile<'a> {
    /// The file, whose bytes these are.
    pub(crate) fn new(path: &'a Path, bytes: &'a [u8]) -> Result<Self, Failure> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| Failure::Flags(format!("{}: it is not UTF-8", path.display())))?;
        Ok(Self { path, text })
    }

    pub(crate) fn parse(&self) -> Result<Spanned<DeTable<'a>>, Failure> {
        DeTable::parse(self.text)
            .map_err(|error| self.at(error.span().map_or(0, |span| span.start), error.message()))
    }

    /// What is wrong at a place in the text.
    pub(crate) fn at(&self, place: usize, why: &str) -> Failure {
        Failure::Flags(format!("{}: {why}", self.line(place)))
    }

    /// A place in the text, for people.
    pub(crate) fn line(&self, place: usize) -> String {
        let line = self.text.get(..place).unwrap_or(self.text).matches('\n').count() + 1;
        format!("{}:{line}", self.path.display())
    }

    /// A flag as words of a command line: one for each value, none where the file turns it off.
    pub(crate) fn words(
        &self,
        name: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<String>, Failure> {
        let values = match value.get_ref() {
            DeValue::Array(values) => values.iter().collect(),
            _ => vec![value],
        };
        let mut words = Vec::new();
        for value in values {
            let wrong =
                || self.at(value.span().start, &format!("{name} takes a text, a number, or true"));
            words.extend(flag(name, value).ok_or_else(wrong)?);
        }
        Ok(words)
    }
}

/// A flag with its value; nothing where it is not one that a flag has.
fn flag(name: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<String>> {
    let value = match value.get_ref() {
        DeValue::Boolean(true) => return Some(vec![format!("--{name}")]),
        DeValue::Boolean(false) => return Some(Vec::new()),
        DeValue::String(text) if name == "output" => dated(text),
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) if number.radix() == 10 => number.as_str().replace('_', ""),
        DeValue::Float(number) => number.as_str().to_owned(),
        _ => return None,
    };
    Some(vec![format!("--{name}={value}")])
}

/// The text with today's date in it.
fn dated(text: &str) -> String {
    let now = json::time(std::time::SystemTime::now());
    text.replace("{date}", now.split('T').next().unwrap_or_default())
}

/// The flag of this name.
pub(crate) fn flag_of<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|flag| flag.get_long() == Some(name))
}

/// Whether a command takes one of the two flags alone.
pub(crate) fn exclude(command: &Command, one: &Arg, other: &Arg) -> bool {
    let names = |flag: &Arg, of: &Arg| {
        let excluded = command.get_arg_conflicts_with(flag);
        excluded.iter().any(|excluded| excluded.get_id() == of.get_id())
    };
    let choose = command.get_groups().any(|group| {
        let has = |flag: &Arg| group.get_args().any(|member| member == flag.get_id());
        !group.clone().is_multiple() && has(one) && has(other)
    });
    one.get_id() != other.get_id() && (choose || names(one, other) || names(other, one))
}
