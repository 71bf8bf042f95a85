//! What all parties sign at the end of a run: its terms, its sizes, and commitments to both lists.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use veilset_protocols::Spec;

use crate::terms::Terms;
use crate::{Column, Detail, LentGroups, Offer, WIRE_VERSION};

/// The form of statements.
pub const RECEIPT_FORMAT: &str = "veilset receipt 1";

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

/// What both sides sign. Its members, and those of members, stand in the order of their names, as RFC 8785 has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// What both said alike beside the members here.
    pub details: Vec<Detail>,
    /// The form of the statement.
    pub format: String,
    /// What was computed.
    pub operation: String,
    /// `exchanged`: each side has all messages of the other. It does not vouch for a result.
    pub outcome: String,
    /// The parties: of two the one that connected first, of several in the order of their keys.
    pub parties: Vec<StatementParty>,
    /// The presets of the keys.
    pub presets: String,
    /// The protocol's id.
    pub protocol: String,
    /// The run's id.
    pub run: String,
    /// Against whom the protocol holds.
    pub security: String,
    /// The version of what crosses the wire.
    pub wire: u16,
}

/// A party in a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatementParty {
    /// When it says that it began, in seconds since 1970.
    pub began: u64,
    /// The columns of which it sends something, or whose values are added up.
    pub columns: Vec<String>,
    /// Its commitment to its list, in hexadecimal digits.
    pub commitment: String,
    /// How many distinct keys it has.
    pub distinct: u64,
    /// Its public key.
    pub key: String,
    /// Whether it was to learn the result.
    pub learns: bool,
}

impl Statement {
    /// The canonical form, which is signed.
    ///
    /// # Panics
    /// Never: it is plain data.
    #[must_use]
    pub fn canonical(&self) -> String {
        serde_json::to_string(self).expect("a statement is plain data")
    }
}

/// A statement with both parties' signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The statement.
    pub statement: Statement,
    /// The public keys and the signatures that are right; a peer that refuses has none here.
    pub signatures: Vec<([u8; 32], [u8; SIGNATURE])>,
}

impl Receipt {
    /// Whether all have signed.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.signatures.len() == self.statement.parties.len()
    }

    /// What of one side is signed, and then what came from each other, if that is its signature.
    pub(crate) fn of(
        statement: Statement,
        pledge: &Pledge,
        own: [u8; SIGNATURE],
        others: impl IntoIterator<Item = ([u8; 32], [u8; SIGNATURE])>,
    ) -> Self {
        let mut signatures = vec![(pledge.signer.key(), own)];
        let signed = statement.canonical();
        let others = others
            .into_iter()
            .filter(|(key, theirs)| pledge.signer.is_signed(key, signed.as_bytes(), theirs));
        signatures.extend(others);
        Self { statement, signatures }
    }
}

/// What this party says of itself in the statement, where it signs.
pub(crate) fn own_party(pledge: &Pledge, offer: &Offer, learns: bool) -> StatementParty {
    StatementParty {
        began: pledge.began,
        columns: names(&offer.columns, offer.lent.as_ref()),
        commitment: hex(&pledge.commitment),
        distinct: offer.distinct as u64,
        key: pledge.signer.name_of(&pledge.signer.key()),
        learns,
    }
}

/// What it says of another one, of this key.
pub(crate) fn other_party(
    pledge: &Pledge,
    key: &[u8; 32],
    theirs: &Pledged,
    learns: bool,
) -> StatementParty {
    StatementParty {
        began: theirs.began,
        columns: names(&theirs.columns, theirs.lent.as_ref()),
        commitment: hex(&theirs.commitment),
        distinct: theirs.distinct,
        key: pledge.signer.name_of(key),
        learns,
    }
}

/// The columns of which something goes to the peer.
fn names(columns: &[Column], lent: Option<&LentGroups>) -> Vec<String> {
    let lent = lent.into_iter().flat_map(|lent| lent.columns.iter().cloned());
    columns.iter().map(|column| column.name.clone()).chain(lent).collect()
}

/// The statement of a run of two, the same on both sides.
pub(crate) fn of_two(
    pledge: &Pledge,
    peer: &[u8; 32],
    run: String,
    spec: &'static Spec,
    offer: &Offer,
    theirs: &Pledged,
) -> Statement {
    // The keys tell the parties apart; either side's own number of keys is that of its terms.
    let own = own_party(pledge, offer, offer.learn.includes_me());
    let other = other_party(pledge, peer, theirs, offer.learn.mirrored().includes_me());
    let parties = if theirs.connecting { vec![other, own] } else { vec![own, other] };
    let details = theirs.details.clone();
    statement(parties, run, [spec.id, spec.security.name()], offer, details)
}

/// The statement of a run of these parties by this protocol, against whom it holds.
pub(crate) fn statement(
    parties: Vec<StatementParty>,
    run: String,
    [protocol, security]: [&'static str; 2],
    offer: &Offer,
    details: Vec<Detail>,
) -> Statement {
    Statement {
        details,
        format: RECEIPT_FORMAT.to_owned(),
        operation: offer.operation.name().to_owned(),
        outcome: "exchanged".to_owned(),
        parties,
        presets: offer.presets.clone(),
        protocol: protocol.to_owned(),
        run,
        security: security.to_owned(),
        wire: WIRE_VERSION,
    }
}

/// What the peer's terms say for the statement.
#[derive(Debug, Clone)]
pub(crate) struct Pledged {
    /// Whether it opened the connection.
    connecting: bool,
    began: u64,
    commitment: [u8; 32],
    distinct: u64,
    columns: Vec<Column>,
    lent: Option<LentGroups>,
    /// The same on all sides.
    pub(crate) details: Vec<Detail>,
}

impl Pledged {
    pub(crate) fn of(theirs: &Terms) -> Self {
        let Terms { connecting, began, commitment, distinct, .. } = *theirs;
        let (columns, lent) = (theirs.columns.clone(), theirs.lent.clone());
        let details = theirs.details.clone();
        Self { connecting, began, commitment, distinct, columns, lent, details }
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

    /// The connecting side learns.
    fn offer(number: u8, connecting: bool) -> Offer {
        let signer = Arc::new(Digests([number; 32]));
        let pledge = Pledge { signer, began: number.into(), commitment: [number + 10; 32] };
        let learn = if connecting { Learn::Me } else { Learn::Peer };
        let (distinct, pledge) = (usize::from(number) * 100, Some(pledge));
        Offer { learn, distinct, pledge, ..Offer::sample() }
    }

    /// The statement of the first as it meets the second.
    fn said(own: &Offer, other: &Offer) -> Statement {
        let pledge = own.pledge.as_ref().expect("it signs");
        let theirs = Pledged::of(&Terms::new(other, other.learn == Learn::Me, [0; 32]));
        let key = other.pledge.as_ref().map_or([2; 32], |pledge| pledge.signer.key());
        of_two(pledge, &key, "run".into(), PROTOCOLS[0].spec(), own, &theirs)
    }

    #[test]
    fn both_sides_make_one_statement_in_its_canonical_form() {
        let (one, other) = (offer(1, true), offer(2, false));
        let statement = said(&one, &other);
        assert_eq!(statement, said(&other, &one));
        let statement = statement.canonical();
        let first = format!(
            "\"parties\":[{{\"began\":1,\"columns\":[],\"commitment\":\"{}\",\"distinct\":100,",
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
        let text = statement.canonical();
        let own = pledge.signer.sign(text.as_bytes());
        let of = |theirs| Receipt::of(statement.clone(), pledge, own, [([2; 32], theirs)]);
        assert!(of(sign(&text)).is_whole());
        for wrong in [[0; SIGNATURE], sign("another"), own] {
            assert_eq!(of(wrong).signatures, [([1; 32], own)]);
        }
    }
}
