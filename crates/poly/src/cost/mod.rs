//! How many operations of the module each algorithm takes, exactly and without running it.
//!
//! [`Counting`](crate::Counting) counts the same. Operations on plain polynomials are left out: where the module is a
//! group, one scaling costs a thousand of them.
//!
//! **Karatsuba in numbers.** For k = 2^m coefficients each and a cutoff of 1 there are 3^m scalings. Kim and Kim
//! (Proposition 3) count the polynomials that are multiplied by −1: two a step, 3^m − 1 in all. These have k − 1
//! coefficients each in a step on k, so Σ 3^i·2·(k/2^i − 1) = 3^(m+1) − 4·k + 1 elements are negated; here each of them
//! is subtracted.
//!
//! **Algorithm 2 in numbers.** To divide 2·k + 1 coefficients by a block's product of degree η takes about 2·k/η steps,
//! with two products of η by η coefficients each, and there are k/η blocks. With Horner's rule on the remainders this
//! makes 4·k^2·η^−0.415 + k·η scalings, least at η near 1.4·k^0.71: about k^1.71. Proposition 2 has k^1.28, with η^0.585
//! scalings a step.

mod evaluate;
mod multiply;
mod operations;
#[cfg(test)]
mod tests;

pub use evaluate::evaluate;
pub use multiply::{multiply, transposed_multiply};
pub use operations::Operations;
