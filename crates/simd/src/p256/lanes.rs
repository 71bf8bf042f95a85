//! What a kernel must offer.

use crate::vector::{Halves, V1};

/// Vectors of which 52 bits are multiplied, and parts of work that are functions of their own.
pub(super) trait Lanes: Halves {
    /// Runs a subroutine in a function that all who need it call: it is compiled once, and enables the instructions.
    fn apart<S: Subroutine<Self>>(self, subroutine: S) -> S::Output;
}

/// A part of some work that is compiled as a function of its own.
pub(super) trait Subroutine<L> {
    /// What it gives.
    type Output;

    fn run(self, l: L) -> Self::Output;
}

impl Lanes for V1 {
    fn apart<S: Subroutine<Self>>(self, subroutine: S) -> S::Output {
        subroutine.run(self)
    }
}
