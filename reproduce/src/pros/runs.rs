//! What runs take.

use std::time::{Duration, Instant};

use veilset_bench::process;

use crate::Failure;
use crate::grid::Scatter;
use crate::paper::Asked;

/// What a run took.
#[derive(Clone, Copy)]
pub(super) struct Ran {
    wall_seconds: f64,
    /// Processor time of both sides.
    cpu_seconds: f64,
}

/// A run, with what it took.
pub(super) fn timed<T>(run: impl FnOnce() -> Result<T, Failure>) -> Result<(Ran, T), Failure> {
    let (started, cpu) = (Instant::now(), process::cpu_seconds());
    let done = run()?;
    let cpu_seconds = process::cpu_seconds() - cpu;
    Ok((Ran { wall_seconds: started.elapsed().as_secs_f64(), cpu_seconds }, done))
}

/// How often both variants of the paper ran, what they took, and the share of the cached one, which the paper calls almost half.
pub(super) const OF_BOTH: [&str; 6] = [
    "runs",
    "not cached, wall",
    "processor",
    "cached, wall",
    "processor",
    "cached over not cached",
];

/// Runs of a row of a table, of each a time for each column.
pub(super) struct Runs(Vec<Vec<Ran>>);

impl Runs {
    /// As many as are asked for; else as many as the paper took, or those that begin within `patience`.
    pub(super) fn repeat(
        asked: Asked<'_>,
        paper: u32,
        patience: Duration,
        mut run: impl FnMut() -> Result<Vec<Ran>, Failure>,
    ) -> Result<Self, Failure> {
        let (started, most) = (Instant::now(), asked.runs.unwrap_or(paper) as usize);
        let mut runs = vec![run()?];
        while runs.len() < most && (asked.runs.is_some() || started.elapsed() < patience) {
            runs.push(run()?);
        }
        Ok(Self(runs))
    }

    pub(super) fn count(&self) -> String {
        self.0.len().to_string()
    }

    /// Cells under [`OF_BOTH`], where [both variants](super::pairs::both) of the paper come first.
    pub(super) fn of_both(&self) -> [String; 6] {
        let [fresh, cached] = [0, 1].map(|column| [self.wall(column), self.cpu(column)]);
        let ([fresh, fresh_cpu], [cached, cached_cpu]) = (fresh, cached);
        [self.count(), fresh, fresh_cpu, cached, cached_cpu, self.share(1, 0)]
    }

    /// Seconds of a column by the clock: the mean, and how far runs scatter.
    pub(super) fn wall(&self, column: usize) -> String {
        self.scatter(column, |ran| ran.wall_seconds).map_or_else(String::new, Scatter::seconds)
    }

    /// The same of processor time; nothing in a column that the row does not have.
    pub(super) fn cpu(&self, column: usize) -> String {
        self.scatter(column, |ran| ran.cpu_seconds).map_or_else(String::new, Scatter::seconds)
    }

    /// The processor time of a column over that of another.
    pub(super) fn share(&self, column: usize, of: usize) -> String {
        let [a, b] = [column, of].map(|column| self.scatter(column, |ran| ran.cpu_seconds));
        a.zip(b).map_or_else(String::new, |(a, b)| format!("{:.2}", a.mean / b.mean))
    }

    fn scatter(&self, column: usize, time: fn(&Ran) -> f64) -> Option<Scatter> {
        let times: Option<Vec<f64>> = self.0.iter().map(|run| run.get(column).map(time)).collect();
        times.map(|times| Scatter::of(times.into_iter()))
    }
}
