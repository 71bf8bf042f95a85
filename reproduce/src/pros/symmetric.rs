//! Figure 8: the intersection of Freedman, Nissim and Pinkas, once initiated by each side, and what its polynomials cost.

use std::time::Instant;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use rayon::ThreadPoolBuilder;
use veilset_bench::BenchError;
use veilset_crypto::Field;
use veilset_crypto::paillier::{Integer, KeySize, SecretKey};
use veilset_paper_groups::PallasScalars;
use veilset_poly::paillier::Ciphertexts;
use veilset_poly::{Evaluation, Multiplication, evaluate, expand};

use crate::Failure;
use crate::grid::{Grid, seconds};
use crate::paper::{Asked, in_memory};

/// What the paper's text says that the advanced algorithms take of the time of the classical one, all of the protocol.
const PUBLISHED: [(usize, &str); 2] = [(200, "2/3"), (1850, "5 %")];

/// Multiplications: classical, Karatsuba's and, in the place of Schönhage and Strassen's, number-theoretic transforms.
const MULTIPLICATIONS: [Multiplication; 3] = [
    Multiplication::Schoolbook,
    Multiplication::Karatsuba { cutoff: 16 },
    Multiplication::Ntt { cutoff: usize::MAX },
];

fn on_one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().map_err(|_| BenchError::Threads)?;
    Ok(pool.install(work))
}

/// The polynomial with n roots of 32 bits. The paper's has integers that grow; here they are residues of a field of 255 bits, which
/// has the roots of unity that transforms take.
pub(super) fn expansion(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let mut grid = Grid::new(&[
        "n",
        "classical",
        "Karatsuba",
        "transforms",
        "Karatsuba over classical",
        "paper, whole protocol",
    ]);
    let mut rng = ChaCha20Rng::from_seed([11; 32]);
    let field = PallasScalars::new();
    for size in sizes.iter().map(|sizes| sizes.larger()) {
        let roots: Vec<_> = (0..size).map(|_| field.element(rng.next_u32().into())).collect();
        let expand = |how| {
            let started = Instant::now();
            on_one_thread(|| expand(&field, how, &roots))?.map_err(Failure::from)?;
            Ok::<_, Failure>(started.elapsed().as_secs_f64())
        };
        let mut times = [0.0; 3];
        for (time, how) in times.iter_mut().zip(MULTIPLICATIONS) {
            *time = expand(how)?;
        }
        let published = PUBLISHED.iter().find(|(n, _)| *n == size);
        let mut row = vec![size.to_string()];
        row.extend(times.map(|time| seconds(Some(time))));
        row.push(format!("{:.2}", times[1] / times[0]));
        row.push(published.map_or(String::new(), |(_, share)| (*share).to_owned()));
        grid.push(row);
    }
    done("expansion");
    Ok(grid)
}

/// Beyond that, what takes n² products of full length is left out.
const MOST_EVALUATED: usize = 200;

/// The polynomial at n points of 32 bits.
pub(super) fn evaluation(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let mut grid = Grid::new(&["n", "Horner, as the paper", "sums of products", "transposed tree"]);
    let mut rng = ChaCha20Rng::from_seed([12; 32]);
    let key = SecretKey::generate(KeySize::insecure(256), &mut rng);
    let ring = key.public().plaintexts();
    let (short, long) = (
        Ciphertexts::with_short_scalars(key.public(), &ring, 32),
        Ciphertexts::new(key.public(), &ring),
    );
    let multiplication = Multiplication::Toom3 { cutoff: 1 };
    let tree = Evaluation::Transposed { leaf: 1, multiplication };
    let sizes = sizes.iter().map(|sizes| sizes.larger());
    for size in sizes.filter(|size| *size <= MOST_EVALUATED) {
        let mut numbers =
            || -> Vec<Integer> { (0..size).map(|_| ring.element(rng.next_u32().into())).collect() };
        let (roots, points) = (numbers(), numbers());
        let plain = expand(&ring, Multiplication::Toom3 { cutoff: 16 }, &roots)?;
        let encrypted = key.encrypt(&plain, &mut rng);
        let mut row = vec![size.to_string()];
        for (module, how) in
            [(&short, Evaluation::Horner), (&long, Evaluation::MultiScalar), (&long, tree)]
        {
            let started = Instant::now();
            on_one_thread(|| evaluate(module, how, &encrypted, &points))??;
            row.push(seconds(Some(started.elapsed().as_secs_f64())));
        }
        grid.push(row);
        done(&format!("evaluation at {size}"));
    }
    Ok(grid)
}

/// Beyond that, one polynomial for all elements takes minutes.
const MOST_WHOLE: usize = 500;

pub(super) fn protocol(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let mut grid = Grid::new(&["n", "`fnp`", "`fnp-binned`"]);
    for size in sizes.iter().map(|sizes| sizes.larger()) {
        let twice = |protocol| {
            let case = in_memory(protocol, size);
            let both = [case.measure()?, case.measure()?];
            Ok::<_, Failure>(both.iter().map(|run| run.cpu_seconds).sum::<f64>())
        };
        let whole = (size <= MOST_WHOLE).then(|| twice("fnp")).transpose()?;
        grid.push(vec![size.to_string(), seconds(whole), seconds(Some(twice("fnp-binned")?))]);
        done(&format!("symmetric intersection at {size}"));
    }
    Ok(grid)
}
