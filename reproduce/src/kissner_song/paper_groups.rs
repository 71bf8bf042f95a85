//! Whole runs on the paper's groups of 1024 bits, with each of its algorithms.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_paper_groups::{SafePrimeGroup, Setting};
use veilset_protocols::ks::{Algorithm, Spread};

use super::{PAPER_LINK, Published};
use crate::Failure;
use crate::grid::{Grid, Scatter, seconds};
use crate::over_group::measure_over;
use crate::paper::{Asked, power};

/// The special setting for sets of `size`: what comes back has 2k + 1 coefficients, and is evaluated at k points.
fn special(size: usize) -> Setting {
    Setting::Special { log_size: (3 * size).next_power_of_two().ilog2() }
}

/// The setting that an algorithm is measured in.
fn setting(algorithm: Algorithm, size: usize) -> Setting {
    match algorithm {
        Algorithm::Transforms => special(size),
        _ => Setting::General,
    }
}

/// What a whole run took.
#[derive(Clone, Copy)]
struct Whole {
    /// Seconds of key generation.
    keys: f64,
    /// Seconds of both programs.
    running: Scatter,
    /// Seconds of what was sent over the paper's network.
    transmission: f64,
}

impl Whole {
    fn total(self) -> f64 {
        self.keys + self.running.mean + self.transmission
    }
}

/// Whole runs in one group, once for all tables; the paper took the mean of 100.
fn whole(algorithm: Algorithm, size: usize, runs: Option<u32>) -> Result<Whole, Failure> {
    static KNOWN: Mutex<BTreeMap<(String, usize, u32), Whole>> = Mutex::new(BTreeMap::new());
    let runs = runs.unwrap_or(1);
    let key = (format!("{algorithm:?}"), size, runs);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(whole) = known().get(&key) {
        return Ok(*whole);
    }
    let (started, mut rng) = (Instant::now(), ChaCha20Rng::from_seed([7; 32]));
    let group = SafePrimeGroup::generate(setting(algorithm, size), &mut rng)?;
    let keys = started.elapsed().as_secs_f64();
    let measure = |_| measure_over(&group, Spread::Whole, algorithm, size);
    let measured = (0..runs).map(measure).collect::<Result<Vec<_>, _>>()?;
    let running = Scatter::of(measured.iter().map(|run| run.seconds));
    let bytes = measured.first().map_or(0, |run| run.bytes_sender + run.bytes_receiver) as f64;
    let whole = Whole { keys, running, transmission: bytes * 8.0 / PAPER_LINK };
    known().insert(key, whole);
    Ok(whole)
}

/// Figure 2. The paper prints no numbers; what Table 3 has beyond Tables 4 and 5 is key generation.
pub(super) fn keys(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let runs = asked.runs.unwrap_or(3);
    // All of the figure's sizes beside those that take long to run with.
    const LONG: usize = 1 << 12;
    const MORE: [usize; 5] = [1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17];
    let mut grid =
        Grid::new(&["k", "paper, Karatsuba", "paper, FFT", &format!("here, mean of {runs}")]);
    let sizes: Vec<usize> = sizes.iter().map(|sizes| sizes.larger()).collect();
    let more = MORE.into_iter().filter(|_| sizes.contains(&LONG));
    for size in sizes.iter().copied().chain(more) {
        let mut rng = ChaCha20Rng::from_seed([8; 32]);
        let started = Instant::now();
        for _ in 0..runs {
            SafePrimeGroup::generate(special(size), &mut rng)?;
        }
        let mean = started.elapsed().as_secs_f64() / f64::from(runs);
        let rest = |of: usize| {
            let paper = Published::of(size)?;
            Some(paper.total[of] - paper.running[of] - paper.transmission[of])
        };
        grid.push(vec![power(size), seconds(rest(0)), seconds(rest(1)), seconds(Some(mean))]);
    }
    done("key generation for all sizes");
    Ok(grid)
}

/// Beyond that the schoolbook takes minutes.
const MOST_SCHOOLBOOK: usize = 1 << 9;

/// Table 4, without key generation and with nothing between the parties; and the other algorithms. The last two columns say how
/// many times faster than the paper's programs these are.
pub(super) fn programs(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let mut grid = Grid::new(&[
        "k",
        "paper, Karatsuba",
        "Karatsuba, general setting",
        "paper, FFT",
        "NTT, special setting",
        "Toom-3, general setting",
        "Toom-4, general setting",
        "schoolbook",
        "Karatsuba, × paper",
        "NTT, × paper",
        "best general, × paper",
    ]);
    for size in sizes.iter().map(|sizes| sizes.larger()) {
        let running = |algorithm| Ok::<_, Failure>(whole(algorithm, size, asked.runs)?.running);
        let karatsuba = running(Algorithm::Karatsuba)?;
        let transforms = running(Algorithm::Transforms)?;
        let [thirds, quarters] = [running(Algorithm::Toom3)?, running(Algorithm::Toom4)?];
        let schoolbook =
            (size <= MOST_SCHOOLBOOK).then(|| running(Algorithm::Schoolbook)).transpose()?;
        let paper = |of: usize| Published::of(size).map(|paper| paper.running[of]);
        let school = schoolbook.map_or(f64::INFINITY, |runs| runs.mean);
        let best = karatsuba.mean.min(thirds.mean).min(quarters.mean).min(school);
        let times =
            |of, here| paper(of).map_or(String::new(), |paper| format!("{:.1}", paper / here));
        grid.push(vec![
            power(size),
            seconds(paper(0)),
            karatsuba.seconds(),
            seconds(paper(1)),
            transforms.seconds(),
            thirds.seconds(),
            quarters.seconds(),
            schoolbook.map_or(String::new(), Scatter::seconds),
            times(0, karatsuba.mean),
            times(1, transforms.mean),
            times(0, best),
        ]);
        done(&format!("whole runs at {}", power(size)));
    }
    Ok(grid)
}

/// Table 3, and the share of it that the programs take.
pub(super) fn totals(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let mut grid = Grid::new(&[
        "k",
        "paper, Karatsuba",
        "Karatsuba, general setting",
        "its runs, paper's",
        "paper, FFT",
        "NTT, special setting",
        "its runs, paper's",
    ]);
    for size in sizes.iter().map(|sizes| sizes.larger()) {
        let mut row = vec![power(size)];
        for (of, algorithm) in [Algorithm::Karatsuba, Algorithm::Transforms].into_iter().enumerate()
        {
            let here = whole(algorithm, size, asked.runs)?;
            let paper = Published::of(size);
            let percent = |share: f64| format!("{:.0} %", 100.0 * share);
            let published =
                paper.map(|paper| format!(", {}", percent(paper.running[of] / paper.total[of])));
            row.push(seconds(paper.map(|paper| paper.total[of])));
            row.push(seconds(Some(here.total())));
            row.push(percent(here.running.mean / here.total()) + &published.unwrap_or_default());
        }
        grid.push(row);
    }
    done("total times");
    Ok(grid)
}

/// Table 6: between two sizes of which transforms are slower at the one and faster at the other, halved until they are close.
pub(super) fn overtaking(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    const HALVINGS: usize = 5;
    let mut grid = Grid::new(&["k", "Karatsuba, general setting", "NTT, special setting"]);
    let at = |size| {
        let running =
            |algorithm| whole(algorithm, size, asked.runs).map(|whole| whole.running.mean);
        Ok::<_, Failure>([running(Algorithm::Karatsuba)?, running(Algorithm::Transforms)?])
    };
    let mut measured: BTreeMap<usize, [f64; 2]> = BTreeMap::new();
    for size in sizes.iter().map(|sizes| sizes.larger()) {
        measured.insert(size, at(size)?);
    }
    for _ in 0..HALVINGS {
        let pairs = measured.iter().zip(measured.iter().skip(1));
        let crossed = pairs.filter(|((low, [k, n]), (high, [more_k, more_n]))| {
            k < n && more_k > more_n && *high - *low > 2
        });
        let mut between = crossed.map(|((low, _), (high, _))| usize::midpoint(*low, *high));
        let Some(size) = between.next_back() else { break };
        measured.insert(size, at(size)?);
    }
    for (size, [karatsuba, transforms]) in measured {
        grid.push(vec![size.to_string(), seconds(Some(karatsuba)), seconds(Some(transforms))]);
    }
    done("cut-off");
    Ok(grid)
}
