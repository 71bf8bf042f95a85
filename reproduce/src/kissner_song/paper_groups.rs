//! Whole runs on the paper's groups of 1024 bits, with each of its algorithms.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_bench::Sizes;
use veilset_paper_groups::{SafePrimeGroup, Setting};
use veilset_protocols::ks::{Algorithm, Spread};

use super::link::crossing;
use super::published::Published;
use crate::Failure;
use crate::grid::{Grid, Scatter, seconds};
use crate::over_group::measure_over;
use crate::paper::{Asked, modelled_sides, power};

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
    /// Bytes of the receiver and of the sender, who answers.
    bytes: [u64; 2],
    /// Seconds in which they cross the paper's network.
    transmission: f64,
}

impl Whole {
    fn total(self) -> f64 {
        self.keys + self.running.mean + self.transmission
    }
}

/// Whole runs in one group, once for all tables.
fn whole(algorithm: Algorithm, size: usize, runs: Option<u32>) -> Result<Whole, Failure> {
    static KNOWN: Mutex<BTreeMap<(String, usize), Whole>> = Mutex::new(BTreeMap::new());
    let key = (format!("{algorithm:?}"), size);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(whole) = known().get(&key) {
        return Ok(*whole);
    }
    let (started, mut rng) = (Instant::now(), ChaCha20Rng::from_seed([7; 32]));
    let group = SafePrimeGroup::generate(setting(algorithm, size), &mut rng)?;
    let keys = started.elapsed().as_secs_f64();
    let mut bytes = [0; 2];
    let running = Scatter::measured(runs, || {
        let run = measure_over(&group, Spread::Whole, algorithm, size)?;
        bytes = [run.bytes_receiver, run.bytes_sender];
        Ok::<_, Failure>(run.seconds)
    })?;
    let whole = Whole { keys, running, bytes, transmission: crossing(bytes)? };
    known().insert(key, whole);
    Ok(whole)
}

/// Figure 2.
pub(super) fn keys(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    // All of the figure's sizes beside those that take long to run with.
    const LONG: usize = 1 << 12;
    const MORE: [usize; 5] = [1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17];
    let mut grid = Grid::new(&["k", "paper, Karatsuba", "paper, FFT", "here"]);
    let sizes: Vec<usize> = asked.sizes.iter().map(|sizes| sizes.larger()).collect();
    let more = MORE.into_iter().filter(|_| sizes.contains(&LONG));
    for size in sizes.iter().copied().chain(more) {
        let here = generation(special(size), 8, asked.runs)?;
        let paper = |of| seconds(Published::of(size).map(|paper| paper.keys(of)));
        grid.push(vec![power(size), paper(0), paper(1), here.seconds()]);
    }
    done("key generation for all sizes");
    Ok(grid)
}

/// Seconds of key generation.
pub(super) fn generation(
    setting: Setting,
    seed: u8,
    runs: Option<u32>,
) -> Result<Scatter, Failure> {
    let mut rng = ChaCha20Rng::from_seed([seed; 32]);
    Scatter::measured(runs, || {
        let started = Instant::now();
        SafePrimeGroup::generate(setting, &mut rng)?;
        Ok(started.elapsed().as_secs_f64())
    })
}

/// Beyond that the schoolbook takes minutes.
const MOST_SCHOOLBOOK: usize = 1 << 9;

/// How many times as long as ours the paper's took, or nothing.
fn times(paper: Option<f64>, here: f64) -> String {
    paper.map_or(String::new(), |paper| format!("{:.1}", paper / here))
}

/// Table 4, without key generation and with nothing between the parties.
pub(super) fn programs(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&[
        "k",
        "paper, Karatsuba",
        "Karatsuba, general setting",
        "× paper",
        "paper, FFT",
        "NTT, special setting",
        "× paper",
    ]);
    for size in asked.sizes.iter().map(|sizes| sizes.larger()) {
        let mut row = vec![power(size)];
        for (of, algorithm) in [Algorithm::Karatsuba, Algorithm::Transforms].into_iter().enumerate()
        {
            let paper = Published::of(size).map(|paper| paper.running[of]);
            let here = whole(algorithm, size, asked.runs)?.running;
            row.extend([seconds(paper), here.seconds(), times(paper, here.mean)]);
        }
        grid.push(row);
        done(&format!("whole runs at {}", power(size)));
    }
    Ok(grid)
}

/// Remark 3, and what else multiplies in the general setting.
pub(super) fn others(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&[
        "k",
        "schoolbook",
        "Karatsuba",
        "Toom-3",
        "Karatsuba over Toom-3",
        "paper",
        "Toom-4",
        "best, × paper's Karatsuba",
    ]);
    for size in asked.sizes.iter().map(|sizes| sizes.larger()) {
        let running = |algorithm| Ok::<_, Failure>(whole(algorithm, size, asked.runs)?.running);
        let [halves, thirds, quarters] =
            [Algorithm::Karatsuba, Algorithm::Toom3, Algorithm::Toom4].map(running);
        let (halves, thirds, quarters) = (halves?, thirds?, quarters?);
        let schoolbook =
            (size <= MOST_SCHOOLBOOK).then(|| running(Algorithm::Schoolbook)).transpose()?;
        let all = [halves, thirds, quarters].into_iter().chain(schoolbook);
        let best = all.map(|runs| runs.mean).fold(f64::INFINITY, f64::min);
        let paper = Published::of(size).map(|paper| paper.running[0]);
        grid.push(vec![
            power(size),
            schoolbook.map_or(String::new(), Scatter::seconds),
            halves.seconds(),
            thirds.seconds(),
            format!("{:.2}", halves.mean / thirds.mean),
            "2.17 to 4.13".to_owned(),
            quarters.seconds(),
            times(paper, best),
        ]);
        done(&format!("other algorithms at {}", power(size)));
    }
    Ok(grid)
}

/// Table 3.
pub(super) fn totals(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&[
        "k",
        "paper, Karatsuba",
        "Karatsuba, general setting",
        "paper, FFT",
        "NTT, special setting",
    ]);
    for size in asked.sizes.iter().map(|sizes| sizes.larger()) {
        let mut row = vec![power(size)];
        for (of, algorithm) in [Algorithm::Karatsuba, Algorithm::Transforms].into_iter().enumerate()
        {
            row.push(seconds(Published::of(size).map(|paper| paper.total[of])));
            row.push(seconds(Some(whole(algorithm, size, asked.runs)?.total())));
        }
        grid.push(row);
    }
    done("total times");
    Ok(grid)
}

/// Figure 3.
pub(super) fn shares_of_halves(
    asked: Asked<'_>,
    done: &mut dyn FnMut(&str),
) -> Result<Grid, Failure> {
    shares(asked, 0, Algorithm::Karatsuba, done)
}

/// Figure 4.
pub(super) fn shares_of_transforms(
    asked: Asked<'_>,
    done: &mut dyn FnMut(&str),
) -> Result<Grid, Failure> {
    shares(asked, 1, Algorithm::Transforms, done)
}

/// What each part of Table 3 takes of it, in percent.
fn shares(
    asked: Asked<'_>,
    of: usize,
    algorithm: Algorithm,
    done: &mut dyn FnMut(&str),
) -> Result<Grid, Failure> {
    const PARTS: [&str; 3] = ["programs", "keys", "transmission"];
    let columns = PARTS.map(|part| format!("paper, {part}"));
    let columns = ["k"].into_iter().chain(columns.iter().map(String::as_str)).chain(PARTS);
    let mut grid = Grid::new(&columns.collect::<Vec<_>>());
    for size in asked.sizes.iter().map(|sizes| sizes.larger()) {
        let here = whole(algorithm, size, asked.runs)?;
        let published = Published::of(size).map(|paper| {
            let parts = [paper.running[of], paper.keys(of), paper.transmission[of]];
            parts.map(|part| percent(part / paper.total[of]))
        });
        let parts = [here.running.mean, here.keys, here.transmission];
        let own = parts.map(|part| percent(part / here.total()));
        let mut row = vec![power(size)];
        row.extend(published.unwrap_or_default().into_iter().chain(own));
        grid.push(row);
    }
    done("shares");
    Ok(grid)
}

fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}

/// Table 5: what crosses, and for how long.
pub(super) fn transmission(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&[
        "k",
        "paper, Karatsuba, s",
        "paper, FFT, s",
        "1024 bits, MB",
        "s",
        "`ks`, MB",
        "s",
        "`ks-binned`, MB",
        "s",
    ]);
    for size in asked.sizes.iter().map(|sizes| sizes.larger()) {
        let paper = |of: usize| seconds(Published::of(size).map(|paper| paper.transmission[of]));
        let mut row = vec![power(size), paper(0), paper(1)];
        let modelled = |protocol| {
            let [sender, receiver] = modelled_sides(protocol, Sizes::equal(size))?;
            Ok::<_, Failure>([receiver as u64, sender as u64])
        };
        let own = whole(Algorithm::Karatsuba, size, asked.runs)?.bytes;
        for bytes in [own, modelled("ks")?, modelled("ks-binned")?] {
            row.push(format!("{:.3}", bytes.iter().sum::<u64>() as f64 / 1e6));
            row.push(seconds(Some(crossing(bytes)?)));
        }
        grid.push(row);
    }
    done("transmission");
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
