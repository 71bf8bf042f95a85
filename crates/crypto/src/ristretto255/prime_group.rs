//! The group of prime order, in lanes.

use curve25519_dalek::Scalar;
use rayon::prelude::*;
use veilset_simd::Kernel;
use veilset_simd::ristretto255::{self as lanes, FixedBase, Point};
use zeroize::Zeroizing;

use crate::tasks::{VALUES_A_TASK, refusing_tasks, tasks};
use crate::{NotAnElement, PrimeGroup, RistrettoScalars};

/// ristretto255, of order ℓ = 2^252 + 27742317777372353535851937790883648493; multiplications in lanes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ristretto255;

fn bytes(scalars: &[Scalar]) -> Zeroizing<Vec<[u8; 32]>> {
    Zeroizing::new(scalars.iter().map(Scalar::to_bytes).collect())
}

/// Cuts two slices into tasks alike.
fn pairwise<A: Send, B: Sync>(
    left: &mut [A],
    right: &[B],
    task: impl Fn(&mut [A], &[B]) + Send + Sync,
) {
    assert_eq!(left.len(), right.len(), "each element has its counterpart");
    left.par_chunks_mut(VALUES_A_TASK)
        .zip(right.par_chunks(VALUES_A_TASK))
        .for_each(|(left, right)| task(left, right));
}

impl PrimeGroup for Ristretto255 {
    type Scalar = Scalar;
    type Field = RistrettoScalars;
    type Element = Point;
    type Base = FixedBase;

    fn field(&self) -> &RistrettoScalars {
        const { &RistrettoScalars::new() }
    }

    fn encoded_len(&self) -> usize {
        32
    }

    fn scalar(&self, bytes: &[u8; 64]) -> Scalar {
        Scalar::from_bytes_mod_order_wide(bytes)
    }

    fn identity(&self) -> Point {
        Point::IDENTITY
    }

    fn generator(&self) -> Point {
        Point::GENERATOR
    }

    fn add(&self, sums: &mut [Point], elements: &[Point]) {
        pairwise(sums, elements, |sums, elements| lanes::add(Kernel::best(), sums, elements));
    }

    fn subtract(&self, differences: &mut [Point], elements: &[Point]) {
        pairwise(differences, elements, |left, right| lanes::subtract(Kernel::best(), left, right));
    }

    fn negate(&self, elements: &mut [Point]) {
        lanes::negate(elements);
    }

    fn double(&self, elements: &mut [Point]) {
        elements
            .par_chunks_mut(VALUES_A_TASK)
            .for_each(|points| lanes::double(Kernel::best(), points));
    }

    fn multiply(&self, scalars: &[Scalar], elements: &mut [Point]) {
        pairwise(elements, scalars, |points, scalars| {
            lanes::multiply(Kernel::best(), &bytes(scalars), points);
        });
    }

    fn multiply_all(&self, scalar: &Scalar, elements: &mut [Point]) {
        let scalar = Zeroizing::new(scalar.to_bytes());
        elements
            .par_chunks_mut(VALUES_A_TASK)
            .for_each(|points| lanes::multiply_all(Kernel::best(), &scalar, points));
    }

    fn sums_of_products(&self, scalars: &[Scalar], elements: &[Point], terms: usize) -> Vec<Point> {
        assert_eq!(scalars.len(), elements.len(), "each element has its scalar");
        // A group of lanes at least, for each lane makes a sum.
        let task = terms * VALUES_A_TASK.div_ceil(terms).next_multiple_of(8);
        let sums = scalars.par_chunks(task).zip(elements.par_chunks(task)).flat_map_iter(
            |(scalars, points)| {
                lanes::sums_of_products(Kernel::best(), &bytes(scalars), points, terms)
            },
        );
        sums.collect()
    }

    fn base(&self, element: &Point) -> FixedBase {
        FixedBase::new(Kernel::best(), element)
    }

    fn multiply_base(&self, base: &FixedBase, scalars: &[Scalar]) -> Vec<Point> {
        tasks::<VALUES_A_TASK, _, _>(scalars, Point::IDENTITY, |scalars, products| {
            base.multiply(&bytes(scalars), products);
        })
    }

    fn multiply_generator(&self, scalars: &[Scalar]) -> Vec<Point> {
        tasks::<VALUES_A_TASK, _, _>(scalars, Point::IDENTITY, |scalars, products| {
            lanes::multiply_generator(Kernel::best(), &bytes(scalars), products);
        })
    }

    fn are_identity(&self, elements: &[Point]) -> Vec<bool> {
        lanes::is_identity(Kernel::best(), elements)
    }

    fn encode(&self, elements: &[Point], out: &mut Vec<u8>) {
        let encoded = tasks::<VALUES_A_TASK, _, _>(elements, [0; 32], |points, encoded| {
            lanes::encode(Kernel::best(), points, encoded);
        });
        out.extend_from_slice(encoded.as_flattened());
    }

    fn decode(&self, encoded: &[u8]) -> Result<Vec<Point>, NotAnElement> {
        let (encodings, rest) = encoded.as_chunks();
        assert!(rest.is_empty(), "whole encodings");
        refusing_tasks::<VALUES_A_TASK, _, _>(encodings, Point::IDENTITY, |encodings, points| {
            lanes::decode(Kernel::best(), encodings, points)
        })
    }

    fn scalar_len(&self) -> usize {
        32
    }

    fn encode_scalars(&self, scalars: &[Scalar], out: &mut Vec<u8>) {
        scalars.iter().for_each(|scalar| out.extend_from_slice(&scalar.to_bytes()));
    }

    fn decode_scalars(&self, encoded: &[u8]) -> Option<Vec<Scalar>> {
        let (encodings, rest) = encoded.as_chunks();
        assert!(rest.is_empty(), "whole encodings");
        encodings.iter().map(|bytes| Scalar::from_canonical_bytes(*bytes).into()).collect()
    }
}
