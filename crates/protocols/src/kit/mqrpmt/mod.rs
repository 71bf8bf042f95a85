//! Multi-query reverse private membership test (mqRPMT), three times.
//!
//! The server `P₁` holds a set `Y` of `n₁` elements, the client `P₂` a vector `X` of `n₂`. The server learns the
//! indication bits `e`, where `e_i = 1` iff `x_i ∈ Y`, and nothing of `x_i`; the client learns nothing
//! (eprint 2022/652, Fig. 2). [`cwprf`] and [`poprf`] are its two constructions; [`star`] is the relaxed mqRPMT*, whose
//! client also learns how many bits are set.

mod cwprf;
mod poprf;
mod star;

use veilset_crypto::{Group, RistrettoPrp, with_prf};

use crate::kit::membership::Hits;
use crate::{Allowed, Cost, Means, ProtocolError, Role, RunInput, SetEncoding, Shape, Taken};

/// A construction of mqRPMT.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MqRpmt {
    /// From a commutative weak PRF.
    CwPrf,
    /// From a permuted oblivious PRF.
    POprf,
    /// mqRPMT*, from Sigma-mqPMT.
    Star,
}

/// What `P₁` holds when the last message has arrived: the last step of its figure, which nobody waits for.
pub(crate) struct Indication(Box<dyn FnOnce() -> Hits + Send>);

impl Indication {
    /// Bits that `last` computes.
    fn later(last: impl FnOnce() -> Hits + Send + 'static) -> Self {
        Self(Box::new(last))
    }

    /// The bits `e`.
    pub(crate) fn bits(self) -> Hits {
        (self.0)()
    }
}

/// The Hamming weight of `e`: how many elements both have.
pub(crate) fn weight(e: &[bool]) -> u64 {
    e.iter().filter(|bit| **bit).count() as u64
}

impl MqRpmt {
    /// The groups on which it runs, the fastest first, and the forms in which a set can travel; in a permuted OPRF no set does.
    pub(crate) const fn choices(self) -> Taken {
        Taken {
            group: match self {
                Self::CwPrf => Allowed::Of(&[
                    Group::Curve25519,
                    Group::P256,
                    Group::P256Uncompressed,
                    Group::Ristretto255,
                ]),
                Self::POprf | Self::Star => Allowed::Of(&[Group::Ristretto255]),
            },
            digest: match self {
                Self::CwPrf | Self::Star => Allowed::Of(&SetEncoding::ALL),
                Self::POprf => Allowed::Of(&[SetEncoding::Shuffled]),
            },
            ..Taken::NOTHING
        }
    }

    /// `P₁`, whose set is this side's elements.
    pub(crate) fn p1(
        self,
        input: &RunInput<'_>,
        means: &mut Means<'_>,
    ) -> Result<Indication, ProtocolError> {
        match self {
            Self::CwPrf => with_prf!(input.choices.group(), F => cwprf::p1::<F>(input, means)),
            Self::POprf => poprf::p1::<RistrettoPrp>(input, means),
            Self::Star => star::p1::<RistrettoPrp>(input, means),
        }
    }

    /// `P₂`, whose vector is this side's elements in the order of `order`.
    pub(crate) fn p2(
        self,
        input: &RunInput<'_>,
        means: &mut Means<'_>,
        order: &[u32],
    ) -> Result<(), ProtocolError> {
        match self {
            Self::CwPrf => {
                with_prf!(input.choices.group(), F => cwprf::p2::<F>(input, means, order))
            }
            Self::POprf => poprf::p2::<RistrettoPrp>(input, means, order),
            Self::Star => star::p2::<RistrettoPrp>(input, means, order),
        }
    }

    /// The test both ways, where that costs less than one way after the other: the bits of the peer's vector, this side's
    /// being its elements in the order of `order`, which are wiped once they are sent. The side that plays `role` in the operation
    /// sends its set first or last.
    pub(crate) fn both(
        self,
        role: Role,
        input: &mut RunInput<'_>,
        means: &mut Means<'_>,
        order: &[u32],
    ) -> Option<Result<Indication, ProtocolError>> {
        (self == Self::CwPrf).then(
            || with_prf!(input.choices.group(), F => cwprf::both::<F>(role, input, means, order)),
        )
    }

    /// The cost of [`both`](Self::both).
    pub(crate) fn cost_of_both(self, shape: &Shape) -> Option<Cost> {
        (self == Self::CwPrf).then(|| cwprf::cost_of_both(shape))
    }

    /// The cost, the receiver being `P₁`.
    pub(crate) fn cost(self, shape: &Shape) -> Cost {
        match self {
            Self::CwPrf => cwprf::cost(shape),
            Self::POprf => poprf::cost(shape),
            Self::Star => star::cost(shape),
        }
    }
}
