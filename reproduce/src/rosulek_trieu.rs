//! Rosulek and Trieu, "Compact and Malicious Private Set Intersection for Small Sets", CCS 2021, and the study of it by
//! Hansen, Lassen and Mikkelsen (2025): its table 5.1 and figures 5.1 and 5.2 with our figures beside theirs, and where
//! the intersections of this registry overtake one another.

use std::collections::BTreeMap;

use veilset_bench::{Case, Measurement, Net, Sizes};

use crate::Failure;
use crate::grid::{Grid, Scatter, number, seconds};
use crate::paper::{Asked, Content, Measured, Paper, PaperTable, modelled_bytes, power, sides};
use crate::plot::{Curve, Panel, Scale, page};

pub(crate) const PAPER: Paper = Paper {
    name: "rosulek-trieu",
    source: "eprint 2021/1159; Hansen, Lassen and Mikkelsen 2025, section 5.2",
    notes: "one thread a party; sizes are the sender's and the receiver's; the paper had one core of a Xeon at 2.3 GHz a party and \
            10 Gbit/s, the study a Ryzen 7 5800X without a network",
    sizes: &[
        Sizes::equal(1 << 7),
        Sizes::equal(1 << 8),
        Sizes::equal(1 << 9),
        Sizes::equal(1 << 10),
        Sizes { sender: 1 << 12, receiver: 1 << 8 },
        Sizes { sender: 1 << 8, receiver: 1 << 12 },
        Sizes { sender: 1 << 16, receiver: 1 << 12 },
        Sizes { sender: 1 << 20, receiver: 1 << 16 },
    ],
    tables: &[
        PaperTable { title: "Table 5.1: running time in seconds", content: Content::Grid(times) },
        PaperTable { title: "Both directions, in kB", content: Content::Grid(traffic) },
        PaperTable {
            title: "Intersections of equal sets: seconds over the local and the wide network, and kB",
            content: Content::Grid(crossings),
        },
    ],
    plot: Some(plot),
};

/// Table 5.1: the study's figures and the paper's, in seconds, of the logarithms of the sender's and the receiver's sizes.
/// Of unequal sizes the study's larger side is the receiver, and the paper's the sender.
const PUBLISHED: [([u32; 2], [f64; 2]); 8] = [
    ([7, 7], [2.33, 0.0621]),
    ([8, 8], [3.87, 0.1195]),
    ([9, 9], [7.81, 0.2112]),
    ([10, 10], [18.91, 0.4245]),
    ([12, 8], [f64::NAN, 0.66]),
    ([8, 12], [105.63, f64::NAN]),
    ([16, 12], [f64::NAN, 5.97]),
    ([20, 16], [f64::NAN, 99.91]),
];

/// The paper's seconds at these sizes, if it has them.
pub(crate) fn published_by_the_paper(sizes: Sizes) -> Option<f64> {
    published(sizes)[1]
}

fn published(sizes: Sizes) -> [Option<f64>; 2] {
    let row = PUBLISHED.iter().find(|(logs, _)| {
        let [sender, receiver] = logs.map(|log| 1 << log);
        sizes == Sizes { sender, receiver }
    });
    [0, 1].map(|place| row.map(|(_, figures)| figures[place]).filter(|figure| figure.is_finite()))
}

const TIMES: [&str; 6] =
    ["n", "study, 2048-bit", "paper, Curve25519", "`rt21-ffdh`", "`rt21`", "`rt21-semi-honest`"];

/// Beyond as many products of sizes the finite field takes many minutes.
const MOST_FINITE: usize = 1 << 32;

fn times(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let mut grid = Grid::new(&TIMES);
    for sizes in sizes {
        let [study, paper] = published(*sizes);
        let ours = |id| {
            let measure = || run(id, *sizes, Net::Lan).map(|run| run.seconds);
            Ok::<_, Failure>(Scatter::measured(asked.runs, measure)?.seconds())
        };
        let is_short = sizes.sender * sizes.receiver <= MOST_FINITE;
        grid.push(vec![
            sides(*sizes),
            seconds(study),
            seconds(paper),
            is_short.then(|| ours("rt21-ffdh")).transpose()?.unwrap_or_default(),
            ours("rt21")?,
            ours("rt21-semi-honest")?,
        ]);
        done(&sides(*sizes));
    }
    Ok(grid)
}

/// The paper's own formulas: 256 bits a coefficient and 256 bits, or λ + log₂ n₁ + log₂ n₂, a value, and the first message.
fn formula(sizes: Sizes, value_bits: f64) -> f64 {
    let bits = 256.0 * sizes.receiver as f64 + value_bits * sizes.sender as f64 + 256.0;
    bits / 8.0 / 1e3
}

fn traffic(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let mut grid = Grid::new(&[
        "n",
        "paper, malicious",
        "`rt21`",
        "paper, semi-honest",
        "`rt21-semi-honest`",
        "`rt21-ffdh`",
    ]);
    // Nothing where a protocol does not take sets of that size.
    let kilobytes =
        |value: f64| if value.is_finite() { format!("{value:.2}") } else { String::new() };
    for sizes in sizes {
        let short = 40.0 + (sizes.sender as f64).log2() + (sizes.receiver as f64).log2();
        let [malicious, semi_honest, finite] = ["rt21", "rt21-semi-honest", "rt21-ffdh"]
            .map(|id| Ok::<_, Failure>(kilobytes(modelled_bytes(id, *sizes)? / 1e3)));
        grid.push(vec![
            sides(*sizes),
            kilobytes(formula(*sizes, 256.0)),
            malicious?,
            kilobytes(formula(*sizes, short)),
            semi_honest?,
            finite?,
        ]);
    }
    done("bytes");
    Ok(grid)
}

/// What is compared, and the sizes: all where one of them overtakes another.
const COMPARED: [&str; 5] = ["dh", "rr22", "rr22-malicious", "rt21", "rt21-semi-honest"];
const COMPARED_LOGS: [u32; 7] = [4, 6, 8, 10, 12, 14, 16];

fn crossings(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let most = sizes.iter().map(|sizes| sizes.larger()).max().unwrap_or_default();
    let mut columns = vec!["n".to_owned()];
    for id in COMPARED {
        columns.extend(["LAN", "WAN", "kB"].map(|what| format!("`{id}`: {what}")));
    }
    let mut grid = Grid::new(&columns.iter().map(String::as_str).collect::<Vec<_>>());
    for log in COMPARED_LOGS.into_iter().filter(|log| 1 << log <= most) {
        let sizes = Sizes::equal(1 << log);
        let mut row = vec![sides(sizes)];
        for id in COMPARED {
            let mut bytes = 0;
            for net in [Net::Lan, Net::Wan] {
                let measured = Scatter::measured(asked.runs, || {
                    let run = run(id, sizes, net)?;
                    bytes = run.bytes_sender + run.bytes_receiver;
                    Ok::<_, Failure>(run.seconds)
                })?;
                row.push(seconds(Some(measured.mean)));
            }
            row.push(format!("{:.1}", bytes as f64 / 1e3));
        }
        grid.push(row);
        done(&format!("intersections at {}", power(1 << log)));
    }
    Ok(grid)
}

fn run(protocol: &'static str, sizes: Sizes, net: Net) -> Result<Measurement, Failure> {
    Ok(Case { net, ..Case::new(protocol, sizes) }.measure()?)
}

/// Figures 5.1 and 5.2: running times of the smaller sets, and of all.
fn plot(measured: &[Measured]) -> String {
    let Some(Measured::Grid(times)) = measured.first() else { return String::new() };
    let curves = |rows: &[&Vec<String>]| {
        let curve = |column: usize| Curve {
            name: TIMES[column].replace('`', "").replace(", Curve25519", ""),
            published: column < 3,
            points: points(rows, column),
        };
        [1, 2, 3, 4, 5].map(curve)
    };
    let (all, equal): (Vec<_>, Vec<_>) = (
        times.rows.iter().collect(),
        times.rows.iter().filter(|row| !row[0].contains('×')).collect(),
    );
    let panel = |title, size, curves| Panel {
        title,
        axes: [size, "seconds"],
        scale: Scale::Logarithmic,
        curves,
    };
    let larger = "elements of the larger side; the other has a sixteenth from 2^12 on";
    page(
        "Compact intersections against cheats",
        &[
            panel("Figure 5.1: small sets", "elements of each side", &curves(&equal)),
            panel("Figure 5.2: all sets", larger, &curves(&all)),
        ],
    )
}

/// The larger side's sizes and the seconds, of two orientations the longer ones.
fn points(rows: &[&Vec<String>], column: usize) -> Vec<(f64, f64)> {
    let mut points: BTreeMap<i32, f64> = BTreeMap::new();
    for row in rows {
        let logs = row[0].split(" × ").map(|side| side.strip_prefix("2^")?.parse::<i32>().ok());
        if let (Some(log), Some(value)) = (logs.max().flatten(), number(&row[column])) {
            let longer = points.entry(log).or_insert(value);
            *longer = longer.max(value);
        }
    }
    points.into_iter().map(|(log, value)| (2_f64.powi(log), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_filled() {
        let sizes = [Sizes::equal(1 << 7), Sizes { sender: 40, receiver: 20 }];
        let measured = PAPER.measured(|_| &sizes);
        let grids: Vec<&Grid> = measured.iter().map(Measured::grid).collect();
        let [times, traffic, crossings] = grids[..] else { unreachable!("three tables") };
        assert_eq!(times.rows[0][..3], ["2^7", "2.33", "0.0621"]);
        assert_eq!(times.rows[1][..3], ["40 × 20", "", ""]);
        assert!(times.rows.iter().all(|row| row[3..].iter().all(|cell| !cell.is_empty())));
        assert_eq!(traffic.rows[0][1], "8.22");
        assert_eq!(crossings.rows.len(), 2);
        assert_eq!(plot(&measured).matches("<polyline").count(), 10);
    }

    #[test]
    fn we_send_no_more_than_the_paper_needs() {
        for log in [8, 10] {
            let sizes = Sizes::equal(1 << log);
            let ours = modelled_bytes("rt21", sizes).expect("it is there") / 1e3;
            assert!(ours <= formula(sizes, 256.0), "{ours}");
        }
    }
}
