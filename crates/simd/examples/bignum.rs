//! Microseconds a power modulo 2048 bits with each kernel that has lanes for it: exponents of 256 bits, batches of 8,
//! the best of 25.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

use std::hint::black_box;
use std::time::Instant;

use veilset_simd::Kernel;
use veilset_simd::bignum::batch::{Exponent, Modulus, Number, PowerBase};

const BATCH: usize = 8;
const SAMPLES: usize = 25;

fn main() {
    let modulus = Modulus::new(&[u64::MAX; 32]).expect("odd and of 2048 bits");
    let base: Number =
        std::array::from_fn(|word| 0x9e37_79b9_7f4a_7c15u64.rotate_left(word as u32));
    let exponents: Vec<Exponent> =
        (0..BATCH).map(|index| [(index as u8).wrapping_mul(77) | 1; 32]).collect();
    for kernel in [Kernel::Scalar, Kernel::Avx512Ifma].into_iter().filter(|k| k.runs_here()) {
        let mut powers = vec![base; BATCH];
        let power = best(|| modulus.power(kernel, black_box(&exponents[1]), &mut powers));
        let table = best(|| drop(black_box(PowerBase::new(kernel, &modulus, black_box(&base)))));
        let base = PowerBase::new(kernel, &modulus, &base);
        let powers_of_base = best(|| base.powers(&modulus, black_box(&exponents), &mut powers));
        for (function, microseconds) in [
            ("power", power),
            ("PowerBase::powers", powers_of_base),
            ("PowerBase::new", BATCH as f64 * table),
        ] {
            println!("{:>10} {function:>20} {microseconds:>10.1}", kernel.name());
        }
    }
}

/// Microseconds a number of the fastest sample.
fn best(mut sample: impl FnMut()) -> f64 {
    let time = |_| {
        let started = Instant::now();
        sample();
        started.elapsed().as_secs_f64() * 1e6 / BATCH as f64
    };
    (0..SAMPLES).map(time).fold(f64::INFINITY, f64::min)
}
