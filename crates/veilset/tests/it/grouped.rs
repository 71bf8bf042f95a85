//! Counts, sums, unions and shares of rows that match by any of several keys, against plain maps over random small lists.

use std::collections::{BTreeMap, BTreeSet};

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset::data::{KeySpec, Table};
use veilset::registry::{Operation, Outcome};
use veilset::{Columns, Input, Job, Learn, Matching};
use veilset_data::Linkage;
use veilset_protocols::Sharing;

use crate::linkage::{Random, Row, cases, run, specs};

/// The keys: of each, its columns.
const KEYS: [(&str, &[usize]); 3] =
    [("mail:email", &[0]), ("phone:phone-gb", &[1]), ("name:name,born:date", &[2, 3])];

/// A value: its key's place, and the numbers of its columns.
type Value = (usize, Vec<u32>);

/// The values that are a person's own, and the numbers of its rows, and of those that have the values.
#[derive(Default)]
struct Person {
    values: BTreeSet<Value>,
    rows: BTreeSet<usize>,
    heads: BTreeSet<usize>,
}

/// A list's persons.
struct People(Vec<Person>);

/// What a row has under each key; what more rows have than may is nothing.
fn values_of(rows: &[Row], most_rows: Option<u32>) -> Vec<[Option<Value>; 3]> {
    let value = |row: &Row, key: usize| {
        let value: Option<Vec<u32>> = KEYS[key].1.iter().map(|column| row[*column]).collect();
        Some((key, value?))
    };
    let all: Vec<[Option<Value>; 3]> =
        rows.iter().map(|row| std::array::from_fn(|key| value(row, key))).collect();
    let carried = |of: &Value| all.iter().flatten().flatten().filter(|value| *value == of).count();
    let may = |of: &Value| most_rows.is_none_or(|most| carried(of) <= most as usize);
    all.iter().map(|row| row.clone().map(|value| value.filter(|value| may(value)))).collect()
}

impl People {
    /// As the page has it: a value is that of the row whose digests have the smallest digest, and a row without any goes with
    /// its first.
    fn of(rows: &[Row], most_rows: Option<u32>, table: &Table, order: &[usize]) -> Self {
        let values = values_of(rows, most_rows);
        let list = Linkage::build(table, &specs(&KEYS.map(|(key, _)| key), most_rows));
        let list = list.expect("the columns are there");
        let mut ranks = BTreeMap::new();
        for (place, number) in order.iter().enumerate() {
            let digests = list
                .keys()
                .iter()
                .map(|set| set.key_of(place).map_or([0; 32], |value| set.digests()[value]));
            let digest = blake3::hash(&digests.collect::<Vec<_>>().concat());
            // The first half, as a number whose lowest byte comes first.
            let rank: Vec<u8> = digest.as_bytes()[..16].iter().rev().copied().collect();
            ranks.insert(*number, rank);
        }
        let mut owners: BTreeMap<&Value, &Vec<u8>> = BTreeMap::new();
        for (number, row) in values.iter().enumerate() {
            for value in row.iter().flatten() {
                let owner = owners.entry(value).or_insert(&ranks[&number]);
                *owner = (*owner).min(&ranks[&number]);
            }
        }
        let mut people: BTreeMap<&Vec<u8>, Person> = BTreeMap::new();
        for (number, row) in values.iter().enumerate() {
            let own: Vec<&Value> = row.iter().flatten().collect();
            let owned: BTreeSet<Value> = own
                .iter()
                .copied()
                .filter(|value| owners[value] == &ranks[&number])
                .cloned()
                .collect();
            let Some(first) = own.first() else { continue };
            let whose = if owned.is_empty() { owners[first] } else { &ranks[&number] };
            let person = people.entry(whose).or_default();
            person.heads.extend((!owned.is_empty()).then_some(number));
            person.values.extend(owned);
            person.rows.insert(number);
        }
        Self(people.into_values().collect())
    }

    fn values(&self) -> BTreeSet<&Value> {
        self.0.iter().flat_map(|person| &person.values).collect()
    }

    /// Of each person, whether it matches.
    fn matched<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (bool, &'a Person)> {
        let theirs = other.values();
        let matches = move |person: &Person| person.values.iter().any(|v| theirs.contains(v));
        self.0.iter().map(move |person| (matches(person), person))
    }

    fn matching<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a Person> {
        self.matched(other).filter(|(matches, _)| *matches).map(|(_, person)| person)
    }

    fn count(&self, other: &Self) -> u64 {
        self.matching(other).count() as u64
    }

    fn sum(&self, other: &Self) -> usize {
        self.matching(other).flat_map(|person| &person.rows).sum()
    }
}

/// A list, and what is plainly so of it.
struct Side {
    rows: Vec<Row>,
    order: Vec<usize>,
    most_rows: Option<u32>,
    table: Table,
    people: People,
}

impl Side {
    fn new(random: &mut Random, most_rows: Option<u32>) -> Self {
        let rows = random.rows();
        let order = random.order(rows.len());
        let table = random.table(&rows, &order);
        let people = People::of(&rows, most_rows, &table, &order);
        Self { rows, order, most_rows, table, people }
    }

    fn input(&self, random: &mut Random, job: &Job, columns: Columns<'_>) -> Input {
        // The table again, as it takes it; the same rows in the same order.
        let table = random.table(&self.rows, &self.order);
        assert_eq!(table.rows(), self.table.rows());
        let keys = specs(&KEYS.map(|(key, _)| key), self.most_rows);
        let matching = job.matching_of(&keys).expect("it takes several");
        assert_eq!(matching, Some(job.matching.unwrap_or(Matching::Grouped)));
        let input = Input::linked(table, &keys, matching).expect("the columns are there");
        let input = input.attach(job.operation, job.learn, columns).expect("the columns are there");
        if random.below(2) == 0 { input } else { input.for_one_run() }
    }

    /// The rows that go to the other side: of each person that does not match, the first in the list that has its values.
    fn lacking(&self, other: &Self) -> BTreeSet<String> {
        let first = |person: &Person| self.order.iter().find(|n| person.heads.contains(n)).copied();
        let lacking = self.people.matched(&other.people).filter(|(matches, _)| !matches);
        lacking.filter_map(|(_, person)| Some(first(person)?.to_string())).collect()
    }
}

#[test]
fn rows_that_stay_together_count_once_each() {
    let mut matched = 0;
    for seed in 0..cases() {
        let mut random = Random(ChaCha20Rng::seed_from_u64(seed));
        let most_rows = [None, None, Some(1), Some(2)][random.below(4) as usize];
        let sides = [Side::new(&mut random, most_rows), Side::new(&mut random, most_rows)];
        let of = ["mqrpmt-dh", "mqrpmt-poprf", "mqrpmt-star", "circuit"][random.below(4) as usize];
        let blind = of == "circuit";
        let values = ["row".to_owned()];
        let given = Columns { values: &values, send: &values, ..Columns::default() };
        let connecting = random.below(2) as usize;
        let at = [1 - connecting, connecting];
        let mut ends = |operation: Operation, learns: [Learn; 2]| {
            let id = match operation {
                Operation::Count if !blind => of.to_owned(),
                other => format!("{of}-{other}"),
            };
            let protocol = veilset::registry::find(&id).expect("it is registered").spec().id;
            let matching = blind.then_some(Matching::Blind);
            let job = Job { protocol: Some(protocol), matching, ..Job::new(operation, ["peer"]) };
            let inputs = at.map(|side| {
                let job = Job { learn: learns[side], ..job.clone() };
                let owns = side == 0 || operation == Operation::Union;
                let columns = if owns { given } else { Columns::default() };
                sides[side].input(&mut random, &job, columns)
            });
            let done = run([&inputs[0], &inputs[1]], at.map(|side| learns[side]), &job);
            let mut done = done.map(|done| done.expect("it runs")).into_iter().zip(inputs);
            let (first, second) = (done.next().expect("two"), done.next().expect("two"));
            if connecting == 1 { [first, second] } else { [second, first] }
        };
        let people = [&sides[0].people, &sides[1].people];
        let counts = [people[0].count(people[1]), people[1].count(people[0])];
        matched += counts[0];

        let told = format!("seed {seed}, {of}");
        for (side, (done, input)) in ends(Operation::Count, [Learn::Both; 2]).iter().enumerate() {
            assert_eq!(done.report.outcome, Outcome::Count(counts[0].min(counts[1])), "{told}");
            assert_eq!(done.report.distinct, people[side].0.len() as u64, "{told}");
            assert_eq!(input.distinct(), people[side].0.len(), "{told}");
        }
        let [(one, _), (other, _)] = ends(Operation::Count, [Learn::Me, Learn::Peer]);
        assert_eq!(one.report.outcome, Outcome::Count(counts[1]), "{told}");
        assert_eq!(other.report.outcome, Outcome::Nothing, "{told}");

        let [(one, of_one), (other, _)] = ends(Operation::Sum, [Learn::Both; 2]);
        let sum = people[0].sum(people[1]).to_string();
        let found = one.sums(&of_one).map(|sums| sums.into_iter().map(|sum| (sum.name, sum.sum)));
        assert_eq!(found.map(Iterator::collect), Some(vec![("row".to_owned(), sum)]), "{told}");
        assert_eq!((one.report.count(), other.report.count()), (Some(counts[0]), Some(counts[0])));

        let unions = if blind { None } else { Some(ends(Operation::Union, [Learn::Both; 2])) };
        for (side, (done, input)) in unions.iter().flatten().enumerate() {
            let (names, rows) = done.received_rows(input).expect("it is a union");
            assert_eq!(names, ["mail", "phone", "name", "born", "row"]);
            let got: BTreeSet<String> = rows.iter().map(|cells| cells[4].clone()).collect();
            assert_eq!(got, sides[1 - side].lacking(&sides[side]), "{told}");
            assert_eq!(rows.len(), got.len());
            assert_eq!(done.report.count(), Some(counts[1 - side]), "{told}");
        }

        let [one, other] =
            ends(Operation::Share, [Learn::Both; 2]).map(|(done, _)| match done.report.outcome {
                Outcome::Shares(shares) => shares,
                other => panic!("{other:?}"),
            });
        assert_eq!((one.sharing, one.columns), (Sharing::Additive, 2));
        let words = one.words.iter().zip(&other.words).map(|(a, b)| a.wrapping_add(*b));
        let mut words: Vec<u128> = words.collect();
        let mut expected: Vec<u128> = people[0]
            .matched(people[1])
            .flat_map(|(matches, person)| {
                let sum: usize = person.rows.iter().sum();
                if matches { [1, sum as u128] } else { [0, 0] }
            })
            .collect();
        for words in [&mut words, &mut expected] {
            words.as_chunks_mut::<2>().0.sort_unstable();
        }
        assert_eq!(words, expected, "{told}");
    }
    assert!(matched > cases() / 2, "{matched}");
}

/// A peer's row may have what this side has in one column in two.
#[test]
fn a_union_writes_each_column_of_the_keys_once() {
    let of = |text: &str, keys: &[&str]| {
        let table = Table::parse("people.csv".into(), text.into(), b',').expect("a table");
        let keys: Vec<KeySpec> = specs(keys, None);
        let input = Input::linked(table, &keys, Some(Matching::Grouped)).expect("the columns");
        input.attach(Operation::Union, Learn::Both, Columns::default()).expect("the columns")
    };
    let one = of("mail,tel\na@b.c,1\n", &["mail:email", "tel", "tel"]);
    let other = of("work,home,mail\n2,3,e@b.c\n,5,f@b.c\n7,1,\n", &["mail:email", "work", "home"]);
    let job = Job::new(Operation::Union, ["peer"]);
    let [at_one, at_other] =
        run([&one, &other], [Learn::Both; 2], &job).map(|end| end.expect("it runs"));
    let (names, rows) = at_one.received_rows(&one).expect("a union");
    let rows: BTreeSet<&[String]> = rows.iter().map(Vec::as_slice).collect();
    assert_eq!(names, ["mail", "tel"]);
    let expected = [["e@b.c", "2"], ["f@b.c", "5"]].map(|row| row.map(str::to_owned));
    assert_eq!(rows, expected.iter().map(<[String; 2]>::as_slice).collect());
    // The third row's home telephone is that of the only row here.
    assert_eq!(at_other.received_rows(&other).expect("a union").1, &[] as &[Vec<String>]);
}

/// What a program makes of its list has to be for what it asks for.
#[test]
fn a_list_that_was_made_for_something_else_is_refused() {
    let table = Table::parse("people.csv".into(), "a,b\n1,2\n".into(), b',').expect("a table");
    let list = Input::linked(table, &specs(&["a", "b"], None), None).expect("the columns");
    let job = Job::new(Operation::Count, ["peer"]);
    let [one, other] = run([&list, &list], [Learn::Both; 2], &job);
    for end in [one, other] {
        let said = end.err().expect("refused").to_string();
        assert!(said.contains("was not made for count"), "{said}");
    }
}
