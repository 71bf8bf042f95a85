//! Counts and sums with all that can be asked of them, against plain maps over random small lists and one large list.

use std::collections::{BTreeMap, BTreeSet};

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use serde_json::{Map, Value, json};
use veilset::data::{Condition, KeySpec, Table};
use veilset::registry::Operation;
use veilset::{Columns, Input, Job, Learn, Release};

use crate::linkage::{Random, cases, run_jobs};

/// A row: its key, and cents.
type Row = (u32, i64);

/// The group of a key in the list of the side that owns values, or of the other one.
fn region(key: u32, side: usize) -> &'static str {
    let of_key = [key, key / 3][side] as usize;
    [&["", "north", "south", "west, too"][..], &["gold", "silver", ""]][side][of_key % (4 - side)]
}

/// What is asked.
struct Asked {
    operation: Operation,
    protocol: Option<&'static str>,
    learn: Learn,
    /// The least cents of rows that count, on the first side.
    from: Option<i64>,
    groups: Option<usize>,
    /// Which sides have groups, where values are added up by groups.
    by: [bool; 2],
    stats: bool,
    /// Whether values are multiplied by cents of the other side.
    products: bool,
    least: Option<u64>,
    pad_to: [Option<u64>; 2],
    /// Whether a key that several rows carry is nobody's.
    one_to_one: bool,
}

impl Asked {
    fn random(random: &mut Random) -> Self {
        let maybe = |random: &mut Random| random.below(2) == 0;
        let operation = if random.below(3) == 0 { Operation::Count } else { Operation::Sum };
        let groups = (operation == Operation::Sum && random.below(3) == 0)
            .then(|| 4 + random.below(4) as usize);
        let by = [(); 2].map(|()| maybe(random));
        let by = if by == [false; 2] { [true; 2] } else { by };
        let products = operation == Operation::Sum && random.below(3) == 0;
        let protocol = match (operation, groups.is_some() || products) {
            (Operation::Count, _) => [None, Some("circuit-count"), Some("mqrpmt-dh")],
            (_, true) => [None, Some("circuit-sum"), None],
            (_, false) => [None, Some("circuit-sum"), Some("mqrpmt-dh-sum")],
        };
        let learn = match operation {
            Operation::Count => [Learn::Both, Learn::Me, Learn::Peer][random.below(3) as usize],
            _ => Learn::Both,
        };
        let pad_to = [(); 2].map(|()| maybe(random).then(|| u64::from(1 + random.below(16))));
        Self {
            operation,
            protocol: protocol[random.below(3) as usize],
            learn,
            from: maybe(random).then(|| i64::from(random.below(400)) - 200),
            groups,
            by,
            stats: operation == Operation::Sum && !products && maybe(random),
            products,
            least: maybe(random).then(|| u64::from(1 + random.below(4))),
            pad_to,
            one_to_one: random.below(4) == 0,
        }
    }

    /// The job of the first side, or of the other one.
    fn job(&self, side: usize) -> Job {
        Job {
            protocol: self.protocol,
            learn: [self.learn, self.learn.mirrored()][side],
            groups: self.groups,
            release: Release { least: self.least, ..Release::default() },
            pad_to: self.pad_to[side],
            ..Job::new(self.operation, ["peer"])
        }
    }

    /// The list of the side that owns values, or of the other one.
    fn input(&self, rows: &[Row], side: usize) -> Input {
        let line = |(key, cents): &Row| {
            let sign = if *cents < 0 { "-" } else { "" };
            let (whole, rest) = (cents.abs() / 100, cents.abs() % 100);
            format!("{key},{sign}{whole}.{rest:02},\"{}\"\n", region(*key, side))
        };
        let text = format!("id,amount,region\n{}", rows.iter().map(line).collect::<String>());
        let table = Table::parse("list.csv".into(), text.into(), b',').expect("a table");
        let key = "id".parse::<KeySpec>().expect("a key");
        let key = key.carried_by_at_most(self.one_to_one.then_some(1));
        let input = Input::of(table, &key).expect("it is there");
        let owns = side == 0;
        let least = |cents: i64| format!("amount>={}.{:02}", cents / 100, cents % 100);
        let conditions: Vec<Condition> = (self.from.filter(|_| owns).into_iter())
            .map(|cents| match cents {
                0.. => least(cents).parse().expect("a condition"),
                _ => least(-cents).replace(">=", ">=-").parse().expect("a condition"),
            })
            .collect();
        let (amount, by) = ([self.column().to_owned()], ["region".to_owned()]);
        let by = if self.groups.is_some() && self.by[side] { &by[..] } else { &[] };
        let columns = match self.operation {
            Operation::Sum if owns => {
                Columns { values: &amount, squares: self.stats, by, ..Columns::default() }
            }
            Operation::Sum => {
                let factor = self.products.then_some("amount");
                Columns { factor, by, ..Columns::default() }
            }
            _ => Columns::default(),
        };
        let input = input.only(&conditions).expect("numbers");
        input.attach(self.operation, Learn::Both, columns).expect("numbers")
    }

    /// What is added up.
    fn column(&self) -> &'static str {
        if self.products { "amount*amount" } else { "amount" }
    }

    /// The keys of a list.
    fn keys(&self, rows: &[Row]) -> BTreeSet<u32> {
        let of = |key: u32| rows.iter().filter(|(other, _)| *other == key).count();
        let keys = rows.iter().map(|(key, _)| *key);
        keys.filter(|key| !self.one_to_one || of(*key) == 1).collect()
    }

    /// The result of either side, by a plain map.
    fn expected(&self, [own, theirs]: [&[Row]; 2]) -> [Value; 2] {
        let mut factors: BTreeMap<u32, i64> = BTreeMap::new();
        theirs.iter().for_each(|(key, cents)| *factors.entry(*key).or_default() += cents);
        let (keys, theirs) = (self.keys(own), self.keys(theirs));
        let mut values: BTreeMap<u32, i64> = BTreeMap::new();
        for (key, cents) in own {
            if keys.contains(key) && self.from.is_none_or(|from| *cents >= from) {
                *values.entry(*key).or_default() += cents;
            }
        }
        let places = |keys: &BTreeSet<u32>| if keys.is_empty() { 0 } else { 2 };
        let places = places(&keys) + if self.products { places(&theirs) } else { 0 };
        let matched = |groups: [Option<&str>; 2]| -> Vec<i64> {
            let is_in =
                |side: usize, key: u32| groups[side].is_none_or(|group| region(key, side) == group);
            let of_group = |key: &u32| is_in(0, *key) && is_in(1, *key);
            let is_matched = |key: &u32| theirs.contains(key) && of_group(key);
            let matched = values.iter().filter(|(key, _)| is_matched(key));
            let factor = |key| if self.products { factors[key] } else { 1 };
            matched.map(|(key, cents)| cents * factor(key)).collect()
        };
        let all = matched([None; 2]);
        let is_withheld =
            |matched: &[i64]| self.least.is_some_and(|least| (matched.len() as u64) < least);
        let withheld = || json!({ "fewer_than": self.least });
        if self.operation == Operation::Count {
            let learns = [self.learn, self.learn.mirrored()].map(Learn::includes_me);
            return learns.map(|learns| match (learns, is_withheld(&all)) {
                (false, _) => json!({ "count": null }),
                (true, true) => json!({ "withheld": withheld(), "count": null }),
                (true, false) => json!({ "count": all.len() }),
            });
        }
        if self.groups.is_some() {
            let names = |keys: Vec<u32>, side: usize| -> Vec<Option<&str>> {
                let names: BTreeSet<&str> = keys.iter().map(|key| region(*key, side)).collect();
                match (self.by[side], side, names.is_empty()) {
                    (false, ..) => vec![None],
                    // Where no row has a key, one group without a name is lent.
                    (true, 1, true) => vec![Some("")],
                    (true, ..) => names.into_iter().map(Some).collect(),
                }
            };
            let own = names(values.keys().copied().collect(), 0);
            let lent = names(theirs.iter().copied().collect(), 1);
            let pairs = own.iter().flat_map(|own| lent.iter().map(move |lent| [*own, *lent]));
            let groups = pairs.map(|names| {
                let by = match names {
                    [Some(own), Some(lent)] => json!({ "region": own, "peer.region": lent }),
                    [own, lent] => json!({ "region": own.or(lent) }),
                };
                let matched = matched(names);
                match is_withheld(&matched) {
                    true => json!({ "by": by, "count": null, "sum": null }),
                    false => {
                        let mut group = json!({ "by": by, "count": matched.len() });
                        self.insert_numbers(&mut group, &matched, places);
                        group
                    }
                }
            });
            let groups: Vec<Value> = groups.collect();
            let own = json!({ "count": null, "sum": null, "groups": groups });
            return [own, json!({ "count": null, "sum": null })];
        }
        if is_withheld(&all) {
            return [(); 2].map(|()| json!({ "withheld": withheld(), "count": null, "sum": null }));
        }
        let mut own = json!({ "count": all.len() });
        self.insert_numbers(&mut own, &all, places);
        [own, json!({ "count": all.len(), "sum": null })]
    }

    fn insert_numbers(&self, result: &mut Value, matched: &[i64], places: usize) {
        let count = matched.len() as i128;
        let sum: i128 = matched.iter().map(|cents| i128::from(*cents)).sum();
        let squares: i128 = matched.iter().map(|cents| i128::from(*cents).pow(2)).sum();
        let of = |text: Value| Value::Object(Map::from_iter([(self.column().to_owned(), text)]));
        result["sum"] = of(json!(decimal(sum, places)));
        if self.stats {
            let quotient = |number: i128, by: i128, places: usize| match by {
                0 => Value::Null,
                _ => {
                    let rounded = (number.abs() * 2_000_000 + by) / (2 * by) * number.signum();
                    let text = decimal(rounded, places + 6);
                    json!(text.trim_end_matches('0').trim_end_matches('.'))
                }
            };
            result["mean"] = of(quotient(sum, count, places));
            result["variance"] =
                of(quotient(count * squares - sum * sum, count * count, 2 * places));
        }
    }
}

/// A number of units of 10^-`places`.
fn decimal(units: i128, places: usize) -> String {
    let digits = format!("{:0>width$}", units.abs(), width = places + 1);
    let (whole, rest) = digits.split_at(digits.len() - places);
    let sign = if units < 0 { "-" } else { "" };
    if places == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest}") }
}

fn check(asked: &Asked, [own, theirs]: [&[Row]; 2], place: &str) {
    let inputs = [asked.input(own, 0), asked.input(theirs, 1)];
    let found = run_jobs([&inputs[0], &inputs[1]], [asked.job(0), asked.job(1)]);
    let found = [0, 1].map(|side| {
        let done = found[side].as_ref().unwrap_or_else(|why| panic!("{place}: {why}"));
        let mut report = veilset::json::of_run(done, &inputs[side]);
        (report["result"].take(), report["peer_distinct"].take())
    });
    let expected = asked.expected([own, theirs]);
    for side in [0, 1] {
        assert_eq!(found[side].0, expected[side], "{place}, side {side}");
    }
    // The other side hears of as many keys as all rows have, or of more.
    let told = asked.pad_to[0].unwrap_or(0).max(asked.keys(own).len() as u64);
    assert_eq!(found[1].1, told, "{place}");
}

/// Each with some of: rows that count, groups, means and variances, a least result, lists that are filled up, several protocols.
#[test]
fn numbers_are_those_of_a_plain_table_whatever_is_asked() {
    for seed in 0..cases() {
        let mut random = Random(ChaCha20Rng::seed_from_u64(seed));
        let asked = Asked::random(&mut random);
        let mut rows = || {
            let (rows, keys) = (random.below(14), 1 + random.below(12));
            let mut row = || (random.below(keys), i64::from(random.below(1000)) - 500);
            (0..rows).map(|_| row()).collect::<Vec<Row>>()
        };
        let lists = [rows(), rows()];
        check(&asked, [&lists[0], &lists[1]], &format!("case {seed}"));
    }
}

/// 2^18 rows a side, by group and with a least result. It takes ten seconds or more.
#[test]
#[ignore = "as many rows as this take a while"]
fn many_rows_are_those_of_a_plain_table() {
    let mut random = Random(ChaCha20Rng::seed_from_u64(1));
    let asked = Asked {
        operation: Operation::Sum,
        protocol: Some("circuit-sum"),
        learn: Learn::Both,
        from: Some(-30_000),
        groups: Some(4),
        by: [true; 2],
        stats: true,
        products: false,
        least: Some(50),
        pad_to: [None; 2],
        one_to_one: false,
    };
    let mut rows = || {
        let mut row = || (random.below(400_000), i64::from(random.below(100_000)) - 50_000);
        (0..1 << 18).map(|_| row()).collect::<Vec<Row>>()
    };
    let lists = [rows(), rows()];
    check(&asked, [&lists[0], &lists[1]], "2^18 rows");
}
