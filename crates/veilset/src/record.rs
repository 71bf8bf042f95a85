//! What the ledger gets of a run.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use rand_core::CryptoRng;
use veilset_data::{DataError, KeyDigest};
use veilset_host::time::now;
use veilset_party::{PublicKey, Signer};
use veilset_rules::{Began, CONTEXT, Ending, Ledger, LedgerError, LedgerPeer, Rules};
use veilset_session::{Pledge, Report, Sign, fresh_rng};

use crate::{Error, Input, Job, Ready};

impl Job {
    /// Whether budgets leave enough for a run of this list with the peers, which have these keys, if it began now. Takes nothing of
    /// them.
    ///
    /// # Errors
    /// With the budget that has too little left, or when the ledger cannot be read.
    pub fn check_budgets(&self, input: &Input, keys: &[String]) -> Result<(), Error> {
        let Some(ledger) = &self.ledger else { return Ok(()) };
        let peers = self.peers.iter().zip(keys).map(|(name, key)| LedgerPeer {
            name: name.clone(),
            key: key.clone(),
            distinct: 0,
        });
        let began = Began {
            epsilon: self.epsilon(),
            ..Began::new(String::new(), peers.collect(), self.operation.name().to_owned())
        };
        let keys = input.digests(&mut fresh_rng()?)?;
        Ok(ledger.check(began, &input.of_values(&keys), &self.rules, now())?)
    }

    /// What a run spends of a budget for noise.
    fn epsilon(&self) -> Option<f64> {
        self.release.noise.map(|noise| noise.epsilon())
    }
}

/// A run that is to be in the ledger, and takes its budgets.
pub(crate) struct Record {
    ledger: Arc<Ledger>,
    rules: Vec<Rules>,
    began: Began,
}

impl Record {
    /// Of agreed terms of this job, where it has a ledger and its peers have keys.
    pub(crate) fn of(job: &Job, ready: &Ready, salt: Option<String>) -> Option<Self> {
        let ledger = Arc::clone(job.ledger.as_ref()?);
        let keys = ready.agreed.keys()?;
        let briefing = ready.briefing();
        let peers = briefing.peers.iter().zip(keys).map(|(peer, key)| LedgerPeer {
            name: peer.name.clone(),
            key: PublicKey::from_bytes(key).to_string(),
            distinct: peer.distinct,
        });
        let began = Began {
            learn: briefing.learn.name().to_owned(),
            protocol: briefing.protocol.to_owned(),
            presets: briefing.presets.clone(),
            reference: job.reference.clone(),
            epsilon: job.epsilon(),
            salt,
            ..Began::new(ready.run_id(), peers.collect(), briefing.operation.name().to_owned())
        };
        Some(Self { ledger, rules: job.rules.clone(), began })
    }

    /// Takes the budgets and writes that the run of a list of so many keys with these digests begins.
    pub(crate) fn begin(&self, own: u64, digests: &[KeyDigest]) -> Result<(), LedgerError> {
        let began = Began { own, ..self.began.clone() };
        self.ledger.begin(began, digests, &self.rules, now())
    }

    /// Whether no rule needs the ledger, so that a run may go on which it does not have.
    pub(crate) fn is_free(&self) -> bool {
        self.rules.iter().all(|rules| rules.needs_ledger().is_none())
    }

    /// Writes how it ended.
    pub(crate) fn end<E>(&self, report: &Result<Report, E>) -> Result<(), LedgerError> {
        let ending = match report {
            Ok(report) if report.withheld.is_some() => Ending::Withheld,
            Ok(_) => Ending::Complete,
            Err(_) => Ending::Failed,
        };
        let receipt = report.as_ref().ok().and_then(|report| report.receipt.as_ref());
        self.ledger.end(&self.began.run, ending, receipt, now())
    }
}

/// What this party says for the receipt, and the salt that opens its commitment, in hexadecimal digits.
pub(crate) fn pledge(
    ledger: &Ledger,
    input: &Input,
    rng: &mut dyn CryptoRng,
) -> Result<(Pledge, String), DataError> {
    let mut salt = [0; 32];
    rng.fill_bytes(&mut salt);
    let mut hasher = blake3::Hasher::new_derive_key("veilset v1 commitment to a list");
    hasher.update(&salt);
    input.over_digests(&mut |digests| {
        hasher.update(digests);
    })?;
    let commitment = *hasher.finalize().as_bytes();
    let since = now().duration_since(UNIX_EPOCH);
    let began = since.map_or(0, |since| since.as_secs());
    let pledge = Pledge { signer: Arc::new(Signs(ledger.signer())), began, commitment };
    Ok((pledge, blake3::Hash::from_bytes(salt).to_hex().to_string()))
}

/// This party's signatures on receipts.
struct Signs(Signer);

impl Sign for Signs {
    fn name_of(&self, key: &[u8; 32]) -> String {
        PublicKey::from_bytes(*key).to_string()
    }

    fn key(&self) -> [u8; 32] {
        *self.0.public_key().as_bytes()
    }

    fn sign(&self, statement: &[u8]) -> [u8; 64] {
        self.0.sign(statement)
    }

    fn is_signed(&self, key: &[u8; 32], statement: &[u8], signature: &[u8; 64]) -> bool {
        PublicKey::from_bytes(*key).signed(CONTEXT, statement, signature)
    }
}
