//! Products of a plain and an encrypted polynomial alone, measured and counted.

use std::time::Instant;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::ThreadPoolBuilder;
use veilset_bench::{BenchError, Sizes};
use veilset_crypto::elgamal::SecretKey;
use veilset_crypto::{PrimeGroup, Ristretto255};
use veilset_paper_groups::Pallas;
use veilset_poly::encrypted::Ciphertexts;
use veilset_poly::{Multiplication, cost, multiply};

use super::printed;
use crate::Failure;
use crate::grid::{Grid, seconds};
use crate::paper::{Asked, power};

/// The algorithms, with the largest factor that each is measured at; without a [`Multiplication`] it is Algorithm 1 as printed.
const ALGORITHMS: [(&str, Option<Multiplication>, usize); 5] = [
    ("schoolbook", Some(Multiplication::Schoolbook), 1 << 8),
    ("Algorithm 1 as printed", None, 1 << 8),
    ("Karatsuba", Some(Multiplication::Karatsuba { cutoff: 1 }), 1 << 12),
    ("Toom-3", Some(Multiplication::Toom3 { cutoff: 1 }), 1 << 14),
    ("NTT", Some(Multiplication::Ntt { cutoff: usize::MAX }), 1 << 14),
];

pub(super) fn on_ristretto(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    products(&Ristretto255, &ALGORITHMS[..4], asked.sizes, done)
}

pub(super) fn on_pallas(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    // A multiplication takes 20 times as long as on ristretto255.
    const MOST: usize = 1 << 11;
    let sizes = asked.sizes.iter().copied().filter(|sizes| sizes.larger() <= MOST);
    products(&Pallas, &ALGORITHMS, &sizes.collect::<Vec<_>>(), done)
}

/// Products of a coefficient and a ciphertext in a product of factors of degree k.
fn scalings(how: Option<Multiplication>, k: usize) -> u64 {
    how.map_or_else(|| printed::scalings(k), |how| cost::multiply(how, k + 1, k + 1).scalings)
}

/// How many of them each algorithm takes, which are all but all of the time; and proposition 3's, by −1, of factors of k coefficients.
pub(super) fn counts(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut columns = vec!["k"];
    columns.extend(ALGORITHMS.iter().map(|(name, ..)| *name));
    columns.extend(["by −1 in Karatsuba's", "paper, proposition 3"]);
    let mut grid = Grid::new(&columns);
    for size in asked.sizes.iter().map(|sizes| sizes.larger()) {
        let mut row = vec![power(size)];
        row.extend(ALGORITHMS.iter().map(|(_, how, _)| scalings(*how, size).to_string()));
        let karatsuba = cost::multiply(Multiplication::Karatsuba { cutoff: 1 }, size, size);
        row.push(karatsuba.negations.to_string());
        // k^(log₂ 3) − 1, where k is a power of two.
        let hidden = size.is_power_of_two().then(|| 3_u64.pow(size.ilog2()) - 1);
        row.push(hidden.map_or(String::new(), |hidden| hidden.to_string()));
        grid.push(row);
    }
    done("counts");
    Ok(grid)
}

/// From which k on an algorithm takes fewer than another.
pub(super) fn cutoffs(_: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    const PAIRS: [(usize, usize, &str); 5] = [
        (0, 2, ""),
        (1, 2, ""),
        (2, 3, "Toom-3 faster at all sizes"),
        (2, 4, "4316 to 4346"),
        (3, 4, ""),
    ];
    let mut grid = Grid::new(&["the one", "the other", "faster from k =", "paper"]);
    for (one, other, paper) in PAIRS {
        let [one, other] = [one, other].map(|place| ALGORITHMS[place]);
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
    algorithms: &[(&str, Option<Multiplication>, usize)],
    sizes: &[Sizes],
    done: &mut dyn FnMut(&str),
) -> Result<Grid, Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().map_err(|_| BenchError::Threads)?;
    let mut columns = vec!["k"];
    columns.extend(algorithms.iter().map(|(name, ..)| *name));
    let mut grid = Grid::new(&columns);
    let mut rng = ChaCha20Rng::from_seed([6; 32]);
    let key = SecretKey::generate(group, &mut rng).public(group);
    let module = &Ciphertexts(group);
    for size in sizes.iter().map(|sizes| sizes.larger()) {
        let plain: Vec<_> = (0..=size).map(|_| group.random(&mut rng)).collect();
        let encrypted = key.encrypt(group, &plain, &mut rng);
        let mut row = vec![power(size)];
        for (_, how, most) in algorithms {
            let product = (size <= *most).then(|| {
                let started = Instant::now();
                let product = pool.install(|| match how {
                    Some(how) => multiply(module, *how, &plain, &encrypted),
                    None => Ok(printed::multiply(module, &plain, &encrypted)),
                });
                product.map(|_| started.elapsed().as_secs_f64())
            });
            row.push(seconds(product.transpose()?));
        }
        grid.push(row);
        done(&format!("products at {}", power(size)));
    }
    Ok(grid)
}
