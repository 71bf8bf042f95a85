//! Many products at once: small ones share a call of the module, large ones are divided.

use std::ops::Range;

use veilset_crypto::tasks;

use super::leaf::{Leaves, Rest};
use super::problem::{Form, Problem};
use super::split::{BATCH, Lengths, Split, Step};
use super::{Multiplication, cut, karatsuba, leaf, ntt, toom3, toom4};
use crate::coefficients::Wiped;
use crate::{Module, PolyError, Scalar};

/// A module together with a way to multiply.
pub(crate) struct Solver<'a, M: Module> {
    pub(crate) module: &'a M,
    pub(crate) how: Multiplication,
    pub(crate) fractions: toom3::Fractions<Scalar<M>>,
    /// There for Toom-4.
    quarters: Option<toom4::Fractions<Scalar<M>>>,
}

/// What is done with a problem.
#[derive(PartialEq, Eq)]
enum Task {
    /// Its leaves fit into a batch.
    Batch,
    Transform(ntt::Cyclic),
    /// Too large: its parts become problems.
    Split(Multiplication, Split),
}

impl<'a, M: Module> Solver<'a, M> {
    /// # Errors
    /// [`PolyError::Characteristic`] in a field of characteristic 2 or 3, or of 5 for Toom-4.
    pub(crate) fn new(module: &'a M, how: Multiplication) -> Result<Self, PolyError> {
        let fractions = toom3::Fractions::new(module.field())?;
        let quarters = matches!(how, Multiplication::Toom4 { .. })
            .then(|| toom4::Fractions::new(module.field()))
            .transpose()?;
        Ok(Self { module, how, fractions, quarters })
    }

    pub(crate) fn solve_one(
        &self,
        problem: Problem<'_, M>,
    ) -> Result<Wiped<M::Element>, PolyError> {
        let mut solved = self.solve(&[problem])?;
        Ok(solved.swap_remove(0))
    }

    /// The products in the order of the problems, on the threads of the current rayon pool.
    pub(crate) fn solve(
        &self,
        problems: &[Problem<'_, M>],
    ) -> Result<Vec<Wiped<M::Element>>, PolyError> {
        self.solve_by(self.how, problems)
    }

    fn solve_by(
        &self,
        how: Multiplication,
        problems: &[Problem<'_, M>],
    ) -> Result<Vec<Wiped<M::Element>>, PolyError> {
        let solved = tasks::map(groups(how, problems), |(task, range)| {
            let problems = &problems[range];
            match task {
                Task::Batch => Ok(self.batch(how, problems)),
                Task::Transform(cyclic) => ntt::solve(self.module, cyclic, problems),
                Task::Split(how, split) => {
                    problems.iter().map(|problem| self.divide(how, split, problem)).collect()
                }
            }
        });
        Ok(solved.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    fn divide(
        &self,
        how: Multiplication,
        split: Split,
        problem: &Problem<'_, M>,
    ) -> Result<Wiped<M::Element>, PolyError> {
        let mut parts = self.solve_by(how, &self.split(split, problem))?;
        Ok(self.join(split, problem.form, problem.lengths, &mut parts))
    }

    /// One call of the module for all leaves of all problems.
    fn batch(&self, how: Multiplication, problems: &[Problem<'_, M>]) -> Vec<Wiped<M::Element>> {
        let resolved: Vec<_> =
            problems.iter().map(|problem| (how.resolve(problem.lengths), problem)).collect();
        let products = resolved.iter().filter_map(|(how, problem)| how.products(problem.lengths));
        let mut leaves = Leaves::with_capacity(self.module, products.sum());
        for (how, problem) in &resolved {
            self.collect(*how, problem, &mut leaves);
        }
        let products = leaves.compute(self.module);
        let mut rest = products.all();
        let solved = resolved
            .iter()
            .map(|(how, problem)| self.assemble(*how, problem.form, problem.lengths, &mut rest));
        solved.collect()
    }

    fn collect(&self, how: Multiplication, problem: &Problem<'_, M>, leaves: &mut Leaves<M>) {
        let Step::Split(split) = how.step(problem.lengths) else {
            return leaves.push(self.module, problem);
        };
        for part in self.split(split, problem) {
            self.collect(how, &part, leaves);
        }
    }

    fn assemble(
        &self,
        how: Multiplication,
        form: Form,
        lengths: Lengths,
        rest: &mut Rest<'_, M::Element>,
    ) -> Wiped<M::Element> {
        let Step::Split(split) = how.step(lengths) else {
            return leaf::sum(self.module, form, lengths, rest);
        };
        let parts = split.parts(lengths).into_iter();
        let mut parts: Vec<_> = parts.map(|part| self.assemble(how, form, part, rest)).collect();
        self.join(split, form, lengths, &mut parts)
    }

    fn split<'p>(&self, split: Split, problem: &'p Problem<'_, M>) -> Vec<Problem<'p, M>> {
        match split {
            Split::Plain(at) => cut::split_plain(problem, at),
            Split::Poly(at) => cut::split_poly(problem, at),
            Split::Karatsuba(half) => karatsuba::split(self.module, problem, half),
            Split::Toom3(third) => toom3::split(self, problem, third),
            Split::Toom4(quarter) => {
                let Some(fractions) = &self.quarters else {
                    unreachable!("Toom-4 alone takes quarters");
                };
                toom4::split(self.module, fractions, problem, quarter)
            }
        }
    }

    /// The product of `lengths` from those of its parts.
    fn join(
        &self,
        split: Split,
        form: Form,
        lengths: Lengths,
        parts: &mut [Wiped<M::Element>],
    ) -> Wiped<M::Element> {
        match split {
            Split::Plain(at) => cut::join_plain(self.module, form, parts, at),
            Split::Poly(at) => cut::join_poly(self.module, parts, at),
            Split::Karatsuba(half) => karatsuba::join(self.module, form, lengths, parts, half),
            Split::Toom3(third) => toom3::join(self.module, form, lengths, parts, third),
            Split::Toom4(quarter) => toom4::join(self.module, form, lengths, parts, quarter),
        }
    }
}

/// Runs of problems that are solved together.
fn groups<M: Module>(
    how: Multiplication,
    problems: &[Problem<'_, M>],
) -> Vec<(Task, Range<usize>)> {
    let mut groups: Vec<(Task, Range<usize>)> = Vec::new();
    let mut filled = 0;
    for (index, problem) in problems.iter().enumerate() {
        let (task, size) = task(how.resolve(problem.lengths), problem.lengths);
        match groups.last_mut() {
            Some((last, range)) if *last == task && filled + size <= BATCH => {
                range.end += 1;
                filled += size;
            }
            _ => {
                groups.push((task, index..index + 1));
                filled = size;
            }
        }
    }
    groups
}

/// What to do with a problem, and how much of a batch it takes.
fn task(how: Multiplication, lengths: Lengths) -> (Task, usize) {
    match how.step(lengths) {
        Step::Transform(cyclic) => (Task::Transform(cyclic), cyclic.size()),
        Step::Split(split) if how.products(lengths).is_none_or(|products| products > BATCH) => {
            (Task::Split(how, split), BATCH)
        }
        _ => (Task::Batch, how.products(lengths).unwrap_or(BATCH)),
    }
}
