//! What a party takes part in, and what it took part in.
//!
//! A [`Policy`] is a file of rules. The rules for a peer ([`Policy::rules_for`]) complete what a command leaves open, and are checked
//! twice: on what this side wants, before anything is sent, and on the terms that both sides agreed on. Those that bound what many
//! runs tell together are budgets, which a run takes from the [`Ledger`] before it begins.

mod ledger;
mod policy;
mod receipt;

pub use ledger::{
    ANSWER, Began, Ended, Ending, Entry, Ledger, LedgerError, LedgerPeer, RecordedReceipt, Sketch,
};
pub use policy::{Budget, Facts, Place, Policy, PolicyError, Refusal, Rules, Sentence, Tongue};
pub use receipt::{CONTEXT, ReceiptError, SignedReceipt};
