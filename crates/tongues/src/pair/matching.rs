//! The two lists that have all three keys, and what of them matches.

use std::collections::HashSet;

use super::{Encrypted, Rate};

/// Why two lists are not matched: a room did not do what PAIR says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MatchingError {
    /// What came back is not what was sent.
    #[error(
        "{returned} entries came back of {sent} that were sent: the other room must put its key on each; ask it for the whole list"
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
}

/// Two lists under all three keys.
pub struct Matching<'a> {
    ours: &'a [Encrypted],
    theirs: HashSet<&'a Encrypted>,
}

impl<'a> Matching<'a> {
    /// This room's list as it came back, of which it `sent` so many entries, and the other room's, on which it put its own key. What the
    /// other's list has twice counts once.
    ///
    /// # Errors
    /// When it is not the list that was sent.
    pub fn new(
        sent: usize,
        ours: &'a [Encrypted],
        theirs: &'a [Encrypted],
    ) -> Result<Self, MatchingError> {
        if ours.len() != sent {
            return Err(MatchingError::Count { sent, returned: ours.len() });
        }
        if ours.iter().collect::<HashSet<_>>().len() != sent {
            return Err(MatchingError::Twice);
        }
        Ok(Self { ours, theirs: theirs.iter().collect() })
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
