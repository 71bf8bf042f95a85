//! One factor in two parts, the other multiplied by both.

use super::problem::{Form, Problem};
use crate::Module;
use crate::coefficients::{Wiped, add_at};

pub(super) fn split_plain<'p, M: Module>(
    problem: &'p Problem<'_, M>,
    at: usize,
) -> Vec<Problem<'p, M>> {
    let (plain, poly) = (&*problem.plain, &*problem.poly);
    let (low, high) = plain.split_at(at);
    match problem.form {
        Form::Product => vec![Problem::product(low, poly), Problem::product(high, poly)],
        Form::Transposed => {
            let within = at + problem.lengths.poly - 1;
            let low = Problem::transposed(low, &poly[..within]);
            vec![low, Problem::transposed(high, &poly[at..])]
        }
    }
}

pub(super) fn join_plain<M: Module>(
    module: &M,
    form: Form,
    parts: &mut [Wiped<M::Element>],
    at: usize,
) -> Wiped<M::Element> {
    let at = match form {
        Form::Product => at,
        Form::Transposed => 0,
    };
    let mut product = std::mem::take(&mut parts[0]);
    add_at(module, &mut product, at, &parts[1]);
    product
}

pub(super) fn split_poly<'p, M: Module>(
    problem: &'p Problem<'_, M>,
    at: usize,
) -> Vec<Problem<'p, M>> {
    let (plain, poly) = (&*problem.plain, &*problem.poly);
    match problem.form {
        Form::Product => {
            let (low, high) = poly.split_at(at);
            vec![Problem::product(plain, low), Problem::product(plain, high)]
        }
        Form::Transposed => {
            let low = Problem::transposed(plain, &poly[..plain.len() + at - 1]);
            vec![low, Problem::transposed(plain, &poly[at..])]
        }
    }
}

/// Transposed, the parts of the result lie side by side.
pub(super) fn join_poly<M: Module>(
    module: &M,
    parts: &mut [Wiped<M::Element>],
    at: usize,
) -> Wiped<M::Element> {
    let mut product = std::mem::take(&mut parts[0]);
    add_at(module, &mut product, at, &parts[1]);
    product
}
