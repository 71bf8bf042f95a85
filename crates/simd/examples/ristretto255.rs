//! Nanoseconds a point of each function of ristretto255 with each kernel, beside curve25519-dalek's and the ladder of
//! X25519: batches of 4096, the best of nine.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

use std::hint::black_box;
use std::time::Instant;

use curve25519_dalek::ristretto::CompressedRistretto;
use curve25519_dalek::traits::{Identity, MultiscalarMul};
use curve25519_dalek::{RistrettoPoint, Scalar};
use veilset_simd::ristretto255::{self, ElligatorBranch, FixedBase, Point};
use veilset_simd::{Kernel, x25519};

const BATCH: usize = 4096;
const SAMPLES: usize = 9;

/// Terms of the sums.
const TERMS: [usize; 3] = [16, 64, 256];

fn main() {
    let uniform = |index: usize, salt: u8| {
        let mut state = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(salt);
        std::array::from_fn(|_| {
            state = state.wrapping_mul(0xd129_42e5_96bf_6b05).wrapping_add(1);
            (state >> 56) as u8
        })
    };
    let scalars: Vec<Scalar> =
        (0..BATCH).map(|index| Scalar::from_bytes_mod_order_wide(&uniform(index, 1))).collect();
    let elements: Vec<RistrettoPoint> =
        (0..BATCH).map(|index| RistrettoPoint::from_uniform_bytes(&uniform(index, 2))).collect();
    let encoded: Vec<[u8; 32]> =
        elements.iter().map(|element| element.compress().to_bytes()).collect();
    println!("{:>10} {:>24} {:>10}", "", "", "ns");
    reference(&scalars, &elements, &encoded);
    let scalars: Vec<[u8; 32]> = scalars.iter().map(Scalar::to_bytes).collect();
    for kernel in Kernel::available() {
        lanes(kernel, &scalars, &encoded);
    }
}

fn reference(scalars: &[Scalar], elements: &[RistrettoPoint], encoded: &[[u8; 32]]) {
    let mut points = vec![RistrettoPoint::identity(); BATCH];
    let report = |function: &str, ns: f64| report("dalek", function, ns);
    report(
        "decode",
        best(|| {
            for (point, encoded) in points.iter_mut().zip(black_box(encoded)) {
                *point = CompressedRistretto(*encoded).decompress().unwrap_or(*point);
            }
        }),
    );
    report(
        "encode",
        best(|| drop(black_box(elements.iter().map(|e| e.compress()).collect::<Vec<_>>()))),
    );
    report(
        "encode_doubled",
        best(|| drop(black_box(RistrettoPoint::double_and_compress_batch(black_box(elements))))),
    );
    report("add", best(|| points.iter_mut().zip(black_box(elements)).for_each(|(p, e)| *p += e)));
    report(
        "multiply",
        best(|| points.iter_mut().zip(black_box(scalars)).for_each(|(p, s)| *p *= s)),
    );
    report(
        "multiply_generator",
        best(|| {
            points
                .iter_mut()
                .zip(black_box(scalars))
                .for_each(|(p, s)| *p = RistrettoPoint::mul_base(s));
        }),
    );
    for terms in TERMS {
        report(
            &format!("sums of {terms}"),
            best(|| {
                for (s, e) in scalars.chunks(terms).zip(elements.chunks(terms)) {
                    black_box(RistrettoPoint::multiscalar_mul(s, e));
                }
            }),
        );
    }
}

fn lanes(kernel: Kernel, scalars: &[[u8; 32]], encoded: &[[u8; 32]]) {
    let mut points = vec![Point::IDENTITY; BATCH];
    let mut out = encoded.to_vec();
    let report = |function: &str, ns: f64| report(kernel.name(), function, ns);
    report(
        "decode",
        best(|| assert_eq!(ristretto255::decode(kernel, black_box(encoded), &mut points), Ok(()))),
    );
    let others = points.clone();
    report("x25519", best(|| x25519(kernel, black_box(&scalars[0]), black_box(&mut out))));
    let uniform = vec![[0x5a; 64]; BATCH];
    report("map", best(|| ristretto255::map(kernel, black_box(&uniform), &mut points)));
    report("encode", best(|| ristretto255::encode(kernel, black_box(&points), &mut out)));
    report(
        "encode_doubled",
        best(|| ristretto255::encode_doubled(kernel, black_box(&points), &mut out)),
    );
    report("add", best(|| ristretto255::add(kernel, &mut points, black_box(&others))));
    report("double", best(|| ristretto255::double(kernel, black_box(&mut points))));
    report("multiply", best(|| ristretto255::multiply(kernel, black_box(scalars), &mut points)));
    report(
        "multiply_all",
        best(|| ristretto255::multiply_all(kernel, black_box(&scalars[0]), &mut points)),
    );
    report(
        "multiply_generator",
        best(|| ristretto255::multiply_generator(kernel, black_box(scalars), &mut points)),
    );
    report(
        "FixedBase::new",
        BATCH as f64 * best(|| drop(black_box(FixedBase::new(kernel, black_box(&others[0]))))),
    );
    report(
        "u_coordinates",
        best(|| ristretto255::u_coordinates(kernel, black_box(&others), &mut out)),
    );
    let (branches, mut found) = (vec![ElligatorBranch::new(0x1f); BATCH], vec![false; BATCH]);
    report(
        "representatives",
        best(|| {
            ristretto255::representatives(
                kernel,
                black_box(&others),
                &branches,
                &mut out,
                &mut found,
            );
        }),
    );
    for terms in TERMS {
        report(
            &format!("sums of {terms}"),
            best(|| {
                drop(black_box(ristretto255::sums_of_products(
                    kernel,
                    black_box(scalars),
                    &others,
                    terms,
                )))
            }),
        );
    }
}

fn report(kernel: &str, function: &str, ns: f64) {
    println!("{kernel:>10} {function:>24} {ns:>10.0}");
}

/// Nanoseconds a point of the fastest sample.
fn best(mut sample: impl FnMut()) -> f64 {
    let time = |_| {
        let started = Instant::now();
        sample();
        started.elapsed().as_secs_f64() * 1e9 / BATCH as f64
    };
    (0..SAMPLES).map(time).fold(f64::INFINITY, f64::min)
}
