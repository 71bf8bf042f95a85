//! A large intersection in parts, each of which fits the memory that a side allows.
//!
//! An element falls to a part by its digest, which both sides compute alike, and each part is a run of its own. So that the
//! sizes of the parts say nothing about the sets, both sides fill each part up, with random elements, to as many as the
//! fullest can have but for 2^-40 in the whole run; values that are compared are longer by the logarithm of the parts, so that
//! all together fail as seldom as one run. An intersection by parts tells the same as one at once; a count or a sum would tell
//! one number a part, so nothing else is cut, nor is a protocol whose bound on a cheating peer is worth less for small sets.

use rand_core::CryptoRng;
use veilset_channel::{Malformed, Message, Reader, Tag};
use veilset_crypto::Element;
use veilset_protocols::{AttachedShape, Conclusion, Outcome, ProtocolError, Spec};
use zeroize::Zeroizing;

/// The most parts: a power of two.
const MOST: u32 = 1 << 8;

/// Into how many parts a run is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Parts(u32);

impl Parts {
    /// All at once.
    pub(crate) const ONE: Self = Self(1);

    /// The fewest parts for which `needed` is at most `allowed`; all at once where no number of parts is enough, or the
    /// protocol cannot be cut.
    pub(crate) fn fitting(spec: &Spec, allowed: u64, needed: impl Fn(Self) -> u64) -> Self {
        let most = if spec.cut { MOST } else { 1 };
        let mut all = (0..=most.ilog2()).map(|log| Self(1 << log));
        all.find(|parts| needed(*parts) <= allowed).unwrap_or(Self::ONE)
    }

    pub(crate) fn count(self) -> u32 {
        self.0
    }

    /// Elements of a part when `count` fall to all, as [`capacity`] has it.
    pub(crate) fn capacity(self, count: usize) -> usize {
        // No more than `count`.
        usize::try_from(capacity(count as u64, self.0)).unwrap_or(count)
    }

    /// The session of a part of a session.
    pub(crate) fn session(self, session: &[u8; 32], part: u32) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("veilset v1 part of a session");
        hasher.update(session).update(&self.0.to_le_bytes()).update(&part.to_le_bytes());
        *hasher.finalize().as_bytes()
    }

    /// The places of the elements of each part, rising; `None` if some part has more than it can have of `count` elements.
    pub(crate) fn places(self, elements: &[Element], count: usize) -> Option<Vec<Vec<u32>>> {
        let mut places = vec![Vec::new(); self.0 as usize];
        for (place, element) in (0..).zip(elements) {
            let [.., a, b] = element.0;
            places[usize::from(u16::from_le_bytes([a, b])) % self.0 as usize].push(place);
        }
        let capacity = self.capacity(count);
        places.iter().all(|part| part.len() <= capacity).then_some(places)
    }

    /// The elements at `places`, filled up to as many as a part of `count` elements has.
    pub(crate) fn fill(
        self,
        places: impl Iterator<Item = u32>,
        elements: &[Element],
        count: usize,
        rng: &mut dyn CryptoRng,
    ) -> Zeroizing<Vec<Element>> {
        let empty = Element([0; Element::LEN]);
        let mut part = Zeroizing::new(vec![empty; self.capacity(count)]);
        // All are drawn, and then some replaced: how many shows in the time of a copy at most.
        part.iter_mut().for_each(|element| rng.fill_bytes(&mut element.0));
        part.iter_mut().zip(places).for_each(|(to, place)| *to = elements[place as usize]);
        part
    }
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
pub(crate) struct Found {
    learns: bool,
    matched: Vec<u32>,
    /// Bytes that the peer attached to each, one after the other.
    attached: Vec<u8>,
    width: usize,
}

impl Found {
    /// Nothing yet, where the peer attaches this.
    pub(crate) fn of(peer_attached: AttachedShape) -> Self {
        let (matched, attached) = (Vec::new(), Vec::new());
        Self { learns: false, matched, attached, width: peer_attached.width() }
    }

    /// The numbers of the elements that match so far.
    pub(crate) fn matched(&self) -> &[u32] {
        &self.matched
    }

    /// Adds what came of a run over elements of these numbers, behind which it may have had random ones.
    pub(crate) fn add(&mut self, outcome: &Outcome, numbers: &[u32]) {
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
    pub(crate) fn whole(
        mut self,
        parts: Vec<(Conclusion, Vec<u32>)>,
    ) -> Result<Outcome, ProtocolError> {
        for (conclusion, numbers) in parts {
            self.add(&conclusion()?, &numbers);
        }
        Ok(if self.learns { self.outcome() } else { Outcome::Nothing })
    }

    /// The outcome of a side that learns.
    pub(crate) fn outcome(self) -> Outcome {
        let Self { mut matched, attached, width, .. } = self;
        if width == 0 {
            matched.sort_unstable();
            return Outcome::Matched(matched);
        }
        Outcome::listed(matched.into_iter().zip(attached.chunks_exact(width)).collect(), width)
    }
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
    use chacha20::ChaCha20Rng;
    use rand_core::{Rng, SeedableRng};

    use super::*;

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
        let elements = elements(5000);
        for parts in [Parts::ONE, Parts(2), Parts(16), Parts(256)] {
            let mut rng = ChaCha20Rng::from_seed([2; 32]);
            let mut seen = vec![0; elements.len()];
            // As many made-up ones are to look like elements.
            let count = 2 * elements.len();
            for places in parts.places(&elements, count).expect("they fit") {
                let part = parts.fill(places.iter().copied(), &elements, count, &mut rng);
                assert_eq!(part.len(), parts.capacity(count));
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

    #[test]
    fn as_many_parts_as_memory_asks_for() {
        let needed = |parts: Parts| 1000 / u64::from(parts.count());
        let fitting = |id, allowed| {
            let protocol = veilset_protocols::find(id).expect("it is registered");
            Parts::fitting(protocol.spec(), allowed, needed).count()
        };
        assert_eq!(fitting("rr22", 1000), 1);
        assert_eq!(fitting("rr22", 999), 2);
        assert_eq!(fitting("dh", 100), 16);
        assert_eq!(fitting("rr22", 0), 1);
        assert_eq!(fitting("rr22-malicious", 100), 1);
        assert_eq!(fitting("mqrpmt-dh", 100), 1);
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
