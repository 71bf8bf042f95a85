//! Products against their definition and the exponents of group elements.

use std::sync::Mutex;

use proptest::prelude::*;

use super::split::BATCH;
use super::*;
use crate::Itself;
use crate::testing::{
    ALL, Ristretto, TRANSFORMS, goldilocks, in_the_exponent, no_root, product, random, rng,
    transposed,
};
use veilset_crypto::RistrettoScalars;
use veilset_paper_groups::PallasScalars;

/// A module that remembers how large the calls of [`Module::scale`] were.
struct Calls<M>(M, Mutex<Vec<usize>>);

impl<M: Module> Module for Calls<M> {
    type Field = M::Field;
    type Element = M::Element;

    fn field(&self) -> &M::Field {
        self.0.field()
    }

    fn zero(&self) -> M::Element {
        self.0.zero()
    }

    fn add(&self, into: &mut [M::Element], other: &[M::Element]) {
        self.0.add(into, other);
    }

    fn sub(&self, from: &mut [M::Element], other: &[M::Element]) {
        self.0.sub(from, other);
    }

    fn negate(&self, elements: &mut [M::Element]) {
        self.0.negate(elements);
    }

    fn scale(&self, scalars: &[Scalar<M>], elements: &mut [M::Element]) {
        self.1.lock().expect("nobody panics").push(elements.len());
        self.0.scale(scalars, elements);
    }
}

#[test]
fn all_small_lengths() {
    let field = goldilocks();
    let itself = Itself(&field);
    let coefficients = random(&field, &mut rng(2), 80);
    for how in ALL {
        for plain in 0..21 {
            for poly in 0..30 {
                let a = &coefficients[..plain];
                let b = &coefficients[20..20 + poly];
                let found = multiply(&itself, how, a, b).expect("roots of unity");
                assert!(found == product(&field, a, b), "{how:?} {plain} {poly}");
                let c = &coefficients[20..20 + (plain + poly).saturating_sub(1)];
                let found = transposed_multiply(&itself, how, a, c).expect("roots of unity");
                assert!(found == transposed(&field, a, c), "{how:?} {plain} {poly} transposed");
            }
        }
    }
}

#[test]
fn large_and_unequal_lengths() {
    let field = goldilocks();
    let itself = Itself(&field);
    let a = random(&field, &mut rng(3), 1100);
    let b = random(&field, &mut rng(4), 2200);
    for (plain, poly) in [(1025, 1025), (1000, 300), (77, 1024), (5, 2000), (900, 7), (1, 1500)] {
        let expected = product(&field, &a[..plain], &b[..poly]);
        let middle = transposed(&field, &a[..plain], &b[..plain + poly - 1]);
        for how in ALL {
            let found = multiply(&itself, how, &a[..plain], &b[..poly]).expect("roots of unity");
            assert!(found == expected, "{how:?} {plain} {poly}");
            let found = transposed_multiply(&itself, how, &a[..plain], &b[..plain + poly - 1]);
            assert!(found.expect("roots of unity") == middle, "{how:?} {plain} {poly} transposed");
        }
    }
}

#[test]
fn leading_zeros_stay() {
    let field = goldilocks();
    let mut a = random(&field, &mut rng(5), 20);
    a.extend(vec![field.zero(); 13]);
    for how in ALL {
        let square = multiply(&Itself(&field), how, &a, &a).expect("roots of unity");
        assert!(square == product(&field, &a, &a), "{how:?}");
        assert!(square[39..].iter().all(|coefficient| *coefficient == field.zero()));
    }
}

#[test]
fn a_plain_factor_longer_than_the_other_has_no_transposed_product() {
    let field = goldilocks();
    let a = random(&field, &mut rng(6), 9);
    for how in ALL {
        let found = transposed_multiply(&Itself(&field), how, &a, &a[..7]);
        assert!(found.expect("nothing to do").is_empty());
    }
}

#[test]
fn points_are_multiplied_as_their_exponents_are() {
    let field = RistrettoScalars::new();
    let module = Ristretto(RistrettoScalars::new());
    let exponents = random(&field, &mut rng(7), 60);
    let (a, b) = exponents.split_at(19);
    let (points, powers) = (in_the_exponent(b), in_the_exponent(&product(&field, a, b)));
    let middle = in_the_exponent(&transposed(&field, a, b));
    for how in ALL.into_iter().filter(|how| !matches!(how, Multiplication::Ntt { .. })) {
        let found = multiply(&module, how, a, &points).expect("no roots needed");
        assert!(found == powers, "{how:?}");
        let found = transposed_multiply(&module, how, a, &points).expect("no roots needed");
        assert!(found == middle, "{how:?} transposed");
    }
}

#[test]
fn products_share_calls_of_the_module() {
    let field = goldilocks();
    let a = random(&field, &mut rng(10), 200);
    let calls = |how, len: usize| {
        let module = Calls(Itself(&field), Mutex::default());
        multiply(&module, how, &a[..len], &a[..len]).expect("roots of unity");
        module.1.into_inner().expect("nobody panics")
    };
    assert_eq!(calls(Multiplication::Schoolbook, 32), [1024]);
    assert_eq!(calls(Multiplication::Karatsuba { cutoff: 1 }, 64), [729]);
    assert_eq!(calls(Multiplication::Toom3 { cutoff: 1 }, 81), [625]);
    // A step of each transform has no factor other than 1.
    assert_eq!(calls(TRANSFORMS, 32), [31, 30, 28, 24, 16, 64, 16, 24, 28, 30, 31]);
    for how in ALL {
        assert!(calls(how, 200).iter().all(|products| *products <= BATCH), "{how:?}");
    }
}

#[test]
fn a_field_without_roots_has_no_transforms() {
    let field = RistrettoScalars::new();
    let itself = Itself(&field);
    let a = random(&field, &mut rng(8), 100);
    assert!(multiply(&itself, TRANSFORMS, &a, &a) == Err(no_root(8)));
    assert!(transposed_multiply(&itself, TRANSFORMS, &a[..50], &a) == Err(no_root(7)));
    // So short that no transform is needed.
    assert!(multiply(&itself, TRANSFORMS, &a[..4], &a[..4]).is_ok());
    assert_eq!(Multiplication::fastest(&field, 1000), Multiplication::Toom3 { cutoff: 12 });
    assert_eq!(
        Multiplication::fastest(&PallasScalars::new(), 1000),
        Multiplication::Ntt { cutoff: 4 }
    );
}

#[test]
fn the_default_sum_of_products_is_one() {
    let field = goldilocks();
    let itself = Itself(&field);
    let elements = random(&field, &mut rng(9), 40);
    for count in 0..20 {
        let (scalars, elements) = (&elements[..count], &elements[20..20 + count]);
        let sum = transposed(&field, scalars, elements).pop().unwrap_or(field.zero());
        assert!(itself.sum_of_products(scalars, elements) == sum, "{count}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn products_are_what_the_definition_says(plain in 0usize..400, poly in 0usize..400, seed: u64, how in 0..ALL.len()) {
        let field = PallasScalars::new();
        let a = random(&field, &mut rng(seed), plain);
        let b = random(&field, &mut rng(!seed), poly);
        let found = multiply(&Itself(&field), ALL[how], &a, &b);
        prop_assert_eq!(found, Ok(product(&field, &a, &b)));
    }
}
