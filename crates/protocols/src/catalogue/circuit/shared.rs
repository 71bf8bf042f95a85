//! Which of one side's bins hold an element that the other side has, too, as shares of a bit for each bin, and of what the other side
//! lends of it.

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_channel::ChannelExt;
use veilset_crypto::Element;
use veilset_ot::vole::Subfield;
use veilset_structures::okvs::{OkvsShape, OkvsValue, encode};
use zeroize::Zeroizing;

use super::payload::{self, Compared, Points};
use super::sums::Table;
use crate::kit::cuckoo::{CuckooTable, insert, least_bins};
use crate::kit::gmw::{Bits, Gmw, any_bit, layers};
use crate::kit::store::{KIND, Seed, StoreSums, Width, keys, over, put_store};
use crate::kit::vole_oprf::{self, OprfTerms};
use crate::{Attached, AttachedShape, MAX_FACTOR, Means, ProtocolError, Role, Sharing};

/// Half of what may go wrong is left to cuckoo hashing, half to the comparison of values.
const BOUND: u32 = 41;

/// The most elements of a side: values have 64 bits.
pub(super) const MAX_ELEMENTS: u64 = 1 << 22;

/// Sizes of a run, and what follows from them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Elements of the side that has none in bins.
    others: usize,
    pub(super) table: CuckooTable,
    /// Bits of a value that is compared.
    pub(super) bits: u32,
    slack: u32,
}

impl Sizes {
    /// Of a run over so many elements in bins and so many others, that may fail less often by `slack` bits.
    pub(super) fn new(binned: usize, others: usize, slack: u32) -> Self {
        let functions = if binned == 1 { 1 } else { 3 };
        let bins = least_bins(3, binned, f64::from(BOUND + slack));
        let table = CuckooTable { functions, each: bins.div_ceil(functions) };
        let bits = BOUND + slack + table.bins().next_power_of_two().ilog2();
        Self { others, table, bits, slack }
    }

    /// Points of the other side: each element with each function.
    pub(super) fn points(&self) -> usize {
        self.table.functions * self.others
    }

    /// Bytes of the count with so many coins, below half of whose modulus it is, and of sums of so many columns.
    pub(super) fn widths(&self, columns: usize, coins: u32) -> Vec<usize> {
        let most = self.table.bins() + coins as usize;
        let count = (most.ilog2() + 2).div_ceil(8) as usize;
        std::iter::once(count).chain(std::iter::repeat_n(size_of::<u128>(), columns)).collect()
    }

    /// Gates of the equality test, layer by layer.
    pub(super) fn layers(&self) -> impl Iterator<Item = usize> {
        let bins = self.table.bins();
        layers(self.bits).map(move |gates| bins * gates)
    }

    /// The bins of a hashed element, one of each function.
    fn places(&self, element: &Element) -> Vec<usize> {
        let word = |at: usize| {
            let bytes = element.0[8 * at..8 * at + 8].try_into().expect("8 bytes");
            u64::from_le_bytes(bytes)
        };
        self.table.places(&[word(0), word(1), word(2)], 0).collect()
    }

    /// A random number for each bin.
    pub(super) fn random(&self, rng: &mut dyn CryptoRng) -> Zeroizing<Vec<u128>> {
        let mut numbers = Zeroizing::new(vec![0_u128; self.table.bins()]);
        for number in numbers.iter_mut() {
            let mut word = [0; 16];
            rng.fill_bytes(&mut word);
            *number = u128::from_le_bytes(word);
        }
        numbers
    }

    fn terms<'a>(&self, session: &'a [u8; 32]) -> OprfTerms<'a> {
        let evaluated = self.points().saturating_mul(1 << self.slack);
        OprfTerms::among(session, Role::Sender, self.table.bins(), evaluated)
    }

    fn store(&self) -> OkvsShape {
        OkvsShape::new(KIND, self.points())
    }
}

/// Elements that one task hashes.
const ELEMENTS_A_TASK: usize = 1024;

/// Elements as bins and points take them: 256 pseudorandom bits each.
fn hashed(session: &[u8; 32], elements: &[Element]) -> Zeroizing<Vec<Element>> {
    let key = blake3::derive_key("veilset v1 elements of a circuit", session);
    let elements = elements.par_iter().with_min_len(ELEMENTS_A_TASK);
    let hash = |element: &Element| Element(*blake3::keyed_hash(&key, &element.0).as_bytes());
    Zeroizing::new(elements.map(hash).collect())
}

/// A hashed element as it lies in a bin of this function: no two points of a set are one.
fn point(element: &Element, function: usize) -> Element {
    let mut point = Element(element.0);
    point.0[0] ^= function as u8;
    point
}

/// Which bins' elements match.
pub(super) struct Matches {
    /// The side with bins offers.
    pub(super) gmw: Gmw,
    /// This side's shares, bin by bin; of rows of several elements, row by row.
    pub(super) bits: Bits,
    /// The index of each bin's element, or of each row, on the side that has them.
    pub(super) items: Zeroizing<Vec<Option<u32>>>,
    /// This side's shares of what the other side lends of each bin's element: their exclusive or is that, as [`lent`] has it, where the
    /// element matches, and random where it does not; both are random where nothing is lent.
    pub(super) lent: Zeroizing<Vec<u64>>,
    /// This side's numbers of the other side's values, by column, of the side with bins as of the other.
    pub(super) payload: Vec<Zeroizing<Vec<u128>>>,
}

/// Where in a word that is lent the group is; below it is the factor.
const GROUP_AT: usize = 8 * MAX_FACTOR;

/// The groups in words that are lent.
pub(super) fn groups_in(words: &[u64]) -> Zeroizing<Vec<u64>> {
    Zeroizing::new(words.iter().map(|word| word >> GROUP_AT).collect())
}

/// The words of a store: a value of 64 bits, and what is lent above it, if anything is.
pub(super) fn width_of(lent: AttachedShape) -> Width {
    match lent {
        AttachedShape::Lent { .. } => Width::Wide,
        _ => Width::Narrow,
    }
}

/// What this side lends of each of its elements, one after the other: a factor of [`MAX_FACTOR`] bytes at most, and the group above it.
fn lent(attached: Attached<'_>) -> Zeroizing<Vec<u64>> {
    let Attached::Lent { words, groups, .. } = attached else { return Zeroizing::default() };
    let of = groups.map_or(&[][..], |groups| groups.of);
    let word = |place: usize| {
        let factor = words.get(place).map_or(0, |word| *word as u64) & ((1 << GROUP_AT) - 1);
        factor | of.get(place).map_or(0, |group| u64::from(*group)) << GROUP_AT
    };
    Zeroizing::new((0..words.len().max(of.len())).map(word).collect())
}

/// The halves of words: the values, and what is lent.
fn halves(words: Zeroizing<Vec<u128>>) -> [Zeroizing<Vec<u64>>; 2] {
    let half = |shift: u32| words.iter().map(|word| (word >> shift) as u64).collect();
    [0, u64::BITS].map(|shift| Zeroizing::new(half(shift)))
}

/// The step's name.
const STEP: &str = "equality test";

/// Puts elements into bins: the matches as the side with bins has them, which the other side lends this.
pub(super) fn bins(
    means: &mut Means<'_>,
    sizes: &Sizes,
    elements: &[Element],
    lent: AttachedShape,
) -> Result<Matches, ProtocolError> {
    means.observer.begin("cuckoo hashing", 1);
    let elements = hashed(means.session, elements);
    let places = elements.iter().map(|element| sizes.places(element));
    let places: Zeroizing<Vec<Vec<usize>>> = Zeroizing::new(places.collect());
    let items = insert(sizes.table, &places).ok_or(ProtocolError::Overfull)?;
    let items = Zeroizing::new(items);
    drop(places);
    let mut filled = Zeroizing::new(Vec::with_capacity(items.len()));
    for (bin, item) in items.iter().enumerate() {
        let mut random = Element([0; Element::LEN]);
        means.rng.fill_bytes(&mut random.0);
        let own = item.map(|item| point(&elements[item as usize], bin / sizes.table.each));
        filled.push(own.unwrap_or(random));
    }
    means.observer.advance(1);
    let keys = keys(&filled);
    let function = vole_oprf::receive(means, &sizes.terms(means.session), filled)?;
    let function = function.values_in_order();

    let columns = lent.columns();
    let masks = Compared::of(means.session, columns, &function);
    let words = over!(width_of(lent), Word => {
        looked_up::<Word>(means, sizes, &keys, &masks)?
    });
    let [values, lent] = halves(words);
    drop(masks);
    let payload = payload::take(means, sizes, &keys, &function, columns)?;
    drop((elements, keys, function));

    let mut gmw = Gmw::offering(means)?;
    let bits = equal(&mut gmw, means, sizes, &values)?;
    Ok(Matches { gmw, bits, items, lent, payload })
}

/// What the other side's store adds to these masks under these keys.
pub(super) fn looked_up<Word: Subfield + OkvsValue>(
    means: &mut Means<'_>,
    sizes: &Sizes,
    keys: &[u128],
    masks: &[u128],
) -> Result<Zeroizing<Vec<u128>>, ProtocolError> {
    means.step("programmed function", sizes.store().len());
    let Seed(seed) = means.channel.take(&())?;
    let mut words = Zeroizing::new(vec![Word::ZERO; keys.len()]);
    let mut store = StoreSums::<Word>::new();
    store.take(means, sizes.points())?;
    store.add_to(seed, keys, &mut words);
    let sums = words.iter().zip(masks).map(|(word, own)| (*word).into() ^ own);
    Ok(Zeroizing::new(sums.collect()))
}

/// The matches as the other side has them, which lends what is attached, or nothing; values that both sides share are shared so.
pub(super) fn points(
    means: &mut Means<'_>,
    sizes: &Sizes,
    elements: &[Element],
    attached: Attached<'_>,
    sharing: Sharing,
) -> Result<Matches, ProtocolError> {
    let elements = hashed(means.session, elements);
    let mut points = Zeroizing::new(Vec::with_capacity(sizes.points()));
    let mut bins = Zeroizing::new(Vec::with_capacity(sizes.points()));
    for element in &*elements {
        for (function, bin) in sizes.places(element).into_iter().enumerate() {
            points.push(point(element, function));
            bins.push(bin);
        }
    }
    drop(elements);
    let keys = keys(&points);
    let function = vole_oprf::send(means, &sizes.terms(means.session), points)?;
    let function = function.values_in_order();

    // A word for each bin; the store has it under each point there, plus the function's value and what is lent of the element.
    let targets = sizes.random(means.rng);
    let values = Table::of(attached);
    let mut programmed = Zeroizing::new(Vec::with_capacity(bins.len()));
    let masks = Compared::of(means.session, values.columns, &function);
    programmed.extend(bins.iter().zip(&*masks).map(|(bin, own)| targets[*bin] ^ own));
    drop(masks);
    for (words, lent) in programmed.chunks_mut(sizes.table.functions).zip(&*lent(attached)) {
        words.iter_mut().for_each(|word| *word ^= u128::from(*lent) << u64::BITS);
    }
    over!(width_of(attached.shape()), Word => {
        put_programmed::<Word>(means, sizes, &keys, &programmed)?;
    });
    drop(programmed);
    let points = Points { keys: &keys, bins: &bins, function: &function };
    let payload = payload::put(means, sizes, &points, values, sharing)?;
    drop((keys, bins, function));
    let [values, lent] = halves(targets);

    let mut gmw = Gmw::choosing(means)?;
    let bits = equal(&mut gmw, means, sizes, &values)?;
    Ok(Matches { gmw, bits, items: Zeroizing::default(), lent, payload })
}

/// Sends a store that has these words, as far as they go into one, under these keys.
pub(super) fn put_programmed<Word: Subfield + OkvsValue>(
    means: &mut Means<'_>,
    sizes: &Sizes,
    keys: &[u128],
    words: &[u128],
) -> Result<(), ProtocolError> {
    let mut programmed = Zeroizing::new(Vec::with_capacity(words.len()));
    programmed.extend(words.iter().map(|word| Word::truncate(*word)));
    let Seed(seed) = Seed::draw(means.rng);
    means.observer.begin("encoding", 1);
    let store = encode(&sizes.store(), seed, keys, &programmed, means.rng)?;
    let store = Zeroizing::new(store);
    means.observer.advance(1);
    means.step("programmed function", store.len());
    means.channel.put(&Seed(seed))?;
    put_store(means, &store)
}

/// This side's shares of whether each of its values is the other side's.
fn equal(
    gmw: &mut Gmw,
    means: &mut Means<'_>,
    sizes: &Sizes,
    values: &[u64],
) -> Result<Bits, ProtocolError> {
    gmw.reserve(means, sizes.layers().sum())?;
    let differ = any_bit(gmw, means, STEP, values, sizes.bits)?;
    Ok(gmw.not(differ))
}
