//! What two parties, or more, must agree on before any cryptography.
//!
//! Each side sends [`UncheckedTerms`]: names. Of the peer's, whatever differs from this side's is told by its name, whether
//! that means anything here or not; what does not differ is parsed into [`Terms`], and a name that is nothing here is
//! refused.

mod messages;
mod mismatch;
#[cfg(test)]
mod tests;
mod unchecked;

use std::str::FromStr;

use veilset_protocols::{
    AttachedShape, CHOICES, Choices, Operation, Security, find, find_multiparty,
};

use crate::{Column, Detail, Learn, LentGroups, Matching, Offer};

pub(crate) use messages::{ChosenNames, Consent, Done, Hello, Signature, encoded};
pub use mismatch::Mismatch;
pub(crate) use mismatch::{differ, differing_learners, escape, mismatched_values};
pub(crate) use unchecked::UncheckedTerms;

/// The version of everything that crosses the wire; two versions never talk.
pub const WIRE_VERSION: u16 = 9;

/// The most columns of values, of labels, or of a union's rows.
pub const MAX_COLUMNS: usize = 64;

/// The longest name of a column in bytes.
pub const MAX_NAME: usize = 256;

/// The longest names of all groups that a side lends, in bytes together.
pub const MAX_LENT_NAMES: usize = 8 * 1024;

/// The most fraction digits of a value column.
pub(crate) const MAX_SCALE: u32 = 30;

/// The longest row of a union in bytes.
pub(crate) const MAX_WIDTH: u16 = 4096;

/// How many parties a run has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartyCount {
    /// This side and its peer.
    Two,
    /// So many with this side, who all learn.
    Many(usize),
}

impl PartyCount {
    /// What is computed between so many, in the terms.
    fn name_of(self, operation: Operation) -> String {
        match self {
            Self::Two => operation.name().to_owned(),
            Self::Many(parties) => format!("{operation} of {parties} parties"),
        }
    }

    /// The operation and the parties of this name.
    pub(super) fn from_name(name: &str) -> Option<(Operation, Self)> {
        let Some((operation, parties)) = name.split_once(" of ") else {
            return Some((name.parse().ok()?, Self::Two));
        };
        let parties = parties.strip_suffix(" parties")?.parse().ok()?;
        Some((operation.parse().ok()?, Self::Many(parties)))
    }

    /// The id of the protocol of this name between so many.
    fn protocol(self, name: &str) -> Option<&'static str> {
        match self {
            Self::Two => find(name).map(|protocol| protocol.spec().id),
            Self::Many(_) => find_multiparty(name).map(|protocol| protocol.spec().id),
        }
    }
}

/// What one side wants: its [`Offer`] with a nonce, or the peer's terms where they fit that.
#[derive(Debug, Clone)]
pub(crate) struct Terms {
    /// What to compute.
    pub(crate) operation: Operation,
    /// Between how many.
    pub(crate) parties: PartyCount,
    /// How; `None` leaves it to the planner.
    pub(crate) protocol: Option<&'static str>,
    /// Against whom the protocol must hold.
    pub(crate) security: Security,
    /// Who gets the result, as this side sees it.
    pub(crate) learn: Learn,
    /// The versioned presets of the key columns.
    pub(crate) presets: String,
    /// How many distinct keys.
    pub(crate) distinct: u64,
    /// How many of them under each of several keys that are matched in tiers.
    pub(crate) tiers: Vec<u64>,
    /// Whether the keys look like hashes.
    pub(crate) looks_hashed: bool,
    /// Whether this side opened the connection.
    pub(crate) connecting: bool,
    /// What is chosen beside the protocol and has a field of its own; the rest is among the details.
    pub(crate) choices: Choices,
    /// What this side holds about each of its keys.
    pub(crate) attached: AttachedShape,
    /// The groups that this side lends to the peer's sums.
    pub(crate) lent: Option<LentGroups>,
    /// The columns of the values, those of the labels, or those of rows: of a union beyond the key's.
    pub(crate) columns: Vec<Column>,
    /// How many rows go for one key at most, where rows go with matches.
    pub(crate) rows_of_key: u16,
    /// What else both sides must say alike.
    pub(crate) details: Vec<Detail>,
    /// When this side began, in seconds since 1970; 0 where it signs no receipt.
    pub(crate) began: u64,
    /// Its commitment to its list, for the receipt.
    pub(crate) commitment: [u8; 32],
    /// Fresh randomness; both nonces key the elements of this session alone.
    pub(crate) nonce: [u8; 32],
}

impl Terms {
    /// The numbers of elements under each key, or that of all.
    pub(crate) fn sizes(&self) -> Vec<u64> {
        if self.tiers.is_empty() { vec![self.distinct] } else { self.tiers.clone() }
    }

    /// The offer of one of two parties, which opened the connection or not, with `nonce`.
    pub(crate) fn new(offer: &Offer, connecting: bool, nonce: [u8; 32]) -> Self {
        let Offer { operation, protocol, security, learn, choices, .. } = *offer;
        Self {
            operation,
            parties: PartyCount::Two,
            protocol,
            security,
            learn,
            presets: offer.presets.clone(),
            distinct: offer.distinct as u64,
            tiers: offer.tiers.iter().map(|count| *count as u64).collect(),
            looks_hashed: offer.looks_hashed,
            connecting,
            choices: with_fields(choices),
            attached: match offer.attached {
                AttachedShape::Values { columns: 0, .. } | AttachedShape::Items { width: 0 } => {
                    AttachedShape::Nothing
                }
                attached => attached.in_groups(offer.groups),
            },
            lent: offer.lent.clone(),
            columns: offer.columns.clone(),
            rows_of_key: offer.rows_of_key,
            details: offer
                .details
                .iter()
                .cloned()
                .chain(choice_details(choices))
                .chain(offer.release.details())
                .chain(offer.reference.as_deref().map(reference_detail))
                .chain(offer.matching.map(matching_detail))
                .chain(offer.groups.map(groups_detail))
                .chain(offer.factor.as_deref().map(factor_detail))
                .collect(),
            began: offer.pledge.as_ref().map_or(0, |pledge| pledge.began),
            commitment: offer.pledge.as_ref().map_or([0; 32], |pledge| pledge.commitment),
            nonce,
        }
    }

    /// The peer's terms, if they fit these.
    ///
    /// # Errors
    /// With all fields on which the two sides differ; or with the first that names what this side does not have.
    pub(crate) fn fitting(&self, theirs: UncheckedTerms) -> Result<Self, Vec<Mismatch>> {
        let mismatches = self.mismatches(&theirs);
        if !mismatches.is_empty() {
            return Err(mismatches);
        }
        Self::try_from(theirs).map_err(|unknown| vec![unknown.into()])
    }
}

/// A name in the peer's terms that is nothing here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnknownTerm {
    /// What would have this name.
    pub(crate) field: &'static str,
    /// The name as the peer gave it.
    pub(crate) name: String,
}

impl TryFrom<UncheckedTerms> for Terms {
    type Error = UnknownTerm;

    fn try_from(said: UncheckedTerms) -> Result<Self, UnknownTerm> {
        let unknown = |field, name: &str| UnknownTerm { field, name: name.to_owned() };
        let (operation, parties) = PartyCount::from_name(&said.operation)
            .ok_or_else(|| unknown("operation", &said.operation))?;
        let choices = Choices {
            group: given(&said.group).map(|name| named("group", name)).transpose()?,
            digest: given(&said.digest).map(|name| named("digest", name)).transpose()?,
            sharing: Some(named("shares", &said.sharing)?),
            scheme: Some(named("scheme", &said.scheme)?),
            ..Choices::default()
        };
        let attached = said.attached();
        let protocol = given(&said.protocol)
            .map(|name| parties.protocol(name).ok_or_else(|| unknown("protocol", name)))
            .transpose()?;
        Ok(Self {
            operation,
            parties,
            protocol,
            security: named("security", &said.security)?,
            learn: said.learn,
            distinct: said.distinct,
            attached,
            lent: said.lent,
            tiers: said.tiers,
            looks_hashed: said.looks_hashed,
            connecting: said.connecting,
            choices,
            presets: said.presets,
            columns: said.columns,
            rows_of_key: said.rows_of_key,
            details: said.details,
            began: said.began,
            commitment: said.commitment,
            nonce: said.nonce,
        })
    }
}

/// Both sides match in the same way.
fn matching_detail(matching: Matching) -> Detail {
    Detail { name: "match (--match)".to_owned(), value: matching.name().to_owned() }
}

/// What the terms call the number of groups.
const GROUPS: &str = "groups (--groups)";

/// Both sides know how many groups there are at most.
pub(crate) fn groups_detail(groups: usize) -> Detail {
    Detail { name: GROUPS.to_owned(), value: groups.to_string() }
}

/// What the terms call the factor.
const FACTOR: &str = "factor (--factor, and behind the * of --value)";

/// Both sides know which column of the one the other's values are multiplied by.
pub(crate) fn factor_detail(factor: &str) -> Detail {
    Detail { name: FACTOR.to_owned(), value: factor.to_owned() }
}

/// Both sides have the same agreement.
fn reference_detail(reference: &str) -> Detail {
    Detail { name: "agreement (--reference)".to_owned(), value: reference.to_owned() }
}

/// The name that a side gave; an empty one is none.
pub(crate) fn given(name: &str) -> Option<&str> {
    (!name.is_empty()).then_some(name)
}

/// What is called `name`.
fn named<T: FromStr>(field: &'static str, name: &str) -> Result<T, UnknownTerm> {
    name.parse().map_err(|_| UnknownTerm { field, name: name.to_owned() })
}

/// The choices that have fields of their own in the terms.
fn with_fields(Choices { group, digest, sharing, scheme, .. }: Choices) -> Choices {
    Choices { group, digest, sharing, scheme, ..Choices::default() }
}

/// The other choices, which both sides have to give alike; one that is given as it stands where nobody chooses is none.
fn choice_details(choices: Choices) -> impl Iterator<Item = Detail> {
    let default = |name: &str| CHOICES.iter().find(|choice| choice.name == name)?.default;
    let others = choices.beyond(with_fields(choices));
    let chosen = others.names().filter(move |(name, value)| default(name) != Some(value));
    chosen.map(|(name, value)| Detail { name: format!("{name} (--{name})"), value })
}
