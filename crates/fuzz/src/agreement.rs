//! The terms and all that follows them, from a peer that sends anything.

use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Recording, Replay, Transport, memory_pair};
use veilset_data::{KeySet, Table};
use veilset_protocols::{Attached, AttachedShape, Choices, Operation, Security, Silent};
use veilset_session::{Learn, Offer, Pipe, Resources, SessionError, agree};

use crate::Seed;
use crate::bytes::{Fields, frames, put_frames};

/// Whether this side connects, an operation, and the peer's frames.
pub fn agreement(data: &[u8]) {
    let mut fields = Fields::new(data);
    let connecting = fields.byte() & 1 == 1;
    let operation = Operation::ALL[usize::from(fields.byte()) % Operation::ALL.len()];
    if let Err(error) = side(operation, connecting, Box::new(Replay::new(frames(fields)))) {
        let shown = error.to_string();
        assert!(shown.chars().all(|c| !c.is_control()), "{shown:?}");
    }
}

/// One side of a session, to its end.
fn side(
    operation: Operation,
    connecting: bool,
    transport: Box<dyn Transport>,
) -> Result<(), SessionError> {
    let mut pipe = Pipe::new(transport, [0; 32]);
    let rng = &mut ChaCha20Rng::from_seed([u8::from(connecting); 32]);
    let agreed = agree(&mut pipe, offer(operation, connecting), rng)?;
    let table = Table::parse("list".to_owned(), b"k\n1\n2\n3\n".to_vec(), b',').expect("a table");
    let mut keys = KeySet::build(&table, &"k".parse().expect("a key")).expect("a column");
    let resources = Resources { threads: 1, observer: &Silent };
    agreed.run(&mut pipe, keys.take_digests(), Attached::Nothing, &resources, rng).map(drop)
}

fn offer(operation: Operation, connecting: bool) -> Offer {
    Offer {
        operation,
        protocol: None,
        security: Security::SemiHonest,
        learn: Learn::Both,
        presets: "raw/1".to_owned(),
        distinct: 3,
        looks_hashed: false,
        connecting,
        peer: "peer".to_owned(),
        memory: 1 << 24,
        choices: Choices::default(),
        attached: AttachedShape::Nothing,
        columns: Vec::new(),
        details: Vec::new(),
    }
}

/// What each side hears when both mean it, as far as they get.
pub(crate) fn seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (number, operation) in (0u8..).zip(Operation::ALL) {
        let (left, right) = memory_pair();
        let ((left, said), (right, answered)) = (Recording::new(left), Recording::new(right));
        thread::scope(|scope| {
            scope.spawn(|| side(operation, false, Box::new(left)));
            drop(side(operation, true, Box::new(right)));
        });
        for (connecting, heard) in [(0, answered), (1, said)] {
            let mut bytes = vec![connecting, number];
            put_frames(&mut bytes, &heard.frames());
            let side = ["listens", "connects"][usize::from(connecting)];
            seeds.push(Seed::new(
                format!("what the side that {side} hears, {}", operation.name()),
                bytes,
            ));
        }
    }
    seeds
}
