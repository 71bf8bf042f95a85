//! What the ledger gets of a run.

use std::sync::Arc;
use std::time::SystemTime;

use veilset_data::KeyDigest;
use veilset_party::PublicKey;
use veilset_rules::{Began, Ending, Ledger, LedgerError, LedgerPeer, Rules};
use veilset_session::Report;

use crate::ready::AgreedTerms;
use crate::{Error, Job, Ready};

/// A run that is to be in the ledger, and takes its budgets.
pub(crate) struct Record {
    ledger: Arc<Ledger>,
    rules: Vec<Rules>,
    began: Began,
}

impl Record {
    /// Of agreed terms of this job, where it has a ledger and its peers have keys.
    pub(crate) fn of(job: &Job, ready: &Ready) -> Option<Self> {
        let ledger = Arc::clone(job.ledger.as_ref()?);
        let (run, keys) = match &ready.terms {
            AgreedTerms::Pair(pair) => (pair.agreed.run_id(), vec![pair.pipe.peer_key()?]),
            AgreedTerms::Multiparty(agreed) => (agreed.run_id(), agreed.keys().collect()),
        };
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
            epsilon: job.release.noise.map(|noise| noise.epsilon()),
            ..Began::new(run, peers.collect(), briefing.operation.name().to_owned())
        };
        Some(Self { ledger, rules: job.rules.clone(), began })
    }

    /// Takes the budgets and writes that the run of a list of so many keys with these digests begins.
    pub(crate) fn begin(&self, own: u64, digests: &[KeyDigest]) -> Result<(), Error> {
        let began = Began { own, ..self.began.clone() };
        Ok(self.ledger.begin(began, digests, &self.rules, SystemTime::now())?)
    }

    /// Writes how it ended.
    pub(crate) fn end<E>(&self, report: &Result<Report, E>) -> Result<(), LedgerError> {
        let ending = match report {
            Ok(report) if report.withheld.is_some() => Ending::Withheld,
            Ok(_) => Ending::Complete,
            Err(_) => Ending::Failed,
        };
        self.ledger.end(&self.began.run, ending, SystemTime::now())
    }
}
