//! Horner's rule.

use veilset_crypto::tasks;

use crate::coefficients::{Wiped, concatenate};
use crate::{Module, Scalar};

/// Points that one task takes.
const POINTS: usize = 256;

/// The same polynomial at all points.
pub(super) fn evaluate<M: Module>(
    module: &M,
    poly: &[M::Element],
    points: &[Scalar<M>],
) -> Vec<M::Element> {
    let places: Vec<_> = points.iter().map(|point| (point, poly)).collect();
    each(module, &places)
}

/// Each polynomial at its point.
pub(super) fn each<M: Module>(
    module: &M,
    places: &[(&Scalar<M>, &[M::Element])],
) -> Vec<M::Element> {
    let runs = places.chunk_by(|a, b| a.1.len() == b.1.len());
    let runs = runs.flat_map(|run| run.chunks(POINTS));
    concatenate(&tasks::map(runs, |places| together(module, places)))
}

/// Polynomials of the same length, each coefficient of all in one call.
fn together<M: Module>(module: &M, places: &[(&Scalar<M>, &[M::Element])]) -> Wiped<M::Element> {
    let points = Wiped::new(places.iter().map(|(point, _)| (*point).clone()).collect());
    let len = places.first().map_or(0, |(_, poly)| poly.len());
    let coefficients =
        |index: usize| Wiped::new(places.iter().map(|(_, poly)| poly[index].clone()).collect());
    let mut degrees = (0..len).rev();
    let Some(highest) = degrees.next() else {
        return Wiped::new(vec![module.zero(); places.len()]);
    };
    let mut values = coefficients(highest);
    for degree in degrees {
        module.scale(&points, &mut values);
        module.add(&mut values, &coefficients(degree));
    }
    values
}
