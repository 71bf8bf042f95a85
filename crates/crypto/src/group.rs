//! The groups on which a commutative pseudorandom function is had.

use veilset_names::names;

use crate::{
    CommutativePrf, Compressed, Curve25519Prf, Ffdhe2048Prf, P256Prf, RistrettoPrp, Uncompressed,
    curve25519, ffdhe2048, p256, ristretto255,
};

names! {
    "groups";
    /// A group together with the form in which its elements cross the wire.
    pub enum Group {
        /// Curve25519 by x-coordinates: [`Curve25519Prf`].
        Curve25519 = "curve25519",
        /// P-256 by x-coordinates: [`P256Prf`]`<`[`Compressed`]`>`.
        P256 = "p256",
        /// P-256 by both coordinates: [`P256Prf`]`<`[`Uncompressed`]`>`.
        P256Uncompressed = "p256-uncompressed",
        /// ristretto255: [`RistrettoPrp`].
        Ristretto255 = "ristretto255",
        /// The residues modulo a prime of 2048 bits, up to the sign: [`Ffdhe2048Prf`].
        Ffdhe2048 = "ffdhe2048",
    }
}

impl Group {
    /// Bytes of an element on the wire.
    #[must_use]
    pub const fn point_len(self) -> usize {
        match self {
            Self::Curve25519 => Curve25519Prf::LEN,
            Self::P256 => P256Prf::<Compressed>::LEN,
            Self::P256Uncompressed => P256Prf::<Uncompressed>::LEN,
            Self::Ristretto255 => RistrettoPrp::LEN,
            Self::Ffdhe2048 => Ffdhe2048Prf::LEN,
        }
    }

    /// The suite of the map of elements to the group: RFC 9380's, for curves.
    #[must_use]
    pub const fn suite(self) -> &'static str {
        match self {
            Self::Curve25519 => curve25519::elligator::SUITE,
            Self::P256 | Self::P256Uncompressed => p256::sswu::SUITE,
            Self::Ristretto255 => ristretto255::kernel::SUITE,
            Self::Ffdhe2048 => ffdhe2048::SUITE,
        }
    }

    /// The domain separation tag under which elements are mapped.
    #[must_use]
    pub const fn dst(self) -> &'static str {
        match self {
            Self::Curve25519 => curve25519::elligator::DST,
            Self::P256 | Self::P256Uncompressed => p256::sswu::DST,
            Self::Ristretto255 => ristretto255::kernel::DST,
            Self::Ffdhe2048 => ffdhe2048::DST,
        }
    }

    /// When to take it, in a sentence.
    #[must_use]
    pub const fn note(self) -> &'static str {
        match self {
            Self::Curve25519 => "fastest; the default",
            Self::P256 => "a NIST curve, for those who must use one; about twice the time",
            Self::P256Uncompressed => "P-256 with both coordinates on the wire; twice the bytes",
            Self::Ristretto255 => "can be inverted, which the permuted OPRF needs",
            Self::Ffdhe2048 => {
                "no curve: RFC 7919's prime; 25 times the time, and 103 to 112 bits of security"
            }
        }
    }
}

/// Evaluates `$body` with `$function` standing for the commutative weak PRF of a group.
#[macro_export]
macro_rules! with_prf {
    ($group:expr, $function:ident => $body:expr) => {
        match $group {
            $crate::Group::Curve25519 => {
                type $function = $crate::Curve25519Prf;
                $body
            }
            $crate::Group::P256 => {
                type $function = $crate::P256Prf<$crate::Compressed>;
                $body
            }
            $crate::Group::P256Uncompressed => {
                type $function = $crate::P256Prf<$crate::Uncompressed>;
                $body
            }
            $crate::Group::Ristretto255 => {
                type $function = $crate::RistrettoPrp;
                $body
            }
            $crate::Group::Ffdhe2048 => {
                type $function = $crate::Ffdhe2048Prf;
                $body
            }
        }
    };
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_name_one_group_each() {
        for group in Group::ALL {
            assert_eq!(group.name().parse(), Ok(group));
        }
        assert!("P256".parse::<Group>().is_err());
    }

    #[test]
    fn tags_are_those_of_the_suites() {
        for group in Group::ALL {
            assert!(group.dst().starts_with("VEILSET-V01-"));
            assert!(group.dst().ends_with(group.suite()));
        }
    }
}
