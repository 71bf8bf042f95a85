//! Prices of a run between two clusters, before it happens: `docs/notes/scale.md` derives the model.

mod model;

use std::time::Duration;

use veilset_protocols::{Protocol, Role, Shape, Spec};
use veilset_session::{
    Calibration, Link, MOST_KEYS, MOST_WORKERS, PlannedRun, SessionError, clustered,
};

use crate::ClusterError;
use model::{Load, Phases};

pub use model::{
    CONNECTION_SECONDS, CONNECTION_TRIPS, INNER_BITS_PER_SECOND, PASSES_A_ROW, PROCESS_BYTES,
    STORED_A_ROW,
};

/// The clusters of a run; both sides' are alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cluster {
    /// Workers of a side, or as many as `within` asks for.
    pub workers: Option<u64>,
    /// How long a run may take where the number of workers is open.
    pub within: Duration,
    /// Bytes of memory of a worker.
    pub worker_memory: u64,
    /// What a worker costs an hour.
    pub price: f64,
    /// What a gigabyte costs that leaves a cluster for the other.
    pub egress: f64,
}

impl Default for Cluster {
    fn default() -> Self {
        Self {
            workers: None,
            within: Duration::from_secs(3600),
            worker_memory: 16_000_000_000,
            price: 0.40,
            egress: 0.05,
        }
    }
}

/// Where the number of workers comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fit {
    /// The planned run says it.
    Given,
    /// No fewer end in time.
    Fewest,
    /// No number of workers ends in time over this link; these are the fastest.
    Link {
        /// The least bandwidth, in bits a second, over which some number does.
        least: f64,
    },
    /// No number of workers ends in time over any link; these are the fastest.
    Never,
}

/// What a run between two clusters costs.
#[derive(Clone)]
pub struct ClusterPrice {
    /// What the protocol of the pieces says of itself.
    pub spec: &'static Spec,
    /// This side's number of distinct keys, and the peer's.
    pub rows: [u64; 2],
    /// Into how many pieces the run is cut.
    pub pieces: u64,
    /// Workers of a side.
    pub workers: u64,
    /// Where that number comes from.
    pub fit: Fit,
    /// From the first row that is read to the last message.
    pub time: Duration,
    /// Of that, what either side does alone before.
    pub preparing: Duration,
    /// After that, what computing takes if no byte had to be sent.
    pub computing: Duration,
    /// What the link takes if nothing had to be computed; this and computing overlap in part.
    pub link: Duration,
    /// Bytes that this side and the peer send.
    pub sent: [f64; 2],
    /// The most bytes of memory that a worker of either side takes.
    pub worker_memory: u64,
    /// Bytes in the object store, or on its disks, of this side and of the peer.
    pub stored: [f64; 2],
    /// What this side and the peer pay.
    pub cost: [f64; 2],
}

impl Cluster {
    /// Prices a run between two of these, from what this machine's operations cost.
    ///
    /// # Errors
    /// When clusters do not run the operation like this, there are too many keys, or a piece does not fit a worker's memory.
    pub fn price_of(
        &self,
        planned: &PlannedRun,
        machine: &Calibration,
    ) -> Result<ClusterPrice, ClusterError> {
        let run = Run::of(planned, machine)?;
        let (workers, fit) = match self.workers {
            Some(workers) => (workers.clamp(1, MOST_WORKERS), Fit::Given),
            None => run.fewest(self.within),
        };
        let load = run.load(workers);
        let needed = load.worker_memory();
        if needed > self.worker_memory {
            return Err(ClusterError::WorkerMemory { needed, allowed: self.worker_memory });
        }
        Ok(self.priced(&run, &load, fit))
    }

    fn priced(&self, run: &Run<'_>, load: &Load, fit: Fit) -> ClusterPrice {
        let phases = run.phases(load, run.planned.link);
        let hours = load.workers as f64 * phases.all() / 3600.0;
        let (sent, stored) = (run.mine_first(load.bytes()), run.mine_first(load.stored()));
        ClusterPrice {
            spec: load.protocol.spec(),
            rows: [run.planned.rows, run.planned.peer_rows],
            pieces: load.pieces,
            workers: load.workers,
            fit,
            time: seconds(phases.all()),
            preparing: seconds(phases.preparing),
            computing: seconds(phases.computing),
            link: seconds(phases.link),
            sent,
            worker_memory: load.worker_memory(),
            stored,
            cost: sent.map(|bytes| hours * self.price + bytes / 1e9 * self.egress),
        }
    }
}

/// A run that clusters do, whoever works at it.
struct Run<'a> {
    planned: &'a PlannedRun,
    machine: &'a Calibration,
    /// The protocol that pieces run.
    protocol: &'static dyn Protocol,
    /// How many runs follow each other.
    tiers: u64,
}

impl<'a> Run<'a> {
    fn of(planned: &'a PlannedRun, machine: &'a Calibration) -> Result<Self, ClusterError> {
        let PlannedRun { wanted, rows, peer_rows, .. } = *planned;
        wanted.check(None)?;
        let operation = wanted.operation;
        // If it is as strict as asked for.
        let found = clustered(operation).and_then(|one| wanted.find(one.spec().id));
        let protocol = found.ok_or(ClusterError::NotInCluster { operation })?;
        if rows.max(peer_rows) > MOST_KEYS {
            return Err(SessionError::TooManyKeys { most: MOST_KEYS }.into());
        }
        let tiers = planned.tiers().ok_or(ClusterError::OneKey)?;
        Ok(Self { planned, machine, protocol, tiers })
    }

    fn load(&self, workers: u64) -> Load {
        let choices = self.planned.wanted.completed(self.protocol.spec());
        let whole = Shape { choices, ..self.planned.shape() };
        Load::new(self.protocol, whole, workers, self.tiers)
    }

    fn phases(&self, load: &Load, link: Link) -> Phases {
        load.phases(self.machine, link, self.planned.threads)
    }

    /// The fewest workers that end in time, or else the fastest power of two.
    fn fewest(&self, within: Duration) -> (u64, Fit) {
        let seconds = |workers, bits_per_second| {
            let link = Link { bits_per_second, ..self.planned.link };
            self.phases(&self.load(workers), link).all()
        };
        let (bits, within) = (self.planned.link.bits_per_second, within.as_secs_f64());
        if let Some(fewest) = (1..=MOST_WORKERS).find(|workers| seconds(*workers, bits) <= within) {
            return (fewest, Fit::Fewest);
        }
        let powers = || (0..=MOST_WORKERS.ilog2()).map(|log| 1_u64 << log);
        let faster = |one: &u64, other: &u64| seconds(*one, bits).total_cmp(&seconds(*other, bits));
        let fastest = powers().min_by(faster).unwrap_or(1);
        let does = |bits| powers().any(|workers| seconds(workers, bits) <= within);
        let fit = least(bits, does).map_or(Fit::Never, |least| Fit::Link { least });
        (fastest, fit)
    }

    /// What is of this side and of the peer, from what is of the sender and of the receiver.
    fn mine_first(&self, [sender, receiver]: [f64; 2]) -> [f64; 2] {
        match self.planned.side().role {
            Role::Sender => [sender, receiver],
            Role::Receiver => [receiver, sender],
        }
    }
}

/// A duration, saturating where the numbers are beyond sense.
fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or(Duration::MAX)
}

/// The least bandwidth above `from` that does, to a thousandth.
fn least(from: f64, does: impl Fn(f64) -> bool) -> Option<f64> {
    // A million times as much is as good as any.
    let (mut low, mut high) = (from, from * 1e6);
    if !does(high) {
        return None;
    }
    while high > low * 1.001 {
        let middle = (low * high).sqrt();
        if does(middle) { high = middle } else { low = middle }
    }
    Some(high)
}
