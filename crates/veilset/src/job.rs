//! From what a side wants to agreed terms.

use std::sync::Arc;

use veilset_channel::Abort;
use veilset_data::{DataError, KeySet, KeySpec, MAX_LINKAGE_KEYS};
use veilset_protocols::{Choices, Keys, MAX_GROUPS, Operation, Security};
use veilset_rules::{Ledger, Refusal, Rules};
use veilset_session::{
    Detail, Learn, Matching, Offer, Release, Seats, SessionError, Wanted, agree, can_be_filled,
    fresh_rng, memory,
};

use crate::record::{Record, pledge};
use crate::{Connection, Error, GroupsError, Input, KeysError, Ready};

/// The most keys that a list can be filled up to.
const MOST_KEYS: u64 = 1 << 31;

/// What this side wants to know of the two lists.
#[derive(Debug, Clone)]
pub struct Job {
    /// What to compute.
    pub operation: Operation,
    /// Who gets the result.
    pub learn: Learn,
    /// How; `None` leaves it to the planner.
    pub protocol: Option<&'static str>,
    /// Against whom the protocol must hold, at least.
    pub security: Security,
    /// What this side calls the peer, or each of several.
    pub peers: Vec<String>,
    /// What is chosen beside the protocol; the rest is left to its defaults.
    pub choices: Choices,
    /// How rows match that have several keys; `None` is [`Matching::of`] the operation and who learns.
    pub matching: Option<Matching>,
    /// Whether rows of this side's go with the matches of an intersection; what there is to go is the input's.
    pub with_rows: bool,
    /// How many groups there are at most where values are added up by groups of their owner's keys; both sides give the same.
    pub groups: Option<usize>,
    /// How much of the result is released.
    pub release: Release,
    /// Up to how many keys the list is filled up with made-up ones, so that the peer does not see how few it has.
    pub pad_to: Option<u64>,
    /// The reference of the parties' agreement, such as a contract's number, which both sides must give alike.
    pub reference: Option<String>,
    /// What this side takes part in: [`Job::under`] a policy.
    pub rules: Vec<Rules>,
    /// Where the run is recorded, and budgets are taken from.
    pub ledger: Option<Arc<Ledger>>,
    /// Who is what among several parties.
    pub seats: Seats,
    /// What else both sides must say alike, in this order.
    pub details: Vec<Detail>,
    /// Bytes of memory that the run may take, the lists included; `None` stands for what the machine has free.
    pub max_memory: Option<u64>,
}

impl Job {
    /// Which rows all have; all learn it. `peers` are what this side calls the others.
    #[must_use]
    pub fn intersect(peers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::new(Operation::Intersect, peers)
    }

    /// How many keys all have; all learn it. `peers` are what this side calls the others.
    #[must_use]
    pub fn count(peers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::new(Operation::Count, peers)
    }

    /// `operation` with every choice at its default: all learn, any protocol against semi-honest parties. `peers` are what this
    /// side calls the others.
    #[must_use]
    pub fn new(operation: Operation, peers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            operation,
            learn: Learn::Both,
            protocol: None,
            security: Security::SemiHonest,
            peers: peers.into_iter().map(Into::into).collect(),
            choices: Choices::default(),
            matching: None,
            with_rows: false,
            groups: None,
            release: Release::default(),
            pad_to: None,
            reference: None,
            rules: Vec::new(),
            ledger: None,
            seats: Seats::default(),
            details: Vec::new(),
            max_memory: None,
        }
    }

    /// Whether there is a protocol for this job between so many, which obeys its rules; worth knowing before anybody is waited for.
    ///
    /// # Errors
    /// When there is none, the named one does something else, or a rule refuses.
    pub fn check(&self) -> Result<(), Error> {
        self.check_rules()?;
        self.release.check(self.operation, self.matching.is_some())?;
        self.check_padding(self.matching.is_some())?;
        self.check_groups()?;
        let checked = match self.peers.len() {
            0 | 1 => self.wanted().check(self.protocol),
            _ => self.check_among_several(),
        };
        Ok(checked?)
    }

    fn check_among_several(&self) -> Result<(), SessionError> {
        if self.release.noise.is_some() {
            return Err(SessionError::Multiparty(
                "a count has no noise: leave out --noise, and take it out of the rules that your policy has for these names",
            ));
        }
        self.wanted().among_several(self.protocol).map(drop)
    }

    /// How rows match that have these keys; nothing where they have one.
    ///
    /// # Errors
    /// When these keys are nothing for this operation, or not in this way; a caller can know that before it reads its list.
    pub fn matching_of(&self, keys: &[KeySpec]) -> Result<Option<Matching>, Error> {
        let Self { operation, learn, matching, .. } = *self;
        let fitting = Matching::of(operation, learn);
        if operation.spec().keys != Keys::Ordered {
            keys.iter().try_for_each(KeySpec::check_single)?;
        }
        if keys.len() <= 1 {
            return if matching.is_none() { Ok(None) } else { Err(KeysError::One.into()) };
        }
        if keys.len() > MAX_LINKAGE_KEYS {
            return Err(KeysError::TooMany { most: MAX_LINKAGE_KEYS }.into());
        }
        let fitting = fitting.ok_or(SessionError::OneKey(operation))?;
        if let Some(matching) = matching.filter(|matching| !matching.stands_for(fitting)) {
            return Err(KeysError::Matching { operation, matching }.into());
        }
        let fitting = matching.unwrap_or(fitting);
        if fitting.keeps_rows() && self.peers.len() < 2 {
            let blind = fitting == Matching::Blind;
            Wanted { grouped: true, blind, ..self.wanted() }.check(self.protocol)?;
        }
        if self.peers.len() > 1 {
            let learners = self.seats.learners.len();
            fitting.check_among_several(learners == 0 || learners > self.peers.len())?;
        }
        Ok(Some(fitting))
    }

    /// Up to how many keys this list is filled up: as the job says, or else as its rules have it, where it has fewer; where not all of
    /// its rows count, to those of all at least.
    #[must_use]
    pub fn pad_to_of(&self, input: &Input) -> Option<u64> {
        let own = input.distinct() as u64;
        let fits = can_be_filled(self.operation) && !input.has_several_keys();
        let of_rules = self.rules.iter().filter_map(Rules::pad_to).filter(|to| own < *to && fits);
        let of_all = input.distinct_of_all().map(|keys| keys as u64);
        self.pad_to.or(of_rules.max()).max(of_all)
    }

    /// Whether a list may be filled up that is matched by one key or by several.
    pub(crate) fn check_padding(&self, by_several: bool) -> Result<(), SessionError> {
        self.pad_to.map_or(Ok(()), |told| self.check_filled("--pad-to", told, by_several))
    }

    /// Whether a list that is matched by one key or by several may be filled up to so many keys, as a flag has it.
    pub(crate) fn check_filled(
        &self,
        flag: &'static str,
        told: u64,
        by_several: bool,
    ) -> Result<(), SessionError> {
        let why = match (can_be_filled(self.operation), by_several) {
            (true, false) if told <= MOST_KEYS => return Ok(()),
            (true, false) => "no protocol takes more than 2^31 keys",
            (true, true) => "each key would show how many values it has; give one --key",
            (false, _) => "its result would show the made-up keys",
        };
        Err(SessionError::Release { flag, operation: self.operation, why })
    }

    /// Whether there can be so many groups, whatever the list.
    fn check_groups(&self) -> Result<(), Error> {
        let Some(most) = self.groups else { return Ok(()) };
        if !self.operation.spec().has_groups() {
            return Err(GroupsError::Operation(self.operation).into());
        }
        if !(1..=MAX_GROUPS).contains(&most) {
            return Err(GroupsError::Count { most, limit: MAX_GROUPS }.into());
        }
        if self.release.most_rate.is_some() {
            return Err(GroupsError::Rate.into());
        }
        Ok(())
    }

    /// Whether there can be groups if the list has some, and not too many.
    pub(crate) fn check_groups_of(&self, input: &Input) -> Result<(), Error> {
        match (self.groups, input.groups()) {
            (None, Some(_)) => Err(GroupsError::Most.into()),
            (Some(most), Some(groups)) if groups.names().len() > most => {
                let (file, columns) =
                    (input.table().name().to_owned(), groups.columns().join(", "));
                Err(DataError::ManyGroups { file, columns, most }.into())
            }
            _ => Ok(()),
        }
    }

    /// Whether there is a protocol for products with a factor.
    pub(crate) fn check_products(&self) -> Result<(), SessionError> {
        let on_shares = Wanted::flag_on_shares(false, false, true);
        Wanted { on_shares, ..self.wanted() }.check(self.protocol)
    }

    fn wanted(&self) -> Wanted {
        let Self { operation, security, learn, choices, .. } = *self;
        let grouped = self.matching.is_some_and(Matching::keeps_rows);
        let blind = self.matching == Some(Matching::Blind);
        let with_rows = self.with_rows;
        let withheld = self.release.is_for_shares();
        let coins = self.release.needs_coins(operation);
        let on_shares = Wanted::flag_on_shares(self.groups.is_some(), coins, false);
        Wanted {
            operation,
            security,
            learn,
            with_rows,
            grouped,
            blind,
            on_shares,
            withheld,
            choices,
        }
    }

    /// Agrees on the terms, with the peer or with all others.
    ///
    /// # Errors
    /// When the sides want different things, a rule refuses, the run would take too much memory, or a connection fails; or when
    /// this is nothing that several parties do.
    pub fn offer(self, connection: Connection, input: &Input) -> Result<Ready, Error> {
        let mut rng = fresh_rng()?;
        let operation = self.operation;
        self.check_list(input)?;
        let matching = self.matching_of(&input.specs)?;
        if input.is_grouped() != matching.is_some_and(Matching::keeps_rows) {
            return Err(KeysError::Made(operation).into());
        }
        let mut offer = self.to_offer(input, matching);
        let pledged = match &self.ledger {
            Some(ledger) => {
                let (pledge, salt) = pledge(ledger, input, &mut rng)?;
                offer.pledge = Some(pledge);
                Some(salt)
            }
            None => None,
        };
        let Connection { own, mut peers } = connection;
        // A connection within one process has no names; a job has.
        if let ([peer], [name]) = (&mut peers[..], &self.peers[..]) {
            peer.name.clone_from(name);
        }
        let own = own.map(|key| *key.as_bytes());
        let agreed = agree(own, peers, offer, &mut rng)?;
        let peer = &agreed.briefing().peer().name;
        if let Err(error) = input.check_names(operation, peer, agreed.peer_columns(), agreed.role())
        {
            agreed.decline(Abort::Terms);
            return Err(error.into());
        }
        let mut ready = Ready { agreed, rng, record: None };
        let checked = self.check_agreed(ready.briefing(), input);
        if let Err(refused) =
            checked.and_then(|()| self.check_room(input, ready.agreed.peer_factor()))
        {
            ready.decline();
            return Err(refused);
        }
        ready.record = Record::of(&self, &ready, pledged);
        if ready.record.is_none()
            && let Some((rule, place)) = self.rules.iter().find_map(Rules::needs_ledger)
        {
            ready.decline();
            let why =
                "it needs a ledger and a peer with a key, and this run has not both".to_owned();
            return Err(Refusal { rule, place, why }.into());
        }
        Ok(ready)
    }

    /// What is offered of `input`, whose rows match so; who connects is a matter of the connection.
    fn to_offer(&self, input: &Input, matching: Option<Matching>) -> Offer {
        let operation = self.operation;
        let in_tiers = matching == Some(Matching::Tiers);
        let most_rows = input.spec().most_rows().map(|most| Detail {
            name: "most rows of a key (--most-per-key; --pairs one-to-one is 1)".to_owned(),
            value: most.to_string(),
        });
        let told =
            self.pad_to_of(input).map_or(0, |told| usize::try_from(told).unwrap_or(usize::MAX));
        let distinct = input.elements().max(told);
        let tiers = input.linkage.keys().iter().filter(|_| in_tiers).map(KeySet::len);
        Offer {
            operation,
            protocol: self.protocol,
            security: self.security,
            learn: self.learn,
            presets: KeySpec::canonical_of(&input.specs),
            distinct,
            padding: distinct - input.elements(),
            matching,
            tiers: tiers.collect(),
            looks_hashed: input.linkage.looks_hashed(),
            memory: memory::left(self.max_memory, input.memory()),
            choices: self.choices,
            attached: input.attached_shape(),
            groups: self.groups,
            lent: input.lent_groups(),
            factor: input.factor_name().map(str::to_owned),
            columns: input.columns(),
            rows_of_key: input.rows_of_key(),
            release: self.release,
            reference: self.reference.clone(),
            pledge: None,
            seats: self.seats.clone(),
            details: self.details.iter().cloned().chain(most_rows).collect(),
        }
    }
}
