//! Every protocol against a peer that sends anything: an outcome or a typed error, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Framed, Replay};
use veilset_crypto::Element;
use veilset_protocols::{PROTOCOLS, Reveal, Role, Run, Silent};

fuzz_target!(|input: (u8, u8, u8, Vec<(u8, Vec<u8>)>)| {
    let (choice, own, peer, messages) = input;
    let elements: Vec<Element> = (0..own % 4).map(|number| Element([number; 32])).collect();
    // Tags and numbers are right, so that what is behind them is reached.
    let frames = (0u32..).zip(messages).map(|(number, (tag, body))| {
        [&[1 + tag % 5], &number.to_le_bytes()[..], &body].concat()
    });
    let mut channel = Framed::new(Replay::new(frames.collect()));
    let protocol = PROTOCOLS[usize::from(choice >> 2) % PROTOCOLS.len()];
    let role = if choice & 1 == 0 { Role::Sender } else { Role::Receiver };
    let reveal = if choice & 2 == 0 { Reveal::Receiver } else { Reveal::Both };
    let _ = protocol.run(Run {
        role,
        reveal,
        elements: &elements,
        peer_count: usize::from(peer % 4),
        channel: &mut channel,
        rng: &mut ChaCha20Rng::from_seed([1; 32]),
        observer: &Silent,
    });
});
