//! A list that is served: who may ask, how often, and what is counted.

use std::io;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Instant, SystemTime};

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::{ThreadPool, ThreadPoolBuilder};
use veilset_net::{Callers, Farewell, Note, Response, Service};
use veilset_party::PublicKey;
use zeroize::Zeroize;

use crate::older::Older;
use crate::wire::{message, refusal_message};
use crate::{Engine, Metrics, Quota, Refusal};

/// What a service's operator is told.
#[derive(Debug)]
pub enum Told<'a> {
    /// What happens to connections.
    Connection(&'a Note),
    /// A client asked for so many items, and was answered or refused.
    Asked {
        /// Whose request it was.
        client: PublicKey,
        /// How many items: 0 of a request that is none.
        items: u64,
        /// Why it got no answer.
        refused: Option<Refusal>,
    },
}

/// What [`veilset_net::Listener::serve`] serves. List and keys can be replaced while it does.
pub struct LookupService {
    engine: RwLock<Arc<dyn Engine>>,
    older: Older,
    /// Where answers are computed.
    pool: ThreadPool,
    callers: RwLock<Callers>,
    quota: Quota,
    metrics: Metrics,
    tell: Box<dyn Fn(Told<'_>) + Send + Sync>,
}

impl LookupService {
    /// A service for these callers, which tells its operator of what happens, and computes answers on so many threads.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn new(
        engine: Arc<dyn Engine>,
        callers: Callers,
        quota: Quota,
        threads: usize,
        tell: impl Fn(Told<'_>) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let name = |thread| format!("veilset-answer-{thread}");
        let pool = ThreadPoolBuilder::new().num_threads(threads.max(1)).thread_name(name).build();
        Ok(Self {
            engine: RwLock::new(engine),
            older: Older::default(),
            pool: pool.map_err(io::Error::other)?,
            callers: RwLock::new(callers),
            quota,
            metrics: Metrics::default(),
            tell: Box::new(tell),
        })
    }

    /// Serves another version from now on. Requests that run are answered by the one before, and so are fetches that
    /// began with it.
    pub fn replace(&self, engine: Arc<dyn Engine>) {
        let mut current = self.engine.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *current, engine);
        self.older.keep(before, Instant::now());
    }

    /// To be called every now and then: writes the quotas, and lets go of versions that nobody fetches any more.
    ///
    /// # Errors
    /// When the quotas cannot be written; the next time tries again.
    pub fn keep_up(&self) -> io::Result<()> {
        self.older.forget(Instant::now());
        self.quota.save()
    }

    /// Takes these callers from now on, and no others: requests of other keys get no answer, and their connections end.
    pub fn take(&self, callers: Callers) {
        *self.callers.write().unwrap_or_else(PoisonError::into_inner) = callers;
    }

    /// What is served.
    #[must_use]
    pub fn engine(&self) -> Arc<dyn Engine> {
        Arc::clone(&self.engine.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The counts.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The answer, and how many items were asked for.
    fn reply(&self, client: &PublicKey, request: &[u8]) -> (u64, Result<Vec<u8>, Refusal>) {
        if !self.known_callers().allowed.contains(client) {
            return (0, Err(Refusal::Forbidden));
        }
        let engine = self.engine();
        let Ok(items) = engine.items(request) else { return (0, Err(Refusal::Malformed)) };
        let started = Instant::now();
        let answer = if items == 0 {
            // No more than a copy.
            engine.answer(request, &mut fresh_rng()).or_else(|refusal| match refusal {
                Refusal::Moved => self.older.answer(request, started).ok_or(refusal),
                _ => Err(refusal),
            })
        } else {
            self.compute(client, items, || engine.answer(request, &mut fresh_rng()))
        };
        if answer.is_ok() {
            self.metrics.answered(items, started.elapsed());
        }
        (items, answer)
    }

    /// What `answer` makes on the service's threads, if the client may ask for so many items.
    fn compute(
        &self,
        client: &PublicKey,
        items: u64,
        answer: impl FnOnce() -> Result<Vec<u8>, Refusal> + Send,
    ) -> Result<Vec<u8>, Refusal> {
        let charge = self.quota.take(client, items, SystemTime::now())?;
        let answer = self.pool.install(answer);
        if let (Err(_), Some(charge)) = (&answer, charge) {
            self.quota.give_back(charge);
        }
        answer
    }

    fn known_callers(&self) -> RwLockReadGuard<'_, Callers> {
        self.callers.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Service for LookupService {
    fn callers(&self) -> Callers {
        self.known_callers().clone()
    }

    fn longest(&self) -> usize {
        self.engine().longest()
    }

    fn answer(&self, client: &PublicKey, request: &[u8]) -> Response {
        let (items, reply) = self.reply(client, request);
        let refused = reply.as_ref().err().copied();
        if let Some(refusal) = refused {
            self.metrics.refused(refusal);
        }
        if items > 0 || refused.is_some() {
            (self.tell)(Told::Asked { client: *client, items, refused });
        }
        let last = matches!(reply, Err(Refusal::Malformed | Refusal::Forbidden));
        let answer = message(reply);
        if last { Response::Last(answer) } else { Response::More(answer) }
    }

    fn farewell(&self, why: Farewell) -> Vec<u8> {
        refusal_message(match why {
            Farewell::Full => Refusal::Full,
            Farewell::Stopping => Refusal::Stopping,
            Farewell::Forbidden => Refusal::Forbidden,
        })
    }

    fn note(&self, note: &Note) {
        self.metrics.note(note);
        (self.tell)(Told::Connection(note));
    }
}

/// A generator for one answer, seeded by the system.
///
/// # Panics
/// When the system gives no randomness: there is no answer then, to this request or to others.
pub(crate) fn fresh_rng() -> ChaCha20Rng {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).expect("the system gives randomness");
    let rng = ChaCha20Rng::from_seed(seed);
    seed.zeroize();
    rng
}
