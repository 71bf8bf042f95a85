//! The run of a registry entry over a user's keys.

use rand_core::CryptoRng;
use rayon::{ThreadPool, ThreadPoolBuilder};
use veilset_channel::{Channel, ChannelExt};
use veilset_crypto::{Element, ElementHasher};
use veilset_data::KeySet;
use veilset_protocols::{Observer, Outcome, Role, Run, Shape};

use crate::elements::hash_keys;
use crate::plan::memory_of;
use crate::terms::{Consent, Done, Signal};
use crate::{Agreed, End, Pipe, Report, SessionError};

/// What a run may use.
pub struct Means<'a> {
    /// Threads for computing.
    pub threads: usize,
    /// A cap on memory in bytes, keys included.
    pub max_memory: Option<u64>,
    /// Hears how far the run is.
    pub observer: &'a dyn Observer,
}

impl Agreed {
    /// Consents to the terms, waits for the peer's consent, runs the protocol over `keys`, waits until the peer has everything too, and closes the connection.
    ///
    /// # Errors
    /// When the run would need too much memory, the peer declines or breaks the protocol, or the channel fails.
    pub fn run(
        self,
        pipe: &mut Pipe,
        keys: &KeySet,
        means: &Means<'_>,
        rng: &mut (dyn CryptoRng + Send),
    ) -> Result<Report, SessionError> {
        self.check_memory(keys.len() as u64, means.max_memory)?;
        let pool = pool(means.threads)?;
        consent(pipe)?;
        pipe.channel.phase("hashing keys");
        let hasher = ElementHasher::new(&self.session, &self.offer.presets);
        let elements = pool.install(|| hash_keys(keys, &hasher));
        let before = pipe.costs().rounds();
        let outcome = pool.install(|| self.drive(pipe, &elements, means.observer, rng))?;
        let rounds = pipe.costs().rounds() - before;
        finish(pipe)?;
        pipe.end(&End::Complete);
        Ok(self.report(pipe, outcome, rounds, means.threads))
    }

    fn drive(
        &self,
        pipe: &mut Pipe,
        elements: &[Element],
        observer: &dyn Observer,
        rng: &mut (dyn CryptoRng + Send),
    ) -> Result<Outcome, SessionError> {
        let run = Run {
            role: self.role,
            reveal: self.reveal,
            elements,
            peer_count: self.peer_count,
            channel: &mut pipe.channel,
            rng,
            observer,
        };
        let outcome = self.protocol.run(run);
        outcome.map_err(|error| SessionError::of_protocol(pipe.step(), error))
    }

    fn check_memory(&self, mine: u64, cap: Option<u64>) -> Result<(), SessionError> {
        let receiver = self.role == Role::Receiver;
        let theirs = self.peer_count as u64;
        let (sender_size, receiver_size) = if receiver { (theirs, mine) } else { (mine, theirs) };
        let shape = Shape { sender: sender_size, receiver: receiver_size, reveal: self.reveal };
        let needed = memory_of(self.protocol.spec(), shape, mine, receiver);
        match cap {
            Some(allowed) if needed > allowed => Err(SessionError::Memory { needed, allowed }),
            _ => Ok(()),
        }
    }

    fn report(&self, pipe: &mut Pipe, outcome: Outcome, rounds: u64, threads: usize) -> Report {
        let costs = pipe.costs();
        Report {
            operation: self.offer.operation,
            protocol: self.protocol.spec().id,
            role: self.role,
            learned: self.briefing().learned.clone(),
            distinct: self.offer.distinct as u64,
            peer_distinct: self.peer_count as u64,
            outcome,
            wire: pipe.wire_bytes(),
            rounds,
            phases: costs.phases,
            threads,
        }
    }
}

/// The driver occupies one worker; a pool of one thread runs everything on it.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool, SessionError> {
    ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .thread_name(|index| format!("veilset-{index}"))
        .build()
        .map_err(|error| SessionError::Threads { threads, why: error.to_string() })
}

/// Both sides say that they go on, after their users saw the terms.
fn consent(pipe: &mut Pipe) -> Result<(), SessionError> {
    const STEP: &str = "consent";
    pipe.channel.phase(STEP);
    pipe.channel.put::<Consent>(&Signal).map_err(SessionError::at(STEP))?;
    pipe.channel.take::<Consent>(&()).map_err(SessionError::at(STEP)).map(|_| ())
}

/// Both sides say that they have everything; only then is a run complete.
fn finish(pipe: &mut Pipe) -> Result<(), SessionError> {
    const STEP: &str = "end of the run";
    pipe.channel.phase(STEP);
    pipe.channel.put::<Done>(&Signal).map_err(SessionError::at(STEP))?;
    pipe.channel.take::<Done>(&()).map_err(SessionError::at(STEP)).map(|_| ())
}
