//! A list that is served: who may ask, how often, and what is counted.

use std::io;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Instant, SystemTime};

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::{ThreadPool, ThreadPoolBuilder};
use veilset_net::{Answer, Farewell, Note, PublicKey, Service};
use zeroize::Zeroize;

use crate::older::Older;
use crate::wire::{message, refusal_message};
use crate::{Engine, Metrics, Quota, Refusal};

/// What [`veilset_net::Listener::serve`] serves. List and keys can be replaced while it does.
pub struct LookupService {
    engine: RwLock<Arc<dyn Engine>>,
    older: Older,
    /// Where answers are computed.
    pool: ThreadPool,
    allowed: RwLock<Vec<PublicKey>>,
    quota: Quota,
    metrics: Metrics,
    tell: Box<dyn Fn(&Note) + Send + Sync>,
}

impl LookupService {
    /// A service for these keys, which tells its operator of what happens, and computes answers on so many threads.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn new(
        engine: Arc<dyn Engine>,
        allowed: Vec<PublicKey>,
        quota: Quota,
        threads: usize,
        tell: impl Fn(&Note) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let name = |thread| format!("veilset-answer-{thread}");
        let pool = ThreadPoolBuilder::new().num_threads(threads.max(1)).thread_name(name).build();
        Ok(Self {
            engine: RwLock::new(engine),
            older: Older::default(),
            pool: pool.map_err(io::Error::other)?,
            allowed: RwLock::new(allowed),
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

    /// Takes these keys from now on, and no others.
    pub fn allow(&self, allowed: Vec<PublicKey>) {
        *self.allowed.write().unwrap_or_else(PoisonError::into_inner) = allowed;
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

    fn reply(&self, client: &PublicKey, request: &[u8]) -> Result<Vec<u8>, Refusal> {
        let allowed = self.allowed.read().unwrap_or_else(PoisonError::into_inner);
        if !allowed.contains(client) {
            return Err(Refusal::Forbidden);
        }
        drop(allowed);
        let engine = self.engine();
        let items = engine.items(request).map_err(|_| Refusal::Malformed)?;
        let started = Instant::now();
        let answer = if items == 0 {
            // No more than a copy.
            engine.answer(request, &mut fresh_rng()).or_else(|refusal| match refusal {
                Refusal::Moved => self.older.answer(request, started).ok_or(refusal),
                _ => Err(refusal),
            })?
        } else {
            let charge = self.quota.take(client, items, SystemTime::now())?;
            let answer = self.pool.install(|| engine.answer(request, &mut fresh_rng()));
            if let (Err(_), Some(charge)) = (&answer, charge) {
                self.quota.give_back(charge);
            }
            answer?
        };
        self.metrics.answered(items, started.elapsed());
        Ok(answer)
    }
}

impl Service for LookupService {
    fn allowed(&self) -> Vec<PublicKey> {
        self.allowed.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn longest(&self) -> usize {
        self.engine().longest()
    }

    fn answer(&self, client: &PublicKey, request: &[u8]) -> Answer {
        let reply = self.reply(client, request);
        if let Err(refusal) = &reply {
            self.metrics.refused(*refusal);
        }
        let last = matches!(reply, Err(Refusal::Malformed | Refusal::Forbidden));
        let answer = message(reply);
        if last { Answer::Last(answer) } else { Answer::More(answer) }
    }

    fn farewell(&self, why: Farewell) -> Vec<u8> {
        refusal_message(match why {
            Farewell::Full => Refusal::Full,
            Farewell::Stopping => Refusal::Stopping,
        })
    }

    fn note(&self, note: &Note) {
        self.metrics.note(note);
        (self.tell)(note);
    }
}

/// A generator for one answer, seeded by the system.
///
/// # Panics
/// When the system gives no randomness; the client's connection ends then.
pub(crate) fn fresh_rng() -> ChaCha20Rng {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).expect("the system gives randomness");
    let rng = ChaCha20Rng::from_seed(seed);
    seed.zeroize();
    rng
}
