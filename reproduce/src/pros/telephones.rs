//! Figures 10, 11, 16 and 17: what the paper ran on two telephones, here with their keys and lists, and what its Bluetooth adds.

use std::time::Duration;

use veilset_protocols::Scheme;
use veilset_protocols::agree::Reuse;

use super::average::Case;
use super::lists::Lists;
use super::pairs;
use super::runs::Runs;
use crate::Failure;
use crate::grid::Grid;
use crate::paper::Asked;

/// Seconds of a round trip between the telephones (section 6.2); a comparison takes one.
const ROUND_TRIP: f64 = 0.032;

/// Runs of a row, as in the paper, or those that begin within the time.
const RUNS: u32 = 50;
const PATIENCE: Duration = Duration::from_secs(1);

/// Lists and keys of figures 10 and 16, which have every length from 2 to 20.
const WORST_SIZES: [usize; 5] = [2, 5, 10, 15, 20];
const WORST_KEYS: [u32; 3] = [256, 512, 1024];

pub(super) fn worst(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&[
        "n",
        "comparisons",
        "over the paper's Bluetooth",
        "runs",
        "256 bits, sum",
        "minimum",
        "512 bits, sum",
        "minimum",
        "1024 bits, sum",
        "minimum",
    ]);
    let keys = WORST_KEYS.map(pairs::keys);
    for size in WORST_SIZES {
        let lists = Lists::worst(size);
        let cases = || keys.iter().flat_map(|keys| Scheme::ALL.map(|scheme| (keys, scheme)));
        let all = || cases().map(|(keys, s)| pairs::run(keys, Reuse::Cached, s, &lists)).collect();
        let runs = Runs::repeat(asked, RUNS, PATIENCE, all)?;
        let comparisons = size * size;
        let air = format!("{:.2}", comparisons as f64 * ROUND_TRIP);
        let mut row = vec![size.to_string(), comparisons.to_string(), air, runs.count()];
        row.extend((0..cases().count()).map(|column| runs.cpu(column)));
        grid.push(row);
    }
    done("worst case with the telephones' keys");
    Ok(grid)
}

/// Lists, key and common entries of figures 11 and 17, which have each number of common entries.
const AVERAGE_SIZES: [usize; 4] = [5, 10, 15, 20];
const AVERAGE_KEY: u32 = 512;
const AVERAGE_COMMON: [usize; 6] = [1, 2, 5, 10, 15, 20];

pub(super) fn average(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&[
        "n",
        "in common",
        "comparisons, sum",
        "minimum",
        "over the paper's Bluetooth",
        "runs",
        "sum of ranks",
        "minimum of ranks",
        "paper, sum of ranks",
    ]);
    let keys = pairs::keys(AVERAGE_KEY);
    for size in AVERAGE_SIZES {
        for common in AVERAGE_COMMON.into_iter().filter(|common| *common <= size) {
            let case = Case { size, common, papers: RUNS };
            let [sum, minimum] = Scheme::ALL.map(|scheme| case.comparisons(scheme, asked));
            let runs = case.runs(asked, |lists| {
                let run = |scheme| pairs::run(&keys, Reuse::Cached, scheme, lists);
                Scheme::ALL.map(run).into_iter().collect()
            })?;
            grid.push(vec![
                size.to_string(),
                common.to_string(),
                sum.digits(0),
                minimum.digits(0),
                format!("{:.2}", sum.mean * ROUND_TRIP),
                runs.count(),
                runs.cpu(0),
                runs.cpu(1),
                if size <= 15 { "at most 27" } else { "" }.to_owned(),
            ]);
        }
    }
    done("average case with the telephones' keys");
    Ok(grid)
}
