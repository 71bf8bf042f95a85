use std::collections::{BTreeSet, HashSet};

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_crypto::permutation;

use super::*;

fn order(scheme: Scheme, sizes: Sizes) -> Vec<Vec<(u32, u32)>> {
    let composition = scheme.composition();
    let round = |round| composition.pairs(sizes, round);
    let places = |pairs: Vec<Pair>| pairs.iter().map(|pair| (pair.receiver, pair.sender)).collect();
    (0..composition.rounds(sizes)).map(|number| places(round(number))).collect()
}

#[test]
fn rounds_of_three_by_three_are_those_of_the_paper() {
    // Section 3.4 with n = 3: sums of ranks 6 down to 2; ranks 3, 2, 1 against all that are no smaller.
    let sizes = Sizes { receiver: 3, sender: 3 };
    assert_eq!(
        order(Scheme::SumOfRanks, sizes),
        [
            vec![(0, 0)],
            vec![(0, 1), (1, 0)],
            vec![(1, 1), (0, 2), (2, 0)],
            vec![(1, 2), (2, 1)],
            vec![(2, 2)],
        ]
    );
    assert_eq!(
        order(Scheme::MinimumOfRanks, sizes),
        [vec![(0, 0)], vec![(0, 1), (1, 0), (1, 1)], vec![(0, 2), (2, 0), (1, 2), (2, 1), (2, 2)],]
    );
}

#[test]
fn every_pair_is_in_one_round_and_no_round_is_empty() {
    for scheme in Scheme::ALL {
        assert_eq!(scheme.name().parse(), Ok(scheme));
        for (receiver, sender) in [(0, 0), (0, 3), (1, 1), (1, 7), (7, 1), (5, 9), (12, 12)] {
            let rounds = order(scheme, Sizes { receiver, sender });
            let counts = (0..).zip(&rounds).map(|(round, pairs)| (round, pairs.len() as u64));
            for (round, count) in counts {
                let counted = scheme.composition().count(Sizes { receiver, sender }, round);
                assert_eq!(counted, count, "{scheme:?} {round}");
                assert!(count > 0, "{scheme:?} {round}");
                let pairs = scheme.composition().pairs(Sizes { receiver, sender }, round);
                for role in [Role::Sender, Role::Receiver] {
                    let compared: BTreeSet<u32> =
                        pairs.iter().map(|pair| pair.place(role)).collect();
                    let places =
                        scheme.composition().places(Sizes { receiver, sender }, round, role);
                    assert_eq!(compared, places.collect(), "{scheme:?} {round} {role:?}");
                }
            }
            let pairs: Vec<_> = rounds.concat();
            let places = scheme.rounds([sender, receiver]).flatten();
            assert!(places.eq(pairs.iter().map(|(receiver, sender)| [*sender, *receiver])));
            let distinct: HashSet<_> = pairs.iter().collect();
            assert_eq!((pairs.len(), distinct.len()), ((receiver * sender) as usize, pairs.len()));
        }
    }
    assert!("sum".parse::<Scheme>().is_err());
}

/// Section 6.3.3: the expected number of comparisons if αn of the n² pairs, in any places, match.
fn expected(n: f64, common: f64) -> f64 {
    let (mut none_so_far, mut expectation) = (1.0, 0.0);
    for i in 1..=(n * n - common + 1.0) as u64 {
        let left = n * n - (i - 1) as f64;
        expectation += i as f64 * none_so_far * common / left;
        none_so_far *= (left - common) / left;
    }
    expectation
}

#[test]
fn comparisons_are_on_average_as_many_as_the_paper_says() {
    const RUNS: usize = 4000;
    let mut rng = ChaCha20Rng::from_seed([5; 32]);
    for scheme in Scheme::ALL {
        for (n, common) in [(20, 1), (40, 2), (60, 3), (60, 12)] {
            let sizes = Sizes { receiver: n, sender: n };
            let order = order(scheme, sizes).concat();
            let mut total = 0;
            for _ in 0..RUNS {
                // Entry e of either side is common if it is below `common`.
                let [mine, theirs] = [0; 2].map(|_| permutation(n as usize, &mut rng));
                let matches = |(receiver, sender): &(u32, u32)| {
                    let entry = mine[*receiver as usize];
                    entry == theirs[*sender as usize] && entry < common
                };
                total += 1 + order.iter().position(matches).expect("some entry is common");
            }
            let (mean, expected) = (total as f64 / RUNS as f64, expected(n.into(), common.into()));
            assert!(
                (0.93..1.07).contains(&(mean / expected)),
                "{scheme:?} {n} {common}: {mean} {expected}"
            );
        }
    }
}
