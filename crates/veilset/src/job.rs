//! From a connection to a result.

use std::time::{Duration, SystemTime};

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Abort, Transport};
use veilset_data::{DataError, Destination};
use veilset_net::{Endpoint, Event, Identity, Options, PublicKey, TlsTransport, establish};
use veilset_protocols::{Choices, Gives, Operation, Security};
use veilset_session::{
    Agreed, Briefing, Column, Detail, End, Learn, Means, Offer, Pipe, Price, SessionError, Wanted,
    agree,
};
use zeroize::Zeroize;

use crate::{Done, Error, Input, memory};

/// An authenticated way to the peer.
pub struct Connection {
    pipe: Pipe,
    connecting: bool,
}

impl Connection {
    /// Waits for the peer with key `peer`, on whichever side it appears. It may then take as long again, the deadline of
    /// `options`, to consent to the terms.
    ///
    /// # Errors
    /// When it does not come in time or is somebody else.
    pub fn open(
        identity: &Identity,
        peer: &PublicKey,
        endpoint: &Endpoint,
        options: &Options,
        events: &dyn Fn(Event),
    ) -> Result<Self, Error> {
        memory::has_read();
        let transport = establish(identity, peer, endpoint, options, events)?;
        let over = Self::over(transport, matches!(endpoint, Endpoint::Connect(_)));
        Ok(over.with_patience(options.deadline))
    }

    /// Over a TLS connection that is there already.
    #[must_use]
    pub fn over(transport: TlsTransport, connecting: bool) -> Self {
        let (peer, binding) = (*transport.peer().as_bytes(), transport.binding());
        Self { pipe: Pipe::new(Box::new(transport), binding).with_peer(peer), connecting }
    }

    /// Waits so long for the peer's terms, its choice and its consent, each.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { pipe: self.pipe.with_patience(patience), ..self }
    }

    /// What runs over it.
    pub(crate) fn into_pipe(self) -> Pipe {
        self.pipe
    }

    /// Over any transport, for two parties in one process; nothing binds the session to the connection.
    #[must_use]
    pub fn from_transport(transport: Box<dyn Transport>, connecting: bool) -> Self {
        Self { pipe: Pipe::new(transport, [0; 32]), connecting }
    }
}

/// What this side wants to know of the two lists.
#[derive(Debug, Clone)]
pub struct Job {
    /// What to compute.
    pub operation: Operation,
    /// Who gets the result.
    pub learn: Learn,
    /// How; `None` leaves it to the planner.
    pub protocol: Option<&'static str>,
    /// Against whom the protocol must hold, at least.
    pub security: Security,
    /// What this side calls the peer.
    pub peer: String,
    /// What is chosen beside the protocol; the rest is left to its defaults.
    pub choices: Choices,
    /// What else both sides must say alike, in this order.
    pub details: Vec<Detail>,
    /// Bytes of memory that the run may take, the lists included; `None` stands for what the machine has free.
    pub max_memory: Option<u64>,
}

impl Job {
    /// Which rows both have; both sides learn it.
    #[must_use]
    pub fn intersect(peer: String) -> Self {
        Self::new(Operation::Intersect, peer)
    }

    /// How many keys both have; both sides learn it.
    #[must_use]
    pub fn count(peer: String) -> Self {
        Self::new(Operation::Count, peer)
    }

    /// `operation` with every choice at its default: both learn, any protocol against semi-honest parties.
    #[must_use]
    pub fn new(operation: Operation, peer: String) -> Self {
        Self {
            operation,
            learn: Learn::Both,
            protocol: None,
            security: Security::SemiHonest,
            peer,
            choices: Choices::default(),
            details: Vec::new(),
            max_memory: None,
        }
    }

    /// Whether there is a protocol for this job; worth knowing before the peer is waited for.
    ///
    /// # Errors
    /// When there is none, or the named one does something else.
    pub fn check(&self) -> Result<(), Error> {
        Ok(self.wanted().check(self.protocol)?)
    }

    fn wanted(&self) -> Wanted {
        let Self { operation, security, learn, choices, .. } = *self;
        Wanted { operation, security, learn, choices }
    }

    /// Agrees with the peer on the terms.
    ///
    /// # Errors
    /// When the two sides want different things, the run would take too much memory, or the connection fails.
    pub fn offer(self, mut connection: Connection, input: &Input) -> Result<Ready, Error> {
        let mut rng = fresh_rng()?;
        let offer = Offer {
            operation: self.operation,
            protocol: self.protocol,
            security: self.security,
            learn: self.learn,
            presets: input.spec.canonical(),
            distinct: input.keys.len(),
            looks_hashed: input.keys.looks_hashed(),
            connecting: connection.connecting,
            peer: self.peer,
            memory: memory::left(self.max_memory, input.memory()),
            choices: self.choices,
            attached: input.attached().shape(),
            columns: input.columns(),
            details: self.details,
        };
        let agreed = agree(&mut connection.pipe, offer, &mut rng);
        let agreed = say_goodbye_if_failed(&mut connection.pipe, agreed)?;
        if let Err(error) = input.check_names(self.operation, agreed.peer_columns()) {
            connection.pipe.end(&End::Abort(Abort::Terms));
            return Err(error.into());
        }
        Ok(Ready { agreed, pipe: connection.pipe, rng })
    }
}

/// Agreed terms, waiting for this side's consent.
pub struct Ready {
    agreed: Agreed,
    pipe: Pipe,
    rng: ChaCha20Rng,
}

impl Ready {
    /// What the user should see before consenting.
    #[must_use]
    pub fn briefing(&self) -> &Briefing {
        self.agreed.briefing()
    }

    /// Holds room at `destination` for what the result has beside rows of `input`, for which room is held already.
    ///
    /// # Errors
    /// When there is too little; the peer is told that this side declines.
    pub fn prepare(self, input: &Input, destination: &Destination) -> Result<Self, Error> {
        match self.hold(input, destination) {
            Ok(()) => Ok(self),
            Err(error) => {
                self.decline();
                Err(error.into())
            }
        }
    }

    fn hold(&self, input: &Input, destination: &Destination) -> Result<(), DataError> {
        let Some((count, width)) = self.agreed.rows_to_come() else { return Ok(()) };
        let theirs = self.agreed.peer_columns();
        let names = |columns: &[Column]| -> Vec<String> {
            columns.iter().map(|column| column.name.clone()).collect()
        };
        match self.agreed.operation().spec().gives {
            Gives::PeerRows => {
                let row = (count, width);
                destination.prepare_union(&input.table, &input.spec, &names(theirs), row)
            }
            Gives::Identifiers => destination.prepare_aligned(&input.table, count),
            Gives::OwnRows if !theirs.is_empty() => {
                destination.prepare_labelled(&input.table, width)
            }
            Gives::Shares => {
                let own = input.columns();
                let columns = names(if own.is_empty() { theirs } else { &own });
                destination.prepare_shares(columns.iter().map(String::as_str), count)
            }
            Gives::Numbers | Gives::OwnRows | Gives::OneRow => Ok(()),
        }
    }

    /// Somebody saw what the peer [asks for](Briefing::asked_by_peer), and said yes to it.
    pub fn accept(&mut self) {
        self.agreed.accept();
    }

    /// What the run is likely to take on so many threads of each side; this machine is measured for some milliseconds.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn price(&self, threads: usize) -> Result<Price, Error> {
        Ok(self.agreed.price(threads)?)
    }

    /// Whether the peer has consented already: worth asking while this side's user thinks.
    ///
    /// # Errors
    /// When it declined, or went away.
    pub fn has_peer_consented(&mut self) -> Result<bool, Error> {
        Ok(self.agreed.has_peer_consented(&mut self.pipe)?)
    }

    /// Ends the session without a run; the peer is told.
    pub fn decline(mut self) {
        self.pipe.end(&End::Abort(Abort::Declined));
    }

    /// Consents, waits for the peer's consent, and runs the protocol.
    ///
    /// # Errors
    /// When the peer asks for something that this side did not name and nobody [accepted](Self::accept), declines, breaks the
    /// protocol or goes away; nothing was written then.
    pub fn run(self, input: &Input, means: &Means<'_>) -> Result<Done, Error> {
        let Self { agreed, mut pipe, mut rng } = self;
        let started = SystemTime::now();
        let keys = input.digests()?;
        let report = agreed.run(&mut pipe, keys, input.attached(), means, &mut rng);
        Done::new(say_goodbye_if_failed(&mut pipe, report)?, started, input)
    }
}

/// Tells the peer why, where it can still hear.
pub(crate) fn say_goodbye_if_failed<T>(
    pipe: &mut Pipe,
    result: Result<T, SessionError>,
) -> Result<T, SessionError> {
    if let Some(reason) = result.as_ref().err().and_then(SessionError::goodbye) {
        pipe.end(&End::Abort(reason));
    }
    result
}

/// A generator for one run, seeded by the system.
pub(crate) fn fresh_rng() -> Result<ChaCha20Rng, Error> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(Error::Randomness)?;
    let rng = ChaCha20Rng::from_seed(seed);
    seed.zeroize();
    Ok(rng)
}
