//! The terms and all that follows them, from a peer that sends anything.
#![no_main]

use libfuzzer_sys::fuzz_target;
use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::Replay;
use veilset_data::{KeySet, Table};
use veilset_protocols::{Attached, AttachedShape, Operation, Scheme, Security, Sharing, Silent};
use veilset_session::{Learn, Means, Offer, Pipe, agree};

fuzz_target!(|input: (bool, u8, Vec<(u8, Vec<u8>)>)| {
    let (connecting, operation, messages) = input;
    let frames = (0u32..).zip(messages).map(|(number, (tag, body))| {
        [&[0xf0 + tag % 5], &number.to_le_bytes()[..], &body].concat()
    });
    let mut pipe = Pipe::new(Box::new(Replay::new(frames.collect())), [0; 32]);
    let offer = Offer {
        operation: Operation::ALL[usize::from(operation) % Operation::ALL.len()],
        protocol: None,
        security: Security::SemiHonest,
        learn: Learn::Both,
        presets: "raw/1".to_owned(),
        distinct: 3,
        looks_hashed: false,
        connecting,
        peer: "peer".to_owned(),
        memory: 1 << 24,
        group: None,
        digest: None,
        sharing: Sharing::Additive,
        attached: AttachedShape::Nothing,
        columns: Vec::new(),
        scheme: Scheme::SumOfRanks,
        details: Vec::new(),
        prime: None,
    };
    match agree(&mut pipe, offer, &mut ChaCha20Rng::from_seed([1; 32])) {
        Ok(agreed) => {
            let table = Table::parse("list".to_owned(), b"k\n1\n2\n3\n".to_vec(), b',').expect("a table");
            let keys = KeySet::build(&table, &"k".parse().expect("a key")).expect("a column");
            let means = Means { threads: 1, observer: &Silent };
            let _ = agreed.run(&mut pipe, &keys, Attached::Nothing, &means, &mut ChaCha20Rng::from_seed([2; 32]));
        }
        Err(error) => {
            let shown = error.to_string();
            assert!(shown.chars().all(|c| !c.is_control()), "{shown:?}");
        }
    }
});
