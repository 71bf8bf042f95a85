//! Figures 12 and 13: reconciliation on average.

use std::time::Duration;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_bench::Sizes;
use veilset_protocols::Scheme;
use veilset_protocols::agree::{Comparator, Reuse};

use super::lists::{Lists, run};
use super::pairs;
use super::runs::{OF_BOTH, Ran, Runs};
use super::worst::{INSECURE, SHORT};
use crate::Failure;
use crate::grid::{Grid, Scatter};
use crate::paper::Asked;

/// So long a row is run again.
const PATIENCE: Duration = Duration::from_secs(5);

/// A random case: lists of that size, with so many common entries, of which the paper ran so many.
#[derive(Clone, Copy)]
pub(super) struct Case {
    pub(super) size: usize,
    pub(super) common: usize,
    pub(super) papers: u32,
}

impl Case {
    fn lists(self) -> impl FnMut() -> Lists {
        let mut rng = ChaCha20Rng::from_seed([17; 32]);
        move || Lists::random(self.size, self.common, &mut rng)
    }

    /// Comparisons up to the match, of as many lists as in the paper.
    pub(super) fn comparisons(self, scheme: Scheme, asked: Asked<'_>) -> Scatter {
        let mut lists = self.lists();
        let count = |_| lists().comparisons(scheme) as f64;
        let counts: Vec<f64> = (0..asked.runs.unwrap_or(self.papers)).map(count).collect();
        Scatter::of(counts.into_iter())
    }

    /// Runs over the first of these.
    pub(super) fn runs(
        self,
        asked: Asked<'_>,
        run: impl Fn(&Lists) -> Result<Vec<Ran>, Failure>,
    ) -> Result<Runs, Failure> {
        let mut lists = self.lists();
        Runs::repeat(asked, self.papers, PATIENCE, || run(&lists()))
    }
}

/// The expected number of comparisons if `common` of the n² pairs match, in any places: the expectation of p(i) of section 6.3.3,
/// Σ i·p(i). All if there is no match.
pub(super) fn expected(size: usize, common: usize) -> f64 {
    let (pairs, common) = ((size * size) as f64, common as f64);
    if common < 1.0 {
        return pairs;
    }
    let (mut none_so_far, mut expectation) = (1.0, 0.0);
    for i in 1..=(pairs - common + 1.0) as u64 {
        let left = pairs - (i - 1) as f64;
        expectation += i as f64 * none_so_far * common / left;
        none_so_far *= (left - common) / left;
    }
    expectation
}

/// The largest lists with one match; the paper's have 100.
const MOST_ONE_MATCH: usize = 200;

pub(super) fn one_match(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&[
        "n",
        "comparisons",
        "of all",
        "paper",
        "runs",
        "`3pr-dh`",
        "as the paper, wall",
        "processor",
    ]);
    let (scheme, keys) = (Scheme::SumOfRanks, pairs::keys(SHORT));
    let sizes = asked.sizes.iter().map(|sizes| sizes.larger());
    for size in sizes.filter(|size| *size <= MOST_ONE_MATCH) {
        let case = Case { size, common: 1, papers: 100 };
        let comparisons = case.comparisons(scheme, asked);
        let runs = case.runs(asked, |lists| {
            let papers = pairs::run(&keys, Reuse::Cached, scheme, lists)?;
            Ok(vec![run(Comparator::DiffieHellman, scheme, lists)?, papers])
        })?;
        grid.push(vec![
            size.to_string(),
            comparisons.digits(0),
            format!("{:.2}", comparisons.mean / (size * size) as f64),
            "about half".to_owned(),
            runs.count(),
            runs.cpu(0),
            runs.wall(1),
            runs.cpu(1),
        ]);
        done(&format!("one match at {size}"));
    }
    Ok(grid)
}

/// Common entries: 5 %.
fn twentieth(size: usize) -> usize {
    size / 20
}

/// Rows about where an entry more is in common, and the comparisons drop.
fn printed(size: &str) -> bool {
    let sizes = ["2", "10", "19", "20", "39", "40", "59", "60", "79", "80", "99", "100"];
    sizes.contains(&size)
}

pub(super) fn saw_tooth(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let columns = ["n", "in common", "expected (paper)", "comparisons", "runs", "`3pr-dh`"];
    let mut grid = Grid::new(&columns).printing(printed);
    let most = asked.sizes.iter().map(|sizes| sizes.larger()).max().unwrap_or_default();
    for size in 2..=most.min(100) {
        let case = Case { size, common: twentieth(size), papers: 100 };
        let scheme = Scheme::SumOfRanks;
        let runs =
            case.runs(asked, |lists| Ok(vec![run(Comparator::DiffieHellman, scheme, lists)?]))?;
        grid.push(vec![
            size.to_string(),
            case.common.to_string(),
            format!("{:.0}", expected(size, case.common)),
            case.comparisons(scheme, asked).digits(0),
            runs.count(),
            runs.cpu(0),
        ]);
    }
    done("where an entry more is in common");
    Ok(grid)
}

/// The figures have the largest list of each section of 20 that has as many common entries: the sizes less 1. So has this.
fn sections(sizes: &[Sizes], most: usize) -> impl Iterator<Item = Case> {
    let sizes = sizes.iter().map(|sizes| sizes.larger() - 1);
    let case = |size| Case { size, common: twentieth(size), papers: 500 };
    sizes.map(case).filter(move |case| case.common > 0 && case.size <= most)
}

pub(super) fn linear(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&[
        "n",
        "all",
        "expected (paper)",
        "sum of ranks",
        "minimum of ranks",
        "runs",
        "`3pr-dh`, sum of ranks, s",
        "`3pr-dh`, minimum of ranks, s",
    ]);
    for case in sections(asked.sizes, usize::MAX) {
        let [sum, minimum] = Scheme::ALL.map(|scheme| case.comparisons(scheme, asked).digits(0));
        let runs = case.runs(asked, |lists| {
            let both = Scheme::ALL.map(|scheme| run(Comparator::DiffieHellman, scheme, lists));
            both.into_iter().collect()
        })?;
        grid.push(vec![
            case.size.to_string(),
            (case.size * case.size).to_string(),
            format!("{:.0}", expected(case.size, case.common)),
            sum,
            minimum,
            runs.count(),
            runs.cpu(0),
            runs.cpu(1),
        ]);
        done(&format!("5 % in common at {}", case.size));
    }
    Ok(grid)
}

/// The largest lists of the paper's keys on average.
const MOST_SHORT: usize = 500;

pub(super) fn short(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let ours = ["ours, cached", "implicit", "ours, cached over implicit", "paper"];
    let mut grid = Grid::new(&[&["n", "comparisons"][..], &OF_BOTH, &ours].concat());
    let (scheme, keys) = (Scheme::SumOfRanks, pairs::keys(SHORT));
    for case in sections(asked.sizes, MOST_SHORT) {
        let [_, cached, implicit] = INSECURE;
        let runs = case.runs(asked, |lists| {
            let papers = pairs::both(&keys, scheme, lists);
            let ours = [cached, implicit].map(|ours| run(ours, scheme, lists));
            papers.into_iter().chain(ours).collect()
        })?;
        let mut row = vec![case.size.to_string(), case.comparisons(scheme, asked).digits(0)];
        row.extend(runs.of_both());
        row.extend([runs.cpu(2), runs.cpu(3), runs.share(2, 3), "slightly less".to_owned()]);
        grid.push(row);
        done(&format!("5 % in common at {}, short keys", case.size));
    }
    Ok(grid)
}
