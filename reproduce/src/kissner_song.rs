//! Kim and Kim, "An Experimental Study of Encrypted Polynomial Arithmetics for Private Set Operations", 2017: its tables
//! 1 and 3 to 6 with our figures beside the paper's, and how the algorithms compare.

use std::time::Instant;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::ThreadPoolBuilder;
use veilset_bench::{BenchError, Case, Measurement, Net, Sizes};
use veilset_crypto::elgamal::SecretKey;
use veilset_crypto::{PrimeGroup, Ristretto255};
use veilset_paper_groups::{Pallas, SafePrimeGroup, Setting};
use veilset_poly::encrypted::Ciphertexts;
use veilset_poly::{Multiplication, cost, multiply};
use veilset_protocols::Choices;
use veilset_protocols::ks::Spread;

use crate::Failure;
use crate::grid::{Grid, seconds};
use crate::over_group::seconds_over;
use crate::paper::{Content, Measured, Paper, PaperTable, modelled_bytes, power};
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
            title: "Tables 3 and 4: the intersection, in seconds",
            content: Content::Grid(runs),
        },
        PaperTable {
            title: "The same on the paper's groups of 1024 bits, which are insecure, and on Pallas, in seconds",
            content: Content::Grid(groups),
        },
        PaperTable { title: "Table 5: transmission", content: Content::Grid(transmission) },
        PaperTable {
            title: "Products of a plain and an encrypted polynomial on ristretto255, in seconds",
            content: Content::Grid(ristretto_products),
        },
        PaperTable {
            title: "The same on Pallas, whose scalars have roots of unity",
            content: Content::Grid(pallas_products),
        },
        PaperTable {
            title: "Table 6: where one algorithm overtakes another",
            content: Content::Grid(cutoffs),
        },
    ],
    plot: Some(plot),
};

/// Tables 4 and 5 of the paper: for the logarithm of k the running times of its programs and of the transmission, with
/// Karatsuba's algorithm and with transforms, in seconds.
const PUBLISHED: [(u32, [f64; 2], [f64; 2]); 10] = [
    (7, [3.81492, 10.10092], [0.147, 0.211]),
    (8, [11.1828, 25.7268], [0.311, 0.430]),
    (9, [96.1182, 206.2142], [0.581, 0.769]),
    (10, [223.4764, 994.0614], [1.192, 1.724]),
    (11, [855.156, 1_185.316], [2.425, 3.216]),
    (12, [2_551.718, 2_780.214], [4.781, 6.119]),
    (13, [7_621.725, 5_661.165], [9.411, 12.811]),
    (14, [22_772.382, 14_790.879], [17.739, 26.004]),
    (15, [68_054.006, 33_634.982], [f64::NAN, f64::NAN]),
    (16, [203_403.827, 75_978.705], [f64::NAN, f64::NAN]),
];

/// What the paper has of a size.
fn published(size: usize) -> Option<([f64; 2], [f64; 2])> {
    let row = PUBLISHED.iter().find(|(log, ..)| 1 << log == size)?;
    Some((row.1, row.2))
}

/// Table 1 of the paper: key generation for transforms of 2^t coefficients, and in the general setting (section III-A).
const PUBLISHED_KEYS: [(Setting, f64); 5] = [
    (Setting::General, 31.73),
    (Setting::Special { log_size: 10 }, 92.452),
    (Setting::Special { log_size: 11 }, 143.784),
    (Setting::Special { log_size: 12 }, 94.63),
    (Setting::Special { log_size: 13 }, 112.158),
];

fn keys(_: &[Sizes], done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    const KEYS: u32 = 5;
    let mut grid = Grid::new(&["setting", "paper", "here, mean of 5"]);
    let mut rng = ChaCha20Rng::from_seed([5; 32]);
    for (setting, paper) in PUBLISHED_KEYS {
        let started = Instant::now();
        for _ in 0..KEYS {
            SafePrimeGroup::generate(setting, &mut rng)?;
        }
        let mean = started.elapsed().as_secs_f64() / f64::from(KEYS);
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

const RUN_COLUMNS: [&str; 5] = ["k", "paper, Karatsuba", "paper, FFT", "`ks`", "`ks-binned`"];

fn runs(sizes: &[Sizes], done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&RUN_COLUMNS);
    for size in sizes.iter().map(|sizes| sizes.larger()) {
        let paper = published(size).map(|(running, _)| running);
        let whole = (size <= MOST_WHOLE).then(|| run("ks", size)).transpose()?;
        let binned = run("ks-binned", size)?;
        grid.push(vec![
            power(size),
            seconds(paper.map(|running| running[0])),
            seconds(paper.map(|running| running[1])),
            seconds(whole.map(|whole| whole.seconds)),
            seconds(Some(binned.seconds)),
        ]);
        done(&format!("intersection at {}", power(size)));
    }
    Ok(grid)
}

fn run(protocol: &'static str, size: usize) -> Result<Measurement, Failure> {
    let case = Case {
        protocol,
        choices: Choices::default(),
        sizes: Sizes::equal(size),
        threads: 1,
        net: Net::Memory,
    };
    Ok(case.measure()?)
}

/// The largest sets that the slower groups are measured with: a multiplication takes 0.7 ms with 1024 bits.
const MOST_ON_SLOW_GROUPS: usize = 1 << 8;

/// Whole protocols: in the general setting with Toom-3, in the special one with transforms where those take fewer
/// multiplications, as on Pallas. Without key generation.
fn groups(sizes: &[Sizes], done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&[
        "k",
        "paper, Karatsuba",
        "`ks`, general setting",
        "paper, FFT",
        "`ks`, special setting",
        "`ks` on Pallas",
        "`ks-binned` on Pallas",
    ]);
    let mut rng = ChaCha20Rng::from_seed([7; 32]);
    let general = SafePrimeGroup::generate(Setting::General, &mut rng)?;
    let sizes = sizes.iter().map(|sizes| sizes.larger());
    for size in sizes.filter(|size| *size <= MOST_ON_SLOW_GROUPS) {
        // What comes back has 2k + 1 coefficients, and is evaluated at k points.
        let setting = Setting::Special { log_size: (3 * size).next_power_of_two().ilog2() };
        let special = SafePrimeGroup::generate(setting, &mut rng)?;
        let paper = published(size).map(|(running, _)| running);
        grid.push(vec![
            power(size),
            seconds(paper.map(|running| running[0])),
            seconds(Some(seconds_over(&general, Spread::Whole, size)?)),
            seconds(paper.map(|running| running[1])),
            seconds(Some(seconds_over(&special, Spread::Whole, size)?)),
            seconds(Some(seconds_over(&Pallas, Spread::Whole, size)?)),
            seconds(Some(seconds_over(&Pallas, Spread::Binned, size)?)),
        ]);
        done(&format!("intersection on other groups at {}", power(size)));
    }
    Ok(grid)
}

/// The paper's network, bits a second.
const PAPER_LINK: f64 = 100e6;

fn transmission(sizes: &[Sizes], done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&[
        "k",
        "paper, Karatsuba, s",
        "paper, FFT, s",
        "`ks`, MB",
        "at 100 Mbit/s, s",
        "`ks-binned`, MB",
        "at 100 Mbit/s, s",
    ]);
    for size in sizes.iter().map(|sizes| sizes.larger()) {
        let paper = published(size).map(|(_, transmission)| transmission);
        let paper = paper.filter(|transmission| transmission[0].is_finite());
        let mut row = vec![
            power(size),
            seconds(paper.map(|transmission| transmission[0])),
            seconds(paper.map(|transmission| transmission[1])),
        ];
        for protocol in ["ks", "ks-binned"] {
            let bytes = modelled_bytes(protocol, Sizes::equal(size))?;
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

fn ristretto_products(sizes: &[Sizes], done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    products(&Ristretto255, &ALGORITHMS[..3], sizes, done)
}

fn pallas_products(sizes: &[Sizes], done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    // A multiplication takes 20 times as long as on ristretto255.
    const MOST: usize = 1 << 11;
    let sizes: Vec<Sizes> = sizes.iter().copied().filter(|sizes| sizes.larger() <= MOST).collect();
    products(&Pallas, &ALGORITHMS, &sizes, done)
}

/// From which k on an algorithm takes fewer scalar multiplications than another, for factors of k + 1 coefficients: counted,
/// as they are all but all of the time.
fn cutoffs(_: &[Sizes], done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
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
    let Some(Measured::Grid(runs)) = measured.get(1) else { return String::new() };
    let curve = |column: usize| {
        let point = |row: &Vec<String>| {
            let log: i32 = row[0].strip_prefix("2^")?.parse().ok()?;
            Some((2_f64.powi(log), row[column].parse().ok()?))
        };
        Curve {
            name: RUN_COLUMNS[column].replace('`', ""),
            published: column < 3,
            points: runs.rows.iter().filter_map(point).collect(),
        }
    };
    let axes = ["elements of each side", "seconds"];
    svg("Intersection on encrypted polynomials", axes, &[1, 2, 3, 4].map(curve))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_filled() {
        // A run over 1024 bits takes a minute at 2^7.
        let sizes = |title: &str| -> Vec<Sizes> {
            let sizes = if title.contains("insecure") { &[8][..] } else { &[1 << 7, 20] };
            sizes.iter().copied().map(Sizes::equal).collect()
        };
        let measured: Vec<Measured> = PAPER
            .tables
            .iter()
            .map(|table| table.measure(&sizes(table.title), &mut |_| ()).expect("it runs"))
            .collect();
        let grids: Vec<&Grid> = measured
            .iter()
            .map(|measured| match measured {
                Measured::Grid(grid) => grid,
                Measured::Lines(_) => unreachable!("grids alone"),
            })
            .collect();
        let [keys, runs, groups, sent, products, pallas, cutoffs] = grids[..] else {
            unreachable!("seven tables")
        };
        assert_eq!(groups.rows[0][..2], ["2^3", ""]);
        assert!([2, 4, 5, 6].iter().all(|column| !groups.rows[0][*column].is_empty()));
        assert_eq!((keys.rows.len(), cutoffs.rows.len()), (5, 4));
        assert!(pallas.rows[0].iter().all(|cell| !cell.is_empty()));
        assert_eq!(runs.rows[0][..3], ["2^7", "3.81", "10.10"]);
        assert_eq!(runs.rows[1][..3], ["20", "", ""]);
        assert!(runs.rows.iter().all(|row| row[3..].iter().all(|cell| !cell.is_empty())));
        // 128 + 257 ciphertexts of 64 bytes, a key and three frames' headers.
        assert_eq!(sent.rows[0][3], "0.025");
        assert!(products.rows[0].iter().all(|cell| !cell.is_empty()));
        let svg = plot(&measured);
        assert_eq!(svg.matches("<polyline").count(), 4);
    }
}
