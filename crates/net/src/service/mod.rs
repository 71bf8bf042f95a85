//! Many clients at one listener: each request is a message, and so is each answer.

mod entrance;
mod visit;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{interval, timeout};

use veilset_channel::ChannelError;
use veilset_party::{Identity, PublicKey};

pub use self::entrance::Entrance;
use self::entrance::Open;
use self::visit::Visit;
use crate::connection::{Ends, Pump};
use crate::handshake::Connected;
use crate::{Event, Listener, NetError, Options, Stop};

/// How often the service is asked whom it takes.
const TICK: Duration = Duration::from_secs(1);

/// How long a stopping service waits for what runs.
const GRACE: Duration = Duration::from_secs(15);

/// Handshakes at once, however many clients there may be: one takes some milliseconds of the one thread that drives all
/// of them, so that more would only wait.
const HANDSHAKES: usize = 256;

/// Requests of more than one frame, with their answers, that are in memory at once of one key.
const LONG_REQUESTS_OF_A_KEY: usize = 4;

/// Clients that are told at once that there is no room; others find the connection closed.
const FAREWELLS: usize = 64;

/// Answers clients. Calls of different clients come at once, on several threads.
pub trait Service: Send + Sync + 'static {
    /// Whose requests are answered now. A client whose key is not among them any more is sent away.
    fn callers(&self) -> Callers;

    /// Bytes of the longest request; longer ones end the connection.
    fn longest(&self) -> usize;

    /// The answer to a client's next request.
    fn answer(&self, client: &PublicKey, request: &[u8]) -> Response;

    /// The last message for a client that is sent away without an answer.
    fn farewell(&self, why: Farewell) -> Vec<u8>;

    /// Told of what happens beside answers; must not block.
    fn note(&self, note: &Note);
}

/// Who may call.
#[derive(Debug, Clone, Default)]
pub struct Callers {
    /// The keys whose requests are answered.
    pub allowed: Vec<PublicKey>,
    /// Further keys that the operator knows: they are told that they may not ask. All others are strangers.
    pub known: Vec<PublicKey>,
}

impl Callers {
    /// Whose handshakes succeed.
    fn expected(&self) -> Vec<PublicKey> {
        self.allowed.iter().chain(&self.known).copied().collect()
    }
}

/// What a service answers to a request, and whether the connection goes on.
pub enum Response {
    /// The client may go on asking.
    More(Vec<u8>),
    /// The connection ends after it.
    Last(Vec<u8>),
}

/// Why a client is sent away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Farewell {
    /// There are as many clients as may be, or as may have this key.
    Full,
    /// The service stops.
    Stopping,
    /// Its key is known and not allowed, or not any more.
    Forbidden,
}

/// What happens beside answers.
#[derive(Debug)]
pub enum Note {
    /// A client is connected.
    Joined(PublicKey),
    /// A client's connection is over.
    Left(PublicKey, Parting),
    /// Somebody else called, or nobody can at the relay.
    Caller(Event),
}

/// How a client's connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parting {
    /// The client went, or was told that this was the last answer.
    Done,
    /// It was sent away.
    Sent(Farewell),
    /// It asked nothing for too long.
    Idle,
    /// It did not take its answers.
    Stuck,
    /// The connection failed, or it sent what is no request.
    Fault(ChannelError),
    /// Answering failed: a bug.
    Bug,
}

/// How many are served, and how patiently.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Clients at once; those that are being sent away are not counted.
    pub clients: usize,
    /// Of these, clients with the same key.
    pub clients_of_a_key: usize,
    /// Requests of more than one frame that are in memory at once, with their answers until these are sent; others wait for
    /// their turn.
    pub long_requests: usize,
    /// Threads that answer.
    pub threads: usize,
    /// How long a client may ask nothing, and how long one request may take to come and one answer to go.
    pub idle: Duration,
    /// Signs of life.
    pub connection: Options,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            clients: 4096,
            clients_of_a_key: 16,
            long_requests: 64,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            idle: Duration::from_secs(60),
            connection: Options::default(),
        }
    }
}

impl Listener {
    /// As [`Entrance::serve`], for those who come here.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// When called inside an asynchronous runtime.
    pub fn serve(
        self,
        identity: &Identity,
        service: Arc<dyn Service>,
        limits: &Limits,
        stop: &Stop,
    ) -> Result<(), NetError> {
        Entrance::Listener(self).serve(identity, service, limits, stop)
    }
}

impl Entrance {
    /// Serves all who come with an allowed key, until it is stopped: what is being asked is answered then. Nothing that a client does ends it: one that sends
    /// no frame, asks nothing, or takes no answers loses its connection.
    ///
    /// # Errors
    /// [`NetError::System`] when the system gives no resources to begin with; [`NetError::Relay`] and [`NetError::Proxy`] for a relay.
    ///
    /// # Panics
    /// When called inside an asynchronous runtime.
    pub fn serve(
        self,
        identity: &Identity,
        service: Arc<dyn Service>,
        limits: &Limits,
        stop: &Stop,
    ) -> Result<(), NetError> {
        allow_files();
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(limits.threads.max(1))
            .build()
            .map_err(NetError::System)?;
        let told = Arc::clone(&service);
        let events = move |event| told.note(&Note::Caller(event));
        let callers = service.callers();
        let hall = Hall {
            service,
            allowed: callers.allowed,
            places: Arc::new(Semaphore::new(limits.long_requests.max(1))),
            limits: limits.clone(),
            stop: stop.clone(),
            clients: JoinSet::new(),
            of_key: HashMap::new(),
            farewells: JoinSet::new(),
        };
        let served = runtime.block_on(async {
            let entrance = Open::at(self, identity, &events)?;
            hall.serve(entrance).await;
            Ok(())
        });
        // An answer that takes longer than the grace must not hold this up.
        runtime.shutdown_background();
        served
    }
}

/// Who is being served.
struct Hall {
    service: Arc<dyn Service>,
    allowed: Vec<PublicKey>,
    limits: Limits,
    /// For long requests.
    places: Arc<Semaphore>,
    stop: Stop,
    clients: JoinSet<(PublicKey, Parting)>,
    of_key: HashMap<PublicKey, Party>,
    /// Those who came when there was no room.
    farewells: JoinSet<()>,
}

/// Those who are being served with one key.
struct Party {
    clients: usize,
    /// For their long requests.
    places: Arc<Semaphore>,
    /// Used when the key is not allowed any more.
    dismissed: Stop,
}

impl Default for Party {
    fn default() -> Self {
        let places = Arc::new(Semaphore::new(LONG_REQUESTS_OF_A_KEY));
        Self { clients: 0, places, dismissed: Stop::new() }
    }
}

impl Hall {
    async fn serve<Tell>(mut self, mut entrance: Open<'_, Tell>)
    where
        Tell: Fn(Event) + Clone + Send + Sync + 'static,
    {
        // Whoever comes before the first tick is expected, too.
        entrance.expect(self.look_at_callers());
        let mut tick = interval(TICK);
        loop {
            tokio::select! {
                biased;
                () = self.stop.stopped() => break,
                _ = tick.tick() => entrance.expect(self.look_at_callers()),
                Some(ended) = self.clients.join_next() => self.leave(ended.ok()),
                connected = entrance.next() => match connected {
                    Ok(connected) => self.enter(connected),
                    // Another version: told to the caller by the version that it got.
                    Err(_) => continue,
                },
            }
        }
        drop(entrance);
        let ending = async {
            while let Some(ended) = self.clients.join_next().await {
                self.leave(ended.ok());
            }
        };
        let _ = timeout(GRACE, ending).await;
    }

    /// Dismisses those who may not ask any more; returns whose handshakes succeed from now on.
    fn look_at_callers(&mut self) -> Vec<PublicKey> {
        let callers = self.service.callers();
        let expected = callers.expected();
        self.allowed = callers.allowed;
        let gone = self.of_key.iter().filter(|(key, _)| !self.allowed.contains(key));
        gone.for_each(|(_, party)| party.dismissed.stop());
        expected
    }

    fn enter(&mut self, connected: Connected) {
        let key = connected.peer;
        self.service.note(&Note::Joined(key));
        let of_key = self.of_key.get(&key).map_or(0, |party| party.clients);
        let full =
            self.clients.len() >= self.limits.clients || of_key >= self.limits.clients_of_a_key;
        let refused = match self.allowed.contains(&key) {
            false => Some(Farewell::Forbidden),
            true => full.then_some(Farewell::Full),
        };
        let (ends, pump) = Ends::of(connected, self.limits.connection.clone(), None, 1);
        if let Some(why) = refused {
            return self.send_away(Visit::new(key, ends, self, &Party::default()), pump, why);
        }
        let mut party = self.of_key.remove(&key).unwrap_or_default();
        party.clients += 1;
        if party.dismissed.is_stopped() {
            // Allowed again, while the last that were dismissed are still on their way out.
            party.dismissed = Stop::new();
        }
        self.clients.spawn(Visit::new(key, ends, self, &party).attend(pump));
        self.of_key.insert(key, party);
    }

    fn send_away(&mut self, visit: Visit, pump: Pump, why: Farewell) {
        while self.farewells.try_join_next().is_some() {}
        self.service.note(&Note::Left(visit.key, Parting::Sent(why)));
        if self.farewells.len() < FAREWELLS {
            self.farewells.spawn(visit.leave(pump, why));
        }
    }

    fn leave(&mut self, ended: Option<(PublicKey, Parting)>) {
        // A visit neither panics nor is cancelled while this counts.
        let Some((key, parting)) = ended else { return };
        if let Some(party) = self.of_key.get_mut(&key) {
            party.clients -= 1;
            if party.clients == 0 {
                self.of_key.remove(&key);
            }
        }
        self.service.note(&Note::Left(key, parting));
    }
}

/// Has this process open as many files as the system lets it: each client takes one. That it lets no more is no error.
pub fn allow_files() {
    #[cfg(unix)]
    {
        use nix::sys::resource::{Resource, getrlimit, setrlimit};

        if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
            && soft < hard
        {
            let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
        }
    }
}
