//! Figures 9 and 15: reconciliation in the worst case.

use std::time::Duration;

use veilset_crypto::paillier::KeySize;
use veilset_protocols::Scheme;
use veilset_protocols::agree::{Comparator, Reuse};

use super::lists::{Lists, run};
use super::pairs;
use super::runs::{OF_BOTH, Runs};
use crate::Failure;
use crate::grid::Grid;
use crate::paper::Asked;

/// Runs of a row, as in the paper, or those that begin within the time.
const RUNS: u32 = 20;
const PATIENCE: Duration = Duration::from_secs(2);

/// A comparator with its name, and the largest lists of which it compares all pairs here: some ten seconds on one core. Who
/// takes larger ones comes first.
type Entry = (&'static str, Comparator, usize);

const SECURE: [Entry; 4] = [
    ("`3pr-dh`", Comparator::DiffieHellman, 1000),
    ("`3pr-paillier`", Comparator::Paillier(KeySize::B2048, Reuse::Cached), 100),
    ("`3pr-paillier-uncached`", Comparator::Paillier(KeySize::B2048, Reuse::Fresh), 100),
    ("`3pr-implicit`", Comparator::Implicit(KeySize::B2048), 50),
];

fn sizes(asked: Asked<'_>, most: usize) -> impl Iterator<Item = usize> {
    asked.sizes.iter().map(|sizes| sizes.larger()).filter(move |size| *size <= most)
}

fn secure(scheme: Scheme, asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let names = SECURE.map(|(name, ..)| name);
    let mut grid = Grid::new(&[&["n", "comparisons", "runs"], &names[..]].concat());
    for size in sizes(asked, SECURE[0].2) {
        let lists = Lists::worst(size);
        let entries = || SECURE.iter().filter(|(.., most)| size <= *most);
        let all = || entries().map(|(_, comparator, _)| run(*comparator, scheme, &lists)).collect();
        let runs = Runs::repeat(asked, RUNS, PATIENCE, all)?;
        let mut row = vec![size.to_string(), (size * size).to_string(), runs.count()];
        row.extend((0..SECURE.len()).map(|column| runs.cpu(column)));
        grid.push(row);
        done(&format!("worst case at {size}"));
    }
    Ok(grid)
}

pub(super) fn secure_sum(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    secure(Scheme::SumOfRanks, asked, done)
}

pub(super) fn secure_minimum(
    asked: Asked<'_>,
    done: &mut dyn FnMut(&str),
) -> Result<Grid, Failure> {
    secure(Scheme::MinimumOfRanks, asked, done)
}

/// The paper's keys, which anybody factors in minutes.
pub(super) const SHORT: u32 = 256;

/// Ours with such keys: not cached, cached and implicit.
pub(super) const INSECURE: [Comparator; 3] = [
    Comparator::Paillier(KeySize::insecure(SHORT), Reuse::Fresh),
    Comparator::Paillier(KeySize::insecure(SHORT), Reuse::Cached),
    Comparator::Implicit(KeySize::insecure(SHORT)),
];

/// The largest lists with such keys, as in the figures.
const MOST_SHORT: usize = 200;

/// As in the paper, and ours with its keys.
fn short(scheme: Scheme, asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let ours = ["paper", "ours, not cached", "cached", "implicit", "cached over not cached"];
    let mut grid = Grid::new(&[&["n", "comparisons"][..], &OF_BOTH, &ours].concat());
    let keys = pairs::keys(SHORT);
    for size in sizes(asked, MOST_SHORT) {
        let lists = Lists::worst(size);
        let runs = Runs::repeat(asked, RUNS, PATIENCE, || {
            let papers = pairs::both(&keys, scheme, &lists);
            papers.into_iter().chain(INSECURE.map(|ours| run(ours, scheme, &lists))).collect()
        })?;
        let mut row = vec![size.to_string(), (size * size).to_string()];
        row.extend(runs.of_both());
        row.push("almost half".to_owned());
        row.extend([runs.cpu(2), runs.cpu(3), runs.cpu(4), runs.share(3, 2)]);
        grid.push(row);
        done(&format!("worst case at {size}, short keys"));
    }
    Ok(grid)
}

pub(super) fn short_sum(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    short(Scheme::SumOfRanks, asked, done)
}

pub(super) fn short_minimum(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    short(Scheme::MinimumOfRanks, asked, done)
}
