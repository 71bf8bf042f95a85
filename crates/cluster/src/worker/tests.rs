use std::time::Duration;

use veilset_protocols::{Reveal, Role, Side};

use super::*;

/// The receiver's, which alone learns, and the sender's.
const SIDES: [Side; 2] = [
    Side { role: Role::Receiver, reveal: Reveal::Receiver },
    Side { role: Role::Sender, reveal: Reveal::Receiver },
];

/// Meets the worker with this key, at this address if it listens there, with this much memory.
fn rendezvous(peer: PublicKey, connect: Option<String>, max_memory: u64) -> Rendezvous {
    let options = Options { deadline: Duration::from_secs(60), ..Options::default() };
    let ticket = Ticket([3; 32]);
    Rendezvous { peer, connect, ticket, threads: 1, max_memory: Some(max_memory), options }
}

fn worker() -> Worker {
    Worker::bind("127.0.0.1", 0..=0).expect("a free port")
}

fn needed(refused: Result<impl Sized, ClusterError>) -> u64 {
    match refused.err() {
        Some(ClusterError::Session(SessionError::Memory { needed, allowed, .. })) => {
            assert!(needed > allowed);
            needed
        }
        other => panic!("{other:?}"),
    }
}

/// 2^37 keys in 2^12 pieces: some 2^25 a piece, which a driver lets pass.
#[test]
fn a_claim_that_takes_more_memory_than_a_worker_has_is_refused_before_anybody_is_met() {
    const CAP: u64 = 1 << 30;
    let (worker, nobody) = (worker(), worker().public_key());
    let rendezvous = rendezvous(nobody, Some("127.0.0.1:1".to_owned()), CAP);
    let [_, side] = SIDES;
    let shape = PieceShape { side, count: 1000, peer_count: 1 << 37, pieces: 1 << 12 };
    // The vector OLE is as long as the receiver says.
    let refused = worker.intersect(&rendezvous, &shape, &[]);
    assert!(needed(refused) > 25 * (1 << 25));
    let beyond = PieceShape { peer_count: 1 << 60, ..shape };
    let refused = worker.intersect(&rendezvous, &beyond, &[]);
    assert_eq!(needed(refused), u64::MAX);
    let refused = worker.exchange(&rendezvous, [1; 32], &[], 1 << 27, 80);
    assert_eq!(needed(refused), 16 << 27);
    assert!(needed(worker.hear(&rendezvous, 1 << 27, 80, &[])) > 16 << 27);
    let bits = vec![true; 1 << 20];
    assert!(needed(worker.take_items(&rendezvous, &bits, 1 << 10)) > 2 << 30);
    assert!(needed(worker.take_sums(&rendezvous, &bits, 64)) > 2 << 30);
}

#[test]
fn what_fits_a_worker_is_done() {
    let element = |number: u8| Element(*blake3::hash(&[number]).as_bytes());
    let (ours, theirs): (Vec<_>, Vec<_>) =
        ((0..30).map(element).collect(), (20..60).map(element).collect());
    let (one, other) = (worker(), worker());
    let address = Some(one.local_addr().to_string());
    let [receiver, sender] = SIDES;
    let shape = PieceShape { side: receiver, count: 4 * 30, peer_count: 4 * 40, pieces: 4 };
    let back = PieceShape { side: sender, count: 4 * 40, peer_count: 4 * 30, pieces: 4 };
    let cap = 200 << 20;
    let found = std::thread::scope(|scope| {
        let there = rendezvous(one.public_key(), address, cap);
        let second = &other;
        scope.spawn(move || second.intersect(&there, &back, &theirs));
        let here = rendezvous(other.public_key(), None, cap);
        one.intersect(&here, &shape, &ours)
    });
    assert_eq!(found.expect("honest"), Matched::Places((20..30).collect()));
}
