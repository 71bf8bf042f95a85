//! Shares of the values of both sides, against plain maps.

use std::collections::BTreeMap;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset::data::{KeySpec, ShareTable, Table};
use veilset::registry::Operation;
use veilset::{Columns, Done, Input, Job, Learn, Matching, Noise, Release, Withheld};
use veilset_protocols::{Choices, Role, Sharing};

use crate::linkage::{Random, cases, run_jobs};

/// A row: its key, and cents in each column.
type Row = (u32, Vec<i64>);

const COLUMNS: [&[&str]; 2] = [&["amount", "fee"], &["amount"]];

fn input(rows: &[Row], side: usize) -> Input {
    let of_cents = |cents: &i64| {
        let sign = if *cents < 0 { "-" } else { "" };
        format!(",{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100)
    };
    let line =
        |(key, cents): &Row| format!("{key}{}\n", cents.iter().map(of_cents).collect::<String>());
    let names = COLUMNS[side].join(",");
    let text = format!("id,{names}\n{}", rows.iter().map(line).collect::<String>());
    let table = Table::parse("list.csv".into(), text.into(), b',').expect("a table");
    let values: Vec<String> = COLUMNS[side].iter().map(|name| (*name).to_owned()).collect();
    let input = Input::of(table, &"id".parse::<KeySpec>().expect("a key")).expect("it is there");
    let columns = Columns { values: &values, ..Columns::default() };
    input.attach(Operation::Share, Learn::Both, columns).expect("numbers")
}

/// What each key comes to in each column.
fn sums(rows: &[Row]) -> BTreeMap<u32, Vec<i64>> {
    let mut sums: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
    for (key, cents) in rows {
        let sum = sums.entry(*key).or_insert_with(|| vec![0; cents.len()]);
        sum.iter_mut().zip(cents).for_each(|(sum, cents)| *sum += cents);
    }
    sums
}

fn names<'a>(table: &'a ShareTable<'_>) -> Vec<&'a str> {
    table.columns.iter().map(|column| &*column.name).collect()
}

#[test]
fn values_of_both_sides_come_out_as_shares() {
    let mut found = 0;
    for seed in 0..cases() {
        let mut random = Random(ChaCha20Rng::seed_from_u64(seed));
        let mut rows = |side: usize| -> Vec<Row> {
            let (count, keys) = (random.below(12), 1 + random.below(12));
            let mut row = || {
                let key = random.below(keys);
                let cents = COLUMNS[side].iter().map(|_| i64::from(random.below(1000)) - 500);
                (key, cents.collect())
            };
            (0..count).map(|_| row()).collect()
        };
        let lists = [rows(0), rows(1)];
        let inputs = [input(&lists[0], 0), input(&lists[1], 1)];
        let sharing = Sharing::ALL[random.below(2) as usize];
        let named = (random.below(2) == 0).then_some("circuit-share");
        let job = Job {
            protocol: named,
            choices: Choices { sharing: Some(sharing), ..Choices::default() },
            ..Job::new(Operation::Share, ["peer"])
        };
        let done = run_jobs([&inputs[0], &inputs[1]], [job.clone(), job]);
        let done = done.map(|done| done.expect("it runs"));
        let mut ends: Vec<(usize, &Done, ShareTable<'_>)> = (0..)
            .zip(done.iter().zip(&inputs))
            .map(|(side, (done, input))| (side, done, done.shares(input).expect("shares")))
            .collect();
        ends.sort_by_key(|(_, done, _)| done.report.role != Some(Role::Sender));
        let [(sender, _, one), (_, _, other)] = &ends[..] else { panic!("two") };
        assert_eq!(names(one), names(other));
        let expected = [["amount", "fee", "amount_2"], ["amount", "amount_2", "fee"]];
        assert_eq!(names(one), expected[*sender]);
        assert!(other.source_row.is_none());

        let order = one.source_row.as_ref().expect("the sender's");
        let all = sums(&lists[*sender]);
        let theirs = sums(&lists[1 - sender]);
        let words = one.words.chunks(4).zip(other.words.chunks(4));
        let mut matched = 0;
        for (row, (one, other)) in order.iter().zip(words) {
            let secret = one.iter().zip(other).map(|(one, other)| match sharing {
                Sharing::Additive => one.wrapping_add(*other).cast_signed(),
                Sharing::Xor => (one ^ other).cast_signed(),
            });
            let key = row.map(|row| lists[*sender][row as usize - 1].0);
            let both = key.and_then(|key| Some((all.get(&key)?, theirs.get(&key)?)));
            let expected = match both {
                None => vec![0; 4],
                Some((own, theirs)) => {
                    let values = own.iter().chain(theirs).map(|cents| i128::from(*cents));
                    std::iter::once(1).chain(values).collect()
                }
            };
            assert_eq!(secret.collect::<Vec<_>>(), expected, "case {seed}");
            matched += usize::from(both.is_some());
        }
        let common = all.keys().filter(|key| theirs.contains_key(key)).count();
        assert_eq!(matched, common, "case {seed}");
        found += common;
    }
    assert!(found > cases() as usize, "{found}");
}

#[test]
fn values_of_both_sides_need_one_key_and_a_protocol_that_has_them() {
    let inputs = [input(&[(1, vec![1, 2])], 0), input(&[(1, vec![3])], 1)];
    let job = |protocol| Job { protocol, ..Job::new(Operation::Share, ["peer"]) };
    let ends = run_jobs([&inputs[0], &inputs[1]], [job(Some("mqrpmt-dh-share")), job(None)]);
    for end in ends {
        let error = end.err().expect("refused").to_string();
        assert!(error.contains("--value and --protocol mqrpmt-dh-share"), "{error}");
    }

    let linked = |side: usize| {
        let text = "id,mail,amount\n1,a@b.c,2\n";
        let table = Table::parse("list.csv".into(), text.into(), b',').expect("a table");
        let keys = ["id", "mail"].map(|key| key.parse::<KeySpec>().expect("a key"));
        let input = Input::linked(table, &keys, Some(Matching::Blind)).expect("columns");
        let values = [COLUMNS[side][0].to_owned()];
        let columns = Columns { values: &values, ..Columns::default() };
        input.attach(Operation::Share, Learn::Both, columns).expect("numbers")
    };
    let blind = Job { matching: Some(Matching::Blind), ..Job::new(Operation::Share, ["peer"]) };
    for end in run_jobs([&linked(0), &linked(1)], [blind.clone(), blind]) {
        let error = end.err().expect("refused").to_string();
        assert!(error.contains("--value, by several keys"), "{error}");
    }
}

/// Both learn one number, and the lists are as long as they are.
#[test]
fn a_count_on_shares_has_noise_of_coins() {
    let list = |first: u32| {
        let rows: String = (first..first + 40).map(|id| format!("{id}\n")).collect();
        let table = Table::parse("list".into(), format!("id\n{rows}").into(), b',');
        Input::of(table.expect("a table"), &"id".parse::<KeySpec>().expect("a key"))
    };
    let inputs = [list(0), list(10)].map(|input| input.expect("a column"));
    let noise = Noise::new(4.0, 1e-3).expect("within bounds");
    let run = |least| {
        let job = Job {
            protocol: Some("circuit-count"),
            release: Release { noise: Some(noise), least, ..Release::default() },
            ..Job::count(["peer"])
        };
        run_jobs([&inputs[0], &inputs[1]], [job.clone(), job]).map(|done| {
            let done = done.expect("it runs");
            assert_eq!((done.report.distinct, done.report.peer().distinct), (40, 40));
            done.report
        })
    };
    let mut off = Vec::new();
    for _ in 0..24 {
        let [one, other] = run(None);
        let count = one.count().expect("a count");
        assert_eq!(other.count(), Some(count));
        off.push(count as f64 - 30.0);
    }
    let most = f64::from(noise.dummies() / 2);
    assert!(off.iter().all(|off| off.abs() <= most), "{off:?}");
    assert!(off.iter().any(|one| *one != off[0]), "{off:?}");
    let mean = off.iter().sum::<f64>() / 24.0;
    // Six deviations of a mean of 24.
    assert!(mean.abs() < 6.0 * (f64::from(noise.dummies()) / 4.0 / 24.0).sqrt(), "{off:?}");

    for report in run(Some(1000)) {
        assert_eq!((report.withheld, report.count()), (Some(Withheld::Fewer(1000)), None));
    }
}
