//! A run as one party has it: its side, its input and its means.

use rand_core::CryptoRng;
use veilset_channel::Channel;
use veilset_crypto::Element;
use zeroize::Zeroizing;

use crate::{Attached, AttachedShape, Choices, Conclusion, Observer, Outcome, Reveal, Role};

/// A run as one party has it.
pub struct Run<'a> {
    /// Which side of the figure this one is, and who learns.
    pub side: Side,
    /// What the protocol computes on.
    pub input: RunInput<'a>,
    /// What it computes with.
    pub means: Means<'a>,
}

/// A side of a figure in a run that reveals its result to one side or to both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// Which side of the figure this one is.
    pub role: Role,
    /// Who gets the result; both sides agreed on it.
    pub reveal: Reveal,
}

impl Side {
    /// Whether this side gets the result.
    #[must_use]
    pub fn learns(self) -> bool {
        self.reveal.reaches(self.role)
    }

    /// Whether the peer gets the result.
    #[must_use]
    pub fn tells(self) -> bool {
        self.reveal.reaches(self.role.other())
    }
}

/// A side's set, and what the agreed terms say of both sides'.
pub struct RunInput<'a> {
    /// This side's set, without repetitions; where order counts, the best first. The run wipes it, early where memory matters.
    pub elements: Zeroizing<Vec<Element>>,
    /// The size of the peer's set, from the agreed terms.
    pub peer_count: usize,
    /// What this side holds about each of its elements, or rows, in their order.
    pub attached: Attached<'a>,
    /// What the peer holds about each of its elements, or rows, from the agreed terms.
    pub peer_attached: AttachedShape,
    /// So many elements, one after the other, stand for one row, which matches by any of them and to which what is attached
    /// belongs; 1 where each stands for itself. Both sides have whole rows.
    pub per_row: usize,
    /// Bits by which this run must go wrong less often than with 2^-40: log₂ of how many runs make one whole.
    pub slack: u32,
    /// Fewer matches than this give [`Outcome::Fewer`], where the protocol [`withholds`](crate::Spec::withholds).
    pub least: Option<u64>,
    /// Coins of the noise on each number, an even number, where the protocol has [sums on shares](crate::Spec::on_shares): the count that comes out
    /// has their heads more, and a sum half of them less, each times a power of two that is at least the range of the column's values and 0.
    pub coins: u32,
    /// What both sides agreed on beside the protocol.
    pub choices: Choices,
}

/// What a run computes with, and lends to the protocols within it.
pub struct Means<'a> {
    /// What both sides know of this session, and no other session has; protocols within protocols are bound to it.
    pub session: &'a [u8; 32],
    /// The way to the peer.
    pub channel: &'a mut dyn Channel,
    /// All randomness of the run.
    pub rng: &'a mut dyn CryptoRng,
    /// Hears how far the run is.
    pub observer: &'a dyn Observer,
}

impl Means<'_> {
    /// The same, for a protocol within this one.
    pub(crate) fn lent(&mut self) -> Means<'_> {
        let Means { session, channel, rng, observer } = self;
        Means { session, channel: &mut **channel, rng: &mut **rng, observer: *observer }
    }

    /// Begins a step of `units` units of work: a phase of the costs, and what the observer hears of.
    pub(crate) fn step(&mut self, name: &'static str, units: usize) {
        self.channel.phase(name);
        self.observer.begin(name, units as u64);
    }
}

impl Run<'_> {
    /// The end of an intersection of which one set is empty.
    pub(crate) fn without_matches(&self) -> Option<Conclusion> {
        match self.input.peer_attached.width() {
            0 => self.without(Outcome::Matched(Vec::new())),
            _ => self.without_listed(),
        }
    }

    /// The end of a lookup of which one set is empty.
    pub(crate) fn without_listed(&self) -> Option<Conclusion> {
        let width = self.input.peer_attached.width();
        self.without(Outcome::Listed { rows: Vec::new(), width, labels: Vec::new() })
    }

    fn without(&self, matches: Outcome) -> Option<Conclusion> {
        let empty = self.input.elements.is_empty() || self.input.peer_count == 0;
        let nothing = if self.side.learns() { matches } else { Outcome::Nothing };
        empty.then(|| -> Conclusion { Box::new(|| Ok(nothing)) })
    }
}
