//! The curve Pallas, whose order less 1 is a multiple of 2^32: exponents have number-theoretic transforms.

mod point;
#[cfg(test)]
mod tests;
mod window;

use std::sync::LazyLock;

use ff::{FromUniformBytes, PrimeField};
use pasta_curves::pallas::Scalar;
use rayon::prelude::*;

use veilset_crypto::tasks::{VALUES_A_TASK, pairs, refusing_tasks, tasks};
use veilset_crypto::{NotAnElement, PrimeGroup};
use window::{Digits, sum_of_products};

use crate::PallasScalars;

pub use point::PallasPoint;
pub use window::PallasBase;

/// The group of the curve y² = x³ + 5 over the integers modulo 2^254 + 45560315531419706090280762371685220353, of order
/// q = 2^254 + 45560315531506369815346746415080538113 (the Pallas of the pasta curves). Security about 126 bits.
///
/// Encodings have 32 bytes: x, least byte first, and the lowest bit of y in the highest bit.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pallas;

static GENERATOR: LazyLock<PallasBase> = LazyLock::new(|| PallasBase::new(&PallasPoint::GENERATOR));

impl PrimeGroup for Pallas {
    type Scalar = Scalar;
    type Field = PallasScalars;
    type Element = PallasPoint;
    /// `None` for the neutral element.
    type Base = Option<PallasBase>;

    fn field(&self) -> &PallasScalars {
        const { &PallasScalars::new() }
    }

    fn encoded_len(&self) -> usize {
        32
    }

    fn scalar(&self, bytes: &[u8; 64]) -> Scalar {
        Scalar::from_uniform_bytes(bytes)
    }

    fn identity(&self) -> PallasPoint {
        PallasPoint::IDENTITY
    }

    fn generator(&self) -> PallasPoint {
        PallasPoint::GENERATOR
    }

    fn add(&self, sums: &mut [PallasPoint], elements: &[PallasPoint]) {
        pairs::<VALUES_A_TASK, _, _>(sums, elements, |sum, element| *sum = sum.add(element));
    }

    fn subtract(&self, differences: &mut [PallasPoint], elements: &[PallasPoint]) {
        pairs::<VALUES_A_TASK, _, _>(differences, elements, |difference, element| {
            *difference = difference.add(&element.negate());
        });
    }

    fn negate(&self, elements: &mut [PallasPoint]) {
        elements.iter_mut().for_each(|point| *point = point.negate());
    }

    fn double(&self, elements: &mut [PallasPoint]) {
        elements
            .par_iter_mut()
            .with_min_len(VALUES_A_TASK)
            .for_each(|point| *point = point.double());
    }

    fn multiply(&self, scalars: &[Scalar], elements: &mut [PallasPoint]) {
        pairs::<1, _, _>(elements, scalars, |point, scalar| {
            *point = sum_of_products(&[Digits::of(scalar)], &[*point]);
        });
    }

    fn multiply_all(&self, scalar: &Scalar, elements: &mut [PallasPoint]) {
        let digits = [Digits::of(scalar)];
        elements.par_iter_mut().for_each(|point| *point = sum_of_products(&digits, &[*point]));
    }

    fn sums_of_products(
        &self,
        scalars: &[Scalar],
        elements: &[PallasPoint],
        terms: usize,
    ) -> Vec<PallasPoint> {
        assert_eq!(scalars.len(), elements.len(), "each element has its scalar");
        let sums = scalars.par_chunks(terms).zip(elements.par_chunks(terms));
        let sum = |(scalars, points): (&[Scalar], _)| {
            let digits: Vec<_> = scalars.iter().map(Digits::of).collect();
            sum_of_products(&digits, points)
        };
        sums.map(sum).collect()
    }

    fn base(&self, element: &PallasPoint) -> Option<PallasBase> {
        (!bool::from(element.is_identity())).then(|| PallasBase::new(element))
    }

    fn multiply_base(&self, base: &Option<PallasBase>, scalars: &[Scalar]) -> Vec<PallasPoint> {
        let product = |scalar: &Scalar| {
            base.as_ref().map_or(PallasPoint::IDENTITY, |base| base.multiply(scalar))
        };
        scalars.par_iter().map(product).collect()
    }

    fn multiply_generator(&self, scalars: &[Scalar]) -> Vec<PallasPoint> {
        scalars.par_iter().map(|scalar| GENERATOR.multiply(scalar)).collect()
    }

    fn are_identity(&self, elements: &[PallasPoint]) -> Vec<bool> {
        elements.iter().map(|point| point.is_identity().into()).collect()
    }

    fn encode(&self, elements: &[PallasPoint], out: &mut Vec<u8>) {
        let encoded = tasks::<VALUES_A_TASK, _, _>(elements, [0; 32], PallasPoint::encode);
        out.extend_from_slice(encoded.as_flattened());
    }

    fn decode(&self, encoded: &[u8]) -> Result<Vec<PallasPoint>, NotAnElement> {
        let (encodings, rest) = encoded.as_chunks();
        assert!(rest.is_empty(), "whole encodings");
        let decode = |encodings: &[[u8; 32]], points: &mut [PallasPoint]| {
            for (index, (encoding, point)) in encodings.iter().zip(points).enumerate() {
                *point = PallasPoint::decode(encoding).ok_or(index)?;
            }
            Ok(())
        };
        refusing_tasks::<VALUES_A_TASK, _, _>(encodings, PallasPoint::IDENTITY, decode)
    }

    fn scalar_len(&self) -> usize {
        32
    }

    fn encode_scalars(&self, scalars: &[Scalar], out: &mut Vec<u8>) {
        scalars.iter().for_each(|scalar| out.extend_from_slice(&scalar.to_repr()));
    }

    fn decode_scalars(&self, encoded: &[u8]) -> Option<Vec<Scalar>> {
        let (encodings, rest) = encoded.as_chunks();
        assert!(rest.is_empty(), "whole encodings");
        encodings.iter().map(|bytes| Scalar::from_repr(*bytes).into()).collect()
    }
}
