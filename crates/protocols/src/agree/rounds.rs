//! Steps 2 and 3: who says what when.

use veilset_channel::{ChannelExt, PeerFault};

use super::Length;
use super::matching::{Matching, Token};
use super::scheme::{Composition, Pair, Sizes};
use super::verdict::Verdict;
use crate::{ProtocolError, Role, Run};

/// Who shows the pairs of a round; the other tests them and speaks next.
pub(super) fn shower(round: u32) -> Role {
    if round.is_multiple_of(2) { Role::Sender } else { Role::Receiver }
}

/// By how many rounds an offer goes ahead, so that a round can be prepared before the message that comes before it: the side
/// that tests round m + 3 sends message m, and the other prepares the round while it waits for message m + 2.
const AHEAD: u32 = 3;

/// Steps 2 and 3. Message number m, of side `shower(m)`, has the verdict on round m − 1, what is shown in round m, and what that
/// side offers of round m + 3, which it tests.
pub(super) fn reconcile<M: Matching>(
    run: &mut Run<'_>,
    matching: &mut M,
    mut rounds: Rounds<M::Prepared>,
) -> Result<Option<Pair>, ProtocolError> {
    run.means.observer.begin("comparisons", rounds.count.into());
    run.means.channel.phase("first offers");
    for round in 0..AHEAD.min(rounds.count) {
        rounds.offer(run, matching, round)?;
    }
    for message in 0..=rounds.count {
        if shower(message) == run.part.role {
            rounds.speak(run, matching, message)?;
        } else {
            rounds.listen(run, matching, message)?;
        }
        if rounds.ended {
            break;
        }
        run.means.observer.advance(1);
    }
    Ok(rounds.agreed)
}

/// Where one side is.
pub(super) struct Rounds<Prepared> {
    composition: &'static dyn Composition,
    sizes: Sizes,
    length: Length,
    count: u32,
    /// The match, as soon as this side knows it.
    agreed: Option<Pair>,
    /// Whether both know.
    ended: bool,
    /// On the pairs that this side tested last.
    verdict: Verdict,
    /// Of the pairs that this side showed last.
    tokens: Vec<Token>,
    /// What this side will show next.
    prepared: Option<Prepared>,
}

impl<Prepared> Rounds<Prepared> {
    pub(super) fn new(composition: &'static dyn Composition, sizes: Sizes, length: Length) -> Self {
        Self {
            composition,
            sizes,
            length,
            count: composition.rounds(sizes),
            agreed: None,
            ended: false,
            verdict: Verdict(None),
            tokens: Vec::new(),
            prepared: None,
        }
    }

    /// Whether there is a match, and no round after it.
    fn match_ends_it(&self) -> bool {
        self.agreed.is_some() && self.length == Length::ToTheMatch
    }

    fn pairs(&self, round: u32) -> Vec<Pair> {
        self.composition.pairs(self.sizes, round)
    }

    /// What the side that tests a round offers of it.
    fn offer<M: Matching<Prepared = Prepared>>(
        &self,
        run: &mut Run<'_>,
        matching: &mut M,
        round: u32,
    ) -> Result<(), ProtocolError> {
        if round >= self.count {
            return Ok(());
        }
        let pairs = self.pairs(round);
        if shower(round) == run.part.role {
            matching.take_offer(run.means.channel, &pairs)
        } else {
            matching.offer(run.means.channel, &pairs, run.means.rng)
        }
    }

    /// Says what became of the round before, and shows the pairs of this one.
    fn speak<M: Matching<Prepared = Prepared>>(
        &mut self,
        run: &mut Run<'_>,
        matching: &mut M,
        message: u32,
    ) -> Result<(), ProtocolError> {
        run.means.channel.phase("comparisons");
        if message > 0 {
            run.means.channel.put(&self.verdict)?;
        }
        self.ended = message == self.count || self.match_ends_it();
        if self.ended {
            return Ok(());
        }
        let prepared = match self.prepared.take() {
            Some(prepared) => prepared,
            None => matching.prepare(&self.pairs(message), run.means.rng)?,
        };
        self.tokens = matching.show(run.means.channel, prepared, self.agreed.is_none())?;
        self.offer(run, matching, message + AHEAD)
    }

    /// Hears what became of the round before, and tests the pairs of this one.
    fn listen<M: Matching<Prepared = Prepared>>(
        &mut self,
        run: &mut Run<'_>,
        matching: &mut M,
        message: u32,
    ) -> Result<(), ProtocolError> {
        if message + 1 < self.count {
            self.prepared = Some(matching.prepare(&self.pairs(message + 1), run.means.rng)?);
        }
        run.means.channel.phase("comparisons");
        if message > 0 {
            let heard: Verdict = run.means.channel.take(&self.tokens.len())?;
            if let Some(place) = heard.checked(&self.tokens)? {
                self.agree_on(self.pairs(message - 1)[place as usize])?;
            }
        }
        self.ended = message == self.count || self.match_ends_it();
        if self.ended {
            return Ok(());
        }
        let pairs = self.pairs(message);
        self.verdict = Verdict::on(&matching.test(run.means.channel, &pairs)?);
        match self.verdict.0 {
            // After the match there are decoys only.
            Some(_) if self.agreed.is_some() => self.verdict = Verdict(None),
            Some((place, _)) => self.agreed = Some(pairs[place as usize]),
            None => {}
        }
        self.offer(run, matching, message + AHEAD)
    }

    fn agree_on(&mut self, pair: Pair) -> Result<(), PeerFault> {
        match self.agreed.replace(pair) {
            None => Ok(()),
            Some(_) => Err(PeerFault::CheckFailed("match confirmation, which came twice")),
        }
    }
}
