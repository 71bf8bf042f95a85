//! The one list of protocols: the command line, the planner, the suites, the benches and the docs follow it.

use crate::catalogue::agree;
use crate::catalogue::circuit;
use crate::catalogue::dh::Dh;
use crate::catalogue::fhe;
use crate::catalogue::fnp;
use crate::catalogue::ks;
use crate::catalogue::oprf_filter::OprfFilter;
use crate::catalogue::private_id::{PrivateId, VolePrivateId};
use crate::catalogue::pso::{CW_PRF, P_OPRF, STAR};
use crate::catalogue::{rr22, rt21, zero_sharing};
use crate::{MultipartyProtocol, Operation, Protocol, Security};

/// Every protocol.
pub static PROTOCOLS: [&dyn Protocol; 42] = [
    &Dh,
    &rr22::SEMI_HONEST,
    &rr22::MALICIOUS,
    &rr22::POST_QUANTUM,
    &rr22::MALICIOUS_POST_QUANTUM,
    &rt21::MALICIOUS,
    &rt21::SEMI_HONEST,
    &rt21::FINITE_FIELD,
    &ks::WHOLE,
    &ks::BINNED,
    &fnp::WHOLE,
    &fnp::BINNED,
    &fhe::INTERSECT,
    &circuit::COUNT,
    &circuit::SUM,
    &circuit::SHARE,
    &CW_PRF[0],
    &CW_PRF[1],
    &CW_PRF[2],
    &CW_PRF[3],
    &CW_PRF[4],
    &PrivateId,
    &VolePrivateId,
    &P_OPRF[0],
    &P_OPRF[1],
    &P_OPRF[2],
    &P_OPRF[3],
    &P_OPRF[4],
    &STAR[0],
    &STAR[1],
    &STAR[2],
    &STAR[3],
    &STAR[4],
    &agree::TO_THE_MATCH,
    &agree::FIXED,
    &agree::PAIRWISE,
    &agree::PAILLIER,
    &agree::UNCACHED,
    &agree::PAILLIER_PAIRWISE,
    &agree::IMPLICIT,
    &OprfFilter,
    &fhe::LOOKUP,
];

/// Every protocol between three parties or more; of those of an operation the first is taken where nobody names one.
pub static MULTIPARTY: [&dyn MultipartyProtocol; 5] = [
    &zero_sharing::ALL_BUT_ONE,
    &zero_sharing::LEADER_PIVOT,
    &ks::multiparty::KS_PARTIES,
    &zero_sharing::LEADER_PIVOT_COUNT,
    &zero_sharing::OVERLAPS,
];

/// The protocol between several parties that is called `id`.
#[must_use]
pub fn find_multiparty(id: &str) -> Option<&'static dyn MultipartyProtocol> {
    MULTIPARTY.iter().copied().find(|protocol| protocol.spec().id == id)
}

/// The protocol called `id`.
#[must_use]
pub fn find(id: &str) -> Option<&'static dyn Protocol> {
    PROTOCOLS.iter().copied().find(|protocol| protocol.spec().id == id)
}

/// The protocols that compute `operation` with at least `security`.
pub fn candidates(
    operation: Operation,
    security: Security,
) -> impl Iterator<Item = &'static dyn Protocol> {
    PROTOCOLS.iter().copied().filter(move |protocol| {
        let spec = protocol.spec();
        spec.operation == operation && spec.security >= security
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;

    #[test]
    fn ids_are_unique_and_findable() {
        for protocol in PROTOCOLS {
            let id = protocol.spec().id;
            let same = PROTOCOLS.iter().filter(|other| other.spec().id == id).count();
            assert_eq!(same, 1, "{id}");
            assert!(find(id).is_some_and(|found| found.spec().id == id));
        }
        assert!(find("no-such-protocol").is_none());
    }

    #[test]
    fn leaks_are_sentences_that_some_run_has() {
        for spec in PROTOCOLS.map(|protocol| protocol.spec()) {
            for (place, leak) in spec.leaks.iter().enumerate() {
                assert!(leak.text.ends_with('.'), "{}: {}", spec.id, leak.text);
                assert!(!spec.leaks[..place].contains(leak), "{}: {}", spec.id, leak.text);
                let runs = spec.reveals.iter().any(|reveal| leak.holds(*reveal));
                assert!(runs, "{}: {}", spec.id, leak.text);
                let conditional = leak.text.starts_with("If both learn");
                assert_eq!(leak.reveal.is_some(), conditional, "{}: {}", spec.id, leak.text);
            }
        }
    }

    #[test]
    fn who_is_safe_from_honest_parties_alone_says_what_others_get() {
        for spec in PROTOCOLS.map(|protocol| protocol.spec()) {
            let says = spec.leaks.iter().any(|leak| leak.by_cheating);
            assert!(says, "{} does not say what a side gets that cheats", spec.id);
        }
    }

    /// What a side can do that chooses other bits in the transfers than the protocol says, or puts in other items.
    #[test]
    fn transfers_by_a_partys_own_word_say_what_that_party_gets() {
        let transfers = |spec: &Spec| {
            spec.security == Security::SemiHonest && spec.assumption.contains("fixed-key AES")
        };
        let of = |operation| match operation {
            Operation::Intersect => "guesses",
            Operation::Union => "all of the other's rows",
            Operation::Count => "make the count another one",
            Operation::Sum | Operation::Share | Operation::Align => "which of its keys match",
            other => panic!("transfers of {other}"),
        };
        let specs = PROTOCOLS.map(|protocol| protocol.spec());
        let mut seen = 0;
        for spec in specs.iter().filter(|spec| transfers(spec)) {
            let words = of(spec.operation);
            let says = spec.leaks.iter().any(|leak| leak.by_cheating && leak.text.contains(words));
            assert!(says, "{} says nothing of {words}", spec.id);
            seen += 1;
        }
        // Four operations on each of three mqRPMTs, identifiers in two ways, `rr22` on two kinds of base transfers, and three on shares.
        assert_eq!(seen, 4 * 3 + 2 + 2 + 3);
    }

    /// Nothing binds a semi-honest side to as many points of vector OLE as it declared.
    #[test]
    fn unchecked_vector_ole_says_that_guesses_are_not_bounded() {
        let specs = PROTOCOLS.iter().map(|protocol| protocol.spec());
        let unchecked = specs.filter(|spec| {
            spec.security == Security::SemiHonest && spec.assumption.contains("dual LPN")
        });
        let mut seen = Vec::new();
        for spec in unchecked {
            let says =
                |leak: &crate::Leak| leak.by_cheating && leak.text.contains("is not bounded");
            assert!(spec.leaks.iter().any(says), "{}", spec.id);
            seen.push(spec.id);
        }
        assert_eq!(
            seen,
            ["rr22", "rr22-pq", "circuit-count", "circuit-sum", "circuit-share", "private-id-vole"]
        );
    }

    #[test]
    fn every_operation_has_a_protocol() {
        for operation in Operation::ALL {
            let of_several = MULTIPARTY.iter().any(|fits| fits.spec().operation == operation);
            let of_two = candidates(operation, Security::SemiHonest).next().is_some();
            assert!(of_two || of_several, "{operation}");
        }
    }
}
