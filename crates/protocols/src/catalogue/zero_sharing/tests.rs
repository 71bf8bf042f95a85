//! Runs in threads against plain sets, and each way to break the protocol against who did it.

use std::collections::BTreeSet;
use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use super::*;
use crate::multiparty::mesh::{End, channels, mesh};
use crate::{Outcome, Overlaps, Silent};

type Results = Vec<Result<Outcome, MultipartyError>>;

/// The lists of a run, and who is what in it.
struct Lists {
    sets: Vec<Vec<u32>>,
    leader: usize,
    pivot: usize,
    learners: Vec<bool>,
}

impl Lists {
    /// Of 3 to 7 parties, each of up to `most` numbers; some in all of them.
    fn random(rng: &mut ChaCha20Rng, most: u32) -> Self {
        let mut below = |n: u32| rng.next_u32() % n;
        let parties = 3 + below(5) as usize;
        let common: Vec<u32> = (0..below(most)).map(|n| 1000 + n).collect();
        let set = |_| {
            let of_universe: BTreeSet<u32> = (0..below(most)).map(|_| below(most)).collect();
            let mut set: Vec<u32> = of_universe.into_iter().chain(common.iter().copied()).collect();
            (1..set.len()).for_each(|last| set.swap(below(last as u32 + 1) as usize, last));
            set
        };
        let sets = (0..parties).map(set).collect();
        let leader = below(parties as u32) as usize;
        let pivot = (leader + 1 + below(parties as u32 - 1) as usize) % parties;
        let learners = (0..parties).map(|place| place == leader || below(2) == 0).collect();
        Self { sets, leader, pivot, learners }
    }

    fn parties<'a>(&'a self, sizes: &'a [usize]) -> Parties<'a> {
        let Self { leader, pivot, learners, .. } = self;
        Parties { sizes, leader: *leader, pivot: *pivot, learners, slack: 0 }
    }

    fn overlaps(&self, common: impl Fn(&u32) -> bool) -> Overlaps {
        let sets = &self.sets;
        let mut pairs = Vec::new();
        for low in 0..sets.len() {
            for high in low + 1..sets.len() {
                let both = sets[low].iter().filter(|n| sets[high].contains(n)).count();
                pairs.push(([low, high], both as u64));
            }
        }
        Overlaps { pairs, common: sets[0].iter().filter(|n| common(n)).count() as u64 }
    }

    /// What each party should learn, by plain sets.
    fn expected(&self, operation: Operation) -> Vec<Outcome> {
        let common = |n: &u32| self.sets.iter().all(|set| set.contains(n));
        if operation == Operation::Overlaps {
            let overlaps = self.overlaps(common);
            return vec![Outcome::Overlaps(overlaps); self.sets.len()];
        }
        let learned = |(set, learns): (&Vec<u32>, &bool)| {
            let places = (0..).zip(set).filter(|(_, n)| common(n)).map(|(place, _)| place);
            let places: Vec<u32> = places.collect();
            match (learns, operation) {
                (false, _) => Outcome::Nothing,
                (true, Operation::Count) => Outcome::Count(places.len() as u64),
                (true, _) => Outcome::Matched(places),
            }
        };
        self.sets.iter().zip(&self.learners).map(learned).collect()
    }
}

fn meet(protocol: &ZeroSharing, lists: &Lists, mesh: Vec<Vec<Option<End>>>, seed: u64) -> Results {
    let sizes: Vec<usize> = lists.sets.iter().map(Vec::len).collect();
    thread::scope(|scope| {
        let parties = (0..).zip(&lists.sets).zip(mesh).map(|((place, set), mut ends)| {
            let parties = lists.parties(&sizes);
            scope.spawn(move || {
                let element = |n: &u32| Element(*blake3::hash(&n.to_le_bytes()).as_bytes());
                let run = MultipartyRun {
                    place,
                    parties,
                    elements: set.iter().map(element).collect::<Vec<_>>().into(),
                    session: &[3; 32],
                    channels: channels(&mut ends),
                    rng: &mut ChaCha20Rng::seed_from_u64(seed << 8 | place as u64),
                    observer: &Silent,
                };
                protocol.run(run)?()
            })
        });
        let parties: Vec<_> = parties.collect();
        parties.into_iter().map(|party| party.join().expect("no panic")).collect()
    })
}

const ALL: [&ZeroSharing; 4] = [&ALL_BUT_ONE, &LEADER_PIVOT, &LEADER_PIVOT_COUNT, &OVERLAPS];

/// So many random runs of each protocol.
fn random_runs(runs: u64, seeds: u64) {
    for protocol in ALL {
        for seed in (0..runs).map(|run| seeds + run) {
            let mut lists = Lists::random(&mut ChaCha20Rng::seed_from_u64(seed), 12);
            if !protocol.spec.some_learn {
                lists.learners.fill(true);
            }
            let found = meet(protocol, &lists, mesh(lists.sets.len()), seed);
            let found: Vec<_> = found.into_iter().map(|found| found.expect("honest")).collect();
            assert!(found == lists.expected(protocol.spec.operation), "seed {seed}");
        }
    }
}

#[test]
fn parties_learn_what_plain_sets_tell() {
    random_runs(12, 0);
}

#[test]
#[ignore = "half an hour; docs/notes/protocols.md has its result"]
fn ten_thousand_random_runs_are_right() {
    random_runs(2500, 1000);
}
