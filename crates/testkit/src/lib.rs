//! Two parties in one process, for suites that run over every registry entry.

use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Costs, Framed, Metered, Transport, memory_pair};
use veilset_crypto::Element;
use veilset_protocols::{Outcome, Protocol, ProtocolError, Reveal, Role, Run, Silent};

/// What one party of a run ends with.
pub type Ended = (Result<Outcome, ProtocolError>, Costs);

/// The sets of the two parties.
#[derive(Clone)]
pub struct Sets {
    /// The sender's elements.
    pub sender: Vec<Element>,
    /// The receiver's elements.
    pub receiver: Vec<Element>,
}

impl Sets {
    /// Sets of the given sizes with `common` elements in common, in unrelated orders.
    ///
    /// # Panics
    /// When `common` exceeds a size.
    #[must_use]
    pub fn new(sender: usize, receiver: usize, common: usize) -> Self {
        assert!(common <= sender && common <= receiver, "no more in common than there is");
        let mut theirs: Vec<Element> =
            (sender - common..sender - common + receiver).map(element).collect();
        theirs.reverse();
        Self { sender: (0..sender).map(element).collect(), receiver: theirs }
    }

    /// The set of the party that plays `role`.
    #[must_use]
    pub fn of(&self, role: Role) -> &[Element] {
        match role {
            Role::Sender => &self.sender,
            Role::Receiver => &self.receiver,
        }
    }
}

/// Element number `number`; different numbers give different elements.
#[must_use]
pub fn element(number: usize) -> Element {
    let mut bytes = [0x5a; 32];
    bytes[..8].copy_from_slice(&(number as u64).to_le_bytes());
    Element(bytes)
}

/// Runs both parties over queues in memory, with randomness from `seed`; returns the sender's end, then the
/// receiver's.
pub fn run_both(protocol: &dyn Protocol, sets: &Sets, reveal: Reveal, seed: u8) -> (Ended, Ended) {
    let (left, right) = memory_pair();
    thread::scope(|scope| {
        let sender =
            scope.spawn(|| run_one(protocol, Role::Sender, sets, reveal, Box::new(left), seed));
        let receiver = run_one(protocol, Role::Receiver, sets, reveal, Box::new(right), seed);
        (sender.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), receiver)
    })
}

/// Runs one party over `transport`.
pub fn run_one(
    protocol: &dyn Protocol,
    role: Role,
    sets: &Sets,
    reveal: Reveal,
    transport: Box<dyn Transport>,
    seed: u8,
) -> Ended {
    let mut channel = Metered::new(Framed::new(transport), "start");
    let mut rng = ChaCha20Rng::from_seed([seed ^ (0x80 * role as u8); 32]);
    let conclusion = protocol.run(Run {
        role,
        reveal,
        elements: sets.of(role),
        peer_count: sets.of(role.other()).len(),
        channel: &mut channel,
        rng: &mut rng,
        observer: &Silent,
    });
    let costs = channel.costs().clone();
    (conclusion.and_then(|conclude| conclude()), costs)
}
