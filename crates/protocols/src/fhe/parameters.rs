//! Parameters for given sizes: a search over what is correct and secure, for the least time and bytes.
//!
//! What can go wrong, each with at most 2^-42: the receiver's table has no places, a bin of the sender overflows, an element
//! matches that is none. Noise is bounded with a chance of about 2^-75 a coefficient (`veilset_bfv`). A query item meets in each
//! partition a polynomial a slot with B roots; other items' parts are uniform modulo t, so all its f parts are roots with
//! probability at most (B/t)^f, and over all items and partitions that adds up.

use veilset_bfv::{Cut, Model, Noise, ParameterError, Ring, Seed, flood_bits, most_bits};
use veilset_channel::MAX_BODY;
use veilset_structures::bin_capacity;

use super::powers::Powers;
use super::table::{Table, least_bins};

/// What an optimiser is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Elements of the sender.
    pub sender: usize,
    /// Elements of the receiver.
    pub receiver: usize,
    /// Bits by which a run must go wrong less often than with 2^-40.
    pub slack: u32,
}

/// Which improvements are used, one after the other as Chen, Laine and Rindal introduce them (CCS 2017, section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// A ciphertext holds as many values as it has slots; otherwise those of one bin.
    pub batching: bool,
    /// Elements are hashed to bins; otherwise each of the receiver's has a bin with all of the sender's.
    pub hashing: bool,
    /// Few powers travel and others are computed of them; otherwise all travel.
    pub windowing: bool,
    /// Bins are cut into partitions; otherwise each is one polynomial.
    pub partitioning: bool,
    /// Answers come down to one prime and a few bits; otherwise they keep all primes.
    pub switching: bool,
    /// Noise is flooded, so that the sender's privacy does not rest on the pseudorandom function alone.
    pub flooding: bool,
}

impl Default for Variant {
    fn default() -> Self {
        Self {
            batching: true,
            hashing: true,
            windowing: true,
            partitioning: true,
            switching: true,
            flooding: false,
        }
    }
}

/// What both sides compute from the sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    pub(crate) sizes: Sizes,
    pub(crate) variant: Variant,
    pub(crate) table: Table,
    /// Slots of an item.
    pub(crate) felts: usize,
    /// Bins that share a ciphertext.
    pub(crate) bins_a_ciphertext: usize,
    /// Ciphertexts that the table fills.
    pub(crate) locations: usize,
    /// Polynomials of a slot.
    pub(crate) partitions: usize,
    pub(crate) powers: Powers,
    pub(crate) log_n: u32,
    /// Bits of t.
    pub(crate) plain: u32,
    /// Bits of the primes.
    pub(crate) primes: Vec<u32>,
    pub(crate) special: Option<u32>,
    /// Primes of a ciphertext that meets plaintexts.
    pub(crate) working: usize,
    /// Whether answers have two parts; three otherwise.
    pub(crate) short: bool,
    pub(crate) flood: Option<u32>,
    pub(crate) cut: Cut,
    seconds: f64,
}

/// log₂ of the chance of each way to fail.
const FAILURE: f64 = 42.0;

/// Bytes a second that bytes are weighed with: 10 Mbit/s.
const LINK: f64 = 1.25e6;

/// Seconds of a butterfly, and of a product that is added up; measured on one core.
const BUTTERFLY: f64 = 2.0e-9;
const PRODUCT: f64 = 1.0e-9;

/// What a second before the query counts, which serves other queries too.
const OFFLINE: f64 = 0.05;

/// The fewest bits of a plaintext modulus above those of the degree: there is a prime among the 16 candidates of each size.
const ABOVE_DEGREE: u32 = 5;

/// From so many bits above those of the degree on, 512 candidates share the first bit, of which one in eight is prime: one is
/// among the 40 largest.
const DENSE: u32 = 10;

/// The most bits of a plaintext modulus.
const MOST_PLAIN: u32 = 45;

/// The most bits of a prime.
const MOST_PRIME: f64 = 60.0;

impl Parameters {
    /// The best for these sizes, neither of which is 0; nothing if there are none, for sizes and variants beyond all reason.
    #[must_use]
    pub fn best(sizes: Sizes, variant: Variant) -> Option<Self> {
        let mut best: Option<Self> = None;
        let search = Search::new(sizes, variant);
        for log_n in [12, 13, 14] {
            for felts in 1..=8 {
                let Some(layout) = search.layout(log_n, felts) else { continue };
                for powers in Powers::tried(layout.load.max(1)) {
                    for short in [false, true] {
                        let found = search.candidate(&layout, powers, short);
                        let better = |found: &Self| {
                            best.as_ref().is_none_or(|best| found.price() < best.price())
                        };
                        best = found.filter(better).or(best);
                    }
                }
            }
        }
        best
    }

    /// The ring that they describe.
    pub(crate) fn ring(&self) -> Result<Ring, ParameterError> {
        Ring::with(self.log_n, self.plain, &self.primes, self.special)
    }

    /// Seconds that a query takes both sides, on one core, beside the functions on the curve.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Ciphertexts of the query: the powers of all locations, and a public key for floods.
    fn fresh(&self) -> usize {
        self.locations * self.powers.sent_count() + usize::from(self.flood.is_some())
    }

    /// Bytes of a ciphertext as it is sent, with so many bits of primes.
    fn seeded_bytes(&self, bits: u32) -> usize {
        size_of::<Seed>() + bits as usize * self.slots() / 8
    }

    /// Bytes of a ciphertext of the query, and of the key that relinearises.
    fn object_bytes(&self) -> [usize; 2] {
        let all: u32 = self.primes.iter().sum();
        let digits = |special| self.primes.len() * self.seeded_bytes(all + special);
        [self.seeded_bytes(all), self.special.map_or(0, digits)]
    }

    /// Bytes of the query: ciphertexts and keys.
    pub(crate) fn query_bytes(&self) -> usize {
        let [one, key] = self.object_bytes();
        self.fresh() * one + key
    }

    /// Frames of the query.
    pub(crate) fn query_frames(&self) -> usize {
        let [one, key] = self.object_bytes().map(|bytes| bytes.div_ceil(MAX_BODY));
        self.fresh() * one + key
    }

    /// Bytes of one partition's answer.
    pub(crate) fn answer_bytes(&self) -> usize {
        let bits: u32 = self.primes[..self.working].iter().sum();
        match self.variant.switching {
            true => self.cut.len(self.slots()),
            false => self.answer_parts() * bits as usize * self.slots() / 8,
        }
    }

    /// Parts of an answer.
    pub(crate) fn answer_parts(&self) -> usize {
        if self.short || self.powers.high == 0 { 2 } else { 3 }
    }

    /// Answers of a query.
    pub(crate) fn answers(&self) -> usize {
        self.locations * self.partitions
    }

    pub(crate) fn slots(&self) -> usize {
        1 << self.log_n
    }

    /// Bytes of the prepared polynomials.
    #[must_use]
    pub fn memory(&self) -> f64 {
        let polys = self.answers() * (self.powers.degree() + 1);
        (polys * self.slots() * self.working * size_of::<u64>()) as f64
    }

    /// Seconds that the polynomials take before a query, on one core, beside the function on the curve.
    #[must_use]
    pub fn offline_seconds(&self) -> f64 {
        let transform = self.slots() as f64 * f64::from(self.log_n) / 2.0 * BUTTERFLY;
        let polys = (self.answers() * (self.powers.degree() + 1)) as f64;
        let rows = polys * (self.working + 1) as f64 * transform;
        // A product for each root and each coefficient before it, in two instructions of four cycles.
        let roots = polys * self.slots() as f64 * self.powers.degree() as f64 / 2.0 * 2.0 * PRODUCT;
        rows + roots
    }

    fn price(&self) -> f64 {
        let bytes = self.query_bytes() + self.answers() * self.answer_bytes();
        self.seconds + bytes as f64 / LINK + OFFLINE * self.offline_seconds()
    }
}

/// What stays the same in a search.
struct Search {
    sizes: Sizes,
    variant: Variant,
    bits: f64,
    least: usize,
    functions: usize,
}

/// How items lie in ciphertexts.
struct Layout {
    log_n: u32,
    felts: usize,
    bins_a_ciphertext: usize,
    locations: usize,
    table: Table,
    load: usize,
}

impl Search {
    fn new(sizes: Sizes, variant: Variant) -> Self {
        let bits = FAILURE + f64::from(sizes.slack);
        let functions = if sizes.receiver == 1 || !variant.hashing { 1 } else { 3 };
        let least = if variant.hashing { least_bins(sizes.receiver, bits) } else { sizes.receiver };
        Self { sizes, variant, bits, least, functions }
    }

    fn layout(&self, log_n: u32, felts: usize) -> Option<Layout> {
        let bins_a_ciphertext = if self.variant.batching { (1 << log_n) / felts } else { 1 };
        let locations = self.least.div_ceil(bins_a_ciphertext);
        let least = if self.variant.batching { locations * bins_a_ciphertext } else { self.least };
        let each = match self.variant.hashing {
            true => (least / self.functions).max(self.least.div_ceil(self.functions)),
            false => self.sizes.receiver,
        };
        let table = Table { functions: self.functions, each };
        let locations = table.bins().div_ceil(bins_a_ciphertext);
        let load = match self.variant.hashing {
            true => bin_capacity(self.sizes.sender, each, self.bits + 2.0),
            false => self.sizes.sender,
        };
        Some(Layout { log_n, felts, bins_a_ciphertext, locations, table, load })
    }

    fn candidate(&self, layout: &Layout, powers: Powers, short: bool) -> Option<Parameters> {
        let degree = powers.degree();
        let partitions = layout.load.div_ceil(degree).max(1);
        let Variant { windowing, partitioning, flooding, .. } = self.variant;
        // Two parts come without relinearisation where there are no high powers; floods are for two.
        let linear = powers.high == 0;
        let refused = (short && linear)
            || (flooding && !short && !linear)
            || (!windowing && (powers.computed() || !linear))
            || (!partitioning && partitions > 1);
        if refused {
            return None;
        }
        let plain = self.plain(layout, degree, partitions)?;
        let model = Model { log_n: layout.log_n, plain: f64::from(plain) };
        let keyed = powers.computed() || short;
        let parts = if short || linear { 2 } else { 3 };
        let dropped = powers.computed().then(|| dropped(model));
        let mut total = evaluated(model, powers, dropped);
        if short {
            total = total.relinearised(8);
        }
        let answers = (layout.locations * partitions) as f64;
        let flood = flooding.then(|| flood_bits(total, answers * f64::from(1 << layout.log_n)));
        let total = flood.map_or(total, |bits| total.flooded(bits));
        let rounding = model.rounding(parts);
        let mut primes =
            split(total.modulus_bits().ceil(), (rounding.modulus_bits() + 2.0).ceil())?;
        let working = primes.len();
        primes.extend(dropped);
        let special = if keyed { primes.iter().max().copied() } else { None };
        if primes.iter().chain(&special).sum::<u32>() > most_bits(layout.log_n) {
            return None;
        }
        let last = primes[1..working].iter().sum::<u32>();
        let cut = Cut::new(model, total.switched(f64::from(last), parts), parts, primes[0]);
        let mut parameters = Parameters {
            sizes: self.sizes,
            variant: self.variant,
            table: layout.table,
            felts: layout.felts,
            bins_a_ciphertext: layout.bins_a_ciphertext,
            locations: layout.locations,
            partitions,
            powers,
            log_n: layout.log_n,
            plain,
            primes,
            special,
            working,
            short,
            flood,
            cut,
            seconds: 0.0,
        };
        parameters.seconds = seconds(&parameters);
        Some(parameters)
    }

    /// The fewest bits of t that keep false matches rare.
    fn plain(&self, layout: &Layout, degree: usize, partitions: usize) -> Option<u32> {
        let tests = (self.sizes.receiver * partitions) as f64;
        // With so many candidates the largest prime of b bits is above 2^(b − 1/8); otherwise it has b bits, no more.
        let each = (self.bits + tests.log2()) / layout.felts as f64 + 0.125;
        let bits = ((degree as f64).log2() + each).ceil() as u32;
        let bits = if bits < layout.log_n + DENSE { bits + 1 } else { bits };
        let bits = bits.max(layout.log_n + ABOVE_DEGREE);
        (bits <= MOST_PLAIN).then_some(bits)
    }
}

/// Bits of the prime that computed powers lose: they bring a product's noise down to where rounding holds it up.
fn dropped(model: Model) -> u32 {
    let product = model.fresh().times(model.fresh(), 1);
    let excess = product.log_deviation() - model.rounding(2).log_deviation();
    (excess.ceil() as u32).max(model.log_n + ABOVE_DEGREE)
}

/// The noise of an evaluation.
fn evaluated(model: Model, powers: Powers, dropped: Option<u32>) -> Noise {
    let fresh = model.fresh();
    let power = dropped
        .map_or(fresh, |bits| fresh.times(fresh, 1).relinearised(8).switched(f64::from(bits), 2));
    let inner = power.times_plain(powers.low);
    match powers.high {
        0 => inner,
        high => inner.times(power, high).plus(inner),
    }
}

/// `total` bits as primes of nearly one size; the first has at least `least`.
fn split(total: f64, least: f64) -> Option<Vec<u32>> {
    if least > MOST_PRIME {
        return None;
    }
    let count = (total / MOST_PRIME).ceil();
    let each = (total / count).ceil();
    let mut primes = vec![each as u32; count as usize];
    primes[0] = each.max(least) as u32;
    Some(primes)
}

/// Seconds of a query: products with plaintexts, powers, and what becomes of the answers.
fn seconds(parameters: &Parameters) -> f64 {
    let n = parameters.slots() as f64;
    let transform = n * f64::from(parameters.log_n) / 2.0 * BUTTERFLY;
    let (levels, working) = (parameters.primes.len() as f64, parameters.working as f64);
    let (locations, answers) = (parameters.locations as f64, parameters.answers() as f64);
    let Powers { low, high, .. } = parameters.powers;
    let fresh = locations * parameters.powers.sent_count() as f64;
    // Each digit goes to all primes, and two sums are divided.
    let relinearisation =
        |levels: f64| (levels * (levels + 1.0) + 2.0 * (levels + 1.0)) * transform;
    let powers = if parameters.powers.computed() {
        let products = locations * (low + high) as f64 - fresh;
        products * relinearisation(levels)
            + locations * (low + high) as f64 * 2.0 * levels * transform
    } else {
        0.0
    };
    let plain = answers * (parameters.powers.degree() + 1) as f64 * 2.0 * working * n * PRODUCT;
    let tensor = answers * high as f64 * 4.0 * working * n * PRODUCT;
    let short = if parameters.short { answers * relinearisation(working) } else { 0.0 };
    let switched = answers * 3.0 * (working * (working + 1.0) / 2.0 + 4.0) * transform;
    let encrypted = fresh * (levels + 2.0) * transform * 1.5;
    powers + plain + tensor + short + switched + encrypted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(sender: usize, receiver: usize) -> Sizes {
        Sizes { sender, receiver, slack: 0 }
    }

    #[test]
    fn every_choice_is_secure_and_can_be_computed_with() {
        for (sender, receiver) in [
            (1, 1),
            (2, 1000),
            (1000, 1000),
            (1 << 16, 5535),
            (1 << 16, 11_041),
            (1 << 20, 1),
            (1 << 20, 1024),
            (1 << 20, 5535),
            (1 << 20, 11_041),
            (1 << 24, 5535),
        ] {
            let sizes = sizes(sender, receiver);
            let parameters = Parameters::best(sizes, Variant::default()).expect("there are some");
            let ring = parameters.ring().expect("secure, and with primes");
            let t = (ring.parameters().t() as f64).log2();
            let degree = parameters.powers.degree();
            let tests = (receiver * parameters.partitions) as f64;
            let matches = parameters.felts as f64 * ((degree as f64).log2() - t) + tests.log2();
            assert!(matches <= -FAILURE, "{sender} {receiver}: false matches 2^{matches}");
            let load = bin_capacity(sender, parameters.table.each, FAILURE + 2.0);
            assert!(degree * parameters.partitions >= load, "{sender} {receiver}: room for all");
            let seats = parameters.locations * parameters.bins_a_ciphertext;
            assert!(parameters.table.bins() <= seats, "{sender} {receiver}: slots for all");
        }
    }

    #[test]
    fn a_million_elements_take_few_bytes_and_a_larger_set_hardly_more() {
        let bytes = |sender, receiver| {
            let best = Parameters::best(sizes(sender, receiver), Variant::default());
            let parameters = best.expect("there are some");
            parameters.query_bytes() + parameters.answers() * parameters.answer_bytes()
        };
        assert!(bytes(1 << 20, 1024) < 2_600_000, "{}", bytes(1 << 20, 1024));
        assert!(bytes(1 << 20, 5535) < 5_000_000, "{}", bytes(1 << 20, 5535));
        assert!(bytes(1 << 24, 1024) < 8 * bytes(1 << 20, 1024));
    }
}
