//! What the ledger has of a run.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::sketch::Sketch;

/// What is said of a line that cannot be read.
const LATER: &str = "a line is of another version of veilset";

/// What is computed where a partner who runs something else gets an answer about a list that it has already.
pub const ANSWER: &str = "answer";

/// A line of the ledger.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Entry {
    /// A run was about to begin.
    Began(Box<Began>),
    /// It ended.
    Ended(Ended),
}

impl Entry {
    /// As JSON, in one line.
    pub(super) fn written(&self) -> String {
        serde_json::to_string(self).expect("an entry is plain data")
    }

    pub(super) fn read(line: &[u8]) -> Result<Self, &'static str> {
        let read: Line = serde_json::from_slice(line).map_err(|_| LATER)?;
        read.began.map(Self::Began).or(read.ended.map(Self::Ended)).ok_or(LATER)
    }
}

/// A line as it is read: its entry stands under its name, beside the digest of the line before.
#[derive(Deserialize)]
struct Line {
    began: Option<Box<Began>>,
    ended: Option<Ended>,
}

/// A run that was about to begin: its terms, but for what the lists hold.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Began {
    /// The run's id, the same on both sides.
    pub run: String,
    /// When, in seconds since 1970.
    pub at: u64,
    /// The other parties.
    pub peers: Vec<LedgerPeer>,
    /// What was computed.
    pub operation: String,
    /// Who was to learn.
    pub learn: String,
    /// The protocol's id.
    pub protocol: String,
    /// The presets of the keys.
    pub presets: String,
    /// This side's distinct keys.
    pub own: u64,
    /// The agreement's reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The noise of a count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// What opens this side's commitment to its list: 64 hexadecimal digits, for this party alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub salt: Option<String>,
    /// The list, under this party's key.
    pub list: Sketch,
}

impl Began {
    /// A run of which the ledger says more as it begins.
    #[must_use]
    pub fn new(run: String, peers: Vec<LedgerPeer>, operation: String) -> Self {
        Self {
            run,
            at: 0,
            peers,
            operation,
            learn: String::new(),
            protocol: String::new(),
            presets: String::new(),
            own: 0,
            reference: None,
            epsilon: None,
            salt: None,
            list: Sketch::default(),
        }
    }
}

/// Another party of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerPeer {
    /// What this side called it.
    pub name: String,
    /// Its public key, as one line; empty where it has none, because it runs something else.
    pub key: String,
    /// Its number of distinct keys.
    pub distinct: u64,
}

/// The end of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ended {
    /// The run's id.
    pub run: String,
    /// When, in seconds since 1970.
    pub at: u64,
    /// How.
    pub ending: Ending,
    /// The digest of the receipt's statement, and whether both sides signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<RecordedReceipt>,
}

/// A receipt in the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedReceipt {
    /// The BLAKE3 digest of its statement in hexadecimal digits.
    pub digest: String,
    /// Whether the peer signed it, too.
    pub signed: bool,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// Both sides have what they were to learn.
    Complete,
    /// The result was withheld.
    Withheld,
    /// Without a result.
    Failed,
}

impl Ending {
    /// In a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Withheld => "withheld",
            Self::Failed => "failed",
        }
    }
}

impl Serialize for Sketch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.written())
    }
}

impl<'de> Deserialize<'de> for Sketch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::read(&text).ok_or_else(|| serde::de::Error::custom("a sketch"))
    }
}

/// Of a run that began, what budgets ask for: there may be many.
pub(crate) struct Past {
    pub(crate) at: u64,
    pub(crate) operation: Box<str>,
    pub(crate) epsilon: Option<f64>,
    /// The sketch, as a text.
    pub(crate) list: Box<str>,
}

impl Past {
    /// The run in a line, if it is one with the party of any of these keys and names; an error where the line cannot be read.
    pub(super) fn read(line: &[u8], with: &[&str]) -> Result<Option<Self>, &'static str> {
        // As a text at once, where strings need not be checked one by one.
        let line = std::str::from_utf8(line).map_err(|_| LATER)?;
        let PastLine { began, ended } = serde_json::from_str(line).map_err(|_| LATER)?;
        let Some(PastRun { at, peers, operation, epsilon, list }) = began else {
            return ended.map(|_| None).ok_or(LATER);
        };
        let is_with =
            peers.iter().any(|peer| with.iter().any(|of| peer.key == *of || peer.name == *of));
        let past = || Self { at, operation: operation.into(), epsilon, list: list.into() };
        Ok(is_with.then(past))
    }

    pub(crate) fn sketch(&self) -> Sketch {
        Sketch::read(&self.list).unwrap_or_default()
    }
}

#[derive(Deserialize)]
struct PastLine<'a> {
    #[serde(borrow)]
    began: Option<PastRun<'a>>,
    ended: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct PastRun<'a> {
    at: u64,
    #[serde(borrow)]
    peers: Vec<PastPeer<'a>>,
    #[serde(borrow)]
    operation: Cow<'a, str>,
    #[serde(default)]
    epsilon: Option<f64>,
    #[serde(borrow)]
    list: Cow<'a, str>,
}

#[derive(Deserialize)]
struct PastPeer<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    key: Cow<'a, str>,
}
