use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Framed, Metered, memory_pair};

use super::*;

const SESSION: [u8; 32] = [3; 32];

fn element(number: usize) -> Element {
    Element(*blake3::hash(&number.to_le_bytes()).as_bytes())
}

/// Offers of `own` in two parts, and two batches of comparisons with `theirs`; what the asker learns of the pairs.
fn learned(
    matching: Matching,
    own: &[usize],
    theirs: &[usize],
    pairs: &[(usize, usize)],
) -> Vec<bool> {
    let (left, right) = memory_pair();
    let (first, second) = pairs.split_at(pairs.len() / 2);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let channel = &mut Metered::new(Framed::new(Box::new(right)), "start");
            let rng = &mut ChaCha20Rng::from_seed([1; 32]);
            let mut side = answerer(matching, channel, &SESSION).expect("a key");
            side.take_offer(channel, 2).expect("offers");
            side.take_offer(channel, own.len() - 2).expect("offers");
            for pairs in [first, second] {
                let pairs: Vec<_> =
                    pairs.iter().map(|(offer, own)| (*offer, element(theirs[*own]))).collect();
                side.answer(channel, &pairs, rng).expect("answers");
            }
        });
        let channel = &mut Metered::new(Framed::new(Box::new(left)), "start");
        let rng = &mut ChaCha20Rng::from_seed([2; 32]);
        let own: Vec<_> = own.iter().map(|number| element(*number)).collect();
        let mut side = asker(matching, channel, &SESSION, rng).expect("a channel");
        side.offer(channel, &own[..2], rng).expect("a channel");
        side.offer(channel, &own[2..], rng).expect("a channel");
        let batches = [first, second].map(|pairs| {
            let offered: Vec<_> = pairs.iter().map(|(offer, _)| *offer).collect();
            side.learn(channel, &offered).expect("answers")
        });
        batches.concat()
    })
}

#[test]
fn the_asker_learns_which_pairs_are_equal() {
    let (own, theirs) = ([5, 6, 7, 8], [8, 7, 1, 5]);
    let pairs: Vec<_> = (0..4).flat_map(|i| (0..4).map(move |j| (i, j))).collect();
    let expected: Vec<_> = pairs.iter().map(|(i, j)| own[*i] == theirs[*j]).collect();
    assert_eq!(expected.iter().filter(|equal| **equal).count(), 3);
    for matching in [Matching::Paillier, Matching::DiffieHellman] {
        assert_eq!(learned(matching, &own, &theirs, &pairs), expected, "{matching:?}");
    }
}

#[test]
fn a_key_of_another_session_is_refused() {
    let (left, right) = memory_pair();
    let rng = &mut ChaCha20Rng::from_seed([4; 32]);
    let channel = &mut Metered::new(Framed::new(Box::new(left)), "start");
    asker(Matching::Paillier, channel, &SESSION, rng).expect("a channel");
    let channel = &mut Metered::new(Framed::new(Box::new(right)), "start");
    let error = answerer(Matching::Paillier, channel, &[9; 32]).err().expect("another session");
    assert!(error.to_string().contains("proof"), "{error}");
}
