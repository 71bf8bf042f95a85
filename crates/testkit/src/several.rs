//! Three parties or more.

use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Channel, Costs, Framed, MemoryTransport, Metered, memory_pair};
use veilset_crypto::Element;
use veilset_protocols::{
    MultipartyError, MultipartyProtocol, MultipartyRun, Outcome, Parties, Silent,
};

use crate::element;

/// A run of several parties.
#[derive(Clone)]
pub struct Meeting {
    /// The registry entry.
    pub protocol: &'static dyn MultipartyProtocol,
    /// Everybody's elements.
    pub sets: Vec<Vec<Element>>,
    /// Who computes the result.
    pub leader: usize,
    /// Who holds the keys, in a protocol with a pivot.
    pub pivot: usize,
    /// Who learns.
    pub learners: Vec<bool>,
}

impl Meeting {
    /// Of sets of these sizes, all of which have as many elements in common; all learn.
    ///
    /// # Panics
    /// When that is more than a set has.
    #[must_use]
    pub fn new(protocol: &'static dyn MultipartyProtocol, sizes: &[usize], common: usize) -> Self {
        let set = |(place, size): (usize, &usize)| {
            let own = (0..size - common).map(|n| element(((place + 1) << 32) + n));
            own.chain((0..common).map(element)).collect()
        };
        let sets = sizes.iter().enumerate().map(set).collect();
        Self { protocol, sets, leader: 0, pivot: 1, learners: vec![true; sizes.len()] }
    }

    /// Everybody's number of elements.
    #[must_use]
    pub fn sizes(&self) -> Vec<usize> {
        self.sets.iter().map(Vec::len).collect()
    }

    /// Who takes part, and as what.
    #[must_use]
    pub fn parties<'a>(&'a self, sizes: &'a [usize]) -> Parties<'a> {
        let (leader, pivot) = (self.leader, self.pivot);
        Parties { sizes, leader, pivot, learners: &self.learners, slack: 0 }
    }
}

/// What one party of a run ends with, and what it did with each other one, in the order of places.
pub type EndedAmong = (Result<Outcome, MultipartyError>, Vec<Costs>);

type End = Metered<Framed<MemoryTransport>>;

/// Runs all parties over queues in memory, with randomness from `seed`.
///
/// # Panics
/// When a party does.
#[must_use]
pub fn run_all(meeting: &Meeting, seed: u8) -> Vec<EndedAmong> {
    let sizes = &meeting.sizes();
    thread::scope(|scope| {
        let ends = mesh(sizes.len()).into_iter().enumerate();
        let parties = ends
            .map(|(place, ends)| scope.spawn(move || run_place(meeting, sizes, place, ends, seed)));
        let parties: Vec<_> = parties.collect();
        let joined = |party: thread::ScopedJoinHandle<'_, EndedAmong>| {
            party.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        parties.into_iter().map(joined).collect()
    })
}

/// For each party its end of a channel to each other.
fn mesh(parties: usize) -> Vec<Vec<Option<End>>> {
    let mut mesh: Vec<Vec<Option<End>>> = Vec::new();
    let end = |transport| Some(Metered::new(Framed::new(transport), "start"));
    for _ in 0..parties {
        let mut ends = Vec::new();
        for other in &mut mesh {
            let (left, right) = memory_pair();
            other.push(end(left));
            ends.push(end(right));
        }
        ends.push(None);
        mesh.push(ends);
    }
    mesh
}

fn run_place(
    meeting: &Meeting,
    sizes: &[usize],
    place: usize,
    mut ends: Vec<Option<End>>,
    seed: u8,
) -> EndedAmong {
    let channels = ends.iter_mut().map(|end| end.as_mut().map(|end| end as &mut dyn Channel));
    let conclusion = meeting.protocol.run(MultipartyRun {
        place,
        parties: meeting.parties(sizes),
        elements: meeting.sets[place].clone().into(),
        session: &[7; 32],
        channels: channels.collect(),
        rng: &mut ChaCha20Rng::from_seed([seed.wrapping_add(place as u8); 32]),
        observer: &Silent,
    });
    let costs = ends.iter_mut().flatten().map(|end| end.costs().clone()).collect();
    (conclusion.and_then(|conclude| conclude()), costs)
}
