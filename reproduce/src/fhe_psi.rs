//! Chen, Laine and Rindal, "Fast Private Set Intersection from Homomorphic Encryption", CCS 2017: the table of Laine's talk on it
//! (WAHC 2017) with our figures beside it, the intersection from oblivious transfer that the talk compares with, what each improvement
//! of section 4 brings here, and the task of the iDASH competition that the talk begins with.

use std::time::Duration;

use veilset_bench::{Case, Net, Sizes};
use veilset_protocols::fhe::{FheParameters, FheSizes, Items, Variant, Windowing};

use crate::Failure;
use crate::grid::{Grid, seconds};
use crate::paper::{Asked, Content, Measured, Paper, PaperTable, power, sides};
use crate::plot::{Curve, svg};

pub(crate) const PAPER: Paper = Paper {
    name: "fhe-psi",
    source: "eprint 2017/299; Laine, WAHC 2017",
    notes: "seconds are from the sender's first step, before the query, to the result; the network is simulated in memory, 10 Gbit/s with \
            0.2 ms and the others with 80 ms; the paper had a Xeon E5-2699 v3 at 2.3 GHz, items of 32 bits, and a receiver with one \
            thread; fhe takes items of any length; what is called as in the talk takes 32 bits, no oblivious function, masks, floods, \
            and windows of as many bits as serve 10 Mbit/s best",
    sizes: &[
        Sizes { sender: 1 << 24, receiver: 11_041 },
        Sizes { sender: 1 << 24, receiver: 5535 },
        Sizes { sender: 1 << 20, receiver: 11_041 },
        Sizes { sender: 1 << 20, receiver: 5535 },
        Sizes { sender: 1 << 16, receiver: 11_041 },
        Sizes { sender: 1 << 16, receiver: 5535 },
    ],
    tables: &[
        PaperTable { title: "Running time in seconds, and MB", content: Content::Grid(times) },
        PaperTable { title: TRANSFER, content: Content::Grid(transfer) },
        PaperTable { title: IMPROVEMENTS, content: Content::Grid(improvements) },
        PaperTable { title: FUNCTIONS, content: Content::Grid(functions) },
        PaperTable { title: IDASH, content: Content::Grid(idash) },
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

/// What the talk gives for Pinkas, Schneider and Zohner's protocol of 2016.
const PUBLISHED_TRANSFER: [Published; 6] = [
    ([1 << 24, 11_041], "480.9", [[40.5, 23.3], [88.0, 66.4], [449.5, 427.5], [4084.8, 4067.2]]),
    ([1 << 24, 5535], "480.4", [[40.1, 23.1], [87.9, 65.5], [449.2, 427.3], [4080.6, 4064.3]]),
    ([1 << 20, 11_041], "30.9", [[3.3, 2.1], [7.0, 5.6], [29.8, 28.3], [263.7, 262.1]]),
    ([1 << 20, 5535], "30.4", [[3.1, 2.0], [6.8, 5.0], [29.0, 27.9], [260.0, 259.6]]),
    ([1 << 16, 11_041], "2.6", [[0.7, 0.6], [1.5, 1.4], [3.3, 3.1], [21.6, 22.1]]),
    ([1 << 16, 5535], "2.1", [[0.7, 0.6], [1.4, 1.3], [2.9, 2.8], [19.8, 21.3]]),
];

const THREADS: [usize; 2] = [1, 4];

/// A link of the talk's: bits a second, and our microseconds of a round trip.
type Link = (&'static str, u64, u64);

const LINKS: [Link; 4] = [
    ("10 Gbit/s", 10_000_000_000, 200),
    ("100 Mbit/s", 100_000_000, 80_000),
    ("10 Mbit/s", 10_000_000, 80_000),
    ("1 Mbit/s", 1_000_000, 80_000),
];

/// Tests would do nothing but wait at the slow links.
const HASTE: u64 = if cfg!(test) { 100 } else { 1 };

fn over((_, bits_per_second, microseconds): Link) -> Net {
    Net::Simulated {
        bits_per_second: bits_per_second * HASTE,
        round_trip: Duration::from_micros(microseconds / HASTE),
    }
}

fn case(protocol: &'static str, sizes: Sizes, threads: usize, net: Net) -> Case {
    Case { threads, net, ..Case::new(protocol, sizes) }
}

fn published(table: &'static [Published], sizes: Sizes) -> Option<&'static Published> {
    table.iter().find(|(published, ..)| *published == [sizes.sender, sizes.receiver])
}

fn fhe_sizes(Sizes { sender, receiver }: Sizes) -> FheSizes {
    FheSizes { sender, receiver, slack: 0 }
}

/// The bits of the paper's items, and of iDASH's.
const ITEM_BITS: u32 = 32;
const IDASH_BITS: u32 = 40;

/// What hides the sender's set in the talk: masks and floods, and items of so many bits as they are.
fn masked(bits: u32) -> Variant {
    Variant { items: Items::OfBits(bits), masks: true, flooding: true, ..Variant::default() }
}

/// As in the talk, for items of so many bits, with the windows that serve 10 Mbit/s best, if any do, and their bits.
fn talk(sizes: Sizes, item_bits: u32) -> Option<(u32, Variant)> {
    let found = (1..=4).filter_map(|bits| {
        let variant = Variant { windowing: Windowing::Base(bits), ..masked(item_bits) };
        let parameters = FheParameters::best(fhe_sizes(sizes), variant)?;
        let link = parameters.bytes() as f64 * 8.0 / 10e6;
        Some((parameters.seconds() + parameters.offline_seconds() + link, (bits, variant)))
    });
    found.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, found)| found)
}

/// A row's name and what it measures: ours, and the talk's protocol where there are parameters for it.
fn compared(sizes: Sizes, item_bits: u32) -> Vec<(String, Variant)> {
    let talk = talk(sizes, item_bits);
    let talk = talk.map(|(bits, variant)| (format!("as in the talk, ℓ = {bits}"), variant));
    [("`fhe`".to_owned(), Variant::default())].into_iter().chain(talk).collect()
}

fn megabytes(bytes: f64) -> String {
    format!("{:.2}", bytes / 1e6)
}

fn times(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let mut columns = vec!["n".to_owned(), "threads".to_owned(), "protocol".to_owned()];
    columns.extend(["paper, MB", "MB", "before the query, s"].map(str::to_owned));
    for (link, ..) in LINKS {
        columns.extend([format!("paper, {link}"), link.to_owned()]);
    }
    let mut grid = Grid::new(&columns.iter().map(String::as_str).collect::<Vec<_>>());
    for sizes in sizes {
        let published = published(&PUBLISHED, *sizes);
        for (name, variant) in compared(*sizes, ITEM_BITS) {
            for (column, threads) in THREADS.into_iter().enumerate() {
                // The sender prepares its set once, whatever the link.
                let prepared = case("fhe", *sizes, threads, Net::Memory).prepare(variant)?;
                let (mut bytes, mut cells) = (0, Vec::new());
                for (place, link) in LINKS.into_iter().enumerate() {
                    let ours =
                        case("fhe", *sizes, threads, over(link)).measure_prepared(&prepared)?;
                    bytes = ours.bytes_sender + ours.bytes_receiver;
                    cells.push(seconds(published.map(|(_, _, times)| times[place][column])));
                    cells.push(seconds(Some(ours.seconds)));
                }
                let theirs = published.map_or("", |(_, megabytes, _)| megabytes);
                let mut row = vec![sides(*sizes), threads.to_string(), name.clone()];
                row.extend([theirs.to_owned(), megabytes(bytes as f64)]);
                row.push(seconds(Some(prepared.seconds)));
                grid.push(row.into_iter().chain(cells).collect());
                done(&format!("{name} at {} with threads: {threads}", sides(*sizes)));
            }
        }
    }
    Ok(grid)
}

const TRANSFER: &str = "Intersection from oblivious transfer: Pinkas et al. 2016 as the talk measured it, and `rr22`, \
                        in seconds and MB";

/// What takes longer to cross a link is not waited for: its time is that of the first link and of the bytes.
const MOST_WAITED: f64 = 120.0;

fn transfer(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let mut columns = ["n", "threads", "2016, MB", "`rr22`, MB"].map(str::to_owned).to_vec();
    for (link, ..) in LINKS {
        columns.extend([format!("2016, {link}"), format!("`rr22`, {link}")]);
    }
    let mut grid = Grid::new(&columns.iter().map(String::as_str).collect::<Vec<_>>());
    for sizes in sizes {
        let published = published(&PUBLISHED_TRANSFER, *sizes);
        for (column, threads) in THREADS.into_iter().enumerate() {
            let on = |link| case("rr22", *sizes, threads, over(link));
            let fastest = on(LINKS[0]).measure()?;
            let bytes = (fastest.bytes_sender + fastest.bytes_receiver) as f64;
            let mut cells = Vec::new();
            for (place, link) in LINKS.into_iter().enumerate() {
                let (_, bits_per_second, microseconds) = link;
                let crossing = bytes * 8.0 / bits_per_second as f64;
                let waiting = fastest.rounds as f64 * microseconds as f64 / 1e6;
                cells.push(seconds(published.map(|(_, _, times)| times[place][column])));
                cells.push(match crossing {
                    _ if place == 0 => seconds(Some(fastest.seconds)),
                    crossing if crossing <= MOST_WAITED => {
                        seconds(Some(on(link).measure()?.seconds))
                    }
                    crossing => {
                        format!("≈ {}", seconds(Some(fastest.seconds + crossing + waiting)))
                    }
                });
            }
            let theirs = published.map_or("", |(_, megabytes, _)| megabytes);
            let row = [sides(*sizes), threads.to_string(), theirs.to_owned(), megabytes(bytes)];
            grid.push(row.into_iter().chain(cells).collect());
            done(&format!("rr22 at {} with threads: {threads}", sides(*sizes)));
        }
    }
    Ok(grid)
}

const IMPROVEMENTS: &str = "What each improvement brings: with all but one of them, or with others in their place, processor time of \
                            both parties and MB";

/// As many of [`variants`], the first ones, have curves.
const DRAWN: usize = 8;

/// The improvements in the paper's order, each as what is left without it, and noise flooding; then other windows, and what stands in
/// for the oblivious function.
fn variants() -> Vec<(&'static str, Variant)> {
    let all = Variant::default();
    let (batching, hashing, partitioning, switching) = (false, false, false, false);
    let windows = |bits| Variant { windowing: Windowing::Base(bits), ..all };
    let basic = Variant {
        batching,
        hashing,
        windowing: Windowing::First,
        partitioning,
        ..masked(ITEM_BITS)
    };
    vec![
        ("all", all),
        ("no batching", Variant { batching, ..all }),
        ("no hashing", Variant { hashing, ..all }),
        ("no windowing: c alone travels", Variant { windowing: Windowing::First, ..all }),
        ("all powers travel", Variant { windowing: Windowing::All, ..all }),
        ("no partitioning", Variant { partitioning, ..all }),
        ("no modulus switching", Variant { switching, ..all }),
        ("flooding", Variant { flooding: true, ..all }),
        ("windows, ℓ = 1", windows(1)),
        ("windows, ℓ = 2", windows(2)),
        ("windows, ℓ = 3", windows(3)),
        (
            "neither windowing nor partitioning",
            Variant { windowing: Windowing::First, partitioning, ..all },
        ),
        ("masks and flooding for the function", masked(ITEM_BITS)),
        (
            "the same with windows, ℓ = 1",
            Variant { windowing: Windowing::Base(1), ..masked(ITEM_BITS) },
        ),
        ("the basic protocol", Variant { switching, ..basic }),
    ]
}

/// Elements of the receiver, and logarithms of the sender's sizes: all that are no larger than the largest asked for.
const RECEIVER: usize = 64;
const SENDERS: [u32; 6] = [10, 12, 14, 16, 18, 20];

/// What takes longer on one core, or more bytes, is not run: its figures are those that parameters are chosen by.
const MOST_SECONDS: f64 = 30.0;
const MOST_BYTES: u64 = 200_000_000;

fn improvements(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let most = sizes.iter().map(|sizes| sizes.larger()).max().unwrap_or_default();
    let columns = ["n", "variant", "B/α", "α", "depth", "before the query, s", "query, s", "MB"];
    let mut grid = Grid::new(&[&columns[..], &["why there is none"]].concat());
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

/// Degree, partitions, depth, seconds before the query and from then on, and MB, behind ≈ where that is computed; or why there are
/// no parameters.
fn improvement(sizes: Sizes, variant: Variant) -> Result<[String; 7], Failure> {
    let Some(parameters) = FheParameters::best(fhe_sizes(sizes), variant) else {
        let missing = FheParameters::missing(fhe_sizes(sizes), variant);
        let why = missing.map_or("no degree is large enough".to_owned(), |why| why.to_string());
        let mut row = [const { String::new() }; 7];
        row[6] = why;
        return Ok(row);
    };
    let (degree, partitions) = parameters.shape();
    let shape = [degree.to_string(), partitions.to_string(), parameters.depth().to_string()];
    let (offline, online) = (parameters.offline_seconds(), parameters.seconds());
    let figures = if offline + online > MOST_SECONDS || parameters.bytes() > MOST_BYTES {
        let bytes = megabytes(parameters.bytes() as f64);
        let computed = [seconds(Some(offline)), seconds(Some(online)), bytes];
        computed.map(|figure| format!("≈ {figure}"))
    } else {
        measured(sizes, variant)?
    };
    let [degree, partitions, depth] = shape;
    let [offline, online, bytes] = figures;
    Ok([degree, partitions, depth, offline, online, bytes, String::new()])
}

/// Processor time of both parties before the query and from then on, in seconds, and MB.
fn measured(sizes: Sizes, variant: Variant) -> Result<[String; 3], Failure> {
    let case = case("fhe", sizes, 1, Net::Memory);
    let measured = case.measure_prepared(&case.prepare(variant)?)?;
    let parts = measured.parts;
    Ok([
        seconds(parts.map(|parts| parts.offline_cpu_seconds)),
        seconds(parts.map(|parts| parts.online_cpu_seconds)),
        megabytes((measured.bytes_sender + measured.bytes_receiver) as f64),
    ])
}

const FUNCTIONS: &str =
    "Three hash functions or four: what the parameters of `fhe` say, in seconds of one core and MB";

fn functions(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let columns = ["n", "functions", "bins", "filled", "B", "α", "before the query, s", "query, s"];
    let mut grid = Grid::new(&[&columns[..], &["to the sender, MB", "MB"]].concat());
    for sizes in asked.sizes {
        for functions in [3, 4] {
            let variant = Variant { functions, ..Variant::default() };
            let Some(best) = FheParameters::best(fhe_sizes(*sizes), variant) else { continue };
            let (bins, most) = best.table();
            let (_, partitions) = best.shape();
            let mut row = vec![sides(*sizes), functions.to_string(), bins.to_string()];
            row.push(format!("{:.0} %", 100.0 * sizes.receiver as f64 / bins as f64));
            row.extend([most.to_string(), partitions.to_string()]);
            row.extend([best.offline_seconds(), best.seconds()].map(|time| seconds(Some(time))));
            row.extend([best.query_bytes(), best.bytes()].map(|bytes| megabytes(bytes as f64)));
            grid.push(row);
        }
    }
    done("hash functions");
    Ok(grid)
}

const IDASH: &str = "iDASH 2016: strings of 40 bits looked up among 100,000, which the competition's owner of the data encrypts and \
                     here the sender knows; processor time of both parties and MB";

/// Strings of the data set, and how many are looked up at once.
const IDASH_STRINGS: usize = 100_000;
const IDASH_ASKED: [usize; 2] = [1, 1000];

fn idash(_: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let columns = ["strings", "protocol", "talk, s", "before the query, s", "query, s", "MB"];
    let mut grid = Grid::new(&columns);
    for receiver in IDASH_ASKED {
        let sizes = Sizes { sender: IDASH_STRINGS, receiver };
        for (name, variant) in compared(sizes, IDASH_BITS) {
            let published = if receiver == 1 { "≈ 2" } else { "" };
            let mut row = vec![receiver.to_string(), name.clone(), published.to_owned()];
            row.extend(measured(sizes, variant)?);
            grid.push(row);
            done(&format!("{name} at {}", sides(sizes)));
        }
    }
    Ok(grid)
}

/// The time of a query over the sender's size, without each improvement.
fn plot(measured: &[Measured]) -> String {
    let Some(Measured::Grid(grid)) = measured.get(2) else { return String::new() };
    let curve = |(name, _): (&str, Variant)| {
        let point = |row: &Vec<String>| {
            let log: i32 = row[0].split(" × ").next()?.strip_prefix("2^")?.parse().ok()?;
            Some((2_f64.powi(log), row[6].trim_start_matches("≈ ").parse().ok()?))
        };
        let rows = grid.rows.iter().filter(|row| row[1] == name);
        let (short, _) = name.split_once(':').unwrap_or((name, ""));
        Curve { name: short.to_owned(), published: false, points: rows.filter_map(point).collect() }
    };
    let axes = ["elements of the sender", "processor time of a query, both parties, in seconds"];
    let curves: Vec<Curve> = variants().into_iter().take(DRAWN).map(curve).collect();
    svg("Intersection from homomorphic encryption", axes, &curves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_filled() {
        let sizes = [Sizes { sender: 1 << 10, receiver: 40 }];
        let measured = PAPER.measured(|_| &sizes);
        let grids: Vec<&Grid> = measured.iter().map(Measured::grid).collect();
        let [times, transfer, improvements, functions, idash] = grids[..] else {
            unreachable!("five tables")
        };
        assert_eq!(times.rows.len(), 4);
        assert_eq!(times.rows[0][..4], ["2^10 × 40", "1", "`fhe`", ""]);
        assert!(times.rows[2][2].starts_with("as in the talk, ℓ = "));
        assert!(times.rows.iter().all(|row| !row[13].is_empty()));
        assert_eq!(transfer.rows.len(), 2);
        assert!(transfer.rows.iter().all(|row| !row[11].is_empty()));
        assert_eq!(improvements.rows.len(), variants().len());
        for row in &improvements.rows {
            let (figures, why) = (&row[2..8], &row[8]);
            let measured = figures.iter().all(|cell| !cell.is_empty()) && why.is_empty();
            let refused = figures.iter().all(String::is_empty) && why.starts_with("depth 10 ");
            assert!(measured || (refused && row[1] == "the basic protocol"), "{row:?}");
        }
        assert_eq!(functions.rows.len(), 2);
        assert_eq!(idash.rows.len(), 4);
        assert!(idash.rows.iter().all(|row| !row[5].is_empty()));
        assert_eq!(plot(&measured).matches("<polyline").count(), DRAWN);
    }

    #[test]
    fn improvements_improve() {
        let parameters = |variant| {
            let sizes = FheSizes { sender: 1 << 20, receiver: 5535, slack: 0 };
            FheParameters::best(sizes, variant).expect("there are some")
        };
        let all = parameters(Variant::default());
        for (name, variant) in &variants()[1..7] {
            let without = parameters(*variant);
            let more = without.bytes() > all.bytes() || without.seconds() > all.seconds();
            assert!(more, "{name}: {} B, {} s", without.bytes(), without.seconds());
        }
    }

    #[test]
    fn there_is_the_talks_protocol_at_its_sizes() {
        for sizes in PAPER.sizes {
            assert_eq!(compared(*sizes, ITEM_BITS).len(), 2, "{}", sides(*sizes));
        }
    }

    #[test]
    fn windows_are_as_deep_as_the_talk_says() {
        let sizes = FheSizes { sender: 1 << 20, receiver: 5535, slack: 0 };
        for bits in 1..=4 {
            let variant = Variant { windowing: Windowing::Base(bits), ..Variant::default() };
            let parameters = FheParameters::best(sizes, variant).expect("there are some");
            // log log (B/α) − log ℓ, of digits to the base 2^ℓ.
            let digits = (parameters.shape().0 as f64 + 1.0).log2() / f64::from(bits);
            let depth = digits.ceil().log2().ceil();
            assert!(f64::from(parameters.depth()) <= depth, "{bits}: {}", parameters.depth());
        }
    }
}
