//! The interface of every protocol between three parties or more.
//!
//! All parties are numbered alike, by their places from 0. Each two have a channel.

mod error;
#[cfg(test)]
pub(crate) mod mesh;

use rand_core::CryptoRng;
use veilset_channel::Channel;
use veilset_crypto::Element;
use zeroize::Zeroizing;

pub use error::MultipartyError;

use crate::{Choices, Observer, Operation, Outcome, PartyCost, Security};

/// The most parties: what one tells all of its key fits a frame on every group.
pub const MOST_PARTIES: usize = 64;

/// A private set operation between three parties or more.
pub trait MultipartyProtocol: Sync {
    /// What it is and what it reveals.
    fn spec(&self) -> &MultipartySpec;

    /// What a run costs.
    fn cost(&self, parties: &Parties<'_>) -> MultipartyCost;

    /// Runs the part of one party until nothing more crosses the wire.
    ///
    /// # Errors
    /// When a channel fails or a party breaks the protocol, which is then named.
    ///
    /// # Panics
    /// When there are fewer than three parties or more than [`MOST_PARTIES`], or a channel is missing.
    fn run(&self, run: MultipartyRun<'_>) -> Result<MultipartyConclusion, MultipartyError>;
}

/// What is left to compute when nothing more crosses the wire, as a [`Conclusion`](crate::Conclusion) between two.
pub type MultipartyConclusion = Box<dyn FnOnce() -> Result<Outcome, MultipartyError> + Send>;

/// Which parties may pool what they saw and still learn nothing beside their results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withstands {
    /// Any, up to all but one.
    AllButOne,
    /// Any among whom are not both the leader and the pivot.
    LeaderApartFromPivot,
}

/// Everything about a protocol that its users and the suites need.
#[derive(Debug)]
pub struct MultipartySpec {
    /// Its name on the command line and in the terms.
    pub id: &'static str,
    /// One line for a table.
    pub title: &'static str,
    /// What it computes.
    pub operation: Operation,
    /// Where it comes from: paper, section, figure.
    pub paper: &'static str,
    /// Against whom it holds.
    pub security: Security,
    /// Against which of them together.
    pub withstands: Withstands,
    /// What its security rests on.
    pub assumption: &'static str,
    /// Whether some parties may learn and others not; else all do.
    pub some_learn: bool,
    /// What leaks beyond the result, in full sentences.
    pub leaks: &'static [&'static str],
    /// The largest set of a party.
    pub max_elements: u64,
    /// What stands beside the protocol, for reports; nobody chooses it.
    pub choices: Choices,
}

/// Who takes part in a run, and as what. All have agreed on it.
#[derive(Debug, Clone, Copy)]
pub struct Parties<'a> {
    /// Each party's number of elements.
    pub sizes: &'a [usize],
    /// The place of the party that computes the result first, and learns it.
    pub leader: usize,
    /// The place of the party that holds all keys of a protocol with a pivot.
    pub pivot: usize,
    /// Whether each party learns the result.
    pub learners: &'a [bool],
    /// By how many bits less often than with 2^-40 the run may fail, since it is one of several of a session.
    pub slack: u32,
}

impl Parties<'_> {
    /// Whether some set is empty, so that nothing is common.
    #[must_use]
    pub fn has_an_empty_set(&self) -> bool {
        self.sizes.contains(&0)
    }

    /// The places of all.
    pub(crate) fn places(&self) -> std::ops::Range<usize> {
        0..self.sizes.len()
    }
}

/// What a run costs.
#[derive(Debug, Clone, PartialEq)]
pub struct MultipartyCost {
    /// Each party's part.
    pub parties: Vec<PartyCost>,
    /// Bytes that each party receives.
    pub received: Vec<f64>,
    /// Rounds between the two parties that have most of them.
    pub rounds: u64,
}

impl MultipartyCost {
    /// Of so many parties that do nothing.
    pub(crate) fn nothing(parties: usize) -> Self {
        let (received, parties) = (vec![0.0; parties], vec![PartyCost::default(); parties]);
        Self { parties, received, rounds: 0 }
    }

    /// This run's and then another's between the same parties.
    #[must_use]
    pub fn and_then(mut self, next: &Self) -> Self {
        for (place, more) in next.parties.iter().enumerate() {
            self.add(place, *more);
        }
        self.received.iter_mut().zip(&next.received).for_each(|(sum, more)| *sum += more);
        Self { rounds: self.rounds + next.rounds, ..self }
    }

    /// Adds what the party in a place does.
    pub(crate) fn add(&mut self, place: usize, more: PartyCost) {
        let party = &mut self.parties[place];
        *party = PartyCost { memory: party.memory.max(more.memory), ..party.and(more) };
    }

    /// Adds what a party does whose bytes all go to the one in the place `to`.
    pub(crate) fn add_to(&mut self, to: usize, place: usize, more: PartyCost) {
        self.add(place, more);
        self.received[to] += more.bytes_sent;
    }
}

/// A run as one party has it.
pub struct MultipartyRun<'a> {
    /// This party's place.
    pub place: usize,
    /// All parties.
    pub parties: Parties<'a>,
    /// This party's set, without repetitions. The run wipes it.
    pub elements: Zeroizing<Vec<Element>>,
    /// What all parties know of this session, and no other session has.
    pub session: &'a [u8; 32],
    /// The way to each party, by its place; none to this one.
    pub channels: Vec<Option<&'a mut dyn Channel>>,
    /// All randomness of the run.
    pub rng: &'a mut dyn CryptoRng,
    /// Hears how far the run is.
    pub observer: &'a dyn Observer,
}

impl MultipartyRun<'_> {
    /// Whether this party learns the result.
    #[must_use]
    pub fn learns(&self) -> bool {
        self.parties.learners[self.place]
    }

    /// That what the caller gives fits together.
    pub(crate) fn check(&self) {
        let Parties { sizes, leader, pivot, learners, .. } = self.parties;
        assert!((3..=MOST_PARTIES).contains(&sizes.len()), "three parties or more");
        assert_eq!(self.channels.len(), sizes.len(), "a place for each party");
        let mut ways = self.channels.iter().enumerate();
        assert!(ways.all(|(at, way)| way.is_none() == (at == self.place)), "ways to others");
        assert_eq!(sizes[self.place], self.elements.len(), "this party's size");
        assert!(learners.len() == sizes.len() && learners[leader], "the leader learns");
        assert!(leader != pivot && pivot < sizes.len(), "a pivot beside the leader");
    }

    /// The end of a run some set of which is empty, as all know beforehand.
    pub(crate) fn without_matches(&self, operation: Operation) -> Option<MultipartyConclusion> {
        let nothing = match (self.learns(), operation) {
            (false, _) => Outcome::Nothing,
            (true, Operation::Count) => Outcome::Count(0),
            (true, _) => Outcome::Matched(Vec::new()),
        };
        // Of some parties' lists something may be common.
        let is_settled = self.parties.has_an_empty_set() && operation != Operation::Overlaps;
        is_settled.then(|| -> MultipartyConclusion { Box::new(|| Ok(nothing)) })
    }
}
