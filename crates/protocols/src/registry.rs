//! The one list of protocols: the command line, the planner, the suites, the benches and the docs follow it.

use crate::agree;
use crate::dh::Dh;
use crate::fhe;
use crate::fnp;
use crate::ks;
use crate::oprf_filter::OprfFilter;
use crate::private_id::{PrivateId, VolePrivateId};
use crate::pso::{CW_PRF, P_OPRF, STAR};
use crate::{Operation, Protocol, Security};
use crate::{rr22, rt21};

/// Every protocol.
pub static PROTOCOLS: [&dyn Protocol; 35] = [
    &Dh,
    &rr22::SEMI_HONEST,
    &rr22::MALICIOUS,
    &rt21::MALICIOUS,
    &rt21::SEMI_HONEST,
    &rt21::FINITE_FIELD,
    &ks::WHOLE,
    &ks::BINNED,
    &fnp::WHOLE,
    &fnp::BINNED,
    &fhe::INTERSECT,
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
    &agree::PAILLIER,
    &agree::UNCACHED,
    &agree::IMPLICIT,
    &OprfFilter,
    &fhe::LOOKUP,
];

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
    fn every_operation_has_a_protocol() {
        for operation in Operation::ALL {
            assert!(candidates(operation, Security::SemiHonest).next().is_some(), "{operation}");
        }
    }
}
