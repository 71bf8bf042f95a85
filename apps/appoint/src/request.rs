//! What the page sends, and what is wrong with it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use veilset::data::calendar::{Dates, Hours, Lengths, Preference, Search, Zone, step};
use veilset::meeting::Meeting;
use veilset::net::Endpoint;
use veilset::registry::Scheme;

use crate::error::Refusal;
use crate::units;

/// The fields of steps 1 to 3.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Times {
    first: String,
    last: String,
    /// As the flag has them.
    length: String,
    /// Minutes.
    step: String,
    scheme: String,
    from: String,
    to: String,
    zone: String,
    weekends: bool,
    /// Cells by their start, and whether they are free, where that is not what the calendar says.
    pub(crate) corrections: BTreeMap<String, bool>,
    /// A word, or `rules`.
    prefer: String,
    rules: String,
}

/// The fields of all steps.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    pub(crate) times: Times,
    /// The free slots by their names, the best first.
    pub(crate) order: Vec<String>,
    /// A pinned name, or a key.
    pub(crate) peer: String,
    /// Whether this side waits.
    waits: bool,
    address: String,
}

/// The place of a calendar on the web.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    pub(crate) url: String,
}

/// A name for a key.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pin {
    pub(crate) name: String,
    pub(crate) key: String,
}

/// Reads what the page sent.
///
/// # Errors
/// When it is something else, as a page of another version would send.
pub(crate) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body)
        .map_err(|_| Refusal::new("run", "the page and the program do not fit: reload the page"))
}

impl Times {
    /// What both sides must say alike.
    pub(crate) fn meeting(&self) -> Result<Meeting, Refusal> {
        let scheme = self.scheme.parse::<Scheme>().map_err(|why| Refusal::new("scheme", why))?;
        let Search { dates, lengths, step, .. } = self.search()?;
        Ok(Meeting { dates, lengths, step, scheme })
    }

    /// Where this side looks for slots.
    pub(crate) fn search(&self) -> Result<Search, Refusal> {
        let dates = format!("{}..{}", self.first, self.last).parse::<Dates>();
        let hours = format!("{}-{}", self.from, self.to).parse::<Hours>();
        let (lengths, step) = (self.length.parse::<Lengths>(), step(&format!("{}m", self.step)));
        Ok(Search {
            dates: dates.map_err(|why| Refusal::new("dates", why))?,
            hours: hours.map_err(|why| Refusal::new("hours", why))?,
            zone: self.zone()?,
            weekends: self.weekends,
            lengths: lengths.map_err(|why| Refusal::new("length", why))?,
            step: step.map_err(|why| Refusal::new("step", why))?,
        })
    }

    pub(crate) fn zone(&self) -> Result<Zone, Refusal> {
        self.zone.trim().parse::<Zone>().map_err(|why| Refusal::new("zone", why))
    }

    pub(crate) fn preference(&self) -> Result<Preference, Refusal> {
        match units::word(&self.prefer) {
            Some(preference) => Ok(preference),
            None => Ok(Preference::parse("your rules", &self.rules)?),
        }
    }
}

impl Run {
    /// This side's end of the connection.
    pub(crate) fn endpoint(&self) -> Result<Endpoint, Refusal> {
        let address = self.address.trim().to_owned();
        let is_relay = ["ws://", "wss://"].iter().any(|scheme| address.starts_with(scheme));
        let endpoint = match self.waits {
            _ if is_relay => Endpoint::Via(address),
            true => Endpoint::Listen(address),
            false => Endpoint::Connect(address),
        };
        endpoint.check().map_err(|why| Refusal::new("address", why))?;
        Ok(endpoint)
    }
}
