//! How many columns a cluster needs when items are thrown into clusters at random.

use std::f64::consts::TAU;

use veilset_real::log2;

/// Loads are looked at in steps of this part of their standard deviation.
const STEPS_A_DEVIATION: usize = 4;

/// Loads that are looked at; ten standard deviations above the mean are beyond 2^-70.
const STEPS: usize = 10 * STEPS_A_DEVIATION;

/// Columns of each cluster so that all `clusters` together fail with probability at most 2^-`bits`.
///
/// `columns(load, bits)` says how many columns a cluster of `load` items needs to fail with at most 2^-bits; it rises
/// in both.
///
/// A cluster is not sized for the largest possible load at full strength, because such a load is itself improbable.
/// With loads l_0 < l_1 < … the cluster fails with at most Σ_j Pr[load ≥ l_j] · (failure at l_(j+1)), and each term,
/// the last being the probability of a still greater load, gets an equal share of the cluster's failure.
pub(super) fn columns_for(
    items: usize,
    clusters: usize,
    bits: f64,
    columns: impl Fn(usize, f64) -> f64,
) -> usize {
    if clusters == 1 {
        return columns(items, bits).ceil() as usize;
    }
    let share = bits + log2(clusters as f64) + log2((STEPS + 1) as f64);
    let (mean, chance) = (items as f64 / clusters as f64, 1.0 / clusters as f64);
    let step = (mean * (1.0 - chance)).sqrt() / STEPS_A_DEVIATION as f64;
    let load = |step_number: usize| (mean + step_number as f64 * step).ceil() as usize;
    let needed = (0..STEPS).map_while(|number| {
        let left = share + log2_at_least(items, chance, load(number));
        (left > 0.0).then(|| columns(load(number + 1), left))
    });
    needed.fold(0.0, f64::max).ceil() as usize
}

/// The least load that all of `clusters` keep to, but for a probability of at most 2^-`bits`.
pub(crate) fn at_most_in_a_cluster(items: usize, clusters: usize, bits: f64) -> usize {
    if clusters == 1 {
        return items;
    }
    let chance = 1.0 / clusters as f64;
    let allowed = -bits - log2(clusters as f64);
    let loads = items / clusters..items;
    let mut enough = loads.filter(|load| log2_at_least(items, chance, load + 1) <= allowed);
    enough.next().unwrap_or(items)
}

/// An upper bound of log2 Pr[Bin(n, p) ≥ a].
///
/// Above the mean the terms fall at least as fast as a geometric series with the ratio of the first two, and
/// C(n, a) ≤ √(n / (2π·a·(n − a))) · n^n / (a^a·(n − a)^(n − a)).
fn log2_at_least(n: usize, p: f64, a: usize) -> f64 {
    let (n, a) = (n as f64, a as f64);
    if a <= n * p {
        return 0.0;
    }
    if a >= n {
        return n * log2(p);
    }
    let part = a / n;
    let divergence = part * log2(part / p) + (1.0 - part) * log2((1.0 - part) / (1.0 - p));
    let ratio = (n - a) * p / ((a + 1.0) * (1.0 - p));
    let first = 0.5 * log2(n / (TAU * a * (n - a))) - n * divergence;
    (first - log2(1.0 - ratio)).min(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// log2 Pr[Bin(n, p) ≥ a], term by term.
    fn exact(n: usize, p: f64, a: usize) -> f64 {
        let log_choose = |k: usize| -> f64 {
            (0..k).map(|i| ((n - i) as f64).ln() - ((i + 1) as f64).ln()).sum()
        };
        let term = |k: usize| log_choose(k) + k as f64 * p.ln() + (n - k) as f64 * (1.0 - p).ln();
        let first = term(a);
        let sum: f64 = (a..=n.min(a + 500)).map(|k| (term(k) - first).exp()).sum();
        (first + sum.ln()) / std::f64::consts::LN_2
    }

    #[test]
    fn the_tail_is_bounded_closely() {
        for (n, clusters) in [(100, 2), (2000, 2), (2000, 10), (1000, 100)] {
            let (p, mean) = (1.0 / clusters as f64, n / clusters);
            let deviation = (mean as f64 * (1.0 - p)).sqrt();
            for deviations in [2.0, 4.0, 6.0] {
                let a = (mean as f64 + deviations * deviation).ceil() as usize;
                let (bound, exact) = (log2_at_least(n, p, a), exact(n, p, a));
                assert!(bound >= exact - 1e-9, "{n} {clusters} {a}: {bound} {exact}");
                assert!(bound <= exact + 0.6, "{n} {clusters} {a}: {bound} {exact}");
            }
        }
        assert_eq!(log2_at_least(10, 0.5, 10), -10.0);
        assert_eq!(log2_at_least(10, 0.5, 5), 0.0);
    }

    #[test]
    fn the_failure_of_all_clusters_stays_within_the_bound() {
        // A table that fails with 2^-(columns/load - 1)·100.
        let failure = |load: usize, columns: f64| -(columns / load as f64 - 1.0) * 100.0;
        let columns = |load: usize, bits: f64| load as f64 * (1.0 + bits / 100.0);
        for (items, clusters) in [(1 << 12, 2), (1 << 16, 16)] {
            let chosen = columns_for(items, clusters, 20.0, columns) as f64;
            let p = 1.0 / clusters as f64;
            let tails: Vec<f64> = (0..items / clusters + 1500)
                .map(|load| if load == 0 { 0.0 } else { log2_at_least(items, p, load) })
                .collect();
            let total: f64 = (1..tails.len() - 1)
                .map(|load| {
                    let density = (tails[load].exp2() - tails[load + 1].exp2()).max(0.0);
                    density * failure(load, chosen).min(0.0).exp2()
                })
                .sum();
            let total = (total * clusters as f64).log2();
            assert!((-30.0..=-20.0).contains(&total), "{items} {clusters}: {total}");
        }
    }
}
