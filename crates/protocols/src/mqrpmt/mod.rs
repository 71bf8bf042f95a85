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

use crate::digest::Members;
use crate::matching::Hits;
use crate::{Allowed, Cost, Digest, ProtocolError, Run, Shape, Taken};

/// A construction of mqRPMT.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    /// From a commutative weak PRF.
    CwPrf,
    /// From a permuted oblivious PRF.
    POprf,
    /// mqRPMT*, from Sigma-mqPMT.
    Star,
}

/// What the server holds when the last message has arrived.
pub(crate) enum Indication {
    /// The client's vector and the set in which to look it up.
    LookUp {
        /// The client's vector.
        queries: Vec<u128>,
        /// The server's set, in no order.
        set: Members,
    },
    /// The bits themselves.
    Bits(Vec<bool>),
}

impl Indication {
    /// The bits `e`.
    pub(crate) fn bits(self) -> Hits {
        match self {
            Self::LookUp { queries, set } => set.holds(&queries),
            Self::Bits(bits) => Hits::new(bits),
        }
    }
}

/// The Hamming weight of `e`: how many elements both have.
pub(crate) fn weight(e: &[bool]) -> u64 {
    e.iter().filter(|bit| **bit).count() as u64
}

impl Engine {
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
                Self::CwPrf | Self::Star => Allowed::Of(&Digest::ALL),
                Self::POprf => Allowed::Of(&[Digest::Shuffled]),
            },
            ..Taken::NOTHING
        }
    }

    /// `P₁`, whose set is this side's elements.
    pub(crate) fn server(self, run: &mut Run<'_>) -> Result<Indication, ProtocolError> {
        match self {
            Self::CwPrf => with_prf!(run.choices.group(), F => cwprf::server::<F>(run)),
            Self::POprf => poprf::server::<RistrettoPrp>(run),
            Self::Star => star::server::<RistrettoPrp>(run),
        }
    }

    /// `P₂`, whose vector is this side's elements in the order of `order`.
    pub(crate) fn client(self, run: &mut Run<'_>, order: &[u32]) -> Result<(), ProtocolError> {
        match self {
            Self::CwPrf => with_prf!(run.choices.group(), F => cwprf::client::<F>(run, order)),
            Self::POprf => poprf::client::<RistrettoPrp>(run, order),
            Self::Star => star::client::<RistrettoPrp>(run, order),
        }
    }

    /// The test both ways, where that costs less than one way after the other: the bits of the peer's vector, this side's
    /// being its elements in the order of `order`.
    pub(crate) fn both(
        self,
        run: &mut Run<'_>,
        order: &[u32],
    ) -> Option<Result<Indication, ProtocolError>> {
        (self == Self::CwPrf)
            .then(|| with_prf!(run.choices.group(), F => cwprf::both::<F>(run, order)))
    }

    /// The cost of [`both`](Self::both).
    pub(crate) fn cost_of_both(self, shape: &Shape) -> Option<Cost> {
        (self == Self::CwPrf).then(|| cwprf::cost_of_both(shape))
    }

    /// The cost, the receiver being the server.
    pub(crate) fn cost(self, shape: &Shape) -> Cost {
        match self {
            Self::CwPrf => cwprf::cost(shape),
            Self::POprf => poprf::cost(shape),
            Self::Star => star::cost(shape),
        }
    }
}
