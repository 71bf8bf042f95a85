//! The sender's answers: its polynomials at powers that the receiver encrypted.

use std::sync::Arc;

use chacha20::ChaCha20Rng;
use rand_core::{CryptoRng, SeedableRng};
use rayon::prelude::*;
use veilset_bfv::{Ciphertext, MOST_TERMS, Plain, PublicKey, RelinearisationKey, Ring, Seeded};

use super::database::seeds;
use super::parameters::FheParameters;
use super::powers::{PowerSource, depths};

/// The polynomials of a partition: the one for matches, and those for labels; of each the coefficients of all slots, from the
/// constant one on.
pub(crate) type Polynomials = Vec<Vec<Plain>>;

/// Polynomials that are ready for any number of queries.
pub(crate) struct Prepared {
    pub(crate) parameters: FheParameters,
    pub(crate) ring: Ring,
    /// Location by location and partition by partition.
    pub(crate) partitions: Vec<Arc<Polynomials>>,
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

impl Prepared {
    /// The answers, location by location, partition by partition, and first the one for matches, as they travel.
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
        let seeds = seeds(self.parameters.answers(), rng);
        let polynomials: Vec<_> = self.partitions.iter().flat_map(|one| one.iter()).collect();
        let each = self.parameters.partitions * self.parameters.polynomials();
        let jobs = polynomials.par_iter().zip(seeds.par_iter()).enumerate();
        let answers = jobs.map(|(index, (polynomials, seed))| {
            let location = &locations[index / each];
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
        let powers = self.parameters.powers.sources();
        let [low, high] = powers.map(|sources| self.powers(&sources, &sent, key));
        Location { low, high }
    }

    /// The powers of a list, each of what travels or of two before it. What was multiplied comes down by a prime, and what waits with it.
    pub(super) fn powers(
        &self,
        sources: &[PowerSource],
        sent: &[Ciphertext],
        key: Option<&RelinearisationKey>,
    ) -> Vec<Ciphertext> {
        let all = sources.par_iter().map(|source| match *source {
            PowerSource::Sent(place) => Some(sent[place].clone()),
            PowerSource::Product(..) => None,
        });
        let mut powers: Vec<Option<Ciphertext>> = all.collect();
        let depths = depths(sources);
        for step in 1..=self.parameters.powers.depth() {
            let multiplied = sources.par_iter().zip(&depths).enumerate();
            let multiplied = multiplied.filter_map(|(place, (source, depth))| match *source {
                PowerSource::Product(one, other) if *depth == step => {
                    let pair = (powers[one].as_ref()?, powers[other].as_ref()?);
                    let mut product = self.ring.products(&[pair]);
                    if let Some(key) = key {
                        self.ring.relinearise(&mut product, key);
                    }
                    Some((place, product))
                }
                _ => None,
            });
            let multiplied: Vec<_> = multiplied.collect();
            multiplied.into_iter().for_each(|(place, product)| powers[place] = Some(product));
            powers.par_iter_mut().flatten().for_each(|power| self.ring.switch_down(power));
        }
        powers.into_iter().flatten().collect()
    }

    /// Σ_i x^(i(L+1))·(a_i0 + Σ_j a_ij·x^j), Paterson and Stockmeyer's sum.
    fn evaluate(&self, location: &Location, polynomials: &[Plain]) -> Ciphertext {
        let low: Vec<&Ciphertext> = location.low.iter().collect();
        let mut inner = polynomials.chunks_exact(low.len() + 1).map(|row| {
            let plains: Vec<&Plain> = row[1..].iter().collect();
            let terms = low.chunks(MOST_TERMS).zip(plains.chunks(MOST_TERMS));
            let scale = low[0].scale();
            let mut sum = self.ring.zero(self.parameters.working, scale);
            for (low, plains) in terms {
                self.ring.add(&mut sum, &self.ring.inner(low, plains).with_scale(scale));
            }
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

/// The scale of powers that travel when they meet plaintexts; of a sum, too, whose plaintexts make up for the others'.
pub(crate) fn power_scale(parameters: &FheParameters, ring: &Ring) -> u64 {
    ring.switched_scale(1, ring.levels(), parameters.working)
}

/// For each low power by what a plaintext is multiplied that meets it, so that all products have [`power_scale`].
pub(crate) fn makes_up(parameters: &FheParameters, ring: &Ring) -> Vec<u64> {
    let [sources, _] = parameters.powers.sources();
    let depths = depths(&sources);
    let mut scales = vec![1; sources.len()];
    for step in 1..=parameters.powers.depth() {
        for (place, source) in sources.iter().enumerate() {
            if let (PowerSource::Product(one, other), true) = (source, depths[place] == step) {
                scales[place] = ring.multiply_plain(scales[*one], scales[*other]);
            }
        }
        let level = ring.levels() + 1 - step as usize;
        scales.iter_mut().for_each(|scale| *scale = ring.switched_scale(*scale, level, level - 1));
    }
    let scale = power_scale(parameters, ring);
    scales.into_iter().map(|own| ring.divide_plain(scale, own)).collect()
}

/// The scale of answers before they come down to one prime.
pub(crate) fn answer_scale(parameters: &FheParameters, ring: &Ring) -> u64 {
    let power = power_scale(parameters, ring);
    if parameters.powers.high == 0 { power } else { ring.multiply_plain(power, power) }
}
