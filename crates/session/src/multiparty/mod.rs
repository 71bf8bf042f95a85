//! A multiparty run, of three parties or more: the same line of states as for two, with a pipe to each other party.
//!
//! Every two parties exchange and compare [`Terms`] as in a run of two. Then all compare what each made of everything that it
//! was told: who the parties are, and the id of the session, a digest of all keys, sizes and nonces. So nobody can tell
//! different parties different things, and there is one session or none.

mod report;
mod terms;
#[cfg(test)]
mod tests;

use rand_core::CryptoRng;
use veilset_channel::{Abort, Channel, ChannelExt, Message, Signal};
use veilset_crypto::{ElementHasher, Group, Ristretto255};
use veilset_data::KeyDigest;
use veilset_host::time::Instant;
use veilset_protocols::ks::multiparty::{Condition, MultipartyError, MultipartyRun, run};
use veilset_protocols::{Operation, Security};
use zeroize::Zeroizing;

use crate::elements::hash_keys;
use crate::report::run_id;
use crate::run::{CONSENT, consented, pool};
use crate::terms::{Consent, Done, Hello, Terms};
use crate::{Briefing, End, Learn, Mismatch, Offer, Pipe, Price, Report, Resources, SessionError};

/// The protocol of such runs, in the terms and in reports.
pub const MULTIPARTY_PROTOCOL: &str = "ks-parties";

/// Its group.
const MULTIPARTY_GROUP: Group = Group::Ristretto255;

/// The largest set of a party: products of polynomials of such degrees take minutes.
const MOST_ELEMENTS: u64 = 1 << 16;

/// The name of this stage in errors.
const STEP: &str = "agreement";

/// A peer of a multiparty run, and the way to it.
pub struct ConnectedPeer {
    /// What this side calls it.
    pub name: String,
    /// Its public key, which decides its number.
    pub key: [u8; 32],
    /// The way to it.
    pub pipe: Pipe,
    /// Whether this side opened the connection.
    pub connecting: bool,
}

/// The pipes to all others, in the order of their keys.
struct ConnectedPeers(Vec<ConnectedPeer>);

/// Terms that all parties hold: ready to run, once the user consents.
pub struct AgreedMultiparty {
    peers: ConnectedPeers,
    offer: Offer,
    /// This party's place among all in the order of keys, from 0.
    place: usize,
    /// Everybody's number of elements, in that order.
    sizes: Vec<usize>,
    session: [u8; 32],
    briefing: Briefing,
}

/// Exchanges terms with each other party, and compares them field by field; a difference ends the session with all. `key`
/// is this side's; who is called what, and who connects, is each peer's and not the offer's.
///
/// # Errors
/// When several parties do not do what is offered, terms differ, a set is too large, or a channel fails; the error names
/// the party.
///
/// # Panics
/// When there are fewer than two others, more than the protocol takes, or two with one key.
pub fn agree_all(
    key: [u8; 32],
    peers: Vec<ConnectedPeer>,
    offer: Offer,
    rng: &mut dyn CryptoRng,
) -> Result<AgreedMultiparty, SessionError> {
    let mut peers = ConnectedPeers(peers);
    peers.0.sort_by_key(|peer| peer.key);
    let agreed = terms::exchanged(&mut peers, &key, &offer, rng);
    let agreed = peers.say_goodbye_if_failed(agreed)?;
    let place = peers.0.partition_point(|peer| peer.key < key);
    let briefing = report::briefing(&peers.0, &offer, &agreed.theirs);
    Ok(AgreedMultiparty {
        peers,
        place,
        sizes: agreed.sizes(place, offer.distinct),
        session: agreed.session,
        offer,
        briefing,
    })
}

impl AgreedMultiparty {
    /// What the user should see before the run.
    #[must_use]
    pub fn briefing(&self) -> &Briefing {
        &self.briefing
    }

    /// The run's id, the same for all.
    #[must_use]
    pub fn run_id(&self) -> String {
        run_id(&self.session)
    }

    /// The public keys of the others, in the order of the briefing.
    pub fn keys(&self) -> impl Iterator<Item = [u8; 32]> + '_ {
        self.peers.0.iter().map(|peer| peer.key)
    }

    /// What the run is likely to take on so many threads of each party.
    ///
    /// # Errors
    /// When the machine cannot be measured.
    pub fn price(&self, threads: usize) -> Result<Price, SessionError> {
        Price::of_multiparty(&self.sizes, self.offer.distinct, threads)
    }

    /// Whether all others have consented already.
    ///
    /// # Errors
    /// When one declined, or went away; the error names it.
    pub fn have_all_consented(&mut self) -> Result<bool, SessionError> {
        let heard = self.peers.have_all_spoken();
        self.peers.say_goodbye_if_failed(heard)
    }

    /// Ends the session without a run; the others are told.
    pub fn decline(mut self) {
        self.peers.end(&End::Abort(Abort::Declined));
    }

    /// Consents to the terms, waits for everybody's consent, runs the protocol over `keys`, and waits until all have
    /// everything.
    ///
    /// # Errors
    /// When a party declines, breaks the protocol or goes away; the error names it where it is known.
    pub fn run(
        mut self,
        keys: Zeroizing<Vec<KeyDigest>>,
        resources: &Resources<'_>,
        rng: &mut (dyn CryptoRng + Send),
    ) -> Result<Report, SessionError> {
        let matched = self.matched(keys, resources, rng);
        let matched = self.peers.say_goodbye_if_failed(matched)?;
        self.peers.end(&End::Complete);
        Ok(report::report(&mut self, matched, resources.threads))
    }

    fn matched(
        &mut self,
        keys: Zeroizing<Vec<KeyDigest>>,
        resources: &Resources<'_>,
        rng: &mut (dyn CryptoRng + Send),
    ) -> Result<Vec<u32>, SessionError> {
        let pool = pool(resources.threads)?;
        // First, so that nobody waits for the others' hashing.
        let due = self.peers.consent()?;
        self.peers.phase("hashing keys");
        let hasher = ElementHasher::new(&self.session, &self.offer.presets);
        let elements = pool.install(|| hash_keys(keys, &hasher));
        self.peers.consented(due)?;
        let matched = pool.install(|| {
            let party = MultipartyRun {
                party: number(self.place),
                threshold: number(self.sizes.len() - 1),
                condition: Condition::InAll,
                elements: &elements,
                sizes: &self.sizes,
                session: &self.session,
                channels: self.peers.channels(self.place),
                rng,
                observer: resources.observer,
            };
            run(&Ristretto255, party)
        });
        let matched = matched.map_err(|error| self.peers.of_run(self.place, error))?;
        self.peers.in_step::<Done>("end of the run", &Signal)?;
        Ok(matched)
    }
}

impl ConnectedPeers {
    fn phase(&mut self, name: &'static str) {
        self.0.iter_mut().for_each(|peer| peer.pipe.channel.phase(name));
    }

    fn end(&mut self, end: &End) {
        self.0.iter_mut().for_each(|peer| peer.pipe.end(end));
    }

    /// Tells all what they send at once, too, and hears all.
    fn swap<M: Message>(
        &mut self,
        step: &'static str,
        context: &M::Context,
        own: impl Fn(&ConnectedPeer) -> M,
    ) -> Result<Vec<M>, SessionError> {
        self.tell(step, own)?;
        self.hear(|pipe| pipe.take_in_time(step, context))
    }

    /// All say the same word and wait for the others', who may compute still.
    fn in_step<Word: Message<Context = ()> + Copy>(
        &mut self,
        step: &'static str,
        word: &Word,
    ) -> Result<(), SessionError> {
        self.phase(step);
        self.tell(step, |_| *word)?;
        self.hear(|pipe| pipe.channel.take::<Word>(&()).map_err(SessionError::at(step))).map(drop)
    }

    /// Tells all: short messages, which the queues hold.
    fn tell<M: Message>(
        &mut self,
        step: &'static str,
        own: impl Fn(&ConnectedPeer) -> M,
    ) -> Result<(), SessionError> {
        for peer in &mut self.0 {
            let told = peer.pipe.channel.put(&own(peer));
            told.map_err(|why| SessionError::channel(step, why).with(peer.name.clone()))?;
        }
        Ok(())
    }

    fn hear<M>(
        &mut self,
        hear: impl Fn(&mut Pipe) -> Result<M, SessionError>,
    ) -> Result<Vec<M>, SessionError> {
        let of = |peer: &mut ConnectedPeer| {
            hear(&mut peer.pipe).map_err(|why| why.with(peer.name.clone()))
        };
        self.0.iter_mut().map(of).collect()
    }

    /// Consents to the terms with all; when theirs are due.
    fn consent(&mut self) -> Result<Vec<Option<Instant>>, SessionError> {
        self.phase(CONSENT);
        let mut due = Vec::with_capacity(self.0.len());
        for peer in &mut self.0 {
            due.push(peer.pipe.due());
            let sent = peer.pipe.channel.put::<Consent>(&Signal);
            sent.map_err(|why| SessionError::channel(CONSENT, why).with(peer.name.clone()))?;
        }
        Ok(due)
    }

    fn have_all_spoken(&mut self) -> Result<bool, SessionError> {
        let mut all = true;
        for peer in &mut self.0 {
            let of = |why| SessionError::channel(CONSENT, why).with(peer.name.clone());
            all &= peer.pipe.look().map_err(of)?;
        }
        Ok(all)
    }

    fn consented(&mut self, due: Vec<Option<Instant>>) -> Result<(), SessionError> {
        for (peer, due) in self.0.iter_mut().zip(due) {
            consented(&mut peer.pipe, due).map_err(|why| why.with(peer.name.clone()))?;
        }
        Ok(())
    }

    /// The channels in the order of all parties, with none in this one's `place`.
    fn channels(&mut self, place: usize) -> Vec<Option<&mut dyn Channel>> {
        let others = self.0.iter_mut().map(|peer| Some(&mut peer.pipe.channel as _));
        let mut channels: Vec<_> = others.collect();
        channels.insert(place, None);
        channels
    }

    /// Tells all why, where they can still hear.
    fn say_goodbye_if_failed<T>(
        &mut self,
        result: Result<T, SessionError>,
    ) -> Result<T, SessionError> {
        if let Some(reason) = result.as_ref().err().and_then(SessionError::goodbye) {
            self.end(&End::Abort(reason));
        }
        result
    }

    /// With the name of whose fault it is, where that is known.
    fn of_run(&self, own: usize, error: MultipartyError) -> SessionError {
        let step = self.0[0].pipe.step();
        let name = |party: u16| {
            let place = usize::from(party) - 1;
            self.0[place - usize::from(place > own)].name.clone()
        };
        match error {
            MultipartyError::Party { party, source } => {
                SessionError::of_protocol(step, source).with(name(party))
            }
            MultipartyError::Arithmetic(error) => {
                SessionError::Protocol { step, why: error.to_string() }
            }
            error => {
                let why = error.to_string();
                let fault = SessionError::Deviation { step, why };
                match error.culprit() {
                    Some(party) => fault.with(name(party)),
                    None => fault,
                }
            }
        }
    }
}

/// The number of the party in a place.
fn number(place: usize) -> u16 {
    u16::try_from(place + 1).expect("few parties")
}
