//! Prices of runs between clusters, against arithmetic by hand.

use std::time::Duration;

use veilset_cluster::{Cluster, ClusterError, ClusterPrice, Fit};
use veilset_protocols::{Operation, Security};
use veilset_session::{Calibration, Learn, Link, PlannedRun, SessionError, Speed, Wanted};

const OPERATIONS: [Operation; 4] =
    [Operation::Intersect, Operation::Count, Operation::Sum, Operation::Union];
/// The most keys of a side.
const MOST_KEYS: u64 = 1 << 40;

/// 5 µs a multiplication, 0.5 µs a map, 0.1 µs a pass.
fn machine() -> Calibration {
    Calibration::with(|_| Speed { multiplication: 5e-6, map: 5e-7, on_device: false }, 1e-7)
}

fn planned(operation: Operation, rows: u64) -> PlannedRun {
    let own_part = matches!(operation, Operation::Sum | Operation::Share);
    PlannedRun {
        wanted: Wanted::new(
            operation,
            Security::SemiHonest,
            if own_part { Learn::Both } else { Learn::Me },
        ),
        rows,
        peer_rows: rows,
        keys: 1,
        values: 1,
        peer_values: 0,
        groups: None,
        blind: false,
        lent_groups: None,
        products: 0,
        factor_bytes: 1,
        row_bytes: None,
        link: Link { bits_per_second: 10e9, round_trip: Duration::ZERO },
        threads: 4,
    }
}

fn with(workers: u64) -> Cluster {
    Cluster { workers: Some(workers), ..Cluster::default() }
}

fn price(planned: &PlannedRun, cluster: &Cluster) -> ClusterPrice {
    cluster.price_of(planned, &machine()).unwrap_or_else(|error| panic!("{error}"))
}

fn near(found: f64, expected: f64, by: f64) {
    assert!((found / expected - 1.0).abs() < by, "{found} is not {expected}");
}

#[test]
fn a_count_costs_what_arithmetic_by_hand_says() {
    let price = price(&planned(Operation::Count, 100_000_000), &with(16));
    assert_eq!((price.spec.id, price.pieces, price.workers), ("mqrpmt-dh", 128, 16));
    // 2^20 rows a piece would make 96 pieces, and 64 cores do 2·10^8 multiplications and 10^8 maps; eight pieces a worker
    // open two connections each.
    near(price.computing.as_secs_f64(), 1050.0 / 64.0 + 8.0 * 2.0 * 0.005, 1e-3);
    // Eight passes on four cores, and 96 bytes at 10 Gbit/s, for each of 6.25 million rows.
    near(price.preparing.as_secs_f64(), 6.25e6 * (2e-7 + 7.68e-8), 1e-6);
    // 32 bytes a point; values of 40 + 27 + 27 bits in sorted order save 26.6 of them and cost 1.5.
    near(price.sent[0], 3.2e9, 1e-3);
    near(price.sent[1], 3.2e9 + 1e8 * 68.9 / 8.0, 3e-3);
    near(price.link.as_secs_f64(), price.sent[1] * 8.0 / 1e10, 1e-3);
    let seconds = price.preparing.as_secs_f64() + price.computing.as_secs_f64();
    near(price.time.as_secs_f64(), seconds, 1e-3);
    near(price.cost[0], 16.0 * seconds / 3600.0 * 0.40 + 3.2 * 0.05, 1e-3);
    near(price.stored[0], 1e8 * (96.0 + 32.0), 1e-9);
}

#[test]
fn an_intersection_pays_for_full_buckets_and_longer_values() {
    let price = price(&planned(Operation::Intersect, 1_000_000_000), &with(32));
    assert_eq!((price.spec.id, price.pieces), ("rr22", 1024));
    // μ = 976,562.5 and L = 51 ln 2 = 35.35: L/3 is 11.8 and the root 8309.5.
    let room = 984_884.0;
    // A run of 2^20 and 2^20 moves 17.8 MB as measured; ten more bits for each value of one side.
    let bytes = 1024.0 * (17.8e6 * room / f64::from(1 << 20) + room * 10.0 / 8.0);
    near(price.sent[0] + price.sent[1], bytes, 0.02);
    near(price.stored[0], 96e9, 1e-9);
}

#[test]
fn as_many_pieces_as_rows_and_workers_ask_for() {
    let pieces = |rows, workers| price(&planned(Operation::Count, rows), &with(workers)).pieces;
    assert_eq!((pieces(4_000_000_000, 64), pieces(10_000_000_000, 4096)), (4096, 4096));
    assert_eq!((pieces(1 << 30, 1), pieces((1 << 30) + 1, 1)), (1024, 2048));
    assert_eq!((pieces(0, 1), pieces(10, 3), pieces(10, 5)), (8, 16, 32));
}

#[test]
fn all_operations_have_a_price_at_any_size() {
    for operation in OPERATIONS {
        let mut before = Duration::ZERO;
        for rows in [0, 1, 10_000, 1_000_000, 100_000_000, 10_000_000_000, 100_000_000_000] {
            let price = price(&planned(operation, rows), &with(8));
            assert!(price.cost.iter().chain(&price.sent).all(|one| one.is_finite()));
            assert!(price.time < Duration::MAX && price.worker_memory >= 300_000_000);
            let fastest = price.computing.max(price.link) + price.preparing;
            let slowest = price.computing + price.link + price.preparing;
            let rounding = Duration::from_micros(1);
            assert!(fastest <= price.time + rounding && price.time <= slowest + rounding);
            assert!(price.time >= before, "{operation} {rows}");
            before = price.time;
        }
    }
}

#[test]
fn whoever_learns_a_union_gets_rows_and_the_owner_of_values_sends_words() {
    let bytes = |operation, learn| {
        let mut planned = planned(operation, 1_000_000);
        planned.wanted.learn = learn;
        price(&planned, &with(1)).sent
    };
    let count = bytes(Operation::Count, Learn::Me);
    let union = bytes(Operation::Union, Learn::Me);
    near(union[1] - count[1], 32e6, 0.01);
    let mirrored = bytes(Operation::Union, Learn::Peer);
    assert_eq!([mirrored[1], mirrored[0]], union);
    let both = bytes(Operation::Union, Learn::Both);
    assert!(both[0] - union[0] > 32e6 && both[1] > union[1]);
    // This side owns the values, so it is the sender.
    let sum = bytes(Operation::Sum, Learn::Both);
    near(sum[0] - count[1], 16e6, 0.01);
}

#[test]
fn more_workers_and_bandwidth_help() {
    for operation in OPERATIONS {
        let planned = planned(operation, 1_000_000_000);
        let times: Vec<Duration> =
            (0..=8).map(|log| price(&planned, &with(1 << log)).time).collect();
        assert!(times.is_sorted_by(|few, many| few >= many), "{operation} {times:?}");
        let over = |bits_per_second| {
            let link = Link { bits_per_second, ..planned.link };
            price(&PlannedRun { link, ..planned }, &with(64)).time
        };
        assert!(over(1e8) > over(1e9) && over(1e9) > over(1e11), "{operation}");
    }
}

#[test]
fn tiers_cost_a_run_for_each_key() {
    let one = PlannedRun {
        wanted: Wanted { learn: Learn::Both, ..planned(Operation::Intersect, 1).wanted },
        ..planned(Operation::Intersect, 100_000_000)
    };
    let of = |keys| price(&PlannedRun { keys, ..one }, &with(16));
    let (first, all) = (of(1), of(3));
    near(all.time.as_secs_f64(), 3.0 * first.time.as_secs_f64(), 1e-6);
    assert_eq!(all.sent, first.sent.map(|bytes| 3.0 * bytes));
    assert_eq!((all.pieces, all.worker_memory), (first.pieces, first.worker_memory));
    let alone = PlannedRun { keys: 3, ..planned(Operation::Intersect, 10) };
    assert!(matches!(with(1).price_of(&alone, &machine()), Err(ClusterError::OneKey)));
}

#[test]
fn no_fewer_workers_end_in_time() {
    for operation in OPERATIONS {
        let mut planned = planned(operation, 1_000_000_000);
        planned.link.bits_per_second = 100e9;
        let within = Duration::from_secs(100);
        let found = price(&planned, &Cluster { within, ..Cluster::default() });
        assert_eq!(found.fit, Fit::Fewest);
        assert!(found.time <= within && found.workers > 1, "{operation}");
        assert!(price(&planned, &with(found.workers - 1)).time > within, "{operation}");
    }
}

#[test]
fn a_link_that_is_too_slow_is_named_with_one_that_is_not() {
    let mut planned = planned(Operation::Count, 10_000_000_000);
    planned.link.bits_per_second = 1e9;
    let half = Cluster { within: Duration::from_secs(1800), ..Cluster::default() };
    let Fit::Link { least } = price(&planned, &half).fit else { panic!("it is the link") };
    // 32 bytes a point, and 108 − 33.2 + 1.5 bits a value.
    let bits = 1e10 * (32.0 * 8.0 + 76.3);
    near(least, bits / 1800.0, 0.01);
    planned.link.bits_per_second = least;
    assert_eq!(price(&planned, &half).fit, Fit::Fewest);
    planned.link.bits_per_second = least * 0.99;
    assert_ne!(price(&planned, &half).fit, Fit::Fewest);
    let never = Cluster { within: Duration::from_secs(1), ..Cluster::default() };
    assert_eq!(price(&planned, &never).fit, Fit::Never);
}

#[test]
fn what_clusters_do_not_run_is_refused() {
    let error = |planned: PlannedRun, cluster: &Cluster| {
        cluster.price_of(&planned, &machine()).err().expect("it is refused")
    };
    let shares = error(planned(Operation::Share, 10), &with(1));
    assert!(matches!(shares, ClusterError::NotInCluster { operation: Operation::Share }));
    let mut strict = planned(Operation::Intersect, 10);
    strict.wanted.security = Security::Malicious;
    let strict = error(strict, &with(1));
    assert!(matches!(strict, ClusterError::NotInCluster { operation: Operation::Intersect }));
    let many = error(planned(Operation::Count, MOST_KEYS + 1), &with(1));
    assert!(matches!(many, ClusterError::Session(SessionError::TooManyKeys { most: MOST_KEYS })));
    let small = Cluster { worker_memory: 350_000_000, ..with(1) };
    let small = error(planned(Operation::Intersect, 100_000_000), &small);
    assert!(matches!(small, ClusterError::WorkerMemory { .. }));
    assert!(small.to_string().contains("a worker has 350.0 MB"), "{small}");
}

/// A line of the table in `docs/notes/scale.md`.
fn documented(operation: Operation, power: u32) -> String {
    let mut planned = planned(operation, 10_u64.pow(power));
    planned.wanted.learn = Learn::Both;
    planned.link.round_trip = Duration::from_millis(1);
    let price = price(&planned, &Cluster::default());
    let minutes = |time: Duration| format!("{:.1}", time.as_secs_f64() / 60.0);
    let giga = |bytes: f64| format!("{:.1}", bytes / 1e9);
    let cells = [
        operation.to_string(),
        format!("10^{power}"),
        price.pieces.to_string(),
        price.workers.to_string(),
        minutes(price.time),
        minutes(price.preparing),
        minutes(price.computing),
        minutes(price.link),
        giga(price.sent[0]),
        giga(price.sent[1]),
        giga(price.worker_memory as f64),
        giga(price.stored[0]),
        format!("{:.2}", price.cost[0]),
    ];
    format!("| {} |\n", cells.join(" | "))
}

#[test]
fn the_documented_predictions_are_those_of_the_model() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/notes/scale.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let lines =
        OPERATIONS.iter().flat_map(|operation| [8, 9, 10].map(|n| documented(*operation, n)));
    let table: String = lines.collect();
    assert!(page.contains(&table), "the model says:\n{table}");
}
