//! From an offer to the agreed terms of a run of two.

use rand_core::CryptoRng;
use veilset_channel::{Abort, ChannelError, ChannelExt};
use veilset_crypto::Group;
use veilset_protocols::{
    AttachedShape, Attaches, Choices, Gives, Operation, Parts, Protocol, Reveal, Role, SetEncoding,
    Shape, Side, Spec,
};

use crate::noise::{Blocks, Noise};
use crate::offer::BETWEEN_KEYS;
use crate::plan::{KEPT_A_VALUE, memory_of, plan};
use crate::receipt::Pledged;
use crate::report::run_id;
use crate::run::CONSENT;
use crate::terms::{ChosenNames, Hello, Terms, UncheckedTerms, encoded, escape, given};
use crate::{
    Asked, Briefing, Calibration, Column, ConnectedPeer, Learn, LentGroups, Link, Mismatch, Offer,
    Pipe, Price, SessionError, Wanted,
};

/// The name of this stage in errors.
const STEP: &str = "agreement";

/// Terms that both sides hold: ready to run, once the user consents.
pub(crate) struct AgreedPair {
    /// What this side calls the peer.
    pub(crate) name: String,
    /// Whether this side opened the connection.
    pub(crate) connecting: bool,
    pub(crate) protocol: &'static dyn Protocol,
    pub(crate) parts: Parts,
    pub(crate) role: Role,
    pub(crate) reveal: Reveal,
    pub(crate) peer_count: usize,
    /// The dummies of both lists' runs, where a count has noise.
    pub(crate) dummies: Option<Blocks>,
    /// The noise of each number.
    pub(crate) noise_of_each: Option<Noise>,
    /// The coins of that, where they are tossed on shares.
    pub(crate) coins: u32,
    /// How many values the peer has under each of several keys that are matched in tiers.
    pub(crate) peer_tiers: Vec<u64>,
    pub(crate) choices: Choices,
    /// The sizes of the runs, one after the other.
    runs: Vec<Shape>,
    pub(crate) peer_attached: AttachedShape,
    pub(crate) peer_columns: Vec<Column>,
    pub(crate) peer_lent: Option<LentGroups>,
    /// How many rows of the peer's come for one key at most.
    pub(crate) peer_rows_of_key: u64,
    pub(crate) session: [u8; 32],
    /// What the peer's terms say for the receipt.
    pub(crate) pledged: Pledged,
    pub(crate) offer: Offer,
    briefing: Briefing,
    /// What this side asks for and the peer has to say yes to.
    asked_of_peer: Asked,
    accepted: bool,
}

/// Exchanges terms with the peer and compares them field by field.
pub(crate) fn agree(
    ConnectedPeer { name, pipe, connecting }: &mut ConnectedPeer,
    offer: Offer,
    rng: &mut dyn CryptoRng,
) -> Result<AgreedPair, SessionError> {
    let connecting = *connecting;
    Wanted::of(&offer).check(offer.protocol)?;
    offer.release.check(offer.operation, offer.matching.is_some())?;
    let mut nonce = [0; 32];
    rng.fill_bytes(&mut nonce);
    let mine = Terms::new(&offer, connecting, nonce);
    let Exchanged { theirs, session } = exchange(pipe, &mine)?;
    let role = role(owner(&offer, &theirs), offer.learn, connecting);
    let reveal = offer.learn.reveal();
    let noise_of_each = offer.noise_of_each(&theirs.columns)?;
    let sized = |spec: &Spec| Sized::of(spec, &offer, noise_of_each, role, [&mine, &theirs]);
    let shape = |spec: &Spec| sized(spec).open;
    let fits = |protocol: &'static dyn Protocol, choices| {
        let (spec, sized) = (protocol.spec(), sized(protocol.spec()));
        let runs = sized.runs(role, choices);
        let needed = |parts| sized.memory(protocol, role, &runs, parts);
        let parts = Parts::fitting(spec, sized.open.larger(), offer.memory, needed);
        parts.is_some_and(|parts| needed(parts) <= offer.memory)
    };
    let Chosen { protocol, choices } = choose(pipe, connecting, &offer, &theirs, &shape, &fits)?;
    let spec = protocol.spec();
    let sized = sized(spec);
    let (runs, coins) = (sized.runs(role, choices), sized.open.coins);
    let needed = |parts| sized.memory(protocol, role, &runs, parts);
    let parts = Parts::fitting(spec, sized.open.larger(), offer.memory, needed);
    let parts = parts.ok_or_else(|| too_large(spec, role, &sized.open))?;
    let parts = agree_parts(pipe, spec, parts)?;
    let peer_count = usize::try_from(sized.open.of(role.other())).unwrap_or(usize::MAX);
    check_memory(needed(parts), &offer, theirs.distinct / sized.open.per_row)?;
    // What neither names the connecting side takes, so nobody asks it for that.
    let chosen = theirs.protocol.is_none() && offer.protocol.is_none();
    let named = offer.protocol.is_some() || chosen && connecting;
    let asked = Wanted::with(&offer, &theirs).asked_too_much(named, spec, choices, &shape);
    let named = theirs.protocol == Some(spec.id) || chosen && !connecting;
    let asked_of_peer =
        Wanted::of_peer(&offer, &theirs).asked_too_much(named, spec, choices, &shape);
    Ok(AgreedPair {
        name: name.clone(),
        connecting,
        protocol,
        parts,
        role,
        reveal,
        peer_count,
        dummies: sized.dummies,
        noise_of_each,
        coins,
        peer_tiers: theirs.tiers.clone(),
        choices,
        runs,
        peer_attached: theirs.attached,
        peer_lent: theirs.lent.clone(),
        peer_columns: theirs.columns.clone(),
        peer_rows_of_key: theirs.rows_of_key.into(),
        session,
        pledged: Pledged::of(&theirs),
        briefing: Briefing::new(
            spec,
            choices,
            asked,
            Side { role, reveal },
            &offer,
            (name, &theirs),
        ),
        asked_of_peer,
        accepted: false,
        offer,
    })
}

impl AgreedPair {
    /// What the run is likely to take on so many threads of each side.
    pub(crate) fn price(&self, threads: usize) -> Result<Price, SessionError> {
        Price::of(self.protocol, &self.runs, self.role, threads)
    }

    /// Whether the peer has consented already.
    pub(crate) fn has_peer_consented(&self, pipe: &mut Pipe) -> Result<bool, SessionError> {
        let look = pipe.look().map_err(SessionError::at(CONSENT));
        look.map_err(|error| self.of_consent(error))
    }

    /// The run's id, the same on both sides.
    pub(crate) fn run_id(&self) -> String {
        run_id(&self.session)
    }

    /// What is computed.
    pub(crate) fn operation(&self) -> Operation {
        self.offer.operation
    }

    /// How many rows that are not of its list this side's result has at most, and how many bytes of the peer's are in one
    /// row; nothing where this side gets no result.
    pub(crate) fn rows_to_come(&self) -> Option<(u64, u64)> {
        let theirs = self.peer_rows();
        let width = self.peer_attached.width() as u64;
        match self.offer.operation.spec().gives {
            // They are in one run.
            Gives::Shares => Some((self.protocol.places(self.runs[0]), 0)),
            _ if !self.offer.learn.includes_me() => None,
            Gives::PeerRows => Some((theirs, width)),
            Gives::Identifiers => Some((theirs, 0)),
            Gives::Numbers | Gives::OwnRows | Gives::OneRow => Some((0, width)),
        }
    }

    /// This side's distinct keys, or rows where the values of several stay together.
    pub(crate) fn rows(&self) -> u64 {
        (self.offer.distinct / self.offer.per_row()) as u64
    }

    /// The peer's.
    pub(crate) fn peer_rows(&self) -> u64 {
        let dummies = self.dummies.map_or(0, Blocks::elements);
        (self.peer_count as u64 - dummies) / self.offer.per_row() as u64
    }

    /// What the user should see before the run.
    pub(crate) fn briefing(&self) -> &Briefing {
        &self.briefing
    }

    /// The user saw what the peer [asks for](Briefing::asked_by_peer), and said yes to it; without that there is no run of it.
    pub(crate) fn accept(&mut self) {
        self.accepted = true;
    }

    /// Whether this side may go on: nobody else says what it runs.
    pub(crate) fn check_accepted(&self) -> Result<(), SessionError> {
        let asked = self.briefing.asked_by_peer;
        if asked.is_empty() || self.accepted {
            return Ok(());
        }
        Err(SessionError::Asked(Box::new(asked)))
    }

    /// The peer's end of the session while its user was asked.
    pub(crate) fn of_consent(&self, error: SessionError) -> SessionError {
        match error {
            SessionError::Channel { source: ChannelError::Aborted(Abort::Terms), .. }
                if !self.asked_of_peer.is_empty() =>
            {
                SessionError::NotTaken(Box::new(self.asked_of_peer))
            }
            error => error,
        }
    }
}

/// Both sides' terms, and the size of a run with the choices still open.
struct Sized<'a> {
    mine: &'a Terms,
    theirs: &'a Terms,
    /// The dummies among the elements.
    dummies: Option<Blocks>,
    open: Shape,
}

impl<'a> Sized<'a> {
    /// Of a run of this protocol: noise is dummies on both lists or coins.
    fn of(
        spec: &Spec,
        offer: &Offer,
        noise: Option<Noise>,
        role: Role,
        [mine, theirs]: [&'a Terms; 2],
    ) -> Self {
        let of_dummies = noise.filter(|_| offer.release.has_dummies(spec.on_shares));
        let dummies = of_dummies.map(Blocks::new);
        let more = dummies.map_or(0, Blocks::elements);
        let open = shape_of(role, offer.learn.reveal(), mine, theirs, offer.per_row() as u64);
        let open = Shape {
            sender: open.sender.saturating_add(more),
            receiver: open.receiver.saturating_add(more),
            withheld: offer.release.least_inside(true).is_some(),
            coins: noise.filter(|_| spec.on_shares).map_or(0, Noise::dummies),
            ..open
        };
        Self { mine, theirs, dummies, open }
    }

    fn runs(&self, role: Role, choices: Choices) -> Vec<Shape> {
        runs(role, Shape { choices, ..self.open }, self.mine, self.theirs)
    }

    /// Bytes that this side needs for such runs.
    fn memory(
        &self,
        protocol: &'static dyn Protocol,
        role: Role,
        runs: &[Shape],
        parts: Parts,
    ) -> u64 {
        let rows = memory_of_rows(self.mine, self.theirs, self.open.per_row, parts)
            .saturating_add(memory_of_tiers(self.mine));
        let of = |shape: &Shape| memory_of(protocol, *shape, role, parts).saturating_add(rows);
        runs.iter().map(of).max().unwrap_or(rows)
    }
}

/// The peer's terms, which fit this side's, and the id of the session that both sides' make.
struct Exchanged {
    theirs: Terms,
    session: [u8; 32],
}

fn exchange(pipe: &mut Pipe, mine: &Terms) -> Result<Exchanged, SessionError> {
    let said = UncheckedTerms::from(mine);
    if !said.is_possible() {
        return Err(SessionError::Columns);
    }
    let heard = swap_terms(pipe, &said)?;
    let session = session_id(&pipe.binding, &said, &heard);
    let theirs = mine.fitting(heard).map_err(SessionError::Terms)?;
    Ok(Exchanged { theirs, session })
}

fn swap_terms(pipe: &mut Pipe, mine: &UncheckedTerms) -> Result<UncheckedTerms, SessionError> {
    pipe.channel.put(&Hello::of(mine.clone())).map_err(SessionError::at(STEP))?;
    let theirs: Hello = pipe.take_in_time(STEP, &())?;
    theirs.into_terms()
}

/// Who has values that the other side has not; of shares, both can have some.
pub(crate) enum Owner {
    Nobody,
    Me,
    Peer,
}

/// This side's role. The owner of values is the sender; else whoever learns alone is the receiver; if both learn, the
/// side that connected is.
pub(crate) fn role(owner: Owner, learn: Learn, connecting: bool) -> Role {
    let receives = match (owner, learn) {
        (Owner::Me, _) | (Owner::Nobody, Learn::Peer) => false,
        (Owner::Peer, _) | (Owner::Nobody, Learn::Me) => true,
        (Owner::Nobody, Learn::Both) => connecting,
    };
    if receives { Role::Receiver } else { Role::Sender }
}

fn owner(offer: &Offer, theirs: &Terms) -> Owner {
    let owns = |attached| matches!(attached, AttachedShape::Values { .. });
    match (owns(offer.attached), owns(theirs.attached)) {
        (true, false) => Owner::Me,
        (false, true) => Owner::Peer,
        (true, true) | (false, false) => Owner::Nobody,
    }
}

/// The run's size, with the parameters still open.
fn shape_of(role: Role, reveal: Reveal, mine: &Terms, theirs: &Terms, per_row: u64) -> Shape {
    let (sender, receiver) = match role {
        Role::Sender => (mine, theirs),
        Role::Receiver => (theirs, mine),
    };
    Shape {
        sender: sender.distinct,
        receiver: receiver.distinct,
        reveal,
        attached: sender.attached,
        returned: receiver.attached,
        withheld: false,
        coins: 0,
        per_row,
        choices: Choices::default(),
    }
}

/// The sizes of the runs one after the other: of all, or of each tier before anything matched.
fn runs(role: Role, shape: Shape, mine: &Terms, theirs: &Terms) -> Vec<Shape> {
    if mine.tiers.is_empty() {
        return vec![shape];
    }
    let (sender, receiver) = match role {
        Role::Sender => (mine, theirs),
        Role::Receiver => (theirs, mine),
    };
    let sizes = sender.tiers.iter().zip(&receiver.tiers);
    sizes
        .map(|(sender, receiver)| Shape { sender: *sender, receiver: *receiver, ..shape })
        .collect()
}

/// What tiers take beside their runs: the elements of all, and which match.
pub(crate) fn memory_of_tiers(mine: &Terms) -> u64 {
    if mine.tiers.is_empty() { 0 } else { mine.distinct.saturating_mul(KEPT_A_VALUE) }
}

/// A protocol with its parameters.
struct Chosen {
    protocol: &'static dyn Protocol,
    choices: Choices,
}

/// The connecting side chooses (what is named on either side, or the planner's best) and the other checks.
fn choose(
    pipe: &mut Pipe,
    connecting: bool,
    offer: &Offer,
    theirs: &Terms,
    shape: &dyn Fn(&Spec) -> Shape,
    fits: &dyn Fn(&'static dyn Protocol, Choices) -> bool,
) -> Result<Chosen, SessionError> {
    let mut wanted = Wanted::with(offer, theirs);
    if !connecting {
        let choice: ChosenNames = pipe.take_in_time(STEP, &())?;
        return check_choice(wanted, offer, &choice)
            .ok_or_else(|| SessionError::Choice(escape(&choice.protocol)));
    }
    wanted.choices = wanted.choices.or(Wanted::of_peer(offer, theirs).choices);
    let protocol = match offer.protocol.or(theirs.protocol) {
        Some(named) => wanted.find(named),
        None => best(wanted, shape, fits)?,
    };
    let protocol = protocol
        .ok_or_else(|| SessionError::Terms(vec![Mismatch::no_protocol(theirs.protocol)]))?;
    let choices = wanted.completed(protocol.spec());
    let choice = ChosenNames {
        protocol: protocol.spec().id.to_owned(),
        group: choices.group.map_or("", Group::name).to_owned(),
        digest: choices.digest.map_or("", SetEncoding::name).to_owned(),
    };
    pipe.channel.put(&choice).map_err(SessionError::at(STEP))?;
    Ok(Chosen { protocol, choices })
}

/// What the connecting side chose, if it is what this side wants.
fn check_choice(wanted: Wanted, offer: &Offer, choice: &ChosenNames) -> Option<Chosen> {
    let chosen = Choices {
        group: given(&choice.group).map(str::parse).transpose().ok()?,
        digest: given(&choice.digest).map(str::parse).transpose().ok()?,
        ..wanted.choices
    };
    let named = offer.protocol.is_none_or(|mine| mine == choice.protocol);
    let asked = wanted.choices.beyond(chosen) == Choices::default();
    let wanted = Wanted { choices: chosen, ..wanted };
    let protocol = wanted.find(&choice.protocol).filter(|_| named && asked)?;
    let choices = wanted.completed(protocol.spec());
    // Nothing is left open that the protocol has a choice of.
    let is_whole = (choices.group, choices.digest) == (chosen.group, chosen.digest);
    is_whole.then_some(Chosen { protocol, choices })
}

/// The planner's first choice that fits this side's memory, or its first where none does. What keeps the release itself comes first;
/// where only others fit, the peer is asked. It measures this machine only if there is anything to choose.
fn best(
    wanted: Wanted,
    shape: &dyn Fn(&Spec) -> Shape,
    fits: &dyn Fn(&'static dyn Protocol, Choices) -> bool,
) -> Result<Option<&'static dyn Protocol>, SessionError> {
    let mut fitting = wanted.planned();
    let first = fitting.next();
    if fitting.next().is_none() {
        return Ok(first);
    }
    let machine = Calibration::measure()?;
    let estimates = plan(wanted, shape, &machine, Link::default(), 1);
    // Estimates are of what somebody can name, too.
    let automatic = |protocol: &&'static dyn Protocol| {
        wanted.planned().any(|automatic| automatic.spec().id == protocol.spec().id)
    };
    let mut planned = estimates.iter().map(|estimate| estimate.protocol).filter(automatic);
    Ok(planned
        .clone()
        .find(|protocol| fits(*protocol, wanted.completed(protocol.spec())))
        .or_else(|| planned.next()))
}

/// The larger of what both sides need, where the protocol can be cut.
fn agree_parts(pipe: &mut Pipe, spec: &Spec, mine: Parts) -> Result<Parts, SessionError> {
    if !spec.cut {
        return Ok(Parts::ONE);
    }
    pipe.channel.put(&mine).map_err(SessionError::at(STEP))?;
    let theirs: Parts = pipe.take_in_time(STEP, &())?;
    Ok(mine.max(theirs))
}

/// Whose list the protocol does not take.
fn too_large(spec: &Spec, role: Role, shape: &Shape) -> SessionError {
    let (own, peer) = (shape.of(role), shape.of(role.other()));
    let (protocol, most) = (spec.id, Parts::most_elements(spec));
    let (whose, count) = if own > most { ("this side's", own) } else { ("the peer's", peer) };
    SessionError::TooLarge { whose, count, protocol, most }
}

/// What the rows take that the peer may send, or the labels that come of them, as cells.
fn memory_of_rows(mine: &Terms, theirs: &Terms, per_row: u64, parts: Parts) -> u64 {
    const BYTES_A_CELL: u64 = 56;
    let AttachedShape::Items { width } = theirs.attached else { return 0 };
    let (count, of_key) = match mine.operation.spec().attaches {
        // They are read as they are written, and one run at once counts them.
        Attaches::Rows { needed: false } if parts == Parts::ONE && mine.tiers.is_empty() => {
            return 0;
        }
        Attaches::Rows { needed: false } => {
            return mine.distinct.min(theirs.distinct).saturating_mul(2 * width as u64 + 8);
        }
        Attaches::Labels => (mine.distinct, 0),
        _ => (theirs.distinct / per_row, theirs.presets.split([',', BETWEEN_KEYS]).count() as u64),
    };
    let cells = of_key + theirs.columns.len() as u64;
    count.saturating_mul(width as u64 + 24 + BYTES_A_CELL * cells)
}

fn check_memory(needed: u64, offer: &Offer, peer: u64) -> Result<(), SessionError> {
    let allowed = offer.memory;
    if needed > allowed {
        return Err(SessionError::Memory { needed, allowed, peer });
    }
    Ok(())
}

/// One id for both sides: a digest of the connection and of both terms, nonces included, the connecting side's first.
///
/// The connection's part differs between any two, so whoever stands between two parties, each of whom takes it for its
/// peer, cannot pass the elements of one session on as those of the other.
fn session_id(binding: &[u8; 32], mine: &UncheckedTerms, theirs: &UncheckedTerms) -> [u8; 32] {
    let (first, second) = if mine.connecting { (mine, theirs) } else { (theirs, mine) };
    let mut hasher = blake3::Hasher::new_derive_key("veilset v1 session");
    hasher.update(binding);
    for terms in [first, second] {
        let bytes = encoded(terms);
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(&bytes);
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests;
