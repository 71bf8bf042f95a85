//! Figures 5 and 14: encryption and decryption.

use std::time::Instant;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use rayon::ThreadPoolBuilder;
use veilset_bench::BenchError;
use veilset_crypto::paillier::{Integer, KeySize, SecretKey};

use crate::Failure;
use crate::grid::Grid;
use crate::paper::Asked;

/// Keys of figure 5, in bits; 2048 and more are secure.
const KEYS: [u32; 8] = [256, 512, 768, 1024, 1536, 2048, 3072, 4096];

/// Bits of its plaintexts.
const PLAIN: u32 = 32;

/// Keys and plaintexts of figure 14, in bits.
const KEY: u32 = 1024;
const PLAINS: [u32; 6] = [8, 32, 64, 128, 192, 256];

/// Operations of one measurement, if nothing else is asked for; the paper took 10,000.
const OPERATIONS: u32 = 200;

/// Milliseconds of an encryption with the public key, one with the secret key, and a decryption.
struct Times([f64; 3]);

impl Times {
    fn measure(key: &SecretKey, bits: u32, runs: Option<u32>) -> Result<Self, Failure> {
        let operations = runs.unwrap_or(OPERATIONS);
        let rng = &mut ChaCha20Rng::from_seed([8; 32]);
        let plain: Vec<Integer> = (0..operations).map(|_| random(bits, rng)).collect();
        let pool =
            ThreadPoolBuilder::new().num_threads(1).build().map_err(|_| BenchError::Threads)?;
        let milliseconds =
            |started: Instant| started.elapsed().as_secs_f64() * 1e3 / f64::from(operations);
        pool.install(|| {
            let started = Instant::now();
            let ciphertexts = key.public().encrypt(&plain, rng);
            let public = milliseconds(started);
            let started = Instant::now();
            key.encrypt(&plain, rng);
            let own = milliseconds(started);
            let started = Instant::now();
            let opened = key.decrypt(&ciphertexts);
            let decryption = milliseconds(started);
            let found = opened.iter().zip(&plain).filter(|(opened, plain)| opened == plain).count();
            if found < plain.len() {
                let (found, expected) = (found as u64, plain.len() as u64);
                return Err(
                    BenchError::WrongResult { protocol: "Paillier", found, expected }.into()
                );
            }
            Ok(Self([public, own, decryption]))
        })
    }

    fn cells(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|time| format!("{time:.3}"))
    }
}

/// A number of at most `bits` bits.
fn random(bits: u32, rng: &mut ChaCha20Rng) -> Integer {
    let mut bytes = vec![0; bits as usize / 8];
    rng.fill_bytes(&mut bytes);
    Integer::from_be_slice_vartime(&bytes)
}

const COLUMNS: [&str; 3] = ["encryption", "encryption with the secret key", "decryption"];

pub(super) fn over_key_size(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&["key, bits", COLUMNS[0], COLUMNS[1], COLUMNS[2]]);
    for bits in KEYS {
        let mut rng = ChaCha20Rng::from_seed([9; 32]);
        let key = SecretKey::generate(KeySize::insecure(bits), &mut rng);
        let name = if bits < KeySize::B2048.bits() { "insecure" } else { "secure" };
        let times = Times::measure(&key, PLAIN, asked.runs)?;
        grid.push([format!("{bits}, {name}")].into_iter().chain(times.cells()).collect());
        done(&format!("encryption with {bits} bits"));
    }
    Ok(grid)
}

pub(super) fn over_plaintext(
    asked: Asked<'_>,
    done: &mut dyn FnMut(&str),
) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&["plaintext, bits", COLUMNS[0], COLUMNS[1], COLUMNS[2]]);
    let key = SecretKey::generate(KeySize::insecure(KEY), &mut ChaCha20Rng::from_seed([10; 32]));
    for bits in PLAINS {
        let times = Times::measure(&key, bits, asked.runs)?;
        grid.push([bits.to_string()].into_iter().chain(times.cells()).collect());
    }
    done("encryption over plaintexts");
    Ok(grid)
}
