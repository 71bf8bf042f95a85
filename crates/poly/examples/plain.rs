//! Milliseconds of interpolation and evaluation of plain polynomials on one thread, with each kernel over 2^255 − 19 and
//! over the prime of ffdhe2048: the best of several runs. With `cutoffs`, Horner's rule beside trees; with `large`, 2^16
//! coefficients too.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use crypto_bigint::U2048;
use veilset_crypto::{Field, PrimeField};
use veilset_poly::Field25519;
use veilset_poly::plain::{PlainField, evaluate, interpolate};
use veilset_simd::Kernel;

/// The modulus of ffdhe2048 (RFC 7919, appendix A.1).
const FFDHE2048: &str = "ffffffffffffffffadf85458a2bb4a9aafdc5620273d3cf1d8b9c583ce2d3695a9e13641146433fbcc939dce249b3ef9\
7d2fe363630c75d8f681b202aec4617ad3df1ed5d5fd65612433f51f5f066ed0856365553ded1af3b557135e7f57c935\
984f0c70e0e68b77e2a689daf3efe8721df158a136ade73530acca4f483a797abc0ab182b324fb61d108a94bb2c8e3fb\
b96adab760d7f4681d4f42a3de394df4ae56ede76372bb190b07a7c8ee0a6d709e02fce1cdf7e2ecc03404cd28342f61\
9172fe9ce98583ff8e4f1232eef28183c3fe3b1b4c6fad733bb5fcbc2ec22005c58ef1837d1683b2c6f34a26c1b2effa\
886b423861285c97ffffffffffffffff";

/// Coefficients and points.
const SIZES: [(usize, usize); 6] = [
    (1 << 8, 1 << 8),
    (1 << 10, 1 << 10),
    (1 << 8, 1 << 12),
    (1 << 12, 1 << 12),
    (1 << 12, 1 << 16),
    (1 << 16, 1 << 20),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let has = |name: &str| std::env::args().any(|argument| argument == name);
    let most = if has("large") { 1 << 16 } else { 1 << 12 };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let prime = PrimeField::new(&U2048::from_be_hex(FFDHE2048))?;
    pool.install(|| {
        if has("cutoffs") {
            cutoffs("2^255 − 19", &Field25519::new());
            cutoffs("ffdhe2048", &prime);
            return;
        }
        for kernel in Kernel::available() {
            measure(kernel.name(), &Field25519::with_kernel(kernel), most);
        }
        measure("ffdhe2048", &prime, most.min(1 << 12));
    });
    Ok(())
}

fn measure<F: PlainField>(name: &str, field: &F, most: usize) {
    for (len, count) in SIZES.into_iter().filter(|(len, _)| *len <= most) {
        let (poly, points) = (elements(field, 1, len), elements(field, 2, count));
        let evaluated = best(|| drop(black_box(evaluate(field, &poly, black_box(&points)))));
        print!("{name:>10} {len:>6} coefficients at {count:>8} points {evaluated:>10.2} ms");
        if len == count || len == 1 << 16 {
            let xs = &points[..len];
            let interpolated = best(|| drop(black_box(interpolate(field, black_box(xs), &poly))));
            print!(", interpolation {interpolated:>10.2} ms");
        }
        println!();
    }
}

/// As many coefficients as points, around where Horner's rule gives way to a tree.
fn cutoffs<F: PlainField>(name: &str, field: &F) {
    for log_size in 5..12 {
        let size = 1 << log_size;
        let (poly, points) = (elements(field, 1, size), elements(field, 2, size));
        let (poly, points) = (field.words_of(&poly), field.words_of(&points));
        let mut values = points.to_vec();
        let horner = best(|| field.horner(&poly, black_box(&points), &mut values));
        let (poly, points) = (field.elements_of(&poly), field.elements_of(&points));
        let chosen = best(|| drop(black_box(evaluate(field, &poly, black_box(&points)))));
        println!("{name:>10} {size:>6} Horner {horner:>9.3} ms, chosen {chosen:>9.3} ms");
    }
}

/// Elements without a pattern that arithmetic would notice.
fn elements<F: Field>(field: &F, seed: u64, count: usize) -> Vec<F::Element> {
    let step = field.element(0x9e37_79b9_7f4a_7c15);
    let mut element = field.element(seed.wrapping_mul(0xd129_42e5_96bf_6b05));
    let mut next = || {
        element = field.add(&field.mul(&element, &element), &step);
        element.clone()
    };
    (0..count).map(|_| next()).collect()
}

/// Milliseconds of the fastest run, of two seconds' worth and at least two.
fn best(mut run: impl FnMut()) -> f64 {
    let started = Instant::now();
    let mut best = Duration::MAX;
    let mut runs = 0;
    while runs < 2 || (runs < 50 && started.elapsed() < Duration::from_secs(2)) {
        let run_started = Instant::now();
        run();
        best = best.min(run_started.elapsed());
        runs += 1;
    }
    best.as_secs_f64() * 1e3
}
