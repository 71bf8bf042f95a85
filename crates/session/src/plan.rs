//! The planner: prices each fitting protocol like a database prices a query.

use std::hint::black_box;
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::Duration;

use rayon::ThreadPool;
use veilset_crypto::{CommutativePrf, Element, Group, accelerator, with_prf};
use veilset_host::time::Instant;
use veilset_protocols::{
    Choices, Cost, MultipartyCost, Parts, PartyCost, Protocol, Role, Shape, Side, Spec,
    sample_passes, shape_of_part,
};

use crate::briefing::sentence;
use crate::run::pool;
use crate::wanted::fits;
use crate::{SessionError, Wanted};

/// What this machine's operations cost, in seconds on one core. A group is measured when it is first asked for: the slowest, of which
/// few runs have a use, takes a hundred times as long as the fastest.
#[derive(Debug)]
pub struct Calibration {
    groups: [OnceLock<Speed>; Group::ALL.len()],
    pass: f64,
    /// The thread that measures, unless everything is known.
    thread: Option<ThreadPool>,
}

/// The cost of a group's operations in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Speed {
    /// One scalar multiplication.
    pub multiplication: f64,
    /// One element mapped to the group.
    pub map: f64,
    /// Whether one device computes for all threads.
    pub on_device: bool,
}

impl Calibration {
    /// Measures for some milliseconds, on one thread.
    ///
    /// # Errors
    /// When that thread cannot be started.
    pub fn measure() -> Result<Self, SessionError> {
        let thread = pool(1)?;
        let pass = thread.install(pass);
        Ok(Self { groups: Default::default(), pass, thread: Some(thread) })
    }

    /// Every group as `speed` has it, and `pass` seconds a pass of an element.
    pub fn with(speed: impl Fn(Group) -> Speed, pass: f64) -> Self {
        Self { groups: Group::ALL.map(|group| speed(group).into()), pass, thread: None }
    }

    /// The cost of the operations of `group`.
    #[must_use]
    pub fn of(&self, group: Group) -> Speed {
        let place = Group::ALL.iter().position(|one| *one == group).unwrap_or(0);
        let measure = || match &self.thread {
            Some(thread) => thread.install(|| Speed::measure(group)),
            None => Speed::measure(group),
        };
        *self.groups[place].get_or_init(measure)
    }

    /// The seconds of a pass of an element.
    #[must_use]
    pub fn pass(&self) -> f64 {
        self.pass
    }

    /// How long a run takes whose curve operations are in `group`.
    ///
    /// Both sides compute at once while bytes fly, so the longer of the two is what takes time, but for what is in turn and
    /// where they take turns; each round adds a trip. What a protocol without a group computes counts as multiplications on
    /// ristretto255.
    #[must_use]
    pub fn times(&self, cost: &Cost, group: Option<Group>, link: Link, threads: usize) -> Times {
        let Cost { sender, receiver, .. } = cost;
        let speed = self.of(group.unwrap_or(Group::Ristretto255));
        let threads = if speed.on_device { 1.0 } else { threads.max(1) as f64 };
        let compute = |party: &PartyCost| {
            (party.multiplications * speed.multiplication + party.maps * speed.map) / threads
        };
        let fly = |bytes: f64| bytes * 8.0 / link.bits_per_second;
        let send = |party: &PartyCost| fly(party.bytes_sent - party.in_turn);
        let (one, other) = (compute(sender), compute(receiver));
        let turns = sender.turns | receiver.turns;
        let curve = if turns { one + other } else { one.max(other) };
        let sending = send(sender).max(send(receiver));
        let passes = (sender.passes + receiver.passes) * self.pass / threads;
        let waiting = fly(sender.in_turn + receiver.in_turn);
        let trips = (cost.rounds + cost.waits) as f64 * link.round_trip.as_secs_f64() / 2.0;
        Times {
            all: curve.max(sending) + passes + waiting + trips,
            computing: curve + passes,
            link: sending + waiting + trips,
        }
    }
}

/// How long a run takes, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// From the first message to the last; computing and sending overlap in part.
    pub all: f64,
    /// What computing takes if no byte had to be sent.
    pub computing: f64,
    /// What the link takes if nothing had to be computed.
    pub link: f64,
}

impl Speed {
    fn measure(group: Group) -> Self {
        let on_device = group == Group::Curve25519 && accelerator().is_some();
        with_prf!(group, F => Self::measure_of::<F>(on_device))
    }

    fn measure_of<F: CommutativePrf>(on_device: bool) -> Self {
        // A device is as fast as in a run when as many batches are underway.
        let sample = if on_device { F::batch() * (1 + F::ahead()) } else { 32 };
        let mut rng = <chacha20::ChaCha20Rng as rand_core::SeedableRng>::from_seed([0; 32]);
        let prf = F::generate(&mut rng);
        let elements = vec![Element([1; 32]); sample];
        let points = prf.hash_and_evaluate(&elements);
        let both = best(sample, || drop(black_box(prf.hash_and_evaluate(&elements))));
        let multiplication = best(sample, || drop(black_box(prf.evaluate(&points))));
        Self { multiplication, map: (both - multiplication).max(0.0), on_device }
    }
}

/// The seconds of a pass of an element.
fn pass() -> f64 {
    const SAMPLE: usize = 1 << 13;
    best(SAMPLE, || sample_passes(SAMPLE))
}

/// The seconds that one of the `count` parts of a sample takes. Whatever else the machine does only slows a sample down, so
/// the fastest counts.
fn best(count: usize, sample: impl Fn()) -> f64 {
    const SAMPLES: usize = 9;
    let seconds = (0..SAMPLES).map(|_| {
        let started = Instant::now();
        sample();
        started.elapsed().as_secs_f64() / count as f64
    });
    seconds.fold(f64::INFINITY, f64::min)
}

/// The network between the two parties.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Bits a second in each direction.
    pub bits_per_second: f64,
    /// The time of a round trip.
    pub round_trip: Duration,
}

impl Default for Link {
    /// A local network: 1 Gbit/s, 1 ms.
    fn default() -> Self {
        Self { bits_per_second: 1e9, round_trip: Duration::from_millis(1) }
    }
}

/// A link that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a link is BANDWIDTH,ROUNDTRIP such as 50mbit,80ms or 10gbit,0.2ms; {0}")]
pub struct PlanError(String);

impl FromStr for Link {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<Self, PlanError> {
        let (bandwidth, delay) =
            text.split_once(',').ok_or_else(|| PlanError("there is no comma".into()))?;
        let rates = [("gbit", 1e9), ("mbit", 1e6), ("kbit", 1e3)];
        let times = [("ms", 1e-3), ("us", 1e-6), ("s", 1.0)];
        let bits_per_second = quantity(bandwidth, &rates)
            .filter(|rate| *rate > 0.0)
            .ok_or_else(|| PlanError("the bandwidth ends in kbit, mbit or gbit".into()))?;
        let seconds = quantity(delay, &times)
            .filter(|seconds| *seconds <= 3600.0)
            .ok_or_else(|| PlanError("the round trip ends in us, ms or s".into()))?;
        Ok(Self { bits_per_second, round_trip: Duration::from_secs_f64(seconds) })
    }
}

/// A non-negative number with one of the given units.
fn quantity(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let (number, scale) =
        units.iter().find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, scale)))?;
    let value: f64 = number.trim().parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(value * scale)
}

/// A protocol with its price.
#[derive(Clone)]
pub struct Estimate {
    /// The protocol.
    pub protocol: &'static dyn Protocol,
    /// Its parameters.
    pub choices: Choices,
    /// Its cost in operations, bytes and rounds.
    pub cost: Cost,
    /// From the first message to the last.
    pub time: Duration,
    /// Of that, what computing takes if no byte had to be sent.
    pub computing: Duration,
    /// Peak memory of the larger side in bytes, keys included, for keys of some 30 bytes.
    pub memory: u64,
}

impl Estimate {
    /// What the protocol says of itself.
    #[must_use]
    pub fn spec(&self) -> &'static Spec {
        self.protocol.spec()
    }

    /// Of the bytes that the sender sends in a run of this shape, those that the receiver can keep for later runs over the same
    /// list.
    #[must_use]
    pub fn kept(&self, shape: Shape) -> f64 {
        self.protocol.kept(Shape { choices: self.choices, ..shape })
    }

    /// Of as many such runs of `shape`, one after the other, with what is kept of all.
    pub(crate) fn in_tiers(self, tiers: u64, shape: Shape) -> Self {
        let runs = u32::try_from(tiers).unwrap_or(u32::MAX);
        let of_others = shape.larger().saturating_mul(tiers - 1);
        let mut cost = self.cost.times(tiers);
        // Both tell how many values they have left before each.
        cost.rounds += if tiers > 1 { tiers } else { 0 };
        Self {
            cost,
            time: self.time.saturating_mul(runs),
            computing: self.computing.saturating_mul(runs),
            memory: self.memory.saturating_add(of_others.saturating_mul(KEPT_A_VALUE)),
            ..self
        }
    }

    /// "You learn: …. PEER learns: …." for this side of the figure.
    #[must_use]
    pub fn learned(&self, side: Side, peer: &str) -> String {
        sentence(self.spec(), side, peer, [None; 2])
    }
}

/// What a run is likely to take.
#[derive(Debug, Clone, Copy)]
pub struct Price {
    /// From the first message to the last, on this machine and a local network.
    pub time: Duration,
    /// Bytes that this side sends.
    pub sent: u64,
    /// Bytes that it receives.
    pub received: u64,
}

impl Price {
    /// Of runs of these shapes, one after the other, for the side that plays `role`, on a machine that is measured for some
    /// milliseconds.
    pub(crate) fn of(
        protocol: &'static dyn Protocol,
        shapes: &[Shape],
        role: Role,
        threads: usize,
    ) -> Result<Self, SessionError> {
        let machine = Calibration::measure()?;
        let of_one = |shape: &Shape| {
            let Estimate { time, cost, .. } =
                estimate(protocol, *shape, &machine, Link::default(), threads);
            let [sender, receiver] =
                [cost.sender, cost.receiver].map(|party| party.bytes_sent as u64);
            let (sent, received) = match role {
                Role::Sender => (sender, receiver),
                Role::Receiver => (receiver, sender),
            };
            Self { time, sent, received }
        };
        let none = Self { time: Duration::ZERO, sent: 0, received: 0 };
        Ok(shapes.iter().map(of_one).fold(none, |sum, one| Self {
            time: sum.time + one.time,
            sent: sum.sent + one.sent,
            received: sum.received + one.received,
        }))
    }

    /// Of a run among several, for the party in this place; each party has a machine as this one and so many threads.
    pub(crate) fn of_multiparty(
        cost: &MultipartyCost,
        group: Option<Group>,
        place: usize,
        threads: usize,
    ) -> Result<Self, SessionError> {
        let machine = Calibration::measure()?;
        Ok(Self {
            time: time_among(cost, group, &machine, Link::default(), threads),
            sent: cost.parties[place].bytes_sent as u64,
            received: cost.received[place] as u64,
        })
    }
}

/// What a run among several takes, each on such a machine and so many threads, with such a link to each other: all are as far as the
/// slowest.
pub(crate) fn time_among(
    cost: &MultipartyCost,
    group: Option<Group>,
    machine: &Calibration,
    link: Link,
    threads: usize,
) -> Duration {
    let speed = group.map(|group| machine.of(group));
    let takes = |(party, received): (&PartyCost, &f64)| {
        let on_curve = speed.map_or(0.0, |speed| {
            party.multiplications * speed.multiplication + party.maps * speed.map
        });
        let computing = (on_curve + party.passes * machine.pass) / threads.max(1) as f64;
        computing + party.bytes_sent.max(*received) * 8.0 / link.bits_per_second
    };
    let slowest = cost.parties.iter().zip(&cost.received).map(takes).fold(0.0, f64::max);
    seconds(slowest + cost.rounds as f64 * link.round_trip.as_secs_f64())
}

/// Bytes of memory that a value of another tier takes: its element, and whether it matches.
pub(crate) const KEPT_A_VALUE: u64 = Element::LEN as u64 + 12;

/// Bytes a key costs beside the protocol and its element: its row in the list, and which rows carry it.
const BYTES_A_KEY: u64 = 48;

/// Prices every protocol that fits: first the one to take, which is one of [`Wanted::taken`], then the others, the fastest
/// first. A protocol's run has the shape that is given for it; what that says of choices does not matter.
#[must_use]
pub(crate) fn plan(
    wanted: Wanted,
    shape: &dyn Fn(&Spec) -> Shape,
    machine: &Calibration,
    link: Link,
    threads: usize,
) -> Vec<Estimate> {
    let fits = |protocol: &&dyn Protocol| fits(protocol.spec(), shape(protocol.spec()));
    let none_fits = !wanted.planned().any(|protocol| fits(&protocol));
    let mut estimates: Vec<Estimate> = wanted
        .candidates()
        .filter(|protocol| none_fits || fits(protocol))
        .map(|protocol| {
            let spec = protocol.spec();
            let shape = Shape { choices: wanted.completed(spec), ..shape(spec) };
            estimate(protocol, shape, machine, link, threads)
        })
        .collect();
    // In the order of the registry still.
    let taken: Vec<&str> = wanted.taken(shape).iter().map(|taken| taken.spec().id).collect();
    let first = choice(&estimates, |estimate| taken.contains(&estimate.spec().id))
        .map(|chosen| estimates.remove(chosen));
    estimates.sort_by_key(|estimate| estimate.time);
    first.into_iter().chain(estimates).collect()
}

/// What [`plan`] takes first as sets of equal size grow, each with the least power of two from which on it does.
#[must_use]
pub(crate) fn switches(
    wanted: Wanted,
    shape: Shape,
    machine: &Calibration,
    link: Link,
    threads: usize,
) -> Vec<(u64, &'static Spec)> {
    const LARGEST: u32 = 28;
    let first = |size| {
        let shape = Shape { sender: size, receiver: size, ..shape };
        plan(wanted, &|_| shape, machine, link, threads).first().map(Estimate::spec)
    };
    let mut switches: Vec<(u64, &'static Spec)> = Vec::new();
    for (size, spec) in (0..=LARGEST).filter_map(|log| Some((1 << log, first(1 << log)?))) {
        let before = switches.last().map(|(_, before)| before.id);
        if before != Some(spec.id) {
            switches.push((size, spec));
        }
    }
    switches
}

/// The place of the estimate to go by among those that the planner `takes`: the fastest, or the one that the registry has
/// first among those hardly slower, so that noise in the measurement does not decide.
fn choice(estimates: &[Estimate], takes: impl Fn(&Estimate) -> bool) -> Option<usize> {
    // No estimate is closer than that.
    const HARDLY: f64 = 1.3;
    let taken = || estimates.iter().enumerate().filter(|(_, estimate)| takes(estimate));
    let least = taken().map(|(_, estimate)| estimate.time).min()?.as_secs_f64() * HARDLY;
    let first = taken().find(|(_, estimate)| estimate.time.as_secs_f64() <= least);
    first.map(|(place, _)| place)
}

/// The price of a run of `shape`.
fn estimate(
    protocol: &'static dyn Protocol,
    shape: Shape,
    machine: &Calibration,
    link: Link,
    threads: usize,
) -> Estimate {
    let parts = Parts::fewest(protocol.spec(), shape.larger()).unwrap_or(Parts::ONE);
    let cost = parts.cost(protocol, shape);
    let times = machine.times(&cost, shape.choices.group, link, threads);
    let memory = [Role::Sender, Role::Receiver].map(|role| {
        memory_with(&cost, shape, role, parts)
            .saturating_add(BYTES_A_KEY.saturating_mul(shape.of(role)))
    });
    Estimate {
        protocol,
        choices: shape.choices,
        cost,
        time: seconds(times.all),
        computing: seconds(times.computing),
        memory: memory[0].max(memory[1]),
    }
}

/// A duration, saturating where the numbers are beyond sense.
fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or(Duration::MAX)
}

/// Bytes that a run takes on the side that plays `role`, elements included, keys and table not.
pub(crate) fn memory_of(protocol: &dyn Protocol, shape: Shape, role: Role, parts: Parts) -> u64 {
    memory_with(&parts.cost(protocol, shape), shape, role, parts)
}

/// The same of a run that costs this.
fn memory_with(cost: &Cost, shape: Shape, role: Role, parts: Parts) -> u64 {
    let party = match role {
        Role::Sender => cost.sender,
        Role::Receiver => cost.receiver,
    };
    let (mine, one) = (shape.of(role), shape_of_part(shape, parts.count()).of(role));
    // Of a part the elements again; of all the place, and the bits of what matched.
    let copies = if parts == Parts::ONE {
        0.0
    } else {
        Element::LEN as f64 * one as f64 + 10.0 * shape.larger() as f64
    };
    (party.memory + copies + Element::LEN as f64 * mine as f64) as u64
}

#[cfg(test)]
mod tests {
    use veilset_protocols::{Operation, Reveal, Security};

    use super::*;
    use crate::Learn;

    fn machine() -> Calibration {
        Calibration::with(
            |group| match group {
                Group::Curve25519 => Speed { multiplication: 30e-6, map: 5e-6, on_device: false },
                _ => Speed { multiplication: 60e-6, map: 10e-6, on_device: false },
            },
            1e-7,
        )
    }

    fn wanted(operation: Operation) -> Wanted {
        Wanted::new(operation, Security::SemiHonest, Learn::Me)
    }

    fn square(n: u64) -> Shape {
        Shape::of_sets(n, n, Reveal::Receiver, Choices::default())
    }

    #[test]
    fn links_read_as_written() {
        let link: Link = "50mbit,80ms".parse().expect("valid");
        assert_eq!((link.bits_per_second, link.round_trip), (50e6, Duration::from_millis(80)));
        for bad in ["50mbit", "50,80ms", "50mbit,80", "-1mbit,1ms", "0mbit,1ms", "nanmbit,1ms", ""]
        {
            assert!(bad.parse::<Link>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_slow_link_is_what_takes_time_and_threads_help_where_computing_is() {
        let at = |link: &str, threads| {
            let link = link.parse().expect("valid");
            let shape = |_: &Spec| square(1 << 16);
            let plans = plan(wanted(Operation::Count), &shape, &machine(), link, threads);
            let of_curves = plans.iter().find(|plan| plan.spec().id == "mqrpmt-dh");
            of_curves.expect("it counts").time.as_secs_f64()
        };
        // 2^17 multiplications and 2^16 maps on each side.
        assert!((at("10gbit,0ms", 1) - 4.26).abs() < 0.01, "{}", at("10gbit,0ms", 1));
        assert!((at("10gbit,0ms", 2) - 2.13).abs() < 0.01);
        // 39 + 57.6/8 bytes an element at 1 Mbit/s.
        assert!((at("1mbit,0ms", 1) - 20.5).abs() < 0.2, "{}", at("1mbit,0ms", 1));
        assert!(at("1mbit,1s", 1) - at("1mbit,0ms", 1) > 0.9);
    }

    #[test]
    fn noise_does_not_choose() {
        let speed = |ristretto| {
            Calibration::with(
                |group| match group {
                    Group::Ristretto255 => {
                        Speed { multiplication: ristretto, map: 4e-6, on_device: false }
                    }
                    _ => Speed { multiplication: 30e-6, map: 4e-6, on_device: false },
                },
                // So slow that no circuit is chosen.
                1e-5,
            )
        };
        let chosen = |ristretto| {
            let (machine, link) = (speed(ristretto), Link::default());
            let plans = plan(wanted(Operation::Count), &|_| square(4096), &machine, link, 1);
            plans[0].spec().id
        };
        assert_eq!(chosen(28e-6), "mqrpmt-dh");
        assert_eq!(chosen(15e-6), "mqrpmt-poprf");
    }

    #[test]
    fn sizes_beyond_sense_saturate() {
        let shape = square(u64::MAX);
        let plans = plan(wanted(Operation::Intersect), &|_| shape, &machine(), Link::default(), 1);
        assert!(plans.iter().all(|estimate| estimate.time > Duration::from_secs(1 << 30)));
    }
}
