//! A multiparty run, of three parties or more: the same line of states as for two, with a pipe to each other party.
//!
//! Every two parties exchange and compare [`Terms`] as in a run of two. Then all compare what each made of everything that it
//! was told: who the parties are, and the id of the session, a digest of all keys, sizes and nonces. So nobody can tell
//! different parties different things, and there is one session or none.

mod report;
mod seats;
mod terms;
#[cfg(test)]
mod tests;
mod tiers;

use rand_core::CryptoRng;
use veilset_channel::{Abort, Blob, Channel, ChannelError, ChannelExt, Message, Signal};
use veilset_crypto::{Element, ElementHasher};
use veilset_host::time::Instant;
use veilset_protocols::{
    MultipartyConclusion, MultipartyError, MultipartyProtocol, MultipartyRun, Observer, Outcome,
    Parties, Withstands,
};
use zeroize::Zeroizing;

pub use self::report::listed;

use self::seats::Seated;
use crate::elements::hash_keys;
use crate::receipt::{Pledged, Receipt, SIGNATURE, other_party, own_party, statement};
use crate::report::run_id;
use crate::run::{CONSENT, consented, pool, with_padding};
use crate::terms::{Consent, Hello, Signature, Terms};
use crate::{
    Blame, Briefing, ConnectedPeer, Detail, End, ListInput, Mismatch, Offer, Price, Report,
    Resources, SessionError,
};

/// The name of this stage in errors.
const STEP: &str = "agreement";

/// The name of the last stage in errors.
const END: &str = "end of the run";

/// Of what a run of the protocol is: all, or a tier.
#[derive(Clone, Copy)]
struct Scope<'a> {
    session: [u8; 32],
    /// Everybody's number of elements in it.
    sizes: &'a [usize],
}

/// The pipes to all others, in the order of their keys.
struct ConnectedPeers(Vec<ConnectedPeer>);

/// Terms that all parties hold: ready to run, once the user consents.
pub(crate) struct AgreedMultiparty {
    peers: ConnectedPeers,
    protocol: &'static dyn MultipartyProtocol,
    seated: Seated,
    offer: Offer,
    /// What each peer's terms say for the receipt.
    pledged: Vec<Pledged>,
    /// This party's place among all in the order of keys, from 0.
    place: usize,
    /// Everybody's number of elements under each key, in that order.
    tiers: Vec<Vec<usize>>,
    session: [u8; 32],
    briefing: Briefing,
}

/// Exchanges terms with each other party, and compares them field by field; a difference ends the session with all. `key`
/// is this side's.
///
/// # Panics
/// When there are fewer than two others, more than the protocol takes, or two with one key.
pub(crate) fn agree(
    key: [u8; 32],
    peers: Vec<ConnectedPeer>,
    offer: Offer,
    rng: &mut dyn CryptoRng,
) -> Result<AgreedMultiparty, SessionError> {
    let mut peers = ConnectedPeers(peers);
    peers.0.sort_by_key(ConnectedPeer::key);
    let agreed = terms::exchanged(&mut peers, &key, &offer, rng);
    let place = peers.0.partition_point(|peer| peer.key() < key);
    let agreed = peers.say_goodbye_if_failed(place, agreed)?;
    let briefing = report::briefing(&peers.0, &offer, &agreed, place);
    Ok(AgreedMultiparty {
        peers,
        place,
        pledged: agreed.theirs.iter().map(Pledged::of).collect(),
        protocol: agreed.protocol,
        seated: agreed.seated,
        tiers: agreed.tiers,
        session: agreed.session,
        offer,
        briefing,
    })
}

impl AgreedMultiparty {
    /// What the user should see before the run.
    pub(crate) fn briefing(&self) -> &Briefing {
        &self.briefing
    }

    /// The run's id, the same for all.
    pub(crate) fn run_id(&self) -> String {
        run_id(&self.session)
    }

    /// The public keys of the others, in the order of the briefing.
    pub(crate) fn keys(&self) -> impl Iterator<Item = [u8; 32]> + '_ {
        self.peers.0.iter().map(ConnectedPeer::key)
    }

    /// What the run is likely to take on so many threads of each party.
    pub(crate) fn price(&self, threads: usize) -> Result<Price, SessionError> {
        let group = self.protocol.spec().choices.group;
        let costs = self.tiers.iter().map(|sizes| self.protocol.cost(&self.parties(sizes)));
        let cost = costs.reduce(|all, next| all.and_then(&next));
        let cost = cost.expect("a list has a key");
        Price::of_multiparty(&cost, group, self.place, threads)
    }

    /// All parties with these numbers of elements.
    fn parties<'a>(&'a self, sizes: &'a [usize]) -> Parties<'a> {
        self.seated.parties(sizes, self.tiers.len())
    }

    /// Whether all others have consented already.
    pub(crate) fn have_all_consented(&mut self) -> Result<bool, SessionError> {
        let heard = self.peers.have_all_spoken();
        self.peers.say_goodbye_if_failed(self.place, heard)
    }

    /// Ends the session without a run; the others are told why.
    pub(crate) fn decline(mut self, why: Abort) {
        self.peers.end(&End::Abort(why));
    }

    /// Consents to the terms, waits for everybody's consent, runs the protocol over the keys of `list`, with which nothing goes, and
    /// waits until all have everything.
    pub(crate) fn run(
        mut self,
        list: ListInput<'_>,
        resources: &Resources<'_>,
        rng: &mut (dyn CryptoRng + Send),
    ) -> Result<Report, SessionError> {
        let ended = self.ended(list, resources, rng);
        let (outcome, receipt) = self.peers.say_goodbye_if_failed(self.place, ended)?;
        self.peers.end(&End::Complete);
        Ok(report::report(&mut self, outcome, receipt, resources.threads))
    }

    fn ended(
        &mut self,
        ListInput { keys, linkage, .. }: ListInput<'_>,
        resources: &Resources<'_>,
        rng: &mut (dyn CryptoRng + Send),
    ) -> Result<(Outcome, Option<Receipt>), SessionError> {
        let pool = pool(resources.threads)?;
        // First, so that nobody waits for the others' hashing.
        let due = self.peers.consent()?;
        self.peers.phase("hashing keys");
        let hasher = ElementHasher::new(&self.session, &self.offer.presets);
        let keys = with_padding(keys, self.offer.padding, rng);
        let elements = pool.install(|| hash_keys(keys, &hasher));
        self.peers.consented(due)?;
        let observer = resources.observer;
        let conclusion = pool.install(|| match &self.tiers[..] {
            [sizes] => {
                let (session, sizes) = (self.session, &sizes.clone());
                let scope = Scope { session, sizes };
                self.drive(elements, scope, observer, rng)
            }
            _ => {
                let linkage = linkage.expect("a list in tiers says which rows carry what");
                self.drive_tiers(&elements, linkage, observer, rng)
            }
        })?;
        let receipt = self.sign()?;
        // Nobody waits for this side any more.
        let outcome = pool.install(conclusion);
        let outcome = outcome.map_err(|error| self.peers.of_run(self.place, error))?;
        Ok((without_padding(outcome, self.offer.distinct - self.offer.padding), receipt))
    }

    /// One run of the protocol.
    fn drive(
        &mut self,
        elements: Zeroizing<Vec<Element>>,
        Scope { session, sizes }: Scope<'_>,
        observer: &dyn Observer,
        rng: &mut (dyn CryptoRng + Send),
    ) -> Result<MultipartyConclusion, SessionError> {
        let run = MultipartyRun {
            place: self.place,
            parties: self.seated.parties(sizes, self.tiers.len()),
            elements,
            session: &session,
            channels: self.peers.channels(self.place),
            rng,
            observer,
        };
        self.protocol.run(run).map_err(|error| self.peers.of_run(self.place, error))
    }

    /// Says that everything arrived, with this side's signature on what all sign, and waits for the others' word.
    fn sign(&mut self) -> Result<Option<Receipt>, SessionError> {
        let signed = self.offer.pledge.as_ref().map(|pledge| {
            let learners = &self.seated.learners;
            let own = own_party(pledge, &self.offer, learners[self.place]);
            let others = self.peers.0.iter().zip(&self.pledged).enumerate();
            let others = others.map(|(at, (peer, theirs))| {
                other_party(pledge, &peer.key(), theirs, learners[place_of(at, self.place)])
            });
            let mut parties: Vec<_> = others.collect();
            parties.insert(self.place, own);
            let spec = self.protocol.spec();
            let protocol = [spec.id, spec.security.name()];
            let mut details = self.pledged[0].details.clone();
            if spec.withstands == Withstands::LeaderApartFromPivot {
                let seats = [("leader", self.seated.leader), ("pivot", self.seated.pivot)];
                details.extend(seats.map(|(name, place)| Detail {
                    name: name.to_owned(),
                    value: parties[place].key.clone(),
                }));
            }
            let statement = statement(parties, self.run_id(), protocol, &self.offer, details);
            let own = pledge.signer.sign(statement.canonical().as_bytes());
            (pledge, statement, own)
        });
        let own = signed.as_ref().map_or([0; SIGNATURE], |(.., own)| *own);
        self.peers.phase(END);
        self.peers.tell(END, |_| -> Signature { Blob(own.to_vec()) })?;
        let theirs = self.peers.take_each::<Signature>(END, |_| SIGNATURE)?.into_iter();
        let theirs =
            theirs.map(|Blob(theirs)| theirs.try_into().expect("as many bytes were taken"));
        let keys = self.peers.0.iter().map(ConnectedPeer::key);
        Ok(signed
            .map(|(pledge, statement, own)| Receipt::of(statement, pledge, own, keys.zip(theirs))))
    }
}

/// What was found of a list of so many keys, behind which made-up ones stand.
fn without_padding(outcome: Outcome, keys: usize) -> Outcome {
    match outcome {
        Outcome::Matched(mut found) => {
            found.retain(|place| (*place as usize) < keys);
            Outcome::Matched(found)
        }
        other => other,
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
        let hear = |peer: &mut ConnectedPeer| {
            let heard = peer.pipe.take_in_time(step, context);
            heard.map_err(|why| why.with(peer.name.clone()))
        };
        self.0.iter_mut().map(hear).collect()
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

    /// Takes a message from each, as long as it says.
    fn take_each<M: Message>(
        &mut self,
        step: &'static str,
        context: impl Fn(usize) -> M::Context,
    ) -> Result<Vec<M>, SessionError>
    where
        M::Context: Sized,
    {
        let take = |(at, peer): (usize, &mut ConnectedPeer)| {
            let taken = peer.pipe.channel.take::<M>(&context(at));
            taken.map_err(|why| SessionError::channel(step, why).with(peer.name.clone()))
        };
        self.0.iter_mut().enumerate().map(take).collect()
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

    /// Tells all why, where they can still hear, and all but the party whose fault it is who that is; this party stands in a `place`.
    fn say_goodbye_if_failed<T>(
        &mut self,
        place: usize,
        result: Result<T, SessionError>,
    ) -> Result<T, SessionError> {
        result.map_err(|why| {
            let why = self.with_culprit(place, why);
            let told_of = |at| u8::try_from(place_of(at, place)).unwrap_or(u8::MAX);
            let culprit = match &why {
                SessionError::Party { party: name, .. } => {
                    self.0.iter().position(|peer| peer.name == *name).map(|at| (at, told_of(at)))
                }
                _ => None,
            };
            for (at, peer) in self.0.iter_mut().enumerate() {
                let of_other = culprit.filter(|(culprit, _)| *culprit != at);
                let reason = match of_other {
                    Some((_, place)) => of_another(&why, place),
                    // What a third party says of it is no finding of this one.
                    None if is_hearsay(&why) => Some(Abort::Internal),
                    None => why.goodbye(),
                };
                if let Some(reason) = reason {
                    peer.pipe.end(&End::Abort(reason));
                }
            }
            why
        })
    }

    /// The same error under the name of the party whose fault it is, where another party told this one.
    fn with_culprit(&self, place: usize, why: SessionError) -> SessionError {
        let SessionError::Party { party: by, source } = &why else { return why };
        let SessionError::Channel { source: ChannelError::Aborted(reason), .. } = **source else {
            return why;
        };
        let (culprit, told) = match reason {
            Abort::Lost { place } => (place, SessionError::Lost { by: by.clone() }),
            Abort::Broke { place } => (place, SessionError::Broke { by: by.clone() }),
            Abort::Heard { place } => (place, SessionError::Heard { by: by.clone() }),
            _ => return why,
        };
        match peer_at(usize::from(culprit), place).and_then(|at| self.0.get(at)) {
            Some(peer) if peer.name != *by => told.with(peer.name.clone()),
            _ => why,
        }
    }

    /// With the name of whose fault it is, where that is known.
    fn of_run(&self, own: usize, error: MultipartyError) -> SessionError {
        let step = self.0[0].pipe.step();
        let of_party = |fault: SessionError, party: u16| match peer_at(usize::from(party) - 1, own)
        {
            Some(at) => fault.with(self.0[at].name.clone()),
            None => fault,
        };
        match error {
            MultipartyError::Party { party, source } => {
                of_party(SessionError::of_protocol(step, source), party)
            }
            MultipartyError::Own(source) => SessionError::of_protocol(step, source),
            MultipartyError::Arithmetic(error) => {
                SessionError::Protocol { step, why: error.to_string() }
            }
            error => {
                let fault = SessionError::Deviation { step, why: error.to_string() };
                match error.culprit() {
                    Some(party) => of_party(fault, party),
                    None => fault,
                }
            }
        }
    }
}

/// The place among all of the peer at an index, for a party whose own place is `own`.
fn place_of(at: usize, own: usize) -> usize {
    at + usize::from(at >= own)
}

/// The index of the peer in a place; none has the party's own.
fn peer_at(place: usize, own: usize) -> Option<usize> {
    (place != own).then(|| place - usize::from(place > own))
}

/// What to tell the others of an error with the party in this place: what this party found itself, or that it heard of it.
fn of_another(why: &SessionError, place: u8) -> Option<Abort> {
    let told = match source(why) {
        SessionError::Channel { source: ChannelError::Aborted(told), .. } => Some(*told),
        _ => None,
    };
    match (told, why.blame()) {
        // It tells all itself, and whether it is right nobody here knows.
        (Some(Abort::Protocol), _) => Some(Abort::Internal),
        (_, Blame::Terms) => Some(Abort::Terms),
        (Some(_), _) => Some(Abort::Heard { place }),
        (None, _) if is_hearsay(why) => Some(Abort::Heard { place }),
        (None, Blame::Peer) => Some(Abort::Broke { place }),
        (None, Blame::Network) => Some(Abort::Lost { place }),
        (None, _) => why.goodbye(),
    }
}

/// What is wrong with a party, or in itself.
fn source(why: &SessionError) -> &SessionError {
    match why {
        SessionError::Party { source, .. } => source,
        own => own,
    }
}

/// Whether another party said it.
fn is_hearsay(why: &SessionError) -> bool {
    matches!(
        source(why),
        SessionError::Lost { .. } | SessionError::Broke { .. } | SessionError::Heard { .. }
    )
}
