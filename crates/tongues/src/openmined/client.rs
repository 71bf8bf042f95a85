//! The side that learns.

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_crypto::{P256Prp, Sec1, permutation};
use zeroize::Zeroizing;

use super::error::{Kind, OpenMinedError};
use super::messages::{Request, Response};
use super::setup::Setup;
use super::{MAX_ITEMS, hash};

/// What the order of a request is derived under.
const ORDER: &str = "veilset 2026-11 openmined psi order of a request";

/// A client with the key of one request.
pub struct Client {
    function: P256Prp,
    reveal: bool,
}

impl Client {
    /// With a key; it learns which items match with `reveal`, and otherwise how many.
    #[must_use]
    pub fn new(function: P256Prp, reveal: bool) -> Self {
        Self { function, reveal }
    }

    /// The request for its items, which are distinct, in an order that the key alone says.
    ///
    /// # Errors
    /// When there are too many.
    pub fn request<T: AsRef<[u8]> + Sync>(&self, items: &[T]) -> Result<Request, OpenMinedError> {
        if items.len() > MAX_ITEMS {
            return Err(OpenMinedError::TooLong { got: items.len() });
        }
        let points = self.encrypt(items);
        let elements =
            self.order(points.len()).iter().map(|place| points[*place as usize]).collect();
        Ok(Request { reveal: self.reveal, elements })
    }

    /// The items' points under the key, in order.
    pub(super) fn encrypt<T: AsRef<[u8]> + Sync>(&self, items: &[T]) -> Vec<Sec1> {
        self.function.map_and_evaluate(items, hash::map)
    }

    /// Which of so many items match, by their places in the list, rising.
    ///
    /// With `reveal` off the places mean nothing, and how many there are is the result.
    ///
    /// # Errors
    /// When the response answers another number of items, holds what is no point or two that are equal, or the setup's set is none.
    pub fn matches(
        &self,
        setup: &Setup,
        response: &Response,
        items: usize,
    ) -> Result<Vec<usize>, OpenMinedError> {
        let found = self.found(setup, response, items)?;
        let order = self.order(items);
        let mut places: Vec<usize> = found.into_iter().map(|index| order[index] as usize).collect();
        places.sort_unstable();
        Ok(places)
    }

    /// The same by their places in the request.
    pub(super) fn found(
        &self,
        setup: &Setup,
        response: &Response,
        items: usize,
    ) -> Result<Vec<usize>, OpenMinedError> {
        let got = response.elements.len();
        if got != items {
            return Err(OpenMinedError::WrongCount { expected: items, got });
        }
        let points = self
            .function
            .invert(&response.elements)
            .map_err(|why| OpenMinedError::NotAPoint { kind: Kind::Response, index: why.index })?;
        let mut sorted = points.clone();
        sorted.sort_unstable();
        if sorted.windows(2).any(|two| two[0] == two[1]) {
            return Err(OpenMinedError::Repeated);
        }
        setup.matches(&points)
    }

    /// The place in the list of each item of the request.
    fn order(&self, items: usize) -> Zeroizing<Vec<u32>> {
        let seed = Zeroizing::new(blake3::derive_key(ORDER, self.function.key()));
        permutation(items, &mut ChaCha20Rng::from_seed(*seed))
    }
}
