//! Ordered lists as the paper makes them (section 6.3.1), and runs of both sides over them.

use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::{CryptoRng, SeedableRng};
use rayon::ThreadPoolBuilder;
use veilset_bench::{BenchError, process};
use veilset_channel::{Framed, MemoryTransport, Metered, memory_pair};
use veilset_crypto::{Element, permutation};
use veilset_protocols::agree::{Comparator, run_over};
use veilset_protocols::{
    Attached, AttachedShape, Choices, Means, Outcome, Reveal, Role, Run, RunInput, Scheme, Side,
    Silent,
};

use crate::Failure;

/// The sender's list and the receiver's.
pub(super) struct Lists([Vec<Element>; 2]);

fn element(number: usize) -> Element {
    let mut bytes = [1; Element::LEN];
    bytes[..8].copy_from_slice(&(number as u64).to_le_bytes());
    Element(bytes)
}

impl Lists {
    /// The worst case: a single common entry, the last of both.
    pub(super) fn worst(size: usize) -> Self {
        let list = |first: usize| (first + 1..first + size).chain([0]).map(element).collect();
        Self([list(0), list(size)])
    }

    /// The average case: `common` common entries, in random places of both.
    pub(super) fn random(size: usize, common: usize, rng: &mut dyn CryptoRng) -> Self {
        let mut list = |first: usize| -> Vec<Element> {
            let entry =
                |at: u32| if (at as usize) < common { at as usize } else { first + at as usize };
            permutation(size, rng).iter().map(|at| element(entry(*at))).collect()
        };
        Self([list(size), list(2 * size)])
    }

    fn size(&self) -> usize {
        self.0[0].len()
    }
}

/// What a run took.
#[derive(Clone, Copy)]
pub(super) struct Ran {
    /// Processor time of both sides.
    pub(super) cpu_seconds: f64,
    /// Pairs in the rounds up to the match.
    pub(super) comparisons: u64,
}

/// Runs both sides, one thread each, and looks whether they agree on an entry that both have.
pub(super) fn run(comparator: Comparator, scheme: Scheme, lists: &Lists) -> Result<Ran, Failure> {
    let (left, right) = memory_pair();
    let cpu = process::cpu_seconds();
    let ends = thread::scope(|scope| {
        let other = scope.spawn(|| side(comparator, scheme, Role::Sender, lists, left));
        let here = side(comparator, scheme, Role::Receiver, lists, right)?;
        Ok::<_, Failure>([other.join().map_err(|_| BenchError::Threads)??, here])
    })?;
    let cpu_seconds = process::cpu_seconds() - cpu;
    let [sender, receiver] =
        [0, 1].map(|side: usize| ends[side].0.and_then(|place| lists.0[side].get(place as usize)));
    if sender.is_none() || sender != receiver {
        return Err(BenchError::WrongResult { protocol: "agree", found: 0, expected: 1 }.into());
    }
    // Two rounds come before the comparisons, and the last verdict after them.
    let rounds = u32::try_from(ends[1].1.saturating_sub(3)).unwrap_or(u32::MAX);
    let size = u32::try_from(lists.size()).unwrap_or(u32::MAX);
    Ok(Ran { cpu_seconds, comparisons: scheme.comparisons([size; 2], rounds) })
}

/// The place of the agreed entry, and the rounds.
fn side(
    comparator: Comparator,
    scheme: Scheme,
    role: Role,
    lists: &Lists,
    transport: MemoryTransport,
) -> Result<(Option<u32>, u64), Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().map_err(|_| BenchError::Threads)?;
    let mut channel = Metered::new(Framed::new(transport), "start");
    let mut rng = ChaCha20Rng::from_seed([role as u8; 32]);
    let outcome = pool.install(|| {
        let conclude = run_over(
            comparator,
            Run {
                side: Side { role, reveal: Reveal::Both },
                input: RunInput {
                    elements: lists.0[role as usize].clone().into(),
                    peer_count: lists.size(),
                    attached: Attached::Nothing,
                    peer_attached: AttachedShape::Nothing,
                    per_row: 1,
                    slack: 0,
                    coins: 0,
                    least: None,
                    choices: Choices { scheme: Some(scheme), ..Choices::default() },
                },
                means: Means {
                    session: &[7; 32],
                    channel: &mut channel,
                    rng: &mut rng,
                    observer: &Silent,
                },
            },
        )?;
        conclude()
    })?;
    let place = if let Outcome::Agreed(place) = outcome { place } else { None };
    Ok((place, channel.costs().rounds()))
}
