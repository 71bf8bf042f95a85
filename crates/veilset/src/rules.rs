//! A party's policy over its runs.

use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use veilset_data::{DataError, Groups, KeyColumn, KeySpec, Values};
use veilset_host::time::now;
use veilset_party::Home;
use veilset_protocols::without_room;
use veilset_rules::{Facts, Ledger, Policy};
use veilset_session::{
    Briefing, Column, Learn, Noise, PeerBriefing, Release, SessionError, numbers_of_sums,
};

use crate::{Error, Input, Job};

/// The flag that says which rows count.
const WHERE: &str = "--where";

impl Job {
    /// The same job of the party that lives at `home`: in its ledger, and under its policy, the one at this path or else the one
    /// beside its identity, where there is one.
    ///
    /// # Errors
    /// When the policy or the identity cannot be read.
    pub fn of_party(self, home: &Home, policy: Option<&Path>) -> Result<Self, Error> {
        let policy = Policy::of_party(home, policy)?;
        let job = Self { ledger: Some(Arc::new(Ledger::open(home)?)), ..self };
        Ok(match &policy {
            Some(policy) => job.under(policy),
            None => job,
        })
    }

    /// The same job under the rules that a policy has for its peers. What the job leaves open is as they have it, and
    /// what does not obey them is refused: before anything is sent, and again once the terms are agreed on.
    #[must_use]
    pub fn under(mut self, policy: &Policy) -> Self {
        for peer in &self.peers {
            let rules = policy.rules_for(peer);
            self.release = rules.complete(self.release, self.operation);
            self.reference = self.reference.or_else(|| rules.reference().map(str::to_owned));
            self.rules.push(rules);
        }
        self
    }

    /// Whether what the job says of itself obeys its rules.
    pub(crate) fn check_rules(&self) -> Result<(), Error> {
        self.check_facts(&self.facts())
    }

    /// Who learns of this side and a peer among several, as rules for that peer have it; where this side does not, the result goes
    /// elsewhere.
    fn learn_of(briefing: &Briefing, peer: &PeerBriefing) -> Learn {
        match (briefing.learn.includes_me(), peer.learns) {
            (true, true) => Learn::Both,
            (true, false) => Learn::Me,
            (false, _) => Learn::Peer,
        }
    }

    /// Whether a run with this list obeys the rules, as far as that can be known without the peer.
    ///
    /// # Errors
    /// With the rule that it does not obey, or when noise would not hide what the list's keys show.
    pub fn check_list(&self, input: &Input) -> Result<(), Error> {
        let columns = input.columns();
        if input.specs.len() > 1 {
            self.matching_of(&input.specs)?;
        }
        self.release.check(self.operation, input.has_several_keys())?;
        self.check_padding(input.has_several_keys())?;
        let sends_rows = self.operation.spec().may_send_rows() && !columns.is_empty();
        if let Some(all) = input.distinct_of_all() {
            self.check_filled(WHERE, all as u64, input.has_several_keys())?;
            let refused =
                |why| SessionError::Release { flag: WHERE, operation: self.operation, why };
            if input.joins() {
                let why = "with --join, rows that do not count look like rows that do not match";
                return Err(refused(why).into());
            }
            if sends_rows {
                return Err(
                    refused("with --send, the longest row tells of those that count").into()
                );
            }
            if input.lends() {
                let why = "with --factor and --by, the longest factor and the names of groups tell of the rows that count";
                return Err(refused(why).into());
            }
        }
        self.check_groups_of(input)?;
        if input.factor_name().is_some() {
            self.check_products()?;
        }
        if input.has_several_keys() && (input.lends() || input.factor_name().is_some()) {
            let flag = if input.factor_name().is_some() { "--factor" } else { "--by" };
            let why =
                "a row of several keys can match several rows of the other side; give one --key";
            return Err(SessionError::Release { flag, operation: self.operation, why }.into());
        }
        if input.values().is_some_and(Values::has_squares) {
            let Release { round, noise, .. } = self.release;
            let flags = [("--round", round.is_some()), ("--noise", noise.is_some())];
            if let Some((flag, _)) = flags.into_iter().find(|(_, is_given)| *is_given) {
                let why = "a variance comes of exact numbers, and --stats asks for it";
                return Err(SessionError::Release { flag, operation: self.operation, why }.into());
            }
        }
        // As if a factor were zero, of which nothing is known yet.
        self.check_room(input, 0)?;
        if self.pad_to_of(input).is_some() && input.distinct() == 0 && sends_rows {
            let (flag, operation) = ("--pad-to", self.operation);
            let why = "an empty list has no rows that could be sent";
            return Err(SessionError::Release { flag, operation, why }.into());
        }
        self.check_facts(&self.facts_of(input, &columns))
    }

    /// Whether the sums have room, multiplied by a factor of so many bytes of the peer's, and noise on them.
    pub(crate) fn check_room(&self, input: &Input, factor: usize) -> Result<(), Error> {
        let Some(values) = input.values() else { return Ok(()) };
        let numbers = numbers_of_sums(values.columns().len(), self.groups.is_some());
        let noise = self.release.noise_of_each(self.operation, numbers)?;
        let coins = noise.map_or(0, Noise::dummies);
        let Some(column) = without_room(input.attached(), factor, coins) else { return Ok(()) };
        let (file, name) = (input.table().name().to_owned(), values.columns()[column].clone());
        let scale = values.scale(column);
        let multiplied = column + values.products() >= values.columns().len();
        Err(match multiplied {
            true => DataError::ProductsTooLarge { file, column: name }.into(),
            false => DataError::NoiseTooLarge { file, column: name, scale }.into(),
        })
    }

    /// Whether the run that the parties agreed on obeys the rules, each party's those for it.
    pub(crate) fn check_agreed(&self, briefing: &Briefing, input: &Input) -> Result<(), Error> {
        let columns = input.columns();
        let agreed = Facts {
            security: briefing.security,
            protocol: Some(briefing.protocol),
            ..self.facts_of(input, &columns)
        };
        self.rules.iter().try_for_each(|rules| {
            let peer = briefing.peers.iter().find(|peer| peer.name == rules.peer());
            let distinct = peer.map(|peer| peer.distinct);
            let learn = peer.map(|peer| Self::learn_of(briefing, peer));
            Ok(rules.check(&Facts { peer: distinct, learn, ..agreed.clone() })?)
        })
    }

    fn check_facts(&self, facts: &Facts<'_>) -> Result<(), Error> {
        self.rules.iter().try_for_each(|rules| Ok(rules.check(facts)?))
    }

    fn facts(&self) -> Facts<'_> {
        Facts {
            operation: self.operation,
            // Which of several peers learn is known once the terms are agreed on.
            learn: self.seats.learners.is_empty().then_some(self.learn),
            security: self.security,
            protocol: self.protocol,
            keys: Vec::new(),
            sends: Vec::new(),
            own: None,
            pad_to: self.pad_to,
            peer: None,
            release: self.release,
            reference: self.reference.as_deref(),
            today: DateTime::<Utc>::from(now()).date_naive(),
        }
    }

    fn facts_of<'a>(&'a self, input: &'a Input, columns: &'a [Column]) -> Facts<'a> {
        Facts {
            keys: key_columns(input),
            pad_to: self.pad_to_of(input),
            // Squares come of a column that is named already.
            sends: match (input.values(), input.groups()) {
                (Some(values), _) => values.sources().iter().map(String::as_str).collect(),
                (None, groups) => {
                    let by = groups.into_iter().flat_map(Groups::columns).map(String::as_str);
                    columns.iter().map(|column| column.name.as_str()).chain(by).collect()
                }
            },
            own: Some(input.distinct() as u64),
            ..self.facts()
        }
    }
}

/// The columns of a list's keys with their presets, as rules name them: without the version that a release has.
pub(crate) fn key_columns(input: &Input) -> Vec<(&str, String)> {
    let keys = input.specs.iter().flat_map(KeySpec::columns);
    let keys = keys.map(|KeyColumn { name, preset, .. }| {
        let versioned = preset.versioned();
        let preset = versioned.split_once('/').map_or(&*versioned, |(preset, _)| preset);
        (name.as_str(), preset.to_owned())
    });
    keys.collect()
}
