//! Kim and Kim, "An Experimental Study of Encrypted Polynomial Arithmetics for Private Set Operations", 2017: its tables
//! 1 and 3 to 6 with our figures beside the paper's, and how the algorithms compare.

use std::time::Instant;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::ThreadPoolBuilder;
use veilset_crypto::elgamal::SecretKey;
use veilset_crypto::{Pallas, Ristretto255, SafePrimeGroup, Setting};
use veilset_poly::encrypted::{Ciphertexts, ScalarField};
use veilset_poly::{Multiplication, cost, multiply};

use super::grid::{Grid, seconds};
use super::plot::{Curve, svg};
use super::{Content, Measured, Paper, PaperTable, power};
use crate::{BenchError, Case, Measurement, Net};

pub(super) const PAPER: Paper = Paper {
    name: "kissner-song",
    source: "Kim and Kim 2017, section IV",
    notes: "both parties in this process, one thread each, nothing between them; the paper had two machines and 100 Mbit/s",
    sizes: &[1 << 7, 1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12],
    tables: &[
        PaperTable {
            title: "Table 1: key generation for 1024-bit groups, in seconds",
            content: Content::Grid(keys),
        },
        PaperTable {
            title: "Tables 3 and 4: the intersection, in seconds",
            content: Content::Grid(runs),
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

fn keys(_: &[usize], done: &mut dyn FnMut(&str)) -> Result<Grid, BenchError> {
    const KEYS: u32 = 5;
    let mut grid = Grid::new(&["setting", "paper", "here, mean of 5"]);
    let mut rng = ChaCha20Rng::from_seed([5; 32]);
    for (setting, paper) in PUBLISHED_KEYS {
        let started = Instant::now();
        for _ in 0..KEYS {
            SafePrimeGroup::<16>::generate(setting, &mut rng)?;
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

fn runs(sizes: &[usize], done: &mut dyn FnMut(&str)) -> Result<Grid, BenchError> {
    let mut grid = Grid::new(&RUN_COLUMNS);
    for size in sizes {
        let paper = published(*size).map(|(running, _)| running);
        let whole = (*size <= MOST_WHOLE).then(|| run("ks", *size)).transpose()?;
        let binned = run("ks-binned", *size)?;
        grid.push(vec![
            power(*size),
            seconds(paper.map(|running| running[0])),
            seconds(paper.map(|running| running[1])),
            seconds(whole.map(|whole| whole.seconds)),
            seconds(Some(binned.seconds)),
        ]);
        done(&format!("intersection at {}", power(*size)));
    }
    Ok(grid)
}

fn run(protocol: &'static str, size: usize) -> Result<Measurement, BenchError> {
    let case = Case {
        protocol,
        group: None,
        digest: None,
        sender: size,
        receiver: size,
        threads: 1,
        net: Net::Memory,
    };
    case.measure()
}

/// The paper's network, bits a second.
const PAPER_LINK: f64 = 100e6;

fn transmission(sizes: &[usize], done: &mut dyn FnMut(&str)) -> Result<Grid, BenchError> {
    let mut grid = Grid::new(&[
        "k",
        "paper, Karatsuba, s",
        "paper, FFT, s",
        "`ks`, MB",
        "at 100 Mbit/s, s",
        "`ks-binned`, MB",
        "at 100 Mbit/s, s",
    ]);
    for size in sizes {
        let paper = published(*size).map(|(_, transmission)| transmission);
        let paper = paper.filter(|transmission| transmission[0].is_finite());
        let mut row = vec![
            power(*size),
            seconds(paper.map(|transmission| transmission[0])),
            seconds(paper.map(|transmission| transmission[1])),
        ];
        for protocol in ["ks", "ks-binned"] {
            let bytes = bytes(protocol, *size)?;
            row.push(format!("{:.3}", bytes / 1e6));
            row.push(seconds(Some(bytes * 8.0 / PAPER_LINK)));
        }
        grid.push(row);
    }
    done("transmission");
    Ok(grid)
}

/// What both parties send; the cost model, which a test holds to what is measured.
fn bytes(protocol: &'static str, size: usize) -> Result<f64, BenchError> {
    let found = veilset_protocols::find(protocol).ok_or(BenchError::Unknown(protocol))?;
    let cost = found.cost(veilset_protocols::Shape {
        sender: size as u64,
        receiver: size as u64,
        reveal: veilset_protocols::Reveal::Receiver,
        attached: veilset_protocols::AttachedShape::Nothing,
        returned: veilset_protocols::AttachedShape::Nothing,
        params: found.spec().params(),
    });
    Ok(cost.sender.bytes_sent + cost.receiver.bytes_sent)
}

/// The algorithms, with the largest factor that each is measured at.
const ALGORITHMS: [(&str, Multiplication, usize); 4] = [
    ("schoolbook", Multiplication::Schoolbook, 1 << 8),
    ("Karatsuba", Multiplication::Karatsuba { cutoff: 1 }, 1 << 12),
    ("Toom-3", Multiplication::Toom3 { cutoff: 1 }, 1 << 14),
    ("NTT", Multiplication::Ntt { cutoff: usize::MAX }, 1 << 14),
];

fn ristretto_products(sizes: &[usize], done: &mut dyn FnMut(&str)) -> Result<Grid, BenchError> {
    products(&Ristretto255, &ALGORITHMS[..3], sizes, done)
}

fn pallas_products(sizes: &[usize], done: &mut dyn FnMut(&str)) -> Result<Grid, BenchError> {
    // A multiplication takes 20 times as long as on ristretto255.
    const MOST: usize = 1 << 11;
    let sizes: Vec<usize> = sizes.iter().copied().filter(|size| *size <= MOST).collect();
    products(&Pallas, &ALGORITHMS, &sizes, done)
}

/// From which k on an algorithm takes fewer scalar multiplications than another, for factors of k + 1 coefficients: counted,
/// as they are all but all of the time.
fn cutoffs(_: &[usize], done: &mut dyn FnMut(&str)) -> Result<Grid, BenchError> {
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
fn products<G: ScalarField>(
    group: &G,
    algorithms: &[(&str, Multiplication, usize)],
    sizes: &[usize],
    done: &mut dyn FnMut(&str),
) -> Result<Grid, BenchError> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().map_err(|_| BenchError::Threads)?;
    let mut columns = vec!["k"];
    columns.extend(algorithms.iter().map(|(name, ..)| *name));
    let mut grid = Grid::new(&columns);
    let mut rng = ChaCha20Rng::from_seed([6; 32]);
    let key = SecretKey::generate(group, &mut rng).public(group);
    for size in sizes {
        let plain: Vec<_> = (0..=*size).map(|_| group.random(&mut rng)).collect();
        let encrypted = key.encrypt(group, &plain, &mut rng);
        let mut row = vec![power(*size)];
        for (_, how, most) in algorithms {
            let product = (size <= most).then(|| {
                let started = Instant::now();
                let product =
                    pool.install(|| multiply(&Ciphertexts(group), *how, &plain, &encrypted));
                product.map(|_| started.elapsed().as_secs_f64())
            });
            row.push(seconds(product.transpose()?));
        }
        grid.push(row);
        done(&format!("products at {}", power(*size)));
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
    svg("Intersection on encrypted polynomials", "seconds", &[1, 2, 3, 4].map(curve))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_filled() {
        let sizes = [1 << 7, 20];
        let measured: Vec<Measured> = PAPER
            .tables
            .iter()
            .map(|table| table.measure(&sizes, &mut |_| ()).expect("it runs"))
            .collect();
        let grids: Vec<&Grid> = measured
            .iter()
            .map(|measured| match measured {
                Measured::Grid(grid) => grid,
                Measured::Lines(_) => unreachable!("grids alone"),
            })
            .collect();
        let [keys, runs, sent, products, pallas, cutoffs] = grids[..] else {
            unreachable!("six tables")
        };
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
