//! The same over HTTP: `GET …/setup` gives the setup, and `POST …/request` takes a request and gives the response.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use veilset_courier::{Answer, Asked as Message, Courier, Limits, Office};
use veilset_tongues::openmined::{OpenMinedError, Setup};

use super::client::Asked;
use super::server::{Responder, Setups};
use super::{Found, MAX_MESSAGE, refused};
use crate::tongues::{Standing, TongueError};
use crate::{Error, Input};

/// The places of a service.
const SETUP: &str = "setup";
const REQUEST: &str = "request";

/// Bytes of an item in a request or a response, and what else these have at most.
const ITEM: usize = 35;
const REST: usize = 64;

/// How long a caller may take for what is not a message.
const PATIENCE: Duration = Duration::from_secs(30);

/// Callers at once; others wait.
const CALLERS: usize = 32;

/// What a service tells who runs it.
#[derive(Debug)]
pub enum Note {
    /// Somebody got the setup.
    Fetched,
    /// Somebody asked about so many keys.
    Answered(usize),
    /// Somebody was refused.
    Refused(Error),
}

/// A list that is served over HTTP.
pub struct Service {
    office: Office,
    setup: Vec<u8>,
    responder: Responder,
    budget: usize,
    standing: Standing,
}

impl Service {
    /// Opens at an address. It answers about `budget` keys, all requests together, as far as the policy lets it.
    ///
    /// # Errors
    /// When the address is not free, or the policy has budgets, which nothing here holds.
    pub fn open(
        address: &str,
        setups: Setups,
        budget: usize,
        standing: Standing,
    ) -> Result<Self, Error> {
        standing.check_open()?;
        let Setups { setup, responder } = setups;
        let message = (responder.most * ITEM + REST).min(MAX_MESSAGE);
        let limits = Limits { message, connections: CALLERS, patience: PATIENCE };
        let failed = |why| TongueError::Listen { address: address.to_owned(), why };
        let office = Office::open(address, limits).map_err(failed)?;
        Ok(Self { office, setup, responder, budget, standing })
    }

    /// Where it is.
    ///
    /// # Errors
    /// What the system says.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.office.address()
    }

    /// Answers until the program ends.
    ///
    /// # Errors
    /// When the system lacks something.
    pub fn serve(self, tell: impl Fn(Note) + Send + Sync + 'static) -> Result<(), Error> {
        let Self { office, setup, responder, budget, standing } = self;
        let address = office.address().map(|address| address.to_string()).unwrap_or_default();
        let setup = Answer::Message(setup.into());
        let counter = Counter { setup, responder, left: AtomicUsize::new(budget), standing };
        let answer = move |asked| match counter.answer(&asked) {
            Ok((answer, note)) => {
                tell(note);
                answer
            }
            Err(None) => Answer::Refused(404, "GET setup and POST request are here".to_owned()),
            Err(Some(why)) => {
                let told = if let Error::Refused(_) = why {
                    TongueError::Size.to_string()
                } else {
                    why.to_string()
                };
                let refusal = Answer::Refused(status(&why), told);
                tell(Note::Refused(why));
                refusal
            }
        };
        match office.serve(answer) {
            Ok(never) => match never {},
            Err(why) => Err(TongueError::Listen { address, why }.into()),
        }
    }
}

/// What answers, and how many keys it still answers about.
struct Counter {
    /// All callers share its bytes.
    setup: Answer,
    responder: Responder,
    left: AtomicUsize,
    standing: Standing,
}

impl Counter {
    /// The answer; without an error there is nothing at this place.
    fn answer(&self, asked: &Message) -> Result<(Answer, Note), Option<Error>> {
        let place = asked.place.rsplit('/').next().unwrap_or_default();
        match (place, &asked.message) {
            (SETUP, None) => Ok((self.setup.clone(), Note::Fetched)),
            (REQUEST, Some(request)) => {
                let (response, items) = self.respond(request)?;
                Ok((Answer::Message(response.into()), Note::Answered(items)))
            }
            _ => Err(None),
        }
    }

    fn respond(&self, request: &[u8]) -> Result<(Vec<u8>, usize), Error> {
        let request = self.responder.read(request)?;
        let items = request.items();
        self.standing.check_size(Some(items))?;
        let take = |left: usize| left.checked_sub(items);
        if self.left.fetch_update(Relaxed, Relaxed, take).is_err() {
            return Err(TongueError::Budget.into());
        }
        Ok((request.answer()?, items))
    }
}

/// The status of HTTP for a refusal.
fn status(why: &Error) -> u16 {
    match why {
        Error::Tongue(TongueError::Budget) => 429,
        Error::Refused(_) => 403,
        Error::Tongue(TongueError::OpenMined(OpenMinedError::Reveal { .. })) => 409,
        Error::Tongue(TongueError::OpenMined(OpenMinedError::TooMany { .. })) => 413,
        _ => 400,
    }
}

/// A partner's service.
pub struct Partner(Courier);

impl Partner {
    /// At an `https://` or `http://` address, which has so long for each answer.
    ///
    /// # Errors
    /// When the address is none.
    pub fn new(url: &str, deadline: Duration) -> Result<Self, Error> {
        Ok(Self(Courier::new(url, deadline).map_err(TongueError::from)?))
    }

    /// Whether others on the way see what goes there.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.0.is_open()
    }

    /// Asks about a list; the setup has `most` bytes at most. `allow` hears how many keys the server has, where the setup shows that
    /// exactly, before anything is sent.
    ///
    /// # Errors
    /// When the service is not there, refuses, or answers with something else, and what `allow` says.
    pub fn query(
        &self,
        input: &Input,
        reveal: bool,
        most: u64,
        allow: impl FnOnce(Option<usize>) -> Result<(), Error>,
    ) -> Result<Found, Error> {
        let asked = Asked::of(input, reveal)?;
        let setup = self.0.get(SETUP, most.min(MAX_MESSAGE as u64)).map_err(TongueError::from)?;
        let setup = Setup::decode(&setup).map_err(refused)?;
        allow(setup.items())?;
        let longest = (asked.items() * ITEM + REST) as u64;
        let response = self.0.post(REQUEST, &asked.request, longest).map_err(TongueError::from)?;
        asked.found(&setup, &response)
    }
}
