//! Every protocol against a peer that sends anything: an outcome or a typed error, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Framed, Replay};
use veilset_crypto::Element;
use veilset_protocols::{Attached, Operation, PROTOCOLS, Role, Run, Silent};

fuzz_target!(|input: (u8, u8, u8, Vec<(u8, Vec<u8>)>)| {
    let (choice, own, peer, messages) = input;
    const TAGS: [u8; 19] =
        [1, 2, 3, 4, 5, 6, 7, 12, 16, 17, 0x20, 0x21, 0x22, 0x23, 0x28, 0x29, 0x2a, 0x2b, 0x2c];
    let elements: Vec<Element> = (0..own % 4).map(|number| Element([number; 32])).collect();
    // Tags and numbers are right, so that what is behind them is reached.
    let frames = (0u32..).zip(messages).map(|(number, (tag, body))| {
        [&[TAGS[usize::from(tag) % TAGS.len()]], &number.to_le_bytes()[..], &body].concat()
    });
    let mut channel = Framed::new(Replay::new(frames.collect()));
    let protocol = PROTOCOLS[usize::from(choice >> 2) % PROTOCOLS.len()];
    let spec = protocol.spec();
    let role = if choice & 1 == 0 { Role::Sender } else { Role::Receiver };
    let reveal = spec.reveals[usize::from(choice >> 1 & 1) % spec.reveals.len()];
    let (words, bytes) = (vec![-5i128; elements.len()], vec![7u8; 3 * elements.len()]);
    let attached = |role| match (spec.operation, role) {
        (Operation::Sum | Operation::Share, Role::Sender) => {
            Attached::Values { columns: 1, words: &words }
        }
        (Operation::Union, _) => Attached::Items { width: 3, bytes: &bytes },
        _ => Attached::Nothing,
    };
    let conclusion = protocol.run(Run {
        role,
        reveal,
        elements: &elements,
        peer_count: usize::from(peer % 4),
        attached: attached(role),
        peer_attached: attached(role.other()).shape(),
        slack: 0,
        params: spec.params(),
        session: &[3; 32],
        channel: &mut channel,
        rng: &mut ChaCha20Rng::from_seed([1; 32]),
        observer: &Silent,
    });
    if let Ok(conclude) = conclusion {
        let _ = conclude();
    }
});
