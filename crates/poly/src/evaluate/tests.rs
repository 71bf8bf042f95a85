//! Evaluation against the definition.

use proptest::prelude::*;

use super::*;
use crate::interpolate;
use crate::testing::{ALL, Ristretto, TRANSFORMS, goldilocks, in_the_exponent, random, rng, value};
use veilset_crypto::{Field, RistrettoScalars};
use veilset_paper_groups::PallasScalars;

/// Every method with every multiplication.
fn methods() -> impl Iterator<Item = Evaluation> {
    let trees = ALL.into_iter().flat_map(|multiplication| {
        [1, 3, 16].into_iter().flat_map(move |leaf| {
            [
                Evaluation::Blocks { size: leaf, multiplication },
                Evaluation::RemainderTree { leaf, multiplication },
                Evaluation::Transposed { leaf, multiplication },
            ]
        })
    });
    trees.chain([Evaluation::Horner, Evaluation::MultiScalar])
}

#[test]
fn every_method_at_any_size() {
    let field = goldilocks();
    let coefficients = random(&field, &mut rng(1), 300);
    let points = random(&field, &mut rng(2), 150);
    let sizes = [0, 1, 2, 3, 7, 16, 33, 150].into_iter();
    for (len, count) in sizes.flat_map(|count| [0, 1, 2, 5, 65, 300].map(|len| (len, count))) {
        let (poly, points) = (&coefficients[..len], &points[..count]);
        let expected: Vec<_> = points.iter().map(|point| value(&field, poly, point)).collect();
        for how in methods() {
            let found = evaluate(&Itself(&field), how, poly, points).expect("roots of unity");
            assert!(found == expected, "{how:?} {len} {count}");
        }
    }
}

#[test]
fn points_may_repeat_and_be_0() {
    let field = goldilocks();
    let poly = random(&field, &mut rng(3), 20);
    let mut points = random(&field, &mut rng(4), 5);
    points.extend(points.clone());
    points.extend([field.zero(), field.zero(), field.one()]);
    let expected: Vec<_> = points.iter().map(|point| value(&field, &poly, point)).collect();
    for how in methods() {
        let found = evaluate(&Itself(&field), how, &poly, &points).expect("roots of unity");
        assert!(found == expected, "{how:?}");
    }
}

#[test]
fn points_have_the_values_of_their_exponents() {
    let field = RistrettoScalars::new();
    let module = Ristretto(RistrettoScalars::new());
    let exponents = random(&field, &mut rng(7), 11);
    let points = random(&field, &mut rng(8), 5);
    let expected: Vec<_> = points.iter().map(|point| value(&field, &exponents, point)).collect();
    let (poly, expected) = (in_the_exponent(&exponents), in_the_exponent(&expected));
    let multiplication = Multiplication::Toom3 { cutoff: 1 };
    for how in [
        Evaluation::Horner,
        Evaluation::Blocks { size: 2, multiplication },
        Evaluation::RemainderTree { leaf: 1, multiplication },
        Evaluation::MultiScalar,
        Evaluation::Transposed { leaf: 1, multiplication },
        Evaluation::Transposed { leaf: 4, multiplication },
    ] {
        let found = evaluate(&module, how, &poly, &points).expect("no roots needed");
        assert!(found == expected, "{how:?}");
    }
}

#[test]
fn large_enough_to_be_divided() {
    let field = PallasScalars::new();
    let poly = random(&field, &mut rng(5), 1201);
    let points = random(&field, &mut rng(6), 700);
    let expected: Vec<_> = points.iter().map(|point| value(&field, &poly, point)).collect();
    for multiplication in [Multiplication::Karatsuba { cutoff: 8 }, TRANSFORMS] {
        for how in [
            Evaluation::Horner,
            Evaluation::Blocks { size: 64, multiplication },
            Evaluation::RemainderTree { leaf: 32, multiplication },
            Evaluation::Transposed { leaf: 1, multiplication },
        ] {
            let found = evaluate(&Itself(&field), how, &poly, &points);
            assert_eq!(found.as_ref(), Ok(&expected), "{how:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn values_interpolate_to_the_polynomial(len in 0usize..120, more in 0usize..9, seed: u64) {
        let field = PallasScalars::new();
        let mut poly = random(&field, &mut rng(seed), len);
        let points = random(&field, &mut rng(!seed), len + more);
        let values: Vec<_> = points.iter().map(|point| value(&field, &poly, point)).collect();
        poly.resize(len + more, field.zero());
        for how in [Multiplication::Toom3 { cutoff: 4 }, TRANSFORMS] {
            let found = interpolate(&field, how, &points, &values);
            prop_assert_eq!(found.as_ref(), Ok(&poly));
        }
    }
}
