//! Cores and gaps: how often tables fail, and what is solved when rows do not peel.
#![allow(clippy::print_stdout)]

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use super::super::cipher::Streams;
use super::*;

fn random(rng: &mut impl Rng) -> u128 {
    u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64())
}

/// How many rows do not peel, in each of `trials` tables of `items` rows.
fn gaps(table: Cuckoo, items: usize, trials: usize) -> impl Iterator<Item = usize> {
    let rng = &mut ChaCha20Rng::seed_from_u64(items as u64 ^ (table.sparse as u64) << 32);
    let trial = |rng: &mut ChaCha20Rng| {
        let hashes: Vec<u128> = (0..items).map(|_| random(rng)).collect();
        let rows: Vec<[u16; 3]> = hashes.iter().map(|hash| table.ones(*hash)).collect();
        let peeled = peel::peel(&rows, &hashes, table.sparse, table.dense);
        peeled.map_or(table.dense + 1, |peeled| peeled.gaps.len())
    };
    (0..trials).map(|_| trial(rng)).collect::<Vec<_>>().into_iter()
}

/// log2 of the measured failure of tables whose formula promises 2^-`bits`.
fn failure(items: usize, bits: f64, trials: usize) -> f64 {
    let sparse = sparse_columns(items, bits).ceil() as usize;
    let table = Cuckoo { sparse, dense: Cuckoo::new(items, 1).dense };
    let failed = gaps(table, items, trials).filter(|gaps| *gaps > table.dense).count();
    (failed as f64 / trials as f64).log2()
}

/// The expected number of pairs of rows with the same ones.
fn equal_pairs(items: usize, columns: usize) -> f64 {
    let [n, m] = [items, columns].map(|number| number as f64);
    n * (n - 1.0) / 2.0 / (m * (m - 1.0) * (m - 2.0) / 6.0)
}

#[test]
fn small_tables_fail_as_seldom_as_the_formula_says() {
    for (items, bits) in [(512, 3.0), (1024, 4.0), (2048, 4.0)] {
        let measured = failure(items, bits, 800);
        assert!(measured <= -bits + 0.7, "{items} items: 2^{measured} instead of 2^-{bits}");
    }
}

#[test]
fn gaps_are_as_frequent_as_equal_rows() {
    let (items, trials) = (60, 20_000);
    let table = Cuckoo { sparse: 180, dense: 5 };
    let expected = equal_pairs(items, table.sparse);
    let gaps: Vec<usize> = gaps(table, items, trials).collect();
    let at_least =
        |least| gaps.iter().filter(|gaps| **gaps >= least).count() as f64 / trials as f64;
    assert!((0.9..1.25).contains(&(at_least(1) / expected)), "{} {expected}", at_least(1));
    assert!(at_least(2) < 2.0 * expected * expected, "{} {expected}", at_least(2));
}

#[test]
fn the_dense_columns_suffice_for_equal_rows() {
    for log in 0..=32 {
        let items = 1usize << log;
        let clusters = Cuckoo::clusters(items);
        let Cuckoo { sparse, dense } = Cuckoo::new(items, clusters);
        assert!((3..=1 << 16).contains(&sparse), "2^{log}: {sparse}");
        let pairs = equal_pairs(items.div_ceil(clusters), sparse).max(f64::MIN_POSITIVE);
        let orders: f64 = (1..=dense + 1).map(|order| (order as f64).log2()).sum();
        let failure = (dense + 1) as f64 * pairs.log2() - orders + (clusters as f64).log2();
        assert!(failure <= -41.0, "2^{log}: 2^{failure} with {dense}");
    }
}

/// Rows of which some do not peel, by equal ones and by rings, with a hash that has nothing to do with the ones.
#[test]
fn rows_that_do_not_peel_are_solved_by_dense_columns() {
    let ring = [[0, 1, 2], [2, 3, 4], [4, 5, 0], [1, 3, 5]];
    let twins = [[6, 7, 8], [6, 7, 8]];
    let rest = [[8, 9, 10], [10, 11, 0], [11, 12, 13]];
    let rows = [&ring[..], &twins, &rest].concat();
    let rng = &mut ChaCha20Rng::seed_from_u64(1);
    for dense in 0..5 {
        let hashes: Vec<u128> = rows.iter().map(|_| random(rng)).collect();
        let values: Vec<u128> = rows.iter().map(|_| random(rng)).collect();
        let Ok(peeled) = peel::peel(&rows, &hashes, 14, dense) else {
            assert!(dense < 2, "there is one relation in the ring and one between the twins");
            continue;
        };
        assert_eq!((dense >= 2, peeled.gaps.len()), (true, 2));
        let streams = Streams::new(rng);
        let (mut sparse, mut columns) = (vec![0; 14], vec![0; dense]);
        fill_free(&peeled.order, &mut streams.cluster(0), &mut sparse);
        let system =
            gaps::System { rows: &rows, hashes: &hashes, values: &values, peeled: &peeled };
        let solved = system.solve(&sparse, &mut columns, &mut streams.cluster(1));
        assert_eq!(solved, Ok(()));
        let dense_part = |hash: u128| {
            let mut power = 1;
            columns.iter().fold(0, |sum, column| {
                power = veilset_simd::gf128_multiply(power, hash);
                sum ^ veilset_simd::gf128_multiply(power, *column)
            })
        };
        for [row, column] in peeled.order.iter().rev().map(|pair| pair.map(usize::from)) {
            let rest = dense_part(hashes[row]) ^ sparse_part(&sparse, rows[row]);
            sparse[column] = values[row] ^ rest;
        }
        for ((row, hash), value) in rows.iter().zip(&hashes).zip(&values) {
            assert_eq!(sparse_part(&sparse, *row) ^ dense_part(*hash), *value);
        }
    }
}

#[test]
fn ones_differ_and_reach_every_column() {
    let table = Cuckoo { sparse: 7, dense: 1 };
    let rng = &mut ChaCha20Rng::seed_from_u64(2);
    let mut counts = [0; 7];
    for _ in 0..7000 {
        let [a, b, c] = table.ones(random(rng));
        assert!(a != b && b != c && a != c);
        [a, b, c].iter().for_each(|column| counts[usize::from(*column)] += 1);
    }
    assert!(counts.iter().all(|count| (2700..3300).contains(count)), "{counts:?}");
}

#[test]
#[ignore = "minutes; the table in docs/notes/okvs.md"]
fn failure_experiment() {
    println!("items  columns/item  promised  measured");
    for log in [8, 10, 12, 14, 15] {
        for bits in [0.0, 3.0, 6.0, 9.0] {
            let items = 1 << log;
            let trials = (1 << 27) >> log;
            let expansion = sparse_columns(items, bits) / items as f64;
            let measured = failure(items, bits, trials.min(1 << 17));
            println!("2^{log}  {expansion:.4}  {:.1}  {measured:.2}", -bits);
        }
    }
}
