//! A party's record of its runs, from which budgets are taken.
//!
//! The file `ledger` in the home directory has a line a fact: that a run began, and how it ended. Each line has the digest of the one
//! before, and `ledger.head` the number of lines, the last digest, and this party's signature on both. So a line that is changed,
//! taken out or cut off is noticed, unless somebody has this party's key, or puts both files back to an earlier day; the receipts
//! of later runs then show that. It has no keys and no results.
//!
//! A budget is taken under a lock, with the line that a run began, before this side consents to it. Nothing gives it back.

mod chain;
mod entry;
mod error;
mod sketch;
#[cfg(test)]
mod tests;

use std::time::{SystemTime, UNIX_EPOCH};

use memchr::memmem;
use rayon::prelude::*;
use veilset_party::{Held, Home, Identity, Signer};
use veilset_session::Receipt;
use zeroize::Zeroizing;

pub(crate) use entry::Past;
pub use entry::{Began, Ended, Ending, Entry, LedgerPeer, RecordedReceipt};
pub use error::LedgerError;
pub(crate) use sketch::MOST_DIFFERENCE;
pub use sketch::Sketch;

use crate::{Budget, CONTEXT, Rules, SignedReceipt};
use chain::{Chain, Head};
use sketch::SketchKey;

/// The files under the home directory.
const FILE: &str = "ledger";
const HEAD: &str = "ledger.head";

/// The folder of receipts in it.
const RECEIPTS: &str = "receipts";

/// The ledger of a party.
pub struct Ledger {
    home: Home,
    identity: Identity,
    key: SketchKey,
}

impl Ledger {
    /// The ledger under `home`, of the party whose identity is there; it is made with the first run.
    ///
    /// # Errors
    /// When there is no identity.
    pub fn open(home: &Home) -> Result<Self, LedgerError> {
        let identity = Identity::load(home)?;
        // A signature of Ed25519 is the same each time, and nobody else can make it.
        let signature = Zeroizing::new(identity.sign("veilset ledger sketches", b""));
        let secret = blake3::derive_key("veilset v1 sketches in a ledger", &*signature);
        let key = SketchKey::new(Zeroizing::new(secret));
        Ok(Self { home: home.clone(), identity, key })
    }

    /// What signs this party's receipts.
    #[must_use]
    pub fn signer(&self) -> Signer {
        self.identity.signer(CONTEXT)
    }

    /// Takes what the run of a list of these digests takes of the budgets that `rules` have, and writes that it began.
    ///
    /// # Errors
    /// With the budget that has too little left, or when the ledger was changed or cannot be written: the run must not begin.
    pub fn begin(
        &self,
        mut began: Began,
        digests: &[[u8; 32]],
        rules: &[Rules],
        now: SystemTime,
    ) -> Result<(), LedgerError> {
        began.at = seconds(now);
        began.list = self.key.sketch(digests);
        let held = self.home.hold(FILE)?;
        let chain = self.read()?;
        for rules in rules {
            let runs = runs_before(&chain, rules.peer(), &began);
            rules.check_budgets(&runs, &began).map_err(LedgerError::Refused)?;
        }
        self.write(&held, &chain, &Entry::Began(Box::new(began)))
    }

    /// Writes how a run ended, and keeps its receipt.
    ///
    /// # Errors
    /// When the ledger was changed meanwhile or cannot be written.
    pub fn end(
        &self,
        run: &str,
        ending: Ending,
        receipt: Option<&Receipt>,
        now: SystemTime,
    ) -> Result<(), LedgerError> {
        let receipt = receipt.map(|receipt| self.keep(run, receipt)).transpose()?;
        let held = self.home.hold(FILE)?;
        let ended = Ended { run: run.to_owned(), at: seconds(now), ending, receipt };
        self.write(&held, &self.read()?, &Entry::Ended(ended))
    }

    /// All entries, the first first.
    ///
    /// # Errors
    /// When the ledger was changed or cannot be read.
    pub fn entries(&self) -> Result<Vec<Entry>, LedgerError> {
        Ok(self.read()?.lines().filter_map(Entry::read).collect())
    }

    /// What of the budgets that `rules` have is spent, and their bounds.
    ///
    /// # Errors
    /// When the ledger was changed or cannot be read.
    pub fn budgets(&self, rules: &Rules, now: SystemTime) -> Result<Vec<Budget>, LedgerError> {
        let chain = self.read()?;
        Ok(rules.budgets(&runs_with(&chain, rules.peer()), seconds(now)))
    }

    /// Puts a receipt where the ledger's are.
    fn keep(&self, run: &str, receipt: &Receipt) -> Result<RecordedReceipt, LedgerError> {
        let signed = SignedReceipt::of(receipt);
        self.home.folder(RECEIPTS).write(&format!("{run}.json"), &signed.to_bytes(), true)?;
        Ok(RecordedReceipt { digest: signed.digest(), signed: receipt.is_whole() })
    }

    /// The receipt of a run.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn receipt(home: &Home, run: &str) -> Result<Option<Vec<u8>>, LedgerError> {
        let is_id = !run.is_empty() && run.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id {
            return Ok(None);
        }
        Ok(home.folder(RECEIPTS).read(&format!("{run}.json"))?)
    }

    fn read(&self) -> Result<Chain, LedgerError> {
        let bytes = self.home.read(FILE)?.unwrap_or_default();
        let head = self.home.read(HEAD)?;
        let path = self.home.path().join(FILE);
        let head = head.map(|bytes| Head::read(&bytes, self.identity.public_key())).transpose();
        let changed = |what| LedgerError::Changed { path: path.clone(), what };
        Chain::read(bytes, head.map_err(changed)?).map_err(changed)
    }

    fn write(&self, held: &Held<'_>, chain: &Chain, entry: &Entry) -> Result<(), LedgerError> {
        let (line, head) = chain.followed_by(entry);
        held.append(chain.whole() as u64, &line)?;
        self.home.write(HEAD, &head.signed(&self.identity), true)?;
        Ok(())
    }
}

/// The runs with the party that is called `peer` in this one, whatever it was called in them.
fn runs_before<'a>(chain: &'a Chain, peer: &str, began: &Began) -> Vec<Past<'a>> {
    let key = began.peers.iter().find(|one| one.name == peer).map(|one| one.key.as_str());
    runs_with(chain, key.unwrap_or(peer))
}

/// The runs with the party of this key or name.
fn runs_with<'a>(chain: &'a Chain, text: &str) -> Vec<Past<'a>> {
    // Most lines need not be read.
    let lines = chain.lines().filter(|line| memmem::find(line, text.as_bytes()).is_some());
    let lines: Vec<&[u8]> = lines.collect();
    lines.into_par_iter().filter_map(|line| Past::read(line, text)).collect()
}

/// Seconds since 1970.
fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ledger").field("home", &self.home).finish_non_exhaustive()
    }
}
