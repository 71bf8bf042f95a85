//! Figures 5 and 14: encryption and decryption, the paper's and ours.

use std::time::{Duration, Instant};

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use rayon::ThreadPoolBuilder;
use veilset_bench::{BenchError, process};
use veilset_crypto::paillier::{Integer, KeySize, SecretKey};

use super::paillier;
use crate::Failure;
use crate::grid::Grid;
use crate::paper::Asked;

/// Keys of figure 5, in bits, and two more that are secure, as 2048 is.
fn keys() -> impl Iterator<Item = u32> {
    (32..=2048).step_by(32).chain([3072, 4096])
}

/// Those of which the table has a row.
fn printed_key(bits: &str) -> bool {
    ["32", "64", "128", "256", "512", "768", "1024", "1536", "2048", "3072", "4096"].contains(&bits)
}

/// Bits of its plaintexts.
const PLAIN: u32 = 32;

/// The key of figure 14, and its plaintexts, in bits.
const KEY: u32 = 1024;

fn plaintexts() -> impl Iterator<Item = u32> {
    (8..=256).step_by(8)
}

fn printed_plaintext(bits: &str) -> bool {
    ["8", "32", "64", "96", "128", "160", "192", "224", "256"].contains(&bits)
}

/// Operations of one measurement as in the paper, or as many as take the time.
const OPERATIONS: u32 = 10_000;
const PATIENCE: Duration = Duration::from_millis(100);

/// Operations between two looks at the clock.
const BATCH: usize = 10;

/// Microseconds of processor time for each output, and the outputs.
fn each<T, U>(inputs: &[T], mut batch: impl FnMut(&[T]) -> Vec<U>) -> (f64, Vec<U>) {
    let (started, cpu) = (Instant::now(), process::cpu_seconds());
    let mut outputs = Vec::new();
    for inputs in inputs.chunks(BATCH) {
        outputs.extend(batch(inputs));
        if started.elapsed() > PATIENCE {
            break;
        }
    }
    ((process::cpu_seconds() - cpu) * 1e6 / outputs.len() as f64, outputs)
}

fn check(opened: &[Integer], plain: &[Integer]) -> Result<(), Failure> {
    match opened.iter().zip(plain).filter(|(opened, plain)| opened != plain).count() as u64 {
        0 => Ok(()),
        wrong => {
            let expected = opened.len() as u64;
            let found = expected - wrong;
            Err(BenchError::WrongResult { protocol: "Paillier", found, expected }.into())
        }
    }
}

/// The paper's encryption, and its decryption with the Chinese remainder theorem and without.
fn papers(key: &paillier::SecretKey, plain: &[Integer]) -> Result<[f64; 3], Failure> {
    let rng = &mut ChaCha20Rng::from_seed([8; 32]);
    let encrypt = |plain: &Integer| key.public().encrypt(plain, rng);
    let (encryption, ciphertexts) = each(plain, each_of(encrypt));
    let (decryption, opened) = each(&ciphertexts, each_of(|c| key.decrypt(c)));
    check(&opened, plain)?;
    let (whole, opened) = each(&ciphertexts, each_of(|c| key.decrypt_whole(c)));
    check(&opened, plain)?;
    Ok([encryption, decryption, whole])
}

fn each_of<T, U>(mut one: impl FnMut(&T) -> U) -> impl FnMut(&[T]) -> Vec<U> {
    move |batch| batch.iter().map(&mut one).collect()
}

/// Our encryption and decryption.
fn ours(key: &SecretKey, plain: &[Integer]) -> Result<[f64; 2], Failure> {
    let rng = &mut ChaCha20Rng::from_seed([8; 32]);
    let pool = ThreadPoolBuilder::new().num_threads(1).build().map_err(|_| BenchError::Threads)?;
    pool.install(|| {
        let (encryption, ciphertexts) = each(plain, |batch| key.public().encrypt(batch, rng));
        let (decryption, opened) = each(&ciphertexts, |batch| key.decrypt(batch).to_vec());
        check(&opened, plain)?;
        Ok([encryption, decryption])
    })
}

/// Numbers of at most `bits` bits.
fn random(bits: u32, asked: Asked<'_>) -> Vec<Integer> {
    let mut rng = ChaCha20Rng::from_seed([16; 32]);
    let mut number = || {
        let mut bytes = vec![0; bits as usize / 8];
        rng.fill_bytes(&mut bytes);
        Integer::from_be_slice_vartime(&bytes)
    };
    (0..asked.runs.unwrap_or(OPERATIONS)).map(|_| number()).collect()
}

const COLUMNS: [&str; 5] = [
    "paper's encryption",
    "decryption",
    "decryption without CRT",
    "our encryption",
    "our decryption",
];

fn grid(first: &str) -> Grid {
    Grid::new(&[&[first], &COLUMNS[..]].concat())
}

fn row(first: String, times: impl IntoIterator<Item = Option<f64>>) -> Vec<String> {
    let cell = |time: Option<f64>| time.map_or_else(String::new, |time| format!("{time:.1}"));
    [first].into_iter().chain(times.into_iter().map(cell)).collect()
}

pub(super) fn over_key_size(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = grid("key, bits").printing(printed_key);
    for bits in keys() {
        // Of a byte less where 32 bits may exceed N.
        let plain = random(PLAIN.min(bits - 8), asked);
        let rng = &mut ChaCha20Rng::from_seed([9; 32]);
        let papers = papers(&paillier::SecretKey::generate(bits, rng), &plain)?.map(Some);
        let fits = bits.is_multiple_of(128) && bits >= 256;
        let key = fits.then(|| SecretKey::generate(KeySize::insecure(bits), rng));
        let ours = key.map(|key| ours(&key, &plain)).transpose()?;
        let ours = [0, 1].map(|which| ours.map(|times| times[which]));
        grid.push(row(bits.to_string(), papers.into_iter().chain(ours)));
        done(&format!("encryption with {bits} bits"));
    }
    Ok(grid)
}

pub(super) fn over_plaintext(
    asked: Asked<'_>,
    done: &mut dyn FnMut(&str),
) -> Result<Grid, Failure> {
    let mut grid = grid("plaintext, bits").printing(printed_plaintext);
    let rng = &mut ChaCha20Rng::from_seed([10; 32]);
    let theirs = paillier::SecretKey::generate(KEY, rng);
    let key = SecretKey::generate(KeySize::insecure(KEY), rng);
    for bits in plaintexts() {
        let plain = random(bits, asked);
        let times = papers(&theirs, &plain)?.into_iter().chain(ours(&key, &plain)?);
        grid.push(row(bits.to_string(), times.map(Some)));
    }
    done("encryption over plaintexts");
    Ok(grid)
}
