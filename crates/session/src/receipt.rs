//! What both sides sign at the end of a run: its terms, its sizes, and commitments to both lists.

use std::sync::Arc;

use serde::Serialize;
use veilset_protocols::Spec;

use crate::terms::Terms;
use crate::{Detail, Offer};

/// The form of a statement.
const FORMAT: &str = "veilset receipt 1";

/// The bytes of a signature.
pub(crate) const SIGNATURE: usize = 64;

/// Signs for this party, and knows other parties' signatures. The session has no keys of its own.
pub trait Sign: Send + Sync {
    /// A public key as a text.
    fn name_of(&self, key: &[u8; 32]) -> String;

    /// This party's public key.
    fn key(&self) -> [u8; 32];

    /// This party's signature on a statement.
    fn sign(&self, statement: &[u8]) -> [u8; SIGNATURE];

    /// Whether the party of this key signed the statement.
    fn is_signed(&self, key: &[u8; 32], statement: &[u8], signature: &[u8; SIGNATURE]) -> bool;
}

/// What a side says of its list before the run, so that the receipt can name it.
#[derive(Clone)]
pub struct Pledge {
    /// Who signs.
    pub signer: Arc<dyn Sign>,
    /// When this side began, in seconds since 1970.
    pub began: u64,
    /// A commitment to the list, which tells nothing of it.
    pub commitment: [u8; 32],
}

impl std::fmt::Debug for Pledge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pledge").field("began", &self.began).finish_non_exhaustive()
    }
}

/// What both sides sign: in the canonical form of RFC 8785, whose members stand in the order of their names.
#[derive(Serialize)]
struct Statement<'a> {
    details: Vec<Said<'a>>,
    format: &'static str,
    operation: &'static str,
    outcome: &'static str,
    parties: [Party; 2],
    presets: &'a str,
    protocol: &'static str,
    run: String,
    security: &'static str,
    version: &'static str,
}

/// What both sides said alike.
#[derive(Serialize)]
struct Said<'a> {
    name: &'a str,
    value: &'a str,
}

impl<'a> Said<'a> {
    fn of(detail: &'a Detail) -> Self {
        Self { name: &detail.name, value: &detail.value }
    }
}

/// A party, the one that connected first.
#[derive(Serialize)]
struct Party {
    began: u64,
    commitment: String,
    distinct: u64,
    key: String,
    learns: bool,
}

/// A statement with both parties' signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The statement, as it is signed.
    pub statement: String,
    /// The public keys and the signatures that are right; a peer that refuses has none here.
    pub signatures: Vec<([u8; 32], [u8; SIGNATURE])>,
}

impl Receipt {
    /// Whether both have signed.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.signatures.len() == 2
    }

    /// What of one side is signed, and then what came from the peer, if that is its signature.
    pub(crate) fn of(
        statement: String,
        pledge: &Pledge,
        own: [u8; SIGNATURE],
        peer: ([u8; 32], [u8; SIGNATURE]),
    ) -> Self {
        let (key, theirs) = peer;
        let mut signatures = vec![(pledge.signer.key(), own)];
        if pledge.signer.is_signed(&key, statement.as_bytes(), &theirs) {
            signatures.push((key, theirs));
        }
        Self { statement, signatures }
    }
}

/// The statement of a run between these two, the same on both sides.
pub(crate) fn statement(
    pledge: &Pledge,
    peer: &[u8; 32],
    run: String,
    spec: &'static Spec,
    offer: &Offer,
    theirs: &Pledged,
) -> String {
    // The keys tell the parties apart; either side's own number of keys is that of its terms.
    let own = Party {
        began: pledge.began,
        commitment: hex(&pledge.commitment),
        distinct: offer.distinct as u64,
        key: pledge.signer.name_of(&pledge.signer.key()),
        learns: offer.learn.includes_me(),
    };
    let other = Party {
        began: theirs.began,
        commitment: hex(&theirs.commitment),
        distinct: theirs.distinct,
        key: pledge.signer.name_of(peer),
        learns: offer.learn.mirrored().includes_me(),
    };
    let parties = if offer.connecting { [own, other] } else { [other, own] };
    let statement = Statement {
        details: theirs.details.iter().map(Said::of).collect(),
        format: FORMAT,
        operation: offer.operation.name(),
        outcome: "complete",
        parties,
        presets: &offer.presets,
        protocol: spec.id,
        run,
        security: spec.security.name(),
        version: env!("CARGO_PKG_VERSION"),
    };
    serde_json::to_string(&statement).expect("a statement is plain data")
}

/// What the peer's terms say for the statement.
#[derive(Debug, Clone)]
pub(crate) struct Pledged {
    began: u64,
    commitment: [u8; 32],
    distinct: u64,
    /// The same on both sides.
    details: Vec<Detail>,
}

impl Pledged {
    pub(crate) fn of(theirs: &Terms) -> Self {
        let Terms { began, commitment, distinct, ref details, .. } = *theirs;
        Self { began, commitment, distinct, details: details.clone() }
    }
}

fn hex(bytes: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*bytes).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use veilset_protocols::PROTOCOLS;

    use super::*;
    use crate::Learn;

    /// A signature is a digest under the key, which is no secret here.
    struct Digests([u8; 32]);

    impl Sign for Digests {
        fn name_of(&self, key: &[u8; 32]) -> String {
            hex(key)
        }

        fn key(&self) -> [u8; 32] {
            self.0
        }

        fn sign(&self, statement: &[u8]) -> [u8; SIGNATURE] {
            let mut signature = [0; SIGNATURE];
            blake3::Hasher::new_keyed(&self.0)
                .update(statement)
                .finalize_xof()
                .fill(&mut signature);
            signature
        }

        fn is_signed(&self, key: &[u8; 32], statement: &[u8], signature: &[u8; SIGNATURE]) -> bool {
            Self(*key).sign(statement) == *signature
        }
    }

    fn offer(number: u8, connecting: bool) -> Offer {
        let signer = Arc::new(Digests([number; 32]));
        let pledge = Pledge { signer, began: number.into(), commitment: [number + 10; 32] };
        let learn = if connecting { Learn::Me } else { Learn::Peer };
        let (distinct, pledge) = (usize::from(number) * 100, Some(pledge));
        Offer { learn, connecting, distinct, pledge, ..Offer::sample() }
    }

    /// The statement of the first as it meets the second.
    fn said(own: &Offer, other: &Offer) -> String {
        let pledge = own.pledge.as_ref().expect("it signs");
        let theirs = Pledged::of(&Terms::new(other, [0; 32]));
        let key = other.pledge.as_ref().map_or([2; 32], |pledge| pledge.signer.key());
        statement(pledge, &key, "run".into(), PROTOCOLS[0].spec(), own, &theirs)
    }

    #[test]
    fn both_sides_make_one_statement_in_its_canonical_form() {
        let (one, other) = (offer(1, true), offer(2, false));
        let statement = said(&one, &other);
        assert_eq!(statement, said(&other, &one));
        let first = format!(
            "\"parties\":[{{\"began\":1,\"commitment\":\"{}\",\"distinct\":100,",
            hex(&[11; 32])
        );
        assert!(statement.contains(&first), "{statement}");
        let value: serde_json::Value = serde_json::from_str(&statement).expect("JSON");
        assert_eq!(value.to_string(), statement);
        let names: Vec<&String> = value.as_object().expect("members").keys().collect();
        assert!(names.is_sorted());
        assert!(value["parties"][0].as_object().expect("members").keys().is_sorted());
    }

    #[test]
    fn a_peer_that_does_not_sign_what_this_side_signs_is_none() {
        let (one, other) = (offer(1, true), offer(2, false));
        let (statement, pledge) = (said(&one, &other), one.pledge.as_ref().expect("it signs"));
        let sign = |text: &str| Digests([2; 32]).sign(text.as_bytes());
        let own = pledge.signer.sign(statement.as_bytes());
        let of = |theirs| Receipt::of(statement.clone(), pledge, own, ([2; 32], theirs));
        assert!(of(sign(&statement)).is_whole());
        for wrong in [[0; SIGNATURE], sign("another"), own] {
            assert_eq!(of(wrong).signatures, [([1; 32], own)]);
        }
    }
}
