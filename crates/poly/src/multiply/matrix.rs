//! Sums of polynomials times small integers, by doublings and additions.

use crate::Module;
use crate::coefficients::{Wiped, padded};
use crate::cost::Operations;

/// Small integers, row by row.
pub(super) type Matrix<const COLUMNS: usize, const ROWS: usize> = [[i8; COLUMNS]; ROWS];

/// The transpose.
pub(super) fn turned<const COLUMNS: usize, const ROWS: usize>(
    matrix: &Matrix<COLUMNS, ROWS>,
) -> Matrix<ROWS, COLUMNS> {
    std::array::from_fn(|row| std::array::from_fn(|column| matrix[column][row]))
}

/// What makes a row's sum, bit by bit of the row's numbers, the highest first; so it begins with an addition.
enum Term {
    Double,
    Add { column: usize, negative: bool },
}

fn terms<const COLUMNS: usize>(row: &[i8; COLUMNS]) -> impl Iterator<Item = Term> {
    let top = row.iter().map(|number| number.unsigned_abs()).max().and_then(u8::checked_ilog2);
    (0..=top.unwrap_or(0)).rev().flat_map(move |bit| {
        let double = (Some(bit) != top).then_some(Term::Double);
        let has = move |(_, number): &(usize, &i8)| number.unsigned_abs() >> bit & 1 == 1;
        let add = |(column, number): (usize, &i8)| Term::Add { column, negative: *number < 0 };
        double.into_iter().chain(row.iter().enumerate().filter(has).map(add))
    })
}

/// For each row of the matrix the sum of the polynomials times the row's numbers, cut or filled up to a length.
pub(super) fn combine<M: Module, const COLUMNS: usize, const ROWS: usize>(
    module: &M,
    matrix: &Matrix<COLUMNS, ROWS>,
    polys: &[&[M::Element]],
    lens: [usize; ROWS],
) -> Vec<Wiped<M::Element>> {
    let negatives = negatives(module, matrix, polys);
    let poly = |column: usize, negative: bool| match negative {
        true => &negatives[column][..],
        false => polys[column],
    };
    let sum = |(row, len): (&[i8; COLUMNS], usize)| {
        let mut sum = Wiped::default();
        for (index, term) in terms(row).enumerate() {
            match term {
                Term::Double => module.double(&mut sum),
                Term::Add { column, negative } if index == 0 => {
                    sum = padded(module, poly(column, negative), len);
                }
                Term::Add { column, negative } => {
                    let poly = poly(column, negative);
                    let both = len.min(poly.len());
                    module.add(&mut sum[..both], &poly[..both]);
                }
            }
        }
        sum
    };
    matrix.iter().zip(lens).map(sum).collect()
}

/// Those times −1 that a number is negative for; of others nothing. All at once, for a group's inverses share an inversion.
fn negatives<M: Module, const COLUMNS: usize, const ROWS: usize>(
    module: &M,
    matrix: &Matrix<COLUMNS, ROWS>,
    polys: &[&[M::Element]],
) -> Vec<Wiped<M::Element>> {
    let needed = |column| if has_negative(matrix, column) { polys[column] } else { &[] };
    let needed: Vec<_> = (0..COLUMNS).map(needed).collect();
    let mut all = Wiped::new(needed.concat());
    module.negate(&mut all);
    let mut rest = &all[..];
    let next = |poly: &&[M::Element]| {
        let (negative, others) = rest.split_at(poly.len());
        rest = others;
        Wiped::new(negative.to_vec())
    };
    needed.iter().map(next).collect()
}

fn has_negative<const COLUMNS: usize, const ROWS: usize>(
    matrix: &Matrix<COLUMNS, ROWS>,
    column: usize,
) -> bool {
    matrix.iter().any(|row| row[column] < 0)
}

/// What [`combine`] takes for polynomials of those lengths.
pub(super) fn combination<const COLUMNS: usize, const ROWS: usize>(
    matrix: &Matrix<COLUMNS, ROWS>,
    polys: [usize; COLUMNS],
    lens: [usize; ROWS],
) -> Operations {
    let additions = matrix.iter().zip(lens).map(|(row, len)| {
        // What is added first is copied.
        let terms = terms(row).skip(1);
        let additions = terms.map(|term| match term {
            Term::Double => len,
            Term::Add { column, .. } => len.min(polys[column]),
        });
        additions.sum::<usize>()
    });
    let negative = (0..COLUMNS).filter(|column| has_negative(matrix, *column));
    let negated = negative.map(|column| polys[column]).sum();
    Operations::new(0, additions.sum()).negating(negated)
}
