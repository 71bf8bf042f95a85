//! Who is being served at a listener, and who goes when more come.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

use veilset_reach::source;

/// How many handshakes run at once where few callers are awaited.
const PLACES: usize = 64;

/// How many of them one source may have.
const PLACES_OF_ONE: usize = 32;

/// Callers in the order in which they came, each with what stops serving it.
///
/// A newcomer always gets a place. When its source has all of its share, the oldest caller from that source goes;
/// when all places are taken, the oldest from the source that has the most. So nobody holds a place by doing nothing,
/// and a source that floods displaces its own.
pub(crate) struct Crowd<T> {
    callers: Vec<Caller<T>>,
    /// How many callers each source has; none has 0.
    of_source: HashMap<IpAddr, usize>,
    places: usize,
    places_of_one: usize,
}

struct Caller<T> {
    addr: SocketAddr,
    source: IpAddr,
    stop: T,
}

impl<T> Crowd<T> {
    /// For a listener that awaits few.
    pub(crate) fn new() -> Self {
        Self::with_places(PLACES, PLACES_OF_ONE)
    }

    /// With so many places, of which one source may have so many.
    pub(crate) fn with_places(places: usize, places_of_one: usize) -> Self {
        Self { callers: Vec::new(), of_source: HashMap::new(), places, places_of_one }
    }

    /// Takes out the caller that must go before one from `newcomer` comes in.
    pub(crate) fn make_room(&mut self, newcomer: SocketAddr) -> Option<(SocketAddr, T)> {
        let gone = self.callers.remove(self.least_deserving(source(newcomer.ip()))?);
        self.count_out(gone.source);
        Some((gone.addr, gone.stop))
    }

    pub(crate) fn enter(&mut self, addr: SocketAddr, stop: T) {
        let source = source(addr.ip());
        *self.of_source.entry(source).or_default() += 1;
        self.callers.push(Caller { addr, source, stop });
    }

    /// Takes out the caller that fits, which was served.
    pub(crate) fn leave(&mut self, fits: impl Fn(&T) -> bool) {
        if let Some(at) = self.callers.iter().position(|caller| fits(&caller.stop)) {
            let gone = self.callers.remove(at);
            self.count_out(gone.source);
        }
    }

    fn least_deserving(&self, newcomer: IpAddr) -> Option<usize> {
        if self.places_of(newcomer) >= self.places_of_one {
            self.callers.iter().position(|caller| caller.source == newcomer)
        } else if self.callers.len() >= self.places {
            (0..self.callers.len())
                .max_by_key(|at| (self.places_of(self.callers[*at].source), Reverse(*at)))
        } else {
            None
        }
    }

    fn places_of(&self, source: IpAddr) -> usize {
        self.of_source.get(&source).copied().unwrap_or(0)
    }

    fn count_out(&mut self, source: IpAddr) {
        let Some(count) = self.of_source.get_mut(&source) else { return };
        *count -= 1;
        if *count == 0 {
            self.of_source.remove(&source);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets callers in by turns; each is known by its number, and those who had to go are returned.
    fn displaced(crowd: &mut Crowd<usize>, callers: &[(usize, &str)]) -> Vec<usize> {
        let mut gone = Vec::new();
        for (number, ip) in callers {
            let addr = SocketAddr::new(ip.parse().expect("an address"), 1);
            gone.extend(crowd.make_room(addr).map(|(_, stop)| stop));
            crowd.enter(addr, *number);
        }
        gone
    }

    #[test]
    fn a_source_that_floods_displaces_its_own_oldest() {
        let mut crowd = Crowd::new();
        assert!(displaced(&mut crowd, &[(1000, "10.0.0.1")]).is_empty());
        let flood: Vec<_> = (0..100).map(|number| (number, "10.0.0.2")).collect();
        assert_eq!(displaced(&mut crowd, &flood), (0..68).collect::<Vec<_>>());
        assert!(crowd.callers.iter().any(|caller| caller.stop == 1000));
        assert_eq!(crowd.callers.len(), 1 + PLACES_OF_ONE);
    }

    #[test]
    fn a_newcomer_displaces_the_oldest_of_the_busiest_source() {
        let mut crowd = Crowd::new();
        let one_each: Vec<String> = (0..40).map(|i| format!("10.0.1.{i}")).collect();
        let mut callers: Vec<_> = one_each.iter().map(String::as_str).enumerate().collect();
        callers.extend((40..64).map(|number| (number, "10.0.0.2")));
        assert!(displaced(&mut crowd, &callers).is_empty());
        assert_eq!(displaced(&mut crowd, &[(64, "10.0.0.3"), (65, "10.0.0.4")]), [40, 41]);
    }

    #[test]
    fn among_equals_the_oldest_goes() {
        let mut crowd = Crowd::new();
        let each: Vec<String> = (0..70).map(|i| format!("10.0.1.{i}")).collect();
        let callers: Vec<_> = each.iter().map(String::as_str).enumerate().collect();
        assert_eq!(displaced(&mut crowd, &callers), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_place_is_free_again() {
        let mut crowd = Crowd::new();
        let many: Vec<_> = (0..PLACES_OF_ONE).map(|number| (number, "::1")).collect();
        assert!(displaced(&mut crowd, &many).is_empty());
        crowd.leave(|number| *number == 7);
        assert!(displaced(&mut crowd, &[(90, "::1")]).is_empty());
        assert_eq!(displaced(&mut crowd, &[(91, "::1")]), [0]);
    }

    #[test]
    fn counts_of_sources_are_those_of_the_callers() {
        let mut crowd = Crowd::with_places(20, 7);
        let mut next = 1u32;
        for number in 0..2000 {
            // A linear congruence (Numerical Recipes) is random enough to mix comings and goings.
            next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if next >> 30 == 0 {
                let gone = (next >> 8) as usize % 2000;
                crowd.leave(|caller| *caller == gone);
            } else {
                displaced(&mut crowd, &[(number, &format!("10.0.0.{}", next >> 20 & 15))]);
            }
            let mut plain = HashMap::new();
            for caller in &crowd.callers {
                *plain.entry(caller.source).or_insert(0) += 1;
            }
            assert_eq!(crowd.of_source, plain);
            assert!(crowd.callers.len() <= 20 && plain.values().all(|count| *count <= 7));
        }
    }
}
