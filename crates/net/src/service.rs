//! Many clients at one listener: each request is a message, and so is each answer.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{interval, timeout};

use veilset_channel::{ChannelError, NetworkFault};

use crate::crowd::Crowd;
use crate::handshake::Connected;
use crate::link::{Ends, Link};
use crate::listen::Door;
use crate::message::{Arriving, frames};
use crate::{Event, Identity, Listener, NetError, Options, PublicKey, Stop};

/// How often the allowed keys are asked for.
const TICK: Duration = Duration::from_secs(1);

/// How long a client may take until there is room for its next answer.
const TAKING: Duration = Duration::from_secs(10);

/// How long a connection may take to end after the last answer.
const ENDING: Duration = Duration::from_secs(2);

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
    /// The keys of those who may connect now.
    fn allowed(&self) -> Vec<PublicKey>;

    /// Bytes of the longest request; longer ones end the connection.
    fn longest(&self) -> usize;

    /// The answer to a client's next request.
    fn answer(&self, client: &PublicKey, request: &[u8]) -> Answer;

    /// The last message for a client that is sent away without an answer.
    fn farewell(&self, why: Farewell) -> Vec<u8>;

    /// Told of what happens beside answers; must not block.
    fn note(&self, note: &Note);
}

/// An answer.
pub enum Answer {
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
}

/// What happens beside answers.
#[derive(Debug)]
pub enum Note {
    /// A client is connected.
    Joined(PublicKey),
    /// A client's connection is over.
    Left(PublicKey, Parting),
    /// Somebody else called.
    Stranger(Event),
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
    pub link: Options,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            clients: 4096,
            clients_of_a_key: 16,
            long_requests: 64,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            idle: Duration::from_secs(60),
            link: Options::default(),
        }
    }
}

impl Listener {
    /// Serves all who come with an allowed key, until it is stopped: what is being asked is answered then. Nothing that a client does ends it: one that sends
    /// no frame, asks nothing, or takes no answers loses its connection.
    ///
    /// # Errors
    /// [`NetError::System`] when the system gives no resources to begin with.
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
        let events = move |event| told.note(&Note::Stranger(event));
        let crowd = Crowd::with_places(HANDSHAKES, HANDSHAKES / 2);
        let door = Door::new(identity, service.allowed(), &events, limits.link.clone(), crowd);
        let hall = Hall {
            service,
            places: Arc::new(Semaphore::new(limits.long_requests.max(1))),
            limits: limits.clone(),
            stop: stop.clone(),
            clients: JoinSet::new(),
            of_key: HashMap::new(),
            farewells: JoinSet::new(),
        };
        let served = runtime.block_on(hall.serve(self.socket, door));
        // An answer that takes longer than the grace must not hold this up.
        runtime.shutdown_background();
        served
    }
}

/// Who is being served.
struct Hall {
    service: Arc<dyn Service>,
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
}

impl Hall {
    async fn serve(
        mut self,
        socket: std::net::TcpListener,
        mut door: Door<'_>,
    ) -> Result<(), NetError> {
        let socket = tokio::net::TcpListener::from_std(socket).map_err(NetError::System)?;
        let mut tick = interval(TICK);
        loop {
            tokio::select! {
                biased;
                () = self.stop.stopped() => break,
                _ = tick.tick() => door.peers = self.service.allowed(),
                Some(ended) = self.clients.join_next() => self.leave(ended.ok()),
                connected = door.answer(&socket) => match connected {
                    Ok(connected) => self.enter(connected),
                    // Another version: told to the caller by the version that it got.
                    Err(_) => continue,
                },
            }
        }
        drop(socket);
        let ending = async {
            while let Some(ended) = self.clients.join_next().await {
                self.leave(ended.ok());
            }
        };
        let _ = timeout(GRACE, ending).await;
        Ok(())
    }

    fn enter(&mut self, connected: Connected) {
        let key = connected.peer;
        let (of_key, own) = match self.of_key.get(&key) {
            Some(party) => (party.clients, Arc::clone(&party.places)),
            None => (0, Arc::new(Semaphore::new(LONG_REQUESTS_OF_A_KEY))),
        };
        let full =
            self.clients.len() >= self.limits.clients || of_key >= self.limits.clients_of_a_key;
        self.service.note(&Note::Joined(key));
        let (ends, link) = Ends::of(connected, self.limits.link.clone(), 1);
        let visit = Visit {
            key,
            ends,
            service: Arc::clone(&self.service),
            places: [Arc::clone(&own), Arc::clone(&self.places)],
            stop: self.stop.clone(),
            idle: self.limits.idle,
        };
        if full {
            return self.send_away(visit, link);
        }
        self.of_key.insert(key, Party { clients: of_key + 1, places: own });
        self.clients.spawn(visit.attend(link));
    }

    fn send_away(&mut self, visit: Visit, link: Link) {
        while self.farewells.try_join_next().is_some() {}
        self.service.note(&Note::Left(visit.key, Parting::Sent(Farewell::Full)));
        if self.farewells.len() < FAREWELLS {
            self.farewells.spawn(visit.leave(link));
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

/// One client.
struct Visit {
    key: PublicKey,
    ends: Ends,
    service: Arc<dyn Service>,
    /// For long requests: of this key, and of all.
    places: [Arc<Semaphore>; 2],
    stop: Stop,
    idle: Duration,
}

impl Visit {
    async fn attend(self, link: Link) -> (PublicKey, Parting) {
        let key = self.key;
        let parting = beside(link, self.talk()).await;
        (key, parting)
    }

    async fn leave(self, link: Link) {
        beside(link, self.send_away(Farewell::Full)).await;
    }

    async fn talk(mut self) -> Parting {
        loop {
            let first = tokio::select! {
                biased;
                () = self.stop.stopped() => None,
                first = timeout(self.idle, self.ends.incoming.recv()) => Some(first),
            };
            let first = match first {
                None => return self.send_away(Farewell::Stopping).await,
                Some(Err(_)) => return Parting::Idle,
                Some(Ok(None)) => return self.ended(),
                Some(Ok(Some(first))) => first,
            };
            let stop = self.stop.clone();
            let come = tokio::select! {
                biased;
                () = stop.stopped() => None,
                come = self.rest(&first) => Some(come),
            };
            // The place is given back when the answer is gone, too.
            let (request, _place) = match come {
                None => return self.send_away(Farewell::Stopping).await,
                Some(Err(parting)) => return parting,
                Some(Ok(come)) => come,
            };
            let (service, key) = (Arc::clone(&self.service), self.key);
            let answering = spawn_blocking(move || service.answer(&key, &request));
            let (answer, last) = match answering.await {
                Ok(Answer::More(answer)) => (answer, false),
                Ok(Answer::Last(answer)) => (answer, true),
                Err(_) => return Parting::Bug,
            };
            match timeout(self.idle, self.send(&answer)).await {
                Err(_) => return Parting::Stuck,
                Ok(Err(parting)) => return parting,
                Ok(Ok(())) => {}
            }
            if last {
                return Parting::Done;
            }
        }
    }

    /// The request that this frame begins, and its place among the long ones if it is one.
    async fn rest(
        &mut self,
        first: &[u8],
    ) -> Result<(Vec<u8>, Option<[OwnedSemaphorePermit; 2]>), Parting> {
        let mut part = match self.begin(first)?.finish() {
            Ok(request) => return Ok((request, None)),
            Err(part) => part,
        };
        let patience = self.idle;
        // Among those of its key first, so that none waits for itself among all.
        let [own, all] = &self.places;
        let (Ok(own), Ok(all)) =
            (Arc::clone(own).acquire_owned().await, Arc::clone(all).acquire_owned().await)
        else {
            return Err(Parting::Bug);
        };
        let rest = async {
            loop {
                let Some(frame) = self.ends.incoming.recv().await else {
                    return Err(self.ended());
                };
                match part.with(&frame).map_err(Parting::Fault)?.finish() {
                    Ok(request) => return Ok(request),
                    Err(more) => part = more,
                }
            }
        };
        let request = timeout(patience, rest).await.map_err(|_| Parting::Idle)??;
        Ok((request, Some([own, all])))
    }

    fn begin(&self, first: &[u8]) -> Result<Arriving, Parting> {
        Arriving::begin(first, self.service.longest()).map_err(Parting::Fault)
    }

    async fn send(&self, message: &[u8]) -> Result<(), Parting> {
        for frame in frames(message) {
            match timeout(TAKING, self.ends.outgoing.send(frame)).await {
                Err(_) => return Err(Parting::Stuck),
                Ok(Err(_)) => return Err(self.ended()),
                Ok(Ok(())) => {}
            }
        }
        Ok(())
    }

    async fn send_away(self, why: Farewell) -> Parting {
        let _ = self.send(&self.service.farewell(why)).await;
        Parting::Sent(why)
    }

    fn ended(&self) -> Parting {
        match self.ends.ended.get() {
            Some(ChannelError::Network(NetworkFault::Closed | NetworkFault::Interrupted))
            | None => Parting::Done,
            Some(fault) => Parting::Fault(fault.clone()),
        }
    }
}

/// Has a connection move frames while `visit` lasts, and a little longer.
async fn beside(link: Link, visit: impl Future<Output = Parting>) -> Parting {
    let moving = tokio::spawn(link.run());
    let cut = moving.abort_handle();
    let parting = visit.await;
    // The queues are gone: what is in them is still delivered, and the client closes its side.
    let _ = timeout(ENDING, moving).await;
    cut.abort();
    parting
}

/// Each client takes a file descriptor: as many as the system lets this process have. That it lets no more is no error.
fn allow_files() {
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
