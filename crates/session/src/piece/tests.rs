use std::collections::BTreeSet;
use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{ChannelError, MemoryTransport, PeerFault, memory_pair};
use veilset_protocols::Reveal;

use super::*;

fn element(number: u64) -> Element {
    Element(*blake3::hash(&number.to_le_bytes()).as_bytes())
}

/// The receiver's, which alone learns, and the sender's.
const SIDES: [Side; 2] = [
    Side { role: Role::Receiver, reveal: Reveal::Receiver },
    Side { role: Role::Sender, reveal: Reveal::Receiver },
];

fn matched(
    end: MemoryTransport,
    ticket: u8,
    shape: PieceShape,
    numbers: &[u64],
) -> Result<Matched, SessionError> {
    let elements: Vec<Element> = numbers.iter().copied().map(element).collect();
    let mut rng = ChaCha20Rng::from_seed([ticket; 32]);
    let mut pipe = Pipe::new(Box::new(end), [0; 32]);
    let ticket = Ticket([ticket; 32]);
    pipe.match_piece(&ticket, 1, &shape, &elements, &mut rng)
}

#[test]
fn a_piece_matches_what_plain_sets_do() {
    let (ours, theirs): (Vec<u64>, Vec<u64>) = ((0..90).collect(), (0..200).step_by(7).collect());
    let [receiver, sender] = SIDES;
    let shape = PieceShape { side: receiver, count: 4 * 90, peer_count: 4 * 29, pieces: 4 };
    let back = PieceShape { side: sender, count: 4 * 29, peer_count: 4 * 90, pieces: 4 };
    let (one, other) = memory_pair();
    let (found, nothing) = thread::scope(|scope| {
        let there = scope.spawn(|| matched(other, 3, back, &theirs));
        let here = matched(one, 3, shape, &ours);
        (here, there.join().expect("no panic"))
    });
    let set: BTreeSet<u64> = theirs.iter().copied().collect();
    let expected: Vec<u32> = (0..90).filter(|number| set.contains(&u64::from(*number))).collect();
    assert_eq!(found.expect("honest"), Matched::Places(expected));
    assert_eq!(nothing.expect("honest"), Matched::Nothing);
}

#[test]
fn workers_that_were_told_different_things_part() {
    let [shape, back] = SIDES.map(|side| PieceShape { side, count: 4, peer_count: 4, pieces: 4 });
    let (one, other) = memory_pair();
    let refused = thread::scope(|scope| {
        scope.spawn(|| matched(other, 4, back, &[1]));
        matched(one, 3, shape, &[1]).expect_err("another ticket")
    });
    assert!(
        matches!(
            refused,
            SessionError::Channel { source: ChannelError::Peer(PeerFault::Malformed { .. }), .. }
        ),
        "{refused}"
    );
}

#[test]
fn a_piece_that_is_too_full_is_refused() {
    let mut rng = ChaCha20Rng::from_seed([1; 32]);
    let elements: Vec<Element> = (0..10).map(element).collect();
    assert!(matches!(fill(&elements, 9, &mut rng), Err(ProtocolError::Overfull)));
    let filled = fill(&elements, 12, &mut rng).expect("there is room");
    assert!(filled[..10] == elements[..] && filled[10] != filled[11]);
}
