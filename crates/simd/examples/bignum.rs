//! Microseconds a power with each kernel that has lanes for it, the best of 25: modulo 2048 bits with exponents of 256 bits in
//! batches of 8, and modulo 1024 bits with exponents as long.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

use std::hint::black_box;
use std::time::Instant;

use veilset_simd::Kernel;
use veilset_simd::bignum::batch::{Exponent, Modulus, PowerBase, Residues, Row};

const BATCH: usize = 8;
const SAMPLES: usize = 25;

fn main() {
    let modulus = Modulus::<32, 40>::new(&[u64::MAX; 32]).expect("odd and of 2048 bits");
    let base: [u64; 32] = number();
    let exponents: Vec<Exponent> =
        (0..BATCH).map(|index| [(index as u8).wrapping_mul(77) | 1; 32]).collect();
    for kernel in [Kernel::Scalar, Kernel::Avx512Ifma].into_iter().filter(|k| k.runs_here()) {
        let mut powers = vec![base; BATCH];
        let power = best(|| modulus.power(kernel, black_box(&exponents[1]), &mut powers));
        let new = |base| PowerBase::<40, 32>::new(kernel, &modulus, base);
        let table = best(|| drop(black_box(new(black_box(&base)))));
        let base = new(&base);
        let powers_of_base = best(|| base.powers(&modulus, black_box(&exponents), &mut powers));
        for (function, microseconds) in [
            ("power", power),
            ("PowerBase::powers", powers_of_base),
            ("PowerBase::new", BATCH as f64 * table),
        ] {
            println!("{:>10} {function:>20} {microseconds:>10.1}", kernel.name());
        }
        residues(kernel);
    }
}

fn number<const WORDS: usize>() -> [u64; WORDS] {
    std::array::from_fn(|word| 0x9e37_79b9_7f4a_7c15u64.rotate_left(word as u32))
}

/// Modulo 1024 bits: products, powers, and four products of polynomials of 16 coefficients each by each.
fn residues(kernel: Kernel) {
    const LEN: usize = 16;
    const POLYNOMIALS: usize = 4;
    let modulus = Modulus::<16, 20>::new(&[u64::MAX; 16]).expect("odd");
    let arithmetic = Residues::new(kernel, modulus);
    let mut residues = arithmetic.enter(&[number(); LEN * POLYNOMIALS]);
    let exponents = [number(); LEN];
    let other = residues.clone();
    let product = best(|| {
        (0..BATCH).for_each(|_| arithmetic.multiply(&mut residues[..BATCH], &other[..BATCH]));
    });
    let power = best(|| arithmetic.powers(&exponents[..BATCH], &mut residues[..BATCH]));
    let row = |term, polynomial| Row {
        base: polynomial * LEN + term,
        from: 0,
        count: LEN,
        to: 2 * polynomial * LEN + term,
    };
    let rows: Vec<Row> =
        (0..LEN * POLYNOMIALS).map(|base| row(base / POLYNOMIALS, base % POLYNOMIALS)).collect();
    let count = 2 * LEN * POLYNOMIALS;
    let polynomials =
        best(|| drop(black_box(arithmetic.rows(&exponents, &residues, &rows, count))));
    for (function, microseconds) in [
        ("Residues::multiply", product / BATCH as f64),
        ("Residues::powers", power),
        ("Residues::rows", polynomials * BATCH as f64 / (LEN * LEN * POLYNOMIALS) as f64),
    ] {
        println!("{:>10} {function:>20} {microseconds:>10.3}", kernel.name());
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
