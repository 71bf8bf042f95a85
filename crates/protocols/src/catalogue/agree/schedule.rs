//! Who speaks when, and what is ready before: the pipeline around the figure's rounds.
//!
//! Message number m is of the side that shows round m. It has that side's verdict on round m − 1, what it shows in round m,
//! and what it offers of round m + 3, which it tests. While the peer tests round m, the side prepares round m + 2, which it
//! shows next: what the peer offers of that came with message m − 1.

use super::matching::{Matching, Token};
use super::scheme::{Composition, Pair, Sizes};
use crate::{Means, ProtocolError, Role};

/// Who shows the pairs of a round; the other tests them and speaks next.
pub(super) fn shower(round: u32) -> Role {
    if round.is_multiple_of(2) { Role::Sender } else { Role::Receiver }
}

/// By how many rounds an offer goes ahead, so that a round can be prepared before the message that comes before it.
const AHEAD: u32 = 3;

/// The rounds, as one side goes through them.
pub(super) struct Schedule<'m, M: Matching> {
    composition: &'m dyn Composition,
    sizes: Sizes,
    role: Role,
    matching: &'m mut M,
    /// What this side shows next.
    prepared: Option<M::Prepared>,
}

impl<'m, M: Matching> Schedule<'m, M> {
    pub(super) fn new(
        composition: &'m dyn Composition,
        sizes: Sizes,
        role: Role,
        matching: &'m mut M,
    ) -> Self {
        Self { composition, sizes, role, matching, prepared: None }
    }

    /// How many rounds there are.
    pub(super) fn count(&self) -> u32 {
        self.composition.rounds(self.sizes)
    }

    /// Whether this side shows the pairs of a round.
    pub(super) fn shows(&self, round: u32) -> bool {
        shower(round) == self.role
    }

    /// The pairs of a round.
    pub(super) fn pairs(&self, round: u32) -> Vec<Pair> {
        self.composition.pairs(self.sizes, round)
    }

    /// What goes before the first round: offers of as many rounds as they are ahead.
    pub(super) fn begin(&mut self, means: &mut Means<'_>) -> Result<(), ProtocolError> {
        means.observer.begin("comparisons", self.count().into());
        means.channel.phase("first offers");
        for round in 0..AHEAD.min(self.count()) {
            self.offer(means, round)?;
        }
        if !self.shows(0) {
            self.prepare(means, 1)?;
        }
        means.channel.phase("comparisons");
        Ok(())
    }

    /// Shows the pairs of a round, decoys if not `genuine`; returns their tokens.
    pub(super) fn show(
        &mut self,
        means: &mut Means<'_>,
        round: u32,
        genuine: bool,
    ) -> Result<Vec<Token>, ProtocolError> {
        let prepared = match self.prepared.take() {
            Some(prepared) => prepared,
            None => self.matching.prepare(&self.pairs(round), means.rng)?,
        };
        let tokens = self.matching.show(means.channel, prepared, genuine)?;
        self.shown(means, round)?;
        Ok(tokens)
    }

    /// Tests the pairs of a round.
    pub(super) fn test(
        &mut self,
        means: &mut Means<'_>,
        round: u32,
    ) -> Result<Vec<Option<Token>>, ProtocolError> {
        let tested = self.matching.test(means.channel, &self.pairs(round))?;
        self.offer(means, round + AHEAD)?;
        means.observer.advance(1);
        Ok(tested)
    }

    /// What follows when a round is shown, while the peer tests it.
    fn shown(&mut self, means: &mut Means<'_>, round: u32) -> Result<(), ProtocolError> {
        self.offer(means, round + AHEAD)?;
        means.observer.advance(1);
        self.prepare(means, round + 2)
    }

    /// Prepares a round that this side shows, if there is one of that number.
    fn prepare(&mut self, means: &mut Means<'_>, round: u32) -> Result<(), ProtocolError> {
        if round < self.count() {
            self.prepared = Some(self.matching.prepare(&self.pairs(round), means.rng)?);
        }
        Ok(())
    }

    /// The side that tests a round offers what the other needs for it, if there is one of that number.
    fn offer(&mut self, means: &mut Means<'_>, round: u32) -> Result<(), ProtocolError> {
        if round >= self.count() {
            return Ok(());
        }
        let pairs = self.pairs(round);
        if self.shows(round) {
            self.matching.take_offer(means.channel, &pairs)
        } else {
            self.matching.offer(means.channel, &pairs, means.rng)
        }
    }
}
