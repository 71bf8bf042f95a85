//! What encoding and decoding take.
//!
//! `RAYON_NUM_THREADS=1 okvs_rate [LOG_N…]` prints, for both kinds and each size, the columns for each item and the
//! best times of a few runs; without arguments for 2^16, 2^18, 2^20 and 2^22 items.

#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use veilset_structures::okvs::{self, OkvsKind, OkvsShape};

const RUNS: usize = 5;

fn main() {
    let logs: Vec<u32> =
        std::env::args().skip(1).map(|log| log.parse().expect("the logarithm of a size")).collect();
    let logs = if logs.is_empty() { vec![16, 18, 20, 22] } else { logs };
    println!(
        "{:6} {:>9} {:>8} {:>10} {:>10} {:>11} {:>11}",
        "kind", "n", "m/n", "encode ms", "decode ms", "encode ns/n", "decode ns/n"
    );
    for log in logs {
        for kind in OkvsKind::ALL {
            report(kind, 1 << log);
        }
    }
}

fn report(kind: OkvsKind, count: usize) {
    let (keys, values) = (random(count, 1), random(count, 2));
    let shape = OkvsShape::new(kind, count);
    let (mut encode, mut decode) = (Duration::MAX, Duration::MAX);
    let mut got = vec![0; count];
    for run in 0..RUNS {
        let rng = &mut ChaCha20Rng::seed_from_u64(run as u64);
        let start = Instant::now();
        let encoding = okvs::encode(&shape, run as u128, &keys, &values, rng).expect("random keys");
        encode = encode.min(start.elapsed());
        let start = Instant::now();
        okvs::decode(&shape, run as u128, &encoding, &keys, &mut got);
        decode = decode.min(start.elapsed());
        assert!(got == values, "an encoding gives back its values");
    }
    let each = |time: Duration| time.as_secs_f64() * 1e9 / count as f64;
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{:6} {count:9} {:8.4} {:10.2} {:10.2} {:11.1} {:11.1}",
        kind.name(),
        shape.len() as f64 / count as f64,
        ms(encode),
        ms(decode),
        each(encode),
        each(decode)
    );
}

fn random(count: usize, seed: u64) -> Vec<u128> {
    let rng = &mut ChaCha20Rng::seed_from_u64(seed);
    (0..count).map(|_| u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64())).collect()
}
