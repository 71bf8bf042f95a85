//! The side that has its items looked up.

use veilset_crypto::P256Prp;

use super::error::{Kind, OpenMinedError};
use super::messages::{Request, Response};
use super::setup::Setup;
use super::{MAX_ITEMS, hash};

/// How a setup holds the server's items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structure {
    /// All points: 35 bytes an item, and no false positives.
    Raw,
    /// A Golomb-compressed set: the shortest.
    Gcs,
    /// A Bloom filter: a little longer, and with more false positives than asked for.
    Bloom,
}

/// What a setup is made for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// How it holds the items.
    pub structure: Structure,
    /// The number of items that a client asks for.
    pub client_items: usize,
    /// The probability that any of these matches though the server does not have it. [`Structure::Raw`] has none.
    pub false_positives: f64,
}

/// A server under one key, for setups and the responses that belong to them.
pub struct Server {
    function: P256Prp,
    reveal: bool,
}

impl Server {
    /// With a key; clients learn which items match with `reveal`, and otherwise how many.
    #[must_use]
    pub fn new(function: P256Prp, reveal: bool) -> Self {
        Self { function, reveal }
    }

    /// The setup for its items, which are distinct.
    ///
    /// # Errors
    /// When there are too many, or the rate of false positives is out of range.
    pub fn setup<T: AsRef<[u8]> + Sync>(
        &self,
        items: &[T],
        plan: &Plan,
    ) -> Result<Setup, OpenMinedError> {
        if plan.client_items == 0 {
            return Err(OpenMinedError::NoClientItems);
        }
        if !(plan.false_positives > 0.0 && plan.false_positives < 1.0) {
            return Err(OpenMinedError::Rate);
        }
        if items.len().max(plan.client_items) > MAX_ITEMS {
            return Err(OpenMinedError::TooLong { got: items.len().max(plan.client_items) });
        }
        Setup::build(self.function.map_and_evaluate(items, hash::map), plan)
    }

    /// Refuses a request whose client wants to learn something else, before anything is computed.
    ///
    /// # Errors
    /// When it does.
    pub fn check(&self, request: &Request) -> Result<(), OpenMinedError> {
        if request.reveal == self.reveal {
            return Ok(());
        }
        Err(OpenMinedError::Reveal { client: request.reveal })
    }

    /// The response to a request.
    ///
    /// # Errors
    /// When the client wants to learn something else, or one of its elements is no point.
    pub fn respond(&self, request: &Request) -> Result<Response, OpenMinedError> {
        self.check(request)?;
        let mut elements = self
            .function
            .evaluate(&request.elements)
            .map_err(|why| OpenMinedError::NotAPoint { kind: Kind::Request, index: why.index })?;
        if !self.reveal {
            elements.sort_unstable();
        }
        Ok(Response { elements })
    }
}
