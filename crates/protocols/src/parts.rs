//! A large intersection in parts, each of which fits the memory that a side allows, and is no larger than a run of its protocol can be.
//!
//! An element falls to a part by its digest, which both sides compute alike, and each part is a run of its own. So that the
//! sizes of the parts say nothing about the sets, both sides fill each part up, with random elements, to as many as the
//! fullest can have but for 2^-40 in the whole run; values that are compared are longer by the logarithm of the parts, so that
//! all together fail as seldom as one run. An intersection by parts tells the same as one at once; a count or a sum would tell
//! one number a part, so nothing else is cut, nor is a protocol whose bound on a cheating peer is worth less for small sets.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use chacha20::ChaCha20Rng;
use rand_core::{CryptoRng, Rng, SeedableRng};
use rayon::prelude::*;
use veilset_channel::{Malformed, Message, Reader, Tag};
use veilset_crypto::{Element, tasks};
use zeroize::Zeroizing;

use crate::{AttachedShape, Conclusion, Cost, Outcome, Protocol, ProtocolError, Shape, Spec};

/// The most parts: a power of two.
const MOST: u32 = 1 << 8;

/// The most elements of a list that is cut; their places fit 32 bits.
const MOST_ELEMENTS: u64 = 1 << 31;

/// Elements that one task puts in parts, or fills a part with.
const ELEMENTS_A_TASK: usize = 1 << 16;

/// Into how many parts a run is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Parts(u32);

impl Parts {
    /// All at once.
    pub const ONE: Self = Self(1);

    /// The numbers of parts in which the protocol takes lists of which the larger has so many elements.
    fn all(spec: &Spec, larger: u64) -> impl Iterator<Item = Self> {
        let most = if spec.cut && larger <= MOST_ELEMENTS { MOST } else { 1 };
        let all = (0..=most.ilog2()).map(|log| Self(1 << log));
        all.filter(move |parts| capacity(larger, parts.0) <= spec.max_elements)
    }

    /// The fewest in which the protocol takes lists of which the larger has so many elements; `None` if it takes none so large.
    #[must_use]
    pub fn fewest(spec: &Spec, larger: u64) -> Option<Self> {
        Self::all(spec, larger).next()
    }

    /// The fewest parts that the protocol takes and for which `needed` is at most `allowed`; where no number of parts is enough, the
    /// fewest that it takes.
    pub fn fitting(
        spec: &Spec,
        larger: u64,
        allowed: u64,
        needed: impl Fn(Self) -> u64,
    ) -> Option<Self> {
        let mut all = Self::all(spec, larger);
        all.find(|parts| needed(*parts) <= allowed).or_else(|| Self::fewest(spec, larger))
    }

    /// The largest list that the protocol takes, in parts where it can be cut.
    #[must_use]
    pub fn most_elements(spec: &Spec) -> u64 {
        let bits = (0..u64::BITS).rev().map(|bit| 1 << bit);
        bits.fold(0, |most, bit| match Self::fewest(spec, most | bit) {
            Some(_) => most | bit,
            None => most,
        })
    }

    /// How many they are.
    #[must_use]
    pub fn count(self) -> u32 {
        self.0
    }

    /// Elements of a part when `count` fall to all, as [`capacity`] has it.
    #[must_use]
    pub fn capacity(self, count: usize) -> usize {
        // No more than `count`.
        usize::try_from(capacity(count as u64, self.0)).unwrap_or(count)
    }

    /// By how many bits the values of each part are longer, so that all together fail as seldom as one run.
    #[must_use]
    pub fn slack(self) -> u32 {
        self.0.ilog2()
    }

    /// What a run of this shape costs in so many parts, one after the other.
    #[must_use]
    pub fn cost(self, protocol: &dyn Protocol, shape: Shape) -> Cost {
        cost_of_part(protocol, shape, self.0).times(self.0.into())
    }

    /// The session of a part of a session.
    #[must_use]
    pub fn session(self, session: &[u8; 32], part: u32) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("veilset v1 part of a session");
        hasher.update(session).update(&self.0.to_le_bytes()).update(&part.to_le_bytes());
        *hasher.finalize().as_bytes()
    }

    /// The part to which an element falls.
    fn of(self, element: &Element) -> usize {
        let [.., a, b] = element.0;
        usize::from(u16::from_le_bytes([a, b])) % self.0 as usize
    }

    /// The places of the elements of each part, rising; `None` if some part has more than it can have of `count` elements.
    #[must_use]
    pub fn places(self, elements: &[Element], count: usize) -> Option<Vec<Vec<u32>>> {
        let counted = tasks::map(elements.chunks(ELEMENTS_A_TASK), |elements| {
            let mut counts = vec![0; self.0 as usize];
            elements.iter().for_each(|element| counts[self.of(element)] += 1);
            counts
        });
        let counts = |part| counted.iter().map(|counts| counts[part]).sum();
        let counts: Vec<usize> = (0..self.0 as usize).map(counts).collect();
        if counts.iter().any(|count_of_part| *count_of_part > self.capacity(count)) {
            return None;
        }
        let mut places: Vec<Vec<u32>> = counts.into_iter().map(|count| vec![0; count]).collect();
        let mut rooms: Vec<&mut [u32]> = places.iter_mut().map(Vec::as_mut_slice).collect();
        let rooms = counted.iter().map(|counts| {
            let of_task = rooms.iter_mut().zip(counts);
            let room = of_task.map(|(room, count)| room.split_off_mut(..*count));
            room.map(Option::unwrap_or_default).collect::<Vec<_>>()
        });
        let work = elements.chunks(ELEMENTS_A_TASK).enumerate().zip(rooms.collect::<Vec<_>>());
        tasks::each(work, |((task, elements), mut rooms)| {
            let first = task * ELEMENTS_A_TASK;
            for (place, element) in (first as u32..).zip(elements) {
                let room = &mut rooms[self.of(element)];
                if let Some(to) = room.split_off_first_mut() {
                    *to = place;
                }
            }
        });
        Some(places)
    }

    /// The elements at `places`, filled up to as many as a part of `count` elements has.
    pub fn fill(
        self,
        places: &[u32],
        elements: &[Element],
        count: usize,
        rng: &mut dyn CryptoRng,
    ) -> Zeroizing<Vec<Element>> {
        let mut seed = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *seed);
        let streams = AtomicU64::new(0);
        let stream = || {
            let mut rng = ChaCha20Rng::from_seed(*seed);
            rng.set_stream(streams.fetch_add(1, Relaxed));
            rng
        };
        let part = (0..self.capacity(count)).into_par_iter().with_min_len(ELEMENTS_A_TASK);
        let part = part.map_init(stream, |rng, number| {
            // All are drawn, and then some replaced: how many shows in the time of a copy at most.
            let mut element = Element::default();
            rng.fill_bytes(&mut element.0);
            places.get(number).map_or(element, |place| elements[*place as usize])
        });
        Zeroizing::new(part.collect())
    }
}

/// A part by digests of a run of this shape, filled up to what the fullest can have.
#[must_use]
pub fn shape_of_part(shape: Shape, parts: u32) -> Shape {
    let room = |count| capacity(count, parts);
    Shape { sender: room(shape.sender), receiver: room(shape.receiver), ..shape }
}

/// What one of so many parts of a run of this shape costs, whose values are longer by the logarithm of the parts.
#[must_use]
pub fn cost_of_part(protocol: &dyn Protocol, shape: Shape, parts: u32) -> Cost {
    let shape = shape_of_part(shape, parts);
    let mut cost = protocol.cost(shape);
    let longer = f64::from(parts.ilog2()) / 8.0 * shape.sender as f64;
    cost.sender.bytes_sent += longer;
    cost.sender.in_turn += longer;
    cost
}

/// Elements of a part when `count` fall to `parts` (a power of two): more with probability at most 2^-41 in any.
///
/// By Bernstein's inequality a part of mean μ has μ + t with probability at most exp(−t²/(2(μ + t/3))), and that is
/// 2^-41 over the number of parts for t = L/3 + √(L²/9 + 2μL), L = (41 + log₂ parts)·ln 2. Sums, products and roots
/// alone, which every machine rounds alike.
#[must_use]
pub fn capacity(count: u64, parts: u32) -> u64 {
    if parts <= 1 {
        return count;
    }
    let mean = count as f64 / f64::from(parts);
    let l = f64::from(41 + parts.ilog2()) * std::f64::consts::LN_2;
    let more = l / 3.0 + (l * l / 9.0 + 2.0 * mean * l).sqrt();
    count.min((mean + more).ceil() as u64)
}

/// What comes of several runs over parts of the elements: which match, and what the peer attached to them.
pub struct Found {
    learns: bool,
    matched: Vec<u32>,
    /// Bytes that the peer attached to each, one after the other.
    attached: Vec<u8>,
    width: usize,
}

impl Found {
    /// Nothing yet, where the peer attaches this.
    #[must_use]
    pub fn of(peer_attached: AttachedShape) -> Self {
        let (matched, attached) = (Vec::new(), Vec::new());
        Self { learns: false, matched, attached, width: peer_attached.width() }
    }

    /// The numbers of the elements that match so far.
    #[must_use]
    pub fn matched(&self) -> &[u32] {
        &self.matched
    }

    /// Adds what came of a run over elements of these numbers, behind which it may have had random ones.
    pub fn add(&mut self, outcome: &Outcome, numbers: &[u32]) {
        let (places, attached): (_, &[u8]) = match outcome {
            Outcome::Matched(places) => (places, &[]),
            Outcome::Listed { rows, labels, .. } => (rows, labels),
            _ => return,
        };
        self.learns = true;
        for (index, place) in places.iter().enumerate() {
            let Some(number) = numbers.get(*place as usize) else { continue };
            self.matched.push(*number);
            let bytes = attached.get(index * self.width..(index + 1) * self.width);
            self.attached.extend_from_slice(bytes.unwrap_or_default());
        }
    }

    /// What follows from the conclusions of all parts, each with the numbers of its elements.
    ///
    /// # Errors
    /// When a part's conclusion blames the peer.
    pub fn whole(mut self, parts: Vec<(Conclusion, Vec<u32>)>) -> Result<Outcome, ProtocolError> {
        for (conclusion, numbers) in parts {
            self.add(&conclusion()?, &numbers);
        }
        Ok(if self.learns { self.outcome() } else { Outcome::Nothing })
    }

    /// The outcome of a side that learns.
    #[must_use]
    pub fn outcome(self) -> Outcome {
        let Self { matched, attached, width, .. } = self;
        if width == 0 {
            return Outcome::Matched(rising(matched));
        }
        Outcome::listed(matched.into_iter().zip(attached.chunks_exact(width)).collect(), width)
    }
}

/// Distinct numbers in order. Where they are many, a bit for each up to the largest takes less time than sorting: those of a part rise, so
/// memory is gone through in order.
fn rising(mut numbers: Vec<u32>) -> Vec<u32> {
    let words = numbers.iter().max().map_or(0, |most| *most as usize / 64 + 1);
    if numbers.len() < words {
        numbers.sort_unstable();
        return numbers;
    }
    let mut present = vec![0u64; words];
    numbers.iter().for_each(|number| present[*number as usize / 64] |= 1 << (number % 64));
    numbers.clear();
    for (word, first) in present.into_iter().zip((0..).step_by(64)) {
        let mut left = word;
        while left != 0 {
            numbers.push(first + left.trailing_zeros());
            left &= left - 1;
        }
    }
    numbers
}

impl Message for Parts {
    const TAG: Tag = Tag::Parts;
    type Context = ();

    fn max_len((): &()) -> usize {
        4
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.to_le_bytes());
    }

    fn decode(reader: &mut Reader<'_>, (): &()) -> Result<Self, Malformed> {
        let parts = u32::from_le_bytes(reader.array()?);
        let valid = parts.is_power_of_two() && parts <= MOST;
        if valid { Ok(Self(parts)) } else { Err(Malformed::OutOfRange) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reveal, Security, find};

    fn elements(count: usize) -> Vec<Element> {
        let mut rng = ChaCha20Rng::from_seed([1; 32]);
        let element = |_| {
            let mut bytes = [0; Element::LEN];
            rng.fill_bytes(&mut bytes);
            Element(bytes)
        };
        (0..count).map(element).collect()
    }

    #[test]
    fn every_element_falls_to_one_part_and_all_parts_are_as_large() {
        // More than a task takes.
        let elements = elements(ELEMENTS_A_TASK + 5000);
        for parts in [Parts::ONE, Parts(2), Parts(16), Parts(256)] {
            let mut rng = ChaCha20Rng::from_seed([2; 32]);
            let mut seen = vec![0; elements.len()];
            // As many made-up ones are to look like elements.
            let count = 2 * elements.len();
            for places in parts.places(&elements, count).expect("they fit") {
                assert!(places.is_sorted());
                let part = parts.fill(&places, &elements, count, &mut rng);
                assert_eq!(part.len(), parts.capacity(count));
                let mut drawn = part[places.len()..].to_vec();
                drawn.sort_unstable();
                drawn.dedup();
                assert_eq!(drawn.len(), part.len() - places.len());
                for (place, element) in places.iter().zip(&*part) {
                    seen[*place as usize] += 1;
                    assert!(*element == elements[*place as usize]);
                }
            }
            assert!(seen.iter().all(|times| *times == 1), "{parts:?}");
        }
    }

    #[test]
    fn few_parts_are_hardly_filled_up_and_none_may_overflow() {
        let room = |parts: u32, count: usize| {
            Parts(parts).capacity(count) as f64 * f64::from(parts) / count as f64
        };
        assert!((1.005..1.01).contains(&room(4, 1 << 22)));
        assert!((1.05..1.08).contains(&room(256, 1 << 22)));
        assert_eq!(Parts(16).capacity(0), 0);
        assert_eq!(Parts(16).capacity(3), 3);
        let crowded = vec![Element([0; Element::LEN]); 5000];
        assert!(Parts(16).places(&crowded, 5000).is_none());
    }

    fn spec(id: &str) -> &'static Spec {
        find(id).expect("it is registered").spec()
    }

    #[test]
    fn as_many_parts_as_memory_asks_for() {
        let needed = |parts: Parts| 1000 / u64::from(parts.count());
        let fitting = |id, allowed| {
            Parts::fitting(spec(id), 1000, allowed, needed).expect("it is taken").count()
        };
        assert_eq!(fitting("rr22", 1000), 1);
        assert_eq!(fitting("rr22", 999), 2);
        assert_eq!(fitting("dh", 100), 16);
        assert_eq!(fitting("rr22", 0), 1);
        assert_eq!(fitting("rr22-malicious", 100), 1);
        assert_eq!(fitting("mqrpmt-dh", 100), 1);
    }

    #[test]
    fn a_list_that_is_too_large_for_one_run_is_cut() {
        let fewest = |id, larger| Parts::fewest(spec(id), larger).map(Parts::count);
        assert_eq!(fewest("rr22", 1 << 28), Some(1));
        assert_eq!(fewest("rr22", (1 << 28) + 1), Some(2));
        assert_eq!(fewest("rr22", 1_000_000_000), Some(4));
        // Parts are filled up.
        assert_eq!(fewest("rr22", 1 << 30), Some(8));
        assert_eq!(fewest("rr22", (1 << 31) + 1), None);
        assert_eq!(fewest("rr22-malicious", (1 << 28) + 1), None);
        let fitting = |allowed| {
            Parts::fitting(spec("rr22"), 1 << 30, allowed, |parts| 1600 / u64::from(parts.count()))
        };
        assert_eq!(
            [1000, 100, 0].map(|allowed| fitting(allowed).map(Parts::count)),
            [Some(8), Some(16), Some(8)]
        );
        let most = |id| Parts::most_elements(spec(id));
        assert_eq!([most("rr22"), most("rr22-malicious")], [1 << 31, 1 << 28]);
        for protocol in crate::PROTOCOLS {
            let most = Parts::most_elements(protocol.spec());
            assert!(most >= protocol.spec().max_elements);
            assert_eq!(Parts::fewest(protocol.spec(), most + 1), None);
        }
    }

    #[test]
    fn parts_cost_as_much_as_their_runs() {
        let protocol = find("rr22").expect("it is registered");
        let shape = |size| Shape::of_sets(size, size, Reveal::Receiver, protocol.spec().defaults());
        assert_eq!(protocol.spec().security, Security::SemiHonest);
        let (whole, one) = (Parts(4).cost(protocol, shape(1 << 30)), protocol.cost(shape(1 << 28)));
        assert!(whole.sender.bytes_sent.is_infinite(), "a part has more than one run takes");
        let whole = Parts(8).cost(protocol, shape(1 << 30));
        let more = whole.sender.passes / (4.0 * one.sender.passes);
        assert!((0.9..1.0).contains(&more), "{more}");
        assert_eq!(whole.rounds, 8 * one.rounds);
        assert_eq!(Parts::ONE.cost(protocol, shape(1 << 20)), protocol.cost(shape(1 << 20)));
    }

    #[test]
    fn numbers_are_put_in_order_whether_few_or_many() {
        for (count, step) in [(0, 1), (1, 63), (1000, 1), (1000, 63), (1000, 65), (3, 1 << 30)] {
            let sorted: Vec<u32> = (0..count).map(|number| number * step).collect();
            let odd = |number: &&u32| **number / step % 2 == 1;
            let (one, other): (Vec<u32>, Vec<u32>) = sorted.iter().partition(odd);
            assert_eq!(rising([one, other].concat()), sorted, "{count} {step}");
        }
    }

    #[test]
    fn outcomes_add_up() {
        let conclude =
            |places: Vec<u32>| -> Conclusion { Box::new(|| Ok(Outcome::Matched(places))) };
        // Place 2 of the first part is a random element.
        let parts = vec![(conclude(vec![0, 2]), vec![7, 3]), (conclude(vec![1]), vec![1, 2])];
        let found = |attached| Found::of(attached);
        let nothing_attached = AttachedShape::Nothing;
        let whole = found(nothing_attached).whole(parts).expect("no fault");
        assert_eq!(whole, Outcome::Matched(vec![2, 7]));
        let listed = |rows: Vec<u32>, labels: &[u8]| -> Conclusion {
            let labels = labels.to_vec();
            Box::new(|| Ok(Outcome::Listed { rows, width: 2, labels }))
        };
        let parts = vec![
            (listed(vec![0, 1, 2], b"aabbcc"), vec![7, 3]),
            (listed(vec![1], b"dd"), vec![1, 2]),
        ];
        let whole = found(AttachedShape::Items { width: 2 }).whole(parts).expect("no fault");
        let labels = b"ddbbaa".to_vec();
        assert_eq!(whole, Outcome::Listed { rows: vec![2, 3, 7], width: 2, labels });
        let nothing: Conclusion = Box::new(|| Ok(Outcome::Nothing));
        let whole = found(nothing_attached).whole(vec![(nothing, vec![1])]);
        assert_eq!(whole.expect("no fault"), Outcome::Nothing);
    }
}
