//! Fair reconciliation of ordered sets: the common entry that both sides together prefer most, and nothing else.
//!
//! Mayer, Teubert, Wetzel and Meyer, "Implementation and Performance Evaluation of Privacy-Preserving Fair Reconciliation
//! Protocols on Ordered Sets", CODASPY 2011: 3PR^C-PSI-explicit-cached of section 3.4, for any private matching. With
//! `C` a [composition scheme](scheme):
//!
//! 1. Both sides prepare what all comparisons need ([`DiffieHellman`], steps 1 and 2), so that no round sends an entry again.
//! 2. In each round, of the best combined rank first, all pairs of entries of that combined rank are compared: one side
//!    shows them, the other tests. The two take turns.
//! 3. A tester that finds an equal pair names the first in the scheme's order with its token: the match confirmation. Else
//!    it says that there is none, and in the same message shows the pairs of the next round.
//!
//! Each message says what became of the last round and opens the next, so a round costs half a round trip; while one
//! side tests, the other computes what it will show next.
//!
//! **What each side learns.** The entry, and from the round and the confirmation its place in the other's list; so it learns that
//! no pair of a better combined rank is equal. The side that tests the last round also learns which other pairs of this very
//! combined rank are equal: the paper compares them one after the other, in as many messages. Without a common entry
//! both learn that alone, after all rounds.
//!
//! **`3pr-dh-fixed`** goes through all rounds whatever they find: after the match, decoys are shown. Who watches the
//! traffic, or the clock, learns nothing but sizes, and the price is that of the worst case. The parties learn the same as above.
//!
//! **Security.** Semi-honest. A token is a digest of what only the shower, and whoever holds the same entry in the tester's
//! place, can compute, so a tester cannot name a pair by mistake; one that cheats can name a later pair, or none.

mod cost;
mod dh;
mod matching;
mod scheme;
#[cfg(test)]
mod tests;
mod verdict;

pub use scheme::Scheme;
use veilset_channel::{ChannelExt, PeerFault};
use veilset_crypto::Group;

use self::dh::DiffieHellman;
use self::matching::{Matching, Token};
use self::scheme::{Composition, Pair, Sizes};
use self::verdict::Verdict;
use crate::{
    Conclusion, Cost, Digest, Knowledge, Operation, Outcome, Protocol, ProtocolError, Reveal, Role,
    Run, Security, Shape, Spec,
};

/// A registry entry.
pub(crate) struct Agree {
    spec: Spec,
    length: Length,
}

/// When the rounds end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    /// With the match.
    ToTheMatch,
    /// After all, wherever the match is.
    Fixed,
}

/// `3pr-dh`.
pub(crate) static TO_THE_MATCH: Agree = Agree {
    spec: Spec {
        id: "3pr-dh",
        title: "fair reconciliation, rounds up to the match",
        operation: Operation::Agree,
        paper: "Mayer, Teubert, Wetzel and Meyer, CODASPY 2011, section 3.4 (3PR^C explicit, cached)",
        security: Security::SemiHonest,
        assumption: "DDH, random oracle",
        reveals: &[Reveal::Both],
        receiver: ENTRY,
        sender: ENTRY,
        residue: ENTRY,
        leaks: &[
            LENGTHS,
            PLACE,
            TIES,
            "Whoever watches the traffic sees how many rounds there are, so how good the match is.",
        ],
        max_elements: MOST,
        groups: &[Group::Ristretto255],
        digests: &[Digest::Shuffled],
        cut: false,
        prime: false,
    },
    length: Length::ToTheMatch,
};

/// `3pr-dh-fixed`.
pub(crate) static FIXED: Agree = Agree {
    spec: Spec {
        id: "3pr-dh-fixed",
        title: "fair reconciliation, always all rounds",
        leaks: &[LENGTHS, PLACE, TIES],
        ..TO_THE_MATCH.spec
    },
    length: Length::Fixed,
};

/// The most entries of a side: 2^24 pairs, which take minutes.
const MOST: u64 = 1 << 12;

const ENTRY: Knowledge = Knowledge {
    of_you: "the common entry that both together prefer most and its place in the peer's list, or that there is none",
    of_peer: "the same entry and its place in your list, or that there is none",
};

const LENGTHS: &str = "Each side learns how many entries the other's list has.";

const PLACE: &str = "The place of the agreed entry in the other's list tells each side how much the other likes it, and that no \
     pair of a better combined rank is equal.";

const TIES: &str =
    "One side also learns which other entries are common and have the same combined rank.";

impl Protocol for Agree {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn cost(&self, shape: Shape) -> Cost {
        cost::cost(&shape)
    }

    fn run(&self, mut run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        let role = run.role;
        let sizes = sizes(&run);
        let composition = run.params.scheme.composition();
        let agreed = if composition.rounds(sizes) == 0 {
            None
        } else {
            let mut matching = DiffieHellman::new(&mut run)?;
            let rounds = Rounds::new(composition, sizes, self.length);
            reconcile(&mut run, &mut matching, rounds)?
        };
        let index = agreed.map(|pair| pair.place(role));
        Ok(Box::new(move || Ok(Outcome::Agreed(index))))
    }
}

/// Sizes are at most [`MOST`], as the session checked.
fn sizes(run: &Run<'_>) -> Sizes {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let (own, peer) = (count(run.elements.len()), count(run.peer_count));
    match run.role {
        Role::Sender => Sizes { sender: own, receiver: peer },
        Role::Receiver => Sizes { sender: peer, receiver: own },
    }
}

/// Who shows the pairs of a round; the other tests them and speaks next.
fn shower(round: u32) -> Role {
    if round.is_multiple_of(2) { Role::Sender } else { Role::Receiver }
}

/// Steps 2 and 3. Message number m, of side `shower(m)`, has the verdict on round m − 1 and what is shown in round m.
fn reconcile<M: Matching>(
    run: &mut Run<'_>,
    matching: &mut M,
    mut rounds: Rounds<M::Prepared>,
) -> Result<Option<Pair>, ProtocolError> {
    run.observer.begin("comparisons", rounds.count.into());
    for message in 0..=rounds.count {
        if shower(message) == run.role {
            rounds.speak(run, matching, message)?;
        } else {
            rounds.listen(run, matching, message)?;
        }
        if rounds.ended {
            break;
        }
        run.observer.advance(1);
    }
    Ok(rounds.agreed)
}

/// Where one side is.
struct Rounds<Prepared> {
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
    fn new(composition: &'static dyn Composition, sizes: Sizes, length: Length) -> Self {
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

    /// Says what became of the round before, and shows the pairs of this one.
    fn speak<M: Matching<Prepared = Prepared>>(
        &mut self,
        run: &mut Run<'_>,
        matching: &mut M,
        message: u32,
    ) -> Result<(), ProtocolError> {
        run.channel.phase("comparisons");
        if message > 0 {
            run.channel.put(&self.verdict)?;
        }
        self.ended = message == self.count || self.match_ends_it();
        if self.ended {
            return Ok(());
        }
        let prepared = match self.prepared.take() {
            Some(prepared) => prepared,
            None => matching.prepare(&self.pairs(message), run.rng)?,
        };
        self.tokens = matching.show(run.channel, prepared, self.agreed.is_none())?;
        Ok(())
    }

    /// Hears what became of the round before, and tests the pairs of this one.
    fn listen<M: Matching<Prepared = Prepared>>(
        &mut self,
        run: &mut Run<'_>,
        matching: &mut M,
        message: u32,
    ) -> Result<(), ProtocolError> {
        if message + 1 < self.count {
            self.prepared = Some(matching.prepare(&self.pairs(message + 1), run.rng)?);
        }
        run.channel.phase("comparisons");
        if message > 0 {
            let heard: Verdict = run.channel.take(&self.tokens.len())?;
            if let Some(place) = heard.checked(&self.tokens)? {
                self.agree_on(self.pairs(message - 1)[place as usize])?;
            }
        }
        self.ended = message == self.count || self.match_ends_it();
        if self.ended {
            return Ok(());
        }
        let pairs = self.pairs(message);
        self.verdict = Verdict::on(&matching.test(run.channel, &pairs)?);
        match self.verdict.0 {
            // After the match there are decoys only.
            Some(_) if self.agreed.is_some() => self.verdict = Verdict(None),
            Some((place, _)) => self.agreed = Some(pairs[place as usize]),
            None => {}
        }
        Ok(())
    }

    fn agree_on(&mut self, pair: Pair) -> Result<(), PeerFault> {
        match self.agreed.replace(pair) {
            None => Ok(()),
            Some(_) => Err(PeerFault::CheckFailed("match confirmation, which came twice")),
        }
    }
}
