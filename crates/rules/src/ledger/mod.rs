//! A party's record of its runs, from which budgets are taken.
//!
//! The file `ledger` in the home directory has a line a fact: that a run began, and how it ended. Each line has the digest of the one
//! before, and `ledger.head` the number of lines, the digest of all, and this party's signature on both. So a line that is changed,
//! taken out or cut off is noticed, unless somebody has this party's key, or puts both files back to an earlier day; the receipts
//! of later runs then show that. It has no keys and no results. `ledger.key` keeps the lists from whoever reads it.
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

/// The file of the secret that keeps lists from whoever reads the ledger.
const SKETCH_KEY: &str = "ledger.key";

/// What is said of a line that cannot be read.
const LATER: &str = "a line is of another version of veilset";

/// The folder of receipts in it.
const RECEIPTS: &str = "receipts";

/// The ledger of a party.
pub struct Ledger {
    home: Home,
    identity: Identity,
}

impl Ledger {
    /// The ledger under `home`, of the party whose identity is there; it is made with the first run.
    ///
    /// # Errors
    /// When there is no identity.
    pub fn open(home: &Home) -> Result<Self, LedgerError> {
        let identity = Identity::load(home)?;
        Ok(Self { home: home.clone(), identity })
    }

    /// Replaces the party's identity, whose ledger goes on: the new one signs its head.
    ///
    /// # Errors
    /// When the ledger was changed, or a file cannot be written.
    pub fn replace_identity(home: &Home) -> Result<Identity, LedgerError> {
        let Ok(ledger) = Self::open(home) else { return Ok(Identity::replace(home)?) };
        let held = home.hold(FILE)?;
        let chain = ledger.read()?;
        let identity = Identity::replace(home)?;
        if !chain.is_empty() {
            home.write(HEAD, &chain.head().signed(&identity), true)?;
        }
        drop(held);
        Ok(identity)
    }

    /// The key of sketches: this party's for ever, so that a list is known again under another identity.
    fn sketch_key(&self) -> Result<SketchKey, LedgerError> {
        let changed = || LedgerError::Changed {
            path: self.home.path().join(SKETCH_KEY),
            what: "it has other than 32 bytes",
        };
        let secret = match self.home.read(SKETCH_KEY)? {
            Some(bytes) => Zeroizing::new(bytes),
            None => {
                let mut secret = Zeroizing::new(vec![0; 32]);
                getrandom::fill(&mut secret).expect("the operating system gives randomness");
                self.home.write(SKETCH_KEY, &secret, false)?;
                // Another program may have been first.
                Zeroizing::new(self.home.read(SKETCH_KEY)?.unwrap_or_default())
            }
        };
        let secret = <[u8; 32]>::try_from(&secret[..]).map_err(|_| changed())?;
        Ok(SketchKey::new(Zeroizing::new(secret)))
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
        // Before others have to wait for this.
        began.list = self.sketch_key()?.sketch(digests);
        let held = self.home.hold(FILE)?;
        let chain = self.read()?;
        self.check_budgets(&chain, &began, rules)?;
        self.write(&held, &chain, &Entry::Began(Box::new(began)))
    }

    /// Whether [`begin`](Self::begin) would refuse the run if it began now. Takes nothing.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn check(
        &self,
        began: Began,
        digests: &[[u8; 32]],
        rules: &[Rules],
        now: SystemTime,
    ) -> Result<(), LedgerError> {
        let list = self.sketch_key()?.sketch(digests);
        let began = Began { at: seconds(now), list, ..began };
        self.check_budgets(&self.read_unheld()?, &began, rules)
    }

    /// Whether the runs before leave this one what it takes of the budgets.
    fn check_budgets(
        &self,
        chain: &Chain,
        began: &Began,
        rules: &[Rules],
    ) -> Result<(), LedgerError> {
        rules.iter().try_for_each(|rules| {
            let runs = runs_before(chain, rules.peer(), began);
            let runs = runs.map_err(|what| self.changed(what))?;
            rules.check_budgets(&runs, began).map_err(LedgerError::Refused)
        })
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
        let chain = self.read_unheld()?;
        let entries = chain.lines().map(|lines| lines.map(Entry::read).collect());
        entries.flatten().ok_or_else(|| self.changed(LATER))
    }

    /// What of the budgets that `rules` have is spent on the party of this key, and their bounds.
    ///
    /// # Errors
    /// When the ledger was changed or cannot be read.
    pub fn budgets(
        &self,
        rules: &Rules,
        key: &str,
        now: SystemTime,
    ) -> Result<Vec<Budget>, LedgerError> {
        let chain = self.read_unheld()?;
        let runs = runs_with(&chain, key).map_err(|what| self.changed(what))?;
        Ok(rules.budgets(&runs, seconds(now)))
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
        let head = head.map(|bytes| Head::read(&bytes, self.identity.public_key())).transpose();
        let head = head.map_err(|what| self.changed(what))?;
        Chain::read(bytes, head).map_err(|what| self.changed(what))
    }

    /// The same, where other programs may write meanwhile: what they change between the two files is read again.
    fn read_unheld(&self) -> Result<Chain, LedgerError> {
        const TRIES: u32 = 3;
        for _ in 1..TRIES {
            if let Ok(chain) = self.read() {
                return Ok(chain);
            }
        }
        self.read()
    }

    fn changed(&self, what: &'static str) -> LedgerError {
        LedgerError::Changed { path: self.home.path().join(FILE), what }
    }

    fn write(&self, held: &Held<'_>, chain: &Chain, entry: &Entry) -> Result<(), LedgerError> {
        let (line, head) = chain.followed_by(entry);
        let whole = chain.whole() as u64;
        if chain.is_ahead() {
            self.home.write(HEAD, &chain.head().signed(&self.identity), true)?;
        }
        let written = held
            .append(whole, &line)
            .and_then(|()| self.home.write(HEAD, &head.signed(&self.identity), true).map(drop));
        // A line without its head would be one too many before long.
        written.map_err(|why| {
            let _ = held.append(whole, b"");
            why.into()
        })
    }
}

/// The runs with the party that is called `peer` in this one, whatever it was called in them.
fn runs_before<'a>(
    chain: &'a Chain,
    peer: &str,
    began: &Began,
) -> Result<Vec<Past<'a>>, &'static str> {
    let key = began.peers.iter().find(|one| one.name == peer).map(|one| one.key.as_str());
    runs_with(chain, key.unwrap_or(peer))
}

/// The runs with the party of this key or name.
fn runs_with<'a>(chain: &'a Chain, text: &str) -> Result<Vec<Past<'a>>, &'static str> {
    let lines: Vec<&str> = chain.lines().ok_or(LATER)?.collect();
    // Most lines need not be read.
    let named = memmem::Finder::new(text);
    let named = lines.into_par_iter().filter(|line| named.find(line.as_bytes()).is_some());
    let runs: Result<Vec<_>, _> = named.map(|line| Past::read(line, text).ok_or(LATER)).collect();
    Ok(runs?.into_iter().flatten().collect())
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
