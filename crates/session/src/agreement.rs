//! From an offer to agreed terms.

use rand_core::CryptoRng;
use veilset_channel::ChannelExt;
use veilset_protocols::{
    Operation, Protocol, Reveal, Role, Security, Shape, Spec, candidates, find,
};

use crate::plan::memory_of;
use crate::terms::{Choice, Mismatch, Opening};
use crate::{
    Briefing, Calibration, Learn, Link, Offer, Pipe, SessionError, Terms, WIRE_VERSION, plan,
};

/// The name of this stage in errors.
const STEP: &str = "agreement";

/// Terms that both sides hold: ready to run, once the user consents.
pub struct Agreed {
    pub(crate) protocol: &'static dyn Protocol,
    pub(crate) role: Role,
    pub(crate) reveal: Reveal,
    pub(crate) peer_count: usize,
    pub(crate) session: [u8; 32],
    pub(crate) offer: Offer,
    briefing: Briefing,
}

/// Exchanges terms over `pipe` and compares them field by field; a difference ends the session.
///
/// # Errors
/// When the terms differ, no protocol fits, or the channel fails.
pub fn agree(
    pipe: &mut Pipe,
    offer: Offer,
    rng: &mut dyn CryptoRng,
) -> Result<Agreed, SessionError> {
    check_protocol(offer.operation, offer.security, offer.protocol)?;
    let mut nonce = [0; 32];
    rng.fill_bytes(&mut nonce);
    let mine = Terms::new(&offer, nonce);
    let theirs = swap_terms(pipe, &mine)?;
    if let Some(mismatch) = mine.mismatch(&theirs) {
        return Err(SessionError::Terms(mismatch));
    }
    let (role, reveal) = parts(&offer);
    let shape = shape(role, reveal, mine.distinct, theirs.distinct);
    let protocol = choose(pipe, &offer, &theirs, shape)?;
    let peer_count = check_sizes(protocol.spec(), &mine, &theirs)?;
    check_memory(memory_of(protocol.spec(), shape, role), &offer, &theirs)?;
    Ok(Agreed {
        protocol,
        role,
        reveal,
        peer_count,
        session: session_id(&pipe.binding, &mine, &theirs),
        briefing: Briefing::new(protocol.spec(), &offer, &theirs),
        offer,
    })
}

impl Agreed {
    /// What the user should see before the run.
    #[must_use]
    pub fn briefing(&self) -> &Briefing {
        &self.briefing
    }
}

/// Whether there is a protocol for `operation` with `security`, and the named one is such.
///
/// # Errors
/// When not; a caller can know that before there is a connection.
pub fn check_protocol(
    operation: Operation,
    security: Security,
    named: Option<&'static str>,
) -> Result<(), SessionError> {
    if candidates(operation, security).next().is_none() {
        return Err(SessionError::NoProtocol { operation, security });
    }
    match named {
        Some(protocol) if !fits(protocol, operation, security) => {
            Err(SessionError::WrongProtocol { protocol, operation, security })
        }
        _ => Ok(()),
    }
}

fn fits(id: &str, operation: Operation, security: Security) -> bool {
    candidates(operation, security).any(|protocol| protocol.spec().id == id)
}

fn swap_terms(pipe: &mut Pipe, mine: &Terms) -> Result<Terms, SessionError> {
    let channel = &mut pipe.channel;
    let opening = Opening { version: WIRE_VERSION, terms: Some(mine.clone()) };
    channel.put(&opening).map_err(SessionError::at(STEP))?;
    let theirs: Opening = channel.take(&()).map_err(SessionError::at(STEP))?;
    let version = SessionError::Version { mine: WIRE_VERSION, theirs: theirs.version };
    theirs.terms.ok_or(version)
}

/// Whoever learns alone is the receiver; if both learn, the side that connected is.
fn parts(offer: &Offer) -> (Role, Reveal) {
    match (offer.learn, offer.connecting) {
        (Learn::Me, _) => (Role::Receiver, Reveal::Receiver),
        (Learn::Peer, _) => (Role::Sender, Reveal::Receiver),
        (Learn::Both, true) => (Role::Receiver, Reveal::Both),
        (Learn::Both, false) => (Role::Sender, Reveal::Both),
    }
}

/// The run's size from this side's part and both sides' numbers of keys.
pub(crate) fn shape(role: Role, reveal: Reveal, mine: u64, theirs: u64) -> Shape {
    let (sender, receiver) = match role {
        Role::Sender => (mine, theirs),
        Role::Receiver => (theirs, mine),
    };
    Shape { sender, receiver, reveal }
}

/// The connecting side chooses (a name given on either side, or the planner's best) and the other checks.
fn choose(
    pipe: &mut Pipe,
    offer: &Offer,
    theirs: &Terms,
    shape: Shape,
) -> Result<&'static dyn Protocol, SessionError> {
    let channel = &mut pipe.channel;
    let (operation, security) = (offer.operation, offer.security);
    if !offer.connecting {
        let Choice(id) = channel.take(&()).map_err(SessionError::at(STEP))?;
        let named = offer.protocol.is_none_or(|mine| mine == id);
        return match find(&id) {
            Some(protocol) if named && fits(&id, operation, security) => Ok(protocol),
            _ => Err(SessionError::Choice(crate::terms::escape(&id))),
        };
    }
    let named = offer.protocol.unwrap_or(&theirs.protocol);
    let protocol = if named.is_empty() { best(offer, shape)? } else { find(named) };
    let protocol = protocol
        .filter(|protocol| fits(protocol.spec().id, operation, security))
        .ok_or_else(|| SessionError::Terms(Mismatch::unknown_protocol(theirs)))?;
    channel.put(&Choice(protocol.spec().id.to_owned())).map_err(SessionError::at(STEP))?;
    Ok(protocol)
}

/// The planner's first choice; it measures this machine only if there is anything to choose.
fn best(offer: &Offer, shape: Shape) -> Result<Option<&'static dyn Protocol>, SessionError> {
    let (operation, security) = (offer.operation, offer.security);
    let mut fitting = candidates(operation, security);
    let first = fitting.next();
    if fitting.next().is_none() {
        return Ok(first);
    }
    let machine = Calibration::measure()?;
    let estimates = plan(operation, security, shape, &machine, Link::default(), 1);
    Ok(estimates.first().and_then(|estimate| find(estimate.spec.id)))
}

fn check_sizes(spec: &Spec, mine: &Terms, theirs: &Terms) -> Result<usize, SessionError> {
    let sizes = [("this side's", mine.distinct), ("the peer's", theirs.distinct)];
    for (whose, count) in sizes {
        if count > spec.max_elements {
            let (protocol, most) = (spec.id, spec.max_elements);
            return Err(SessionError::TooLarge { whose, count, protocol, most });
        }
    }
    // Both sizes are at most 2^31 here, which every supported machine can index.
    Ok(usize::try_from(theirs.distinct).unwrap_or(usize::MAX))
}

fn check_memory(needed: u64, offer: &Offer, theirs: &Terms) -> Result<(), SessionError> {
    let (allowed, peer) = (offer.memory, theirs.distinct);
    if needed > allowed {
        return Err(SessionError::Memory { needed, allowed, peer });
    }
    Ok(())
}

/// One id for both sides: a digest of the connection and of both terms, nonces included, the connecting side's first.
///
/// The connection's part differs between any two, so whoever stands between two parties, each of whom takes it for its
/// peer, cannot pass the elements of one session on as those of the other.
fn session_id(binding: &[u8; 32], mine: &Terms, theirs: &Terms) -> [u8; 32] {
    let (first, second) = if mine.connecting { (mine, theirs) } else { (theirs, mine) };
    let mut hasher = blake3::Hasher::new_derive_key("veilset v1 session");
    hasher.update(binding);
    for terms in [first, second] {
        let bytes = postcard::to_stdvec(terms).expect("terms are plain data");
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(&bytes);
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests;
