//! What a party took part in.

use serde_json::{Value, json};
use veilset_rules::{Began, Budget, Ending, Entry, LedgerPeer};

use super::time_of;

/// A run and how it ended; one that never did was killed, or runs now.
pub struct PastRun {
    /// How it began.
    pub began: Began,
    /// How it ended.
    pub ending: Option<Ending>,
    /// Whether there is a receipt, and the peer signed it, too.
    pub signed: Option<bool>,
}

impl PastRun {
    /// The runs of a ledger with their ends, the first first.
    #[must_use]
    pub fn all(entries: Vec<Entry>) -> Vec<Self> {
        let mut runs: Vec<Self> = Vec::new();
        for entry in entries {
            match entry {
                Entry::Began(began) => {
                    runs.push(Self { began: *began, ending: None, signed: None });
                }
                Entry::Ended(ended) => {
                    // It is among the last.
                    let run = runs.iter_mut().rev().find(|run| run.began.run == ended.run);
                    if let Some(run) = run {
                        run.ending = Some(ended.ending);
                        run.signed = ended.receipt.map(|receipt| receipt.signed);
                    }
                }
            }
        }
        runs
    }

    /// How it ended, in a word.
    #[must_use]
    pub fn ending(&self) -> &'static str {
        self.ending.map_or("unfinished", Ending::name)
    }
}

/// A run of the ledger.
#[must_use]
pub fn of_past_run(run: &PastRun) -> Value {
    let PastRun { began, signed, .. } = run;
    let peer = |peer: &LedgerPeer| {
        let key = Some(&peer.key).filter(|key| !key.is_empty());
        json!({ "name": peer.name, "key": key, "distinct": peer.distinct })
    };
    json!({
        "run": began.run,
        "time": time_of(began.at),
        "operation": began.operation,
        "protocol": began.protocol,
        "presets": began.presets,
        "learn": began.learn,
        "reference": began.reference,
        "epsilon": began.epsilon,
        "peers": began.peers.iter().map(peer).collect::<Vec<_>>(),
        "distinct": began.own,
        "ending": run.ending(),
        "signed": signed,
    })
}

/// A budget, and what of it is spent.
#[must_use]
pub fn of_budget(budget: &Budget) -> Value {
    json!({
        "rule": budget.rule,
        "line": budget.place.line,
        "most": budget.most,
        "spent": budget.spent,
        "within_seconds": budget.within,
        "renewed": budget.renewed.map(time_of),
    })
}
