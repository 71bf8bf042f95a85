//! The sender's part: polynomials before the query, and answers to it.

use chacha20::ChaCha20Rng;
use rand_core::{CryptoRng, Rng, SeedableRng};
use rayon::prelude::*;
use veilset_bfv::{Ciphertext, Plain, PublicKey, RelinearisationKey, Ring, Seeded};
use veilset_crypto::{CommutativePrf, Element, RistrettoPrp, permutation};
use zeroize::Zeroizing;

use super::items::{Item, items};
use super::parameters::Parameters;
use super::powers::Source;
use crate::ProtocolError;
use crate::exchange::chosen;

/// A sender's set, ready for any number of queries under one session.
///
/// Each holds the key of the oblivious function, so its answers tell a receiver nothing but about elements at which it had
/// that evaluated.
pub struct Database {
    pub(crate) parameters: Parameters,
    pub(crate) ring: Ring,
    pub(crate) key: RistrettoPrp,
    /// The names of the elements, in their order.
    pub(crate) names: Zeroizing<Vec<u128>>,
    /// Location by location and partition by partition, the coefficients of all slots' polynomials from the constant one on.
    polynomials: Vec<Vec<Plain>>,
}

/// What a receiver asks.
pub(crate) struct Query {
    pub(crate) relinearisation: Option<RelinearisationKey>,
    /// An encryption of zero, for floods.
    pub(crate) public: Option<Seeded>,
    /// Location by location, the powers that travel.
    pub(crate) powers: Vec<Seeded>,
}

/// The powers of a location.
struct Location {
    low: Vec<Ciphertext>,
    high: Vec<Ciphertext>,
}

impl Database {
    /// Elements that both sides hash under `session`, with parameters that both have.
    ///
    /// # Errors
    /// When more elements fall to a bin than it holds, which happens in at most one of 2^42 runs.
    pub fn new(
        elements: &[Element],
        parameters: Parameters,
        session: &[u8; 32],
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, ProtocolError> {
        let ring = parameters.ring()?;
        let key = RistrettoPrp::generate(rng);
        // In a random order, so that places in bins say nothing.
        let order = permutation(elements.len(), rng);
        let shuffled = chosen(elements, &order);
        let points = Zeroizing::new(key.hash_and_evaluate(&shuffled));
        let t = ring.parameters().t();
        let items = items(&parameters, t, session, (&shuffled, &points));
        drop(points);
        let mut names = Zeroizing::new(vec![0; items.len()]);
        order.iter().zip(items.iter()).for_each(|(place, item)| names[*place as usize] = item.name);
        let bins = spread(&parameters, &items)?;
        let seeds = seeds(parameters.answers(), rng);
        let polynomials = seeds.par_iter().enumerate().map(|(index, seed)| {
            let mut rng = ChaCha20Rng::from_seed(*seed);
            let (location, partition) =
                (index / parameters.partitions, index % parameters.partitions);
            let part = Part { parameters: &parameters, ring: &ring, items: &items, bins: &bins };
            part.polynomials(location, partition, &mut rng)
        });
        let polynomials = polynomials.collect();
        Ok(Self { parameters, ring, key, names, polynomials })
    }

    /// The answers, location by location and partition by partition, as they travel.
    pub(crate) fn answer(&self, query: Query, rng: &mut dyn CryptoRng) -> Vec<Vec<u8>> {
        let sent = self.parameters.powers.sent_count();
        let Query { relinearisation, public, powers } = query;
        let relinearisation = relinearisation.as_ref();
        let public = public.map(|zero| PublicKey::new(zero.expand(&self.ring)));
        let mut powers = powers.into_iter();
        let sets: Vec<Vec<Seeded>> =
            (0..self.parameters.locations).map(|_| powers.by_ref().take(sent).collect()).collect();
        let locations = sets.into_par_iter().map(|set| self.location(set, relinearisation));
        let locations: Vec<Location> = locations.collect();
        let seeds = seeds(self.polynomials.len(), rng);
        let jobs = self.polynomials.par_iter().zip(seeds.par_iter()).enumerate();
        let answers = jobs.map(|(index, (polynomials, seed))| {
            let location = &locations[index / self.parameters.partitions];
            let mut answer = self.evaluate(location, polynomials);
            if let (true, Some(key)) = (self.parameters.short, relinearisation) {
                self.ring.relinearise(&mut answer, key);
            }
            if let (Some(bits), Some(public)) = (self.parameters.flood, &public) {
                let mut rng = ChaCha20Rng::from_seed(*seed);
                self.ring.flood(&mut answer, public, bits, &mut rng);
            }
            let mut bytes = Vec::with_capacity(self.parameters.answer_bytes());
            if !self.parameters.variant.switching {
                answer.write(&self.ring, &mut bytes);
                return bytes;
            }
            while answer.level() > 1 {
                self.ring.switch_down(&mut answer);
            }
            self.parameters.cut.write(&self.ring, &answer, &mut bytes);
            bytes
        });
        answers.collect()
    }

    /// All powers of a location, of those that travel.
    fn location(&self, sent: Vec<Seeded>, key: Option<&RelinearisationKey>) -> Location {
        let sent: Vec<Ciphertext> =
            sent.into_iter().map(|seeded| seeded.expand(&self.ring)).collect();
        let power = |source: &Source| {
            let mut power = match *source {
                Source::Sent(place) => sent[place].clone(),
                Source::Product(one, other) => {
                    let mut product = self.ring.products(&[(&sent[one], &sent[other])]);
                    if let Some(key) = key {
                        self.ring.relinearise(&mut product, key);
                    }
                    product
                }
            };
            while power.level() > self.parameters.working {
                self.ring.switch_down(&mut power);
            }
            power
        };
        let [low, high] =
            self.parameters.powers.sources().map(|sources| sources.par_iter().map(power).collect());
        Location { low, high }
    }

    /// Σ_i x^(i(L+1))·(a_i0 + Σ_j a_ij·x^j), Paterson and Stockmeyer's sum.
    fn evaluate(&self, location: &Location, polynomials: &[Plain]) -> Ciphertext {
        let low: Vec<&Ciphertext> = location.low.iter().collect();
        let mut inner = polynomials.chunks_exact(low.len() + 1).map(|row| {
            let mut sum = self.ring.inner(&low, &row[1..].iter().collect::<Vec<_>>());
            self.ring.add_plain(&mut sum, &row[0]);
            sum
        });
        let Some(constant) = inner.next() else {
            return self.ring.zero(self.parameters.working, 1);
        };
        if location.high.is_empty() {
            return constant;
        }
        let inner: Vec<Ciphertext> = inner.collect();
        let pairs: Vec<_> = inner.iter().zip(&location.high).collect();
        let mut sum = self.ring.products(&pairs);
        let scale = sum.scale();
        self.ring.add(&mut sum, &constant.with_scale(scale));
        sum
    }
}

/// The scale of powers when they meet plaintexts.
pub(crate) fn power_scale(parameters: &Parameters, ring: &Ring) -> u64 {
    ring.switched_scale(1, ring.levels(), parameters.working)
}

/// The scale of answers before they come down to one prime.
pub(crate) fn answer_scale(parameters: &Parameters, ring: &Ring) -> u64 {
    let power = power_scale(parameters, ring);
    if parameters.powers.high == 0 { power } else { ring.multiply_plain(power, power) }
}

/// Seeds for tasks that run at the same time.
fn seeds(count: usize, rng: &mut dyn CryptoRng) -> Zeroizing<Vec<[u8; 32]>> {
    let mut seeds = Zeroizing::new(vec![[0; 32]; count]);
    rng.fill_bytes(seeds.as_flattened_mut());
    seeds
}

/// The items of each bin.
fn spread(parameters: &Parameters, items: &[Item]) -> Result<Vec<Vec<u32>>, ProtocolError> {
    let capacity = parameters.partitions * parameters.powers.degree();
    let mut bins: Vec<Vec<u32>> = vec![Vec::new(); parameters.table.bins()];
    for (index, item) in (0..).zip(items) {
        match parameters.variant.hashing {
            true => item.places.iter().for_each(|place| bins[*place].push(index)),
            false => bins.iter_mut().for_each(|bin| bin.push(index)),
        }
    }
    let fits = bins.iter().all(|bin| bin.len() <= capacity);
    if fits { Ok(bins) } else { Err(ProtocolError::Overfull) }
}

/// What the polynomials are made of.
struct Part<'a> {
    parameters: &'a Parameters,
    ring: &'a Ring,
    items: &'a [Item],
    bins: &'a [Vec<u32>],
}

impl Part<'_> {
    /// The coefficients of a partition's polynomials, of which the roots are a share of each bin's items and, to fill up, random
    /// numbers.
    fn polynomials(&self, location: usize, partition: usize, rng: &mut ChaCha20Rng) -> Vec<Plain> {
        let Parameters { felts, bins_a_ciphertext, powers, .. } = *self.parameters;
        let (slots, degree) = (self.parameters.slots(), powers.degree());
        let t = u128::from(self.ring.parameters().t());
        let mut coefficients = Zeroizing::new(vec![0; slots * (degree + 1)]);
        let bins = self.bins.iter().skip(location * bins_a_ciphertext).take(bins_a_ciphertext);
        let mut roots = Zeroizing::new(vec![0; degree]);
        for (place, bin) in bins.enumerate() {
            let members = bin.iter().skip(partition * degree).take(degree);
            let members: Vec<&Item> = members.map(|index| &self.items[*index as usize]).collect();
            for felt in 0..felts {
                let own = members.iter().map(|item| Some(item.felts[felt]));
                for (root, own) in roots.iter_mut().zip(own.chain(std::iter::repeat(None))) {
                    *root = own.unwrap_or_else(|| ((u128::from(rng.next_u64()) * t) >> 64) as u64);
                }
                let poly = Zeroizing::new(self.ring.vanishing(&roots));
                for (power, coefficient) in poly.iter().enumerate() {
                    coefficients[power * slots + felt * bins_a_ciphertext + place] = *coefficient;
                }
            }
        }
        self.prepared(&mut coefficients)
    }

    /// Rows of coefficients as plaintexts that make up for the scales of the powers.
    fn prepared(&self, coefficients: &mut [u64]) -> Vec<Plain> {
        let Parameters { powers, working, .. } = *self.parameters;
        let scale = power_scale(self.parameters, self.ring);
        let rows = coefficients.chunks_exact_mut(self.parameters.slots()).enumerate();
        let plain = |(power, row): (usize, &mut [u64])| {
            // A constant meets no low power, and the first row no high one.
            let missing = usize::from(power % (powers.low + 1) == 0)
                + usize::from(power <= powers.low && powers.high > 0);
            for _ in 0..missing {
                row.iter_mut().for_each(|x| *x = self.ring.multiply_plain(*x, scale));
            }
            self.ring.encode(row);
            self.ring.prepare(row, working)
        };
        rows.map(plain).collect()
    }
}
