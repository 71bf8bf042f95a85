//! The loss against the definition, and the dummies of both sides against plain sets.

use std::collections::HashSet;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use veilset_crypto::Element;

use super::binomial::{delta, least_trials, spread};
use super::*;

/// All probabilities of the heads of m coins, by Pascal's triangle.
fn distribution(m: usize) -> Vec<f64> {
    let next = |row: Vec<f64>, _| {
        let pairs = [&row[..], &[0.0]].concat().into_iter().zip([&[0.0], &row[..]].concat());
        pairs.map(|(here, left)| (here + left) / 2.0).collect()
    };
    (0..m).fold(vec![1.0], next)
}

/// The least δ between two distributions, by its definition: the sum of all differences that are positive.
fn loss(one: &[f64], other: &[f64], epsilon: f64) -> f64 {
    one.iter().zip(other).map(|(p, q)| (p - epsilon.exp() * q).max(0.0)).sum()
}

#[test]
fn the_loss_is_what_the_definition_says_in_both_directions() {
    for m in [2, 8, 30, 168, 500] {
        let plain = distribution(m);
        let (zero, shifted): (Vec<f64>, Vec<f64>) =
            ([&plain[..], &[0.0]].concat(), [&[0.0], &plain[..]].concat());
        for epsilon in [0.01, 0.1, 0.5, 1.0, 2.0, 5.0] {
            let computed = delta(m as u32, epsilon);
            for direction in [loss(&zero, &shifted, epsilon), loss(&shifted, &zero, epsilon)] {
                let error = (computed - direction).abs() / direction;
                assert!(error < 1e-5, "{m} {epsilon}: {computed:e} for {direction:e}");
            }
        }
    }
}

#[test]
fn there_are_as_many_coins_as_the_loss_needs_and_hardly_more() {
    for (epsilon, most) in [(0.05, 1e-6), (0.5, 1e-9), (1.0, 1e-9), (1.0, 1e-12), (3.0, 1e-5)] {
        let m = least_trials(epsilon, most).expect("few are needed");
        assert!(m.is_multiple_of(2) && delta(m, epsilon) <= most);
        assert!(delta(m - 2, epsilon) > most, "{epsilon} {most:e}: {m}");
    }
    // The bounds have an answer.
    for epsilon in EPSILONS {
        assert!(DELTAS.map(|delta| least_trials(epsilon, delta)).into_iter().all(|m| m >= Some(2)));
    }
}

#[test]
fn more_coins_than_a_run_tosses_are_nothing() {
    let least = Noise::new(0.01, 1e-15).expect("it is within bounds");
    assert!(least.shared_among(4).is_some_and(|each| each.dummies() > least.dummies()));
    assert_eq!(least.shared_among(2 * 65), None);
    assert_eq!(least_trials(1e-9, 1e-15), None);
}

#[test]
fn the_error_is_the_quantile() {
    for m in [2, 10, 168, 1000] {
        let plain = distribution(m);
        let within = |t: usize| plain[m / 2 - t..=m / 2 + t].iter().sum::<f64>();
        let t = spread(m as u32, 0.95) as usize;
        assert!(within(t) >= 0.95 && (t == 0 || within(t - 1) < 0.95), "{m}: {t}");
    }
}

#[test]
fn a_text_is_read_as_it_is_written() {
    let noise: Noise = "epsilon=1,delta=1e-9".parse().expect("noise");
    assert_eq!((noise.epsilon(), noise.delta()), (1.0, 1e-9));
    assert_eq!(noise.to_string().parse(), Ok(noise));
    for text in [
        "",
        "1,1e-9",
        "epsilon=1",
        "delta=1e-9,epsilon=1",
        "epsilon=0,delta=1e-9",
        "epsilon=NaN,delta=1e-9",
        "epsilon=1,delta=1",
        "epsilon=1,delta=inf",
        "epsilon=21,delta=1e-9",
    ] {
        assert_eq!(text.parse::<Noise>(), Err(NoNoise), "{text}");
    }
}

/// Both sides of a run over lists of which the first `common` elements are the same: what each learner makes of the number of
/// elements that both have.
fn run(noise: Noise, common: u32, rng: &mut ChaCha20Rng) -> [u64; 2] {
    let element = |number: u32| Element(*blake3::hash(&number.to_le_bytes()).as_bytes());
    let lists: [Vec<Element>; 2] = [100, 200]
        .map(|own| (0..20).map(|n| element(if n < common { n } else { own + n })).collect());
    let session = std::array::from_fn(|_| rng.next_u32() as u8);
    let side = |list: &[Element], connecting, rng: &mut ChaCha20Rng| {
        with_dummies(list, Blocks::new(noise), &session, connecting, rng)
    };
    let (one, mine) = side(&lists[0], true, rng);
    let (two, theirs) = side(&lists[1], false, rng);
    assert_eq!(one.len(), two.len(), "sizes say nothing");
    let set: HashSet<[u8; 32]> = one.iter().map(|element| element.0).collect();
    assert_eq!(set.len(), one.len(), "no element comes twice");
    let seen = two.iter().filter(|element| set.contains(&element.0)).count() as u64;
    [mine, theirs].map(|own| match noise.estimate(Outcome::Count(seen), own, u64::MAX) {
        Outcome::Count(count) => count,
        other => panic!("{other:?}"),
    })
}

#[test]
fn each_learner_sees_the_distribution_and_the_loss_that_are_claimed() {
    const RUNS: usize = 60_000;
    let noise = Noise::new(1.0, 0.02).expect("noise");
    let (m, rng) = (noise.dummies() as usize, &mut ChaCha20Rng::from_seed([7; 32]));
    let expected = distribution(m);
    // Counts of 10 and 11, which one key for another makes, both above m/2 so that nothing is cut off below.
    let mut histograms = [[vec![0.0; 64], vec![0.0; 64]], [vec![0.0; 64], vec![0.0; 64]]];
    for (common, histogram) in [10, 11].into_iter().zip(&mut histograms) {
        for _ in 0..RUNS {
            let counts = run(noise, common, rng);
            counts.iter().zip(&mut *histogram).for_each(|(count, of)| of[*count as usize] += 1.0);
        }
    }
    let runs = RUNS as f64;
    for who in [0, 1] {
        // Every count has its probability, up to six standard deviations.
        for (k, probability) in expected.iter().enumerate() {
            let (seen, mean) = (histograms[0][who][10 + k - m / 2], probability * runs);
            let deviation = (mean * (1.0 - probability)).sqrt().max(1.0);
            assert!((seen - mean).abs() < 6.0 * deviation, "{k}: {seen} for {mean}");
        }
        // The loss of what was seen is no larger than claimed, up to what so many runs leave open.
        let [one, other] = [&histograms[0][who], &histograms[1][who]]
            .map(|counts| counts.iter().map(|count| count / runs).collect::<Vec<f64>>());
        let open = 6.0 * (noise.delta() / runs).sqrt() * (1.0 + noise.epsilon().exp());
        for seen in [loss(&one, &other, 1.0), loss(&other, &one, 1.0)] {
            assert!(seen <= noise.delta() + open, "{who}: {seen}");
            // And close to it: the noise is not more than it has to be.
            assert!(seen >= noise.delta() / 4.0, "{who}: {seen}");
        }
    }
}

#[test]
fn a_learner_that_leaves_its_dummies_out_sees_the_exact_count() {
    let noise = Noise::new(1.0, 1e-9).expect("noise");
    let (list, rng) = ([Element([1; 32])], &mut ChaCha20Rng::from_seed([8; 32]));
    let blocks = Blocks::new(noise);
    let (all, own) = with_dummies(&list, blocks, &[2; 32], false, rng);
    assert_eq!(all.len() as u64, 1 + blocks.elements());
    assert!((1..noise.dummies().into()).contains(&own), "some, and not all");
    assert_eq!(all.iter().filter(|element| **element == list[0]).count(), 1);
}
