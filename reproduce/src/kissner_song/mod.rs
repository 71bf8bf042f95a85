//! Kim and Kim, "An Experimental Study of Encrypted Polynomial Arithmetics for Private Set Operations", 2017: its tables
//! 1 and 3 to 6 and figures 2 to 4 with ours beside the paper's, and how the algorithms compare.

mod paper_groups;

use std::time::Instant;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::ThreadPoolBuilder;
use veilset_bench::{BenchError, Measurement, Sizes};
use veilset_crypto::elgamal::SecretKey;
use veilset_crypto::{PrimeGroup, Ristretto255};
use veilset_paper_groups::{Pallas, SafePrimeGroup, Setting};
use veilset_poly::encrypted::Ciphertexts;
use veilset_poly::{Multiplication, cost, multiply};
use veilset_protocols::ks::{Algorithm, Spread};

use crate::Failure;
use crate::grid::{Grid, number, seconds};
use crate::over_group::measure_over;
use crate::paper::{Asked, Content, Measured, Paper, PaperTable, in_memory, modelled_bytes, power};
use crate::plot::{Curve, svg};

pub(crate) const PAPER: Paper = Paper {
    name: "kissner-song",
    source: "Kim and Kim 2017, section IV",
    notes: "both parties in this process, one thread each, nothing between them; the paper had two machines and 100 Mbit/s",
    sizes: &[
        Sizes::equal(1 << 7),
        Sizes::equal(1 << 8),
        Sizes::equal(1 << 9),
        Sizes::equal(1 << 10),
        Sizes::equal(1 << 11),
        Sizes::equal(1 << 12),
    ],
    tables: &[
        PaperTable {
            title: "Table 1: key generation for 1024-bit groups, in seconds",
            content: Content::Grid(keys),
        },
        PaperTable {
            title: "Figure 2: key generation in the special setting, in seconds",
            content: Content::Grid(paper_groups::keys),
        },
        PaperTable {
            title: "Table 4 and Remark 3: whole runs on the paper's groups of 1024 bits, which are insecure, in seconds",
            content: Content::Grid(paper_groups::programs),
        },
        PaperTable {
            title: "Table 3 and Figures 3 and 4: with key generation and transmission, in seconds, and the runs' share",
            content: Content::Grid(paper_groups::totals),
        },
        PaperTable {
            title: "Table 6: where transforms overtake Karatsuba's algorithm there, in seconds of whole runs",
            content: Content::Grid(paper_groups::overtaking),
        },
        PaperTable { title: "Table 5: transmission", content: Content::Grid(transmission) },
        PaperTable {
            title: "The intersection on ristretto255 and on Pallas, in seconds",
            content: Content::Grid(runs),
        },
        PaperTable {
            title: "Products of a plain and an encrypted polynomial on ristretto255, in seconds",
            content: Content::Grid(ristretto_products),
        },
        PaperTable {
            title: "The same on Pallas, whose scalars have roots of unity",
            content: Content::Grid(pallas_products),
        },
        PaperTable {
            title: "Where one algorithm takes fewer multiplications than another",
            content: Content::Grid(cutoffs),
        },
    ],
    plot: Some(plot),
};

/// What the paper has of a size, with Karatsuba's algorithm and with transforms, in seconds.
struct Published {
    /// The logarithm of k.
    log: u32,
    /// Table 3: all of a run, with keys.
    total: [f64; 2],
    /// Table 4: its programs.
    running: [f64; 2],
    /// Table 5; not a number where the paper has none.
    transmission: [f64; 2],
}

const fn published_at(
    log: u32,
    total: [f64; 2],
    running: [f64; 2],
    transmission: [f64; 2],
) -> Published {
    Published { log, total, running, transmission }
}

const PUBLISHED: [Published; 8] = [
    published_at(7, [98.769, 105.105], [3.81492, 10.10092], [0.147, 0.211]),
    published_at(8, [240.92, 255.564], [11.1828, 25.7268], [0.311, 0.430]),
    published_at(9, [256.322, 366.618], [96.1182, 206.2142], [0.581, 0.769]),
    published_at(10, [317.13, 1_088.117], [223.4764, 994.0614], [1.192, 1.724]),
    published_at(11, [1_001.345, 1_332.306], [855.156, 1_185.316], [2.425, 3.216]),
    published_at(12, [2_651.158, 2_881.258], [2_551.718, 2_780.214], [4.781, 6.119]),
    published_at(13, [7_743.503, 5_786.149], [7_621.725, 5_661.165], [9.411, 12.811]),
    published_at(14, [23_006.365, 15_031.275], [22_772.382, 14_790.879], [17.739, 26.004]),
];

impl Published {
    fn of(size: usize) -> Option<&'static Self> {
        PUBLISHED.iter().find(|row| 1 << row.log == size)
    }
}

/// Table 1 of the paper: key generation for transforms of 2^t coefficients, and in the general setting (section III-A).
const PUBLISHED_KEYS: [(Setting, f64); 5] = [
    (Setting::General, 31.73),
    (Setting::Special { log_size: 10 }, 92.452),
    (Setting::Special { log_size: 11 }, 143.784),
    (Setting::Special { log_size: 12 }, 94.63),
    (Setting::Special { log_size: 13 }, 112.158),
];

fn keys(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let runs = asked.runs.unwrap_or(5);
    let mut grid = Grid::new(&["setting", "paper", &format!("here, mean of {runs}")]);
    let mut rng = ChaCha20Rng::from_seed([5; 32]);
    for (setting, paper) in PUBLISHED_KEYS {
        let started = Instant::now();
        for _ in 0..runs {
            SafePrimeGroup::generate(setting, &mut rng)?;
        }
        let mean = started.elapsed().as_secs_f64() / f64::from(runs);
        let name = match setting {
            Setting::General => "general".to_owned(),
            Setting::Special { log_size } => format!("special, t = {log_size}"),
        };
        grid.push(vec![name, seconds(Some(paper)), seconds(Some(mean))]);
    }
    done("key generation");
    Ok(grid)
}

/// Beyond that, one polynomial for all elements takes minutes.
const MOST_WHOLE: usize = 1 << 13;

/// Beyond that, a run over Pallas takes minutes.
const MOST_ON_PALLAS: usize = 1 << 8;

const RUN_COLUMNS: [&str; 5] =
    ["k", "`ks`", "`ks-binned`", "`ks` on Pallas", "`ks-binned` on Pallas"];

fn runs(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let mut grid = Grid::new(&RUN_COLUMNS);
    for size in sizes.iter().map(|sizes| sizes.larger()) {
        let pallas = |spread| {
            let measured = (size <= MOST_ON_PALLAS)
                .then(|| measure_over(&Pallas, spread, Algorithm::Fastest, size));
            measured.transpose()
        };
        let own = [
            (size <= MOST_WHOLE).then(|| run("ks", size)).transpose()?,
            Some(run("ks-binned", size)?),
            pallas(Spread::Whole)?,
            pallas(Spread::Binned)?,
        ];
        let mut row = vec![power(size)];
        row.extend(own.map(|measured| seconds(measured.map(|measured| measured.seconds))));
        grid.push(row);
        done(&format!("intersection at {}", power(size)));
    }
    Ok(grid)
}

fn run(protocol: &'static str, size: usize) -> Result<Measurement, Failure> {
    Ok(in_memory(protocol, size).measure()?)
}

/// The paper's network, bits a second.
const PAPER_LINK: f64 = 100e6;

/// Bytes of an element of the paper's groups.
const PAPER_ELEMENT: usize = 128;

fn transmission(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let mut grid = Grid::new(&[
        "k",
        "paper, Karatsuba, s",
        "paper, FFT, s",
        "1024 bits, MB",
        "at 100 Mbit/s, s",
        "`ks`, MB",
        "at 100 Mbit/s, s",
        "`ks-binned`, MB",
        "at 100 Mbit/s, s",
    ]);
    for size in sizes.iter().map(|sizes| sizes.larger()) {
        let paper = Published::of(size).map(|paper| paper.transmission);
        let mut row = vec![
            power(size),
            seconds(paper.map(|transmission| transmission[0])),
            seconds(paper.map(|transmission| transmission[1])),
        ];
        // k ciphertexts one way, 2k + 1 back, and a key.
        let elements = 2 * (size + 2 * size + 1) + 1;
        let of = |protocol| modelled_bytes(protocol, Sizes::equal(size));
        for bytes in [(PAPER_ELEMENT * elements) as f64, of("ks")?, of("ks-binned")?] {
            row.push(format!("{:.3}", bytes / 1e6));
            row.push(seconds(Some(bytes * 8.0 / PAPER_LINK)));
        }
        grid.push(row);
    }
    done("transmission");
    Ok(grid)
}

/// The algorithms, with the largest factor that each is measured at.
const ALGORITHMS: [(&str, Multiplication, usize); 4] = [
    ("schoolbook", Multiplication::Schoolbook, 1 << 8),
    ("Karatsuba", Multiplication::Karatsuba { cutoff: 1 }, 1 << 12),
    ("Toom-3", Multiplication::Toom3 { cutoff: 1 }, 1 << 14),
    ("NTT", Multiplication::Ntt { cutoff: usize::MAX }, 1 << 14),
];

fn ristretto_products(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    products(&Ristretto255, &ALGORITHMS[..3], asked.sizes, done)
}

fn pallas_products(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    // A multiplication takes 20 times as long as on ristretto255.
    const MOST: usize = 1 << 11;
    let sizes: Vec<Sizes> = sizes.iter().copied().filter(|sizes| sizes.larger() <= MOST).collect();
    products(&Pallas, &ALGORITHMS, &sizes, done)
}

/// From which k on an algorithm takes fewer scalar multiplications than another, for factors of k + 1 coefficients: counted,
/// as they are all but all of the time.
fn cutoffs(_: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    const PAIRS: [(usize, usize, &str); 4] =
        [(0, 1, ""), (1, 2, "Toom-3 faster at all sizes"), (1, 3, "4316 to 4346"), (2, 3, "")];
    let mut grid = Grid::new(&["the one", "the other", "faster from k =", "paper"]);
    for (one, other, paper) in PAIRS {
        let [one, other] = [one, other].map(|place| ALGORITHMS[place]);
        let scalings = |how, k: usize| cost::multiply(how, k + 1, k + 1).scalings;
        let faster = |k: usize| scalings(other.1, k) < scalings(one.1, k);
        let last_slower = (1..=CUTOFF_SIZES).rev().find(|k| !faster(*k)).unwrap_or(0);
        grid.push(vec![one.0.into(), other.0.into(), (last_slower + 1).to_string(), paper.into()]);
    }
    done("cut-offs");
    Ok(grid)
}

/// Beyond that no cut-off lies; transforms double there, and overtake for good before.
const CUTOFF_SIZES: usize = 1 << 13;

/// The seconds of a product of k + 1 coefficients each, on one thread.
fn products<G: PrimeGroup>(
    group: &G,
    algorithms: &[(&str, Multiplication, usize)],
    sizes: &[Sizes],
    done: &mut dyn FnMut(&str),
) -> Result<Grid, Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().map_err(|_| BenchError::Threads)?;
    let mut columns = vec!["k"];
    columns.extend(algorithms.iter().map(|(name, ..)| *name));
    let mut grid = Grid::new(&columns);
    let mut rng = ChaCha20Rng::from_seed([6; 32]);
    let key = SecretKey::generate(group, &mut rng).public(group);
    for size in sizes.iter().map(|sizes| sizes.larger()) {
        let plain: Vec<_> = (0..=size).map(|_| group.random(&mut rng)).collect();
        let encrypted = key.encrypt(group, &plain, &mut rng);
        let mut row = vec![power(size)];
        for (_, how, most) in algorithms {
            let product = (size <= *most).then(|| {
                let started = Instant::now();
                let product =
                    pool.install(|| multiply(&Ciphertexts(group), *how, &plain, &encrypted));
                product.map(|_| started.elapsed().as_secs_f64())
            });
            row.push(seconds(product.transpose()?));
        }
        grid.push(row);
        done(&format!("products at {}", power(size)));
    }
    Ok(grid)
}

/// The running times, the paper's and ours.
fn plot(measured: &[Measured]) -> String {
    let Some(Measured::Grid(runs)) = measured.get(2) else { return String::new() };
    let curve = |column: usize| {
        let point = |row: &Vec<String>| {
            let log: i32 = row[0].strip_prefix("2^")?.parse().ok()?;
            Some((2_f64.powi(log), number(&row[column])?))
        };
        Curve {
            name: runs.columns[column].clone(),
            published: runs.columns[column].starts_with("paper"),
            points: runs.rows.iter().filter_map(point).collect(),
        }
    };
    let axes = ["elements of each side", "seconds"];
    svg("Intersection on encrypted polynomials of 1024-bit groups", axes, &[1, 2, 4, 5].map(curve))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_filled() {
        let sizes: Vec<Sizes> = [1 << 3, 20].map(Sizes::equal).to_vec();
        let measured = PAPER.measured(|_| &sizes);
        let grids: Vec<&Grid> = measured.iter().map(Measured::grid).collect();
        let [keys, figure, programs, totals, overtaking, sent, runs, products, pallas, cutoffs] =
            grids[..]
        else {
            unreachable!("ten tables")
        };
        assert_eq!((keys.rows.len(), figure.rows.len(), cutoffs.rows.len()), (5, 2, 4));
        assert_eq!(programs.rows[0][..4], ["2^3", "", &programs.rows[0][2], ""]);
        assert!(
            programs.rows.iter().all(|row| [2, 4, 5, 6, 7].iter().all(|c| !row[*c].is_empty()))
        );
        assert!(totals.rows.iter().all(|row| [2, 3, 5, 6].iter().all(|c| !row[*c].is_empty())));
        assert!(!overtaking.rows.is_empty());
        for grid in [runs, products, pallas] {
            assert!(grid.rows.iter().flatten().all(|cell| !cell.is_empty()));
        }
        // 51 elements of 128 bytes; 8 + 17 ciphertexts of 64 bytes, a key and three frames' headers.
        assert_eq!((&*sent.rows[0][3], &*sent.rows[0][5]), ("0.007", "0.002"));
        assert_eq!(plot(&measured).matches("<polyline").count(), 4);
        let published = Published::of(1 << 7).expect("in the paper");
        assert!((published.total[0] - published.running[0] - 94.954).abs() < 1e-3);
    }
}
