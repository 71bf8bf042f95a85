//! The one list of protocols: the command line, the planner, the suites, the benches and the docs follow it.

use crate::{Operation, Protocol, Security, dh::Dh, mqrpmt_dh::MqRpmtDh};

/// Every protocol.
pub static PROTOCOLS: &[&dyn Protocol] = &[&Dh, &MqRpmtDh];

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
