//! Terms as they go over the wire: names, of which the peer's may be anything.

use serde::{Deserialize, Serialize};
use veilset_crypto::Group;
use veilset_data::MAX_LINKAGE_KEYS;
use veilset_protocols::{
    AttachedShape, Attaches, MAX_FACTOR, MAX_LENT_GROUPS, Operation, SetEncoding,
};

use super::{
    FACTOR, GROUPS, MAX_COLUMNS, MAX_NAME, MAX_SCALE, MAX_WIDTH, PartyCount, Terms, matching_detail,
};
use crate::offer::BETWEEN_KEYS;
use crate::{Column, Detail, Learn, LentGroups, Matching};

/// The latest time of terms in seconds since 1970: the largest whole number that every reader of JSON has.
const LATEST: u64 = (1 << 53) - 1;

/// The most details.
const MAX_DETAILS: usize = 16;

/// What a side sends, name by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UncheckedTerms {
    /// What to compute, and between how many parties where they are more than two.
    pub(crate) operation: String,
    /// How; empty leaves it to the planner.
    pub(crate) protocol: String,
    /// Against whom the protocol must hold.
    pub(crate) security: String,
    /// Who gets the result, as the sender of these terms sees it.
    pub(crate) learn: Learn,
    /// The versioned presets of the key columns.
    pub(crate) presets: String,
    /// How many distinct keys.
    pub(crate) distinct: u64,
    /// How many of them under each of several keys that are matched in tiers.
    pub(crate) tiers: Vec<u64>,
    /// Whether the keys look like hashes.
    pub(crate) looks_hashed: bool,
    /// Whether the sender of these terms opened the connection.
    pub(crate) connecting: bool,
    /// The group; empty leaves it to the protocol's default.
    pub(crate) group: String,
    /// How a set travels; empty leaves it to the protocol's default.
    pub(crate) digest: String,
    /// How secrets are shared.
    pub(crate) sharing: String,
    /// How many numbers the sender of these terms holds about each of its keys.
    pub(crate) values: u16,
    /// How many of these, the last ones, are multiplied by a factor of the other side's.
    pub(crate) products: u16,
    /// By how many groups of its keys numbers are added up at most; 0 where by none.
    pub(crate) by: u16,
    /// How many bytes the factor takes that it lends the other side's values.
    pub(crate) factor: u16,
    /// The groups that it lends them.
    pub(crate) lent: Option<LentGroups>,
    /// How many bytes it holds about each of its keys.
    pub(crate) width: u16,
    /// The columns of the values, those of the labels, or those of rows: of a union beyond the key's.
    pub(crate) columns: Vec<Column>,
    /// How many rows go for one key at most, where rows go with matches.
    pub(crate) rows_of_key: u16,
    /// How two orders of preference become one.
    pub(crate) scheme: String,
    /// What else both sides must say alike.
    pub(crate) details: Vec<Detail>,
    /// When the sender of these terms began, in seconds since 1970; 0 where it signs no receipt.
    pub(crate) began: u64,
    /// Its commitment to its list, for the receipt.
    pub(crate) commitment: [u8; 32],
    /// Fresh randomness; both nonces key the elements of this session alone.
    pub(crate) nonce: [u8; 32],
}

impl From<&Terms> for UncheckedTerms {
    fn from(terms: &Terms) -> Self {
        let choices = terms.choices;
        // Too many to be told are too many to be possible, too.
        let told = |count| u16::try_from(count).unwrap_or(u16::MAX);
        Self {
            operation: terms.parties.name_of(terms.operation),
            protocol: terms.protocol.unwrap_or_default().to_owned(),
            security: terms.security.name().to_owned(),
            learn: terms.learn,
            presets: terms.presets.clone(),
            distinct: terms.distinct,
            tiers: terms.tiers.clone(),
            looks_hashed: terms.looks_hashed,
            connecting: terms.connecting,
            group: choices.group.map_or("", Group::name).to_owned(),
            digest: choices.digest.map_or("", SetEncoding::name).to_owned(),
            sharing: choices.sharing.unwrap_or_default().name().to_owned(),
            values: told(terms.attached.columns()),
            products: told(terms.attached.products()),
            by: told(terms.attached.groups().or(terms.attached.lent_groups()).unwrap_or(0)),
            factor: told(terms.attached.factor()),
            lent: terms.lent.clone(),
            width: told(terms.attached.width()),
            columns: terms.columns.clone(),
            rows_of_key: terms.rows_of_key,
            scheme: choices.scheme.unwrap_or_default().name().to_owned(),
            details: terms.details.clone(),
            began: terms.began,
            commitment: terms.commitment,
            nonce: terms.nonce,
        }
    }
}

impl UncheckedTerms {
    /// What is computed, whatever the number of parties.
    fn operation(&self) -> Option<Operation> {
        PartyCount::from_name(&self.operation).map(|(operation, _)| operation)
    }

    /// What the sender of these terms holds about each of its keys.
    pub(super) fn attached(&self) -> AttachedShape {
        let (products, factor) = (self.products.into(), self.factor.into());
        let groups = (self.by > 0).then_some(self.by.into());
        match (self.values, self.width) {
            (0, 0) if self.factor > 0 || self.lent.is_some() => {
                AttachedShape::Lent { factor, groups }
            }
            (0, 0) => AttachedShape::Nothing,
            (0, width) => AttachedShape::Items { width: width.into() },
            (columns, _) => AttachedShape::Values { columns: columns.into(), products, groups },
        }
    }

    /// Whether all in it is what a side of this operation can have.
    pub(crate) fn is_possible(&self) -> bool {
        let fits = |column: &Column| {
            column.name.len() <= MAX_NAME
                && !column.name.contains('\0')
                && column.scale <= MAX_SCALE
        };
        let columns = self.columns.len();
        let attached = match self.operation().map_or(Attaches::Nothing, |one| one.spec().attaches) {
            Attaches::Nothing => self.values == 0 && self.width == 0 && columns == 0,
            Attaches::Values { .. } => {
                let has = if self.factor > 0 {
                    columns == 1 && self.values == 0
                } else {
                    usize::from(self.values) == columns
                };
                self.width == 0 && has
            }
            Attaches::Rows { needed: true } => {
                let sends = self.learn != Learn::Me && self.distinct > 0;
                self.values == 0 && self.width <= MAX_WIDTH && (self.width > 0 || !sends)
            }
            Attaches::Rows { needed: false } => {
                let sends = self.learn != Learn::Me && (self.width > 0 || self.distinct == 0);
                let attached = if columns > 0 { sends } else { self.width == 0 };
                self.values == 0 && self.width <= MAX_WIDTH && attached
            }
            Attaches::Labels => {
                let labels = self.learn == Learn::Peer && columns > 0;
                let whole = labels && (self.width > 0 || self.distinct == 0);
                let attached = if labels { whole } else { self.width == 0 && columns == 0 };
                self.values == 0 && self.width <= MAX_WIDTH && attached
            }
        };
        let short = |detail: &Detail| detail.name.len().max(detail.value.len()) <= MAX_NAME;
        let details = self.details.len() <= MAX_DETAILS && self.details.iter().all(short);
        let columns = columns <= MAX_COLUMNS && self.columns.iter().all(fits);
        attached
            && self.products_are_possible()
            && self.groups_are_possible()
            && self.began <= LATEST
            && details
            && columns
            && self.tiers_are_possible()
            && self.rows_are_possible()
            && self.rows_of_key_are_possible()
    }

    /// Whether values are multiplied by a factor, or a factor is there for them, where both sides say that there is one, and nowhere else.
    fn products_are_possible(&self) -> bool {
        let has_factor = self.details.iter().any(|detail| detail.name == FACTOR);
        let sums = self.operation().is_some_and(|one| one.spec().has_groups());
        let said = (self.products > 0) != (self.factor > 0);
        let fits = self.products <= self.values && usize::from(self.factor) <= MAX_FACTOR;
        if has_factor {
            said && fits && sums && !self.has_several_keys()
        } else {
            self.products == 0 && self.factor == 0
        }
    }

    /// Whether rows match by several keys, so that one can match several rows of the other side.
    pub(super) fn has_several_keys(&self) -> bool {
        self.presets.contains(BETWEEN_KEYS)
    }

    /// Whether numbers are added up by groups where both sides say so, by as many as the sides say or as are lent, which have names.
    fn groups_are_possible(&self) -> bool {
        let said = self.details.iter().find(|detail| detail.name == GROUPS);
        let most: usize = said.and_then(|said| said.value.parse().ok()).unwrap_or(0);
        let by = usize::from(self.by);
        match &self.lent {
            None => by == 0 || (self.values > 0 && by == most),
            Some(lent) => {
                let fits = (1..=most.min(MAX_LENT_GROUPS)).contains(&by) && lent.names.len() == by;
                self.values == 0 && fits && lent.is_possible() && !self.has_several_keys()
            }
        }
    }

    /// Whether as many rows of a key as there may be fit an item, each cell of which takes a byte at least; and whether there are none
    /// where none go with matches.
    fn rows_of_key_are_possible(&self) -> bool {
        let rows = usize::from(self.rows_of_key);
        if self.width == 0 || !self.operation().is_some_and(|one| one.spec().may_send_rows()) {
            return rows == 0;
        }
        // The number of rows takes another byte.
        rows > 0 && rows * self.columns.len() < usize::from(self.width)
    }

    /// Whether there are as many keys as whole rows have, where rows are several.
    fn rows_are_possible(&self) -> bool {
        let keeps_rows = [Matching::Grouped, Matching::Blind].map(matching_detail);
        let grouped = keeps_rows.iter().any(|said| self.details.contains(said));
        let keys = self.presets.split(BETWEEN_KEYS).count() as u64;
        !grouped || (self.tiers.is_empty() && self.distinct.is_multiple_of(keys))
    }

    /// Whether there are no tiers, or one for each key of an intersection that all learn.
    fn tiers_are_possible(&self) -> bool {
        let all = self.tiers.iter().try_fold(0, |sum: u64, tier| sum.checked_add(*tier));
        let keys = self.presets.split(BETWEEN_KEYS).count();
        self.tiers.is_empty()
            || (self.tiers.len() == keys
                && (2..=MAX_LINKAGE_KEYS).contains(&keys)
                && all == Some(self.distinct)
                && (self.operation() == Some(Operation::Intersect) && self.learn == Learn::Both))
    }
}
