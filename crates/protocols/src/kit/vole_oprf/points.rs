//! A party's points by cluster of the store, so that clusters can be encoded and evaluated one after the other.
//!
//! An element of 32 bytes gives a key, a point h of as many bytes as B has, and the element's place. Lists are long and memory is short:
//! elements are taken from the end, some at a time, and their memory is given back as that of the points fills. Each cluster's fills
//! from its begin, so no more of it is touched than there are points.

use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;
use veilset_crypto::Element;
use veilset_ot::Block;
use veilset_ot::vole::Subfield;
use veilset_structures::okvs::Clusters;
use zeroize::{Zeroize, Zeroizing};

use crate::kit::store::{bytes, half};

/// Elements that one task puts in order; a place among them fits 16 bits.
const PIECE: usize = 1 << 14;

/// Pieces whose memory is given back at once: at least, and in so many times if that are more.
const AT_ONCE: usize = 16;
const TIMES: usize = 256;

/// Clusters that a task fills at least.
const CLUSTERS_A_TASK: usize = 16;

/// The points of a party.
pub(super) struct Points<B> {
    /// What finds each point's row: the element's first half.
    pub(super) keys: Zeroizing<Vec<u128>>,
    /// h of each, some bytes of the element's second half.
    halves: Zeroizing<Vec<u8>>,
    /// Of which element each is.
    pub(super) places: Zeroizing<Vec<u32>>,
    /// Where each cluster begins, and where the last ends.
    bounds: Vec<usize>,
    field: PhantomData<B>,
}

impl<B: Subfield> Points<B> {
    /// Of these elements.
    pub(super) fn of(mut elements: Zeroizing<Vec<Element>>, clusters: &Clusters) -> Self {
        let (count, bounds) = (elements.len(), bounds(&elements, clusters));
        let at_once = AT_ONCE.max(count / PIECE / TIMES) * PIECE;
        // Zeros that are not written, so that the system gives memory once it is used.
        let mut points = Self {
            keys: Zeroizing::new(vec![0; count]),
            halves: Zeroizing::new(vec![0; count * bytes::<B>()]),
            places: Zeroizing::new(vec![0; count]),
            bounds,
            field: PhantomData,
        };
        let mut rooms = points.rooms();
        while !elements.is_empty() {
            let first = (elements.len() - 1) / at_once * at_once;
            let last = &elements[first..];
            let pieces: Vec<Piece> =
                last.par_chunks(PIECE).map(|piece| Piece::of(piece, clusters)).collect();
            let tasks = rooms.par_iter_mut().with_min_len(CLUSTERS_A_TASK).enumerate();
            tasks.for_each(|(cluster, room)| {
                for (number, (piece, elements)) in pieces.iter().zip(last.chunks(PIECE)).enumerate()
                {
                    let before = first + number * PIECE;
                    piece.of_cluster(cluster).iter().for_each(|place| {
                        room.put::<B>(&elements[usize::from(*place)], before + usize::from(*place));
                    });
                }
            });
            elements[first..].par_chunks_mut(PIECE).for_each(Zeroize::zeroize);
            elements.truncate(first);
            elements.shrink_to_fit();
        }
        points
    }

    /// The same without points, for another evaluation.
    pub(super) fn without_halves(&self) -> Self {
        let (keys, halves) = (self.keys.clone(), Zeroizing::default());
        let (places, bounds) = (self.places.clone(), self.bounds.clone());
        Self { keys, halves, places, bounds, field: PhantomData }
    }

    /// The places in which the points of some clusters stand.
    pub(super) fn range(&self, clusters: Range<usize>) -> Range<usize> {
        self.bounds[clusters.start]..self.bounds[clusters.end]
    }

    /// The points of each of some clusters.
    pub(super) fn clusters(&mut self, clusters: Range<usize>) -> Vec<ClusterPoints<'_, B>> {
        let ends = &self.bounds[clusters.start..=clusters.end];
        let mut keys = &mut self.keys[ends[0]..ends[clusters.len()]];
        let points = ends.windows(2).map(|ends| {
            let keys = keys.split_off_mut(..ends[1] - ends[0]).unwrap_or_default();
            let halves = [ends[0], ends[1]].map(|end| (end * bytes::<B>()).min(self.halves.len()));
            ClusterPoints { keys, halves: &self.halves[halves[0]..halves[1]], field: PhantomData }
        });
        points.collect()
    }

    /// The room of each cluster.
    fn rooms(&mut self) -> Vec<Room<'_>> {
        let (mut keys, mut halves) = (&mut self.keys[..], &mut self.halves[..]);
        let mut places = &mut self.places[..];
        let rooms = self.bounds.windows(2).map(|ends| {
            let count = ends[1] - ends[0];
            Room {
                keys: keys.split_off_mut(..count).unwrap_or_default(),
                halves: halves.split_off_mut(..count * bytes::<B>()).unwrap_or_default(),
                places: places.split_off_mut(..count).unwrap_or_default(),
                filled: 0,
            }
        });
        rooms.collect()
    }
}

/// How many elements are in the clusters before each, and in all.
fn bounds(elements: &[Element], clusters: &Clusters) -> Vec<usize> {
    let none = || vec![0; clusters.count() + 1];
    let counts = elements.par_chunks(PIECE).fold(none, |mut counts, piece| {
        let keys = piece.iter().map(|element| half(element, 0));
        clusters.of(keys, |cluster| counts[cluster + 1] += 1);
        counts
    });
    let mut bounds = counts.reduce(none, |mut one, other| {
        one.iter_mut().zip(&other).for_each(|(one, other)| *one += other);
        one
    });
    let mut sum = 0;
    for bound in &mut bounds {
        sum += *bound;
        *bound = sum;
    }
    bounds
}

/// Which of some elements are in each cluster.
struct Piece {
    /// Their places, by cluster.
    order: Zeroizing<Vec<u16>>,
    /// Where each cluster ends.
    ends: Vec<u32>,
}

impl Piece {
    /// Of up to [`PIECE`] elements.
    fn of(elements: &[Element], clusters: &Clusters) -> Self {
        let mut found = Zeroizing::new(Vec::with_capacity(elements.len()));
        let mut ends = vec![0; clusters.count()];
        let keys = elements.iter().map(|element| half(element, 0));
        clusters.of(keys, |cluster| {
            ends[cluster] += 1;
            found.push(cluster);
        });
        let mut sum = 0;
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        let mut order = Zeroizing::new(vec![0; elements.len()]);
        for (place, cluster) in (0..).zip(found.iter()) {
            let end = &mut ends[*cluster];
            order[*end as usize] = place;
            *end += 1;
        }
        Self { order, ends }
    }

    fn of_cluster(&self, cluster: usize) -> &[u16] {
        let begin = cluster.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.order[begin as usize..self.ends[cluster] as usize]
    }
}

/// What a cluster's points are written to.
struct Room<'a> {
    keys: &'a mut [u128],
    halves: &'a mut [u8],
    places: &'a mut [u32],
    filled: usize,
}

impl Room<'_> {
    /// Adds an element and its place among all.
    fn put<B: Subfield>(&mut self, element: &Element, place: usize) {
        let (to, width) = (self.filled, bytes::<B>());
        self.keys[to] = half(element, 0);
        let of_element = &element.0[Element::LEN / 2..][..width];
        self.halves[to * width..][..width].copy_from_slice(of_element);
        self.places[to] = place as u32;
        self.filled += 1;
    }
}

/// The points of one cluster, whose keys may be written over.
pub(super) struct ClusterPoints<'a, B> {
    pub(super) keys: &'a mut [u128],
    halves: &'a [u8],
    field: PhantomData<B>,
}

impl<B: Subfield> ClusterPoints<'_, B> {
    /// h of each.
    pub(super) fn halves(&self) -> impl Iterator<Item = B> {
        self.halves.chunks_exact(bytes::<B>()).map(|half| {
            let mut block = [0; 16];
            block[..half.len()].copy_from_slice(half);
            B::truncate(Block::from_le_bytes(block))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use veilset_ot::vole::Nonet;
    use veilset_structures::okvs::OkvsShape;

    use super::*;
    use crate::kit::store::KIND;

    #[test]
    fn every_point_is_in_its_cluster_and_knows_its_element() {
        every_point_is_found::<u64>(1);
        every_point_is_found::<u128>(1000);
        every_point_is_found::<Nonet>(200_000);
        every_point_is_found::<Nonet>((AT_ONCE + 1) * PIECE + 1);
    }

    fn every_point_is_found<B: Subfield>(count: usize) {
        let element = |number: usize| Element(*blake3::hash(&number.to_le_bytes()).as_bytes());
        let elements: Vec<Element> = (0..count).map(element).collect();
        let clusters = Clusters::new(&OkvsShape::new(KIND, count), 7);
        let mut points = Points::<B>::of(elements.clone().into(), &clusters);
        let places = points.places.clone();
        assert_eq!(places.iter().collect::<BTreeSet<_>>().len(), count);
        let mut place = places.iter().map(|place| *place as usize);
        for number in 0..clusters.count() {
            assert_eq!(points.range(number..number + 1).start, count - place.len());
            let [cluster] = &points.clusters(number..number + 1)[..] else { panic!("one cluster") };
            clusters.of(cluster.keys.iter().copied(), |found| assert_eq!(found, number));
            for (key, point) in cluster.keys.iter().zip(cluster.halves()) {
                let element = &elements[place.next().expect("a place for each")];
                assert_eq!(*key, half(element, 0));
                assert!(point == B::truncate(half(element, 1)));
            }
        }
        assert_eq!(place.next(), None);
    }
}
