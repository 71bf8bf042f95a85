//! Figures 9, 12, 13 and 15: reconciliation in the worst case and on average.

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_bench::Sizes;
use veilset_crypto::paillier::KeySize;
use veilset_protocols::Scheme;
use veilset_protocols::agree::{Comparator, Reuse};

use super::lists::{Lists, Ran, run};
use crate::Failure;
use crate::grid::{Grid, seconds};
use crate::paper::Asked;

/// A comparator with its name, and the largest lists of which it compares all pairs here: some ten seconds on one core.
type Entry = (&'static str, Comparator, usize);

/// Secure.
const SECURE: [Entry; 4] = [
    ("`3pr-dh`", Comparator::DiffieHellman, 1000),
    ("`3pr-paillier`", Comparator::Paillier(KeySize::B2048, Reuse::Cached), 100),
    ("`3pr-paillier-uncached`", Comparator::Paillier(KeySize::B2048, Reuse::Fresh), 100),
    ("`3pr-implicit`", Comparator::Implicit(KeySize::B2048), 50),
];

/// The paper's keys, which anybody factors in minutes.
const SHORT: KeySize = KeySize::insecure(256);

const INSECURE: [Entry; 3] = [
    ("explicit, cached", Comparator::Paillier(SHORT, Reuse::Cached), 200),
    ("explicit, not cached", Comparator::Paillier(SHORT, Reuse::Fresh), 200),
    ("implicit", Comparator::Implicit(SHORT), 200),
];

/// A row a comparator takes part in up to its largest lists.
fn worst(
    entries: &[Entry],
    scheme: Scheme,
    sizes: &[Sizes],
    done: &mut dyn FnMut(&str),
) -> Result<Grid, Failure> {
    let mut columns = vec!["n", "comparisons"];
    columns.extend(entries.iter().map(|(name, ..)| *name));
    let mut grid = Grid::new(&columns);
    let most = entries.iter().map(|(.., most)| *most).max().unwrap_or_default();
    for size in sizes.iter().map(|sizes| sizes.larger()).filter(|size| *size <= most) {
        let lists = Lists::worst(size);
        let mut row = vec![size.to_string(), (size * size).to_string()];
        for (_, comparator, most) in entries {
            let ran = (size <= *most).then(|| run(*comparator, scheme, &lists)).transpose()?;
            row.push(seconds(ran.map(|ran| ran.cpu_seconds)));
        }
        grid.push(row);
        done(&format!("worst case at {size}"));
    }
    Ok(grid)
}

pub(super) fn worst_sum(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    worst(&SECURE, Scheme::SumOfRanks, asked.sizes, done)
}

pub(super) fn worst_minimum(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    worst(&SECURE, Scheme::MinimumOfRanks, asked.sizes, done)
}

/// With the share of the cached variant, which the paper calls almost half.
pub(super) fn worst_short(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = worst(&INSECURE, Scheme::SumOfRanks, asked.sizes, done)?;
    grid.columns.extend(["cached over not cached", "paper"].map(str::to_owned));
    for row in &mut grid.rows {
        let time = |cell: &String| cell.parse::<f64>().unwrap_or(f64::NAN);
        let share = format!("{:.2}", time(&row[2]) / time(&row[3]));
        row.extend([share, "almost half".to_owned()]);
    }
    Ok(grid)
}

/// Runs over independent lists, if nothing else is asked for; the paper took 100 and 500.
const RUNS: u32 = 40;

/// The mean of so many runs with `common` common entries in random places.
fn mean(
    comparator: Comparator,
    scheme: Scheme,
    size: usize,
    common: usize,
    seed: u8,
    runs: Option<u32>,
) -> Result<Mean, Failure> {
    let runs = runs.unwrap_or(RUNS);
    let mut rng = ChaCha20Rng::from_seed([seed; 32]);
    let mut mean = Mean::default();
    for _ in 0..runs {
        let Ran { cpu_seconds, comparisons } =
            run(comparator, scheme, &Lists::random(size, common, &mut rng))?;
        mean.seconds += cpu_seconds / f64::from(runs);
        mean.comparisons += comparisons as f64 / f64::from(runs);
    }
    Ok(mean)
}

#[derive(Clone, Copy, Default)]
struct Mean {
    seconds: f64,
    comparisons: f64,
}

/// The expected number of comparisons if `common` of the n² pairs match, in any places: the expectation of p(i) of section 6.3.3,
/// Σ i·p(i).
pub(super) fn expected(size: usize, common: usize) -> f64 {
    let (pairs, common) = ((size * size) as f64, common as f64);
    let (mut none_so_far, mut expectation) = (1.0, 0.0);
    for i in 1..=(pairs - common + 1.0) as u64 {
        let left = pairs - (i - 1) as f64;
        expectation += i as f64 * none_so_far * common / left;
        none_so_far *= (left - common) / left;
    }
    expectation
}

/// The largest lists of the average case with one match, which takes half of all comparisons.
const MOST_ONE_MATCH: usize = 200;

pub(super) fn one_match(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let mut grid = Grid::new(&[
        "n",
        "comparisons, mean",
        "of all",
        "paper",
        "`3pr-dh`, s",
        "256-bit keys, insecure, implicit, s",
    ]);
    let sizes = sizes.iter().map(|sizes| sizes.larger());
    for size in sizes.filter(|size| *size <= MOST_ONE_MATCH) {
        let ours = mean(Comparator::DiffieHellman, Scheme::SumOfRanks, size, 1, 1, asked.runs)?;
        let short = (size <= MOST_ONE_MATCH / 2)
            .then(|| mean(Comparator::Implicit(SHORT), Scheme::SumOfRanks, size, 1, 1, asked.runs))
            .transpose()?;
        grid.push(vec![
            size.to_string(),
            format!("{:.0}", ours.comparisons),
            format!("{:.2}", ours.comparisons / (size * size) as f64),
            "about half".to_owned(),
            seconds(Some(ours.seconds)),
            seconds(short.map(|short| short.seconds)),
        ]);
        done(&format!("one match at {size}"));
    }
    Ok(grid)
}

/// Common entries: 5 %.
fn twentieth(size: usize) -> usize {
    size / 20
}

/// The figure has the largest list of each section of 20 that has as many common entries: the sizes less 1. So has this.
fn sections(sizes: &[Sizes], most: usize) -> impl Iterator<Item = usize> {
    let sizes = sizes.iter().map(|sizes| sizes.larger() - 1);
    sizes.filter(move |size| twentieth(*size) > 0 && *size <= most)
}

pub(super) fn linear(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&[
        "n",
        "all",
        "expected (paper)",
        "measured, sum of ranks",
        "measured, minimum of ranks",
        "`3pr-dh`, sum of ranks, s",
        "`3pr-dh`, minimum of ranks, s",
    ]);
    for size in sections(asked.sizes, usize::MAX) {
        let common = twentieth(size);
        let [sum, minimum] = Scheme::ALL
            .map(|scheme| mean(Comparator::DiffieHellman, scheme, size, common, 2, asked.runs));
        let (sum, minimum) = (sum?, minimum?);
        grid.push(vec![
            size.to_string(),
            (size * size).to_string(),
            format!("{:.0}", expected(size, common)),
            format!("{:.0}", sum.comparisons),
            format!("{:.0}", minimum.comparisons),
            format!("{:.4}", sum.seconds),
            format!("{:.4}", minimum.seconds),
        ]);
        done(&format!("5 % in common at {size}"));
    }
    Ok(grid)
}

/// The ends of the figure's sections: the largest lists with as many common entries, and the smallest with one more, where the
/// comparisons drop.
const ENDS: [usize; 9] = [20, 39, 40, 59, 60, 79, 80, 99, 100];

pub(super) fn ends_of_sections(
    asked: Asked<'_>,
    done: &mut dyn FnMut(&str),
) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&["n", "in common", "expected (paper)", "measured", "`3pr-dh`, s"]);
    let most = asked.sizes.iter().map(|sizes| sizes.larger()).max().unwrap_or_default();
    for size in ENDS.into_iter().filter(|size| *size <= most) {
        let (common, scheme) = (twentieth(size), Scheme::SumOfRanks);
        let mean = mean(Comparator::DiffieHellman, scheme, size, common, 3, asked.runs)?;
        grid.push(vec![
            size.to_string(),
            common.to_string(),
            format!("{:.0}", expected(size, common)),
            format!("{:.0}", mean.comparisons),
            seconds(Some(mean.seconds)),
        ]);
    }
    done("where an entry more is in common");
    Ok(grid)
}

/// The largest lists of the paper's keys on average.
const MOST_SHORT: usize = 500;

pub(super) fn average_short(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&["n", "comparisons, mean", INSECURE[0].0, INSECURE[2].0, "paper"]);
    for size in sections(asked.sizes, MOST_SHORT) {
        let [cached, _, implicit] = INSECURE.map(|(_, comparator, _)| {
            mean(comparator, Scheme::SumOfRanks, size, twentieth(size), 3, asked.runs)
        });
        let (cached, implicit) = (cached?, implicit?);
        grid.push(vec![
            size.to_string(),
            format!("{:.0}", cached.comparisons),
            seconds(Some(cached.seconds)),
            seconds(Some(implicit.seconds)),
            "cached slightly less".to_owned(),
        ]);
        done(&format!("5 % in common at {size}, short keys"));
    }
    Ok(grid)
}
