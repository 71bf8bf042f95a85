//! What both constructions must do, and the harness for their own tests.

#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::thread;

use chacha20::ChaCha20Rng;
use chacha20::rand_core::SeedableRng;
use veilset_channel::{
    ChannelError, Fault, Faulty, Framed, Metered, NetworkFault, PeerFault, Recording, Replay,
    Transport, memory_pair,
};

use super::oracle::{Keys, Masks, Transcript};
use super::*;
use crate::{BaseOt, Block, OtError};

pub(super) const SESSION: Session = [7; 32];

type Sent = Result<Vec<[Block; 2]>, OtError>;
type Received = Result<Vec<Block>, OtError>;

pub(super) fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

/// Both parties over the given ends, with their own seeds; an end that stops is closed.
fn run_over<O: BaseOt + Sync>(
    ot: &O,
    left: impl Transport,
    right: impl Transport,
    choices: &[bool],
    seed: u8,
) -> (Sent, Received) {
    thread::scope(|scope| {
        let sender = scope.spawn(move || {
            let pads = ot.send(&mut Framed::new(left), choices.len(), &mut rng(seed));
            pads.map(|pads| pads.to_vec())
        });
        let mut channel = Framed::new(right);
        let received = ot.receive(&mut channel, choices, &mut rng(seed ^ 0x80));
        drop(channel);
        (sender.join().unwrap(), received.map(|pads| pads.to_vec()))
    })
}

pub(super) fn run(
    ot: &(impl BaseOt + Sync),
    choices: &[bool],
    seed: u8,
) -> (Vec<[Block; 2]>, Vec<Block>) {
    let (left, right) = memory_pair();
    let (sent, received) = run_over(ot, left, right, choices, seed);
    (sent.unwrap(), received.unwrap())
}

/// The frames of an honest receiver and of an honest sender.
pub(super) fn frames(ot: &(impl BaseOt + Sync), choices: &[bool]) -> [Vec<Vec<u8>>; 2] {
    let (left, right) = memory_pair();
    let (left, from_sender) = Recording::new(left);
    let (right, from_receiver) = Recording::new(right);
    let (sent, received) = run_over(ot, left, right, choices, 1);
    assert!(sent.is_ok() && received.is_ok());
    [from_receiver.frames(), from_sender.frames()]
}

/// The sender alone, hearing `frames`.
pub(super) fn send_to(ot: &impl BaseOt, frames: Vec<Vec<u8>>, count: usize, seed: u8) -> Sent {
    let pads = ot.send(&mut Framed::new(Replay::new(frames)), count, &mut rng(seed));
    pads.map(|pads| pads.to_vec())
}

/// The receiver of [`frames`] again, hearing other `frames`.
pub(super) fn receive_from(ot: &impl BaseOt, frames: Vec<Vec<u8>>, choices: &[bool]) -> Received {
    let pads = ot.receive(&mut Framed::new(Replay::new(frames)), choices, &mut rng(1 ^ 0x80));
    pads.map(|pads| pads.to_vec())
}

fn patterns(bits: usize) -> impl Iterator<Item = Vec<bool>> {
    (0..1usize << bits).map(move |pattern| (0..bits).map(|bit| pattern >> bit & 1 == 1).collect())
}

fn check_relation(sent: &[[Block; 2]], received: &[Block], choices: &[bool]) {
    assert_eq!((sent.len(), received.len()), (choices.len(), choices.len()));
    for ((pair, block), choice) in sent.iter().zip(received).zip(choices) {
        assert_eq!(*block, pair[usize::from(*choice)]);
        assert_ne!(*block, pair[usize::from(!*choice)]);
    }
}

pub(super) fn distinct(blocks: &[[Block; 2]]) -> HashSet<Block> {
    blocks.as_flattened().iter().copied().collect()
}

/// Bytes and frames the receiver sent and got for `count` OTs.
fn cost(ot: &(impl BaseOt + Sync), count: usize) -> [u64; 4] {
    let (left, right) = memory_pair();
    thread::scope(|scope| {
        scope.spawn(move || ot.send(&mut Framed::new(left), count, &mut rng(1)).unwrap());
        let mut channel = Metered::new(Framed::new(right), "base OT");
        ot.receive(&mut channel, &vec![false; count], &mut rng(2)).unwrap();
        let phase = &channel.costs().phases[0];
        [phase.bytes_sent, phase.frames_sent, phase.bytes_received, phase.frames_received]
    })
}

/// Each frame of either party truncated, extended, retagged and cut off: the other party ends with a fault that says
/// whose it was.
fn check_faults(ot: &(impl BaseOt + Sync), count: usize) {
    let choices = vec![true; count];
    let [from_receiver, from_sender] = frames(ot, &choices).map(|frames| frames.len() as u64);
    for fault in [Fault::Truncate, Fault::Extend, Fault::Retag, Fault::Close] {
        let blamed = |error: &ChannelError| match fault {
            Fault::Close => *error == NetworkFault::Closed.into(),
            Fault::Extend => matches!(error, ChannelError::Peer(PeerFault::TooLong { .. })),
            Fault::Retag => matches!(error, ChannelError::Peer(PeerFault::UnexpectedTag { .. })),
            _ => matches!(error, ChannelError::Peer(PeerFault::Malformed { .. })),
        };
        for at in 0..from_receiver {
            let (left, right) = memory_pair();
            let (sent, _) = run_over(ot, left, Faulty::new(right, fault, at), &choices, 1);
            assert!(matches!(sent, Err(OtError::Channel(error)) if blamed(&error)));
        }
        for at in 0..from_sender {
            let (left, right) = memory_pair();
            let (_, received) = run_over(ot, Faulty::new(left, fault, at), right, &choices, 1);
            assert!(matches!(received, Err(OtError::Channel(error)) if blamed(&error)));
        }
    }
}

macro_rules! conformance {
    ($name:ident, $new:path) => {
        mod $name {
            use super::*;

            #[test]
            fn the_receiver_gets_the_block_of_its_choice_and_not_the_other() {
                for choices in patterns(4) {
                    let (sent, received) = run(&$new(SESSION), &choices, 1);
                    check_relation(&sent, &received, &choices);
                }
            }

            #[test]
            fn any_number_of_instances_works_across_frames() {
                for count in [0, 1, 56, 57, 60, 61, 128] {
                    let choices: Vec<bool> = (0..count).map(|i| i % 3 == 0).collect();
                    let (sent, received) = run(&$new(SESSION), &choices, 2);
                    check_relation(&sent, &received, &choices);
                }
            }

            #[test]
            fn blocks_never_repeat_within_or_across_runs() {
                let runs = [1, 2].map(|seed| distinct(&run(&$new(SESSION), &[true; 40], seed).0));
                assert_eq!(runs.each_ref().map(HashSet::len), [80, 80]);
                assert!(runs[0].is_disjoint(&runs[1]));
            }

            #[test]
            fn the_session_enters_every_block() {
                let one = distinct(&run(&$new([1; 32]), &[true; 8], 1).0);
                assert!(one.is_disjoint(&distinct(&run(&$new([2; 32]), &[true; 8], 1).0)));
            }

            #[test]
            fn a_receivers_message_says_the_same_whoever_hears_it_and_is_fresh_each_time() {
                let [first, _] = frames(&$new(SESSION), &[true; 4]);
                let [again, _] = frames(&$new(SESSION), &[true; 4]);
                assert_eq!(first, again, "randomness is an argument");
                let pads = [3, 4].map(|seed| {
                    distinct(&send_to(&$new(SESSION), first.clone(), 4, seed).unwrap())
                });
                assert!(pads[0].is_disjoint(&pads[1]), "a replayed message gives other blocks");
            }

            #[test]
            fn frames_that_are_not_due_are_the_peers_fault() {
                check_faults(&$new(SESSION), 57);
            }

            #[test]
            fn a_message_for_another_count_is_refused() {
                let ot = $new(SESSION);
                let [from_receiver, _] = frames(&ot, &[true; 3]);
                for count in [1, 2, 4] {
                    let error =
                        send_to(&ot, from_receiver.clone(), count, 1).expect_err("another length");
                    assert!(error.is_peer_fault());
                }
            }
        }
    };
}

conformance!(ristretto_does, Ristretto::new);
conformance!(ml_kem_does, MlKem::new);

#[test]
fn bytes_and_frames_are_exact() {
    const HEADER: u64 = 5;
    assert_eq!(cost(&Ristretto::new(SESSION), 128), [8_192 + HEADER, 1, 32 + HEADER, 1]);
    assert_eq!(cost(&Ristretto::new(SESSION), MAX_COUNT), [131_072 + HEADER, 1, 32 + HEADER, 1]);
    let kem = cost(&MlKem::new(SESSION), 128);
    assert_eq!(kem, [299_008 + 3 * HEADER, 3, 278_528 + 3 * HEADER, 3]);
    assert_eq!(cost(&MlKem::new(SESSION), 1), [2_336 + HEADER, 1, 2_176 + HEADER, 1]);
}

#[test]
fn oracles_differ_by_instance_branch_input_session_and_name() {
    let masks = |name, session| Masks::new(name, &[session; 32]);
    let base = masks("one", 1);
    let outputs: HashSet<[u8; 32]> = [
        base.at(0, secret(false), [&[1], &[2]]),
        base.at(1, secret(false), [&[1], &[2]]),
        base.at(0, secret(true), [&[1], &[2]]),
        base.at(0, secret(false), [&[1], &[3]]),
        masks("one", 2).at(0, secret(false), [&[1], &[2]]),
        masks("two", 1).at(0, secret(false), [&[1], &[2]]),
    ]
    .into();
    assert_eq!(outputs.len(), 6);
}

#[test]
fn one_agreed_secret_gives_other_blocks_in_other_instances_branches_and_transcripts() {
    let keys = |count| Transcript::new("transcript", &SESSION, count).keys("keys");
    let blocks: [Keys; 2] = [keys(1), keys(2)];
    let mut seen = HashSet::new();
    for keys in &blocks {
        for instance in 0..3 {
            let pair = keys.pair(instance, &[[9; 32]; 2]);
            assert_eq!(keys.block(instance, secret(true), &[9; 32]), pair[1]);
            seen.extend(distinct(&[pair]));
        }
    }
    assert_eq!(seen.len(), 12);
}
