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

use std::io;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use memchr::memmem;
use veilset_party::{Held, Home, Identity, Replaced, Replacement, Signer, StoreError};
use veilset_session::Receipt;
use zeroize::Zeroizing;

pub(crate) use entry::Past;
pub use entry::{ANSWER, Began, Ended, Ending, Entry, LedgerPeer, RecordedReceipt};
pub use error::LedgerError;
pub(crate) use sketch::MOST_DIFFERENCE;
pub use sketch::Sketch;

use crate::{Budget, CONTEXT, Rules, SignedReceipt};
use chain::{Chain, Fault, Head};
use sketch::SketchKey;

/// The files under the home directory.
const FILE: &str = "ledger";
const HEAD: &str = "ledger.head";

/// The head for the identity that is about to take the place of the one that is there.
const NEXT_HEAD: &str = "ledger.head.next";

/// The file of the secret that keeps lists from whoever reads the ledger.
const SKETCH_KEY: &str = "ledger.key";

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
    /// When the ledger was changed, there is no identity of that kind, or a file cannot be written.
    pub fn replace_identity(home: &Home, with: Replacement) -> Result<Replaced, LedgerError> {
        let ledger = match Self::open(home) {
            Ok(ledger) => ledger,
            Err(LedgerError::Store(
                StoreError::NoIdentity { .. } | StoreError::NotAnIdentity { .. },
            )) => return Identity::replace(home, with, |_| Ok(())),
            Err(why) => return Err(why),
        };
        let held = home.hold(FILE)?;
        let chain = ledger.chain()?;
        if chain.is_empty() {
            return Identity::replace(home, with, |_| Ok(()));
        }
        // A machine that stops in the middle leaves a head for either identity.
        let head = chain.head();
        let replaced = Identity::replace(home, with, |new| {
            Ok::<_, LedgerError>(home.write(NEXT_HEAD, &head.signed(new), true).map(drop)?)
        })?;
        home.write(HEAD, &head.signed(&replaced.identity), true)?;
        home.remove(NEXT_HEAD)?;
        drop(held);
        Ok(replaced)
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
        // Before others have to wait for this.
        began.list = self.sketch_key()?.sketch(digests);
        self.take(began, rules, now)
    }

    /// As [`begin`](Self::begin), of an answer to a partner about the list that went to it before by the same protocol.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn answer(
        &self,
        mut began: Began,
        rules: &[Rules],
        now: SystemTime,
    ) -> Result<(), LedgerError> {
        began.operation = ANSWER.to_owned();
        if let Some(before) = self.last_list(&began)? {
            (began.own, began.presets, began.list) = (before.own, before.presets, before.list);
        }
        self.take(began, rules, now)
    }

    /// The last step of this protocol in which a list went out: to the same partner, or else to any, for a list may be for many.
    fn last_list(&self, now: &Began) -> Result<Option<Box<Began>>, LedgerError> {
        let is_list =
            |before: &Began| before.protocol == now.protocol && before.operation != ANSWER;
        let named = |peer: &LedgerPeer| now.peers.iter().any(|now| now.name == peer.name);
        let mut last: Option<(bool, Box<Began>)> = None;
        for entry in self.entries()? {
            let Entry::Began(before) = entry else { continue };
            let is_same = before.peers.iter().any(named);
            if is_list(&before) && (is_same || last.as_ref().is_none_or(|(same, _)| !same)) {
                last = Some((is_same, before));
            }
        }
        Ok(last.map(|(_, before)| before))
    }

    /// Takes the budgets of a run of a list that is known, and writes that it began.
    fn take(&self, mut began: Began, rules: &[Rules], now: SystemTime) -> Result<(), LedgerError> {
        began.at = seconds(now);
        let held = self.home.hold(FILE)?;
        let asked = Asked::of(rules, &began);
        let (chain, past) = self.read(|line| asked.runs(line))?;
        Self::check_budgets(rules, &asked.each(past), &began)?;
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
        let asked = Asked::of(rules, &began);
        let past = self.read_unheld(|line| asked.runs(line))?;
        Self::check_budgets(rules, &asked.each(past), &began)
    }

    /// Whether the runs before leave this one what it takes of the budgets.
    fn check_budgets(
        rules: &[Rules],
        past: &[Vec<Past>],
        began: &Began,
    ) -> Result<(), LedgerError> {
        let mut each = rules.iter().zip(past);
        each.try_for_each(|(rules, past)| rules.check_budgets(past, began))
            .map_err(LedgerError::Refused)
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
        self.write(&held, &self.chain()?, &Entry::Ended(ended))
    }

    /// All entries, the first first.
    ///
    /// # Errors
    /// When the ledger was changed or cannot be read.
    pub fn entries(&self) -> Result<Vec<Entry>, LedgerError> {
        self.read_unheld(|line| [Entry::read(line)])
    }

    /// What of the budgets that `rules` have is spent on the party of this key, which is empty where it has none, and their bounds.
    ///
    /// # Errors
    /// When the ledger was changed or cannot be read.
    pub fn budgets(
        &self,
        rules: &Rules,
        key: &str,
        now: SystemTime,
    ) -> Result<Vec<Budget>, LedgerError> {
        // A partner without a key is known by its name alone.
        let known = [key, rules.peer()].into_iter().filter(|text| !text.is_empty());
        let asked = Asked::new([known.collect()]);
        let past = self.read_unheld(|line| asked.runs(line))?;
        Ok(rules.budgets(&asked.each(past)[0], seconds(now)))
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

    /// The end of the lines.
    fn chain(&self) -> Result<Chain, LedgerError> {
        self.read(|_| None::<Result<(), _>>).map(|(chain, _)| chain)
    }

    /// The end of the lines, and what `found` finds in them.
    fn read<T: Send, I: IntoIterator<Item = Result<T, &'static str>>>(
        &self,
        found: impl Fn(&[u8]) -> I + Send + Sync,
    ) -> Result<(Chain, Vec<T>), LedgerError> {
        let file = self.home.reader(FILE)?;
        let own = |bytes: Vec<u8>| Head::read(&bytes, self.identity.public_key());
        let head = match self.home.read(HEAD)?.map(own) {
            Some(Err(what)) => {
                let next = self.home.read(NEXT_HEAD)?.and_then(|bytes| own(bytes).ok());
                Some(next.ok_or_else(|| self.changed(what))?)
            }
            Some(Ok(head)) => Some(head),
            None => None,
        };
        let read = match file {
            Some(file) => Chain::read(file, head, found),
            None => Chain::read(io::empty(), head, found),
        };
        let (chain, found) = read.map_err(|fault| match fault {
            Fault::Read(why) => StoreError::Read { path: self.path(), why }.into(),
            Fault::Changed(what) => self.changed(what),
        })?;
        let found: Result<Vec<T>, _> = found.into_iter().collect();
        Ok((chain, found.map_err(|what| self.changed(what))?))
    }

    /// The same, where other programs may write meanwhile: what they change between the two files is read again.
    fn read_unheld<T: Send, I: IntoIterator<Item = Result<T, &'static str>>>(
        &self,
        found: impl Fn(&[u8]) -> I + Send + Sync,
    ) -> Result<Vec<T>, LedgerError> {
        const TRIES: u32 = 3;
        for _ in 1..TRIES {
            if let Ok((_, found)) = self.read(&found) {
                return Ok(found);
            }
        }
        self.read(found).map(|(_, found)| found)
    }

    fn path(&self) -> PathBuf {
        self.home.path().join(FILE)
    }

    fn changed(&self, what: &'static str) -> LedgerError {
        LedgerError::Changed { path: self.path(), what }
    }

    fn write(&self, held: &Held<'_>, chain: &Chain, entry: &Entry) -> Result<(), LedgerError> {
        let (line, head) = chain.followed_by(entry);
        let whole = chain.whole();
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

/// The parties whose runs before are asked for, each by what it is called: key and name.
struct Asked<'a>(Vec<(Vec<&'a str>, Vec<memmem::Finder<'a>>)>);

impl<'a> Asked<'a> {
    fn new(parties: impl IntoIterator<Item = Vec<&'a str>>) -> Self {
        let finders =
            |texts: &[&'a str]| texts.iter().map(|text| memmem::Finder::new(*text)).collect();
        Self(parties.into_iter().map(|texts| (texts.clone(), finders(&texts))).collect())
    }

    /// Those that `rules` are for, whatever they were called before, and whatever keys they had under their names.
    fn of(rules: &'a [Rules], began: &'a Began) -> Self {
        Self::new(rules.iter().map(|rules| {
            let named = began.peers.iter().find(|peer| peer.name == rules.peer());
            // A partner without a key is known by its name alone.
            let key = named.map(|peer| peer.key.as_str()).filter(|key| !key.is_empty());
            key.into_iter().chain([rules.peer()]).collect()
        }))
    }

    /// The run in a line, beside the number of each party that it was with.
    fn runs(&self, line: &[u8]) -> Vec<Result<(usize, Past), &'static str>> {
        // Most lines need not be read.
        let parties = self.0.iter().enumerate();
        let named =
            parties.filter(|(_, (_, names))| names.iter().any(|name| name.find(line).is_some()));
        let runs = named.filter_map(|(number, (texts, _))| {
            let run = Past::read(line, texts).transpose()?;
            Some(run.map(|run| (number, run)))
        });
        runs.collect()
    }

    /// The runs with each.
    fn each(&self, runs: Vec<(usize, Past)>) -> Vec<Vec<Past>> {
        let mut each: Vec<Vec<Past>> = self.0.iter().map(|_| Vec::new()).collect();
        runs.into_iter().for_each(|(number, run)| each[number].push(run));
        each
    }
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
