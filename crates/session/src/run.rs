//! The run of a registry entry over a user's keys.

use rand_core::CryptoRng;
use rayon::{ThreadPool, ThreadPoolBuilder};
use veilset_channel::{Blob, Channel, ChannelExt, Message, PeerFault, Signal};
use veilset_crypto::{Element, ElementHasher};
use veilset_data::{KeyDigest, Linkage, RowsToSend};
use veilset_host::time::Instant;
use veilset_protocols::{
    self as protocols, Attached, Conclusion, Found, Gives, Groups, Observer, Outcome, Parts, Run,
    RunInput, Side,
};
use zeroize::{Zeroize, Zeroizing};

use crate::elements::hash_keys;
use crate::noise::with_dummies;
use crate::pair::AgreedPair;
use crate::receipt::{Receipt, SIGNATURE, of_two};
use crate::report::run_id;
use crate::terms::{Consent, Signature};
use crate::tiers::{session_of, swap_sizes};
use crate::{Briefing, End, PeerReport, Pipe, Report, SessionError};

/// What a run may use.
pub struct Resources<'a> {
    /// Threads for computing.
    pub threads: usize,
    /// Hears how far the run is.
    pub observer: &'a dyn Observer,
}

/// Of what a part of the run is: all of it, or a tier.
#[derive(Clone, Copy)]
struct Scope<'a> {
    session: [u8; 32],
    /// How many elements the peer has in it.
    peer_count: usize,
    /// The rows that go with matches.
    rows: Option<RowsToSend<'a>>,
    /// The numbers of its elements, where it has not all.
    numbers: Option<&'a [u32]>,
    /// The values by which rows have matched before.
    matched: &'a [u32],
}

impl Scope<'_> {
    /// What goes for the elements in these places, or for all `real` ones, with as much behind it as makes `count` of them.
    fn items(
        &self,
        places: Option<&[u32]>,
        real: usize,
        count: usize,
    ) -> Result<Option<SentItems>, SessionError> {
        let Some(rows) = self.rows else { return Ok(None) };
        let all: Vec<u32> = match (self.numbers, places) {
            (None, None) => places_of(real).collect(),
            (Some(numbers), None) => numbers.to_vec(),
            (None, Some(places)) => places.to_vec(),
            (Some(numbers), Some(places)) => {
                places.iter().map(|place| numbers[*place as usize]).collect()
            }
        };
        let bytes = rows.items(&all, self.matched, count).map_err(SessionError::Rows)?;
        Ok(Some(SentItems { width: rows.columns.width(), bytes }))
    }
}

/// What goes for each element.
struct SentItems {
    width: usize,
    bytes: Zeroizing<Vec<u8>>,
}

impl SentItems {
    /// These in the place of what is attached otherwise.
    fn over<'a>(items: &'a Option<Self>, attached: Attached<'a>) -> Attached<'a> {
        items
            .as_ref()
            .map_or(attached, |Self { width, bytes }| Attached::Items { width: *width, bytes })
    }
}

/// The keys of these digests with so many made-up ones behind them; no move leaves a copy of them.
pub(crate) fn with_padding(
    keys: Zeroizing<Vec<KeyDigest>>,
    padding: usize,
    rng: &mut (dyn CryptoRng + Send),
) -> Zeroizing<Vec<KeyDigest>> {
    if padding == 0 {
        return keys;
    }
    let mut all = longer(&keys, padding);
    all[keys.len()..].iter_mut().for_each(|key| rng.fill_bytes(key));
    all
}

/// The places of so many elements; as many as fit numbers of 32 bits were enough for the keys.
fn places_of(count: usize) -> impl Iterator<Item = u32> {
    (0..).take(count)
}

/// Room for what is attached to a list that is filled up.
#[derive(Default)]
struct Zeros {
    words: Zeroizing<Vec<i128>>,
    groups: Zeroizing<Vec<u32>>,
    bytes: Zeroizing<Vec<u8>>,
}

impl Zeros {
    /// Groups with so many elements more behind them, in any group.
    fn longer_groups<'a>(
        room: &'a mut Zeroizing<Vec<u32>>,
        groups: Option<Groups<'_>>,
        padding: usize,
    ) -> Option<Groups<'a>> {
        let Groups { count, of } = groups?;
        *room = longer(of, padding);
        Some(Groups { count, of: room })
    }

    /// The same, and zeros for so many elements more.
    fn behind<'a>(&'a mut self, attached: Attached<'a>, padding: usize) -> Attached<'a> {
        match attached {
            Attached::Values { columns, products, words, groups } if padding > 0 => {
                self.words = longer(words, columns * padding);
                let groups = Self::longer_groups(&mut self.groups, groups, padding);
                Attached::Values { columns, products, words: &self.words, groups }
            }
            Attached::Lent { factor, words, groups } if padding > 0 => {
                self.words = longer(words, if factor > 0 { padding } else { 0 });
                let groups = Self::longer_groups(&mut self.groups, groups, padding);
                Attached::Lent { factor, words: &self.words, groups }
            }
            Attached::Items { width, bytes } if padding > 0 => {
                self.bytes = longer(bytes, width * padding);
                Attached::Items { width, bytes: &self.bytes }
            }
            _ => attached,
        }
    }
}

/// These with so many zeros behind them; no move leaves a copy of them.
fn longer<T: Copy + Default + Zeroize>(all: &[T], more: usize) -> Zeroizing<Vec<T>> {
    let mut longer = Zeroizing::new(Vec::with_capacity(all.len() + more));
    longer.extend_from_slice(all);
    longer.resize(all.len() + more, T::default());
    longer
}

/// A list as a run takes it.
pub struct ListInput<'a> {
    /// The digests of its keys, or of the values under all its keys, as [`Linkage`] numbers them; where the values of a row stay
    /// together, row after row, one under each key, and a random one where the row has none.
    pub keys: Zeroizing<Vec<KeyDigest>>,
    /// What belongs to each, or to each row.
    pub attached: Attached<'a>,
    /// What goes of its rows with matches.
    pub rows: Option<RowsToSend<'a>>,
    /// Which rows carry them. Tiers need it.
    pub linkage: Option<&'a Linkage>,
}

impl AgreedPair {
    /// Consents to the terms, waits for the peer's consent, runs the protocol over the keys of these digests, waits until the peer has
    /// everything too, and closes the connection; then it computes the result, whose time nobody sees.
    ///
    /// # Errors
    /// When the peer asks for what nobody here said yes to, declines or breaks the protocol, or the channel fails.
    ///
    /// # Panics
    /// When tiers were agreed on, and `list` does not say which rows carry its keys.
    pub(crate) fn run(
        self,
        pipe: &mut Pipe,
        list: ListInput<'_>,
        resources: &Resources<'_>,
        rng: &mut (dyn CryptoRng + Send),
    ) -> Result<Report, SessionError> {
        let ListInput { keys, attached, rows, linkage } = list;
        let attached = attached.in_groups(self.offer.groups);
        let rows = rows.filter(|rows| rows.columns.width() > 0);
        self.check_accepted()?;
        let pool = pool(resources.threads)?;
        // First, so that nobody waits for the other's hashing.
        pipe.channel.phase(CONSENT);
        let due = pipe.due();
        let sent = pipe.channel.put::<Consent>(&Signal).map_err(SessionError::at(CONSENT));
        sent.map_err(|error| self.of_consent(error))?;
        pipe.channel.phase("hashing keys");
        let hasher = ElementHasher::new(&self.session, &self.offer.presets);
        // Made-up keys are hashed as others are, so that the time does not tell how many there are.
        let keys = with_padding(keys, self.offer.padding, rng);
        let mut elements = pool.install(|| hash_keys(keys, &hasher));
        let own_dummies = self.dummies.map(|blocks| {
            let (all, own) = with_dummies(&elements, blocks, &self.session, self.connecting, rng);
            elements = all;
            own
        });
        consented(pipe, due).map_err(|error| self.of_consent(error))?;
        let before = pipe.costs().rounds();
        let conclusion = pool.install(|| {
            if self.peer_tiers.is_empty() {
                let (session, peer_count) = (self.session, self.peer_count);
                let whole = Scope { session, peer_count, rows, numbers: None, matched: &[] };
                return self.drive_all(pipe, elements, attached, whole, resources.observer, rng);
            }
            let linkage = linkage.expect("a list in tiers says which rows carry what");
            self.drive_tiers(pipe, &elements, linkage, rows, resources.observer, rng)
        })?;
        let rounds = pipe.costs().rounds() - before;
        let receipt = self.sign(pipe)?;
        pipe.end(&End::Complete);
        pipe.channel.phase("result");
        let outcome = pool.install(conclusion);
        let outcome = outcome.map_err(|error| SessionError::of_protocol("result", error))?;
        self.check_count(&outcome)?;
        let outcome = self.estimate(outcome, own_dummies.unwrap_or_default());
        let report = self.report(pipe, outcome, rounds, resources.threads);
        Ok(Report { receipt, ..report })
    }

    /// Key after key; what matches is known after each.
    fn drive_tiers(
        &self,
        pipe: &mut Pipe,
        elements: &[Element],
        linkage: &Linkage,
        rows: Option<RowsToSend<'_>>,
        observer: &dyn Observer,
        rng: &mut (dyn CryptoRng + Send),
    ) -> Result<Conclusion, SessionError> {
        let mut found = Found::of(self.peer_attached);
        for (tier, most) in (0..).zip(&self.peer_tiers) {
            let left = linkage.left(tier as usize, found.matched());
            let peer_count = swap_sizes(pipe, left.len(), *most)?;
            if left.is_empty() || peer_count == 0 {
                continue;
            }
            let own = left.iter().map(|number| elements[*number as usize]);
            let own = Zeroizing::new(own.collect::<Vec<_>>());
            let session = session_of(&self.session, tier);
            let (numbers, matched) = (Some(&left[..]), found.matched());
            let piece = Scope { session, peer_count, rows, numbers, matched };
            let conclusion = self.drive_all(pipe, own, Attached::Nothing, piece, observer, rng)?;
            let outcome = conclusion().map_err(|why| SessionError::of_protocol("result", why))?;
            found.add(&outcome, &left);
        }
        Ok(Box::new(|| Ok(found.outcome())))
    }

    /// All parts, one after the other.
    fn drive_all(
        &self,
        pipe: &mut Pipe,
        elements: Zeroizing<Vec<Element>>,
        attached: Attached<'_>,
        scope: Scope<'_>,
        observer: &dyn Observer,
        rng: &mut (dyn CryptoRng + Send),
    ) -> Result<Conclusion, SessionError> {
        let (told, padding) = (elements.len(), self.offer.padding);
        let real = told - padding;
        let found = Found::of(self.peer_attached);
        if self.parts == Parts::ONE {
            let items = scope.items(None, real, told)?;
            let mut zeros = Zeros::default();
            let attached = zeros.behind(attached, padding);
            let input = self.input(elements, SentItems::over(&items, attached), scope);
            let conclusion = self.drive(pipe, input, &scope.session, observer, rng)?;
            let has_rows = self.operation().spec().gives == Gives::OwnRows;
            return Ok(match padding {
                1.. if has_rows => {
                    Box::new(move || found.whole(vec![(conclusion, places_of(real).collect())]))
                }
                _ => conclusion,
            });
        }
        let mut ended = Vec::new();
        let parts = self.parts.places(&elements[..real], told).ok_or(SessionError::Overfull)?;
        for (part, places) in (0..).zip(parts) {
            let own = self.parts.fill(&places, &elements, told, rng);
            let items = scope.items(Some(&places), real, own.len())?;
            let input = self.input(own, SentItems::over(&items, Attached::Nothing), scope);
            let session = self.parts.session(&scope.session, part);
            let conclusion = self.drive(pipe, input, &session, observer, rng)?;
            ended.push((conclusion, places));
        }
        Ok(Box::new(|| found.whole(ended)))
    }

    /// What a part of the run computes on.
    fn input<'a>(
        &self,
        elements: Zeroizing<Vec<Element>>,
        attached: Attached<'a>,
        scope: Scope<'_>,
    ) -> RunInput<'a> {
        let runs = self.parts.count() as usize * self.peer_tiers.len().max(1);
        RunInput {
            elements,
            peer_count: self.parts.capacity(scope.peer_count),
            attached,
            peer_attached: self.peer_attached,
            per_row: self.offer.per_row(),
            slack: runs.next_power_of_two().ilog2(),
            coins: self.coins,
            least: self.offer.release.least_inside(self.protocol.spec().withholds),
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

    /// Says that everything arrived, with this side's signature on what both sides sign, and waits for the peer's word.
    fn sign(&self, pipe: &mut Pipe) -> Result<Option<Receipt>, SessionError> {
        let parts = self.offer.pledge.as_ref().zip(pipe.peer);
        let signed = parts.map(|(pledge, peer)| {
            let (spec, run) = (self.protocol.spec(), self.run_id());
            let statement = of_two(pledge, &peer, run, spec, &self.offer, &self.pledged);
            let own = pledge.signer.sign(statement.canonical().as_bytes());
            (pledge, peer, statement, own)
        });
        let own = signed.as_ref().map_or([0; SIGNATURE], |(.., own)| *own);
        let step = "end of the run";
        pipe.channel.phase(step);
        pipe.channel.put::<Signature>(&Blob(own.to_vec())).map_err(SessionError::at(step))?;
        let theirs: Signature = pipe.channel.take(&SIGNATURE).map_err(SessionError::at(step))?;
        let theirs = theirs.0.try_into().expect("as many bytes were taken");
        Ok(signed.map(|(pledge, peer, statement, own)| {
            Receipt::of(statement, pledge, own, [(peer, theirs)])
        }))
    }

    /// What this side makes of a count with noise, where it put `own` of the peer's dummies on its list.
    fn estimate(&self, outcome: Outcome, own: u64) -> Outcome {
        match self.noise_of_each {
            Some(noise) => noise.estimate(outcome, own, self.own_rows().min(self.peer_rows())),
            None => outcome,
        }
    }

    /// A peer that follows the protocol finds no made-up key.
    fn check_count(&self, outcome: &Outcome) -> Result<(), SessionError> {
        let (Outcome::Count(count) | Outcome::Sums { count, .. }) = outcome else { return Ok(()) };
        if self.offer.padding == 0
            || self.offer.release.noise.is_some()
            || *count <= self.own_rows()
        {
            return Ok(());
        }
        let fault = PeerFault::CheckFailed("bound on the number of matches");
        Err(SessionError::at("result")(fault.into()))
    }

    /// This side's rows that are not made up.
    fn own_rows(&self) -> u64 {
        self.rows() - self.offer.padding as u64
    }

    /// How many decimal places each number of a sum has beside the count: a product those of both its columns.
    fn scales(&self) -> Vec<u32> {
        let plain = self.offer.columns.len() - self.offer.attached.products();
        let of_factor = self.peer_columns.first().map_or(0, |column| column.scale);
        let more = std::iter::repeat_n(0, plain).chain(std::iter::repeat(of_factor));
        self.offer.columns.iter().zip(more).map(|(column, more)| column.scale + more).collect()
    }

    fn report(&self, pipe: &mut Pipe, outcome: Outcome, rounds: u64, threads: usize) -> Report {
        let costs = pipe.costs();
        let scales = self.scales();
        let Briefing { operation, protocol, security, learn, ref presets, .. } = *self.briefing();
        Report {
            run: run_id(&self.session),
            peers: vec![self.peer_report(pipe)],
            operation,
            protocol,
            security,
            learn,
            presets: presets.clone(),
            matching: self.offer.matching,
            place: None,
            role: Some(self.role),
            learned: self.briefing().learned.clone(),
            distinct: self.own_rows(),
            told: self.rows(),
            warnings: self.briefing().warnings.clone(),
            choices: self.choices,
            peer_columns: self.peer_columns.clone(),
            peer_lent: self.peer_lent.clone(),
            peer_rows_of_key: self.peer_rows_of_key,
            outcome,
            receipt: None,
            release: self.offer.release,
            noise_of_each: self.noise_of_each,
            reference: self.offer.reference.clone(),
            withheld: None,
            rounds,
            phases: costs.phases,
            threads,
        }
        .and_no_match()
        .released(&scales)
    }

    fn peer_report(&self, pipe: &mut Pipe) -> PeerReport {
        let (name, distinct) = (self.name.clone(), self.peer_rows());
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

/// A pool of so many threads. The driver of a run occupies one of them; a pool of one thread runs everything on it.
///
/// # Errors
/// When they cannot be started.
pub fn pool(threads: usize) -> Result<ThreadPool, SessionError> {
    ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .spawn_handler(|thread| {
            let name = format!("veilset-{}", thread.index());
            veilset_host::thread::spawn(&name, || thread.run())
        })
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
