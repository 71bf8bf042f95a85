//! The side that learns.

use std::path::Path;

use veilset_crypto::P256Prp;
use veilset_session::fresh_rng;
use veilset_tongues::openmined::{Client, Response, Setup, Structure};
use zeroize::Zeroizing;

use super::secret::{NewSecret, Owner, Secret, SecretFile};
use super::{refused, texts};
use crate::tongues::TongueError;
use crate::{Error, Input};

/// A request, and what it takes to read the response.
pub struct Asked {
    /// The message.
    pub request: Vec<u8>,
    client: Client,
    reveal: bool,
    items: usize,
}

impl Asked {
    /// About a list, under a fresh key that nobody keeps; with `reveal` to learn which of its keys match.
    ///
    /// # Errors
    /// When the key has several columns, or there are too many.
    pub fn of(input: &Input, reveal: bool) -> Result<Self, Error> {
        let function = P256Prp::generate(&mut fresh_rng()?);
        Self::under(&texts(input)?, function, reveal)
    }

    fn under(texts: &[String], function: P256Prp, reveal: bool) -> Result<Self, Error> {
        let client = Client::new(function, reveal);
        let request = client.request(texts).map_err(refused)?.encode();
        Ok(Self { request, client, reveal, items: texts.len() })
    }

    /// How many items it has.
    #[must_use]
    pub fn items(&self) -> usize {
        self.items
    }

    /// What a setup and the response say of the list.
    ///
    /// # Errors
    /// When one of them is no such message, or the response answers something else.
    pub fn found(&self, setup: &Setup, response: &[u8]) -> Result<Found, Error> {
        found(&self.client, self.reveal, self.items, setup, response)
    }
}

/// What became known of a list.
pub struct Found {
    /// How the setup holds the server's keys.
    pub structure: Structure,
    /// How many keys the server has, where the setup shows that exactly.
    pub theirs: Option<usize>,
    /// How many keys match.
    pub count: usize,
    /// Which, where the client is to know.
    matched: Option<Vec<u32>>,
}

impl Found {
    /// The rows that match, in their order, where the client is to know which.
    #[must_use]
    pub fn rows(&self, input: &Input) -> Option<Vec<usize>> {
        Some(input.keys().rows_of(self.matched.as_ref()?).collect())
    }
}

/// Makes a request about a list under a fresh key, which goes into the file `secret`; `deliver` gets the message.
///
/// # Errors
/// When the file is there and may not be replaced, or what [`Asked::of`] or `deliver` says; there is no new file then.
pub fn request<E: From<Error>>(
    input: &Input,
    reveal: bool,
    secret: NewSecret<'_>,
    deliver: impl FnOnce(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let file = SecretFile::of_new(secret, Owner::Client)?;
    let texts = texts(input)?;
    let function = P256Prp::generate(&mut fresh_rng().map_err(Error::from)?);
    let list = Some(digest(&texts, function.key()));
    let kept = Secret { list, ..Secret::new(&function, reveal, texts.len()) };
    let asked = Asked::under(&texts, function, reveal)?;
    file.keep_for(&kept, || deliver(&asked.request))
}

/// Whether the request that made the file `secret` asks which keys match, or how many.
///
/// # Errors
/// When there is no such file.
pub fn reveals(secret: &Path) -> Result<bool, Error> {
    Ok(SecretFile::new(secret, Owner::Client)?.read()?.reveal)
}

/// What a setup and the response to a request say of the list that it was about. The key is in the file that [`request`] made.
///
/// # Errors
/// When there is no such file, the list is another now, or one of the messages is none, or the response answers something else.
pub fn intersect(
    input: &Input,
    secret: &Path,
    setup: &[u8],
    response: &[u8],
) -> Result<Found, Error> {
    let secret = SecretFile::new(secret, Owner::Client)?.read()?;
    if secret.list != Some(digest(&texts(input)?, &secret.key)) {
        return Err(TongueError::ListChanged.into());
    }
    let client = Client::new(secret.function()?, secret.reveal);
    let setup = Setup::decode(setup).map_err(refused)?;
    found(&client, secret.reveal, secret.items, &setup, response)
}

fn found(
    client: &Client,
    reveal: bool,
    items: usize,
    setup: &Setup,
    response: &[u8],
) -> Result<Found, Error> {
    let response = Response::decode(response, items).map_err(refused)?;
    let places = client.matches(setup, &response, items).map_err(refused)?;
    let (structure, theirs) = (setup.structure(), setup.items());
    let count = places.len();
    // A list has fewer than 2^32 rows.
    let matched = reveal.then(|| places.into_iter().map(|place| place as u32).collect());
    Ok(Found { structure, theirs, count, matched })
}

/// A digest of the keys in their order, which says nothing of them without the key.
fn digest(texts: &[String], key: &[u8; 32]) -> [u8; 32] {
    const CONTEXT: &str = "veilset 2026-11 openmined psi list of a request";
    let key = Zeroizing::new(blake3::derive_key(CONTEXT, key));
    let mut hasher = blake3::Hasher::new_keyed(&key);
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    *hasher.finalize().as_bytes()
}
