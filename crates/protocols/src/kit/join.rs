//! Which of one side's values are in the other's sorted set, which comes block by block: both are pseudorandom, and long.
//!
//! One's own values are sorted, too, and the two are gone through side by side. That reads memory in order, where a search for each value
//! ([`membership`](super::membership)) reads it at random, and no more of the set than a block need be there.

use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;
use veilset_crypto::tasks;
use zeroize::Zeroizing;

use crate::kit::membership::{Hits, NOBODY};
use crate::kit::set_encoding::in_places;

/// Values that one task takes.
const VALUES_A_TASK: usize = 1 << 12;

/// One's own values, and what is known of them so far.
pub(crate) struct Join {
    sorted: Zeroizing<Vec<u128>>,
    /// The number of each.
    numbers: Vec<u32>,
    /// Whether each is in the set.
    found: Vec<bool>,
    /// How many lie below what comes next.
    below: usize,
    askers: Vec<u32>,
    repeated: bool,
}

impl Join {
    /// Of values of so many bits that have these numbers, from 0 on in any order, and a set of `count` values.
    pub(crate) fn new(
        mut values: Zeroizing<Vec<u128>>,
        bits: u32,
        numbers: &[u32],
        count: usize,
    ) -> Self {
        let mut order = in_places(&mut values, bits);
        order.par_iter_mut().for_each(|place| *place = numbers[*place as usize]);
        let (found, askers) = (vec![false; values.len()], Vec::with_capacity(count));
        Self { sorted: values, numbers: order, found, below: 0, askers, repeated: false }
    }

    /// Takes the next values of the set, which rise. The steps are the same whatever is found.
    pub(crate) fn add(&mut self, theirs: &[u128]) {
        let first = self.askers.len();
        self.askers.resize(first + theirs.len(), NOBODY);
        let mut found = &mut self.found[self.below..];
        let mut tasks = Vec::new();
        for (theirs, askers) in
            theirs.chunks(VALUES_A_TASK).zip(self.askers[first..].chunks_mut(VALUES_A_TASK))
        {
            let last = theirs[theirs.len() - 1];
            let own = self.sorted[self.below..].partition_point(|value| *value <= last);
            let range = self.below..self.below + own;
            let found = found.split_off_mut(..own).unwrap_or_default();
            self.below = range.end;
            tasks.push(Stretch { theirs, askers, found, range });
        }
        let (sorted, numbers) = (&self.sorted[..], &self.numbers[..]);
        let repeated = tasks.into_par_iter().map(|stretch| {
            let range = stretch.range.clone();
            stretch.joined(&sorted[range.clone()], &numbers[range])
        });
        self.repeated |= repeated.reduce(|| false, |one, other| one | other);
    }

    /// What was found, once all of the set came.
    pub(crate) fn hits(self) -> Hits {
        let Self { numbers, found, askers, repeated, .. } = self;
        let e: Vec<AtomicBool> = found.iter().map(|_| AtomicBool::new(false)).collect();
        let work = numbers.chunks(VALUES_A_TASK).zip(found.chunks(VALUES_A_TASK));
        tasks::each(work, |(numbers, found)| {
            let places = numbers.iter().zip(found);
            places.for_each(|(number, found)| e[*number as usize].store(*found, Relaxed));
        });
        Hits { e: e.into_iter().map(AtomicBool::into_inner).collect(), askers, repeated }
    }
}

/// Some of the set, and what of one's own can be in it.
struct Stretch<'a> {
    theirs: &'a [u128],
    askers: &'a mut [u32],
    found: &'a mut [bool],
    range: Range<usize>,
}

impl Stretch<'_> {
    /// Goes through both side by side, a step for each value of either; whether a value of the set was asked for twice.
    fn joined(self, own: &[u128], numbers: &[u32]) -> bool {
        let Self { theirs, askers, found, .. } = self;
        let (mut at, mut place, mut repeated) = (0, 0, false);
        let (Some(last_own), Some(last)) = (own.len().checked_sub(1), theirs.len().checked_sub(1))
        else {
            return false;
        };
        for _ in 0..own.len() + theirs.len() {
            let (here, there) = (at.min(last_own), place.min(last));
            let (value, other) = (own[here], theirs[there]);
            let is_own = (at <= last_own) & ((value <= other) | (place > last));
            let hit = is_own & (value == other);
            found[here] |= hit;
            // Nobody, whose bits are all set, where nothing hits.
            let asker = numbers[here] | u32::from(!hit).wrapping_neg();
            repeated |= hit & (askers[there] != NOBODY);
            askers[there] = askers[there].min(asker);
            at += usize::from(is_own);
            place += usize::from(!is_own);
        }
        repeated
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::membership::membership;

    /// What the join finds of these values, of which number i stands in place i·387 mod their count, in blocks of so many.
    fn joined(own: &[u128], theirs: &[u128], block: usize) -> Hits {
        let numbers: Vec<u32> =
            (0..own.len()).map(|place| (place * 387 % own.len()) as u32).collect();
        let values = numbers.iter().map(|number| own[*number as usize]).collect::<Vec<_>>();
        let mut join = Join::new(Zeroizing::new(values), 100, &numbers, theirs.len());
        theirs.chunks(block).for_each(|theirs| join.add(theirs));
        join.hits()
    }

    #[test]
    fn a_join_finds_what_lookups_find() {
        let value = |number: u128| number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        for shift in [28, 50, 118] {
            let mut theirs: Vec<u128> = (0..20_000).map(|number| value(number) >> shift).collect();
            theirs.sort_unstable();
            theirs.dedup();
            let own: Vec<u128> = (12_000..26_000).map(|number| value(number) >> shift).collect();
            for own in [&own[..], &own[..1], &[]] {
                let expected = membership(own, &theirs);
                for block in [1, 777, theirs.len()] {
                    assert_eq!(joined(own, &theirs, block), expected, "{shift} {block}");
                }
            }
        }
    }

    #[test]
    fn values_that_come_twice_are_found_at_the_first() {
        let hits = joined(&[7, 5, 7, 9], &[5, 5, 7, 7, 7], 2);
        assert_eq!(hits.e, [true, true, true, false]);
        assert_eq!(hits.askers, [1, NOBODY, 0, NOBODY, NOBODY]);
        assert!(hits.fault().is_err());
        assert!(joined(&[5, 9, 1, 3], &[5, 5, 5], 1).fault().is_ok());
    }
}
