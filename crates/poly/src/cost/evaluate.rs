//! Evaluation at many points.

use super::Operations;
use super::multiply::Recurrence;
use crate::multiply::{Form, Lengths};
use crate::{Evaluation, Multiplication};

/// What [`evaluate`](crate::evaluate) takes for so many coefficients and points.
#[must_use]
pub fn evaluate(how: Evaluation, len: usize, points: usize) -> Operations {
    match how {
        Evaluation::Horner | Evaluation::MultiScalar => one_by_one(len, points),
        Evaluation::Blocks { size, multiplication } => {
            let size = size.max(1);
            let mut division = Division::new(multiplication);
            let whole = division.block(len, size) * (points / size) as u64;
            let rest = points % size;
            if rest == 0 { whole } else { whole + division.block(len, rest) }
        }
        Evaluation::RemainderTree { leaf, multiplication } => {
            let mut division = Division::new(multiplication);
            division.tree(&levels(points, leaf), len)
        }
        Evaluation::Transposed { leaf, multiplication } => {
            let mut product = Recurrence::new(multiplication, Form::Transposed);
            transposed(&mut product, &levels(points, leaf), len)
        }
    }
}

/// A product and a sum for each coefficient but one, and each point.
fn one_by_one(len: usize, points: usize) -> Operations {
    let steps = len.saturating_sub(1) * points;
    Operations::new(steps, steps)
}

/// The degrees of a product tree's nodes, leaves first.
fn levels(points: usize, leaf: usize) -> Vec<Vec<usize>> {
    let leaf = leaf.max(1);
    let starts = (0..points).step_by(leaf);
    let mut levels = vec![starts.map(|start| leaf.min(points - start)).collect::<Vec<_>>()];
    while let Some(level) = levels.last().filter(|level| level.len() > 1) {
        levels.push(level.chunks(2).map(|pair| pair.iter().sum()).collect());
    }
    levels
}

/// Divisions by plain polynomials.
struct Division {
    quotient: Recurrence,
    product: Recurrence,
}

impl Division {
    fn new(how: Multiplication) -> Self {
        Self {
            quotient: Recurrence::new(how, Form::Transposed),
            product: Recurrence::new(how, Form::Product),
        }
    }

    /// One division of that many coefficients by a divisor of that degree.
    fn one(&mut self, len: usize, degree: usize) -> Operations {
        if len <= degree {
            return Operations::default();
        }
        let quotient = len - degree;
        self.quotient.solve(Lengths::new(quotient - 1, quotient - 1))
            + Operations::new(0, quotient - 1)
            + self.product.solve(Lengths::new(degree, degree.min(quotient)))
            + Operations::new(0, degree).subtracting(degree)
    }

    /// A division for each piece of a block's degree but the highest, and Horner's rule.
    fn block(&mut self, len: usize, degree: usize) -> Operations {
        let pieces = len.div_ceil(degree);
        let highest = len - degree * pieces.saturating_sub(1);
        let mut operations = one_by_one(len.min(degree), degree);
        if pieces > 1 {
            operations = operations
                + self.one(degree + highest, degree)
                + self.one(2 * degree, degree) * (pieces as u64 - 2);
        }
        operations
    }

    /// A division for each node, and Horner's rule in the leaves.
    fn tree(&mut self, levels: &[Vec<usize>], len: usize) -> Operations {
        let mut operations = Operations::default();
        let mut parents = vec![len];
        for level in levels.iter().rev() {
            let children = level.iter().enumerate();
            let divisions = children.map(|(index, node)| self.one(parents[index / 2], *node));
            operations = operations + divisions.sum();
            let children = level.iter().enumerate();
            parents = children.map(|(index, node)| parents[index / 2].min(*node)).collect();
        }
        let leaves = levels[0].iter().zip(parents);
        operations + leaves.map(|(points, len)| one_by_one(len, *points)).sum()
    }
}

/// A transposed product at the root and two for each pair of nodes, all added to what the coefficient 1 leaves as it is;
/// sums in the leaves.
fn transposed(product: &mut Recurrence, levels: &[Vec<usize>], len: usize) -> Operations {
    let points: usize = levels[0].iter().sum();
    let wanted = len.saturating_sub(1).min(points);
    let mut operations = product.solve(Lengths::new(len.saturating_sub(1), wanted));
    operations = operations + Operations::new(0, wanted);
    for level in &levels[..levels.len() - 1] {
        for pair in level.chunks_exact(2) {
            operations = operations
                + product.solve(Lengths::new(pair[1], pair[0]))
                + product.solve(Lengths::new(pair[0], pair[1]))
                + Operations::new(0, pair[0] + pair[1]);
        }
    }
    operations + levels[0].iter().map(|leaf| one_by_one(*leaf, *leaf)).sum()
}
