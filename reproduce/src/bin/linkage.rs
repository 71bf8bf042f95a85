//! `linkage`: how many of the people that two lists share their keys find, and how many pairs are none, where the truth is known.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::process::ExitCode;

use chacha20::ChaCha20Rng;
use clap::Parser;
use rand_core::{Rng, SeedableRng};
use veilset::{units, voice};
use veilset_data::{DataError, KeyDigest, KeySet, KeySpec, Linkage, Source, Table};

/// Match two lists in tiers and compare with who is who
#[derive(Parser)]
#[command(name = "linkage", version, max_term_width = 80)]
struct Args {
    /// Two lists in CSV [default: lists that are made up]
    #[arg(num_args = 2, value_names = ["LIST", "OTHER"])]
    lists: Vec<String>,
    /// The column whose first number says whom a row is about
    #[arg(long, value_name = "COL", default_value = "person")]
    person: String,
    /// Rows of lists that are made up
    #[arg(long, value_name = "N", default_value = "10000", value_parser = units::count)]
    rows: u64,
    /// The keys, the most trusted first
    #[arg(long, value_name = "KEY", required = true)]
    key: Vec<KeySpec>,
}

fn main() -> ExitCode {
    voice::end_at_panics("linkage");
    let told = run(&Args::parse()).map_err(|why| why.to_string());
    match told.and_then(|text| write!(io::stdout(), "{text}").map_err(|why| why.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            voice::say(format_args!("error: {why}"));
            ExitCode::FAILURE
        }
    }
}

/// The table, in Markdown.
fn run(args: &Args) -> Result<String, DataError> {
    let tables = match &args.lists[..] {
        [one, other] => [one, other].map(|path| Table::read(&Source::new(path), None)),
        _ => dirty_lists(args.rows).map(|text| Table::parse("made up".into(), text.into(), b',')),
    };
    let [one, other] = tables;
    let lists = [List::new(one?, args)?, List::new(other?, args)?];
    Ok(markdown(&args.key, &lists))
}

/// A list and whom its rows are about.
struct List {
    linkage: Linkage,
    people: Vec<u64>,
}

impl List {
    fn new(table: Table, args: &Args) -> Result<Self, DataError> {
        let column = format!("\"{}\"", args.person.replace('"', "\"\"")).parse::<KeySpec>()?;
        let mut people = Vec::with_capacity(table.rows());
        table.for_each_row(&column.locate(&table)?, |_, fields| {
            let field = fields.get(0);
            let digits =
                field.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty());
            people.push(digits.and_then(|digits| digits.parse().ok()).unwrap_or(u64::MAX));
        })?;
        Ok(Self { linkage: Linkage::build(&table, &args.key)?, people })
    }
}

/// What each key finds, in tiers: rows with a common value are pairs, and drop out.
fn markdown(keys: &[KeySpec], lists: &[List; 2]) -> String {
    let [one, other] = lists;
    let theirs: HashSet<u64> = other.people.iter().copied().collect();
    let shared = one.people.iter().filter(|person| theirs.contains(person)).count();
    let mut matched = lists.each_ref().map(|list| vec![false; list.people.len()]);
    let mut text = format!(
        "{} and {} rows, {shared} of the first about people of the second\n\n\
         | key | values of a row | pairs | wrong pairs | recall so far | precision so far |\n|---|---|---|---|---|---|\n",
        one.people.len(),
        other.people.len()
    );
    let (mut all, mut wrong) = (0, 0);
    let mut found = HashSet::new();
    for (place, key) in keys.iter().enumerate() {
        let sets = [&one.linkage.keys()[place], &other.linkage.keys()[place]];
        let pairs = pairs(sets, &matched);
        let is_true = |(a, b): &&(usize, usize)| one.people[*a] == other.people[*b];
        found.extend(pairs.iter().filter(is_true).map(|(a, _)| *a));
        let true_pairs = pairs.iter().filter(is_true).count();
        all += pairs.len();
        wrong += pairs.len() - true_pairs;
        for (a, b) in &pairs {
            (matched[0][*a], matched[1][*b]) = (true, true);
        }
        let carried: usize = (0..sets[0].rows()).map(|row| sets[0].keys_of(row).count()).sum();
        text.push_str(&format!(
            "| `{}` | {:.1} | {} | {} | {:.4} | {:.5} |\n",
            key.canonical(),
            carried as f64 / one.people.len().max(1) as f64,
            pairs.len(),
            pairs.len() - true_pairs,
            found.len() as f64 / shared.max(1) as f64,
            1.0 - wrong as f64 / all.max(1) as f64,
        ));
    }
    text
}

/// The pairs of rows that have not matched and have a common value.
fn pairs(sets: [&KeySet; 2], matched: &[Vec<bool>; 2]) -> HashSet<(usize, usize)> {
    let mut carriers: HashMap<&KeyDigest, Vec<usize>> = HashMap::new();
    each_value(sets[0], &matched[0], |value, row| carriers.entry(value).or_default().push(row));
    let mut pairs = HashSet::new();
    each_value(sets[1], &matched[1], |value, row| {
        pairs.extend(carriers.get(value).into_iter().flatten().map(|first| (*first, row)));
    });
    pairs
}

fn each_value<'a>(set: &'a KeySet, matched: &[bool], mut each: impl FnMut(&'a KeyDigest, usize)) {
    for row in (0..set.rows()).filter(|row| !matched[*row]) {
        set.keys_of(row).for_each(|value| each(&set.digests()[value], row));
    }
}

/// Two lists of so many people, half of them common. Of the second list's rows two in three have one or two errors, such as people
/// make who type.
fn dirty_lists(rows: u64) -> [String; 2] {
    let mut random = Random(ChaCha20Rng::seed_from_u64(rows));
    let header = "person,first,last,born,street,phone\n";
    let mut lists = [header.to_owned(), header.to_owned()];
    for person in 0..rows + rows / 2 {
        let columns = random.person();
        if person < rows {
            lists[0].push_str(&format!("{person},{}\n", columns.join(",")));
        }
        if person >= rows / 2 {
            let columns = random.mistyped(columns);
            lists[1].push_str(&format!("{person},{}\n", columns.join(",")));
        }
    }
    lists
}

/// First name, last name, birthday, street, telephone.
type Columns = [String; 5];

struct Random(ChaCha20Rng);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        (self.0.next_u64() % most as u64) as usize
    }

    /// A word of so many syllables; the first ones are frequent, as names are.
    fn word(&mut self, syllables: usize) -> String {
        const STARTS: [&str; 20] = [
            "ma", "jo", "an", "le", "ka", "be", "so", "ni", "ro", "da", "el", "mi", "pe", "ha",
            "lu", "th", "wi", "gr", "st", "vo",
        ];
        const ENDS: [&str; 8] = ["na", "ri", "lo", "sen", "man", "ta", "ck", "er"];
        let mut word = String::new();
        for _ in 0..syllables {
            let place = self.below(STARTS.len()).min(self.below(STARTS.len()));
            word.push_str(STARTS[place]);
            word.push_str(ENDS[self.below(ENDS.len())]);
        }
        word
    }

    fn person(&mut self) -> Columns {
        let born = format!(
            "{}-{:02}-{:02}",
            1930 + self.below(80),
            1 + self.below(12),
            1 + self.below(28)
        );
        let street = format!("{} street {}", self.word(2), 1 + self.below(200));
        let phone = format!("07{:09}", self.below(1_000_000_000));
        [self.word(1), self.word(2), born, street, phone]
    }

    fn mistyped(&mut self, mut columns: Columns) -> Columns {
        for _ in 0..self.below(3) {
            match self.below(8) {
                0 => columns.swap(0, 1),
                1 => {
                    let [year, month, day] =
                        [0..4, 5..7, 8..10].map(|at| columns[2][at].to_owned());
                    columns[2] = if day.as_str() <= "12" {
                        format!("{year}-{day}-{month}")
                    } else {
                        columns[2].clone()
                    };
                }
                2 => columns[4].clear(),
                3 => {
                    let year: usize = columns[2][..4].parse().unwrap_or(0);
                    columns[2].replace_range(..4, &(year + 1).to_string());
                }
                _ => {
                    let column = [0, 1, 3][self.below(3)];
                    self.mistype(&mut columns[column]);
                }
            }
        }
        columns
    }

    /// A character is lost, doubled, wrong, or changes places with the next.
    fn mistype(&mut self, text: &mut String) {
        let place = self.below(text.len());
        match self.below(4) {
            0 if text.len() > 1 => drop(text.remove(place)),
            1 => text.insert(place, 'e'),
            2 => text.replace_range(place..=place, "a"),
            _ if place > 0 => {
                let moved = text.remove(place);
                text.insert(place - 1, moved);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_the_page_is_one() {
        let page = include_str!("../../../docs/use/linkage.md");
        let call = "cargo run --release -p veilset-reproduce --bin linkage -- ";
        let [command] =
            page.lines().filter_map(|line| line.strip_prefix(call)).collect::<Vec<_>>()[..]
        else {
            panic!("one command")
        };
        let words = std::iter::once("linkage").chain(command.split_whitespace());
        let args = Args::try_parse_from(words).expect("arguments");
        assert_eq!((args.lists.len(), args.key.len()), (2, 2));
    }

    #[test]
    fn keys_find_more_of_the_people_the_more_errors_they_forgive() {
        let call = "linkage --rows 600 --key first:name,last:name,born:date \
                    --key first:name~deletion,last:name~deletion,born:date --key street:name~minhash,born:date";
        let args = Args::try_parse_from(call.split_whitespace()).expect("arguments");
        let text = run(&args).expect("lists");
        let recall =
            |line: &str| line.split('|').nth(5).and_then(|cell| cell.trim().parse::<f64>().ok());
        let recalls: Vec<f64> = text.lines().filter_map(recall).collect();
        assert!(
            matches!(recalls[..], [one, two, three] if 0.3 < one && one < two && two < three),
            "{text}"
        );
        assert!(text.starts_with("600 and 600 rows, 300 of the first"), "{text}");
    }
}
