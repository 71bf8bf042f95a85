//! The messages of an agreement, and of a run's end.

use serde::{Deserialize, Serialize};
use veilset_channel::{Blob, Malformed, Message, Reader, Signal, Tag};

use super::{UncheckedTerms, WIRE_VERSION};
use crate::SessionError;

/// The longest encoded terms in bytes.
const MAX_TERMS: usize = 32 * 1024;

/// As it goes over the wire.
pub(crate) fn encoded(terms: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(terms).expect("terms are plain data")
}

/// The first message: the version, then the terms if the version is ours.
pub(crate) struct Hello {
    pub(crate) version: u16,
    pub(crate) terms: Option<UncheckedTerms>,
}

impl Hello {
    /// This version, with these terms.
    pub(crate) fn of(terms: UncheckedTerms) -> Self {
        Self { version: WIRE_VERSION, terms: Some(terms) }
    }

    /// The terms of a peer of this version.
    pub(crate) fn into_terms(self) -> Result<UncheckedTerms, SessionError> {
        let version = SessionError::Version { mine: WIRE_VERSION, theirs: self.version };
        self.terms.ok_or(version)
    }
}

impl Message for Hello {
    const TAG: Tag = Tag::Terms;
    type Context = ();

    fn max_len((): &()) -> usize {
        MAX_TERMS
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.version.to_le_bytes());
        if let Some(terms) = &self.terms {
            out.extend(encoded(terms));
        }
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        let version = u16::from_le_bytes(reader.array()?);
        let body = reader.rest();
        if version != WIRE_VERSION {
            return Ok(Self { version, terms: None });
        }
        let (terms, rest): (UncheckedTerms, _) =
            postcard::take_from_bytes(body).map_err(|_| Malformed::OutOfRange)?;
        match (rest.is_empty(), terms.is_possible()) {
            (true, true) => Ok(Self { version, terms: Some(terms) }),
            (true, false) => Err(Malformed::OutOfRange),
            (false, _) => Err(Malformed::LeftOver),
        }
    }
}

/// The protocol and its parameters that the connecting side chose, by their names.
#[derive(Serialize, Deserialize)]
pub(crate) struct ChosenNames {
    pub(crate) protocol: String,
    pub(crate) group: String,
    pub(crate) digest: String,
}

impl Message for ChosenNames {
    const TAG: Tag = Tag::Choice;
    type Context = ();

    fn max_len((): &()) -> usize {
        128
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(encoded(self));
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        let (choice, rest) =
            postcard::take_from_bytes(reader.rest()).map_err(|_| Malformed::OutOfRange)?;
        if rest.is_empty() { Ok(choice) } else { Err(Malformed::LeftOver) }
    }
}

/// Consent to the terms, after the user saw them.
pub(crate) type Consent = Signal<{ Tag::Consent.byte() }>;

/// The end of a complete run of two: everything arrived, and this is the signature of the receipt, or zeros.
pub(crate) type Signature = Blob<{ Tag::Signature.byte() }>;

/// The end of a complete run or piece: everything arrived.
pub(crate) type Done = Signal<{ Tag::Done.byte() }>;
