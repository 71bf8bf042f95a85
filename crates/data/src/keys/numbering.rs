//! Numbers of digests, in the order in which each occurs first.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU32, Ordering};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::KeyDigest;
use crate::keys::NO_KEY;
use crate::rounds::{on_all, threads};

/// The most tables among which digests fall: a power of two.
const MOST_TABLES: usize = 1 << 8;

/// The numbers of the digests that were seen, in as many tables as there are threads, so that each thread fills its own.
pub(crate) struct Numbering {
    tables: Vec<HashTable<u32>>,
    state: RandomState,
}

impl Numbering {
    /// With room for so many.
    pub(crate) fn new(room: usize) -> Self {
        let tables = threads().next_power_of_two().min(MOST_TABLES);
        let table = || HashTable::with_capacity(room / tables);
        Self { tables: (0..tables).map(|_| table()).collect(), state: RandomState::new() }
    }

    /// What hashes digests: whoever supplies keys can choose digests of like bits, but does not know this hash.
    pub(crate) fn state(&self) -> RandomState {
        self.state.clone()
    }

    /// The numbers of the last of `digests`, which have these hashes; the others are those that were seen, by their numbers. What was seen
    /// before, or occurs twice, is taken out of `digests`.
    pub(crate) fn number(&mut self, digests: &mut Vec<KeyDigest>, hashes: &[u64]) -> Vec<u32> {
        let before = digests.len() - hashes.len();
        let mut numbers = self.find(digests, hashes);
        let mut renamed = Vec::new();
        let mut next = before;
        for place in 0..numbers.len() {
            let (first, own) = (numbers[place] as usize, before + place);
            if first == own {
                if next < own {
                    digests[next] = digests[own];
                    renamed.push(place);
                }
                numbers[place] = narrow(next);
                next += 1;
            } else if first >= before {
                numbers[place] = numbers[first - before];
            }
        }
        digests.truncate(next);
        self.rename(before, hashes, &numbers, &renamed);
        numbers
    }

    /// For each digest the number of the same one that was seen, or else the place of the first such in `digests`.
    fn find(&mut self, digests: &[KeyDigest], hashes: &[u64]) -> Vec<u32> {
        let before = digests.len() - hashes.len();
        let found: Vec<AtomicU32> = hashes.iter().map(|_| AtomicU32::new(0)).collect();
        let (state, tables) = (&self.state, self.tables.len());
        on_all(&mut self.tables, |number, table| {
            let own = hashes.iter().zip(&found).enumerate();
            for (place, (hash, found)) in own.filter(|(_, (hash, _))| of(**hash, tables) == number)
            {
                let digest = &digests[before + place];
                let same = |other: &u32| digests[*other as usize] == *digest;
                let hash_of = |other: &u32| state.hash_one(digests[*other as usize]);
                let first = match table.entry(*hash, same, hash_of) {
                    Entry::Occupied(seen) => *seen.get(),
                    Entry::Vacant(free) => *free.insert(narrow(before + place)).get(),
                };
                found.store(first, Ordering::Relaxed);
            }
        });
        found.into_iter().map(AtomicU32::into_inner).collect()
    }

    /// Gives those in these places, which rise, their numbers instead of `before` and the place. A number is never more than that, so no
    /// other entry has it when its turn comes.
    fn rename(&mut self, before: usize, hashes: &[u64], numbers: &[u32], places: &[usize]) {
        let tables = self.tables.len();
        on_all(&mut self.tables, |number, table| {
            for place in places.iter().filter(|place| of(hashes[**place], tables) == number) {
                let old = narrow(before + place);
                if let Some(entry) = table.find_mut(hashes[*place], |other| *other == old) {
                    *entry = numbers[*place];
                }
            }
        });
    }
}

/// In which of so many tables a hash is, by bits that a table does not look at.
fn of(hash: u64, tables: usize) -> usize {
    (hash >> 40) as usize % tables
}

/// A list has fewer rows than 2^32 − 1, and generators make no more.
fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(NO_KEY)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    proptest::proptest! {
        #[test]
        fn numbers_are_those_of_first_occurrences(
            rounds in proptest::collection::vec(proptest::collection::vec(0_u8..40, 0..30), 0..8),
            threads in 1_usize..5,
        ) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads start").install(|| {
                let mut numbering = Numbering::new(0);
                let state = numbering.state();
                let (mut digests, mut oracle) = (Vec::new(), HashMap::new());
                for round in rounds {
                    let round: Vec<KeyDigest> = round.iter().map(|byte| [*byte; 32]).collect();
                    let expected: Vec<u32> = round.iter().map(|digest| {
                        let next = u32::try_from(oracle.len()).expect("few");
                        *oracle.entry(*digest).or_insert(next)
                    }).collect();
                    let hashes: Vec<u64> = round.iter().map(|digest| state.hash_one(digest)).collect();
                    digests.extend(round);
                    proptest::prop_assert_eq!(numbering.number(&mut digests, &hashes), expected);
                }
                proptest::prop_assert_eq!(digests.len(), oracle.len());
                let at = |number: u32| digests[number as usize];
                proptest::prop_assert!(oracle.iter().all(|(digest, number)| at(*number) == *digest));
                Ok(())
            })?;
        }
    }
}
