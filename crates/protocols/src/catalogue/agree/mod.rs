//! Fair reconciliation of ordered sets: the common entry that both sides together prefer most, and nothing else.
//!
//! Mayer, Teubert, Wetzel and Meyer, "Implementation and Performance Evaluation of Privacy-Preserving Fair Reconciliation
//! Protocols on Ordered Sets", CODASPY 2011: 3PR^C-PSI-explicit-cached of section 3.4, for any private matching. With
//! `C` a composition scheme:
//!
//! 1. Both sides prepare what all comparisons need, by the [`Comparator`]: elements under the other's key
//!    (`3pr-dh`, steps 1 and 2), or public keys, and encryptions of entries ahead of the rounds that need them
//!    (`3pr-paillier`, `3pr-implicit`).
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
//! combined rank are equal. Without a common entry both learn that alone, after all rounds. That holds for every comparator.
//!
//! **Pair by pair** (`3pr-dh-pairwise`, `3pr-paillier-pairwise`), as the paper has it, each pair has a round of its own, in the order in
//! which the first of a round wins. A pair is shown in the message that says of the one before that it is not equal, so the last
//! tester sees one equal pair, the first, and both learn the entry alone. The price is half a round trip a pair.
//!
//! **`3pr-dh-fixed`** goes through all rounds whatever they find: after the match, decoys are shown. Who watches the
//! traffic, or the clock, learns nothing but sizes, and the price is that of the worst case. The parties learn the same as above.
//!
//! **Security.** Semi-honest. A token is a digest that only the shower, and whoever holds the same entry, can compute, so a tester
//! cannot name a pair by mistake; one that cheats can name a later pair, or none.

mod cost;
mod dh;
mod entries;
mod implicit;
mod keys;
mod matching;
mod paillier;
mod rounds;
mod schedule;
mod scheme;
#[cfg(test)]
mod tests;
mod verdict;

use veilset_crypto::paillier::KeySize;

use self::dh::DiffieHellman;
pub(crate) use self::entries::{
    FIXED, IMPLICIT, PAILLIER, PAILLIER_PAIRWISE, PAIRWISE, TO_THE_MATCH, UNCACHED,
};
use self::implicit::Implicit;
pub use self::keys::Reuse;
use self::matching::Matching;
use self::paillier::Paillier;
use self::rounds::reconcile;
use self::schedule::Schedule;
pub use self::scheme::Scheme;
use self::scheme::{Composition, Pair, PairByPair, Sizes};
use crate::{Conclusion, Outcome, ProtocolError, Role, Run};

/// What compares entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparator {
    /// Elements under both sides' keys on ristretto255.
    DiffieHellman,
    /// r·(a − b) under Paillier's encryption, short and several in a plaintext.
    Paillier(KeySize, Reuse),
    /// Oblivious evaluation of x − a under Paillier's encryption, as the paper describes it.
    Implicit(KeySize),
}

/// How the rounds go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Course {
    /// Up to the match.
    ToTheMatch,
    /// Through all, wherever the match is.
    AllRounds,
    /// Up to the match, each pair in a round of its own.
    PairByPair,
}

impl Course {
    /// In which rounds the pairs of lists of these lengths come.
    fn composition(self, scheme: Option<Scheme>, sizes: Sizes) -> Box<dyn Composition> {
        let whole = scheme.unwrap_or_default().composition();
        match self {
            Self::ToTheMatch | Self::AllRounds => whole,
            Self::PairByPair => Box::new(PairByPair::new(&*whole, sizes)),
        }
    }
}

/// One side of an agreement with rounds up to the match, by a comparator with any length of keys: the registry's are
/// [`KeySize::B2048`].
///
/// # Errors
/// When the channel fails or the peer breaks the protocol.
pub fn run_over(comparator: Comparator, run: Run<'_>) -> Result<Conclusion, ProtocolError> {
    run_to(Course::ToTheMatch, comparator, run)
}

fn run_to(
    course: Course,
    comparator: Comparator,
    mut run: Run<'_>,
) -> Result<Conclusion, ProtocolError> {
    let role = run.side.role;
    let agreed = if run.input.elements.is_empty() || run.input.peer_count == 0 {
        None
    } else {
        // Step 1.
        match comparator {
            Comparator::DiffieHellman => {
                let mut matching = DiffieHellman::new(&mut run)?;
                compare(&mut run, &mut matching, course)?
            }
            Comparator::Paillier(size, reuse) => {
                let mut matching = Paillier::new(&mut run, size, reuse)?;
                compare(&mut run, &mut matching, course)?
            }
            Comparator::Implicit(size) => {
                let mut matching = Implicit::new(&mut run, size)?;
                compare(&mut run, &mut matching, course)?
            }
        }
    };
    let index = agreed.map(|pair| pair.place(role));
    Ok(Box::new(move || Ok(Outcome::Agreed(index))))
}

/// Steps 2 and 3 with a comparator that is ready.
fn compare(
    run: &mut Run<'_>,
    matching: &mut impl Matching,
    course: Course,
) -> Result<Option<Pair>, ProtocolError> {
    let composition = course.composition(run.input.choices.scheme, sizes(run));
    let schedule = Schedule::new(&*composition, sizes(run), run.side.role, matching);
    reconcile(&mut run.means, schedule, course)
}

/// Sizes are at most [`MOST`], as the session checked.
fn sizes(run: &Run<'_>) -> Sizes {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let (own, peer) = (count(run.input.elements.len()), count(run.input.peer_count));
    match run.side.role {
        Role::Sender => Sizes { sender: own, receiver: peer },
        Role::Receiver => Sizes { sender: peer, receiver: own },
    }
}
