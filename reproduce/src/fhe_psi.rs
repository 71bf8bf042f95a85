//! Chen, Laine and Rindal, "Fast Private Set Intersection from Homomorphic Encryption", CCS 2017: the table of Laine's talk on it
//! (WAHC 2017) with our figures beside it, and what each improvement of section 4 brings here.

use std::time::Duration;

use veilset_bench::{Case, Net, Sizes};
use veilset_protocols::Choices;
use veilset_protocols::fhe::{FheParameters, Variant, Windowing};

use crate::Failure;
use crate::grid::{Grid, seconds};
use crate::paper::{Asked, Content, Measured, Paper, PaperTable, power, sides};
use crate::plot::{Curve, svg};

pub(crate) const PAPER: Paper = Paper {
    name: "fhe-psi",
    source: "eprint 2017/299; Laine, WAHC 2017",
    notes: "seconds are from the sender's first step, before the query, to the result; the network is simulated in memory, 10 Gbit/s with \
            0.2 ms and the others with 80 ms; the paper had a Xeon E5-2699 v3 at 2.3 GHz, items of 32 bits, and a receiver with one thread",
    sizes: &[
        Sizes { sender: 1 << 20, receiver: 11_041 },
        Sizes { sender: 1 << 20, receiver: 5535 },
        Sizes { sender: 1 << 16, receiver: 11_041 },
        Sizes { sender: 1 << 16, receiver: 5535 },
    ],
    tables: &[
        PaperTable { title: "Running time in seconds, and MB", content: Content::Grid(times) },
        PaperTable { title: IMPROVEMENTS, content: Content::Grid(improvements) },
    ],
    plot: Some(plot),
};

/// What the talk gives for the sender's and the receiver's size: MB, and for each link seconds with one thread and with four.
type Published = ([usize; 2], &'static str, [[f64; 2]; 4]);

/// Where the paper took other parameters for some of the links, these have the bytes behind the comma.
const PUBLISHED: [Published; 6] = [
    (
        [1 << 24, 11_041],
        "23.2, 21.1",
        [[115.4, 40.3], [117.8, 42.7], [134.4, 59.3], [290.8, 215.1]],
    ),
    (
        [1 << 24, 5535],
        "20.1, 12.5, 11.0",
        [[105.2, 34.8], [107.2, 36.7], [120.3, 45.8], [211.1, 132.7]],
    ),
    ([1 << 20, 11_041], "11.5", [[12.8, 5.7], [14.0, 6.9], [22.2, 15.1], [105.4, 98.3]]),
    ([1 << 20, 5535], "5.6", [[8.6, 3.3], [9.2, 3.9], [13.3, 8.0], [53.6, 48.3]]),
    ([1 << 16, 11_041], "4.1, 4.4", [[3.0, 1.7], [3.4, 2.1], [6.4, 5.3], [36.0, 35.0]]),
    ([1 << 16, 5535], "2.6", [[1.8, 0.9], [2.0, 1.2], [3.9, 3.1], [22.5, 21.7]]),
];

const THREADS: [usize; 2] = [1, 4];

/// The talk's links: bits a second, and our microseconds of a round trip.
const LINKS: [(&str, u64, u64); 4] = [
    ("10 Gbit/s", 10_000_000_000, 200),
    ("100 Mbit/s", 100_000_000, 80_000),
    ("10 Mbit/s", 10_000_000, 80_000),
    ("1 Mbit/s", 1_000_000, 80_000),
];

fn case(sizes: Sizes, threads: usize, net: Net) -> Case {
    Case { protocol: "fhe", choices: Choices::default(), sizes, threads, net }
}

fn megabytes(bytes: f64) -> String {
    format!("{:.2}", bytes / 1e6)
}

fn times(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let mut columns = vec!["n".to_owned(), "threads".to_owned()];
    columns.extend(["paper, MB", "MB", "before the query, s"].map(str::to_owned));
    for (link, ..) in LINKS {
        columns.extend([format!("paper, {link}"), link.to_owned()]);
    }
    let mut grid = Grid::new(&columns.iter().map(String::as_str).collect::<Vec<_>>());
    for sizes in sizes {
        let published =
            PUBLISHED.iter().find(|(published, ..)| *published == [sizes.sender, sizes.receiver]);
        for (column, threads) in THREADS.into_iter().enumerate() {
            // The sender prepares its set once, whatever the link.
            let prepared = case(*sizes, threads, Net::Memory).prepare(Variant::default())?;
            let (mut bytes, mut cells) = (0, Vec::new());
            for (link, (_, bits_per_second, microseconds)) in LINKS.into_iter().enumerate() {
                let round_trip = Duration::from_micros(microseconds);
                let net = Net::Simulated { bits_per_second, round_trip };
                let ours = case(*sizes, threads, net).measure_prepared(&prepared)?;
                bytes = ours.bytes_sender + ours.bytes_receiver;
                cells.push(seconds(published.map(|(_, _, times)| times[link][column])));
                cells.push(seconds(Some(ours.seconds)));
            }
            let theirs = published.map_or("", |(_, megabytes, _)| megabytes);
            let mut row = vec![sides(*sizes), threads.to_string(), theirs.to_owned()];
            row.extend([megabytes(bytes as f64), seconds(Some(prepared.seconds))]);
            grid.push(row.into_iter().chain(cells).collect());
            done(&format!("{} with threads: {threads}", sides(*sizes)));
        }
    }
    Ok(grid)
}

const IMPROVEMENTS: &str =
    "What each improvement brings: without one of them, processor time of both parties and MB";

/// The improvements in the paper's order, each as what is left without it; noise flooding last, which is off or on.
fn variants() -> [(&'static str, Variant); 7] {
    let all = Variant::default();
    [
        ("all", all),
        ("no batching", Variant { batching: false, ..all }),
        ("no hashing", Variant { hashing: false, ..all }),
        ("all powers travel", Variant { windowing: Windowing::All, ..all }),
        ("no partitioning", Variant { partitioning: false, ..all }),
        ("no modulus switching", Variant { switching: false, ..all }),
        (
            if all.flooding { "no flooding" } else { "flooding" },
            Variant { flooding: !all.flooding, ..all },
        ),
    ]
}

/// Elements of the receiver, and logarithms of the sender's sizes: all that are no larger than the largest asked for.
const RECEIVER: usize = 64;
const SENDERS: [u32; 6] = [10, 12, 14, 16, 18, 20];

/// What takes longer on one core, or more bytes, is not run: its figures are those that parameters are chosen by.
const MOST_SECONDS: f64 = 30.0;
const MOST_BYTES: usize = 200_000_000;

fn improvements(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let most = sizes.iter().map(|sizes| sizes.larger()).max().unwrap_or_default();
    let mut grid = Grid::new(&["n", "variant", "before the query, s", "query, s", "MB"]);
    for log in SENDERS.into_iter().filter(|log| 1 << log <= most) {
        let sizes = Sizes { sender: 1 << log, receiver: RECEIVER };
        for (name, variant) in variants() {
            let mut row = vec![sides(sizes), name.to_owned()];
            row.extend(improvement(sizes, variant)?);
            grid.push(row);
            done(&format!("{name} at {}", power(sizes.sender)));
        }
    }
    Ok(grid)
}

/// Seconds before the query and from then on, and MB; behind ≈ where that is computed, and nothing where there are no parameters.
fn improvement(sizes: Sizes, variant: Variant) -> Result<[String; 3], Failure> {
    let Sizes { sender, receiver } = sizes;
    let wanted = veilset_protocols::fhe::FheSizes { sender, receiver, slack: 0 };
    let Some(parameters) = FheParameters::best(wanted, variant) else {
        return Ok([const { String::new() }; 3]);
    };
    let (offline, online) = (parameters.offline_seconds(), parameters.seconds());
    if offline + online > MOST_SECONDS || parameters.bytes() > MOST_BYTES {
        let computed = [seconds(Some(offline)), seconds(Some(online))];
        let [offline, online] = computed.map(|figure| format!("≈ {figure}"));
        return Ok([offline, online, format!("≈ {}", megabytes(parameters.bytes() as f64))]);
    }
    let case = case(sizes, 1, Net::Memory);
    let measured = case.measure_prepared(&case.prepare(variant)?)?;
    let parts = measured.parts;
    Ok([
        seconds(parts.map(|parts| parts.offline_cpu_seconds)),
        seconds(parts.map(|parts| parts.online_cpu_seconds)),
        megabytes((measured.bytes_sender + measured.bytes_receiver) as f64),
    ])
}

/// The time of a query over the sender's size, without each improvement.
fn plot(measured: &[Measured]) -> String {
    let Some(Measured::Grid(grid)) = measured.get(1) else { return String::new() };
    let curve = |(name, _): (&str, Variant)| {
        let point = |row: &Vec<String>| {
            let log: i32 = row[0].split(" × ").next()?.strip_prefix("2^")?.parse().ok()?;
            Some((2_f64.powi(log), row[3].trim_start_matches("≈ ").parse().ok()?))
        };
        let rows = grid.rows.iter().filter(|row| row[1] == name);
        Curve { name: name.to_owned(), published: false, points: rows.filter_map(point).collect() }
    };
    let axes = ["elements of the sender", "processor time of a query, both parties, in seconds"];
    svg("Intersection from homomorphic encryption", axes, &variants().map(curve))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_filled() {
        let sizes = [Sizes { sender: 1 << 10, receiver: 40 }];
        let measured = PAPER.measured(|_| &sizes);
        let grids: Vec<&Grid> = measured.iter().map(Measured::grid).collect();
        let [times, improvements] = grids[..] else { unreachable!("two tables") };
        assert_eq!(times.rows.len(), 2);
        assert_eq!(times.rows[0][..3], ["2^10 × 40", "1", ""]);
        assert!(times.rows.iter().all(|row| !row[12].is_empty()));
        assert_eq!(improvements.rows.len(), 7);
        assert!(improvements.rows.iter().flatten().all(|cell| !cell.is_empty()));
        assert_eq!(plot(&measured).matches("<polyline").count(), 7);
    }

    #[test]
    fn improvements_improve() {
        let parameters = |variant| {
            let sizes =
                veilset_protocols::fhe::FheSizes { sender: 1 << 20, receiver: 5535, slack: 0 };
            FheParameters::best(sizes, variant).expect("there are some")
        };
        let all = parameters(Variant::default());
        for (name, variant) in &variants()[1..6] {
            let without = parameters(*variant);
            let more = without.bytes() > all.bytes() || without.seconds() > all.seconds();
            assert!(more, "{name}: {} B, {} s", without.bytes(), without.seconds());
        }
    }
}
