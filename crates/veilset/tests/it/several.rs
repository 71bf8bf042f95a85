//! Several parties match by several keys, against a plain greedy run over random small lists.

use std::collections::BTreeSet;
use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset::data::{KeySpec, Table};
use veilset::party::PublicKey;
use veilset::registry::{Operation, Silent};
use veilset::{Connection, Done, Error, Input, Job, Matching, Resources, Seats};
use veilset_channel::{Transport, memory_pair};

use crate::linkage::{KEYS, Random, cases, in_tiers, learned, values_of};

fn key(place: usize) -> PublicKey {
    PublicKey::from_bytes([place as u8 + 1; 32])
}

fn name(place: usize) -> String {
    format!("party {place}")
}

/// The way to another party: its name, its key, and whether this one opened it.
type WayTo = (String, PublicKey, Box<dyn Transport>, bool);

/// All parties of a run, each with its list and what it wants.
fn run(inputs: &[Input], jobs: &[Job]) -> Vec<Result<Done, Error>> {
    let mut ways: Vec<Vec<WayTo>> = Vec::new();
    for high in 0..inputs.len() {
        let mut own: Vec<WayTo> = Vec::new();
        for (low, ways) in ways.iter_mut().enumerate() {
            let (left, right) = memory_pair();
            ways.push((name(high), key(high), Box::new(left), true));
            own.push((name(low), key(low), Box::new(right), false));
        }
        ways.push(own);
    }
    let party = |place: usize, ways, input: &Input, job: Job| {
        let ready = job.offer(Connection::from_transports(key(place), ways), input)?;
        ready.run(input, &Resources { threads: 1, observer: &Silent })
    };
    thread::scope(|scope| {
        let parties = ways.into_iter().zip(inputs).zip(jobs).enumerate();
        let parties = parties.map(|(place, ((ways, input), job))| {
            scope.spawn(move || party(place, ways, input, job.clone()))
        });
        let parties: Vec<_> = parties.collect();
        parties.into_iter().map(|party| party.join().expect("no panic")).collect()
    })
}

/// What the party in a place wants, of so many.
fn job(operation: Operation, place: usize, all: usize) -> Job {
    Job::new(operation, (0..all).filter(|other| *other != place).map(name))
}

#[test]
fn rows_match_key_after_key_where_all_lists_have_them() {
    let mut matched = BTreeSet::new();
    // Each has several lists.
    for seed in 0..cases().div_ceil(3) {
        let mut random = Random(ChaCha20Rng::seed_from_u64(1000 + seed));
        let all = 3 + random.below(3) as usize;
        let protocol = ["all-but-one", "leader-pivot", "ks-parties"][random.below(3) as usize];
        let most_rows = [None, Some(1), Some(2)][random.below(3) as usize];
        let mut rows: Vec<_> = (0..all).map(|_| random.rows()).collect();
        // Else hardly any is on all lists.
        let (first, others) = rows.split_first_mut().expect("some");
        for other in others {
            other.extend(first.iter().filter(|_| random.below(3) > 0));
        }
        let orders: Vec<_> = rows.iter().map(|rows| random.order(rows.len())).collect();
        let lists = rows.iter().zip(&orders);
        let inputs: Vec<Input> =
            lists.map(|(rows, order)| random.list(rows, order, most_rows)).collect();
        let values: Vec<_> = rows.iter().map(|rows| values_of(rows, most_rows)).collect();
        let expected = in_tiers(&values);
        let wanted =
            |place| Job { protocol: Some(protocol), ..job(Operation::Intersect, place, all) };
        let jobs: Vec<Job> = (0..all).map(wanted).collect();
        for (place, end) in run(&inputs, &jobs).into_iter().enumerate() {
            let done = end.expect("it runs");
            assert_eq!(done.report.matching, Some(Matching::Tiers));
            let got = learned(&done, &inputs[place], &orders[place]);
            assert_eq!(got, expected[place], "{protocol}, seed {seed}, place {place} of {all}");
            matched.extend(got.values().copied());
        }
    }
    assert_eq!(matched, (0..KEYS.len()).collect(), "rows match by every key");
}

/// A generator makes several values of a row under the one key.
#[test]
fn a_row_matches_by_any_value_that_all_lists_have() {
    let spec: KeySpec = "name:name~deletion".parse().expect("a key");
    let list = |names: &str| {
        let table = Table::parse("list".into(), format!("name\n{names}").into(), b',');
        let keys = std::slice::from_ref(&spec);
        Input::linked(table.expect("a table"), keys, None).expect("the column is there")
    };
    let inputs = [list("Smith\nJones\n"), list("Smth\nBrown\n"), list("Smath\nJones\n")];
    let jobs: Vec<Job> = (0..3).map(|place| job(Operation::Intersect, place, 3)).collect();
    for (done, input) in run(&inputs, &jobs).into_iter().zip(&inputs) {
        let done = done.expect("it runs");
        // Without their vowels the first of each are one.
        let rows: Vec<usize> = done.rows(input).expect("it learns").collect();
        assert_eq!(rows, [0]);
    }
}

#[test]
fn with_several_keys_all_learn_and_nothing_is_counted() {
    let keys = ["a", "b"].map(|key| key.parse::<KeySpec>().expect("a key"));
    let learner = |learners: Vec<[u8; 32]>| Seats { learners, ..Seats::default() };
    let of = |operation, learners| {
        let job = Job { seats: learner(learners), ..job(operation, 0, 3) };
        job.matching_of(&keys).map_err(|why| why.to_string())
    };
    let [one, two, three] = [0, 1, 2].map(|place| *key(place).as_bytes());
    assert_eq!(of(Operation::Intersect, vec![]), Ok(Some(Matching::Tiers)));
    assert_eq!(of(Operation::Intersect, vec![one, two, three]), Ok(Some(Matching::Tiers)));
    for (operation, learners, part) in [
        (Operation::Intersect, vec![one, two], "leave out --learner"),
        (Operation::Count, vec![], "count by one"),
        (Operation::Overlaps, vec![], "one --key"),
    ] {
        let said = of(operation, learners).expect_err("refused");
        assert!(said.contains(part), "{said}");
    }
}
