//! The sender's part before the query: items in bins, and polynomials.

use std::sync::Arc;

use chacha20::ChaCha20Rng;
use rand_core::{CryptoRng, Rng, SeedableRng};
use rayon::prelude::*;
use veilset_bfv::{Plain, Ring};
use veilset_crypto::{CommutativePrf, Element, RistrettoPrp, permutation};
use zeroize::Zeroizing;

use super::evaluation::{Polynomials, Prepared, makes_up, power_scale};
use super::items::{HashedItem, items};
use super::labels::seal;
use super::parameters::FheParameters;
use super::variant::Items;
use crate::ProtocolError;
use crate::kit::exchange::chosen;
use crate::kit::membership::VALUES_A_TASK;

/// A sender's set, ready for any number of queries under one session.
///
/// Each holds the key of the oblivious function, so its answers tell a receiver nothing but about elements at which it had
/// that evaluated.
pub struct Database {
    pub(crate) prepared: Prepared,
    /// Of the function, where items are its outputs.
    pub(crate) key: Option<RistrettoPrp>,
    /// The names of the elements, in their order.
    pub(crate) names: Zeroizing<Vec<u128>>,
}

impl Database {
    /// Elements that both sides hash under `session`, with parameters that both have.
    ///
    /// # Errors
    /// When more elements fall to a bin than it holds, which happens in at most one of 2^42 runs.
    pub fn new(
        elements: &[Element],
        parameters: FheParameters,
        session: &[u8; 32],
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, ProtocolError> {
        Self::labelled(elements, &[], parameters, session, rng)
    }

    /// As [`new`](Self::new), with the elements' labels one after the other, each of as many bytes as the parameters say.
    ///
    /// # Errors
    /// When some element finds no place under any of the keys that the parameters allow, which happens in at most one of 2^42 runs.
    pub fn labelled(
        elements: &[Element],
        labels: &[u8],
        parameters: FheParameters,
        session: &[u8; 32],
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, ProtocolError> {
        let ring = parameters.ring()?;
        // In a random order, so that places in bins say nothing.
        let order = permutation(elements.len(), rng);
        let shuffled = chosen(elements, &order);
        let Placed { key, items, bins } = placed(&parameters, &ring, session, &shuffled, rng)?;
        let labels = sealed(&parameters, &items, |index| order[index] as usize, labels);
        let mut names = Zeroizing::new(vec![0; items.len()]);
        order.iter().zip(items.iter()).for_each(|(place, item)| names[*place as usize] = item.name);
        let contents = BinContents {
            parameters: &parameters,
            ring: &ring,
            items: &items,
            labels: &labels,
            bins: &bins,
        };
        let all: Vec<usize> = (0..parameters.locations * parameters.partitions).collect();
        let partitions = contents.prepare(&all, rng);
        Ok(Self { prepared: Prepared { parameters, ring, partitions }, key, names })
    }
}

/// Seeds for tasks that run at the same time.
pub(crate) fn seeds(count: usize, rng: &mut dyn CryptoRng) -> Zeroizing<Vec<[u8; 32]>> {
    let mut seeds = Zeroizing::new(vec![[0; 32]; count]);
    rng.fill_bytes(seeds.as_flattened_mut());
    seeds
}

/// The items of each bin, partition by partition.
pub(crate) type Bins = Vec<Vec<Vec<u32>>>;

/// A set with its places, and the key under which its elements have them, where there is one.
struct Placed {
    key: Option<RistrettoPrp>,
    items: Zeroizing<Vec<HashedItem>>,
    bins: Bins,
}

/// The elements under the first key that gives all of them places.
fn placed(
    parameters: &FheParameters,
    ring: &Ring,
    session: &[u8; 32],
    elements: &[Element],
    rng: &mut dyn CryptoRng,
) -> Result<Placed, ProtocolError> {
    let mut found = (0..parameters.keys()).filter_map(|_| {
        let evaluated = parameters.variant.items == Items::OfFunction;
        let key = evaluated.then(|| RistrettoPrp::generate(rng));
        let points = key.as_ref().map(|key| key.hash_and_evaluate(elements));
        let points = Zeroizing::new(points.unwrap_or_default());
        let items = items(parameters, ring.parameters().t(), session, elements, &points);
        let bins = spread(parameters, &items)?;
        Some(Placed { key, items, bins })
    });
    found.next().ok_or(ProtocolError::Overfull)
}

/// The bins, if they have room for all.
pub(crate) fn spread(parameters: &FheParameters, items: &[HashedItem]) -> Option<Bins> {
    let mut bins: Vec<Vec<u32>> = vec![Vec::new(); parameters.table.bins()];
    for (index, item) in (0..).zip(items) {
        match parameters.variant.hashing {
            true => item.places.iter().for_each(|place| bins[*place].push(index)),
            false => bins.iter_mut().for_each(|bin| bin.push(index)),
        }
    }
    bins.into_par_iter().map(|bin| partitioned(parameters, items, &bin)).collect()
}

/// The items of a bin, each in the first partition that takes it.
fn partitioned(
    parameters: &FheParameters,
    items: &[HashedItem],
    bin: &[u32],
) -> Option<Vec<Vec<u32>>> {
    let mut partitions: Vec<Vec<u32>> = vec![Vec::new(); parameters.partitions];
    for index in bin {
        let item = &items[*index as usize];
        let shares = |other: &u32| shares_a_part(item, &items[*other as usize]);
        enter(parameters, &mut partitions, *index, shares)?;
    }
    Some(partitions)
}

/// Puts an item into the first partition of a bin where there is room and, if it has a label, none shares a part with it; returns
/// which.
pub(crate) fn enter(
    parameters: &FheParameters,
    partitions: &mut [Vec<u32>],
    index: u32,
    shares: impl Fn(&u32) -> bool,
) -> Option<usize> {
    let takes = |members: &Vec<u32>| {
        members.len() < parameters.powers.degree()
            && (parameters.label == 0 || !members.iter().any(&shares))
    };
    let partition = partitions.iter().position(takes)?;
    partitions[partition].push(index);
    Some(partition)
}

pub(crate) fn shares_a_part(one: &HashedItem, other: &HashedItem) -> bool {
    one.felts.iter().zip(&other.felts).any(|(a, b)| a == b)
}

/// The labels of items, each under its pad, as residues; `place` tells which of `labels` is an item's.
pub(crate) fn sealed(
    parameters: &FheParameters,
    items: &[HashedItem],
    place: impl Fn(usize) -> usize + Sync,
    labels: &[u8],
) -> Vec<u64> {
    let items = items.par_iter().enumerate().with_min_len(VALUES_A_TASK);
    let words = items.flat_map_iter(|(index, item)| {
        seal(parameters, item, &labels[place(index) * parameters.label..][..parameters.label])
    });
    words.collect()
}

/// What the polynomials are made of.
pub(crate) struct BinContents<'a> {
    pub(crate) parameters: &'a FheParameters,
    pub(crate) ring: &'a Ring,
    pub(crate) items: &'a [HashedItem],
    /// Of each item as many residues as a label has, those of a polynomial together.
    pub(crate) labels: &'a [u64],
    pub(crate) bins: &'a [Vec<Vec<u32>>],
}

impl BinContents<'_> {
    /// The polynomials of these partitions, counted location by location.
    pub(crate) fn prepare(
        &self,
        partitions: &[usize],
        rng: &mut dyn CryptoRng,
    ) -> Vec<Arc<Polynomials>> {
        let each = self.parameters.partitions;
        let seeds = seeds(partitions.len(), rng);
        let jobs = partitions.par_iter().zip(seeds.par_iter());
        let prepared = jobs.map(|(index, seed)| {
            let mut rng = ChaCha20Rng::from_seed(*seed);
            Arc::new(self.polynomials(index / each, index % each, &mut rng))
        });
        prepared.collect()
    }

    /// The coefficients of a partition's polynomials: one that vanishes at its share of each bin's items and, to fill up, at random
    /// numbers, and those that have the labels' residues at the items.
    fn polynomials(&self, location: usize, partition: usize, rng: &mut ChaCha20Rng) -> Polynomials {
        let FheParameters { felts, bins_a_ciphertext, powers, .. } = *self.parameters;
        let (slots, degree) = (self.parameters.slots(), powers.degree());
        let t = u128::from(self.ring.parameters().t());
        let rows = Zeroizing::new(vec![0; slots * (degree + 1)]);
        let mut all = vec![rows; self.parameters.polynomials()];
        let bins = self.bins.iter().skip(location * bins_a_ciphertext).take(bins_a_ciphertext);
        let mut roots = Zeroizing::new(vec![0; degree]);
        // Below t, and no item's; see `query::values`.
        let filled = match self.parameters.variant.items {
            Items::OfFunction => None,
            Items::OfBits(_) => Some(self.ring.parameters().t() - 1),
        };
        let mut random = |below: u128| ((u128::from(rng.next_u64()) * below) >> 64) as u64;
        for (place, bin) in bins.enumerate() {
            let members = &bin[partition];
            for felt in 0..felts {
                let own = members.iter().map(|index| Some(self.items[*index as usize].felts[felt]));
                for (root, own) in roots.iter_mut().zip(own.chain(std::iter::repeat(None))) {
                    *root = own.or(filled).unwrap_or_else(|| random(t));
                }
                let mut vanishing = self.ring.vanishing(&roots);
                if self.parameters.variant.masks {
                    let mask = 1 + random(t - 1);
                    let masked = |c: &mut u64| *c = self.ring.multiply_plain(*c, mask);
                    vanishing.iter_mut().for_each(masked);
                }
                let labels =
                    self.ring.interpolate(&roots[..members.len()], &self.columns(members, felt));
                for (rows, poly) in all.iter_mut().zip([vanishing].into_iter().chain(labels)) {
                    for (power, coefficient) in Zeroizing::new(poly).iter().enumerate() {
                        rows[power * slots + felt * bins_a_ciphertext + place] = *coefficient;
                    }
                }
            }
        }
        all.iter_mut().map(|rows| self.prepared(rows)).collect()
    }

    /// For each label polynomial the residues of these items' labels for one part.
    fn columns(&self, members: &[u32], felt: usize) -> Vec<Vec<u64>> {
        let FheParameters { felts, .. } = *self.parameters;
        let words = self.parameters.words();
        let column = |first: usize| {
            let word = |index: &u32| self.labels[*index as usize * words + first + felt];
            members.iter().map(word).collect()
        };
        (0..words).step_by(felts).map(column).collect()
    }

    /// Rows of coefficients as plaintexts that make up for the scales of the powers.
    fn prepared(&self, coefficients: &mut [u64]) -> Vec<Plain> {
        let FheParameters { powers, working, .. } = *self.parameters;
        let scale = power_scale(self.parameters, self.ring);
        let makes_up = makes_up(self.parameters, self.ring);
        let rows = coefficients.chunks_exact_mut(self.parameters.slots()).enumerate();
        let plain = |(power, row): (usize, &mut [u64])| {
            // A constant meets no low power, and the first row no high one.
            let low = (power % (powers.low + 1)).checked_sub(1);
            let low = low.map_or(scale, |place| makes_up[place]);
            let high = if power <= powers.low && powers.high > 0 { scale } else { 1 };
            let factor = self.ring.multiply_plain(low, high);
            if factor != 1 {
                row.iter_mut().for_each(|x| *x = self.ring.multiply_plain(*x, factor));
            }
            self.ring.encode(row);
            self.ring.prepare(row, working)
        };
        rows.map(plain).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::fhe::{FheSizes, Variant};

    fn item(felts: [u64; 2]) -> HashedItem {
        HashedItem { felts: felts.to_vec(), places: vec![0], name: 0, pad: Vec::new() }
    }

    #[test]
    fn keys_fail_as_seldom_as_said() {
        let mut rng = ChaCha20Rng::from_seed([8; 32]);
        for (sender, receiver) in [(5000, 1), (3000, 10)] {
            let sizes = FheSizes { sender, receiver, slack: 0 };
            let parameters = FheParameters::best_with_labels(sizes, Variant::default(), 20);
            let parameters = parameters.expect("there are some");
            let t = parameters.ring().expect("secure").parameters().t();
            let mut element = || {
                let mut bytes = [0; 32];
                rng.fill_bytes(&mut bytes);
                bytes
            };
            let runs = 100;
            let failed = (0..runs).filter(|_| {
                let points: Vec<[u8; 32]> = (0..sender).map(|_| element()).collect();
                let elements: Vec<Element> = points.iter().copied().map(Element).collect();
                let items = items(&parameters, t, &[1; 32], &elements, &points);
                spread(&parameters, &items).is_none()
            });
            // Each with at most 2·2^-10.5: 0.14 on average.
            assert!(failed.count() <= 3, "{sender} {receiver}");
        }
    }

    #[test]
    fn labelled_items_that_share_a_part_lie_in_different_partitions() {
        let sizes = FheSizes { sender: 300, receiver: 1, slack: 0 };
        let [plain, labelled] = [0, 8].map(|label| {
            FheParameters::best_with_labels(sizes, Variant::default(), label)
                .expect("there are some")
        });
        let items = [[1, 2], [3, 4], [5, 2], [1, 6], [7, 8]].map(item);
        let places = |parameters| partitioned(parameters, &items, &[0, 1, 2, 3, 4]);
        let lie = |seats: &[&[u32]], parameters: &FheParameters| {
            let mut all = vec![Vec::new(); parameters.partitions];
            all.iter_mut().zip(seats).for_each(|(all, seats)| *all = seats.to_vec());
            Some(all)
        };
        assert_eq!(places(&labelled), lie(&[&[0, 1, 4], &[2, 3]], &labelled));
        let (first, rest) = [0, 1, 2, 3, 4].split_at(plain.powers.degree().min(5));
        assert_eq!(places(&plain), lie(&[first, rest], &plain), "as long as there is room");
        let same = vec![0; labelled.partitions + 1];
        assert_eq!(
            partitioned(&labelled, &items, &same),
            None,
            "one more than there are partitions"
        );
    }
}
