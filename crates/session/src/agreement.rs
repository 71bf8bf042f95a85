//! Terms that all parties hold, of two or of several.

use rand_core::CryptoRng;
use veilset_channel::Abort;
use veilset_protocols::Role;

use crate::multiparty::{self, AgreedMultiparty};
use crate::pair::{self, AgreedPair};
use crate::{
    Briefing, Column, End, ListInput, Offer, Pipe, Price, Report, Resources, SessionError,
};

/// Another party of a run, and the way to it.
pub struct ConnectedPeer {
    /// What this side calls it.
    pub name: String,
    /// The way to it.
    pub pipe: Pipe,
    /// Whether this side opened the connection; the two ends of it differ in that.
    pub connecting: bool,
}

impl ConnectedPeer {
    /// Its public key, which decides its number among several.
    ///
    /// # Panics
    /// When the way to it has no keys.
    pub(crate) fn key(&self) -> [u8; 32] {
        self.pipe.peer.expect("parties of a run of several have keys")
    }
}

/// Terms that all parties hold, with the ways to the others: ready to run, once the user consents.
pub struct Agreed(Terms);

enum Terms {
    Pair(Box<Pair>),
    Multiparty(Box<AgreedMultiparty>),
}

/// Those of a run of two. It alone has columns, noise and runs in parts, and can be asked for more than this side named.
struct Pair {
    agreed: AgreedPair,
    pipe: Pipe,
}

/// Exchanges terms with each other party and compares them field by field; a difference ends the session with all. `key` is this
/// side's, which decides its number among several.
///
/// # Errors
/// When terms differ, no protocol does what is offered, a set is too large, or a channel fails; among several the error names the
/// party.
///
/// # Panics
/// When there is no other party, there are more than a protocol takes, or several and not all, this side too, have a key of their own.
pub fn agree(
    key: Option<[u8; 32]>,
    mut peers: Vec<ConnectedPeer>,
    offer: Offer,
    rng: &mut dyn CryptoRng,
) -> Result<Agreed, SessionError> {
    if let [peer] = &mut peers[..] {
        let agreed = pair::agree(peer, offer, rng);
        let agreed = peer.pipe.say_goodbye_if_failed(agreed)?;
        let pipe = peers.remove(0).pipe;
        return Ok(Agreed(Terms::Pair(Box::new(Pair { agreed, pipe }))));
    }
    let key = key.expect("parties of a run of several have keys");
    let agreed = multiparty::agree(key, peers, offer, rng)?;
    Ok(Agreed(Terms::Multiparty(Box::new(agreed))))
}

impl Agreed {
    /// What the user should see before the run.
    #[must_use]
    pub fn briefing(&self) -> &Briefing {
        match &self.0 {
            Terms::Pair(pair) => pair.agreed.briefing(),
            Terms::Multiparty(agreed) => agreed.briefing(),
        }
    }

    /// The run's id, the same for all.
    #[must_use]
    pub fn run_id(&self) -> String {
        match &self.0 {
            Terms::Pair(pair) => pair.agreed.run_id(),
            Terms::Multiparty(agreed) => agreed.run_id(),
        }
    }

    /// The public keys of the others, in the order of the briefing; `None` where the way to one has no keys.
    #[must_use]
    pub fn keys(&self) -> Option<Vec<[u8; 32]>> {
        match &self.0 {
            Terms::Pair(pair) => pair.pipe.peer.map(|key| vec![key]),
            Terms::Multiparty(agreed) => Some(agreed.keys().collect()),
        }
    }

    /// The columns of what the peer holds about its keys; several parties hold nothing.
    #[must_use]
    pub fn peer_columns(&self) -> &[Column] {
        match &self.0 {
            Terms::Pair(pair) => &pair.agreed.peer_columns,
            Terms::Multiparty(_) => &[],
        }
    }

    /// What this side is between two; several parties are all senders.
    #[must_use]
    pub fn role(&self) -> Role {
        match &self.0 {
            Terms::Pair(pair) => pair.agreed.role,
            Terms::Multiparty(_) => Role::Sender,
        }
    }

    /// Bytes of the factor that the peer has for this side's values; none where it has none.
    #[must_use]
    pub fn peer_factor(&self) -> usize {
        match &self.0 {
            Terms::Pair(pair) => pair.agreed.peer_attached.factor(),
            Terms::Multiparty(_) => 0,
        }
    }

    /// How many rows of the peer's come for one key at most, where rows come with matches.
    #[must_use]
    pub fn peer_rows_of_key(&self) -> u64 {
        match &self.0 {
            Terms::Pair(pair) => pair.agreed.peer_rows_of_key,
            Terms::Multiparty(_) => 0,
        }
    }

    /// How many rows that are not of its list this side's result has at most, and how many bytes of the peer's are in one
    /// row; nothing where this side gets no result.
    #[must_use]
    pub fn rows_to_come(&self) -> Option<(u64, u64)> {
        match &self.0 {
            Terms::Pair(pair) => pair.agreed.rows_to_come(),
            // Several parties learn of their own rows alone.
            Terms::Multiparty(agreed) => agreed.briefing().learn.includes_me().then_some((0, 0)),
        }
    }

    /// What the run is likely to take on so many threads of each party.
    ///
    /// # Errors
    /// When the machine cannot be measured.
    pub fn price(&self, threads: usize) -> Result<Price, SessionError> {
        match &self.0 {
            Terms::Pair(pair) => pair.agreed.price(threads),
            Terms::Multiparty(agreed) => agreed.price(threads),
        }
    }

    /// The user saw what the peer [asks for](Briefing::asked_by_peer), and said yes to it; without that there is no run of it.
    pub fn accept(&mut self) {
        match &mut self.0 {
            Terms::Pair(pair) => pair.agreed.accept(),
            // Nobody can ask several parties for anything else.
            Terms::Multiparty(_) => {}
        }
    }

    /// Whether all others have consented already.
    ///
    /// # Errors
    /// When one declined, or went away; among several the error names it.
    pub fn have_all_consented(&mut self) -> Result<bool, SessionError> {
        match &mut self.0 {
            Terms::Pair(pair) => pair.agreed.has_peer_consented(&mut pair.pipe),
            Terms::Multiparty(agreed) => agreed.have_all_consented(),
        }
    }

    /// Ends the session without a run; the others are told why.
    pub fn decline(self, why: Abort) {
        match self.0 {
            Terms::Pair(mut pair) => pair.pipe.end(&End::Abort(why)),
            Terms::Multiparty(agreed) => agreed.decline(why),
        }
    }

    /// Consents to the terms, waits for everybody's consent, runs the protocol over `list`, waits until all have everything, and closes
    /// the connections; then it computes the result, whose time nobody sees.
    ///
    /// # Errors
    /// When a party asks for what nobody here said yes to, declines, breaks the protocol or goes away, or a channel fails; among several
    /// the error names the party where it is known.
    ///
    /// # Panics
    /// When tiers were agreed on, and `list` does not say which rows carry its keys.
    pub fn run(
        self,
        list: ListInput<'_>,
        resources: &Resources<'_>,
        rng: &mut (dyn CryptoRng + Send),
    ) -> Result<Report, SessionError> {
        match self.0 {
            Terms::Pair(pair) => {
                let Pair { agreed, mut pipe } = *pair;
                let report = agreed.run(&mut pipe, list, resources, rng);
                pipe.say_goodbye_if_failed(report)
            }
            Terms::Multiparty(agreed) => agreed.run(list, resources, rng),
        }
    }
}
