//! Section 7 of eprint 2022/652, what its text says of the systems that it compares, and its trade of bytes against time.
//!
//! The bodies of the paper's tables are not in the text that this follows; its ratios and a few figures are.

use veilset_bench::{Measurement, Sizes, operations};
use veilset_crypto::Group;
use veilset_protocols::SetEncoding;

use crate::Failure;
use crate::grid::Grid;
use crate::paper::{Asked, Content, Entry, Paper, PaperTable, Protocols, sides};
use crate::rosulek_trieu;

/// The paper on mqRPMT.
pub(crate) const PAPER: Paper = Paper {
    name: "mqrpmt",
    source: "eprint 2022/652, section 7",
    notes: "LAN is 10 Gbit/s with 0.1 ms, WAN 50 Mbit/s with 80 ms, both simulated in memory",
    sizes: &[Sizes::equal(1 << 12), Sizes::equal(1 << 16)],
    plot: None,
    tables: &[
        table(
            "Table 1: mqRPMT (its server counts)",
            None,
            &[1, 4],
            &[
                with("mqrpmt-dh", SetEncoding::Bloom),
                with("mqrpmt-dh", SetEncoding::Shuffled),
                with("mqrpmt-dh", SetEncoding::Sorted),
            ],
        ),
        table(
            "Table 2: PSI",
            None,
            &[1],
            &[
                on("mqrpmt-dh-intersect", Group::P256Uncompressed),
                on("mqrpmt-dh-intersect", Group::P256),
                on("mqrpmt-dh-intersect", Group::Curve25519),
                on("dh", Group::Curve25519),
            ],
        ),
        table(
            "Table 3: PSI on small sets",
            Some(&[Sizes::equal(1 << 8), Sizes::equal(1 << 9), Sizes::equal(1 << 10)]),
            &[1],
            &[
                on("mqrpmt-dh-intersect", Group::Curve25519),
                on("dh", Group::Curve25519),
                Entry {
                    published: Some(rosulek_trieu::published_by_the_paper),
                    ..on("rt21", Group::Curve25519)
                },
            ],
        ),
        three("Table 4: PSI-card", &groups("mqrpmt-dh")),
        three("Table 5: PSI-card-sum", &groups("mqrpmt-dh-sum")),
        three("Table 6: PSU", &groups("mqrpmt-dh-union")),
        three(
            "Table 7: private-ID",
            &[on("private-id", Group::Curve25519), on("private-id-vole", Group::Curve25519)],
        ),
        PaperTable {
            title: "What the text says of others, at the largest size up to 2^16",
            content: Content::Grid(claims),
        },
        PaperTable {
            title: "Section 7.5: P-256 with and without point compression",
            content: Content::Grid(compression),
        },
        PaperTable {
            title: "Section 7.5: one operation, one thread",
            content: Content::Grid(one_operation),
        },
    ],
};

/// A sentence of the text that compares two systems, and what runs here.
struct Claim {
    /// What is compared: the first takes so many times as much as the second.
    about: &'static str,
    /// How many times as much time, and as many bytes.
    says: [&'static str; 2],
    /// The paper's own system, as it runs here.
    ours: Entry,
    /// The two that stand for those compared; `None` where no program for one of them is here.
    pair: Option<[Entry; 2]>,
    /// The size, if it is not the largest that the run is asked for.
    size: Option<usize>,
}

const fn claim(about: &'static str, says: [&'static str; 2], ours: Entry) -> Claim {
    Claim { about, says, ours, pair: None, size: None }
}

const COUNT: Entry = on("mqrpmt-dh", Group::Curve25519);
const INTERSECT: Entry = on("mqrpmt-dh-intersect", Group::Curve25519);
const UNION: Entry = on("mqrpmt-dh-union", Group::Curve25519);
const PLAIN_DH: Entry = on("dh", Group::Curve25519);
const RR22: Entry = on("rr22", Group::Curve25519);
const RT21: Entry = on("rt21", Group::Curve25519);
const BY_DDH: Entry = on("private-id", Group::Curve25519);
const BY_VOLE: Entry = on("private-id-vole", Group::Curve25519);

const CLAIMS: [Claim; 11] = [
    Claim {
        pair: Some([COUNT, RR22]),
        ..claim("1: PSI-card of GMR+21 over PSI", ["20", "30"], COUNT)
    },
    Claim {
        pair: Some([UNION, RR22]),
        ..claim("1: PSU of ZCL+23 over PSI", ["25", "at least 3"], UNION)
    },
    claim("Table 2: DH-PSI of PRTY19 over PSI", ["3.4–10.5", ""], INTERSECT),
    claim("Table 2: DH-PSI of PRTY19 over DH-PSI★", ["6.3–26.1", ""], PLAIN_DH),
    Claim {
        pair: Some([RT21, INTERSECT]),
        size: Some(1 << 10),
        ..claim("Table 3: RT21 over PSI", ["more than 1 on the LAN", ""], INTERSECT)
    },
    Claim {
        pair: Some([RT21, PLAIN_DH]),
        size: Some(1 << 10),
        ..claim(
            "Table 3: RT21 over DH-PSI★",
            ["much more than 1", "a little less than 1"],
            PLAIN_DH,
        )
    },
    claim("Table 4: GMR+21 over PSI-card", ["2.4–10.5", "10.9–14.8"], COUNT),
    claim(
        "Table 5: IKN+20 over PSI-card-sum",
        ["28.5–76.3", "7.4"],
        on("mqrpmt-dh-sum", Group::Curve25519),
    ),
    claim("Table 6: ZCL+23 over PSU", ["2.7–17", "2"], UNION),
    claim("Table 7: GMR+21 over private-ID", ["2.7–4.8", ""], BY_VOLE),
    Claim {
        pair: Some([BY_DDH, BY_VOLE]),
        ..claim("Table 7: BKM+20, from DDH, over private-ID", ["", "1.3 for large sets"], BY_VOLE)
    },
];

/// The largest size of a comparison, which runs beside the tables.
const MOST: usize = 1 << 16;

fn megabytes(run: &Measurement) -> f64 {
    (run.bytes_sender + run.bytes_receiver) as f64 / 1e6
}

fn claims(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let mut grid = Grid::new(&[
        "the text",
        "times as long",
        "times the bytes",
        "ours",
        "n",
        "LAN, s",
        "WAN, s",
        "MB",
        "here",
        "times as long, LAN",
        "WAN",
        "times the bytes",
    ]);
    let fits = |sizes: &&Sizes| sizes.larger() <= MOST;
    let largest = sizes.iter().filter(fits).max_by_key(|sizes| sizes.larger());
    let Some(largest) = largest else { return Ok(grid) };
    let mut runs = Runs(Vec::new());
    for claim in &CLAIMS {
        let sizes = claim.size.map_or(*largest, |size| Sizes::equal(size.min(largest.larger())));
        let ours = runs.of(claim.ours, sizes)?;
        let [time, bytes] = claim.says;
        let mut row = vec![claim.about.to_owned(), time.to_owned(), bytes.to_owned()];
        row.extend([format!("`{}`", claim.ours.protocol), sides(sizes)]);
        row.extend(ours.map(|value| format!("{value:.3}")));
        row.extend(ratios(claim, sizes, &mut runs)?);
        grid.push(row);
        done(claim.about);
    }
    Ok(grid)
}

/// What was run for the claims: a protocol, sizes, seconds over both networks, and megabytes.
struct Runs(Vec<(&'static str, Sizes, [f64; 3])>);

impl Runs {
    /// Seconds over both networks and megabytes of a protocol, which runs once at each size.
    fn of(&mut self, entry: Entry, sizes: Sizes) -> Result<[f64; 3], Failure> {
        let known = self.0.iter().find(|(id, size, _)| (*id, *size) == (entry.protocol, sizes));
        if let Some((_, _, figures)) = known {
            return Ok(*figures);
        }
        let [lan, wan] = entry.measure(sizes, 1)?;
        let figures = [lan.seconds, wan.seconds, megabytes(&lan)];
        self.0.push((entry.protocol, sizes, figures));
        Ok(figures)
    }
}

/// What stands for the two that are compared, and the first's time over both networks and bytes over the second's.
fn ratios(claim: &Claim, sizes: Sizes, runs: &mut Runs) -> Result<[String; 4], Failure> {
    let Some([first, second]) = claim.pair else {
        return Ok(["no program of theirs", "", "", ""].map(str::to_owned));
    };
    let (left, right) = (runs.of(first, sizes)?, runs.of(second, sizes)?);
    let ratio = |place: usize| format!("{:.2}", left[place] / right[place]);
    let names = format!("`{}` over `{}`", first.protocol, second.protocol);
    Ok([names, ratio(0), ratio(1), ratio(2)])
}

/// Runs of which the fastest counts, for the difference is a few hundredths over the local network.
const RUNS: u32 = 5;

/// The text prints the two networks the wrong way round, and right in its last sentence: compression pays where bytes are dearer than
/// computation.
fn compression(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let mut grid = Grid::new(&[
        "n",
        "♦ uncompressed: MB",
        "LAN, s",
        "WAN, s",
        "▼ compressed: MB",
        "LAN, s",
        "WAN, s",
        "♦ over ▼: LAN",
        "WAN",
    ]);
    for sizes in sizes.iter().filter(|sizes| sizes.larger() <= MOST) {
        let groups = [Group::P256Uncompressed, Group::P256];
        let mut fastest = [[f64::INFINITY; 2]; 2];
        let mut moved = [0.0; 2];
        // By turns, so that a slow moment of the machine meets both.
        for _ in 0..asked.runs.unwrap_or(RUNS) {
            for ((group, fastest), moved) in groups.iter().zip(&mut fastest).zip(&mut moved) {
                let runs = on("mqrpmt-dh", *group).measure(*sizes, 1)?;
                *moved = megabytes(&runs[0]);
                for (fastest, run) in fastest.iter_mut().zip(&runs) {
                    *fastest = run.seconds.min(*fastest);
                }
            }
        }
        let [[lan, wan], [other_lan, other_wan]] = fastest;
        let mut row = vec![sides(*sizes)];
        let values = [moved[0], lan, wan, moved[1], other_lan, other_wan];
        row.extend(values.map(|value| format!("{value:.3}")));
        row.extend([lan / other_lan, wan / other_wan].map(|ratio| format!("{ratio:.3}")));
        grid.push(row);
        done(&format!("compression at {}", sides(*sizes)));
    }
    Ok(grid)
}

fn one_operation(_: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&["group and kernel", "operation", "paper, µs", "here, µs"]);
    for cost in operations() {
        let (name, paper) = match cost.op {
            "mul" => ("multiplication", "26"),
            "add" => ("addition", "0.28"),
            "map" => ("from an element to a point", "as much as a multiplication"),
            "root" => ("decompression", "as much as a multiplication"),
            _ => ("the curve's equation", ""),
        };
        let here = format!("{:.3}", cost.ns / 1e3);
        grid.push(vec![cost.kernel, name.to_owned(), paper.to_owned(), here]);
    }
    done("operations");
    Ok(grid)
}

const fn on(protocol: &'static str, group: Group) -> Entry {
    Entry { protocol, group, digest: None, published: None }
}

const fn with(protocol: &'static str, digest: SetEncoding) -> Entry {
    Entry { protocol, group: Group::Curve25519, digest: Some(digest), published: None }
}

/// The paper's ♦, ▼ and ★.
const fn groups(protocol: &'static str) -> [Entry; 3] {
    [
        on(protocol, Group::P256Uncompressed),
        on(protocol, Group::P256),
        on(protocol, Group::Curve25519),
    ]
}

const fn three(title: &'static str, rows: &'static [Entry]) -> PaperTable {
    table(title, None, &[1], rows)
}

const fn table(
    title: &'static str,
    sizes: Option<&'static [Sizes]>,
    threads: &'static [usize],
    rows: &'static [Entry],
) -> PaperTable {
    PaperTable { title, content: Content::Protocols(Protocols { sizes, threads, rows }) }
}

#[cfg(test)]
mod tests {
    use veilset_protocols::find;

    use super::*;

    #[test]
    fn every_claim_has_its_row() {
        let sizes = [Sizes::equal(64), Sizes::equal(MOST + 1)];
        let asked = Asked { sizes: &sizes, runs: None };
        let grid = claims(asked, &mut |_| ()).expect("it runs");
        assert_eq!(grid.rows.len(), CLAIMS.len());
        for (row, claim) in grid.rows.iter().zip(&CLAIMS) {
            assert_eq!(row[4], "2^6");
            assert_eq!(row[9..].iter().all(|cell| !cell.is_empty()), claim.pair.is_some());
            assert!(row[9..].iter().all(|cell| !cell.is_empty()) || row[8].contains("no program"));
            assert!(find(claim.ours.protocol).is_some());
        }
    }

    #[test]
    fn uncompressed_points_take_almost_twice_the_bytes() {
        let sizes = [Sizes::equal(1 << 6), Sizes::equal(MOST + 1)];
        let asked = Asked { sizes: &sizes, runs: Some(2) };
        let grid = compression(asked, &mut |_| ()).expect("it runs");
        assert_eq!(grid.rows.len(), 1);
        let number = |cell: usize| grid.rows[0][cell].parse::<f64>().expect("a number");
        assert!(number(1) > 1.6 * number(4), "{:?}", grid.rows[0]);
        assert!((7..9).all(|cell| number(cell) > 0.0));
    }

    #[test]
    fn an_addition_stands_beside_the_multiplications() {
        let grid = one_operation(Asked { sizes: &[], runs: None }, &mut |_| ()).expect("it runs");
        let here = |operation: &str| {
            let row = grid.rows.iter().rfind(|row| row[1] == operation).expect("it is there");
            row[3].parse::<f64>().expect("a number")
        };
        assert!(here("addition") > 0.0 && here("multiplication") > 0.0);
    }
}
