//! Prime fields as context objects, since a modulus may be known at run time only.

mod known;
mod prime;
#[cfg(test)]
mod tests;

use zeroize::Zeroize;

pub use known::{KnownField, RistrettoScalars};
pub use prime::{ModulusError, PrimeField, Residue};

/// A prime field of characteristic greater than 3.
///
/// Its operations take a time that does not depend on the elements, but for [`inverse`](Self::inverse) telling whether
/// there is one, and comparing.
pub trait Field: Sync {
    /// An element of the field.
    type Element: Clone + PartialEq + Send + Sync + Zeroize;

    /// 0.
    fn zero(&self) -> Self::Element;

    /// 1.
    fn one(&self) -> Self::Element;

    /// The residue of an integer.
    fn element(&self, value: u64) -> Self::Element;

    /// a + b.
    fn add(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;

    /// a − b.
    fn sub(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;

    /// a·b.
    fn mul(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;

    /// −a.
    fn neg(&self, a: &Self::Element) -> Self::Element;

    /// 1/a, or `None` for 0.
    fn inverse(&self, a: &Self::Element) -> Option<Self::Element>;

    /// An element of order exactly 2^`log_size`, always the same one, or `None` if there is none.
    fn root_of_unity(&self, log_size: u32) -> Option<Self::Element>;
}
