//! The run of a registry entry over a user's keys.

use std::time::Instant;

use rand_core::CryptoRng;
use rayon::{ThreadPool, ThreadPoolBuilder};
use veilset_channel::{Channel, ChannelExt, Message, Signal};
use veilset_crypto::{Element, ElementHasher};
use veilset_data::KeyDigest;
use veilset_protocols::{
    self as protocols, Attached, Conclusion, Observer, Outcome, Run, RunInput, Side,
};
use zeroize::Zeroizing;

use crate::elements::hash_keys;
use crate::parts::{Parts, whole};
use crate::report::run_id;
use crate::terms::{Consent, Done};
use crate::{Agreed, Briefing, End, PeerReport, Pipe, Report, SessionError};

/// What a run may use.
pub struct Resources<'a> {
    /// Threads for computing.
    pub threads: usize,
    /// Hears how far the run is.
    pub observer: &'a dyn Observer,
}

impl Agreed {
    /// Consents to the terms, waits for the peer's consent, runs the protocol over the keys of these digests, waits until the peer has
    /// everything too, and closes the connection; then it computes the result, whose time nobody sees.
    ///
    /// # Errors
    /// When the peer asks for what nobody here said yes to, declines or breaks the protocol, or the channel fails.
    pub fn run(
        self,
        pipe: &mut Pipe,
        keys: Zeroizing<Vec<KeyDigest>>,
        attached: Attached<'_>,
        resources: &Resources<'_>,
        rng: &mut (dyn CryptoRng + Send),
    ) -> Result<Report, SessionError> {
        self.check_accepted()?;
        let pool = pool(resources.threads)?;
        // First, so that nobody waits for the other's hashing.
        pipe.channel.phase(CONSENT);
        let due = pipe.due();
        let sent = pipe.channel.put::<Consent>(&Signal).map_err(SessionError::at(CONSENT));
        sent.map_err(|error| self.of_consent(error))?;
        pipe.channel.phase("hashing keys");
        let hasher = ElementHasher::new(&self.session, &self.offer.presets);
        let elements = pool.install(|| hash_keys(keys, &hasher));
        consented(pipe, due).map_err(|error| self.of_consent(error))?;
        let before = pipe.costs().rounds();
        let conclusion =
            pool.install(|| self.drive_all(pipe, elements, attached, resources.observer, rng))?;
        let rounds = pipe.costs().rounds() - before;
        in_step::<Done>(pipe, "end of the run", &Signal)?;
        pipe.end(&End::Complete);
        pipe.channel.phase("result");
        let outcome = pool.install(conclusion);
        let outcome = outcome.map_err(|error| SessionError::of_protocol("result", error))?;
        Ok(self.report(pipe, outcome, rounds, resources.threads))
    }

    /// All parts, one after the other.
    fn drive_all(
        &self,
        pipe: &mut Pipe,
        elements: Zeroizing<Vec<Element>>,
        attached: Attached<'_>,
        observer: &dyn Observer,
        rng: &mut (dyn CryptoRng + Send),
    ) -> Result<Conclusion, SessionError> {
        if self.parts == Parts::ONE {
            let input = self.input(elements, attached);
            return self.drive(pipe, input, &self.session, observer, rng);
        }
        let mut ended = Vec::new();
        let parts = self.parts.places(&elements).ok_or(SessionError::Overfull)?;
        for (part, places) in (0..).zip(parts) {
            let own = self.parts.fill(&places, &elements, rng);
            let input = self.input(own, Attached::Nothing);
            let session = self.parts.session(&self.session, part);
            let conclusion = self.drive(pipe, input, &session, observer, rng)?;
            ended.push((conclusion, places));
        }
        Ok(Box::new(|| whole(ended)))
    }

    /// What a part of the run computes on.
    fn input<'a>(&self, elements: Zeroizing<Vec<Element>>, attached: Attached<'a>) -> RunInput<'a> {
        RunInput {
            elements,
            peer_count: self.parts.capacity(self.peer_count),
            attached,
            peer_attached: self.peer_attached,
            slack: self.parts.count().ilog2(),
            choices: self.choices,
        }
    }

    fn drive(
        &self,
        pipe: &mut Pipe,
        input: RunInput<'_>,
        session: &[u8; 32],
        observer: &dyn Observer,
        rng: &mut (dyn CryptoRng + Send),
    ) -> Result<Conclusion, SessionError> {
        let side = Side { role: self.role, reveal: self.reveal };
        let means = protocols::Means { session, channel: &mut pipe.channel, rng, observer };
        let conclusion = self.protocol.run(Run { side, input, means });
        conclusion.map_err(|error| SessionError::of_protocol(pipe.step(), error))
    }

    fn report(&self, pipe: &mut Pipe, outcome: Outcome, rounds: u64, threads: usize) -> Report {
        let costs = pipe.costs();
        let Briefing { operation, protocol, security, learn, ref presets, .. } = *self.briefing();
        Report {
            run: run_id(&self.session),
            peers: vec![self.peer_report(pipe)],
            operation,
            protocol,
            security,
            learn,
            presets: presets.clone(),
            role: Some(self.role),
            learned: self.briefing().learned.clone(),
            distinct: self.offer.distinct as u64,
            warnings: self.briefing().warnings.clone(),
            choices: self.choices,
            peer_columns: self.peer_columns.clone(),
            outcome,
            rounds,
            phases: costs.phases,
            threads,
        }
        .and_no_match()
    }

    fn peer_report(&self, pipe: &mut Pipe) -> PeerReport {
        let (name, distinct) = (self.offer.peer.clone(), self.peer_count as u64);
        PeerReport { name, key: pipe.peer, distinct, wire: pipe.wire_bytes() }
    }
}

/// The step in which both sides consent.
pub(crate) const CONSENT: &str = "consent";

/// Waits for the peer's consent, which is due then.
pub(crate) fn consented(pipe: &mut Pipe, due: Option<Instant>) -> Result<(), SessionError> {
    pipe.channel.resume(CONSENT);
    if !pipe.await_until(due, Pipe::look).map_err(SessionError::at(CONSENT))? {
        let waited = pipe.patience.unwrap_or_default();
        return Err(SessionError::NoConsent { waited });
    }
    pipe.channel.take::<Consent>(&()).map_err(SessionError::at(CONSENT)).map(drop)
}

/// The driver occupies one worker; a pool of one thread runs everything on it.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool, SessionError> {
    ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .thread_name(|index| format!("veilset-{index}"))
        .build()
        .map_err(|error| SessionError::Threads { threads, why: error.to_string() })
}

/// Both sides say the same word and wait for the other's: that they have everything, without which no run is complete.
pub(crate) fn in_step<Word: Message<Context = ()>>(
    pipe: &mut Pipe,
    step: &'static str,
    word: &Word,
) -> Result<(), SessionError> {
    pipe.channel.phase(step);
    pipe.channel.put(word).map_err(SessionError::at(step))?;
    pipe.channel.take::<Word>(&()).map_err(SessionError::at(step)).map(|_| ())
}
