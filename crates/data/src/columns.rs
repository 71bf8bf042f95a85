//! `--key COL[:PRESET[~GENERATOR]][,…]`: which columns make a key, how they are normalised, and what makes several key values of one.

use std::collections::HashSet;
use std::str::FromStr;
use std::sync::Arc;

use veilset_names::{UnknownName, names};

use crate::generator::MOST_VALUES;
use crate::nobody::is_nobodys;
use crate::preset::{Normalised, nearest};
use crate::suspicion::is_placeholder;
use crate::{DataError, Generator, Preset, Table};

/// A column of the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyColumn {
    /// The column's name in the header.
    pub name: String,
    /// How its values are normalised.
    pub preset: Preset,
    /// What makes key values of them, where they do not stand for themselves alone.
    pub generator: Option<Generator>,
}

impl KeyColumn {
    /// The preset and the generator with their versions: both sides must have the same.
    #[must_use]
    pub fn versioned(&self) -> String {
        match self.generator {
            Some(generator) => format!("{}~{}", self.preset.versioned(), generator.versioned()),
            None => self.preset.versioned(),
        }
    }
}

names! {
    "pairs";
    /// How many rows of a list one row of the other can match by a key.
    pub enum Pairs {
        /// All that carry it.
        Many = "many",
        /// One: a key that several rows carry is nobody's.
        OneToOne = "one-to-one",
    }
}

impl Pairs {
    /// How many rows may carry a key at most.
    #[must_use]
    pub fn most_rows(self) -> Option<u32> {
        (self == Self::OneToOne).then_some(1)
    }
}

/// The columns of the key, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySpec {
    columns: Vec<KeyColumn>,
    /// Whether `n/a` and the like are keys as any other. Each side decides for itself: what one leaves out cannot match.
    keep_placeholders: bool,
    /// How many rows may carry a key at most, where not any number may.
    most_rows: Option<u32>,
    /// Of each column what else is nobody's, as its preset makes it; empty where nothing is.
    stop: Arc<[HashSet<String>]>,
}

impl KeySpec {
    /// The columns in order; at least one.
    #[must_use]
    pub fn columns(&self) -> &[KeyColumn] {
        &self.columns
    }

    /// Without these, too, each as the preset of a column reads it: they never match, as placeholders do not.
    #[must_use]
    pub fn without(self, texts: &[String]) -> Self {
        let read = |column: &KeyColumn| {
            let key = |text: &String| {
                let mut key = String::new();
                (column.preset.normalise(text, &mut key) == Normalised::Key).then_some(key)
            };
            texts.iter().filter_map(key).collect()
        };
        Self { stop: self.columns.iter().map(read).collect(), ..self }
    }

    /// With placeholders such as `n/a` as keys, or without, as [`str::parse`] has it.
    #[must_use]
    pub fn keeping_placeholders(self, keep: bool) -> Self {
        Self { keep_placeholders: keep, ..self }
    }

    /// Without keys that more rows than so many carry: they never match, as an office's telephone.
    #[must_use]
    pub fn carried_by_at_most(self, most_rows: Option<u32>) -> Self {
        Self { most_rows, ..self }
    }

    /// How many rows may carry a key at most, where not any number may.
    #[must_use]
    pub fn most_rows(&self) -> Option<u32> {
        self.most_rows
    }

    /// Appends what `field` is in the key's column `column` to `out`.
    ///
    /// # Panics
    /// When the key has no such column.
    pub fn normalise(&self, column: usize, field: &str, out: &mut String) -> Normalised {
        if !self.keep_placeholders && is_placeholder(field) {
            return Normalised::Placeholder;
        }
        let (preset, before) = (self.columns[column].preset, out.len());
        let became = preset.normalise(field, out);
        let key = &out[before..];
        let is_stopped = || self.stop.get(column).is_some_and(|stop| stop.contains(key));
        let is_nobodys = || !self.keep_placeholders && is_nobodys(preset, field, key);
        if became == Normalised::Key && (is_nobodys() || is_stopped()) {
            out.truncate(before);
            return Normalised::Placeholder;
        }
        became
    }

    /// The versioned presets and generators in order, without the columns' names: both sides must have the same.
    #[must_use]
    pub fn canonical(&self) -> String {
        self.columns.iter().map(KeyColumn::versioned).collect::<Vec<_>>().join(",")
    }

    /// Whether a row can have several values under it.
    #[must_use]
    pub fn makes_several(&self) -> bool {
        self.most_values() > 1
    }

    /// Whether each row has one value under it at most, as what is not an intersection needs.
    ///
    /// # Errors
    /// When a generator makes several.
    pub fn check_single(&self) -> Result<(), DataError> {
        if self.makes_several() { Err(DataError::SeveralMade) } else { Ok(()) }
    }

    /// Whether its values are what presets make, and nothing else, as in lists that are served.
    ///
    /// # Errors
    /// When a column has a generator.
    pub fn check_plain(&self) -> Result<(), DataError> {
        if self.has_generators() { Err(DataError::Generated) } else { Ok(()) }
    }

    /// Whether a peer could try all values under it: dates of a lifetime, or codes of words.
    pub(crate) fn is_guessable(&self) -> bool {
        let few = |column: &KeyColumn| match column.generator {
            None => column.preset == Preset::Date,
            Some(generator) => column.preset == Preset::Date || generator.makes_codes(),
        };
        matches!(&self.columns[..], [only] if few(only))
    }

    pub(crate) fn has_generators(&self) -> bool {
        self.columns.iter().any(|column| column.generator.is_some())
    }

    /// Of each column the values that stand for it, where these are what presets make of a row.
    pub(crate) fn values_of(&self, parts: &mut [String]) -> Vec<Vec<Vec<u8>>> {
        let swapped = self.columns.iter().zip(&mut *parts).filter(|(column, _)| is_swapped(column));
        let mut texts: Vec<String> = swapped.map(|(_, part)| std::mem::take(part)).collect();
        texts.sort_unstable();
        let mut texts = texts.into_iter();
        let values = |(column, part): (&KeyColumn, &mut String)| {
            if is_swapped(column) {
                *part = texts.next().unwrap_or_default();
            }
            let mut values = Vec::new();
            match column.generator {
                Some(generator) => generator.values(part, &mut |value| values.push(value.to_vec())),
                None => values.push(part.as_bytes().to_vec()),
            }
            values
        };
        self.columns.iter().zip(parts).map(values).collect()
    }

    /// Whether its generators go together, and make no more than they may.
    fn check_generators(&self) -> Result<(), String> {
        let swapped: Vec<_> = self.columns.iter().filter(|column| is_swapped(column)).collect();
        let are_alike = swapped.windows(2).all(|pair| pair[0].preset == pair[1].preset);
        if swapped.len() == 1 || !are_alike {
            return Err(SWAPPED.to_owned());
        }
        match self.most_values() {
            ..=MOST_VALUES => Ok(()),
            values => Err(too_many(values)),
        }
    }

    /// The most values that a row has under it.
    pub(crate) fn most_values(&self) -> usize {
        let most = |column: &KeyColumn| column.generator.map_or(1, Generator::most);
        self.columns.iter().map(most).fold(1, usize::saturating_mul)
    }

    /// [`KeySpec::canonical`] of each of several keys, in their order, with semicolons between them.
    #[must_use]
    pub fn canonical_of(specs: &[Self]) -> String {
        specs.iter().map(Self::canonical).collect::<Vec<_>>().join(";")
    }

    /// The columns of all these keys, one key after the other, as one key.
    ///
    /// # Panics
    /// When there is no key.
    #[must_use]
    pub fn joined(specs: &[Self]) -> Self {
        let columns = specs.iter().flat_map(|spec| spec.columns.iter().cloned());
        Self { columns: columns.collect(), stop: Arc::new([]), ..specs[0].clone() }
    }

    /// With each column of the list once, and the place of each of its columns before among these.
    #[must_use]
    pub fn distinct(&self) -> (Self, Vec<usize>) {
        let mut once: Vec<KeyColumn> = Vec::new();
        let mut places = Vec::new();
        for column in &self.columns {
            let place = once.iter().position(|before| before.name == column.name);
            places.push(place.unwrap_or(once.len()));
            if place.is_none() {
                once.push(column.clone());
            }
        }
        (Self { columns: once, stop: Arc::new([]), ..self.clone() }, places)
    }

    /// Where the columns stand in `table`.
    ///
    /// # Errors
    /// When a column is missing (with the closest names), its name occurs twice, or its type makes no keys.
    pub fn locate(&self, table: &Table) -> Result<Vec<usize>, DataError> {
        let places: Result<Vec<_>, _> =
            self.columns.iter().map(|column| locate(&column.name, table)).collect();
        let places = places?;
        table.check_keys(&places)?;
        Ok(places)
    }
}

/// Where the column `name` stands in `table`.
///
/// # Errors
/// When it is missing (with the closest names) or its name occurs twice.
pub(crate) fn locate(name: &str, table: &Table) -> Result<usize, DataError> {
    let named = |(index, column): (usize, &String)| (column == name).then_some(index);
    let found: Vec<usize> = table.header().iter().enumerate().filter_map(named).collect();
    let file = table.name().to_owned();
    match found.as_slice() {
        [index] => Ok(*index),
        [] => Err(DataError::NoColumn { file, column: name.to_owned(), hint: hint(name, table) }),
        twice => Err(DataError::TwiceNamed { file, column: name.to_owned(), times: twice.len() }),
    }
}

/// Where the columns `names` that `flag` chose stand in `table`.
///
/// # Errors
/// As [`locate`], and when one is chosen twice.
pub(crate) fn locate_all(
    names: &[String],
    flag: &'static str,
    table: &Table,
) -> Result<Vec<usize>, DataError> {
    let mut indexed = names.iter().enumerate();
    if let Some((_, column)) = indexed.find(|(index, name)| names[..*index].contains(name)) {
        return Err(DataError::ChosenTwice { flag, column: column.clone() });
    }
    names.iter().map(|name| locate(name, table)).collect()
}

fn hint(name: &str, table: &Table) -> String {
    const FEW: usize = 12;
    let header = table.header();
    if let Some(delimiter) = other_delimiter(header) {
        return format!("its columns may be separated otherwise: try --delimiter '{delimiter}'");
    }
    if header.iter().any(|cell| looks_like_data(cell)) {
        return "its first line looks like data: the first line must name the columns".to_owned();
    }
    if let Some((column, generator)) = name.split_once('~')
        && let Ok(generator) = generator.parse::<Generator>()
    {
        let preset = if generator.takes(Preset::Name) { Preset::Name } else { Preset::Date };
        return format!("a generator follows a preset: {column}:{preset}~{generator}");
    }
    let parts: Vec<&str> = name.split(',').map(str::trim).collect();
    if parts.len() > 1 && parts.iter().all(|part| header.iter().any(|column| column == part)) {
        return "these are several columns: give each by itself".to_owned();
    }
    let distance = |column: &&String| {
        strsim::damerau_levenshtein(&column.to_lowercase(), &name.to_lowercase())
    };
    let mut close: Vec<&String> =
        header.iter().filter(|column| distance(column) <= 1 + name.chars().count() / 3).collect();
    close.sort_by_key(distance);
    close.truncate(3);
    if !close.is_empty() {
        return format!("did you mean {}?", quoted(&close));
    }
    let shown: Vec<&String> = header.iter().take(FEW).collect();
    let more = if header.len() > FEW { ", …" } else { "" };
    let delimiter = match header {
        [_] => "; another delimiter is named with --delimiter",
        _ => "",
    };
    format!("it has {}{more}{delimiter}", quoted(&shown))
}

/// What separates the columns of a file whose first line was read as one.
fn other_delimiter(header: &[String]) -> Option<&'static str> {
    match header {
        [line] => [(';', ";"), ('\t', "tab"), ('|', "|")]
            .into_iter()
            .find_map(|(delimiter, shown)| line.contains(delimiter).then_some(shown)),
        _ => None,
    }
}

/// Whether a cell of the first line is hardly a name. A file without a header begins with somebody's data, and no
/// message shows data.
pub(crate) fn looks_like_data(cell: &str) -> bool {
    const LONGEST_NAME: usize = 40;
    let digits = cell.chars().filter(char::is_ascii_digit).count();
    let trimmed = cell.trim();
    trimmed.is_empty()
        || trimmed.starts_with(|first: char| first.is_ascii_digit() || first == '+')
        || cell.contains('@')
        || digits > 4
        || cell.chars().count() > LONGEST_NAME
}

fn quoted(names: &[&String]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}

impl FromStr for KeySpec {
    type Err = DataError;

    /// A name that contains `,` or `:` is put in double quotes; a double quote in it is doubled.
    fn from_str(text: &str) -> Result<Self, DataError> {
        let fail = |why: String| DataError::KeySpec { text: text.to_owned(), why };
        let mut columns = Vec::new();
        let mut rest = text;
        loop {
            let (name, after) = column_name(rest).map_err(&fail)?;
            let (rule, after) = rule(after);
            let (preset, generator) =
                rule.map_or(Ok((Preset::Raw, None)), read_rule).map_err(&fail)?;
            columns.push(KeyColumn { name, preset, generator });
            match after.strip_prefix(',') {
                Some(next) => rest = next,
                None if after.is_empty() => {
                    let stop = Arc::new([]);
                    let spec = Self { columns, keep_placeholders: false, most_rows: None, stop };
                    return spec.check_generators().map(|()| spec).map_err(fail);
                }
                None => return Err(fail("after a quoted name comes ':' or ','".to_owned())),
            }
        }
    }
}

/// The name at the front, and what follows it.
pub(crate) fn column_name(text: &str) -> Result<(String, &str), String> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([':', ',']).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        return if name.is_empty() {
            Err("a column's name is missing".to_owned())
        } else {
            Ok((name.to_owned(), rest))
        };
    };
    let mut name = String::new();
    let mut rest = quoted;
    loop {
        let end = rest.find('"').ok_or("a quote in it is not closed")?;
        name.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(next) => {
                name.push('"');
                rest = next;
            }
            None => return Ok((name, rest)),
        }
    }
}

/// Whether its text may be that of another such column.
fn is_swapped(column: &KeyColumn) -> bool {
    column.generator == Some(Generator::Swapped)
}

const SWAPPED: &str =
    "~swapped compares columns in any order, so two columns or more of one preset have it, or none";

/// The preset and generator at the front, and what follows them.
fn rule(text: &str) -> (Option<&str>, &str) {
    match text.strip_prefix(':') {
        Some(after) => {
            let end = after.find(',').unwrap_or(after.len());
            (Some(&after[..end]), &after[end..])
        }
        None => (None, text),
    }
}

/// `PRESET`, `PRESET~GENERATOR` or `~GENERATOR`.
fn read_rule(text: &str) -> Result<(Preset, Option<Generator>), String> {
    let Some((preset, generator)) = text.split_once('~') else { return Ok((text.parse()?, None)) };
    let preset = if preset.is_empty() { Preset::Raw } else { preset.parse()? };
    let generator: Generator =
        generator.to_ascii_lowercase().parse().map_err(|error| unknown(generator, &error))?;
    if !generator.is_built() {
        return Err(format!("this build has no {generator}: build it with the feature `phonetic`"));
    }
    if generator.takes(preset) {
        Ok((preset, Some(generator)))
    } else {
        Err(format!(
            "{generator} makes nothing of what the preset {preset} makes; {}",
            generator.needs()
        ))
    }
}

/// What is wrong with the name of a generator, and the nearest one.
fn unknown(name: &str, all: &UnknownName) -> String {
    if name.contains('~') {
        return "a column has one generator; give --key again for another".to_owned();
    }
    format!("there is no generator {name:?}; {}{all}", nearest(name, all.0.all))
}

fn too_many(values: usize) -> String {
    format!(
        "a row could have {values} values under it, and {MOST_VALUES} are the most: give fewer of its columns a generator"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Vec<(String, String)> {
        let spec: KeySpec = text.parse().expect("valid");
        spec.columns().iter().map(|column| (column.name.clone(), column.versioned())).collect()
    }

    fn pair(name: &str, preset: &str) -> (String, String) {
        (name.to_owned(), preset.to_owned())
    }

    #[test]
    fn reads_columns_and_presets() {
        assert_eq!(parsed("id"), [pair("id", "raw/1")]);
        assert_eq!(parsed("E-Mail:email"), [pair("E-Mail", "email/1")]);
        assert_eq!(
            parsed("first:name,last:name,born:date"),
            [pair("first", "name/1"), pair("last", "name/1"), pair("born", "date/2")]
        );
        assert_eq!(
            parsed("\"a,b:\"\"c\"\"\":email,x"),
            [pair("a,b:\"c\"", "email/1"), pair("x", "raw/1")]
        );
        assert_eq!(
            parsed("last:name~deletion,born:date~year,x:~transposition"),
            [
                pair("last", "name/1~deletion/1"),
                pair("born", "date/2~year/1"),
                pair("x", "raw/1~transposition/1")
            ]
        );
        let spec: KeySpec = "x:email,y".parse().expect("valid");
        assert_eq!(spec.canonical(), "email/1,raw/1");
        assert!(!spec.makes_several());
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, part) in [
            ("", "name is missing"),
            ("a,", "name is missing"),
            (":email", "name is missing"),
            ("a:emial", "did you mean email"),
            ("a:phone-xx", "country"),
            ("a:name~deletoin", "deletion, transposition, day-month"),
            ("a:name~", "there is no generator"),
            ("a:name~year", "the preset date"),
            ("a:name~swapped,b:name", "two columns or more"),
            ("a:name~swapped,b:date~swapped", "of one preset"),
            ("a:name~soundx", "did you mean soundex?"),
            ("a:name~year~soundex", "one generator"),
            ("a:email-sha256~deletion", "digests"),
            ("a:name~deletion,b:name~deletion,c:name~deletion", "274625 values"),
            ("\"a", "not closed"),
            ("\"a\"b", "after a quoted name"),
        ] {
            let error = text.parse::<KeySpec>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_missing_column_lists_the_closest_names() {
        let table =
            Table::parse("f.csv".into(), b"Email,phone,phone\n".to_vec(), b',').expect("a table");
        let spec = |text: &str| text.parse::<KeySpec>().expect("valid");
        let missing = spec("emial").locate(&table).expect_err("missing").to_string();
        assert!(missing.contains("did you mean \"Email\"?"), "{missing}");
        let far = spec("customer").locate(&table).expect_err("missing").to_string();
        assert!(far.contains("it has \"Email\", \"phone\""), "{far}");
        let twice = spec("phone").locate(&table).expect_err("twice").to_string();
        assert!(twice.contains("2 columns"), "{twice}");
        let generator = spec("Email~deletion").locate(&table).expect_err("missing").to_string();
        assert!(generator.contains("Email:name~deletion"), "{generator}");
        let several = locate("Email, phone", &table).expect_err("missing").to_string();
        assert!(several.contains("give each by itself"), "{several}");
        assert_eq!(spec("Email").locate(&table).expect("there"), [0]);
    }

    #[test]
    fn a_first_line_of_data_is_never_shown() {
        let hint = |line: &str| {
            let table =
                Table::parse("f.csv".into(), line.as_bytes().to_vec(), b',').expect("a table");
            let spec: KeySpec = "email".parse().expect("valid");
            spec.locate(&table).expect_err("missing").to_string()
        };
        for line in [
            "ann@b.example,Ann\n",
            "Ann,1990-02-03\n",
            "Ann,\n",
            "+44 20 7946 0018,x\n",
            "AB123456C,y\n",
        ] {
            let shown = hint(line);
            assert!(shown.contains("looks like data"), "{shown}");
            assert!(
                !line.trim().split(',').any(|cell| !cell.is_empty() && shown.contains(cell)),
                "{shown}"
            );
        }
        assert!(hint("mail;name\n").contains("--delimiter ';'"));
        assert!(hint("mail\tname\n").contains("--delimiter 'tab'"));
    }
}
