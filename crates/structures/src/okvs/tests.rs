//! Stores against a plain map, refusals, and what an encoding tells.

use std::collections::BTreeMap;

use chacha20::ChaCha20Rng;
use proptest::prelude::*;
use rand_core::{Rng, SeedableRng};
use veilset_simd::Nonet;

use super::*;

const SEED: u128 = 0x5eed;

fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

fn numbers(count: usize, seed: u64) -> Vec<u128> {
    let rng = &mut rng(seed);
    (0..count).map(|_| u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64())).collect()
}

fn map<V: OkvsValue>(keys: &[u128], values: &[V]) -> BTreeMap<u128, V> {
    keys.iter().copied().zip(values.iter().copied()).collect()
}

/// Encodes, and asks for all pairs in another order, some twice, among keys that the store does not have.
fn assert_is_map<V: OkvsValue + PartialEq + std::fmt::Debug>(
    kind: OkvsKind,
    keys: &[u128],
    values: &[V],
) {
    let shape = OkvsShape::new(kind, keys.len());
    let encoding = encode(&shape, SEED, keys, values, &mut rng(1)).expect("distinct keys");
    assert_eq!(encoding.len(), shape.len());
    let map = map(keys, values);
    let mut asked = [&numbers(20, 99)[..], keys, &keys[..keys.len().min(50)]].concat();
    asked.reverse();
    let mut got = vec![V::ZERO; asked.len()];
    decode(&shape, SEED, &encoding, &asked, &mut got);
    let strangers = asked.iter().zip(&got).filter(|(key, got)| match map.get(*key) {
        Some(value) => {
            assert_eq!(value, *got, "{kind:?} {}", keys.len());
            false
        }
        None => values.contains(got) || **got == V::ZERO,
    });
    assert_eq!(strangers.count(), 0, "{kind:?} {}: a key outside has a value", keys.len());
}

#[test]
fn a_store_of_parts_gives_the_parts_back() {
    const MASK: u128 = (1 << Nonet::BITS) - 1;
    for count in [1, 300, 70_000] {
        let (keys, values) = (numbers(count, 2), numbers(count, 3));
        let shape = OkvsShape::new(OkvsKind::Band, count);
        let parts: Vec<Nonet> = values.iter().map(|value| Nonet::truncate(*value)).collect();
        let encoding = encode(&shape, SEED, &keys, &parts, &mut rng(1)).expect("distinct keys");
        let encoding: Vec<u128> = encoding.into_iter().map(u128::from).collect();
        let mut got = vec![0; count];
        decode(&shape, SEED, &encoding, &keys, &mut got);
        assert!(got.iter().zip(&values).all(|(got, value)| *got == value & MASK), "{count}");
    }
}

/// The keys and values of each cluster, last ones first.
fn by_cluster(clusters: &Clusters, keys: &[u128], values: &[u64]) -> Vec<Vec<(u128, u64)>> {
    let mut all = vec![Vec::new(); clusters.count()];
    let mut pairs = keys.iter().zip(values).rev();
    clusters.of(keys.iter().rev().copied(), |cluster| {
        all[cluster].extend(pairs.next().map(|(key, value)| (*key, *value)));
    });
    assert!(pairs.next().is_none());
    all
}

#[test]
fn a_store_is_made_and_asked_cluster_by_cluster() {
    for (kind, count) in
        [(OkvsKind::Band, 200_000), (OkvsKind::Cuckoo, 70_000), (OkvsKind::Band, 64)]
    {
        let shape = OkvsShape::new(kind, count);
        let keys = numbers(count, 2);
        let values: Vec<u64> = numbers(count, 3).iter().map(|number| *number as u64).collect();
        let store = encode(&shape, SEED, &keys, &values, &mut rng(1)).expect("distinct keys");
        let (clusters, free) = (Clusters::new(&shape, SEED), FreeColumns::new(&mut rng(1)));
        assert_eq!(clusters.count() * clusters.columns(), shape.len());
        let all = by_cluster(&clusters, &keys, &values);
        for (number, columns) in store.chunks(clusters.columns()).enumerate().rev() {
            let (keys, values): (Vec<u128>, Vec<u64>) = all[number].iter().copied().unzip();
            let mut made = vec![0; columns.len()];
            clusters
                .encode(number, &keys, values.iter().copied(), &free, &mut made)
                .expect("distinct keys");
            assert_eq!(made, columns, "{kind:?} {number}");
            let mut got = vec![0; keys.len()];
            clusters.decode(columns, &keys, &mut got);
            assert_eq!(got, values, "{kind:?} {number}");
        }
    }
}

#[test]
fn a_cluster_takes_each_key_once() {
    let (shape, free) = (OkvsShape::new(OkvsKind::Band, 4), FreeColumns::new(&mut rng(1)));
    let clusters = Clusters::new(&shape, SEED);
    let mut columns = vec![0_u64; clusters.columns()];
    let encoded = clusters.encode(0, &[5, 6, 7, 6], 1..5, &free, &mut columns);
    assert_eq!(encoded, Err(OkvsError::Repeated { first: 1, second: 3 }));
}

#[test]
fn a_store_is_a_map() {
    for kind in OkvsKind::ALL {
        for count in [0, 1, 2, 3, 100, 255, 256, 257, 5000, 1 << 16] {
            assert_is_map(kind, &numbers(count, 2), &numbers(count, 3));
        }
        let wide: Vec<[u128; 2]> = numbers(6000, 4).as_chunks().0.to_vec();
        assert_is_map(kind, &numbers(wide.len(), 5), &wide);
        let narrow: Vec<u64> = numbers(6000, 4).iter().map(|number| *number as u64).collect();
        assert_is_map(kind, &numbers(narrow.len(), 5), &narrow);
    }
}

/// What the vector OLE's function rests on: a band's row gives the same of a vector over the large field and of its halves.
#[test]
fn a_banded_store_is_one_over_every_field() {
    let (count, keys) = (1000, numbers(1000, 12));
    let shape = OkvsShape::new(OkvsKind::Band, count);
    let wide = numbers(shape.len(), 13);
    let half = |which: u32| wide.iter().map(|entry| (entry >> which) as u64).collect::<Vec<_>>();
    let mut got = vec![0; count];
    decode(&shape, SEED, &wide, &keys, &mut got);
    for which in [0, 64] {
        let mut narrow = vec![0u64; count];
        decode(&shape, SEED, &half(which), &keys, &mut narrow);
        assert!(narrow.iter().zip(&got).all(|(narrow, wide)| *narrow == (wide >> which) as u64));
    }
}

#[test]
fn several_clusters_are_one_store() {
    let count = 150_000;
    let (keys, values) = (numbers(count, 6), numbers(count, 7));
    for kind in OkvsKind::ALL {
        let shape = OkvsShape::new(kind, count);
        assert!(shape.clusters() > 1);
        let encoding = encode(&shape, SEED, &keys, &values, &mut rng(8)).expect("distinct keys");
        let mut got = vec![0; count];
        decode(&shape, SEED, &encoding, &keys, &mut got);
        assert!(got == values, "{kind:?}");
    }
}

#[test]
fn structured_keys_and_values_are_as_good() {
    let keys: Vec<u128> = (0..3000).collect();
    for kind in OkvsKind::ALL {
        let shape = OkvsShape::new(kind, keys.len());
        let values = vec![1_u128; keys.len()];
        let encoding = encode(&shape, SEED, &keys, &values, &mut rng(9)).expect("distinct keys");
        let mut got = vec![0; keys.len()];
        decode(&shape, SEED, &encoding, &keys, &mut got);
        assert_eq!(got, values);
    }
}

#[test]
fn threads_and_repetition_change_nothing() {
    let count = 140_000;
    let (keys, values) = (numbers(count, 10), numbers(count, 11));
    for kind in OkvsKind::ALL {
        let shape = OkvsShape::new(kind, count);
        let with = |threads, seed| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("a pool").install(|| {
                let encoding = encode(&shape, SEED, &keys, &values, &mut rng(seed));
                let encoding = encoding.expect("distinct keys");
                let mut got = vec![0; count];
                decode(&shape, SEED, &encoding, &keys, &mut got);
                (encoding, got)
            })
        };
        let one = with(1, 12);
        assert!(one == with(3, 12) && one == with(2, 12), "{kind:?}");
        assert!(one.0 != with(1, 13).0, "{kind:?}: free columns come from the generator");
    }
}

#[test]
fn mistakes_are_named() {
    for kind in OkvsKind::ALL {
        let shape = OkvsShape::new(kind, 3);
        let wrong = encode(&shape, SEED, &[1, 2], &[1u128, 2, 3], &mut rng(1));
        assert_eq!(wrong, Err(OkvsError::Length { items: 3, keys: 2, values: 3 }));
        for count in [2, 3, 100, 5000, 70_000] {
            let shape = OkvsShape::new(kind, count);
            for (first, second) in [(0, count - 1), (count / 2, count / 2 - 1)] {
                let mut keys = numbers(count, 14);
                keys[second] = keys[first];
                let values = numbers(count, 15);
                let error = encode(&shape, SEED, &keys, &values, &mut rng(1)).expect_err("equal");
                let (first, second) = (first.min(second), first.max(second));
                assert_eq!(error, OkvsError::Repeated { first, second }, "{kind:?} {count}");
                assert!(!error.to_string().contains(&keys[first].to_string()));
            }
        }
    }
}

#[test]
fn another_seed_is_another_store() {
    let (keys, values) = (numbers(500, 16), numbers(500, 17));
    for kind in OkvsKind::ALL {
        let shape = OkvsShape::new(kind, 500);
        let encoding = encode(&shape, SEED, &keys, &values, &mut rng(1)).expect("distinct keys");
        let mut got = vec![0; 500];
        decode(&shape, SEED + 1, &encoding, &keys, &mut got);
        assert!(got.iter().zip(&values).all(|(got, value)| got != value));
    }
}

/// With random values each bit of each column is one half of the time, whatever the keys are; and no two columns agree.
#[test]
fn encodings_of_random_values_look_random() {
    const RUNS: u32 = 400;
    for kind in OkvsKind::ALL {
        for count in [0, 40, 300] {
            let shape = OkvsShape::new(kind, count);
            let keys: Vec<u128> = (0..count as u128).collect();
            let mut ones = vec![0; shape.len()];
            let mut all = Vec::new();
            for run in 0..u64::from(RUNS) {
                let values = numbers(count, 1000 + run);
                let encoding =
                    encode(&shape, SEED, &keys, &values, &mut rng(run)).expect("distinct keys");
                for (ones, column) in ones.iter_mut().zip(&encoding) {
                    *ones += column.count_ones();
                }
                all.extend(encoding);
            }
            // 128 · 400 fair bits deviate by 6 · 113 in one of 10^9 columns.
            let even = 128 * RUNS / 2;
            assert!(ones.iter().all(|ones| ones.abs_diff(even) < 680), "{kind:?} {count}");
            let length = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), length, "{kind:?} {count}");
        }
    }
}

#[test]
fn shapes_are_what_the_documentation_says() {
    let length = |kind, items| OkvsShape::new(kind, items).len();
    for items in [0, 1, 2, 255, 256, 1000, 1 << 15, (1 << 15) + 1, 1 << 16, 1 << 20, 1 << 24] {
        for kind in OkvsKind::ALL {
            let shape = OkvsShape::new(kind, items);
            assert_eq!(shape, OkvsShape::new(kind, items));
            assert_eq!((shape.kind(), shape.items()), (kind, items));
            assert!(shape.len() > items && shape.len() <= items + items / 3 + 500);
        }
    }
    assert_eq!(length(OkvsKind::Cuckoo, 1), length(OkvsKind::Cuckoo, 256));
    let ratio = |kind| length(kind, 1 << 20) as f64 / f64::from(1 << 20);
    assert!((1.28..1.29).contains(&ratio(OkvsKind::Cuckoo)), "{}", ratio(OkvsKind::Cuckoo));
    assert!((1.125..1.13).contains(&ratio(OkvsKind::Band)), "{}", ratio(OkvsKind::Band));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_small_set_is_a_map(keys in prop::collection::btree_set(any::<u128>(), 0..200)) {
        let keys: Vec<u128> = keys.into_iter().collect();
        for kind in OkvsKind::ALL {
            let shape = OkvsShape::new(kind, keys.len());
            let values: Vec<[u128; 3]> = keys.iter().map(|key| [!key, 0, *key]).collect();
            let encoding = encode(&shape, SEED, &keys, &values, &mut rng(1)).expect("distinct");
            let mut got = vec![[0; 3]; keys.len()];
            decode(&shape, SEED, &encoding, &keys, &mut got);
            prop_assert_eq!(got, values);
        }
    }
}
