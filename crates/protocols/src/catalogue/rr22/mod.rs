//! Private set intersection from vector OLE: Raghuraman and Rindal, "Blazing Fast PSI from Improved OKVS and Subfield
//! VOLE", CCS 2022, eprint 2022/320, figure 5.
//!
//! 1. The receiver evaluates an oblivious function F at its elements, whose key the sender gets ([`crate::kit::vole_oprf`]).
//! 2. The sender sends F of its elements, truncated, sorted and coded.
//! 3. The receiver looks its own values up. If both are to learn, it sends a bit for each value of the sender's in the
//!    order in which they came.
//!
//! **Security.** Semi-honest. F of an element that the receiver lacks is pseudorandom to it. The set is a function of its
//! values, so its order says nothing. Truncation to λ + log₂ n₁ + log₂ n₂ bits fails with at most 2^-40 for a whole run,
//! and an encoding fails with at most 2^-40 (`docs/notes/okvs.md`); that ends the run with an error before anything is sent
//! that depends on an element.
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

use rayon::prelude::*;
use veilset_crypto::Group;
use veilset_ot::base::Base;

use crate::kit::indication::{hear_bits, tell_bits};
use crate::kit::membership::{VALUES_A_TASK, membership};
use crate::kit::set_encoding::SetTerms;
use crate::kit::vole_oprf::{self, OprfTerms};
use crate::kit::wire::bits_bytes;
use crate::kit::wording::{MATCHES, SHORT, SIZE, SIZES, TOLD, VOLE_ASSUMPTION};
use crate::{
    Allowed, Conclusion, Cost, Leak, Operation, Outcome, Protocol, ProtocolError, Reveal, Role,
    Run, Security, SetEncoding, Shape, Spec, Taken,
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
        choices: Taken {
            group: Allowed::Of(&[Group::Ristretto255]),
            digest: Allowed::Of(&[SetEncoding::Sorted]),
            ..Taken::NOTHING
        },
        cut: true,
        auto: true,
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
        ..MALICIOUS.spec
    },
    base: Base::MlKem,
};

const POST_QUANTUM_ASSUMPTION: &str = "dual LPN (expand-convolute code), module LWE (ML-KEM-768), random oracle, tweakable correlation robustness of fixed-key AES";

const WITHOUT_GROUP: Taken =
    Taken { digest: Allowed::Of(&[SetEncoding::Sorted]), ..Taken::NOTHING };

impl Protocol for Rr22 {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn cost(&self, shape: Shape) -> Cost {
        let security = self.spec.security;
        if shape.sender == 0 || shape.receiver == 0 {
            return Cost::default();
        }
        let (mut sender, mut receiver) =
            vole_oprf::cost(shape.receiver, shape.sender, security, self.base);
        let set = SetTerms::of(SetEncoding::Sorted, shape.sender, shape.receiver)
            .longer(longer(0, security));
        let bytes = set.bytes();
        sender.bytes_sent += bytes;
        sender.in_turn += bytes;
        if shape.reveal == Reveal::Both {
            receiver.bytes_sent += bits_bytes(shape.sender);
        }
        Cost {
            sender,
            receiver,
            rounds: vole_oprf::ROUNDS + 1 + u64::from(shape.reveal == Reveal::Both),
            waits: vole_oprf::waits(security),
        }
    }

    fn run(&self, mut run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        if let Some(nothing) = run.without_matches() {
            return Ok(nothing);
        }
        match run.side.role {
            Role::Sender => self.sender(&mut run),
            Role::Receiver => self.receiver(&mut run),
        }
    }
}

impl Rr22 {
    fn sender(&self, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
        let security = self.spec.security;
        let set =
            SetTerms::new(SetEncoding::Sorted, run.input.elements.len(), run.input.peer_count)
                .longer(longer(run.input.slack, security));
        // Step 1.
        let terms = OprfTerms::new(run, Role::Sender, security, self.base);
        let elements = std::mem::take(&mut run.input.elements);
        let mut values = vole_oprf::send(&mut run.means, &terms, elements)?;
        truncate(&mut values, set.bits());
        // Step 2.
        if run.side.reveal == Reveal::Receiver {
            set.put(run.means.channel, std::mem::take(&mut *values), run.means.rng)?;
            return Ok(Box::new(|| Ok(Outcome::Nothing)));
        }
        let order = set.put_ordered(run.means.channel, &mut values)?;
        drop(values);
        // Step 3.
        hear_bits(run.side, &mut run.means, order)
    }

    fn receiver(&self, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
        let security = self.spec.security;
        let set =
            SetTerms::new(SetEncoding::Sorted, run.input.peer_count, run.input.elements.len())
                .longer(longer(run.input.slack, security));
        // Step 1.
        let terms = OprfTerms::new(run, Role::Sender, security, self.base);
        let elements = std::mem::take(&mut run.input.elements);
        let mut values = vole_oprf::receive(&mut run.means, &terms, elements)?;
        truncate(&mut values, set.bits());
        // Step 2.
        let theirs = set.take_ordered(run.means.channel)?;
        // Takes the same steps whatever matches.
        let hits = membership(&values, &theirs);
        // Step 3.
        tell_bits(run.side, &mut run.means, &hits.taken)?;
        Ok(Box::new(move || {
            hits.fault()?;
            Ok(Outcome::Matched(hits.indices()))
        }))
    }
}

/// By how many bits values are longer than what a match asks for. A cheating sender could look for elements whose values
/// agree, so that one value stands for several: against that they are whole.
fn longer(slack: u32, security: Security) -> u32 {
    match security {
        Security::SemiHonest => slack,
        Security::Malicious => u128::BITS,
    }
}

fn truncate(values: &mut [u128], bits: u32) {
    let mask = u128::MAX >> (u128::BITS - bits);
    values.par_iter_mut().with_min_len(VALUES_A_TASK).for_each(|value| *value &= mask);
}
