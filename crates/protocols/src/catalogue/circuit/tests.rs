use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use veilset_channel::{Framed, MemoryTransport, memory_pair};
use veilset_crypto::Element;

use super::*;
use crate::kit::equality;
use crate::{Attached, AttachedShape, RunInput, Silent};

fn element(number: u32) -> Element {
    // Nothing of it looks random.
    let mut bytes = [0x5a; Element::LEN];
    bytes[..4].copy_from_slice(&number.to_le_bytes());
    Element(bytes)
}

/// Both sides of what they do in one session, the sender first; the sides' randomness follows from `seed`.
fn meet<A: Send, B>(
    seed: u8,
    sender: impl FnOnce(&mut Means<'_>) -> A + Send,
    receiver: impl FnOnce(&mut Means<'_>) -> B,
) -> (A, B) {
    fn side<T>(seed: [u8; 2], end: MemoryTransport, work: impl FnOnce(&mut Means<'_>) -> T) -> T {
        work(&mut Means {
            session: &[seed[0]; 32],
            channel: &mut Framed::new(end),
            rng: &mut ChaCha20Rng::from_seed(*blake3::hash(&seed).as_bytes()),
            observer: &Silent,
        })
    }
    let (left, right) = memory_pair();
    thread::scope(|scope| {
        let sender = scope.spawn(move || side([seed, 1], left, sender));
        let receiver = side([seed, 2], right, receiver);
        (sender.join().expect("no panic"), receiver)
    })
}

/// The outcomes of a run over elements of these numbers.
fn counted(seed: u8, sets: [&[u32]; 2], reveal: Reveal) -> [Outcome; 2] {
    let side = |role: Role, own: &[u32], peer: usize, means: &mut Means<'_>| {
        let Means { session, channel, rng, observer } = means;
        let conclusion = CircuitCount.run(Run {
            side: Side { role, reveal },
            input: RunInput {
                elements: own.iter().map(|number| element(*number)).collect::<Vec<_>>().into(),
                peer_count: peer,
                attached: Attached::Nothing,
                peer_attached: AttachedShape::Nothing,
                per_row: 1,
                slack: 0,
                choices: SPEC.defaults(),
            },
            means: Means { session, channel: &mut **channel, rng: &mut **rng, observer: *observer },
        });
        conclusion.and_then(|conclude| conclude()).expect("it runs")
    };
    let [own, others] = sets;
    let (sender, receiver) = meet(
        seed,
        |means| side(Role::Sender, own, others.len(), means),
        |means| side(Role::Receiver, others, own.len(), means),
    );
    [sender, receiver]
}

#[test]
fn counts_are_those_of_plain_sets() {
    let mut rng = ChaCha20Rng::from_seed([3; 32]);
    for seed in 0..60 {
        let mut set = |least: u32| {
            let size = least + rng.next_u32() % 40;
            let mut set: Vec<u32> = (0..size).map(|_| rng.next_u32() % 60).collect();
            set.sort_unstable();
            set.dedup();
            set
        };
        let sets = [set(u32::from(seed % 7 > 0)), set(seed as u32 % 2)];
        let common = sets[0].iter().filter(|number| sets[1].contains(number)).count() as u64;
        let reveal = if seed % 3 == 0 { Reveal::Receiver } else { Reveal::Both };
        let [sender, receiver] = counted(seed, [&sets[0], &sets[1]], reveal);
        assert_eq!(receiver, Outcome::Count(common), "{sets:?}");
        let told = if reveal == Reveal::Both { Outcome::Count(common) } else { Outcome::Nothing };
        assert_eq!(sender, told, "{sets:?}");
    }
}

fn both(count: u64) -> [Outcome; 2] {
    [(); 2].map(|()| Outcome::Count(count))
}

#[test]
fn larger_sets_are_counted_too() {
    let (own, others): (Vec<u32>, Vec<u32>) = ((0..5000).collect(), (4000..7000).collect());
    assert_eq!(counted(1, [&own, &others], Reveal::Both), both(1000));
    assert_eq!(counted(2, [&others, &own], Reveal::Both), both(1000));
    assert_eq!(counted(3, [&own, &own], Reveal::Both), both(5000));
    assert_eq!(counted(4, [&own[..1], &own], Reveal::Both), both(1));
    assert_eq!(counted(5, [&own, &own[..1]], Reveal::Both), both(1));
}

/// Both shares of whether values are equal, of which so many bits count.
fn equal(seed: u8, values: [&[u64]; 2], bits: u32) -> [Bits; 2] {
    let (sender, receiver) = meet(
        seed,
        |means| {
            let (base, parameters) = shared::parameters(means);
            let mut transfers = SilentSender::setup(means.channel, &*base, &parameters, means.rng)?;
            equality::send(means, &mut transfers, values[0], bits)
        },
        |means| {
            let (base, parameters) = shared::parameters(means);
            let mut transfers =
                SilentReceiver::setup(means.channel, &*base, &parameters, means.rng)?;
            equality::receive(means, &mut transfers, values[1], bits)
        },
    );
    [sender, receiver].map(|bits: Result<_, ProtocolError>| bits.expect("it runs"))
}

#[test]
fn shares_say_which_values_are_equal_and_each_by_itself_nothing() {
    let mut rng = ChaCha20Rng::from_seed([4; 32]);
    for (seed, bits) in [(1, 1), (2, 4), (3, 5), (4, 16), (5, 17), (6, 61), (7, 64)] {
        let kept = u64::MAX >> (64 - bits);
        let values: Vec<u64> = (0..600).map(|_| rng.next_u64()).collect();
        let other = |(place, value): (usize, &u64)| match place % 3 {
            0 => *value,
            // Another one by a single bit, or what is beyond the bits that count.
            1 => value ^ 1 << (place as u32 % bits),
            _ => value ^ !kept,
        };
        let others: Vec<u64> = values.iter().enumerate().map(other).collect();
        let [own, theirs] = equal(seed, [&values, &others], bits);
        for (place, (own, theirs)) in own.iter().zip(&*theirs).enumerate() {
            assert_eq!((own ^ theirs) == 1, place % 3 != 1, "{bits} bits, {place}");
        }
        for shares in [own, theirs] {
            let ones = shares.iter().filter(|share| **share == 1).count();
            // 300 are expected, with a deviation of 12.
            assert!((220..380).contains(&ones), "{bits} bits: {ones}");
        }
    }
}

#[test]
fn values_are_long_enough_and_bins_enough() {
    for (sender, receiver) in
        [(1, 1), (1, 2), (5, 3), (1000, 1000), (1 << 20, 1 << 20), (1 << 22, 1 << 22)]
    {
        let sizes = Sizes::new(sender, receiver, 0);
        let bins = sizes.table.bins() as f64;
        assert!(f64::from(sizes.bits) >= 41.0 + bins.log2(), "{receiver}");
        assert!(sizes.table.bins() >= receiver && sizes.bits <= 64);
        assert!(1 << weight_bits(sizes.table.bins()) > receiver);
    }
    assert_eq!(Sizes::new(9, 1000, 3).bits, Sizes::new(9, 1000, 0).bits + 3);
}
