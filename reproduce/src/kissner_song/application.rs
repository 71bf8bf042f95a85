//! The do-not-fly application of section III as `nofly --protocol ks` runs it: two lists, TLS between the parties, and one polynomial
//! for all of a list.

use std::thread;

use veilset::data::{KeySpec, Table};
use veilset::net::Options;
use veilset::registry::Silent;
use veilset::{Connection, Input, Job, Learn, Report, Resources};
use veilset_bench::BenchError;

use super::published::Published;
use crate::Failure;
use crate::grid::{Grid, Scatter, seconds};
use crate::paper::{Asked, power};

/// Its sub-modules but for the transfer, which waits for them.
const MODULES: [&str; 6] =
    ["key generation", "expansion", "encryption", "multiplication", "decryption", "evaluation"];

/// Beyond that a screening takes minutes.
const MOST: usize = 1 << 12;

/// Table 3 without the group's generation, and sub-module by sub-module.
pub(super) fn screenings(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut columns = vec!["k", "paper, Karatsuba", "paper, FFT", "`nofly --protocol ks`"];
    columns.extend(MODULES);
    let mut grid = Grid::new(&columns);
    for size in asked.sizes.iter().map(|sizes| sizes.larger()).filter(|size| *size <= MOST) {
        let [list, manifest] = [0, size / 2].map(|first| numbers(first, size));
        let (list, manifest) = (list?, manifest?);
        let mut last = [Vec::new(), Vec::new()];
        let whole = Scatter::measured(asked.runs, || {
            let reports = screen(&list, &manifest, size - size / 2)?;
            last = reports.each_ref().map(modules);
            Ok::<_, Failure>(reports[1].time().as_secs_f64())
        })?;
        let paper =
            |of: usize| Published::of(size).map(|paper| paper.running[of] + paper.transmission[of]);
        let mut row = vec![power(size), seconds(paper(0)), seconds(paper(1)), whole.seconds()];
        let [authority, airline] = &last;
        // Of a part that both have, the one waits for the other.
        row.extend(
            authority.iter().zip(airline).map(|(one, other)| seconds(Some(one.max(*other)))),
        );
        grid.push(row);
        done(&format!("screening at {}", power(size)));
    }
    Ok(grid)
}

/// So many rows, whose keys are numbers.
fn numbers(first: usize, count: usize) -> Result<Input, Failure> {
    let rows = (first..first + count).map(|number| format!("{number}\n"));
    let text = std::iter::once("passport\n".to_owned()).chain(rows).collect::<String>();
    let table = Table::parse("numbers".into(), text.into(), b',').map_err(veilset::Error::from)?;
    Ok(Input::of(table, &"passport".parse::<KeySpec>().map_err(veilset::Error::from)?)
        .map_err(veilset::Error::from)?)
}

/// The authority's report and the airline's, who alone learns; so many keys must match.
fn screen(list: &Input, manifest: &Input, common: usize) -> Result<[Report; 2], Failure> {
    let (here, there) = Connection::pair(&Options::default())?;
    let side = |connection, input, learn| {
        let job = Job { learn, protocol: Some("ks"), ..Job::intersect(["the other"]) };
        let resources = Resources { threads: 1, observer: &Silent };
        job.offer(connection, input)?.run(input, &resources).map(|done| done.report)
    };
    let (authority, airline) = thread::scope(|scope| {
        let authority = scope.spawn(|| side(here, list, Learn::Peer));
        let airline = side(there, manifest, Learn::Me);
        (authority.join(), airline)
    });
    let reports = [authority.map_err(|_| BenchError::Threads)??, airline?];
    let (found, expected) = (reports[1].count().unwrap_or_default(), common as u64);
    match found == expected {
        true => Ok(reports),
        false => Err(BenchError::WrongResult { protocol: "ks", found, expected }.into()),
    }
}

/// Seconds by sub-module.
fn modules(report: &Report) -> Vec<f64> {
    let of = |module| {
        let phases = report.phases.iter().filter(|phase| phase.name == module);
        phases.map(|phase| phase.time.as_secs_f64()).sum()
    };
    MODULES.into_iter().map(of).collect()
}
