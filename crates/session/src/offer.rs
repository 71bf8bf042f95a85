//! What a side wants, before anybody was asked.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use veilset_names::names;
use veilset_protocols::{AttachedShape, Choices, Gives, Keys, Operation, Reveal, Security};

use crate::terms::{MAX_COLUMNS, MAX_LENT_NAMES, MAX_NAME};
use crate::{Noise, Pledge, Release, SessionError};

names! {
    "who learns";
    /// Who gets the result, as one side sees it.
    #[derive(Serialize, Deserialize)]
    pub enum Learn {
        /// This side alone.
        Me = "me",
        /// The peer alone.
        Peer = "peer",
        /// Both sides.
        Both = "both",
    }
}

impl Learn {
    /// The same choice as the peer must put it.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Me => Self::Peer,
            Self::Peer => Self::Me,
            Self::Both => Self::Both,
        }
    }

    /// To whom the result goes, whichever side is asked.
    #[must_use]
    pub fn reveal(self) -> Reveal {
        if self == Self::Both { Reveal::Both } else { Reveal::Receiver }
    }

    /// Whether this side gets the result.
    #[must_use]
    pub fn includes_me(self) -> bool {
        self != Self::Peer
    }
}

names! {
    "ways to match by several keys";
    /// How rows match that have several keys.
    #[derive(Serialize, Deserialize)]
    pub enum Matching {
        /// Key after key, and rows that match drop out before the next.
        Tiers = "tiers",
        /// By all keys at once, of which the side that learns takes the first for each of its rows.
        OneSided = "one-sided",
        /// By all keys at once, under which the values of a row stay together, for a result that is not of rows.
        Grouped = "grouped",
        /// As grouped, and nobody sees by which keys rows match.
        Blind = "blind",
    }
}

impl Matching {
    /// Whether several parties can match so, of whom all learn or not.
    ///
    /// # Errors
    /// When they cannot.
    pub fn check_among_several(self, all_learn: bool) -> Result<(), SessionError> {
        let refused = |why| Err(SessionError::Multiparty(why));
        match self {
            Self::Tiers if all_learn => Ok(()),
            Self::Tiers => refused(
                "with several keys all learn, since rows that match drop out before the next key: leave out --learner",
            ),
            Self::OneSided | Self::Grouped | Self::Blind => refused(
                "they intersect by several keys in tiers, and count by one: give --key once",
            ),
        }
    }

    /// Whether the values of a row stay together.
    #[must_use]
    pub fn keeps_rows(self) -> bool {
        matches!(self, Self::Grouped | Self::Blind)
    }

    /// Whether it can stand where this way is the usual one.
    #[must_use]
    pub fn stands_for(self, usual: Self) -> bool {
        self == usual || (self == Self::Blind && usual == Self::Grouped)
    }

    /// The usual way for a result of `operation` that goes so; nothing where rows match by one key alone. For an intersection in tiers
    /// both must know what drops out.
    #[must_use]
    pub fn of(operation: Operation, learn: Learn) -> Option<Self> {
        match (operation.spec().keys, learn) {
            (Keys::One, _) => None,
            (Keys::Ordered, Learn::Both) => Some(Self::Tiers),
            (Keys::Ordered, _) => Some(Self::OneSided),
            (Keys::Together, _) => Some(Self::Grouped),
        }
    }
}

/// What this side wants.
#[derive(Debug, Clone)]
pub struct Offer {
    /// What to compute.
    pub operation: Operation,
    /// How; `None` leaves it to the planner.
    pub protocol: Option<&'static str>,
    /// Against whom the protocol must hold, at least.
    pub security: Security,
    /// Who gets the result.
    pub learn: Learn,
    /// The versioned presets of the key columns, such as `email/1`; of several keys, with semicolons between them.
    pub presets: String,
    /// How many distinct keys this side has; of several keys, how many values under all, and where these stay together,
    /// one for each key and row.
    pub distinct: usize,
    /// How many of these are made up, so that the peer does not see how few there are: see [`can_be_filled`].
    pub padding: usize,
    /// How rows match that have several keys.
    pub matching: Option<Matching>,
    /// How many values this side has under each of several keys that are matched in tiers.
    pub tiers: Vec<usize>,
    /// Whether this side's keys look like hashes.
    pub looks_hashed: bool,
    /// Bytes of memory that the run may take beside what the process holds; no run may allocate as the peer's number
    /// of keys has it.
    pub memory: u64,
    /// What is chosen beside the protocol; the rest is left to its defaults.
    pub choices: Choices,
    /// What this side holds about each of its keys.
    pub attached: AttachedShape,
    /// The columns of the values, those of the labels, or those of rows: of a union beyond the key's.
    pub columns: Vec<Column>,
    /// How many groups of keys there are at most, where values are added up by group; both sides say the same.
    pub groups: Option<usize>,
    /// The groups that this side lends to the peer's sums, if it does.
    pub lent: Option<LentGroups>,
    /// The column of the one side by which values of the other are multiplied, if any; both sides say the same.
    pub factor: Option<String>,
    /// How many rows go for one key at most, where rows go with matches.
    pub rows_of_key: u16,
    /// How much of the result is released.
    pub release: Release,
    /// What this side says for the receipt, if it signs one.
    pub pledge: Option<Pledge>,
    /// The reference of the parties' agreement, at most 256 bytes.
    pub reference: Option<String>,
    /// Who is what among several parties.
    pub seats: Seats,
    /// What else both sides must say alike, in this order.
    pub details: Vec<Detail>,
}

/// Who is what among several parties, by public keys; between two there is nothing to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seats {
    /// Who learns the result; nobody named stands for all.
    pub learners: Vec<[u8; 32]>,
    /// Who computes the result, and learns it; else the first of those who learn, in the order of keys.
    pub leader: Option<[u8; 32]>,
    /// Who holds the keys in a protocol with a pivot; else the first of the others, in the order of keys.
    pub pivot: Option<[u8; 32]>,
}

impl Offer {
    /// How many of a side's keys stand for one row.
    pub(crate) fn per_row(&self) -> usize {
        per_row(self.matching, &self.presets)
    }

    /// How many numbers that are told one key of the other list for another changes, where the peer has these columns.
    pub(crate) fn numbers(&self, theirs: &[Column]) -> usize {
        if self.operation != Operation::Sum {
            return 1;
        }
        // Of a sum the count, too; a factor is none of them.
        let columns = self.columns.len() + theirs.len() - usize::from(self.factor.is_some());
        numbers_of_sums(columns, self.groups.is_some())
    }

    /// The noise of each of them, if they have any.
    ///
    /// # Errors
    /// When each would take more coins than a run tosses.
    pub(crate) fn noise_of_each(&self, theirs: &[Column]) -> Result<Option<Noise>, SessionError> {
        self.release.noise_of_each(self.operation, self.numbers(theirs))
    }
}

/// How many numbers one key for another changes, of a count and sums of so many columns: by groups those of two of them.
#[must_use]
pub fn numbers_of_sums(columns: usize, by_groups: bool) -> usize {
    (1 + columns) * if by_groups { 2 } else { 1 }
}

/// Whether a list may be filled up with made-up keys for this operation: nothing of them is seen in its result.
#[must_use]
pub fn can_be_filled(operation: Operation) -> bool {
    matches!(operation.spec().gives, Gives::Numbers | Gives::OwnRows)
}

/// How many keys of lists with these presets stand for one row where rows match so.
pub(crate) fn per_row(matching: Option<Matching>, presets: &str) -> usize {
    if matching.is_some_and(Matching::keeps_rows) { presets.split(BETWEEN_KEYS).count() } else { 1 }
}

/// What stands between the presets of two keys.
pub(crate) const BETWEEN_KEYS: char = ';';

/// Something about the lists that both sides must say alike, such as the length of the slots in them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detail {
    /// What it is, for messages; at most 256 bytes.
    pub name: String,
    /// What this side says; at most 256 bytes.
    pub value: String,
}

/// Groups of a side's keys that it lends to the peer's sums, whose names the peer learns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LentGroups {
    /// The columns whose cells say which group a row is in.
    pub columns: Vec<String>,
    /// Of each group its cells, as many as there are columns.
    pub names: Vec<Vec<String>>,
}

impl LentGroups {
    /// Whether a side can have these: each name as long as there are columns, no column and no name twice, and all together short.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        let Self { columns, names } = self;
        let mut all = columns.iter().chain(names.iter().flatten());
        let bytes: usize = all.clone().map(String::len).sum();
        (1..=MAX_COLUMNS).contains(&columns.len())
            && names.iter().all(|name| name.len() == columns.len())
            && all.all(|text| text.len() <= MAX_NAME)
            && !columns.iter().any(|column| column.contains('\0'))
            && bytes <= MAX_LENT_NAMES
            && columns.iter().collect::<BTreeSet<_>>().len() == columns.len()
            && names.iter().collect::<BTreeSet<_>>().len() == names.len()
    }
}

/// A column of what a side holds about its keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Its name in the header.
    pub name: String,
    /// Of values: they count in units of 10^-scale.
    pub scale: u32,
}
#[cfg(test)]
impl Offer {
    /// A count that both learn.
    pub(crate) fn sample() -> Self {
        Self {
            operation: Operation::Count,
            protocol: None,
            security: Security::SemiHonest,
            learn: Learn::Both,
            presets: "email/1".into(),
            distinct: 1000,
            padding: 0,
            matching: None,
            tiers: Vec::new(),
            looks_hashed: false,
            memory: u64::MAX,
            choices: Choices::default(),
            attached: AttachedShape::Nothing,
            columns: Vec::new(),
            groups: None,
            lent: None,
            factor: None,
            rows_of_key: 0,
            release: Release::default(),
            reference: None,
            seats: Seats::default(),
            pledge: None,
            details: Vec::new(),
        }
    }
}
