//! Polynomials over a prime field, and over modules of that field such as ciphertexts.
//!
//! A polynomial is a slice of coefficients, lowest degree first; leading zeros are allowed. Plain coefficients are from a
//! [`Field`](veilset_crypto::Field); the other ones are from a [`Module`], which can add them and scale them by plain ones: ciphertexts of
//! ElGamal or Paillier, elements of a group, or the field [itself](Itself). So the same code multiplies and evaluates plain
//! and encrypted polynomials:
//!
//! * [`multiply`] and its transpose, [`transposed_multiply`], by the schoolbook, Karatsuba, Toom-3, Toom-4 or transforms;
//! * [`evaluate`] at many points, by Horner's rule, remainders, sums of products or transposition;
//! * for plain polynomials also [`expand`], [`interpolate`], [`divide`] and [`invert_series`];
//! * [`plain`] interpolates and evaluates large plain polynomials, over fields without roots of unity too.
//!
//! [`encrypted`] and [`paillier`] have the modules that the protocols use.
//!
//! [`cost`] says beforehand what each takes, and [`Counting`] counts. The trait objects are contexts, since the modulus of
//! a [`PrimeField`](veilset_crypto::PrimeField) and the modules' keys are known at run time only.
//!
//! No time and no address depends on coefficients or points, only on how many there are, if this holds for the field
//! and the module; an error may tell more. Intermediate values are wiped, results are the caller's.
//!
//! ```
//! use veilset_crypto::Field;
//! use veilset_poly::{Evaluation, Field25519, Itself, Multiplication, evaluate, multiply};
//!
//! let field = Field25519::new();
//! let elements = |of: &[u64]| of.iter().map(|x| field.element(*x)).collect::<Vec<_>>();
//! let (plain, how) = (&Itself(&field), Multiplication::Karatsuba { cutoff: 1 });
//! // (1 + 2x)(3 + x) = 3 + 7x + 2x², which is 88 at 5.
//! let product = multiply(plain, how, &elements(&[1, 2]), &elements(&[3, 1]))?;
//! assert!(product == elements(&[3, 7, 2]));
//! assert!(evaluate(plain, Evaluation::Horner, &product, &elements(&[5]))? == elements(&[88]));
//! # Ok::<(), veilset_poly::PolyError>(())
//! ```

mod coefficients;
pub mod cost;
mod counting;
mod divide;
pub mod encrypted;
mod error;
mod evaluate;
mod field25519;
mod interpolate;
mod itself;
mod module;
mod multiply;
pub mod paillier;
pub mod plain;
mod series;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tree;

pub use coefficients::concatenate;
pub use counting::Counting;
pub use divide::{Division, divide};
pub use error::PolyError;
pub use evaluate::{Evaluation, evaluate};
pub use field25519::{Element25519, Field25519};
pub use interpolate::interpolate;
pub use itself::Itself;
pub use module::{Module, Scalar};
pub use multiply::{Multiplication, multiply, transposed_multiply};
pub use series::invert_series;
pub use tree::expand;
