//! Which of the receiver's bins hold an element that the sender has, too, as shares of a bit for each bin.

use rayon::prelude::*;
use veilset_channel::ChannelExt;
use veilset_crypto::Element;
use veilset_ot::ExtensionParameters;
use veilset_ot::base::Base;
use veilset_ot::silent::{SilentReceiver, SilentSender};
use veilset_structures::okvs::{OkvsShape, encode};
use zeroize::Zeroizing;

use crate::kit::cuckoo::{CuckooTable, insert, least_bins};
use crate::kit::equality::{self, Bits};
use crate::kit::store::{KIND, Seed, StoreSums, keys, put_store};
use crate::kit::vole_oprf::{self, OprfTerms};
use crate::{Means, ProtocolError, Role, Security};

/// Half of what may go wrong is left to cuckoo hashing, half to the comparison of values.
const BOUND: u32 = 41;

/// The most elements of a side: values have 64 bits.
pub(super) const MAX_ELEMENTS: u64 = 1 << 22;

/// Sizes of a run, and what follows from them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    sender: usize,
    pub(super) table: CuckooTable,
    /// Bits of a value that is compared.
    pub(super) bits: u32,
    slack: u32,
}

impl Sizes {
    /// Of a run that may fail less often by `slack` bits.
    pub(super) fn new(sender: usize, receiver: usize, slack: u32) -> Self {
        let functions = if receiver == 1 { 1 } else { 3 };
        let bins = least_bins(receiver, f64::from(BOUND + slack));
        let table = CuckooTable { functions, each: bins.div_ceil(functions) };
        let bits = BOUND + slack + table.bins().next_power_of_two().ilog2();
        Self { sender, table, bits, slack }
    }

    /// Points of the sender: each element with each function.
    pub(super) fn points(&self) -> usize {
        self.table.functions * self.sender
    }

    /// The bins of a hashed element, one of each function.
    fn places(&self, element: &Element) -> Vec<usize> {
        let word = |at: usize| {
            let bytes = element.0[8 * at..8 * at + 8].try_into().expect("8 bytes");
            u64::from_le_bytes(bytes)
        };
        self.table.places(&[word(0), word(1), word(2)], 0).collect()
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

/// What both sides derive for the transfers.
pub(super) fn parameters(means: &Means<'_>) -> (Box<dyn veilset_ot::BaseOt>, ExtensionParameters) {
    let derived = |context| blake3::derive_key(context, means.session);
    let base = Base::Ristretto.of(derived("veilset v1 base transfers of a circuit"));
    let session = derived("veilset v1 silent transfers of a circuit");
    (base, ExtensionParameters::new(Security::SemiHonest.into(), session))
}

/// The receiver's shares, bin by bin, and its end of further transfers.
pub(super) fn receive(
    means: &mut Means<'_>,
    sizes: &Sizes,
    elements: &[Element],
) -> Result<(Bits, SilentReceiver), ProtocolError> {
    means.observer.begin("cuckoo hashing", 1);
    let elements = hashed(means.session, elements);
    let places: Vec<Vec<usize>> = elements.iter().map(|element| sizes.places(element)).collect();
    let bins = insert(sizes.table, &places).ok_or(ProtocolError::Overfull)?;
    drop(places);
    let mut filled = Zeroizing::new(Vec::with_capacity(bins.len()));
    for (bin, item) in bins.iter().enumerate() {
        let mut random = Element([0; Element::LEN]);
        means.rng.fill_bytes(&mut random.0);
        let own = item.map(|item| point(&elements[item as usize], bin / sizes.table.each));
        filled.push(own.unwrap_or(random));
    }
    means.observer.advance(1);
    let keys = keys(&filled);
    let function = vole_oprf::receive(means, &sizes.terms(means.session), filled)?;

    means.step("programmed function", sizes.store().len());
    let Seed(seed) = means.channel.take(&())?;
    let mut values = Zeroizing::new(vec![0_u64; keys.len()]);
    let mut store = StoreSums::<u64>::new();
    store.take(means, sizes.points())?;
    store.add_to(seed, &keys, &mut values);
    values.iter_mut().zip(&*function.values).for_each(|(value, own)| *value ^= *own as u64);

    let (base, parameters) = parameters(means);
    let mut transfers = SilentReceiver::setup(means.channel, &*base, &parameters, means.rng)?;
    let shares = equality::receive(means, &mut transfers, &values, sizes.bits)?;
    Ok((shares, transfers))
}

/// The sender's shares, and its end of further transfers.
pub(super) fn send(
    means: &mut Means<'_>,
    sizes: &Sizes,
    elements: &[Element],
) -> Result<(Bits, SilentSender), ProtocolError> {
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

    // A value for each bin; the store has it under each point there, plus the function's value.
    let mut targets = Zeroizing::new(vec![0_u64; sizes.table.bins()]);
    for target in targets.iter_mut() {
        let mut word = [0; 8];
        means.rng.fill_bytes(&mut word);
        *target = u64::from_le_bytes(word);
    }
    let programmed = bins.iter().zip(&*function.values);
    let programmed = programmed.map(|(bin, own)| targets[*bin] ^ *own as u64);
    let programmed = Zeroizing::new(programmed.collect::<Vec<u64>>());
    let Seed(seed) = Seed::draw(means.rng);
    means.observer.begin("encoding", 1);
    let store = encode(&sizes.store(), seed, &keys, &programmed, means.rng)?;
    let store = Zeroizing::new(store);
    means.observer.advance(1);
    means.step("programmed function", store.len());
    means.channel.put(&Seed(seed))?;
    put_store(means, &store)?;
    drop(store);

    let (base, parameters) = parameters(means);
    let mut transfers = SilentSender::setup(means.channel, &*base, &parameters, means.rng)?;
    let shares = equality::send(means, &mut transfers, &targets, sizes.bits)?;
    Ok((shares, transfers))
}
