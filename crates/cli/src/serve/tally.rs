//! What is told of clients again and again: each of the first few times, then how often.

use std::collections::BTreeMap;
use std::mem::take;
use std::time::{Duration, Instant};

use veilset::party::PublicKey;

/// How many of each case are told one by one.
const ONE_BY_ONE: u32 = 3;

/// The least time between two tellings of how often.
const PAUSE: Duration = Duration::from_secs(5);

/// What happens to one client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Case {
    pub(super) client: PublicKey,
    pub(super) what: What,
}

/// What a client can have happen to it as often as it likes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// A request is refused, for the reason with this word.
    Refused(&'static str),
    /// It is sent away.
    SentAway,
}

/// How often each case happened.
#[derive(Default)]
pub(super) struct Tally {
    cases: BTreeMap<Case, Count>,
    /// When to tell of those that are untold; there are some if it is set.
    due: Option<Instant>,
}

#[derive(Default)]
struct Count {
    told: u32,
    untold: u64,
}

impl Tally {
    /// Counts one more, and returns whether it is to be told by itself.
    pub(super) fn add(&mut self, case: Case, now: Instant) -> bool {
        let count = self.cases.entry(case).or_default();
        if count.told < ONE_BY_ONE {
            count.told += 1;
            return true;
        }
        count.untold += 1;
        self.due.get_or_insert(now + PAUSE);
        false
    }

    /// Whether it is time to tell how often.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.due.is_some_and(|due| due <= now)
    }

    /// Each case that is untold, and how often it happened since it was told.
    pub(super) fn tell(&mut self) -> Vec<(Case, u64)> {
        self.due = None;
        let untold = self.cases.iter_mut().map(|(case, count)| (*case, take(&mut count.untold)));
        untold.filter(|(_, times)| *times > 0).collect()
    }

    /// Forgets all other clients.
    pub(super) fn keep(&mut self, stays: impl Fn(&PublicKey) -> bool) {
        self.cases.retain(|case, _| stays(&case.client));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_each_client_and_reason_are_told_and_the_others_counted() {
        let [ann, ben] = [1, 2].map(|byte| PublicKey::from_bytes([byte; 32]));
        let quota = Case { client: ann, what: What::Refused("quota") };
        let moved = Case { what: What::Refused("moved"), ..quota };
        let of_ben = Case { client: ben, ..quota };
        let (start, mut tally) = (Instant::now(), Tally::default());
        for (case, times) in [(quota, 5), (moved, 3), (of_ben, 4)] {
            let told: Vec<bool> = (0..times).map(|_| tally.add(case, start)).collect();
            assert_eq!(told, (0..times).map(|time| time < 3).collect::<Vec<_>>());
        }
        assert!(!tally.is_due(start) && tally.is_due(start + PAUSE));
        assert_eq!(tally.tell(), [(quota, 2), (of_ben, 1)]);
        assert!(!tally.is_due(start + PAUSE) && tally.tell().is_empty());

        assert!(!tally.add(quota, start) && !tally.add(of_ben, start), "as before");
        tally.keep(|client| *client == ann);
        assert_eq!(tally.tell(), [(quota, 1)]);
        assert!(tally.add(of_ben, start), "nothing is known of it any more");
    }
}
