//! What the function's vectors are over.

use veilset_ot::vole::Nonet;

use crate::Security;
use crate::kit::store::Width;

/// B, the field or vector space of A and P.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// GF(2^64).
    Narrow,
    /// GF(2^8)^9.
    Middle,
    /// GF(2^128).
    Wide,
}

impl Field {
    /// That for `evaluated` points of the key's holder. The bound on a receiver that cheats needs 128 bits; otherwise a receiver can
    /// evaluate at any of these points with probability 1/|B| a point, which may add up to 2^-41, for there may be an evaluation
    /// each way.
    pub(super) fn of(evaluated: usize, security: Security) -> Self {
        const BITS: u32 = 41;
        match security {
            Security::Malicious => Self::Wide,
            Security::SemiHonest if evaluated <= 1 << (u64::BITS - BITS) => Self::Narrow,
            Security::SemiHonest if evaluated <= 1 << (Nonet::BITS as u32 - BITS) => Self::Middle,
            Security::SemiHonest => Self::Wide,
        }
    }
}

impl From<Width> for Field {
    fn from(width: Width) -> Self {
        match width {
            Width::Narrow => Self::Narrow,
            Width::Wide => Self::Wide,
        }
    }
}

/// Evaluates `$body` with `$b` standing for what a [`Field`] names.
macro_rules! over_field {
    ($field:expr, $b:ident => $body:expr) => {
        match $field {
            $crate::kit::vole_oprf::Field::Narrow => {
                type $b = u64;
                $body
            }
            $crate::kit::vole_oprf::Field::Middle => {
                type $b = veilset_ot::vole::Nonet;
                $body
            }
            $crate::kit::vole_oprf::Field::Wide => {
                type $b = u128;
                $body
            }
        }
    };
}
pub(super) use over_field;
