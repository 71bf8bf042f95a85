//! How this party stands to a partner who runs something else: its policy's rules, and its ledger.
//!
//! Nobody proves who the partner is, so it is whom the user names, and budgets are of that name. Each step that sends something takes
//! them, and is a line of the ledger: a list, and each answer about it.

use std::path::Path;

use chrono::{DateTime, Utc};
use rand_core::Rng;
use veilset_host::time::now;
use veilset_party::{Home, StoreError};
use veilset_protocols::{Operation, Security};
use veilset_rules::{ANSWER, Began, Ending, Facts, Ledger, LedgerError, LedgerPeer, Policy, Rules};
use veilset_session::{Learn, Release, fresh_rng};

pub use veilset_rules::Tongue;

use super::TongueError;
use crate::rules::key_columns;
use crate::{Error, Input};

/// Whom the ledger has where the user named nobody.
const UNNAMED: &str = "somebody";

/// What a step is about.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// The protocol.
    pub tongue: Tongue,
    /// What comes of it in the end.
    pub operation: Operation,
    /// Who learns that.
    pub learn: Learn,
}

/// How this party stands to a partner who runs something else.
pub struct Standing {
    step: Step,
    peer: String,
    rules: Option<Rules>,
    ledger: Option<Ledger>,
}

impl Standing {
    /// Of the party at `home`, under the policy at this path or the one beside its identity, to the partner that the user calls so.
    ///
    /// # Errors
    /// When the policy cannot be read or does not let such a step be, there is one and nobody named the partner, or a budget needs a
    /// ledger and there is no identity.
    pub fn of(
        step: Step,
        home: &Home,
        policy: Option<&Path>,
        peer: Option<&str>,
    ) -> Result<Self, Error> {
        let rules = match (Policy::of_party(home, policy)?, peer) {
            (Some(policy), Some(peer)) => Some(policy.rules_for(peer)),
            (Some(_), None) => return Err(TongueError::Unnamed.into()),
            (None, _) => None,
        };
        let needs = rules.as_ref().is_some_and(|rules| rules.needs_ledger().is_some());
        let ledger = match Ledger::open(home) {
            Ok(ledger) => Some(ledger),
            Err(LedgerError::Store(StoreError::NoIdentity { .. })) if !needs => None,
            Err(why) => return Err(why.into()),
        };
        let standing = Self { step, peer: peer.unwrap_or(UNNAMED).to_owned(), rules, ledger };
        standing.check(&standing.facts())?;
        Ok(standing)
    }

    /// Whether what is done gets into a ledger: that of an identity.
    #[must_use]
    pub fn has_ledger(&self) -> bool {
        self.ledger.is_some()
    }

    /// Whether a list may go to the partner.
    ///
    /// # Errors
    /// With the rule that refuses it.
    pub fn check_list(&self, input: &Input) -> Result<(), Error> {
        let own = Some(input.distinct() as u64);
        self.check(&Facts { keys: key_columns(input), own, ..self.facts() })
    }

    /// Whether the partner's list, or what it asks about, is large and small enough; its size is not always known.
    ///
    /// # Errors
    /// With the rule that refuses it.
    pub fn check_size(&self, peer: Option<usize>) -> Result<(), Error> {
        let Some(rules) = &self.rules else { return Ok(()) };
        let peer = peer.map(|peer| peer as u64);
        Ok(rules.check_foreign_size(&Facts { peer, ..self.facts() })?)
    }

    /// Whether so many matches of the smaller list, whose size may be unknown, may be told to this side.
    ///
    /// # Errors
    /// With the rule that withholds them.
    pub fn check_matches(&self, matches: usize, smaller: Option<usize>) -> Result<(), Error> {
        let Some(rules) = &self.rules else { return Ok(()) };
        let smaller = smaller.map(|smaller| smaller as u64);
        Ok(rules.check_matches(self.step.operation, matches as u64, smaller)?)
    }

    /// Whether anybody may ask as often as they like.
    ///
    /// # Errors
    /// With the budget that bounds it.
    pub fn check_open(&self) -> Result<(), Error> {
        Ok(self.rules.as_ref().map_or(Ok(()), Rules::check_open)?)
    }

    /// Takes the budgets of a list that goes to the partner by `send`. What the ledger does not take, where no rule needs it, `tell`
    /// hears.
    ///
    /// # Errors
    /// With the budget that has too little left, or what `send` says.
    pub fn send_list<T, E: From<Error>>(
        &self,
        input: &Input,
        tell: &dyn Fn(&LedgerError),
        send: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let presets: Vec<String> =
            key_columns(input).into_iter().map(|(_, preset)| preset).collect();
        let began = Began {
            own: input.distinct() as u64,
            presets: presets.join(", "),
            ..self.began(self.step.operation.name(), 0)?
        };
        let begin = |ledger: &Ledger, began| -> Result<(), Error> {
            let digests = input.digests(&mut fresh_rng()?)?;
            Ok(ledger.begin(began, &input.of_values(&digests), self.rules.as_slice(), now())?)
        };
        self.during(began, begin, tell, send)
    }

    /// Takes the budgets of an answer that goes to the partner by `send`, about so many keys of its own.
    ///
    /// # Errors
    /// As [`send_list`](Self::send_list).
    pub fn send_answer<T, E: From<Error>>(
        &self,
        keys: usize,
        tell: &dyn Fn(&LedgerError),
        send: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let began = self.began(ANSWER, keys as u64)?;
        let begin = |ledger: &Ledger, began| -> Result<(), Error> {
            Ok(ledger.answer(began, self.rules.as_slice(), now())?)
        };
        self.during(began, begin, tell, send)
    }

    fn during<T, E: From<Error>>(
        &self,
        began: Began,
        begin: impl FnOnce(&Ledger, Began) -> Result<(), Error>,
        tell: &dyn Fn(&LedgerError),
        send: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let Some(ledger) = &self.ledger else { return send() };
        let run = began.run.clone();
        match begin(ledger, began) {
            Ok(()) => {}
            Err(Error::Ledger(why @ LedgerError::Store(_))) if self.is_free() => {
                tell(&why);
                return send();
            }
            Err(why) => return Err(why.into()),
        }
        let sent = send();
        let ending = if sent.is_ok() { Ending::Complete } else { Ending::Failed };
        let ended = ledger.end(&run, ending, None, now());
        ended.unwrap_or_else(|why| tell(&why));
        sent
    }

    /// Whether no rule needs the ledger.
    fn is_free(&self) -> bool {
        self.rules.as_ref().is_none_or(|rules| rules.needs_ledger().is_none())
    }

    fn began(&self, operation: &str, distinct: u64) -> Result<Began, Error> {
        let mut id = [0; 16];
        fresh_rng()?.fill_bytes(&mut id);
        let run = id.iter().map(|byte| format!("{byte:02x}")).collect();
        let peer = LedgerPeer { name: self.peer.clone(), key: String::new(), distinct };
        Ok(Began {
            learn: self.step.learn.name().to_owned(),
            protocol: self.step.tongue.name().to_owned(),
            ..Began::new(run, vec![peer], operation.to_owned())
        })
    }

    fn check(&self, facts: &Facts<'_>) -> Result<(), Error> {
        let Some(rules) = &self.rules else { return Ok(()) };
        Ok(rules.check_foreign(self.step.tongue, facts)?)
    }

    fn facts(&self) -> Facts<'static> {
        Facts {
            operation: self.step.operation,
            learn: Some(self.step.learn),
            security: Security::SemiHonest,
            protocol: None,
            keys: Vec::new(),
            sends: Vec::new(),
            own: None,
            pad_to: None,
            peer: None,
            release: Release::default(),
            reference: None,
            today: DateTime::<Utc>::from(now()).date_naive(),
        }
    }
}
