//! Who is what among several parties, once all are known.

use veilset_protocols::Parties;

use crate::{Seats, SessionError};

/// What each party is, by its place in the order of keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seated {
    pub(super) leader: usize,
    pub(super) pivot: usize,
    /// Whether each learns.
    pub(super) learners: Vec<bool>,
}

const STRANGER: &str =
    "who learns, leads or is the pivot (--learner, --leader, --pivot) is one of the parties";

impl Seated {
    /// As `seats` has it among the parties of these keys, which rise.
    pub(super) fn new(seats: &Seats, keys: &[[u8; 32]]) -> Result<Self, SessionError> {
        let place = |key: &[u8; 32]| {
            keys.binary_search(key).map_err(|_| SessionError::Multiparty(STRANGER))
        };
        let mut learners = vec![seats.learners.is_empty(); keys.len()];
        for key in &seats.learners {
            learners[place(key)?] = true;
        }
        let first = learners.iter().position(|learns| *learns).unwrap_or(0);
        let leader = seats.leader.as_ref().map_or(Ok(first), place)?;
        if !learners[leader] {
            return Err(SessionError::Multiparty(
                "the leader (--leader) computes the result, so it has to be one of those who learn (--learner)",
            ));
        }
        let other = usize::from(leader == 0);
        let pivot = seats.pivot.as_ref().map_or(Ok(other), place)?;
        if pivot == leader {
            return Err(SessionError::Multiparty(
                "the leader and the pivot (--leader, --pivot) are two parties",
            ));
        }
        Ok(Self { leader, pivot, learners })
    }

    /// With these sizes in one of so many runs.
    pub(super) fn parties<'a>(&'a self, sizes: &'a [usize], runs: usize) -> Parties<'a> {
        let Self { leader, pivot, ref learners } = *self;
        Parties { sizes, leader, pivot, learners, slack: runs.next_power_of_two().ilog2() }
    }

    /// Whether all learn.
    pub(super) fn all_learn(&self) -> bool {
        self.learners.iter().all(|learns| *learns)
    }
}
