//! Many random runs of one protocol against plain sets.
//!
//! `cargo run --release -p veilset-testkit --example many_runs -- PROTOCOL RUNS SIZE`: each run draws the sizes of both sets
//! up to SIZE and what they have in common, and fresh elements. Prints how many runs went wrong.

use std::collections::HashSet;
use std::env;
use std::error::Error;
use std::io::{Write, stdout};

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use veilset_crypto::Element;
use veilset_protocols::{Outcome, Reveal, find};
use veilset_testkit::{Sets, Setting, run_both};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [protocol, runs, size] = arguments.as_slice() else {
        return Err("arguments: PROTOCOL RUNS SIZE".into());
    };
    let protocol = find(protocol).ok_or("no such protocol")?;
    let (runs, size): (u64, u64) = (runs.parse()?, size.parse()?);
    let mut rng = ChaCha20Rng::from_seed([1; 32]);
    let mut wrong = 0;
    for run in 0..runs {
        let reveal = protocol.spec().reveals[run as usize % protocol.spec().reveals.len()];
        let sets = sets(size, &mut rng);
        let seed = rng.next_u32().to_le_bytes()[0];
        let ((sender, _), (receiver, _)) = run_both(Setting::new(protocol, reveal), &sets, seed);
        let right = matched(&sets.receiver, &sets.sender) == receiver?
            && (reveal == Reveal::Receiver || matched(&sets.sender, &sets.receiver) == sender?);
        wrong += u64::from(!right);
    }
    writeln!(stdout(), "{wrong} of {runs} runs of {} went wrong", protocol.spec().id)?;
    Ok(())
}

fn sets(size: u64, rng: &mut ChaCha20Rng) -> Sets {
    let mut fresh = |count: u64| -> Vec<Element> {
        let element = |_| {
            let mut bytes = [0; Element::LEN];
            rng.fill_bytes(&mut bytes);
            Element(bytes)
        };
        (0..count).map(element).collect()
    };
    let (common, sender, receiver) = (fresh(size), fresh(size), fresh(size));
    let mut below = |most: u64| (rng.next_u64() % (most + 1)) as usize;
    let common = &common[..below(size)];
    let rest = size - common.len() as u64;
    let with = |own: &[Element]| [common, own].concat();
    Sets { sender: with(&sender[..below(rest)]), receiver: with(&receiver[..below(rest)]) }
}

/// What plain sets say: which of `own` are in `other`.
fn matched(own: &[Element], other: &[Element]) -> Outcome {
    let other: HashSet<&Element> = other.iter().collect();
    let indices = (0..).zip(own).filter(|(_, element)| other.contains(element));
    Outcome::Matched(indices.map(|(index, _)| index).collect())
}
