//! The terms of a cluster's driver as they are on the wire: JSON, of which the peer's may say anything.

use serde::{Deserialize, Serialize};
use veilset_protocols::Operation;

use super::{ClusterOffer, MOST_PIECES, MOST_WORKERS, pieces};
use crate::terms::{MAX_NAME, MAX_SCALE, MAX_WIDTH, differ, differing_learners, mismatched_values};
use crate::{Learn, MAX_COLUMNS, Mismatch, SessionError};

/// Of the conversation of drivers and of the way in which lists fall into pieces.
const VERSION: u32 = 1;

/// The kind of message that terms are among all that drivers send.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Terms,
}

/// What a driver says that it wants.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UncheckedTerms {
    kind: Kind,
    version: u32,
    operation: String,
    presets: String,
    learn: String,
    pub(super) values: Vec<String>,
    scales: Vec<u32>,
    pub(super) send: Vec<String>,
    pub(super) width: u16,
    pub(super) pieces: u64,
    pub(super) workers: u64,
}

impl From<&ClusterOffer> for UncheckedTerms {
    fn from(offer: &ClusterOffer) -> Self {
        Self {
            kind: Kind::Terms,
            version: VERSION,
            operation: offer.operation.name().to_owned(),
            presets: offer.presets.clone(),
            learn: offer.learn.name().to_owned(),
            values: offer.values.iter().map(|column| column.name.clone()).collect(),
            scales: offer.values.iter().map(|column| column.scale).collect(),
            send: offer.send.clone(),
            width: u16::try_from(offer.width).unwrap_or(u16::MAX),
            pieces: pieces(offer.rows, 1),
            workers: offer.workers,
        }
    }
}

impl UncheckedTerms {
    pub(super) fn encoded(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("terms are plain data")
    }

    pub(super) fn decode(heard: &[u8]) -> Result<Self, SessionError> {
        let terms: Option<Self> = serde_json::from_slice(heard).ok();
        terms.filter(Self::is_bounded).ok_or_else(|| broken("the peer's driver sent no terms"))
    }

    /// Whether all in it is as long and as large as it may be, whatever the operation.
    pub(super) fn is_bounded(&self) -> bool {
        let short = |name: &String| name.len() <= MAX_NAME;
        let few = |names: &[String]| names.len() <= MAX_COLUMNS && names.iter().all(short);
        let fits = |scale: &u32| *scale <= MAX_SCALE;
        few(&self.values)
            && few(&self.send)
            && self.scales.len() <= MAX_COLUMNS
            && self.scales.iter().all(fits)
            && short(&self.operation)
            && short(&self.learn)
            && self.presets.len() <= MAX_COLUMNS * MAX_NAME
            && self.width <= MAX_WIDTH
            && (1..=MOST_WORKERS).contains(&self.workers)
            && (1..=MOST_PIECES).contains(&self.pieces)
            && self.pieces.is_power_of_two()
    }

    /// Every field on which these terms of the peer's do not fit the offer.
    pub(super) fn mismatches(&self, offer: &ClusterOffer) -> Vec<Mismatch> {
        let mine = Self::from(offer);
        let owners = [&mine, self].map(|terms| !terms.values.is_empty());
        let same = mine.operation == self.operation;
        let all = [
            differ("version", &mine.version.to_string(), &self.version.to_string()),
            differ("operation", &mine.operation, &self.operation),
            differing_learners(offer.learn, &self.learn),
            differ("key presets", &mine.presets, &self.presets),
            if same { mismatched_values(offer.operation, owners) } else { None },
        ];
        all.into_iter().flatten().collect()
    }

    /// Refuses what no side of the operation has.
    pub(super) fn check(&self, operation: Operation) -> Result<(), SessionError> {
        let sums = operation == Operation::Sum || self.values.is_empty();
        if self.values.len() != self.scales.len() || !sums {
            return Err(broken("the peer's terms have values that its operation has not"));
        }
        let twice = |(place, name)| self.send[..place].contains(name);
        if self.send.iter().enumerate().any(twice) {
            return Err(broken("the peer's terms name a column to send twice"));
        }
        let sends = operation == Operation::Union && self.learn != Learn::Me.name();
        if !sends && (!self.send.is_empty() || self.width > 0) {
            return Err(broken("the peer's terms have rows to send that its operation has not"));
        }
        Ok(())
    }
}

fn broken(why: &str) -> SessionError {
    SessionError::Deviation { step: "agreement", why: why.to_owned() }
}
