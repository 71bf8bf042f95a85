//! Parameters for given sizes: a search over what is correct and secure, for the least time and bytes.
//!
//! What can go wrong, each with at most 2^-42: the receiver's table has no places, a bin of the sender overflows, an element
//! matches that is none. Noise is bounded with a chance of about 2^-75 a coefficient (`veilset_bfv`). A query item meets in each
//! partition a polynomial a slot with B roots; other items' parts are uniform modulo t, so all its f parts are roots with
//! probability at most (B/t)^f, and over all items and partitions that adds up. Short strings that are taken as they are never match
//! another, since t is larger than their parts and two numbers that fill tables up.
//!
//! With labels two items of a bin and partition must differ in every part. An item goes to the first partition where there is room
//! and none shares a part with it. With s partitions more than the largest bin fills there is room in s + 1 wherever an item
//! comes, so it finds no place only if s + 1 items of its bin share a part with it. Each does independently with
//! probability at most f/t, so over all places of items that adds up to at most places·C(load − 1, s + 1)·(f/t)^(s+1). Then, or when a bin
//! overflows, the sender draws another key. Each of these two happens with at most 2^-(b/4), so [`KEYS`] in a row with at most
//! 2^(5 − 5b/4), which is below 2^-b from b = 20 on.

use veilset_bfv::{
    Model, Noise, ParameterError, Ring, Seed, Truncation, flood_bits, has_prime, most_bits,
};
use veilset_channel::MAX_BODY;
use veilset_real::{exp2, log2};
use veilset_structures::bin_capacity;

use super::items::string_parts;
use super::powers::Powers;
use super::variant::{Items, Variant};
use crate::kit::cuckoo::{CuckooTable, least_bins};

/// What an optimiser is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FheSizes {
    /// Elements of the sender.
    pub sender: usize,
    /// Elements of the receiver.
    pub receiver: usize,
    /// Bits by which a run must go wrong less often than with 2^-40.
    pub slack: u32,
}

/// What both sides compute from the sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct FheParameters {
    pub(crate) sizes: FheSizes,
    pub(crate) variant: Variant,
    /// Bytes of a label; 0 where items have none.
    pub(crate) label: usize,
    pub(crate) table: CuckooTable,
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
    pub(crate) cut: Truncation,
    seconds: f64,
}

/// Why there are no parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("depth {depth} takes {bits} bits of primes, and degree 2^{log_n} is secure up to {most}")]
pub struct MissingParameters {
    /// Products of ciphertexts, one after the other, of the deepest power.
    pub depth: u32,
    /// Bits of all primes together that would be correct.
    pub bits: u32,
    /// log₂ of the degree.
    pub log_n: u32,
    /// As many bits are secure.
    pub most: u32,
}

/// log₂ of the degrees that are tried.
const DEGREES: [u32; 3] = [12, 13, 14];

/// log₂ of the chance, inverted, of each way in which a run or a question fails.
pub const FAILURE: f64 = 42.0;

/// Keys that the sender of labels tries.
const KEYS: usize = 5;

/// By how much a single one of them is less sure: (2·2^-(b/4))^5 is below 2^-b.
const LESS_SURE: f64 = 4.0;

/// The most spare partitions that are tried.
const MOST_SPARE: usize = 16;

/// Bytes a second that bytes are weighed with: 10 Mbit/s.
const LINK: f64 = 1.25e6;

/// Seconds of a butterfly, and of a product that is added up; measured on one core.
const BUTTERFLY: f64 = 2.0e-9;
const PRODUCT: f64 = 1.0e-9;

/// What a second before the query counts, which serves other queries too.
const OFFLINE: f64 = 0.2;

/// The fewest bits of a plaintext modulus above those of the degree.
const ABOVE_DEGREE: u32 = 5;

/// From so many bits above those of the degree on, 512 candidates share the first bit, of which one in eight is prime: one is
/// among the 40 largest.
const DENSE: u32 = 10;

/// The most bits of a plaintext modulus.
const MOST_PLAIN: u32 = 45;

/// The most bits of a prime.
const MOST_PRIME: f64 = 60.0;

/// No more digits are relinearised with, and one for each product after the first: the standard's moduli have no more primes of
/// [`MOST_PRIME`] bits, and one prime is dropped after each product.
const DIGITS: usize = 8;

impl FheParameters {
    /// The best for these sizes, neither of which is 0; nothing if there are none, for sizes and variants beyond all reason.
    #[must_use]
    pub fn best(sizes: FheSizes, variant: Variant) -> Option<Self> {
        Self::best_with_labels(sizes, variant, 0)
    }

    /// As [`best`](Self::best), for items with labels of `label` bytes.
    #[must_use]
    pub fn best_with_labels(sizes: FheSizes, variant: Variant, label: usize) -> Option<Self> {
        let mut best: Option<Self> = None;
        let search = Search::new(sizes, variant, label);
        for log_n in DEGREES {
            for felts in 1..=8 {
                let Some(packing) = search.packing(log_n, felts) else { continue };
                for powers in Powers::tried(variant.windowing, packing.load.max(1)) {
                    let price = best.as_ref().map_or(f64::INFINITY, Self::price);
                    best = search.better(&packing, powers, price).or(best);
                }
            }
        }
        best
    }

    /// Why there are none for these sizes: of what would be correct, what misses security by the fewest bits.
    #[must_use]
    pub fn missing(sizes: FheSizes, variant: Variant) -> Option<MissingParameters> {
        let search = Search::new(sizes, variant, 0);
        let packings = DEGREES.into_iter().filter_map(|log_n| search.packing(log_n, 1));
        let correct = packings.flat_map(|packing| {
            let tried = Powers::tried(variant.windowing, packing.load.max(1)).into_iter();
            let both = tried.flat_map(|powers| [false, true].map(|short| (powers, short)));
            let correct =
                both.filter_map(|(powers, short)| search.correct(&packing, powers, short));
            correct.collect::<Vec<_>>()
        });
        let missing = correct.map(|found| MissingParameters {
            depth: found.powers.depth(),
            bits: found.bits(),
            log_n: found.log_n,
            most: most_bits(found.log_n),
        });
        missing.min_by_key(|missing| missing.bits.saturating_sub(missing.most))
    }

    /// Bits of all primes together.
    fn bits(&self) -> u32 {
        self.primes.iter().chain(&self.special).sum()
    }

    /// Products of ciphertexts, one after the other, that the deepest power takes.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.powers.depth()
    }

    /// The degree of the polynomials, and partitions of a bin: Chen, Laine and Rindal's B/α and α.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.powers.degree(), self.partitions)
    }

    /// Bins of the receiver's table, and the most items that one of the sender's takes: his B.
    #[must_use]
    pub fn table(&self) -> (usize, usize) {
        (self.table.bins(), self.powers.degree() * self.partitions)
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
    #[must_use]
    pub fn query_bytes(&self) -> u64 {
        let [one, key] = self.object_bytes().map(|bytes| bytes as u64);
        self.fresh() as u64 * one + key
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

    /// Polynomials of a slot in a partition: one for matches, the others for labels.
    pub(crate) fn polynomials(&self) -> usize {
        1 + label_polynomials(self.label, self.felts, self.plain)
    }

    /// Bits of a label that a slot holds: all residues of so many are below t.
    pub(crate) fn word_bits(&self) -> usize {
        word_bits(self.plain)
    }

    /// Residues of a label.
    pub(crate) fn words(&self) -> usize {
        self.felts * (self.polynomials() - 1)
    }

    /// Keys that the sender may draw until its items find places.
    pub(crate) fn keys(&self) -> usize {
        if self.label > 0 { KEYS } else { 1 }
    }

    /// Answers of a query.
    pub(crate) fn answers(&self) -> usize {
        self.locations * self.partitions * self.polynomials()
    }

    /// Bytes of all answers.
    #[must_use]
    pub fn all_answers_bytes(&self) -> u64 {
        self.answers() as u64 * self.answer_bytes() as u64
    }

    /// The number of a bin's partition, counted location by location.
    pub(crate) fn partition(&self, bin: usize, partition: usize) -> usize {
        bin / self.bins_a_ciphertext * self.partitions + partition
    }

    /// Bytes of memory in which a receiver reads the answers: as they came, a copy, and their slots; and what labels are made of.
    pub(crate) fn reading(&self) -> f64 {
        let word = size_of::<u64>() as f64;
        let slots = self.answers() as f64 * self.slots() as f64 * word;
        let words = self.sizes.receiver as f64 * self.words() as f64 * word;
        2.0 * self.all_answers_bytes() as f64 + slots + words
    }

    /// Which partition that is of its bins, and these bins.
    pub(crate) fn bins_of(&self, partition: usize) -> impl Iterator<Item = (usize, usize)> {
        let each = self.bins_a_ciphertext;
        let first = partition / self.partitions * each;
        let bins = first..(first + each).min(self.table.bins());
        let partition = partition % self.partitions;
        bins.map(move |bin| (partition, bin))
    }

    /// A digest of all that both sides must compute alike.
    #[must_use]
    pub fn digest(&self) -> [u8; 16] {
        let ring = (self.log_n, self.plain, &self.primes, self.special);
        let powers = self.powers.text();
        let answers = format!(
            "({powers}, {:?}, {:?}, {:?}, {:?})",
            self.working, self.short, self.flood, self.cut
        );
        let places = (self.table, self.felts, self.bins_a_ciphertext, self.locations);
        let text = format!("{ring:?} {answers} {places:?} {} {}", self.partitions, self.label);
        let digest = blake3::derive_key("veilset v1 fhe parameters", text.as_bytes());
        std::array::from_fn(|byte| digest[byte])
    }

    pub(crate) fn slots(&self) -> usize {
        1 << self.log_n
    }

    /// Bytes of the prepared polynomials.
    #[must_use]
    pub fn memory(&self) -> f64 {
        let words = self.slots() * self.working * size_of::<u64>();
        self.answers() as f64 * (self.powers.degree() + 1) as f64 * words as f64
    }

    /// Seconds that the polynomials take before a query, on one core, beside the function on the curve.
    #[must_use]
    pub fn offline_seconds(&self) -> f64 {
        let transform = self.slots() as f64 * f64::from(self.log_n) / 2.0 * BUTTERFLY;
        let polys = self.answers() as f64 * (self.powers.degree() + 1) as f64;
        let rows = polys * (self.working + 1) as f64 * transform;
        // A product for each root and each coefficient before it, in two instructions of four cycles.
        // A label polynomial takes two, and all together four more: what vanishes, twice, and its derivative at all roots.
        let pairs = polys * self.slots() as f64 * self.powers.degree() as f64 / 2.0;
        let all = self.polynomials() as f64;
        let each = if self.label > 0 { (1.0 + 2.0 * (all - 1.0) + 4.0) / all } else { 1.0 };
        rows + each * pairs * 2.0 * PRODUCT
    }

    /// Bytes of the query and the answers, beside the points.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.query_bytes() + self.all_answers_bytes()
    }

    fn price(&self) -> f64 {
        self.seconds + self.bytes() as f64 / LINK + OFFLINE * self.offline_seconds()
    }
}

/// What stays the same in a search.
struct Search {
    sizes: FheSizes,
    variant: Variant,
    label: usize,
    bits: f64,
    /// log₂ of how seldom a key must fail in each way.
    key_bits: f64,
    least: usize,
    functions: usize,
}

/// How items lie in ciphertexts.
struct Packing {
    log_n: u32,
    felts: usize,
    bins_a_ciphertext: usize,
    locations: usize,
    table: CuckooTable,
    load: usize,
    /// Sizes in bits, where primes are not dense, of which there is none.
    missing: Vec<u32>,
}

impl Search {
    fn new(sizes: FheSizes, variant: Variant, label: usize) -> Self {
        let bits = FAILURE + f64::from(sizes.slack);
        let one = sizes.receiver == 1 || !variant.hashing;
        let functions = if one { 1 } else { variant.functions };
        let least = match variant.hashing {
            true => least_bins(variant.functions, sizes.receiver, bits),
            false => sizes.receiver,
        };
        let key_bits = if label > 0 { bits / LESS_SURE } else { bits };
        Self { sizes, variant, label, bits, key_bits, least, functions }
    }

    fn packing(&self, log_n: u32, felts: usize) -> Option<Packing> {
        // Parts of a string would tell of each other strings that share it; and only a function's output hides a label.
        let strings = self.variant.items != Items::OfFunction;
        if strings && (felts > 1 || self.label > 0) {
            return None;
        }
        let bins_a_ciphertext = if self.variant.batching { (1 << log_n) / felts } else { 1 };
        let locations = self.least.div_ceil(bins_a_ciphertext);
        let least = if self.variant.batching { locations * bins_a_ciphertext } else { self.least };
        let each = match self.variant.hashing {
            true => (least / self.functions).max(self.least.div_ceil(self.functions)),
            false => self.sizes.receiver,
        };
        let table = CuckooTable { functions: self.functions, each };
        let locations = table.bins().div_ceil(bins_a_ciphertext);
        let load = match self.variant.hashing {
            true => bin_capacity(self.sizes.sender, each, self.key_bits + 2.0),
            false => self.sizes.sender,
        };
        let missing = log_n + ABOVE_DEGREE..log_n + DENSE;
        let missing = missing.filter(|bits| !has_prime(log_n, *bits)).collect();
        Some(Packing { log_n, felts, bins_a_ciphertext, locations, table, load, missing })
    }

    /// The better of the two kinds of answers for these powers, if its price is below `price`.
    fn better(&self, packing: &Packing, powers: Powers, price: f64) -> Option<FheParameters> {
        if self.least_price(packing, powers)? >= price {
            return None;
        }
        let found = [false, true].into_iter();
        let found = found.filter_map(|short| self.candidate(packing, powers, short));
        let found = found.filter(|found| found.price() < price);
        found.min_by(|one, other| one.price().total_cmp(&other.price()))
    }

    /// A bound below the price of these powers, from the bits that t and the primes have at least; nothing if these are too many.
    /// The search looks closer only at what it does not rule out.
    fn least_price(&self, packing: &Packing, powers: Powers) -> Option<f64> {
        let Packing { log_n, locations, load, .. } = *packing;
        let degree = powers.degree();
        let partitions = load.div_ceil(degree).max(1);
        let plain = self.plain(packing, degree, partitions)?;
        // A fresh ciphertext has t times an error; a product with a plaintext or a ciphertext brings t and √n more.
        let products = if powers.high == 0 { 1 } else { 2 };
        let bits = plain + products * (plain + log_n / 2);
        if bits > most_bits(log_n) {
            return None;
        }
        let n = f64::from(1 << log_n);
        let answers = (locations * partitions) as f64;
        let fresh = (locations * powers.sent_count()) as f64;
        // Both parts of an answer tell residues modulo t apart.
        let bytes = (fresh * f64::from(bits) + answers * f64::from(2 * plain)) * n / 8.0;
        let rows = (f64::from(bits) / MOST_PRIME).ceil();
        let seconds = answers * (degree + 1) as f64 * 2.0 * rows * n * PRODUCT;
        Some(seconds + bytes / LINK)
    }

    /// What serves these powers, if it is secure.
    fn candidate(&self, packing: &Packing, powers: Powers, short: bool) -> Option<FheParameters> {
        self.correct(packing, powers, short).filter(|found| found.bits() <= most_bits(found.log_n))
    }

    /// What is correct for these powers, secure or not.
    fn correct(&self, packing: &Packing, powers: Powers, short: bool) -> Option<FheParameters> {
        let (partitions, plain) = self.partitions(packing, powers.degree())?;
        let Variant { partitioning, flooding, .. } = self.variant;
        // Two parts come without relinearisation where there are no high powers; floods are for two.
        let linear = powers.high == 0;
        let refused = (short && linear)
            || (flooding && !short && !linear)
            || (!partitioning && partitions > 1);
        if refused {
            return None;
        }
        let model = Model { log_n: packing.log_n, plain: f64::from(plain) };
        let keyed = powers.computed() || short;
        let parts = if short || linear { 2 } else { 3 };
        let depth = powers.depth();
        let digits = DIGITS + depth.saturating_sub(1) as usize;
        let excess = excess(model, digits);
        let (power, dropped) = multiplied(model, depth, digits, excess);
        if dropped.iter().any(|bits| f64::from(*bits) > MOST_PRIME) {
            return None;
        }
        let mut total = evaluated(power, powers);
        if short {
            total = total.relinearised(digits, excess);
        }
        let polynomials = 1 + label_polynomials(self.label, packing.felts, plain);
        let answers = (packing.locations * partitions * polynomials) as f64;
        let flood = flooding.then(|| flood_bits(total, answers * f64::from(1 << packing.log_n)));
        let total = flood.map_or(total, |bits| total.flooded(bits));
        let rounding = model.rounding(parts);
        let least = packing.log_n + DENSE;
        let mut primes =
            split(total.modulus_bits().ceil(), (rounding.modulus_bits() + 2.0).ceil(), least)?;
        let working = primes.len();
        primes.extend(dropped.into_iter().rev());
        let largest = primes.iter().max().filter(|_| keyed);
        let special = largest.map(|largest| largest.saturating_sub(excess).max(least));
        let last = primes[1..working].iter().sum::<u32>();
        let cut = Truncation::new(model, total.switched(f64::from(last), parts), parts, primes[0]);
        let mut parameters = FheParameters {
            sizes: self.sizes,
            variant: self.variant,
            label: self.label,
            table: packing.table,
            felts: packing.felts,
            bins_a_ciphertext: packing.bins_a_ciphertext,
            locations: packing.locations,
            partitions,
            powers,
            log_n: packing.log_n,
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

    /// The fewest partitions of polynomials of this degree where all items find places, and the bits of t.
    fn partitions(&self, packing: &Packing, degree: usize) -> Option<(usize, u32)> {
        let full = packing.load.div_ceil(degree).max(1);
        (0..MOST_SPARE).find_map(|spare| {
            let plain = self.plain(packing, degree, full + spare)?;
            let placed =
                self.label == 0 || self.log_no_place(packing, plain, spare) <= -self.key_bits;
            placed.then_some((full + spare, plain))
        })
    }

    /// log₂ of a bound on the probability that some item shares parts with `spare` + 1 others of its bin.
    fn log_no_place(&self, packing: &Packing, plain: u32, spare: usize) -> f64 {
        let functions = if self.variant.hashing { self.functions } else { self.sizes.receiver };
        let places = (functions * self.sizes.sender) as f64;
        // t has `plain` bits.
        let shared = packing.felts as f64 / exp2(f64::from(plain - 1));
        let another = |k: usize| packing.load.saturating_sub(k) as f64 * shared / k as f64;
        let more = (1..=spare + 1).map(another).collect::<Vec<_>>();
        if more.contains(&0.0) {
            return f64::NEG_INFINITY;
        }
        log2(places.max(1.0)) + more.into_iter().map(log2).sum::<f64>()
    }

    /// The fewest bits of t that keep false matches rare.
    fn plain(&self, packing: &Packing, degree: usize, partitions: usize) -> Option<u32> {
        let tests = (self.sizes.receiver * partitions) as f64;
        // With so many candidates the largest prime of b bits is above 2^(b − 1/8); otherwise it has b bits, no more.
        let needed = match self.variant.items {
            Items::OfFunction => {
                let each = (self.bits + log2(tests.max(1.0))) / packing.felts as f64 + 0.125;
                log2(degree as f64) + each
            }
            Items::OfBits(bits) => {
                let bins = if self.variant.hashing { packing.table.each } else { 1 };
                log2(string_parts(bits, bins) as f64 + 2.0) + 0.125
            }
        };
        let bits = needed.ceil() as u32;
        let bits = if bits < packing.log_n + DENSE { bits + 1 } else { bits };
        let mut bits = bits.max(packing.log_n + ABOVE_DEGREE);
        while packing.missing.contains(&bits) {
            bits += 1;
        }
        (bits <= MOST_PLAIN).then_some(bits)
    }
}

fn word_bits(plain: u32) -> usize {
    plain as usize - 1
}

/// Polynomials that hold labels of `label` bytes, where items have `felts` slots.
fn label_polynomials(label: usize, felts: usize, plain: u32) -> usize {
    (8 * label).div_ceil(felts * word_bits(plain))
}

/// Bits of the prime that powers lose after a product: they bring its noise down to where rounding holds it up.
fn dropped(model: Model, product: Noise) -> u32 {
    let excess = product.log_deviation() - model.rounding(2).log_deviation();
    (excess.ceil() as u32).max(model.log_n + ABOVE_DEGREE)
}

/// By how many bits primes may be larger than the special one: what that adds stays two bits below the noise of a product of fresh
/// ciphertexts, which is the least that is relinearised.
fn excess(model: Model, digits: usize) -> u32 {
    let product = model.fresh().times(model.fresh(), 1);
    let least = model.relinearisation(digits, 0);
    (product.log_deviation() - least.log_deviation() - 2.0).max(0.0) as u32
}

/// By how many bits more than [`dropped`] powers come down where products follow products.
///
/// The embedding of noise is nearly normal, so at one of its n places the square is 50 times its mean with probability n·2^-72. A product
/// squares it there, and the next product again, while the mean of what rounding adds stays. With 2^g less of the first, a place that has x
/// times the mean has at most (x/(√2·2^g) + √50)² times that after the next product: 60 at most for g = 6, however many products follow.
const SPREAD: u32 = 6;

/// The noise of powers after so many products, one after the other, each relinearised, and the bits that each loses.
fn multiplied(model: Model, depth: u32, digits: usize, excess: u32) -> (Noise, Vec<u32>) {
    let (mut power, mut bits) = (model.fresh(), Vec::new());
    for _ in 0..depth {
        let product = power.times(power, 1);
        let lost = dropped(model, product) + if depth > 1 { SPREAD } else { 0 };
        power = product.relinearised(digits, excess).switched(f64::from(lost), 2);
        bits.push(lost);
    }
    (power, bits)
}

/// The noise of an evaluation, of powers with this noise.
fn evaluated(power: Noise, powers: Powers) -> Noise {
    let inner = power.times_plain(powers.low);
    match powers.high {
        0 => inner,
        high => inner.times(power, high).plus(inner),
    }
}

/// `total` bits as primes of nearly one size; the first has at least `first`, the others `least`.
fn split(total: f64, first: f64, least: u32) -> Option<Vec<u32>> {
    if first > MOST_PRIME {
        return None;
    }
    let count = (total / MOST_PRIME).ceil();
    let mut primes = vec![(total / count).ceil().max(first) as u32];
    for left in (1..count as u32).rev() {
        let rest = (total as u32).saturating_sub(primes.iter().sum());
        primes.push(rest.div_ceil(left).max(least));
    }
    Some(primes)
}

/// Seconds of a query: products with plaintexts, powers, and what becomes of the answers.
fn seconds(parameters: &FheParameters) -> f64 {
    let n = parameters.slots() as f64;
    let transform = n * f64::from(parameters.log_n) / 2.0 * BUTTERFLY;
    let (levels, working) = (parameters.primes.len() as f64, parameters.working as f64);
    let (locations, answers) = (parameters.locations as f64, parameters.answers() as f64);
    let Powers { low, high, .. } = parameters.powers;
    let depth = parameters.powers.depth();
    let fresh = locations * parameters.powers.sent_count() as f64;
    // Each digit goes to all primes, and two sums are divided.
    let relinearisation =
        |levels: f64| (levels * (levels + 1.0) + 2.0 * (levels + 1.0)) * transform;
    let powers = (1..=depth).map(|depth| {
        let levels = levels - f64::from(depth - 1);
        let products = locations * parameters.powers.products(depth) as f64;
        products * relinearisation(levels)
            + locations * (low + high) as f64 * 2.0 * levels * transform
    });
    let powers: f64 = powers.sum();
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
    use crate::catalogue::fhe::Windowing;

    fn sizes(sender: usize, receiver: usize) -> FheSizes {
        FheSizes { sender, receiver, slack: 0 }
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
            let parameters =
                FheParameters::best(sizes, Variant::default()).expect("there are some");
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
    fn labelled_items_have_room() {
        for (sender, receiver) in [(1, 1), (1 << 16, 1), (1 << 20, 1), (1 << 20, 1024)] {
            let best = |label| {
                let sizes = sizes(sender, receiver);
                let best = FheParameters::best_with_labels(sizes, Variant::default(), label);
                best.expect("there are some")
            };
            for label in [1, 16, 200] {
                let parameters = best(label);
                let t = parameters.ring().expect("secure, and with primes").parameters().t();
                assert!(t >> parameters.word_bits() > 0, "every word is below t");
                assert!(parameters.words() * parameters.word_bits() >= 8 * label);
                // Sets of s + 1 other items of its bin that share a part with an item, summed over all places.
                let degree = parameters.powers.degree();
                let load = bin_capacity(sender, parameters.table.each, FAILURE / 4.0 + 2.0);
                let spare = parameters.partitions - load.div_ceil(degree);
                let subsets: f64 = (0..=spare)
                    .map(|k| load.saturating_sub(k + 1) as f64 / (k + 1) as f64)
                    .product();
                let share = (parameters.felts as f64 / t as f64).powi(spare as i32 + 1);
                let fails = 3.0 * sender as f64 * subsets * share;
                assert!(fails <= (-FAILURE / 4.0).exp2(), "{sender} {receiver} {label}: {fails}");
            }
        }
    }

    #[test]
    fn the_search_passes_over_nothing_better() {
        let variant = Variant::default();
        for (sender, receiver) in [(1, 1), (700, 20), (1 << 16, 1 << 16), (1 << 20, 5535)] {
            let search = Search::new(sizes(sender, receiver), variant, 0);
            let packings = [12, 13, 14]
                .into_iter()
                .flat_map(|log_n| (1..=8).map(move |felts| (log_n, felts)))
                .filter_map(|(log_n, felts)| search.packing(log_n, felts));
            let mut least = f64::INFINITY;
            for packing in packings {
                for powers in Powers::tried(Windowing::Stamps, packing.load.max(1)) {
                    for short in [false, true] {
                        let found = search.candidate(&packing, powers, short);
                        let Some(price) = found.map(|found| found.price()) else { continue };
                        let bound = search.least_price(&packing, powers).expect("few bits");
                        assert!(bound <= price, "{sender} {receiver} {powers:?}: {bound} {price}");
                        least = least.min(price);
                    }
                }
            }
            let best =
                FheParameters::best(sizes(sender, receiver), variant).expect("there are some");
            assert!(best.price() <= least, "{sender} {receiver}: {} {least}", best.price());
        }
    }

    #[test]
    fn there_are_primes_for_every_size() {
        for (log, receiver) in (0..=26).flat_map(|log| [1, 64, 1024, 1 << log].map(|r| (log, r))) {
            for flooding in [false, true] {
                let variant = Variant { flooding, ..Variant::default() };
                let found = FheParameters::best(sizes(1 << log, receiver), variant);
                let FheParameters { log_n, plain, primes, special, .. } =
                    found.expect("there are some");
                let found = veilset_bfv::BfvParameters::new(log_n, plain, &primes, special);
                assert!(found.is_ok(), "2^{log} {receiver}: {found:?}");
            }
        }
    }

    #[test]
    fn a_million_elements_take_few_bytes_and_a_larger_set_hardly_more() {
        let bytes = |sender, receiver| {
            let best = FheParameters::best(sizes(sender, receiver), Variant::default());
            best.expect("there are some").bytes()
        };
        assert!(bytes(1 << 20, 1024) < 2_600_000, "{}", bytes(1 << 20, 1024));
        assert!(bytes(1 << 20, 5535) < 5_000_000, "{}", bytes(1 << 20, 5535));
        assert!(bytes(1 << 24, 1024) < 8 * bytes(1 << 20, 1024));
    }
}
