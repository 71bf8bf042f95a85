//! Against Lagrange's formula, power by power, and one field against the other.

use crypto_bigint::{U256, U1024};
use veilset_crypto::{Field, PrimeField};
use veilset_simd::Kernel;

use super::*;
use crate::testing::{goldilocks, product, random, rng, value};
use crate::{Element25519, Field25519};

/// Sizes around powers of two, and around where algorithms change.
const SIZES: [usize; 17] = [0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 129, 256, 257, 512, 513, 1000];

/// 2^521 − 1, a Mersenne prime, in 16 limbs.
fn field_521() -> PrimeField<{ U1024::LIMBS }> {
    PrimeField::new(&U1024::ONE.shl(521).wrapping_sub(&U1024::ONE)).expect("a prime")
}

fn assert_values<F: PlainField>(
    field: &F,
    poly: &[F::Element],
    xs: &[F::Element],
    ys: &[F::Element],
) {
    assert_eq!(xs.len(), ys.len());
    for (index, (x, y)) in xs.iter().zip(ys).enumerate() {
        assert!(value(field, poly, x) == *y, "{} coefficients, point {index}", poly.len());
    }
}

fn interpolates<F: PlainField>(field: &F, count: usize) {
    let xs = random(field, &mut rng(1), count);
    let ys = random(field, &mut rng(2), count);
    let poly = interpolate(field, &xs, &ys).expect("distinct points");
    assert_eq!(poly.len(), count);
    assert_values(field, &poly, &xs, &ys);
}

fn evaluates<F: PlainField>(field: &F, len: usize, count: usize) {
    let poly = random(field, &mut rng(3), len);
    let points = random(field, &mut rng(4), count);
    assert_values(field, &poly, &points, &evaluate(field, &poly, &points));
}

#[test]
fn every_kernel_at_any_size() {
    for kernel in Kernel::available() {
        let field = Field25519::with_kernel(kernel);
        for size in SIZES {
            interpolates(&field, size);
            evaluates(&field, size, size);
        }
        for (len, count) in [
            (300, 1000),
            (257, 600),
            (1000, 258),
            (5000, 600),
            (1801, 600),
            (1, 300),
            (300, 1),
            (0, 40),
        ] {
            evaluates(&field, len, count);
        }
    }
}

#[test]
fn fields_found_at_run_time() {
    for size in [0, 1, 2, 8, 9, 31, 32, 33, 64, 65, 130, 257] {
        interpolates(&goldilocks(), size);
        evaluates(&goldilocks(), size, size);
        interpolates(&field_521(), size);
        evaluates(&field_521(), size, size);
    }
    for (len, count) in [(33, 200), (65, 129), (200, 70), (777, 70)] {
        evaluates(&goldilocks(), len, count);
        evaluates(&field_521(), len, count);
    }
}

#[test]
fn both_fields_of_that_modulus_agree() {
    let prime = U256::MAX.shr(1).wrapping_sub(&U256::from(18u8));
    let other = PrimeField::new(&prime).expect("a prime");
    let field = Field25519::new();
    let convert = |e: &Element25519| other.residue(&U256::from_le_slice(&e.to_bytes()));
    let all = |elements: &[Element25519]| elements.iter().map(convert).collect::<Vec<_>>();
    let (xs, ys) = (random(&field, &mut rng(5), 3000), random(&field, &mut rng(6), 3000));
    let poly = interpolate(&field, &xs, &ys).expect("distinct points");
    let twin = interpolate(&other, &all(&xs), &all(&ys)).expect("distinct points");
    assert!(all(&poly) == twin);
    assert!(evaluate(&field, &poly, &xs) == ys);
    assert!(evaluate(&other, &twin, &all(&xs)) == all(&ys));
}

/// Σ y·Π (x − x_j)/(x_i − x_j), term by term.
fn lagrange<F: Field>(field: &F, xs: &[F::Element], ys: &[F::Element]) -> Vec<F::Element> {
    let mut sum = vec![field.zero(); xs.len()];
    for (i, y) in ys.iter().enumerate() {
        let mut term = vec![y.clone()];
        for (_, x) in xs.iter().enumerate().filter(|(j, _)| *j != i) {
            let inverse = field.inverse(&field.sub(&xs[i], x)).expect("distinct points");
            let linear = [field.neg(&field.mul(x, &inverse)), inverse];
            term = product(field, &term, &linear);
        }
        for (sum, term) in sum.iter_mut().zip(&term) {
            *sum = field.add(sum, term);
        }
    }
    sum
}

#[test]
fn interpolation_is_lagranges() {
    let field = Field25519::new();
    for count in [1, 2, 33, 70] {
        let (xs, ys) = (random(&field, &mut rng(7), count), random(&field, &mut rng(8), count));
        let found = interpolate(&field, &xs, &ys).expect("distinct points");
        assert!(found == lagrange(&field, &xs, &ys), "{count}");
    }
}

#[test]
fn leading_zeros_and_zeros_at_points() {
    let field = Field25519::new();
    // 0 is among the points, which fill leaves too.
    let mut xs = random(&field, &mut rng(9), 300);
    xs[123] = field.zero();
    let mut poly = random(&field, &mut rng(10), 280);
    poly.resize(300, field.zero());
    let ys = evaluate(&field, &poly, &xs);
    assert_values(&field, &poly, &xs, &ys);
    assert!(interpolate(&field, &xs, &ys) == Ok(poly));
    let zeros = vec![field.zero(); 300];
    assert!(interpolate(&field, &xs, &zeros).as_ref() == Ok(&zeros));
    assert!(evaluate(&field, &zeros, &xs) == zeros);
}

#[test]
fn points_may_repeat_in_evaluations_only() {
    let field = Field25519::new();
    for count in [20, 300] {
        let mut xs = random(&field, &mut rng(11), count);
        let ys = random(&field, &mut rng(12), count);
        assert!(
            interpolate(&field, &xs[1..], &ys)
                == Err(PolyError::Lengths { points: count - 1, values: count })
        );
        xs[count - 1] = xs[7];
        assert!(interpolate(&field, &xs, &ys) == Err(PolyError::RepeatedPoint { index: 7 }));
        // Twice the point that leaves are filled with.
        (xs[3], xs[7]) = (field.zero(), field.zero());
        assert!(interpolate(&field, &xs, &ys) == Err(PolyError::RepeatedPoint { index: 3 }));
        assert_values(&field, &ys, &xs, &evaluate(&field, &ys, &xs));
    }
}

#[test]
fn threads_change_nothing() {
    let field = Field25519::new();
    let (xs, ys) = (random(&field, &mut rng(13), 5000), random(&field, &mut rng(14), 5000));
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| interpolate(&field, &xs, &ys)).expect("distinct points")
    };
    assert!(on(1) == on(3));
}
