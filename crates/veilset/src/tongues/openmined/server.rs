//! The side that has its list looked up.

use std::path::Path;

use veilset_crypto::P256Prp;
use veilset_session::fresh_rng;
use veilset_tongues::openmined::{Plan, Request, Server};

use super::secret::{NewSecret, Owner, Secret, SecretFile};
use super::{refused, texts};
use crate::{Error, Input};

/// A setup, and what it takes to answer requests for it.
pub struct Setups {
    /// The message.
    pub setup: Vec<u8>,
    /// What answers.
    pub responder: Responder,
}

/// What answers requests, under one key.
pub struct Responder {
    server: Server,
    /// The most items of a request.
    pub most: usize,
    /// Whether clients learn which items match, or how many.
    pub reveal: bool,
}

impl Setups {
    /// Of a list, under a fresh key that nobody keeps.
    ///
    /// # Errors
    /// When the key has several columns, or there is no such structure for so many items.
    pub fn of(input: &Input, plan: &Plan, reveal: bool) -> Result<Self, Error> {
        let function = P256Prp::generate(&mut fresh_rng()?);
        let responder =
            Responder { server: Server::new(function, reveal), most: plan.client_items, reveal };
        Ok(Self { setup: responder.setup(input, plan)?, responder })
    }
}

impl Responder {
    /// With the key in a file that [`setup`] made.
    ///
    /// # Errors
    /// When there is no such file, or others may read it.
    pub fn load(secret: &Path) -> Result<Self, Error> {
        let secret = SecretFile::new(secret, Owner::Server)?.read()?;
        Ok(Self {
            server: Server::new(secret.function()?, secret.reveal),
            most: secret.items,
            reveal: secret.reveal,
        })
    }

    fn setup(&self, input: &Input, plan: &Plan) -> Result<Vec<u8>, Error> {
        let texts = texts(input)?;
        Ok(self.server.setup(&texts, plan).map_err(refused)?.encode())
    }

    /// What a request asks.
    ///
    /// # Errors
    /// When it is no request, has more items than the setup is for, or wants to learn something else.
    pub fn read(&self, request: &[u8]) -> Result<Question<'_>, Error> {
        let request = Request::decode(request, self.most).map_err(refused)?;
        self.server.check(&request).map_err(refused)?;
        Ok(Question { server: &self.server, request })
    }
}

/// A request that this side can answer.
pub struct Question<'a> {
    server: &'a Server,
    request: Request,
}

impl Question<'_> {
    /// About how many items it is.
    #[must_use]
    pub fn items(&self) -> usize {
        self.request.elements.len()
    }

    /// The response.
    ///
    /// # Errors
    /// When an element is no point.
    pub fn answer(&self) -> Result<Vec<u8>, Error> {
        Ok(self.server.respond(&self.request).map_err(refused)?.encode())
    }
}

/// Makes a setup of a list under a fresh key, which goes into the file `secret`; `deliver` gets the message.
///
/// # Errors
/// When the file is there and may not be replaced, or what [`Setups::of`] or `deliver` says; there is no new file then.
pub fn setup<E: From<Error>>(
    input: &Input,
    plan: &Plan,
    reveal: bool,
    secret: NewSecret<'_>,
    deliver: impl FnOnce(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let file = SecretFile::of_new(secret, Owner::Server)?;
    let function = P256Prp::generate(&mut fresh_rng().map_err(Error::from)?);
    let kept = Secret::new(&function, reveal, plan.client_items);
    let responder =
        Responder { server: Server::new(function, reveal), most: plan.client_items, reveal };
    let setup = responder.setup(input, plan)?;
    file.keep_for(&kept, || deliver(&setup))
}
