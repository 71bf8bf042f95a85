//! Predictions against counting, and against formulas for powers.

use super::*;
use crate::testing::{ALL, TRANSFORMS, goldilocks, random, rng};
use crate::{Counting, Evaluation, Itself, Module, Multiplication};

const KARATSUBA: Multiplication = Multiplication::Karatsuba { cutoff: 1 };

fn assert_product(how: Multiplication, plain: usize, poly: usize) {
    let field = goldilocks();
    let coefficients = random(&field, &mut rng(1), plain + poly);
    let (a, b) = coefficients.split_at(plain);

    let counting = Counting::new(Itself(&field));
    crate::multiply(&counting, how, a, b).expect("roots of unity");
    assert_eq!(counting.operations(), multiply(how, plain, poly), "{how:?} {plain} {poly}");

    let counting = Counting::new(Itself(&field));
    let window = &coefficients[..(plain + poly).saturating_sub(1)];
    crate::transposed_multiply(&counting, how, a, window).expect("roots of unity");
    let expected = transposed_multiply(how, plain, poly);
    assert_eq!(counting.operations(), expected, "{how:?} {plain} {poly} transposed");
}

#[test]
fn products_take_what_is_predicted() {
    for how in ALL {
        for plain in 0..40 {
            for poly in 0..40 {
                assert_product(how, plain, poly);
            }
        }
        for (plain, poly) in [(257, 257), (500, 1000), (1000, 333), (3, 3000), (2000, 64)] {
            assert_product(how, plain, poly);
        }
    }
}

#[test]
fn a_subtraction_is_an_addition_and_a_negation() {
    let field = goldilocks();
    let other = random(&field, &mut rng(4), 3);
    let after = |operation: fn(&Counting<Itself<'_, _>>, &mut [_], &[_])| {
        let counting = Counting::new(Itself(&field));
        operation(&counting, &mut random(&field, &mut rng(5), 3), &other);
        let Operations { scalings, additions, negations } = counting.operations();
        [scalings, additions, negations]
    };
    assert_eq!(after(|module, elements, other| module.add(elements, other)), [0, 3, 0]);
    assert_eq!(after(|module, elements, other| module.sub(elements, other)), [0, 3, 3]);
    assert_eq!(after(|module, elements, _| module.negate(elements)), [0, 0, 3]);
    assert_eq!(after(|module, elements, _| module.double(elements)), [0, 3, 0]);
    assert_eq!(after(|module, elements, other| module.scale(other, elements)), [3, 0, 0]);
    let sum = |module: &Counting<Itself<'_, _>>, elements: &mut [_], other: &[_]| {
        module.sum_of_products(other, elements);
    };
    assert_eq!(after(sum), [3, 2, 0]);
}

#[test]
fn karatsuba_takes_what_the_paper_counts() {
    for log in 0..12 {
        let k = 1usize << log;
        let found = multiply(KARATSUBA, k, k);
        assert_eq!(found.scalings, 3u64.pow(log), "{k}");
        // Two polynomials a step are negated, M(k) = 3·M(k/2) + 2, of k − 1 coefficients each.
        let steps = (0..log).map(|level| (3u64.pow(level), (k >> level) as u64));
        let polynomials: u64 = steps.clone().map(|(steps, _)| 2 * steps).sum();
        assert_eq!(polynomials, 3u64.pow(log) - 1, "Proposition 3");
        let elements: u64 = steps.map(|(steps, k)| steps * 2 * (k - 1)).sum();
        assert_eq!(found.negations, elements, "{k}");
        assert_eq!(found.negations, 3u64.pow(log + 1) + 1 - 4 * k as u64, "{k}");
    }
}

#[test]
fn toom_takes_five_products_of_thirds() {
    for log in 0..8 {
        let found = multiply(Multiplication::Toom3 { cutoff: 1 }, 3usize.pow(log), 3usize.pow(log));
        assert_eq!(found.scalings, 5u64.pow(log));
    }
}

#[test]
fn toom_takes_seven_products_of_quarters() {
    for log in 0..6 {
        let found = multiply(Multiplication::Toom4 { cutoff: 1 }, 4usize.pow(log), 4usize.pow(log));
        assert_eq!(found.scalings, 7u64.pow(log));
    }
}

#[test]
fn transforms_skip_the_factors_that_are_1() {
    for log in 5..14u64 {
        let (k, size) = (1usize << (log - 1), 1u64 << log);
        let found = multiply(TRANSFORMS, k, k);
        assert_eq!(found.scalings, 2 * (size / 2 * log - (size - 1)) + size, "{k}");
        // Degree k, so k + 1 coefficients: one more product, not a transform of twice the size.
        let degree_k = multiply(TRANSFORMS, k + 1, k + 1);
        assert_eq!(degree_k.scalings, found.scalings + 1);
    }
}

#[test]
fn toom_multiplies_what_is_short_with_fewer_products_than_transforms() {
    for k in 1..400 {
        let found = multiply(Multiplication::Ntt { cutoff: 1 }, k, k).scalings;
        let transforms = multiply(TRANSFORMS, k, k).scalings;
        assert!(
            if (4..=128).contains(&k) { found < transforms } else { found <= transforms },
            "{k}"
        );
    }
}

#[test]
fn evaluations_take_what_is_predicted() {
    let field = goldilocks();
    let coefficients = random(&field, &mut rng(2), 200);
    let points = random(&field, &mut rng(3), 100);
    let methods = ALL.into_iter().flat_map(|multiplication| {
        let sizes = [1, 2, 3, 8].into_iter();
        sizes.flat_map(move |leaf| {
            [
                Evaluation::Blocks { size: leaf, multiplication },
                Evaluation::RemainderTree { leaf, multiplication },
                Evaluation::Transposed { leaf, multiplication },
            ]
        })
    });
    for how in methods.chain([Evaluation::Horner, Evaluation::MultiScalar]) {
        for (len, count) in SIZES {
            let counting = Counting::new(Itself(&field));
            let found = crate::evaluate(&counting, how, &coefficients[..len], &points[..count]);
            assert_eq!(found.expect("roots of unity").len(), count);
            assert_eq!(counting.operations(), evaluate(how, len, count), "{how:?} {len} {count}");
        }
    }
}

/// Coefficients and points.
const SIZES: [(usize, usize); 17] = [
    (0, 0),
    (0, 3),
    (1, 0),
    (1, 1),
    (1, 5),
    (2, 1),
    (2, 9),
    (5, 2),
    (5, 4),
    (9, 16),
    (17, 8),
    (33, 16),
    (40, 13),
    (65, 32),
    (129, 64),
    (200, 100),
    (100, 1),
];

#[test]
fn algorithm_2_is_best_with_blocks_near_the_size_derived() {
    let k = 1usize << 12;
    let blocks = |size| Evaluation::Blocks { size, multiplication: KARATSUBA };
    let best = (0..=12).min_by_key(|log| evaluate(blocks(1 << log), 2 * k + 1, k).scalings);
    // 1.43·4096^0.707 = 512.
    assert_eq!(best, Some(9));
    let found = evaluate(blocks(512), 2 * k + 1, k).scalings as f64;
    let derived = 4.0 * (k * k) as f64 * 512f64.powf(-0.415) + (512 * k) as f64;
    assert!((found / derived - 1.0).abs() < 0.1, "{found} {derived}");
}

#[test]
fn transposition_takes_less_than_remainders() {
    for log in 2..10 {
        let k = 1 << log;
        let remainders = Evaluation::RemainderTree { leaf: 1, multiplication: KARATSUBA };
        let transposed = Evaluation::Transposed { leaf: 1, multiplication: KARATSUBA };
        let remainders = evaluate(remainders, 2 * k + 1, k);
        let transposed = evaluate(transposed, 2 * k + 1, k);
        // With K(k) = 3^m: 2·K(k) at the root, and E(k) = 2·K(k/2) + 2·E(k/2) = 2·3^m − 2^(m + 1) below.
        assert_eq!(transposed.scalings, 4 * 3u64.pow(log) - (2 << log), "{k}");
        assert!(transposed.scalings < remainders.scalings, "{k}");
    }
}
