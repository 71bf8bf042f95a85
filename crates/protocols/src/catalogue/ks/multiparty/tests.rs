//! Runs of several parties in threads against plain sets, and each way to break the protocol against who did it.

use std::collections::BTreeSet;
use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use veilset_channel::MAX_BODY;
use veilset_crypto::Ristretto255;
use veilset_paper_groups::Pallas;

use super::*;
use crate::Silent;
use crate::multiparty::mesh::{Bend, End, channels, mesh};

const SESSION: [u8; 32] = [3; 32];

type Results = Vec<Result<Vec<u32>, MultipartyError>>;

fn meet<G: PrimeGroup>(
    group: &G,
    sets: &[Vec<u32>],
    threshold: u16,
    condition: Condition,
    mesh: Vec<Vec<Option<End>>>,
) -> Results {
    let sizes: Vec<usize> = sets.iter().map(Vec::len).collect();
    let learners = &vec![true; sets.len()];
    thread::scope(|scope| {
        let parties = (0..).zip(sets).zip(mesh).map(|((place, set), mut ends)| {
            let sizes = &sizes;
            scope.spawn(move || {
                let element = |n: &u32| Element(*blake3::hash(&n.to_le_bytes()).as_bytes());
                let elements: Vec<Element> = set.iter().map(element).collect();
                let party = MultipartyRun {
                    place,
                    parties: Parties { sizes, leader: 0, pivot: 1, learners, slack: 0 },
                    elements: elements.into(),
                    session: &SESSION,
                    channels: channels(&mut ends),
                    rng: &mut ChaCha20Rng::from_seed([place as u8; 32]),
                    observer: &Silent,
                };
                run(group, threshold, condition, party)
            })
        });
        let parties: Vec<_> = parties.collect();
        parties.into_iter().map(|party| party.join().expect("no panic")).collect()
    })
}

/// What each party should learn, by plain sets.
fn expected(sets: &[Vec<u32>], condition: Condition) -> Vec<Vec<u32>> {
    let plain: Vec<BTreeSet<u32>> = sets.iter().map(|set| set.iter().copied().collect()).collect();
    let learned = |(own, set): (usize, &Vec<u32>)| {
        let hit = |n: &u32| {
            let mut others = plain
                .iter()
                .enumerate()
                .filter(|(at, _)| *at != own)
                .map(|(_, set)| set.contains(n));
            match condition {
                Condition::InAll => others.all(|has| has),
                Condition::InAnother => others.any(|has| has),
            }
        };
        (0..).zip(set).filter(|(_, n)| hit(n)).map(|(place, _)| place).collect()
    };
    sets.iter().enumerate().map(learned).collect()
}

fn agrees<G: PrimeGroup>(group: &G, sets: &[Vec<u32>]) {
    let threshold = sets.len() as u16;
    for condition in [Condition::InAll, Condition::InAnother] {
        let results = meet(group, sets, threshold, condition, mesh(sets.len()));
        let results: Vec<_> = results.into_iter().map(|found| found.expect("honest")).collect();
        assert_eq!(results, expected(sets, condition), "{condition:?} {sets:?}");
    }
}

/// Sets of these sizes at most, from a universe in which they meet often.
fn random_sets(sizes: &[usize], seed: u8) -> Vec<Vec<u32>> {
    let mut rng = ChaCha20Rng::from_seed([seed; 32]);
    let most = sizes.iter().max().copied().unwrap_or(0) as u32;
    let set = |size: &usize| {
        let mut seen = BTreeSet::new();
        let drawn = (0..*size).map(|_| rng.next_u32() % (2 * most)).filter(|n| seen.insert(*n));
        drawn.collect()
    };
    sizes.iter().map(set).collect()
}

#[test]
fn parties_learn_what_plain_sets_tell() {
    for (seed, sizes) in
        [&[8, 8, 8][..], &[1, 20, 5], &[6, 6, 6, 6], &[9, 1, 4, 12, 7]].into_iter().enumerate()
    {
        let mut sets = random_sets(sizes, seed as u8);
        agrees(&Ristretto255, &sets);
        sets.iter_mut().for_each(|set| set.push(1000));
        agrees(&Ristretto255, &sets);
    }
    agrees(&Pallas, &[vec![1, 2, 3], vec![3, 4], vec![5, 3, 1]]);
}

#[test]
fn empty_and_single_sets_work() {
    let (one, none) = (vec![7], Vec::new());
    agrees(&Ristretto255, &[one.clone(), one.clone(), one.clone()]);
    agrees(&Ristretto255, &[one.clone(), one.clone(), none.clone()]);
    agrees(&Ristretto255, &[none.clone(), vec![8], one.clone(), vec![7, 8, 9]]);
    agrees(&Ristretto255, &[none.clone(), none.clone(), one.clone()]);
    agrees(&Ristretto255, &[none.clone(), none.clone(), none]);
    agrees(&Ristretto255, &[one, vec![8], vec![9]]);
}

const SETS: [&[u32]; 4] = [&[1, 2, 3], &[2, 3, 4, 5], &[3, 2], &[9, 2]];

/// What `party` of the first `parties` sends in frame `number` is bent, to all or to one.
fn bent(parties: usize, threshold: u16, party: usize, to: Option<usize>, bend: Bend) -> Results {
    let sets: Vec<Vec<u32>> = SETS[..parties].iter().map(|set| set.to_vec()).collect();
    let mut mesh = mesh(parties);
    for (place, end) in mesh[party - 1].iter_mut().enumerate() {
        if let Some(end) = end
            && to.is_none_or(|to| to == place + 1)
        {
            end.bend = Some(bend);
        }
    }
    meet(&Ristretto255, &sets, threshold, Condition::InAll, mesh)
}

/// The frames of a small run in their order.
const COMMITMENTS: usize = 0;
const SHARE: usize = 1;
const OPENING: usize = 2;
const DIGEST: usize = 3;
const SET: usize = 4;
const MASKED: usize = 5;
const PARTIAL: usize = 7;

/// The last byte but those that make a scalar too large.
#[allow(clippy::ptr_arg, reason = "others change the length")]
fn change_the_last_number(body: &mut Vec<u8>) {
    let at = body.len() - 32;
    body[at] ^= 1;
}

#[test]
fn whoever_sends_garbage_is_named() {
    let garbage = |body: &mut Vec<u8>| body.fill(0xff);
    let cut = |body: &mut Vec<u8>| body.truncate(body.len() - 1);
    for number in [COMMITMENTS, SET, MASKED, PARTIAL] {
        for culprit in [1, 2, 3] {
            let results = bent(3, 3, culprit, None, (number, garbage));
            for (_, result) in (1..).zip(results).filter(|(party, _)| *party != culprit) {
                let error = result.expect_err("garbage");
                assert_eq!(error.culprit(), Some(culprit as u16), "{error}");
            }
        }
        // A frame of another length is seen at once by the first that it comes to.
        let error = bent(3, 3, 3, None, (number, cut)).remove(0).expect_err("too short");
        assert_eq!(error.culprit(), Some(3), "{error}");
    }
}

#[test]
fn whoever_proves_wrongly_is_named() {
    let results = bent(3, 3, 2, Some(1), (SHARE, change_the_last_number));
    assert!(matches!(
        results[0],
        Err(MultipartyError::Threshold(ThresholdError::WrongShare { dealer: 2 }))
    ));
    for number in [OPENING, PARTIAL] {
        let results = bent(3, 3, 2, None, (number, change_the_last_number));
        for place in [0, 2] {
            let error = results[place].as_ref().expect_err("wrong");
            let wrong = ThresholdError::WrongProof { party: 2 };
            assert!(
                matches!(error, MultipartyError::Threshold(found) if *found == wrong),
                "{error}"
            );
            assert_eq!(error.culprit(), Some(2));
        }
    }
}

#[test]
fn wrong_decryptions_are_survived_while_enough_are_right() {
    let results = bent(4, 3, 2, None, (PARTIAL, change_the_last_number));
    let found: Vec<_> = results.into_iter().map(|found| found.expect("three are right")).collect();
    assert_eq!(found, [vec![1], vec![0], vec![1], vec![1]]);
}

#[test]
fn a_party_with_two_faces_is_noticed_before_anything_is_decrypted() {
    // Its first two ciphertexts change places, for one of the others.
    let swap = |body: &mut Vec<u8>| body[..128].rotate_left(64);
    let results = bent(3, 3, 2, Some(3), (SET, swap));
    for (place, other) in [(0, 3), (2, 1)] {
        let error = results[place].as_ref().expect_err("two faces");
        assert!(matches!(error, MultipartyError::Unequal { party } if *party == other), "{error}");
        assert_eq!(error.culprit(), None);
    }
    let results = bent(3, 3, 3, None, (DIGEST, |body: &mut Vec<u8>| body[0] ^= 1));
    assert!(matches!(results[0], Err(MultipartyError::Unequal { party: 3 })));
}

/// Long messages of unequal lengths, more than the queues hold, between all at once.
#[test]
fn nobody_waits_for_ever() {
    const PARTIES: usize = 5;
    let len = |from: usize, to: usize| (from * 7 + to * 3) % 11 * MAX_BODY / 2 + from;
    let body = |from: usize, to: usize| vec![(16 * from + to) as u8; len(from, to)];
    thread::scope(|scope| {
        for (own, mut ends) in mesh(PARTIES).into_iter().enumerate() {
            scope.spawn(move || {
                let mut channels = Channels::new(own, channels(&mut ends));
                let bodies: Vec<_> = (0..PARTIES).map(|to| body(own, to)).collect();
                let lens: Vec<_> = (0..PARTIES).map(|from| len(from, own)).collect();
                let taken = channels.swap(bodies.iter().map(|body| &**body).collect(), &lens);
                let taken = taken.expect("all go on");
                assert!(taken.iter().enumerate().all(|(from, taken)| *taken == body(from, own)));
            });
        }
    });
}
