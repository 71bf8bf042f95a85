//! Private set intersection from vector OLE: Raghuraman and Rindal, "Blazing Fast PSI from Improved OKVS and Subfield
//! VOLE", CCS 2022, eprint 2022/320, figure 5.
//!
//! 1. The receiver evaluates an oblivious function F at its elements, whose key the sender gets ([`crate::kit::vole_oprf`]).
//! 2. The sender sends F of its elements, truncated, sorted and coded.
//! 3. The receiver looks its own values up. If both are to learn, it sends a bit for each value of the sender's in the
//!    order in which they came.
//!
//! Steps 2 and 3, and the rows that may go with them, are [`crate::kit::comparison`]'s; [`crate::kit::vole_intersection`] has all
//! three.
//!
//! **Security.** Semi-honest. F of an element that the receiver lacks is pseudorandom to it. The set is a function of its
//! values, so its order says nothing. Truncation to λ + log₂ n₁ + log₂ n₂ bits fails with at most 2^-40 for a whole run,
//! and an encoding fails with at most 2^-40 (`docs/notes/okvs.md`); that ends the run with an error: what
//! was sent before of other clusters is under A, and uniform.
//!
//! **Post-quantum**, as `rr22-pq` and `rr22-malicious-pq`: the base transfers are those from ML-KEM-768, and nothing rests on
//! Diffie–Hellman any more; TLS under the run has a hybrid exchange with ML-KEM-768, too. The proofs stay as they are. Sizes of the
//! code and of keys are set against the attacks of ordinary computers.
//!
//! **Malicious**, as `rr22-malicious`: the function is the malicious one, and what [`crate::kit::vole_oprf`] says of a receiver that
//! cheats holds: it learns at how many elements more than it declared, with 2^64 questions. A sender that cheats can send values
//! of other elements than its own, which match as if they were its own; as many as it declared. It learns nothing: the receiver's last
//! message comes before any that depends on whether the two have something in common, so both cannot be told. Values are not
//! truncated, so that one stands for two elements with 2^64 evaluations of F at the soonest, which is one element more.

#[cfg(test)]
mod tests;

use veilset_crypto::Group;
use veilset_ot::base::Base;

use crate::kit::vole_intersection::{self, VoleKind};
use crate::kit::vole_oprf;
use crate::kit::wording::{MATCHES, SHORT, SIZE, SIZES, TOLD, VOLE_ASSUMPTION};
use crate::{
    Allowed, Conclusion, Cost, Leak, Operation, Protocol, ProtocolError, Reveal, Run, Security,
    SetEncoding, Shape, Spec, Taken,
};

/// A registry entry.
pub(crate) struct Rr22 {
    spec: Spec,
    base: Base,
}

/// `rr22`.
pub(crate) static SEMI_HONEST: Rr22 = Rr22 {
    spec: Spec {
        id: "rr22",
        title: "intersection from vector OLE, for large sets",
        operation: Operation::Intersect,
        paper: "eprint 2022/320, figures 4 and 5",
        security: Security::SemiHonest,
        assumption: VOLE_ASSUMPTION,
        reveals: &[Reveal::Both, Reveal::Receiver],
        receiver: MATCHES,
        sender: MATCHES,
        residue: SIZE,
        leaks: &[
            SIZES,
            Leak::by_cheating(
                "How many guesses of the sender's keys a receiver that cheats can test is not bounded; rr22-malicious bounds it.",
            ),
            SHORT,
            TOLD,
        ],
        max_elements: vole_oprf::MAX_POINTS,
        choices: WITH_GROUP,
        cut: true,
        auto: true,
        grouped: false,
        by_groups: None,
        on_shares: false,
        blind: false,
        withholds: false,
        with_rows: Some(WITH_GROUP),
    },
    base: Base::Ristretto,
};

/// `rr22-malicious`.
pub(crate) static MALICIOUS: Rr22 = Rr22 {
    spec: Spec {
        id: "rr22-malicious",
        title: "intersection from vector OLE, against parties that cheat",
        security: Security::Malicious,
        reveals: &[Reveal::Receiver],
        // Each part could be larger than its share, and small sets are the least bound.
        cut: false,
        leaks: &[
            SIZES,
            Leak::by_cheating(
                "A receiver that cheats can test twice as many keys as it declared, and 400 more, at most, with 2^64 hash evaluations.",
            ),
            Leak::by_cheating(
                "A sender that cheats can use other keys than it declared, as many as it declared, with fewer than 2^64 hash evaluations.",
            ),
            Leak::by_cheating(
                "A sender that cheats can end the run depending on guesses about the receiver's randomness, not its keys.",
            ),
        ],
        ..SEMI_HONEST.spec
    },
    base: Base::Ristretto,
};

/// `rr22-pq`.
pub(crate) static POST_QUANTUM: Rr22 = Rr22 {
    spec: Spec {
        id: "rr22-pq",
        title: "intersection from vector OLE, without what a quantum computer is known to break",
        assumption: POST_QUANTUM_ASSUMPTION,
        choices: WITHOUT_GROUP,
        auto: false,
        grouped: false,
        by_groups: None,
        on_shares: false,
        blind: false,
        withholds: false,
        with_rows: Some(WITHOUT_GROUP),
        ..SEMI_HONEST.spec
    },
    base: Base::MlKem,
};

/// `rr22-malicious-pq`.
pub(crate) static MALICIOUS_POST_QUANTUM: Rr22 = Rr22 {
    spec: Spec {
        id: "rr22-malicious-pq",
        title: "rr22-pq, against parties that cheat",
        assumption: POST_QUANTUM_ASSUMPTION,
        choices: WITHOUT_GROUP,
        auto: false,
        grouped: false,
        by_groups: None,
        on_shares: false,
        blind: false,
        withholds: false,
        with_rows: Some(WITHOUT_GROUP),
        ..MALICIOUS.spec
    },
    base: Base::MlKem,
};

const POST_QUANTUM_ASSUMPTION: &str = "dual LPN (expand-convolute code), module LWE (ML-KEM-768), random oracle, tweakable correlation robustness of fixed-key AES";

const WITHOUT_GROUP: Taken =
    Taken { digest: Allowed::Of(&[SetEncoding::Sorted]), ..Taken::NOTHING };

const WITH_GROUP: Taken = Taken { group: Allowed::Of(&[Group::Ristretto255]), ..WITHOUT_GROUP };

impl Protocol for Rr22 {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn cost(&self, shape: Shape) -> Cost {
        vole_intersection::cost(self.kind(), &shape)
    }

    fn run(&self, mut run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        vole_intersection::run(self.kind(), &mut run)
    }
}

impl Rr22 {
    fn kind(&self) -> VoleKind {
        VoleKind { security: self.spec.security, base: self.base }
    }
}
