use std::collections::BTreeSet;
use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Framed, MemoryTransport, Metered, memory_pair};

use super::*;
use crate::Silent;

fn element(number: u64) -> Element {
    Element(*blake3::hash(&number.to_le_bytes()).as_bytes())
}

/// One phase on both sides; the left one has the seed 1.
fn both<A: Send, B: Send>(
    left: impl FnOnce(&mut Means<'_>) -> A + Send,
    right: impl FnOnce(&mut Means<'_>) -> B + Send,
) -> (A, B) {
    fn side<T>(end: MemoryTransport, seed: u8, work: impl FnOnce(&mut Means<'_>) -> T) -> T {
        let mut channel = Metered::new(Framed::new(end), "piece");
        let mut rng = ChaCha20Rng::from_seed([seed; 32]);
        work(&mut Means {
            session: &[9; 32],
            channel: &mut channel,
            rng: &mut rng,
            observer: &Silent,
        })
    }
    let (one, other) = memory_pair();
    thread::scope(|scope| {
        let right = scope.spawn(move || side(other, 2, right));
        (side(one, 1, left), right.join().expect("no panic"))
    })
}

const PIECES: usize = 4;

/// Each side's slices of the numbers, as a sender or receiver cuts them.
fn slices(numbers: impl Iterator<Item = u64>) -> Vec<Vec<u64>> {
    let mut slices = vec![Vec::new(); PIECES];
    numbers.for_each(|number| slices[(number * 7 % 11) as usize % PIECES].push(number));
    slices
}

/// The bits of the sender's slices, through all pieces of steps 1 and 2.
fn bits(ours: &[Vec<u64>], theirs: &[Vec<u64>]) -> Vec<Vec<bool>> {
    let count = |slices: &[Vec<u64>]| slices.iter().map(Vec::len).sum::<usize>();
    let bits = value_bits(count(ours) as u64, count(theirs) as u64);
    let log = PIECES.ilog2();
    let (mut queries, mut set) = (Vec::new(), Vec::new());
    for (mine, other) in ours.iter().zip(theirs) {
        let masked = |piece: &mut Means<'_>, seed: u8, own: &[u64], peer: usize| {
            let elements: Vec<Element> = own.iter().copied().map(element).collect();
            let mut key = ChaCha20Rng::from_seed([seed; 32]);
            exchange(piece, &mut key, &elements, peer, bits).expect("honest")
        };
        let (of_theirs, of_ours) = both(
            |piece| masked(piece, 21, mine, other.len()),
            |piece| masked(piece, 22, other, mine.len()),
        );
        set.extend(of_theirs);
        queries.push(of_ours);
    }
    let mut found: Vec<Vec<bool>> = ours.iter().map(|slice| vec![false; slice.len()]).collect();
    let all = (0..).zip(&queries).flat_map(|(slice, values)| {
        (0..).zip(values).map(move |(place, value)| (*value, (slice, place)))
    });
    let all: Vec<(u128, (usize, usize))> = all.collect();
    for piece in 0..PIECES as u128 {
        let falls = |value: u128| value % PIECES as u128 == piece;
        let told: Vec<u128> = set.iter().filter(|v| falls(**v)).map(|v| v >> log).collect();
        let asked: Vec<_> = all.iter().filter(|(value, _)| falls(*value)).collect();
        let asks: Vec<u128> = asked.iter().map(|(value, _)| value >> log).collect();
        let count = told.len();
        let ((), hits) = both(
            move |it| tell(it, told, bits - log).expect("honest"),
            |it| hear(it, count, bits - log, &asks).expect("honest"),
        );
        assert_eq!(hits.fault, None);
        for ((_, (slice, place)), bit) in asked.iter().zip(hits.bits) {
            found[*slice][*place] = bit;
        }
    }
    found
}

#[test]
fn the_bits_are_those_of_plain_sets_whatever_the_pieces() {
    let (ours, theirs) = (slices(0..300), slices((0..500).step_by(3)));
    let set: BTreeSet<u64> = theirs.iter().flatten().copied().collect();
    for (slice, bits) in ours.iter().zip(bits(&ours, &theirs)) {
        let expected: Vec<bool> = slice.iter().map(|number| set.contains(number)).collect();
        assert_eq!(bits, expected);
    }
}

#[test]
fn the_sums_of_all_slices_add_up() {
    let values: Vec<Vec<i128>> = vec![vec![5, -1, 7, 100, -3, 2], vec![], vec![1 << 100, 9]];
    let bits = [vec![true, false, true], vec![], vec![true]];
    let mut total = [0u128; 2];
    for (values, bits) in values.iter().zip(&bits) {
        let words: Vec<u128> = values.iter().map(|value| *value as u128).collect();
        let (masks, masked) = both(
            |piece| give_sums(piece, &words, 2).expect("honest"),
            |piece| take_sums(piece, bits, 2).expect("honest"),
        );
        for ((total, masked), mask) in total.iter_mut().zip(masked).zip(masks) {
            *total = total.wrapping_add(masked).wrapping_sub(mask);
        }
    }
    assert_eq!(total.map(|sum| sum as i128), [5 - 3 + (1 << 100), -1 + 2 + 9]);
}

#[test]
fn items_come_where_no_bit_is_set() {
    let items = b"aabbccdd";
    let ((), got) = both(
        |piece| give_items(piece, items, 2).expect("honest"),
        |piece| take_items(piece, &[true, false, false, true], 2).expect("honest"),
    );
    assert_eq!(*got, b"bbcc");
}

#[test]
fn a_value_that_is_asked_for_twice_is_the_peers_fault() {
    let ((), hits) = both(
        |piece| tell(piece, vec![5, 9], 40).expect("honest"),
        |piece| hear(piece, 2, 40, &[9, 9]).expect("honest"),
    );
    assert_eq!(hits.fault, Some(PeerFault::Repeated));
}
