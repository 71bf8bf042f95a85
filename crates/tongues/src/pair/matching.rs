//! The two lists that have all three keys, and what of them matches.

use std::collections::HashSet;

use super::{Encrypted, Rate};

/// Why two lists are not matched: a room did not do what PAIR says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MatchingError {
    /// What came back is not what was sent.
    #[error(
        "{returned} entries came back of {sent} that were sent: the other room must put its key on each; ask it for the whole list, unless \
         --ours and --theirs are swapped"
    )]
    Count {
        /// How many were sent.
        sent: usize,
        /// How many came back.
        returned: usize,
    },
    /// An entry came back more than once.
    #[error(
        "an entry came back twice, and none was sent twice: the other room must put its key on each; ask it for the list anew"
    )]
    Twice,
    /// An entry came back without the other room's key.
    #[error(
        "an entry came back as it was sent, without the other room's key: check that --ours is the list that came back, and ask for it anew \
         if it is"
    )]
    Untouched,
    /// An entry that was sent is on the other room's list.
    #[error(
        "an entry of --sent is on the other room's list, which has both rooms' keys: --sent is the list before the other room put its key on \
         it, so it looks swapped with --ours"
    )]
    Swapped,
    /// Both lists are one.
    #[error(
        "--ours and --theirs have the same entries in the same order, and each room shuffles: give --theirs the list that you encrypted again"
    )]
    Same,
}

impl MatchingError {
    /// Whether the other room did it, and not whoever named the lists.
    #[must_use]
    pub fn is_of_peer(self) -> bool {
        matches!(self, Self::Count { .. } | Self::Twice | Self::Untouched)
    }
}

/// Two lists under all three keys.
pub struct Matching<'a> {
    ours: &'a [Encrypted],
    theirs: HashSet<&'a Encrypted>,
}

impl<'a> Matching<'a> {
    /// This room's list as it `sent` it and as it came back, and the other room's, on which it put its own key. What the other's list has
    /// twice counts once. No entry looks alike under two and under three keys.
    ///
    /// # Errors
    /// When it is not the list that was sent, or the lists are not those.
    pub fn new(
        sent: &[Encrypted],
        ours: &'a [Encrypted],
        theirs: &'a [Encrypted],
    ) -> Result<Self, MatchingError> {
        let held: HashSet<&Encrypted> = theirs.iter().collect();
        if sent.iter().any(|entry| held.contains(entry)) {
            return Err(MatchingError::Swapped);
        }
        if ours.len() != sent.len() {
            return Err(MatchingError::Count { sent: sent.len(), returned: ours.len() });
        }
        let returned: HashSet<&Encrypted> = ours.iter().collect();
        if returned.len() != sent.len() {
            return Err(MatchingError::Twice);
        }
        if sent.iter().any(|entry| returned.contains(entry)) {
            return Err(MatchingError::Untouched);
        }
        // Of one entry there is one order alone.
        if ours.len() > 1 && ours == theirs {
            return Err(MatchingError::Same);
        }
        Ok(Self { ours, theirs: held })
    }

    /// How many different entries the other room's list has.
    #[must_use]
    pub fn distinct_of_theirs(&self) -> usize {
        self.theirs.len()
    }

    /// What both lists have, in ascending order: it says nothing of who it is.
    #[must_use]
    pub fn matched(&self) -> Vec<Encrypted> {
        let mut matched: Vec<Encrypted> =
            self.ours.iter().filter(|entry| self.theirs.contains(entry)).copied().collect();
        matched.sort_unstable();
        matched
    }

    /// The parts of both lists that match, this room's first.
    #[must_use]
    pub fn rates(&self, matched: usize) -> [Rate; 2] {
        [Rate::of(matched, self.ours.len()), Rate::of(matched, self.theirs.len())]
    }
}
