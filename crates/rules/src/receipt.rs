//! Receipts as files, which anybody can verify.
//!
//! A receipt is `{"statement": …, "signatures": [{"key": …, "signature": …}, …]}`. What is signed is the statement in the canonical form of
//! RFC 8785, after the context and a zero byte, with Ed25519; a key is a line as `veilset id` prints it, and a signature has 128 hexadecimal
//! digits.

use serde_json::{Value, json};
use veilset_party::PublicKey;
use veilset_session::Receipt;

/// The context of a receipt's signatures.
pub const CONTEXT: &str = "veilset receipt";

/// A receipt, as it is in a file.
#[derive(Debug, Clone)]
pub struct SignedReceipt {
    file: Value,
}

/// Why a file is no receipt, or not one that both parties signed.
#[derive(Debug, thiserror::Error)]
pub enum ReceiptError {
    /// It is something else.
    #[error("the file is no receipt: {0}")]
    Malformed(&'static str),
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
        let signature = |(key, signature): &([u8; 32], [u8; 64])| {
            let digits: String = signature.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "key": PublicKey::from_bytes(*key).to_string(), "signature": digits })
        };
        let statement: Value = serde_json::from_str(&receipt.statement).unwrap_or_default();
        let signatures: Vec<Value> = receipt.signatures.iter().map(signature).collect();
        Self { file: json!({ "statement": statement, "signatures": signatures }) }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it is something else.
    pub fn read(bytes: &[u8]) -> Result<Self, ReceiptError> {
        let file: Value =
            serde_json::from_slice(bytes).map_err(|_| ReceiptError::Malformed("it is not JSON"))?;
        let format = file.pointer("/statement/format").and_then(Value::as_str);
        match format {
            Some("veilset receipt 1") => Ok(Self { file }),
            Some(_) => Err(ReceiptError::Malformed("it is of another format")),
            None => Err(ReceiptError::Malformed("it has no statement with a format")),
        }
    }

    /// The file's bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        format!("{:#}\n", self.file).into_bytes()
    }

    /// What was signed.
    #[must_use]
    pub fn statement(&self) -> &Value {
        &self.file["statement"]
    }

    /// The digest of what was signed, as the ledger has it.
    #[must_use]
    pub fn digest(&self) -> String {
        blake3::hash(&self.canonical()).to_hex().to_string()
    }

    /// Verifies that both parties of the statement signed it.
    ///
    /// # Errors
    /// With the party that did not, or whose signature is wrong.
    pub fn verify(&self) -> Result<(), ReceiptError> {
        let parties = self.statement()["parties"].as_array().filter(|all| all.len() == 2);
        let parties =
            parties.ok_or(ReceiptError::Malformed("its statement is not of two parties"))?;
        let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let empty = Vec::new();
        let signatures = self.file["signatures"].as_array().unwrap_or(&empty);
        let message = self.canonical();
        let keys: Vec<String> = parties.iter().map(|party| text(party, "key")).collect();
        if keys[0] == keys[1] {
            return Err(ReceiptError::Malformed("both parties have the same key"));
        }
        for name in keys {
            let key: PublicKey =
                name.parse().map_err(|_| ReceiptError::Malformed("a party has no key"))?;
            let of_key = signatures.iter().find(|signature| text(signature, "key") == name);
            let Some(signature) = of_key else { return Err(ReceiptError::Unsigned(name)) };
            let signature = from_hex(&text(signature, "signature")).ok_or(
                ReceiptError::Malformed("a signature has other than 128 hexadecimal digits"),
            )?;
            if !key.signed(CONTEXT, &message, &signature) {
                return Err(ReceiptError::Wrong(name));
            }
        }
        Ok(())
    }

    /// What is signed, however the file writes it.
    fn canonical(&self) -> Vec<u8> {
        sorted(self.statement()).to_string().into_bytes()
    }
}

/// The same with the members of every object in the order of their names, which all are ASCII; the printer has no spaces, and writes
/// texts and whole numbers as RFC 8785 does.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            members.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect()
        }
        Value::Array(values) => values.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

/// 64 bytes of hexadecimal digits.
pub(crate) fn from_hex(text: &str) -> Option<[u8; 64]> {
    let digits: &[u8; 128] = text.as_bytes().try_into().ok()?;
    let mut bytes = [0; 64];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use veilset_party::Identity;

    use super::*;

    /// A statement that these sign.
    fn receipt(signers: &[&Identity], parties: [&Identity; 2]) -> SignedReceipt {
        let party = |identity: &Identity| {
            format!("{{\"distinct\":1,\"key\":\"{}\"}}", identity.public_key())
        };
        let [one, other] = parties.map(party);
        let statement = format!(
            "{{\"format\":\"veilset receipt 1\",\"parties\":[{one},{other}],\"presets\":\"é\\n\"}}"
        );
        let sign = |one: &&Identity| {
            (*one.public_key().as_bytes(), one.sign(CONTEXT, statement.as_bytes()))
        };
        SignedReceipt::of(&Receipt {
            signatures: signers.iter().map(sign).collect(),
            statement: statement.clone(),
        })
    }

    #[test]
    fn a_receipt_is_verified_however_its_file_is_written() {
        let (one, other) = (Identity::ephemeral(), Identity::ephemeral());
        let signed = receipt(&[&one, &other], [&one, &other]);
        assert!(signed.verify().is_ok());
        let read = SignedReceipt::read(&signed.to_bytes()).expect("a receipt");
        assert!(read.verify().is_ok());
        assert_eq!(read.digest(), signed.digest());
        // Other white space, and members in another order.
        let file = &signed.file;
        let parties = file["statement"]["parties"].as_array().expect("two");
        let turned = |party: &Value| format!("{{\"key\": {}, \"distinct\": 1}}", party["key"]);
        let text = format!(
            "{{\"signatures\": {}, \"statement\": {{\"presets\":\"\\u00e9\\n\", \"parties\":[{}, {}], \"format\":\"veilset receipt 1\"}}}}",
            file["signatures"],
            turned(&parties[0]),
            turned(&parties[1])
        );
        assert!(SignedReceipt::read(text.as_bytes()).expect("a receipt").verify().is_ok());
    }

    #[test]
    fn what_is_changed_or_not_signed_is_refused() {
        let (one, other) = (Identity::ephemeral(), Identity::ephemeral());
        let refused = |receipt: SignedReceipt| receipt.verify().expect_err("refused");
        let unsigned = receipt(&[&one], [&one, &other]);
        assert!(
            matches!(refused(unsigned), ReceiptError::Unsigned(key) if key == other.public_key().to_string())
        );
        let mut changed = receipt(&[&one, &other], [&one, &other]);
        changed.file["statement"]["parties"][1]["distinct"] = json!(2);
        assert!(matches!(refused(changed), ReceiptError::Wrong(_)));
        let mut more = receipt(&[&one, &other], [&one, &other]);
        more.file["statement"]["more"] = json!(1);
        assert!(matches!(refused(more), ReceiptError::Wrong(_)));
        let alone = receipt(&[&one], [&one, &one]);
        assert!(matches!(refused(alone), ReceiptError::Malformed(_)));
        let stranger = Identity::ephemeral();
        let mut strange = receipt(&[&one, &stranger], [&one, &other]);
        strange.file["signatures"][1]["key"] = json!(other.public_key().to_string());
        assert!(matches!(refused(strange), ReceiptError::Wrong(_)));
        for text in ["", "[]", "{}", "{\"statement\":1}", "{\"statement\":{\"format\":\"2\"}}"] {
            assert!(SignedReceipt::read(text.as_bytes()).is_err(), "{text}");
        }
        let none = SignedReceipt::read(b"{\"statement\":{\"format\":\"veilset receipt 1\"}}")
            .expect("a statement");
        assert!(matches!(refused(none), ReceiptError::Malformed(_)));
    }
}
