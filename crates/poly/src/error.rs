//! What can be wrong with polynomials.

/// Why an algorithm has no result. None of the texts holds a coefficient or a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PolyError {
    /// The number-theoretic transform of that size does not exist.
    #[error(
        "a product of this length needs a root of unity of order 2^{log_size}, which the field does not have; \
         choose Karatsuba or Toom-3, or a field of order v·2^t + 1 with t at least {log_size}"
    )]
    NoRootOfUnity {
        /// The transform has 2^`log_size` coefficients.
        log_size: u32,
    },
    /// An integer by which the algorithm divides is 0 in the field.
    #[error("the algorithm divides by {divisor}, which is 0 in this field; choose a larger field")]
    Characteristic {
        /// That integer.
        divisor: u64,
    },
    /// A divisor without an invertible leading coefficient.
    #[error(
        "the divisor's last coefficient, number {index}, is 0 or missing; leave out leading zeros before dividing"
    )]
    LeadingCoefficient {
        /// Where the divisor ends.
        index: usize,
    },
    /// A power series without an inverse.
    #[error("the constant coefficient of the power series is 0 or missing, so it has no inverse")]
    ConstantCoefficient,
    /// As many values as points are needed.
    #[error("{points} points and {values} values to interpolate; give as many of each")]
    Lengths {
        /// Points given.
        points: usize,
        /// Values given.
        values: usize,
    },
    /// Interpolation at points that are not distinct.
    #[error("point {index}, counted from 0, occurs twice; interpolate at distinct points")]
    RepeatedPoint {
        /// The first point that equals another.
        index: usize,
    },
}
