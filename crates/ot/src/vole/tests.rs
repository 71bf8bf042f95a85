use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{
    Channel, ChannelError, Fault, Faulty, Framed, HEADER, Message, PeerFault, Tag, memory_pair,
};

use super::*;
use crate::ideal::Dealer;

/// Against whom vectors over B are made.
fn securities<B: Subfield>() -> &'static [Security] {
    match B::AT_ONCE {
        usize::MAX => &[Security::SemiHonest, Security::Malicious],
        _ => &[Security::SemiHonest],
    }
}

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

type Results<B> = (Result<VoleSender, OtError>, Result<VoleReceiver<B>, OtError>);

/// Both parties, of which one's frame number `at` is struck.
fn run<B: Subfield>(
    security: Security,
    len: usize,
    fault: Fault,
    [left_at, right_at]: [u64; 2],
) -> Results<B> {
    let dealer = &Dealer::new([9; 32]);
    let parameters = &ExtensionParameters::new(security, [7; 32]);
    let (left, right) = memory_pair();
    let mut left = Framed::new(Faulty::new(left, fault, left_at));
    let mut right = Framed::new(Faulty::new(right, fault, right_at));
    std::thread::scope(|scope| {
        let sender = scope
            .spawn(move || VoleSender::run::<B>(&mut left, dealer, parameters, len, &mut rng(1)));
        let received = VoleReceiver::run(&mut right, dealer, parameters, len, &mut rng(2));
        drop(right);
        (sender.join().expect("no panic"), received)
    })
}

/// Adds one to a byte of the sender's first frame of trees.
struct Tampering<C> {
    inner: C,
    byte: usize,
}

impl<C: Channel> Channel for Tampering<C> {
    fn send(&mut self, tag: Tag, mut frame: Vec<u8>) -> Result<(), ChannelError> {
        if tag == Trees::TAG {
            frame[HEADER + self.byte] ^= 1;
        }
        self.inner.send(tag, frame)
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<Vec<u8>, ChannelError> {
        self.inner.recv(tag, max)
    }

    fn phase(&mut self, name: &'static str) {
        self.inner.phase(name);
    }
}

#[test]
fn a_sender_of_wrong_trees_is_found() {
    wrong_trees_are_found::<Nibble>();
    wrong_trees_are_found::<u64>();
    wrong_trees_are_found::<u128>();
}

#[test]
fn nobody_checks_a_vector_of_nonets() {
    for len in [1, Nonet::AT_ONCE + 1] {
        let (sender, receiver) =
            run::<Nonet>(Security::Malicious, len, Fault::Close, [u64::MAX; 2]);
        assert_eq!(sender.err(), Some(OtError::Unchecked));
        assert_eq!(receiver.err(), Some(OtError::Unchecked));
    }
}

fn wrong_trees_are_found<B: Subfield>() {
    let dealer = &Dealer::new([9; 32]);
    let parameters = &ExtensionParameters::new(Security::Malicious, [7; 32]);
    let depth = depth(LpnParameters::new(1).block());
    // The sum of the leaves of the first tree, on which its place of noise always depends.
    let byte = TreesShape::tree_bytes(depth) - 1;
    let (left, right) = memory_pair();
    let mut left = Tampering { inner: Framed::new(left), byte };
    let mut right = Framed::new(right);
    let received = std::thread::scope(|scope| {
        scope.spawn(move || {
            drop(VoleSender::run::<B>(&mut left, dealer, parameters, 1, &mut rng(1)))
        });
        VoleReceiver::<B>::run(&mut right, dealer, parameters, 1, &mut rng(2)).err()
    });
    let fault = PeerFault::CheckFailed("check of the vector OLE trees");
    assert_eq!(received, Some(fault.into()));
}

const NEVER: [u64; 2] = [u64::MAX; 2];

#[test]
fn every_entry_is_correlated_and_nothing_repeats() {
    is_correlated_and_without_repetition::<Nibble>();
    is_correlated_and_without_repetition::<Nonet>();
    is_correlated_and_without_repetition::<u64>();
    is_correlated_and_without_repetition::<u128>();
}

fn is_correlated_and_without_repetition<B: Subfield>() {
    for security in securities::<B>().iter().copied() {
        for len in [1, 2, 100, 5000] {
            let (sender, receiver) = run::<B>(security, len, Fault::Close, NEVER);
            let (sender, receiver) = (sender.expect("honest"), receiver.expect("honest"));
            assert_eq!([sender.b.len(), receiver.a.len(), receiver.c.len()], [len; 3]);
            correlated(&sender, &receiver);
            // Elements of a small field come again; all sixteen do in 5,000.
            let is_small = B::BITS < 64;
            let mut a: Vec<Block> = receiver.a.iter().map(|a| (*a).into()).collect();
            let mut all: Vec<Block> = sender.b.iter().chain(&*receiver.c).copied().collect();
            if !is_small {
                all.append(&mut a);
            }
            let many = all.len();
            for values in [&mut a, &mut all] {
                values.sort_unstable();
                values.dedup();
            }
            // Where a is zero, b is c.
            let zeros = receiver.a.iter().filter(|a| **a == B::default()).count();
            assert_eq!(all.len(), many - zeros, "{security:?} {len}");
            assert!(!is_small || len < 5000 || a.len() == 1 << B::BITS);
        }
    }
}

fn correlated<B: Subfield>(sender: &VoleSender, receiver: &VoleReceiver<B>) {
    for ((a, b), c) in receiver.a.iter().zip(sender.b.iter()).zip(receiver.c.iter()) {
        assert_eq!(*c, b ^ a.scale(*sender.delta));
    }
}

#[test]
fn every_fault_on_the_way_is_an_error() {
    is_an_error::<Nibble>();
    is_an_error::<Nonet>();
    is_an_error::<u64>();
    is_an_error::<u128>();
}

fn is_an_error<B: Subfield>() {
    for security in securities::<B>().iter().copied() {
        for fault in Fault::ALL {
            for (party, at) in (0..2).flat_map(|party| (0..12).map(move |at| (party, at))) {
                let mut strikes = NEVER;
                strikes[party] = at;
                let (sender, receiver) = run::<B>(security, 10, fault, strikes);
                let failed = [sender.is_err(), receiver.is_err()];
                let sound = match fault {
                    // A delay is no fault, a repetition may come last, and a frame may have none to change places with.
                    Fault::Delay(_) | Fault::Duplicate | Fault::Reorder => true,
                    _ => failed[1 - party] || at >= frames(security, party),
                };
                if let (Ok(sender), Ok(receiver)) = (sender, receiver) {
                    correlated(&sender, &receiver);
                }
                assert!(sound, "{security:?} {fault:?} of party {party} at {at}: {failed:?}");
            }
        }
    }
}

/// The frames that the sender (0) and the receiver (1) send in all.
fn frames(security: Security, party: usize) -> u64 {
    match (security, party) {
        // Trees.
        (Security::SemiHonest, 0) => 1,
        // The extension's trees, and corrections twice.
        (Security::SemiHonest, _) => 3,
        // Challenges of the extension twice, trees, the answer.
        (Security::Malicious, 0) => 4,
        // As above, hashes of the extension twice, the challenge.
        (Security::Malicious, _) => 6,
    }
}
