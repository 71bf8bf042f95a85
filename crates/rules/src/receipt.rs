//! Receipts as files, which anybody can verify.
//!
//! A receipt is `{"statement": …, "signatures": [{"key": …, "signature": …}, …]}`, and nothing else. What is signed is the statement in the
//! canonical form of RFC 8785, after the context and a zero byte, with Ed25519; a key is a line as `veilset id` prints it, and a
//! signature has 128 hexadecimal digits.

use serde::{Deserialize, Serialize};
use veilset_party::PublicKey;
use veilset_session::{RECEIPT_FORMAT, Receipt, Statement};

/// The context of a receipt's signatures.
pub const CONTEXT: &str = "veilset receipt";

/// A receipt, as it is in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedReceipt {
    statement: Statement,
    signatures: Vec<Signature>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signature {
    key: String,
    signature: String,
}

/// Why a file is no receipt, or not one that both parties signed.
#[derive(Debug, thiserror::Error)]
pub enum ReceiptError {
    /// It is something else.
    #[error("the file is no receipt: {0}")]
    Malformed(String),
    /// A party's signature is missing.
    #[error("{0} did not sign the statement")]
    Unsigned(String),
    /// A signature is not that of the key beside it.
    #[error("the signature of {0} is wrong: the statement was changed, or somebody else signed it")]
    Wrong(String),
}

impl SignedReceipt {
    /// Of a run that this side signed.
    #[must_use]
    pub fn of(receipt: &Receipt) -> Self {
        let signature = |(key, signature): &([u8; 32], [u8; 64])| Signature {
            key: PublicKey::from_bytes(*key).to_string(),
            signature: to_hex(signature),
        };
        let signatures = receipt.signatures.iter().map(signature).collect();
        Self { statement: receipt.statement.clone(), signatures }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it is something else.
    pub fn read(bytes: &[u8]) -> Result<Self, ReceiptError> {
        let read: Self = serde_json::from_slice(bytes)
            .map_err(|why| ReceiptError::Malformed(why.to_string()))?;
        if read.statement.format != RECEIPT_FORMAT {
            return Err(ReceiptError::Malformed("it is of another format".to_owned()));
        }
        Ok(read)
    }

    /// The file's bytes.
    ///
    /// # Panics
    /// Never: it is plain data.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("a receipt is plain data");
        bytes.push(b'\n');
        bytes
    }

    /// What was signed.
    #[must_use]
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// The digest of what was signed, as the ledger has it.
    #[must_use]
    pub fn digest(&self) -> String {
        blake3::hash(self.statement.canonical().as_bytes()).to_hex().to_string()
    }

    /// Verifies that all parties of the statement signed it, and nobody else.
    ///
    /// # Errors
    /// With the party that did not, or whose signature is wrong.
    pub fn verify(&self) -> Result<(), ReceiptError> {
        let malformed = |why: &str| ReceiptError::Malformed(why.to_owned());
        let message = self.statement.canonical();
        let parties = &self.statement.parties;
        let mut keys: Vec<&str> = parties.iter().map(|party| &*party.key).collect();
        keys.sort_unstable();
        keys.dedup();
        if keys.len() < 2 || keys.len() < parties.len() || self.signatures.len() > parties.len() {
            return Err(malformed("it is not of two parties or more, each once"));
        }
        for party in parties {
            let name = &party.key;
            let key: PublicKey = name.parse().map_err(|_| malformed("a party has no key"))?;
            // Each key has one text.
            if key.to_string() != *name {
                return Err(malformed("a party's key is not written as veilset id prints it"));
            }
            let of_key = self.signatures.iter().find(|signature| signature.key == *name);
            let Some(signature) = of_key else { return Err(ReceiptError::Unsigned(name.clone())) };
            let signature = from_hex(&signature.signature)
                .ok_or_else(|| malformed("a signature has other than 128 hexadecimal digits"))?;
            if !key.signed(CONTEXT, message.as_bytes(), &signature) {
                return Err(ReceiptError::Wrong(name.clone()));
            }
        }
        Ok(())
    }
}

/// The hexadecimal digits of a signature, in lower case.
pub(crate) fn to_hex(signature: &[u8; 64]) -> String {
    signature.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The signature of such digits.
pub(crate) fn from_hex(text: &str) -> Option<[u8; 64]> {
    let digits: &[u8; 128] = text.as_bytes().try_into().ok()?;
    let digit = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; 64];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use veilset_party::Identity;
    use veilset_session::StatementParty;

    use super::*;

    /// A statement of these parties that these sign.
    fn receipt(signers: &[&Identity], parties: &[&Identity]) -> SignedReceipt {
        let party = |identity: &&Identity| StatementParty {
            began: 1,
            columns: vec!["segment".into()],
            commitment: "00".into(),
            distinct: 1,
            key: identity.public_key().to_string(),
            learns: true,
        };
        let text = |text: &str| text.to_owned();
        let statement = Statement {
            details: Vec::new(),
            format: RECEIPT_FORMAT.to_owned(),
            operation: text("count"),
            outcome: text("exchanged"),
            parties: parties.iter().map(party).collect(),
            presets: text("é\n"),
            protocol: text("dh"),
            run: text("1"),
            security: text("semi-honest"),
            wire: 5,
        };
        let canonical = statement.canonical();
        let sign = |one: &&Identity| {
            (*one.public_key().as_bytes(), one.sign(CONTEXT, canonical.as_bytes()))
        };
        SignedReceipt::of(&Receipt { signatures: signers.iter().map(sign).collect(), statement })
    }

    #[test]
    fn a_receipt_is_verified_however_its_file_is_written() {
        let (one, other) = (Identity::ephemeral(), Identity::ephemeral());
        let signed = receipt(&[&one, &other], &[&one, &other]);
        assert!(signed.verify().is_ok());
        let read = SignedReceipt::read(&signed.to_bytes()).expect("a receipt");
        assert_eq!(read, signed);
        // Without white space, and with members in another order.
        let value: serde_json::Value = serde_json::from_slice(&signed.to_bytes()).expect("JSON");
        let statement = value["statement"].as_object().expect("members");
        let turned = statement.iter().rev().map(|(name, value)| (name.clone(), value.clone()));
        let turned: serde_json::Map<_, _> = turned.collect();
        let text = serde_json::json!({ "signatures": value["signatures"], "statement": turned });
        let read = SignedReceipt::read(text.to_string().as_bytes()).expect("a receipt");
        assert!(read.verify().is_ok());
        assert_eq!(read.digest(), signed.digest());
    }

    #[test]
    fn a_receipt_of_several_parties_has_a_signature_of_each() {
        let [one, other, third] = [(); 3].map(|()| Identity::ephemeral());
        let all = [&one, &other, &third];
        assert!(receipt(&all, &all).verify().is_ok());
        let missing = receipt(&all[..2], &all).verify().expect_err("refused");
        assert!(
            matches!(missing, ReceiptError::Unsigned(key) if key == third.public_key().to_string())
        );
        let stranger = receipt(&all, &all[..2]).verify().expect_err("refused");
        assert!(matches!(stranger, ReceiptError::Malformed(_)));
        let alone = receipt(&all[..1], &all[..1]).verify().expect_err("refused");
        assert!(matches!(alone, ReceiptError::Malformed(_)));
    }

    /// A run of the program, whose signatures another library of Ed25519 verified.
    #[test]
    fn the_vector_is_verified() {
        let vector = include_bytes!("../../../vectors/receipt.json");
        let receipt = SignedReceipt::read(vector).expect("a receipt");
        assert!(receipt.verify().is_ok());
        assert_eq!(receipt.to_bytes(), vector);
        assert_eq!(receipt.statement().parties[1].columns, ["segment"]);
    }

    #[test]
    fn what_is_changed_not_signed_or_ambiguous_is_refused() {
        let (one, other) = (Identity::ephemeral(), Identity::ephemeral());
        let refused = |receipt: SignedReceipt| receipt.verify().expect_err("refused");
        let unsigned = receipt(&[&one], &[&one, &other]);
        let missing = other.public_key().to_string();
        assert!(matches!(refused(unsigned), ReceiptError::Unsigned(key) if key == missing));
        let whole = receipt(&[&one, &other], &[&one, &other]);
        let mut changed = whole.clone();
        changed.statement.parties[1].distinct = 2;
        assert!(matches!(refused(changed), ReceiptError::Wrong(_)));
        let alone = receipt(&[&one], &[&one, &one]);
        assert!(matches!(refused(alone), ReceiptError::Malformed(_)));
        let mut twice = receipt(&[&one, &one], &[&one, &one]);
        twice.statement.parties[1].key = one.public_key().to_string().to_uppercase();
        twice.signatures[1].key = twice.statement.parties[1].key.clone();
        assert!(matches!(refused(twice), ReceiptError::Malformed(_) | ReceiptError::Wrong(_)));
        let stranger = Identity::ephemeral();
        let mut strange = receipt(&[&one, &stranger], &[&one, &other]);
        strange.signatures[1].key = missing;
        assert!(matches!(refused(strange), ReceiptError::Wrong(_)));
        let mut digits = whole.clone();
        digits.signatures[0].signature = digits.signatures[0].signature.to_uppercase();
        assert!(digits == whole || matches!(refused(digits), ReceiptError::Malformed(_)));
        let text = String::from_utf8(whole.to_bytes()).expect("text");
        for (from, to) in [
            ("\"operation\"", "\"operation\": \"union\", \"operation\""),
            ("\"operation\"", "\"more\": 1, \"operation\""),
            ("\"signatures\"", "\"more\": 1, \"signatures\""),
            ("\"wire\": 5", "\"wire\": 5.5"),
            ("veilset receipt 1", "veilset receipt 2"),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text);
            assert!(SignedReceipt::read(changed.as_bytes()).is_err(), "{to}");
        }
        for text in ["", "[]", "{}", "{\"statement\":1}"] {
            assert!(SignedReceipt::read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
