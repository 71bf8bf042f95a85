//! Whole protocols, both parties on this machine.

use std::thread;
use std::time::{Duration, Instant};

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use veilset_channel::{Channel, Costs, Framed, Metered, Transport, WireBytes, memory_pair};
use veilset_crypto::Element;
use veilset_net::{Listener, NetError, Options, TlsTransport, connect};
use veilset_party::Identity;
use veilset_protocols::{
    Attached, AttachedShape, Choices, Conclusion, Found, Groups, Means, MultipartyError, Outcome,
    Parts, Protocol, ProtocolError, Reveal, Role, Run, RunInput, Shape, Shares, Side, Silent, Spec,
    find,
};
use zeroize::Zeroizing;

use crate::{CpuSplit, process, reference_seconds, shaped_pair};

/// The way between the parties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Net {
    /// Queues in memory.
    Memory,
    /// Simulated: 10 Gbit/s, 0.1 ms round trip.
    Lan,
    /// Simulated: 50 Mbit/s, 80 ms round trip.
    Wan,
    /// Simulated, whatever it is.
    Simulated {
        /// Bits a second in each direction.
        bits_per_second: u64,
        /// The time of a round trip.
        round_trip: Duration,
    },
    /// TLS over loopback.
    Tls,
}

impl Net {
    /// The word on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Lan => "lan",
            Self::Wan => "wan",
            Self::Simulated { .. } => "simulated",
            Self::Tls => "tls",
        }
    }

    /// The two ends of such a way.
    pub(crate) fn pair(self) -> Result<Ends, BenchError> {
        let shaped = |bits, delay| {
            let (left, right) = shaped_pair(bits, delay);
            let ends: Ends = (Box::new(left), Box::new(right));
            ends
        };
        Ok(match self {
            Self::Memory => {
                let (left, right) = memory_pair();
                (Box::new(left), Box::new(right))
            }
            Self::Lan => shaped(10e9, Duration::from_micros(50)),
            Self::Wan => shaped(50e6, Duration::from_millis(40)),
            Self::Simulated { bits_per_second, round_trip } => {
                shaped(bits_per_second as f64, round_trip / 2)
            }
            Self::Tls => {
                let (left, right) = tls_pair()?;
                (Box::new(left), Box::new(right))
            }
        })
    }
}

/// How many elements each side has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Elements of the sender.
    pub sender: usize,
    /// Elements of the receiver.
    pub receiver: usize,
}

impl Sizes {
    /// As many on both sides.
    #[must_use]
    pub const fn equal(size: usize) -> Self {
        Self { sender: size, receiver: size }
    }

    /// Of the larger side.
    #[must_use]
    pub fn larger(self) -> usize {
        self.sender.max(self.receiver)
    }

    /// Of one side.
    pub(crate) fn of(self, role: Role) -> usize {
        match role {
            Role::Sender => self.sender,
            Role::Receiver => self.receiver,
        }
    }
}

impl From<[usize; 2]> for Sizes {
    /// Of the sender and of the receiver.
    fn from([sender, receiver]: [usize; 2]) -> Self {
        Self { sender, receiver }
    }
}

/// One thing to measure: half of the smaller set is common, and the receiver alone learns where the protocol allows that. What is too
/// large for one run goes in the fewest parts. Rows of a union have 16 bytes; sums and shares have one column.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The protocol's id.
    pub protocol: &'static str,
    /// What is chosen beside it; the rest is the protocol's default.
    pub choices: Choices,
    /// Elements of each side.
    pub sizes: Sizes,
    /// Groups of the sender's elements by which its values are added up, if by any.
    pub groups: Option<usize>,
    /// Bytes of the receiver's factor by which these values are multiplied; 0 where there is none.
    pub factor: usize,
    /// Groups of the receiver's elements by which they are added up, too, if by any.
    pub lent_groups: Option<usize>,
    /// Threads of each party.
    pub threads: usize,
    /// The way between them.
    pub net: Net,
}

/// What a case took.
#[derive(Debug, Clone)]
pub struct Measurement {
    /// The case.
    pub case: Case,
    /// Its parameters.
    pub choices: Choices,
    /// What was computed.
    pub operation: &'static str,
    /// From the first message to the last.
    pub seconds: f64,
    /// Processor time of both parties.
    pub cpu_seconds: f64,
    /// Bytes that the sender sent, with what the transport adds.
    pub bytes_sender: u64,
    /// Bytes that the receiver sent, with what the transport adds.
    pub bytes_receiver: u64,
    /// Rounds.
    pub rounds: u64,
    /// Peak memory of this process, which holds both parties, in bytes.
    pub peak_rss: u64,
    /// Scalar multiplications of both parties.
    pub curve_operations: f64,
    /// Seconds an X25519 of the reference, measured around the run.
    pub reference_seconds: f64,
    /// Processor time before the query and from then on, where a protocol has both.
    pub parts: Option<CpuSplit>,
}

impl Measurement {
    /// Processor time over that of as many operations of the reference, where the protocol counts in these and the system tells that time.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        let reference = self.curve_operations * self.reference_seconds;
        (reference > 0.0 && self.cpu_seconds > 0.0).then(|| self.cpu_seconds / reference)
    }
}

/// Why a case has no measurement.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// No such protocol.
    #[error("there is no protocol {0}")]
    Unknown(&'static str),
    /// The run failed.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// A run of several parties failed.
    #[error(transparent)]
    Multiparty(#[from] MultipartyError),
    /// Loopback failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// A party's thread failed or could not start.
    #[error("a party's threads failed")]
    Threads,
    /// The result is not what the sets say.
    #[error("{protocol} found {found} of {expected} common elements")]
    WrongResult {
        /// The protocol.
        protocol: &'static str,
        /// What it found.
        found: u64,
        /// What there is.
        expected: u64,
    },
}

impl Case {
    /// A protocol with its defaults, in memory, on one thread of each party.
    #[must_use]
    pub fn new(protocol: &'static str, sizes: Sizes) -> Self {
        Self {
            protocol,
            choices: Choices::default(),
            sizes,
            groups: None,
            factor: 0,
            lent_groups: None,
            threads: 1,
            net: Net::Memory,
        }
    }

    /// Runs the case once and checks its result.
    ///
    /// # Errors
    /// When the run fails or its result is wrong.
    pub fn measure(&self) -> Result<Measurement, BenchError> {
        let protocol = find(self.protocol).ok_or(BenchError::Unknown(self.protocol))?;
        let empty = self.sizes.sender == 0 || self.sizes.receiver == 0;
        match protocol.spec().id {
            "fhe" | "fhe-lookup" if !empty => {
                self.measure_prepared(&self.prepare(self.choices.into())?)
            }
            _ => self.measure_as(protocol),
        }
    }

    /// As [`measure`](Self::measure), with what stands for the protocol of that id.
    ///
    /// # Errors
    /// When the run fails or its result is wrong.
    pub fn measure_as(&self, protocol: &dyn Protocol) -> Result<Measurement, BenchError> {
        let common = self.sizes.sender.min(self.sizes.receiver) / 2;
        let (left, right) = self.net.pair()?;
        let sender = elements(0, self.sizes.sender);
        let receiver = elements(self.sizes.sender - common, self.sizes.receiver);
        let attached = [(Role::Sender, &sender), (Role::Receiver, &receiver)];
        // Memory is measured: nothing is made that the run does not take.
        let attached = attached.map(|(role, elements)| {
            let none = self.attachments(&[]);
            let takes = !matches!(none.in_run(protocol.spec(), role), Attached::Nothing);
            if takes { self.attachments(elements) } else { none }
        });
        let before = reference_seconds();
        process::reset_peak();
        let (started, cpu) = (Instant::now(), process::cpu_seconds());
        let played = self.both(
            protocol,
            End { transport: left, elements: sender, attachments: &attached[0] },
            End { transport: right, elements: receiver, attachments: &attached[1] },
        )?;
        let (seconds, cpu_seconds) =
            (started.elapsed().as_secs_f64(), process::cpu_seconds() - cpu);
        self.check([&played[0].outcome, &played[1].outcome], common as u64)?;
        let cost = self.parts(protocol.spec()).cost(protocol, self.shape(protocol));
        let bytes = |role: usize| {
            let Played { costs, wire, .. } = &played[role];
            wire.map_or(costs.bytes_sent(), |wire| wire.sent)
        };
        Ok(Measurement {
            case: *self,
            choices: self.choices.or(protocol.spec().defaults()),
            operation: protocol.spec().operation.name(),
            seconds,
            cpu_seconds,
            bytes_sender: bytes(0),
            bytes_receiver: bytes(1),
            rounds: played[1].costs.rounds(),
            peak_rss: process::peak_rss(),
            curve_operations: cost.sender.multiplications + cost.receiver.multiplications,
            reference_seconds: before.min(reference_seconds()),
            parts: None,
        })
    }

    fn attachments(&self, elements: &[Element]) -> Attachments {
        let lent = Attachments::of(elements, self.lent_groups).groups;
        Attachments { factor: self.factor, lent, ..Attachments::of(elements, self.groups) }
    }

    fn parts(&self, spec: &Spec) -> Parts {
        Parts::fewest(spec, self.sizes.larger() as u64).unwrap_or(Parts::ONE)
    }

    fn shape(&self, protocol: &dyn Protocol) -> Shape {
        let none = self.attachments(&[]);
        let attached = |role| none.in_run(protocol.spec(), role).shape();
        Shape {
            attached: attached(Role::Sender),
            returned: attached(Role::Receiver),
            ..Shape::of_sets(
                self.sizes.sender as u64,
                self.sizes.receiver as u64,
                reveal(protocol.spec()),
                self.choices.or(protocol.spec().defaults()),
            )
        }
    }

    /// Both parties at once; the sender's end comes first.
    fn both(
        &self,
        protocol: &dyn Protocol,
        sender: End<'_>,
        receiver: End<'_>,
    ) -> Result<[Played; 2], BenchError> {
        thread::scope(|scope| {
            let other = scope.spawn(move || self.party(protocol, Role::Sender, sender));
            let here = self.party(protocol, Role::Receiver, receiver);
            let there = other.join().map_err(|_| BenchError::Threads)?;
            Ok([there?, here?])
        })
    }

    fn party(
        &self,
        protocol: &dyn Protocol,
        role: Role,
        end: End<'_>,
    ) -> Result<Played, BenchError> {
        let End { transport, elements, attachments } = end;
        let pool = ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()
            .map_err(|_| BenchError::Threads)?;
        let spec = protocol.spec();
        let mut channel = Metered::new(Framed::new(transport), "start");
        let mut rng = ChaCha20Rng::from_seed([role as u8; 32]);
        let conclusion = pool.install(|| -> Result<Conclusion, ProtocolError> {
            let (parts, channel, observer) = (self.parts(spec), &mut channel, &Silent);
            let attached = attachments.in_run(spec, role);
            if parts == Parts::ONE {
                let means = Means { session: &SESSION, channel, rng: &mut rng, observer };
                return self.drive(protocol, role, elements.into(), attached, means);
            }
            let mut ended = Vec::new();
            let places = parts.places(&elements, elements.len()).expect("they are spread evenly");
            for (part, places) in (0..).zip(places) {
                let own = parts.fill(&places, &elements, elements.len(), &mut rng);
                let session = &parts.session(&SESSION, part);
                let means = Means { session, channel, rng: &mut rng, observer };
                ended.push((self.drive(protocol, role, own, Attached::Nothing, means)?, places));
            }
            Ok(Box::new(|| Found::of(AttachedShape::Nothing).whole(ended)))
        })?;
        let costs = channel.costs().clone();
        channel.inner().close();
        let outcome = pool.install(conclusion)?;
        Ok(Played { outcome, costs, wire: channel.wire_bytes() })
    }

    /// A run, or a part of one.
    fn drive<'a>(
        &self,
        protocol: &dyn Protocol,
        role: Role,
        elements: Zeroizing<Vec<Element>>,
        attached: Attached<'a>,
        means: Means<'a>,
    ) -> Result<Conclusion, ProtocolError> {
        let (spec, peer) = (protocol.spec(), self.sizes.of(role.other()));
        let parts = self.parts(spec);
        let input = RunInput {
            elements,
            peer_count: parts.capacity(peer),
            attached,
            peer_attached: self.attachments(&[]).in_run(spec, role.other()).shape(),
            per_row: 1,
            slack: parts.slack(),
            coins: 0,
            least: None,
            choices: self.choices.or(spec.defaults()),
        };
        protocol.run(Run { side: Side { role, reveal: reveal(spec) }, input, means })
    }

    /// Compares the two ends with what there is.
    fn check(&self, ends: [&Outcome; 2], expected: u64) -> Result<(), BenchError> {
        let found = match ends {
            [Outcome::Sums { count, sums }, _] if sums == &[i128::from(*count)] => *count,
            [Outcome::ByGroup(groups), _] => {
                let groups = groups.iter().flatten();
                let right = groups.clone().filter(|group| group.sums == [i128::from(group.count)]);
                right.map(|group| group.count).sum()
            }
            [Outcome::Shares(one), Outcome::Shares(other)] => common_of(one, other),
            [_, Outcome::Matched(rows) | Outcome::Listed { rows, .. }] => rows.len() as u64,
            [Outcome::Nothing, Outcome::Count(count)] => *count,
            [_, Outcome::Lacking { bytes, .. }] => (self.sizes.sender - bytes.len() / WIDTH) as u64,
            [Outcome::Agreed(None), Outcome::Agreed(None)] => 0,
            // The receiver's first, which is the first of the sender's that is common.
            [Outcome::Agreed(Some(one)), Outcome::Agreed(Some(0))]
                if u64::from(*one) + expected == self.sizes.sender as u64 =>
            {
                expected
            }
            [_, Outcome::Identifiers { others, .. }] => (self.sizes.sender - others.len()) as u64,
            _ => u64::MAX,
        };
        let protocol = self.protocol;
        if found == expected {
            Ok(())
        } else {
            Err(BenchError::WrongResult { protocol, found, expected })
        }
    }
}

/// How many indicators the shares make.
fn common_of(one: &Shares, other: &Shares) -> u64 {
    let indicators = |shares: &Shares| -> Vec<u128> {
        shares.words.chunks(shares.columns).map(|words| words[0]).collect()
    };
    let pairs = indicators(one).into_iter().zip(indicators(other));
    pairs.filter(|(one, other)| one.wrapping_add(*other) == 1).count() as u64
}

fn reveal(spec: &Spec) -> Reveal {
    if spec.reveals.contains(&Reveal::Receiver) { Reveal::Receiver } else { Reveal::Both }
}

/// The session of all runs.
pub(crate) const SESSION: [u8; 32] = [7; 32];

/// Bytes of a row of a union, or of a label.
const WIDTH: usize = 16;

/// What belongs to the elements of one side: a value and a factor of one, a group and a row.
pub(crate) struct Attachments {
    words: Vec<i128>,
    groups: Option<(usize, Vec<u32>)>,
    factor: usize,
    lent: Option<(usize, Vec<u32>)>,
    bytes: Vec<u8>,
}

impl Attachments {
    pub(crate) fn of(elements: &[Element], groups: Option<usize>) -> Self {
        let of_group = |count: usize| (0..count as u32).cycle().take(elements.len()).collect();
        let groups = groups.map(|count| (count, of_group(count)));
        let bytes = elements.iter().flat_map(|element| element.0.into_iter().take(WIDTH));
        Self {
            words: vec![1; elements.len()],
            groups,
            factor: 0,
            lent: None,
            bytes: bytes.collect(),
        }
    }

    pub(crate) fn in_run(&self, spec: &Spec, role: Role) -> Attached<'_> {
        match spec.operation.spec().attached(role, 1, WIDTH) {
            AttachedShape::Values { columns, .. } => {
                let groups = self.groups.as_ref();
                let groups = groups.map(|(count, of)| Groups { count: *count, of });
                let products = if self.factor > 0 { columns } else { 0 };
                Attached::Values { columns, products, words: &self.words, groups }
            }
            AttachedShape::Items { width } => Attached::Items { width, bytes: &self.bytes },
            _ if self.factor == 0 && self.lent.is_none() => Attached::Nothing,
            _ => {
                let words = if self.factor > 0 { &self.words[..] } else { &[] };
                let groups = self.lent.as_ref();
                let groups = groups.map(|(count, of)| Groups { count: *count, of });
                Attached::Lent { factor: self.factor, words, groups }
            }
        }
    }
}

/// What one party starts with: its end of the link, its elements and what belongs to them.
struct End<'a> {
    transport: Box<dyn Transport>,
    elements: Vec<Element>,
    attachments: &'a Attachments,
}

/// The sender's end and the receiver's.
pub(crate) type Ends = (Box<dyn Transport>, Box<dyn Transport>);

/// One party's end of a run, with its bytes on the wire where the transport adds to the frames.
struct Played {
    outcome: Outcome,
    costs: Costs,
    wire: Option<WireBytes>,
}

fn tls_pair() -> Result<(TlsTransport, TlsTransport), BenchError> {
    let (one, two) = (Identity::ephemeral(), Identity::ephemeral());
    let (one_key, two_key) = (one.public_key(), two.public_key());
    let listener = Listener::bind("127.0.0.1:0")?;
    let address = listener.local_addr().to_string();
    let options = Options::default();
    thread::scope(|scope| {
        let other = scope.spawn(|| connect(&two, one_key, &address, &options, &|_| {}));
        let here = listener.accept(&one, two_key, &options, &|_| {});
        let there = other.join().map_err(|_| BenchError::Threads)?;
        Ok((here?, there?))
    })
}

/// `count` distinct elements, the first of which has number `first`; two ranges share what overlaps.
pub(crate) fn elements(first: usize, count: usize) -> Vec<Element> {
    let element = |number: usize| {
        let mut element = Element::default();
        let (begin, end) = element.0.split_at_mut(24);
        begin[..8].copy_from_slice(&(number as u64).to_le_bytes());
        // Spread over the parts of a run, as digests are.
        end.copy_from_slice(&(number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
        element
    };
    (first..first + count).into_par_iter().map(element).collect()
}
