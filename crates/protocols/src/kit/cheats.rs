//! Parties that change a line of theirs, and what they get: what the registry says of each, to the letter.

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Framed, MemoryTransport, Metered, memory_pair};
use veilset_crypto::{Element, Group};

use crate::{
    Attached, AttachedShape, Choices, Conclusion, Means, Outcome, ProtocolError, Reveal, Role, Run,
    RunInput, SetEncoding, Side, Silent,
};

/// Elements of the sender: the receiver has those from [`FIRST`] on, and as many that are its own.
pub(crate) const COUNT: usize = 60;
/// The first that both have.
pub(crate) const FIRST: usize = 45;
/// Bytes of what belongs to an element.
pub(crate) const WIDTH: usize = 16;

/// Element number `number`.
pub(crate) fn element(number: usize) -> Element {
    Element(*blake3::hash(&number.to_le_bytes()).as_bytes())
}

/// What belongs to it.
pub(crate) fn item(number: usize) -> [u8; WIDTH] {
    std::array::from_fn(|at| element(number).0[at] ^ 0x5a)
}

/// The numbers of a side's elements.
pub(crate) fn numbers(role: Role) -> std::ops::Range<usize> {
    match role {
        Role::Sender => 0..COUNT,
        Role::Receiver => FIRST..FIRST + COUNT,
    }
}

/// Whether both have it.
pub(crate) fn is_common(number: usize) -> bool {
    (FIRST..COUNT).contains(&number)
}

/// A run of a sender and a receiver that do this, each with its elements and, in a union, their items.
pub(crate) fn meet<A: Send, B>(
    reveal: Reveal,
    sender: impl FnOnce(&mut Run<'_>) -> A + Send,
    receiver: impl FnOnce(&mut Run<'_>) -> B,
) -> (A, B) {
    let (one, other) = memory_pair();
    std::thread::scope(|scope| {
        let sender = scope.spawn(move || side(Role::Sender, reveal, one, sender));
        let receiver = side(Role::Receiver, reveal, other, receiver);
        (sender.join().expect("no panic"), receiver)
    })
}

fn side<T>(
    role: Role,
    reveal: Reveal,
    end: MemoryTransport,
    work: impl FnOnce(&mut Run<'_>) -> T,
) -> T {
    let items: Vec<u8> = numbers(role).flat_map(item).collect();
    let shape = AttachedShape::Items { width: WIDTH };
    work(&mut Run {
        side: Side { role, reveal },
        input: RunInput {
            elements: numbers(role).map(element).collect::<Vec<_>>().into(),
            peer_count: COUNT,
            attached: Attached::Items { width: WIDTH, bytes: &items },
            peer_attached: shape,
            per_row: 1,
            slack: 0,
            coins: 0,
            least: None,
            choices: Choices {
                group: Some(Group::Curve25519),
                digest: Some(SetEncoding::Sorted),
                ..Choices::default()
            },
        },
        means: Means {
            session: &[7; 32],
            channel: &mut Metered::new(Framed::new(end), "start"),
            rng: &mut ChaCha20Rng::from_seed([role as u8 + 1; 32]),
            observer: &Silent,
        },
    })
}

/// How a side ends that follows the protocol.
pub(crate) fn honest(ended: Result<Conclusion, ProtocolError>) -> Result<Outcome, ProtocolError> {
    ended.and_then(|conclude| conclude())
}
