//! The model: functions of sizes, of a link, and of what a machine's operations cost.

use veilset_protocols::{Cost, Operation, PartyCost, Protocol, Shape, cost_of_part, shape_of_part};
use veilset_session::{Calibration, Link, pieces};

/// Reading, normalising, hashing and sorting a row into its piece, in passes of an element.
pub const PASSES_A_ROW: f64 = 8.0;
/// Bytes of a row in the object store: a digest, a place, and what the store adds.
pub const STORED_A_ROW: f64 = 48.0;
/// Bits a second of a worker to the others of its cluster.
pub const INNER_BITS_PER_SECOND: f64 = 10e9;
/// What opening a connection and agreeing on terms takes on one core.
pub const CONNECTION_SECONDS: f64 = 5e-3;
/// Round trips of that.
pub const CONNECTION_TRIPS: f64 = 3.0;
/// Memory of a worker's process before its first piece.
pub const PROCESS_BYTES: f64 = 300e6;
/// Bytes of an element and of a value in memory.
const ELEMENT: f64 = 32.0;
const VALUE: f64 = 16.0;
/// Multiplications of a side for the 128 base transfers of a piece.
const BASE_TRANSFERS: f64 = 3.0 * 128.0;

/// A run in pieces, and who does them.
pub(super) struct Load {
    pub(super) protocol: &'static dyn Protocol,
    pub(super) pieces: u64,
    pub(super) workers: u64,
    whole: Shape,
    piece: Cost,
    /// Runs one after the other, each as if nothing had dropped out before.
    tiers: f64,
}

/// How long a run takes, in seconds.
pub(super) struct Phases {
    pub(super) preparing: f64,
    pub(super) computing: f64,
    pub(super) link: f64,
    running: f64,
}

impl Phases {
    pub(super) fn all(&self) -> f64 {
        self.preparing + self.running
    }
}

impl Load {
    pub(super) fn new(
        protocol: &'static dyn Protocol,
        whole: Shape,
        workers: u64,
        tiers: u64,
    ) -> Self {
        let pieces = pieces(whole.larger(), workers);
        let piece = match protocol.spec().cut {
            true => cost_of_part(protocol, whole, buckets(pieces)),
            false => of_slice(protocol, whole, pieces),
        };
        Self { protocol, pieces, workers, whole, piece, tiers: tiers as f64 }
    }

    /// Every worker does one piece after the other, over its share of the link.
    pub(super) fn phases(&self, machine: &Calibration, link: Link, threads: usize) -> Phases {
        let bits_per_second = link.bits_per_second / self.workers as f64;
        let share = Link { bits_per_second, ..link };
        let times = machine.times(&self.piece, self.whole.choices.group, share, threads);
        let turns = self.tiers * self.pieces.div_ceil(self.workers) as f64;
        let connections = self.stages();
        let opening = connections * CONNECTION_SECONDS;
        let trips = connections * CONNECTION_TRIPS * link.round_trip.as_secs_f64();
        Phases {
            preparing: self.preparing(machine, threads),
            computing: turns * (times.computing + opening),
            link: turns * (times.link + trips),
            running: turns * (times.all + opening + trips),
        }
    }

    /// Both sides prepare at once.
    fn preparing(&self, machine: &Calibration, threads: usize) -> f64 {
        let rows = self.whole.larger() as f64 / self.workers as f64;
        let computing = PASSES_A_ROW * machine.pass() / threads.max(1) as f64;
        // Out of the worker that read a row, and into the one that has its piece.
        let moving = 2.0 * STORED_A_ROW * 8.0 / INNER_BITS_PER_SECOND;
        self.tiers * rows * (computing + moving)
    }

    /// Connections of a piece: buckets have one, slices are exchanged, told, and then transferred.
    fn stages(&self) -> f64 {
        let spec = self.protocol.spec();
        match spec.operation {
            _ if spec.cut => 1.0,
            Operation::Count => 2.0,
            _ => 3.0,
        }
    }

    /// Bytes that the sender and the receiver send.
    pub(super) fn bytes(&self) -> [f64; 2] {
        let pieces = self.tiers * self.pieces as f64;
        [self.piece.sender, self.piece.receiver].map(|party| party.bytes_sent * pieces)
    }

    /// Bytes in the stores of the sender and of the receiver: rows before and after they went to their pieces, and values
    /// under both keys until all are told.
    pub(super) fn stored(&self) -> [f64; 2] {
        let (sender, receiver) = (self.whole.sender as f64, self.whole.receiver as f64);
        let values = if self.protocol.spec().cut { 0.0 } else { VALUE * (sender + receiver) };
        [sender, receiver].map(|rows| self.tiers * 2.0 * STORED_A_ROW * rows + values)
    }

    /// The most bytes that a worker of either side takes for a piece.
    pub(super) fn worker_memory(&self) -> u64 {
        let shape = match self.protocol.spec().cut {
            true => shape_of_part(self.whole, buckets(self.pieces)),
            false => slice(self.whole, self.pieces),
        };
        let cost = self.protocol.cost(shape);
        let of =
            |party: PartyCost, rows: u64| party.memory + (STORED_A_ROW + ELEMENT) * rows as f64;
        let most = of(cost.sender, shape.sender).max(of(cost.receiver, shape.receiver));
        (PROCESS_BYTES + most) as u64
    }
}

/// So many pieces by digests, as a run has parts.
fn buckets(pieces: u64) -> u32 {
    u32::try_from(pieces).unwrap_or(u32::MAX)
}

/// A random piece.
fn slice(whole: Shape, pieces: u64) -> Shape {
    let part = |rows: u64| rows.div_ceil(pieces);
    Shape { sender: part(whole.sender), receiver: part(whole.receiver), ..whole }
}

/// What a slice costs: its share of a run over everything, and what a run over next to nothing costs.
fn of_slice(protocol: &dyn Protocol, whole: Shape, pieces: u64) -> Cost {
    let all = protocol.cost(whole);
    let least = protocol.cost(Shape { sender: 1, receiver: 1, ..whole });
    let transfers = protocol.spec().operation != Operation::Count;
    let setup = if transfers { BASE_TRANSFERS } else { 0.0 };
    let part = |all: PartyCost, least: PartyCost| PartyCost {
        multiplications: all.multiplications / pieces as f64 + setup,
        maps: all.maps / pieces as f64,
        passes: all.passes / pieces as f64,
        bytes_sent: all.bytes_sent / pieces as f64 + least.bytes_sent,
        in_turn: all.in_turn / pieces as f64,
        ..PartyCost::default()
    };
    let (sender, receiver) = (part(all.sender, least.sender), part(all.receiver, least.receiver));
    Cost { sender, receiver, rounds: all.rounds, waits: all.waits }
}
