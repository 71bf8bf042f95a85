//! How often a band matrix fails: the queue, computed and measured, and the formula.
#![allow(clippy::print_stdout)]

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use super::*;

fn random(rng: &mut impl Rng) -> u128 {
    u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64())
}

/// The probability of each number of arrivals up to `most`.
fn poisson(most: usize, rate: f64) -> Vec<f64> {
    let next =
        |(number, chance): &(usize, f64)| Some((number + 1, chance * rate / (number + 1) as f64));
    std::iter::successors(Some((0, (-rate).exp())), next)
        .map(|(_, chance)| chance)
        .take(most + 1)
        .collect()
}

/// The queue at one column for its length at the column before: what a step does.
struct Queue {
    /// The probability of each next length.
    next: Vec<Vec<f64>>,
    /// The probability that a row depends on others.
    fails: Vec<f64>,
}

impl Queue {
    /// For rows of `width` bits and Poisson arrivals of `rate` rows a column.
    fn new(width: usize, rate: f64) -> Self {
        let mut queue =
            Self { next: vec![vec![0.0; width + 1]; width + 1], fails: vec![0.0; width + 1] };
        let exactly = poisson(width, rate);
        let mut more_than = vec![0.0; width + 1];
        for number in (0..width).rev() {
            more_than[number] = more_than[number + 1] + exactly[number + 1];
        }
        for length in 0..=width {
            let mut independent = 1.0;
            for (arrived, now) in (length..=width).enumerate() {
                let [idle, dependent] = [-(now as f64), now as f64 - width as f64].map(f64::exp2);
                let chance = exactly[arrived] * independent;
                queue.next[length][now] += chance * idle;
                queue.next[length][now.saturating_sub(1)] += chance * (1.0 - idle);
                queue.fails[length] += more_than[arrived] * independent * dependent;
                independent *= 1.0 - dependent;
            }
        }
        queue
    }

    /// Failures a column if the queue starts again, empty, after each: one over the mean time to a failure. The
    /// stationary distribution is computed by taking out one length after the other, without a subtraction (Grassmann,
    /// Taksar and Heyman 1985), so that small numbers are exact too.
    fn failures_a_column(mut self) -> f64 {
        let count = self.fails.len();
        for (row, fails) in self.next.iter_mut().zip(&self.fails) {
            row[0] += fails;
        }
        for out in (1..count).rev() {
            let (rows, from) = self.next.split_at_mut(out);
            let leaves: f64 = from[0][..out].iter().sum();
            for row in rows {
                row[out] /= leaves;
                let by = row[out];
                row[..out].iter_mut().zip(&from[0]).for_each(|(to, chance)| *to += by * chance);
            }
        }
        let mut weights = vec![1.0];
        for length in 1..count {
            weights.push(weights.iter().zip(&self.next).map(|(w, row)| w * row[length]).sum());
        }
        let failing: f64 =
            weights.iter().zip(&self.fails).map(|(weight, fails)| weight * fails).sum();
        failing / weights.iter().sum::<f64>()
    }
}

/// log2 of the probability that a row of `width` bits is the first that depends on others.
fn row_failure(width: usize, rate: f64) -> f64 {
    (Queue::new(width, rate).failures_a_column() / rate).log2()
}

/// log2 of the measured failure of `trials` matrices of `items` rows of which only the first `width` bits count, and
/// which are to fail with 2^-`bits` according to the queue.
fn failure(width: usize, items: usize, bits: f64, trials: usize) -> f64 {
    let rate = rate_for(width, -bits - (items as f64).log2());
    let matrix = Banded { columns: (items as f64 / rate) as usize + WIDTH - 1 };
    let rng = &mut ChaCha20Rng::seed_from_u64((items ^ matrix.columns << 32) as u64);
    let failed = (0..trials).filter(|_| {
        let hash = Hash::new(random(rng));
        let hashes: Vec<u128> = (0..items).map(|_| random(rng)).collect();
        let mut bands = vec![[0; WORDS]; matrix.columns];
        let (mut values, mut rows) = (vec![[]; matrix.columns], Rows::new());
        let order = matrix.order(&hashes);
        let mut batches = order.blocks().flat_map(|(_, block)| block.chunks(BATCH));
        batches.any(|batch| {
            rows.load(&matrix, &hash, &hashes, batch);
            let mut rows = rows.iter().take(batch.len());
            rows.any(|(start, mut band)| {
                band[width / 64..].fill(0);
                !eliminate::insert(&mut bands, &mut values, start, band, [])
            })
        })
    });
    (failed.count() as f64 / trials as f64).log2()
}

/// The rate at which a row fails with 2^`log`.
fn rate_for(width: usize, log: f64) -> f64 {
    let (mut low, mut high) = (0.5, 1.0);
    for _ in 0..40 {
        let rate = (low + high) / 2.0;
        *(if row_failure(width, rate) < log { &mut low } else { &mut high }) = rate;
    }
    low
}

fn rate(items: usize, matrix: Banded) -> f64 {
    items as f64 / (matrix.columns - WIDTH + 1) as f64
}

#[test]
fn a_row_fails_as_seldom_as_assumed() {
    // 2^16 clusters of 2^16 rows need 40 + 16 + 16 bits a row and log2 41 for the loads.
    for bits in [40.0, 60.0, 70.0, 78.0] {
        let items = 1 << 16;
        let matrix = Banded::with_columns(columns(items, bits - 16.0) as usize);
        let computed = row_failure(WIDTH, rate(items, matrix));
        assert!((-bits - 6.0..=-bits).contains(&computed), "2^{computed} instead of 2^-{bits}");
    }
}

#[test]
fn small_matrices_fail_as_often_as_the_queue_says() {
    let measured = failure(64, 1 << 14, 4.0, 800);
    assert!((-5.5..=-3.3).contains(&measured), "2^{measured} instead of 2^-4");
}

#[test]
fn a_band_is_uniform_and_follows_from_hash_and_seed() {
    let matrix = Banded::new(1000, 1);
    let rng = &mut ChaCha20Rng::seed_from_u64(3);
    let hashes: Vec<u128> = (0..1000).map(|_| random(rng)).collect();
    let batch: Vec<u32> = (0..BATCH as u32).collect();
    let rows = |seed, batch: &[u32]| {
        let mut rows = Rows::new();
        rows.load(&matrix, &Hash::new(seed), &hashes, batch);
        rows.iter().take(batch.len()).collect::<Vec<_>>()
    };
    let mut ones = [[0; 64]; WORDS];
    for (row, (start, band)) in rows(1, &batch).into_iter().enumerate() {
        assert!(start + WIDTH <= matrix.columns);
        assert_eq!((start, band), rows(1, &[row as u32])[0]);
        assert_ne!(band, rows(2, &[row as u32])[0].1);
        for (ones, word) in ones.iter_mut().zip(band) {
            ones.iter_mut().enumerate().for_each(|(bit, ones)| *ones += word >> bit & 1);
        }
    }
    assert!(ones.as_flattened().iter().all(|ones| (10..=54).contains(ones)), "{ones:?}");
}

#[test]
#[ignore = "minutes; the table in docs/notes/okvs.md"]
fn failure_experiment() {
    println!("width  items  places/item  queue  measured");
    for (width, log) in [(64, 14), (128, 16), (192, 18)] {
        for bits in [3.0, 5.0, 7.0, 9.0] {
            let places = 1.0 / rate_for(width, -bits - f64::from(log));
            let measured = failure(width, 1 << log, bits, (1 << 29) >> log);
            println!("{width}  2^{log}  {places:.4}  {:.1}  {measured:.2}", -bits);
        }
    }
}
