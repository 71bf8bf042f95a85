//! Ordered lists as the paper makes them (section 6.3.1), and runs of both sides over them.

use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::{CryptoRng, SeedableRng};
use rayon::ThreadPoolBuilder;
use veilset_bench::BenchError;
use veilset_channel::{Framed, MemoryTransport, memory_pair};
use veilset_crypto::{Element, permutation};
use veilset_protocols::agree::{Comparator, run_over};
use veilset_protocols::{
    Attached, AttachedShape, Choices, Means, Outcome, Reveal, Role, Run, RunInput, Scheme, Side,
    Silent,
};

use super::runs::{Ran, timed};
use crate::Failure;

/// The sender's list and the receiver's, numbers of 32 bits.
pub(super) struct Lists([Vec<u32>; 2]);

fn number(entry: usize) -> u32 {
    1 << 31 | entry as u32
}

impl Lists {
    /// The worst case: a single common entry, the last of both.
    pub(super) fn worst(size: usize) -> Self {
        let list = |first: usize| (first + 1..first + size).chain([0]).map(number).collect();
        Self([list(0), list(size)])
    }

    /// The average case: `common` common entries, in random places of both.
    pub(super) fn random(size: usize, common: usize, rng: &mut dyn CryptoRng) -> Self {
        let mut list = |first: usize| -> Vec<u32> {
            let entry =
                |at: u32| if (at as usize) < common { at as usize } else { first + at as usize };
            permutation(size, rng).iter().map(|at| number(entry(*at))).collect()
        };
        Self([list(size), list(2 * size)])
    }

    pub(super) fn numbers(&self, side: usize) -> &[u32] {
        &self.0[side]
    }

    /// How many pairs are compared, one after the other, up to the match; all if there is none.
    pub(super) fn comparisons(&self, scheme: Scheme) -> u64 {
        let [sender, receiver] = &self.0;
        let mut pairs = scheme.rounds([sender, receiver].map(|list| list.len() as u32)).flatten();
        let equal = |[s, r]: [u32; 2]| sender[s as usize] == receiver[r as usize];
        let all = sender.len() * receiver.len();
        pairs.position(equal).map_or(all, |place| place + 1) as u64
    }

    fn elements(&self, side: usize) -> Vec<Element> {
        let element = |number: &u32| {
            let mut bytes = [1; Element::LEN];
            bytes[..4].copy_from_slice(&number.to_le_bytes());
            Element(bytes)
        };
        self.0[side].iter().map(element).collect()
    }
}

/// Runs both sides, one thread each, and looks whether they agree on an entry that both have, if there is any.
pub(super) fn run(comparator: Comparator, scheme: Scheme, lists: &Lists) -> Result<Ran, Failure> {
    let (left, right) = memory_pair();
    let (ran, places) = timed(|| {
        thread::scope(|scope| {
            let other = scope.spawn(|| side(comparator, scheme, Role::Sender, lists, left));
            let here = side(comparator, scheme, Role::Receiver, lists, right)?;
            Ok([other.join().map_err(|_| BenchError::Threads)??, here])
        })
    })?;
    let [sender, receiver] =
        [0, 1].map(|side: usize| places[side].and_then(|place| lists.0[side].get(place as usize)));
    let common = lists.0[0].iter().any(|number| lists.0[1].contains(number));
    if sender != receiver || sender.is_some() != common {
        let expected = u64::from(common);
        return Err(
            BenchError::WrongResult { protocol: "agree", found: 1 - expected, expected }.into()
        );
    }
    Ok(ran)
}

/// The place of the agreed entry.
fn side(
    comparator: Comparator,
    scheme: Scheme,
    role: Role,
    lists: &Lists,
    transport: MemoryTransport,
) -> Result<Option<u32>, Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().map_err(|_| BenchError::Threads)?;
    let mut channel = Framed::new(transport);
    let mut rng = ChaCha20Rng::from_seed([role as u8; 32]);
    let outcome = pool.install(|| {
        let conclude = run_over(
            comparator,
            Run {
                side: Side { role, reveal: Reveal::Both },
                input: RunInput {
                    elements: lists.elements(role as usize).into(),
                    peer_count: lists.0[role.other() as usize].len(),
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
    Ok(if let Outcome::Agreed(place) = outcome { place } else { None })
}
