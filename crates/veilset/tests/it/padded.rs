//! Lists that are filled up with made-up keys: every result is as without, and the peer sees the larger size.

use std::ops::Range;

use veilset::data::{Condition, KeySpec, Table};
use veilset::registry::{Operation, Outcome, PROTOCOLS, Spec};
use veilset::{Columns, Input, Job, Learn};

use crate::linkage::run_jobs;

/// Rows of numbers, which are keys and the cells of `n`.
fn list(numbers: Range<usize>, job: &Job, columns: Columns<'_>) -> Input {
    list_of(numbers, &[], job, columns)
}

/// The same, of which rows count that meet these conditions.
fn list_of(
    numbers: Range<usize>,
    conditions: &[Condition],
    job: &Job,
    columns: Columns<'_>,
) -> Input {
    let rows: String = numbers.map(|n| format!("{n},{n}\n")).collect();
    let table = Table::parse("list.csv".into(), format!("k,n\n{rows}").into(), b',');
    let input = Input::of(table.expect("a table"), &"k".parse::<KeySpec>().expect("a key"));
    let input = input.expect("the column is there").only(conditions).expect("numbers");
    input.attach(job.operation, job.learn, columns).expect("numbers")
}

/// What a side learns of its list, of which the keys in these places are common: 2, 3 and 4. Whoever has the values learns their sum.
fn expected(spec: &Spec, learns: bool, has_values: bool, places: [u32; 3]) -> Outcome {
    match spec.operation {
        _ if !learns => Outcome::Nothing,
        Operation::Intersect => Outcome::Matched(places.into()),
        Operation::Sum if has_values => Outcome::Sums { count: 3, sums: vec![9] },
        _ => Outcome::Count(3),
    }
}

/// Runs `spec`; the first side, with five keys, fills its list up to 12, or has 12 of which five are `chosen`, and the second one, with
/// seven, fills it to `second` if at all.
fn check(spec: &Spec, learn: Learn, chosen: bool, second: Option<u64>) {
    let job = |learn, pad_to| Job {
        learn,
        pad_to,
        protocol: Some(spec.id),
        ..Job::new(spec.operation, ["peer"])
    };
    let jobs = [job(learn, (!chosen).then_some(12)), job(learn.mirrored(), second)];
    let values = ["n".to_owned()];
    let values = if spec.operation == Operation::Sum { &values[..] } else { &[] };
    let columns = [Columns { values, ..Columns::default() }, Columns::default()];
    let (numbers, conditions) = match chosen {
        true => (0..12, vec!["n<5".parse().expect("a condition")]),
        false => (0..5, vec![]),
    };
    let first = list_of(numbers, &conditions, &jobs[0], columns[0]);
    let inputs = [first, list(2..9, &jobs[1], columns[1])];
    let [one, other] = run_jobs([&inputs[0], &inputs[1]], jobs);
    let (one, other) = (one.expect("it runs").report, other.expect("it runs").report);
    let place = format!("{} {learn} {second:?}", spec.id);
    assert_eq!((one.distinct, one.peer().distinct), (5, second.unwrap_or(7)), "{place}");
    assert_eq!((other.distinct, other.peer().distinct), (7, 12), "{place}");
    assert_eq!(one.outcome, expected(spec, learn.includes_me(), true, [2, 3, 4]), "{place}");
    assert_eq!(
        other.outcome,
        expected(spec, learn.mirrored().includes_me(), false, [0, 1, 2]),
        "{place}"
    );
}

#[test]
fn every_result_is_as_without_and_the_peer_sees_the_larger_size() {
    let filled = [Operation::Intersect, Operation::Count, Operation::Sum];
    let specs = PROTOCOLS.iter().map(|protocol| protocol.spec());
    for spec in specs.filter(|spec| filled.contains(&spec.operation)) {
        for learn in [Learn::Both, Learn::Me, Learn::Peer] {
            if spec.reveals.contains(&learn.reveal()) {
                check(spec, learn, false, None);
                check(spec, learn, true, Some(9));
            }
        }
    }
}

/// Rows go with the keys that match, and in parts.
#[test]
fn rows_and_parts_are_as_without() {
    const MEMORY: u64 = 20_500_000;
    for (protocol, max_memory) in [("rr22", None), ("dh", None), ("rr22", Some(MEMORY))] {
        let job = |learn, pad_to| Job {
            learn,
            pad_to,
            max_memory,
            protocol: Some(protocol),
            ..Job::intersect(["peer"])
        };
        let jobs = [job(Learn::Me, Some(40_000)), job(Learn::Peer, Some(40_000))];
        let send = ["n".to_owned()];
        let columns = [Columns::default(), Columns { send: &send, ..Columns::default() }];
        let inputs = [list(0..100, &jobs[0], columns[0]), list(50..20_000, &jobs[1], columns[1])];
        let [one, other] = run_jobs([&inputs[0], &inputs[1]], jobs);
        let (one, other) = (one.expect("it runs"), other.expect("it runs"));
        let sizes = (other.report.peer().distinct, one.report.peer().distinct);
        assert_eq!(sizes, (40_000, 40_000), "{protocol}");
        let parts = one.report.phases.iter().filter(|phase| phase.name == "set").count();
        assert_eq!(parts > 1, max_memory.is_some(), "{protocol}: {parts}");
        let joined = one.joined(&inputs[0]).expect("it learned");
        let cells: Vec<(usize, String)> = joined
            .rows(veilset::Join::Inner, &inputs[0])
            .map(|row| (row, joined.rows_of(row)[0].cells[0].clone()))
            .collect();
        let wanted: Vec<(usize, String)> = (50..100).map(|n| (n, n.to_string())).collect();
        assert_eq!(cells, wanted, "{protocol}");
    }
}
