//! What a listener says of those whom it turns away: each of the first few, then their number.

use std::collections::HashMap;
use std::mem::{Discriminant, discriminant, take};
use std::net::SocketAddr;
use std::time::Duration;

use veilset_party::PublicKey;

use crate::clock::Instant;
use crate::{Event, Stranger};

/// How many of each kind are told one by one; so noise of one kind does not hide another.
const ONE_BY_ONE: u32 = 3;

/// The least time between two events that tell a number.
const PAUSE: Duration = Duration::from_secs(5);

/// Those who were turned away.
#[derive(Default)]
pub(crate) struct Tally {
    of_kind: HashMap<Discriminant<Stranger>, u32>,
    /// How many there were.
    pub(crate) strangers: u64,
    /// Why the last one was turned away.
    pub(crate) last: Option<Stranger>,
    /// The last key that one of them showed.
    pub(crate) other_key: Option<PublicKey>,
    untold: u64,
    /// When to tell of those who are untold; there are some if it is set.
    pub(crate) due: Option<Instant>,
}

impl Tally {
    /// Counts one more, and returns what is to be told at once.
    pub(crate) fn add(&mut self, addr: SocketAddr, why: Stranger, now: Instant) -> Option<Event> {
        self.strangers += 1;
        self.last = Some(why.clone());
        if let Stranger::OtherKey(key) = why {
            self.other_key = Some(key);
        }
        let before = self.of_kind.entry(discriminant(&why)).or_default();
        if *before < ONE_BY_ONE {
            *before += 1;
            return Some(Event::StrangerRefused { addr, why });
        }
        self.untold += 1;
        self.due.get_or_insert(now + PAUSE);
        None
    }

    /// What is to be told when `due` has come.
    pub(crate) fn tell(&mut self) -> Option<Event> {
        self.due = None;
        let (count, why) = (take(&mut self.untold), self.last.clone()?);
        (count > 0).then_some(Event::StrangersRefused { count, why })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_each_kind_are_told_and_the_others_counted() {
        let addr = SocketAddr::from(([127, 0, 0, 1], 1));
        let key = PublicKey::from_bytes([7; 32]);
        let (start, mut tally) = (Instant::now(), Tally::default());
        let told: Vec<bool> =
            (0..5).map(|_| tally.add(addr, Stranger::TooSlow, start).is_some()).collect();
        assert_eq!(told, [true, true, true, false, false]);
        let other = tally.add(addr, Stranger::OtherKey(key), start + PAUSE / 2);
        assert_eq!(other, Some(Event::StrangerRefused { addr, why: Stranger::OtherKey(key) }));
        assert_eq!(tally.add(addr, Stranger::TooSlow, start + PAUSE / 2), None);

        assert_eq!(tally.due, Some(start + PAUSE));
        let sum = Event::StrangersRefused { count: 3, why: Stranger::TooSlow };
        assert_eq!(tally.tell(), Some(sum));
        assert_eq!((tally.due, tally.tell()), (None, None));
        assert_eq!((tally.strangers, tally.other_key), (7, Some(key)));

        let later = start + 2 * PAUSE;
        assert_eq!(tally.add(addr, Stranger::TooSlow, later), None);
        assert_eq!(tally.due, Some(later + PAUSE));
    }
}
