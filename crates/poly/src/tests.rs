//! Plain polynomials: expansion, division, series and interpolation against their definitions.

use proptest::prelude::*;

use crate::testing::{ALL, goldilocks, product, random, rng, value};
use crate::{Multiplication, PolyError, divide, expand, interpolate, invert_series};
use veilset_crypto::{Field, PrimeField, RistrettoScalars};
use veilset_paper_groups::PallasScalars;

const TOOM: Multiplication = Multiplication::Toom3 { cutoff: 4 };

#[test]
fn expansions_have_their_roots() {
    let field = goldilocks();
    let roots = random(&field, &mut rng(1), 170);
    for count in [0, 1, 2, 3, 31, 32, 33, 64, 65, 170] {
        let linear = roots[..count].iter().map(|root| vec![field.neg(root), field.one()]);
        let expected = linear.fold(vec![field.one()], |all, one| product(&field, &all, &one));
        for how in ALL {
            let found = expand(&field, how, &roots[..count]).expect("roots of unity");
            assert!(found == expected, "{how:?} {count}");
        }
    }
}

#[test]
fn inverse_series_multiply_to_1() {
    let field = goldilocks();
    let series = random(&field, &mut rng(2), 150);
    for (given, len) in [(1, 40), (2, 1), (20, 0), (20, 16), (20, 17), (150, 150), (90, 101)] {
        for how in ALL {
            let inverse = invert_series(&field, how, &series[..given], len).expect("not 0");
            assert_eq!(inverse.len(), len);
            let mut one = product(&field, &series[..given], &inverse);
            one.resize(len, field.zero());
            assert!(one.first().is_none_or(|one| *one == field.one()), "{how:?} {given} {len}");
            assert!(one.iter().skip(1).all(|zero| *zero == field.zero()), "{how:?} {given} {len}");
        }
    }
}

#[test]
fn what_cannot_be_inverted_is_refused() {
    let field = RistrettoScalars::new();
    let [zero, one] = [field.zero(), field.one()];
    let error = Some(PolyError::ConstantCoefficient);
    assert_eq!(invert_series(&field, TOOM, &[zero, one], 3).err(), error);
    assert_eq!(invert_series(&field, TOOM, &[], 3).err(), error);
    let error = |index| Some(PolyError::LeadingCoefficient { index });
    assert_eq!(divide(&field, TOOM, &[one, one], &[one, zero]).err(), error(1));
    assert_eq!(divide(&field, TOOM, &[one, one], &[]).err(), error(0));
}

#[test]
fn interpolation_needs_distinct_points_and_as_many_values() {
    let field = RistrettoScalars::new();
    let mut points = random(&field, &mut rng(3), 50);
    let values = random(&field, &mut rng(4), 50);
    let error = Some(PolyError::Lengths { points: 50, values: 49 });
    assert_eq!(interpolate(&field, TOOM, &points, &values[1..]).err(), error);
    points[40] = points[7];
    let error = Some(PolyError::RepeatedPoint { index: 7 });
    assert_eq!(interpolate(&field, TOOM, &points, &values).err(), error);
}

#[test]
fn large_moduli_interpolate() {
    // 2^521 − 1, a Mersenne prime, in 16 limbs.
    let prime = crypto_bigint::U1024::ONE.shl(521).wrapping_sub(&crypto_bigint::U1024::ONE);
    let field = PrimeField::new(&prime).expect("a prime");
    let points = random(&field, &mut rng(5), 100);
    let values = random(&field, &mut rng(6), 100);
    let how = Multiplication::fastest(&field, 100);
    let poly = interpolate(&field, how, &points, &values).expect("distinct points");
    assert_eq!(poly.len(), 100);
    let found: Vec<_> = points.iter().map(|point| value(&field, &poly, point)).collect();
    assert!(found == values);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn quotient_times_divisor_and_remainder_are_the_dividend(dividend in 0usize..300, divisor in 1usize..200, seed: u64, how in 0..ALL.len()) {
        let field = PallasScalars::new();
        let a = random(&field, &mut rng(seed), dividend);
        let b = random(&field, &mut rng(!seed), divisor);
        let found = divide(&field, ALL[how], &a, &b).expect("roots of unity");
        prop_assert_eq!(found.quotient.len(), (dividend + 1).saturating_sub(divisor));
        prop_assert_eq!(found.remainder.len(), dividend.min(divisor - 1));
        // The remainder is shorter than the divisor, so there is one such pair alone.
        let mut sum = product(&field, &found.quotient, &b);
        sum.resize(dividend, field.zero());
        sum.iter_mut().zip(&found.remainder).for_each(|(sum, rest)| *sum = field.add(sum, rest));
        prop_assert_eq!(sum, a);
    }
}
