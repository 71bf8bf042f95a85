//! Elements as they enter tables and polynomials: outputs of the oblivious function, or short strings as they are.

use blake3::OutputReader;
use rayon::prelude::*;
use veilset_crypto::Element;
use zeroize::{Zeroize, Zeroizing};

use super::parameters::FheParameters;
use super::variant::Items;
use crate::kit::membership::VALUES_A_TASK;

/// An element with its places in tables.
pub(crate) struct HashedItem {
    /// x_L: its parts, below t; uniform where they are of the function.
    pub(crate) felts: Vec<u64>,
    /// Its bin for each function.
    pub(crate) places: Vec<usize>,
    /// Names it to the other side, if that has it too.
    pub(crate) name: u128,
    /// Hides its label: as many bytes as that has.
    pub(crate) pad: Vec<u8>,
}

impl Zeroize for HashedItem {
    fn zeroize(&mut self) {
        self.felts.zeroize();
        self.places.zeroize();
        self.name.zeroize();
        self.pad.zeroize();
    }
}

/// The items of elements; `points` has them under the sender's key where the function is used.
pub(crate) fn items(
    parameters: &FheParameters,
    t: u64,
    session: &[u8; 32],
    elements: &[Element],
    points: &[[u8; 32]],
) -> Zeroizing<Vec<HashedItem>> {
    match parameters.variant.items {
        Items::OfFunction => items_of_points(parameters, t, session, elements, points),
        Items::OfBits(bits) => items_of_strings(parameters, session, elements, bits),
    }
}

/// The items of elements and their points under the sender's key, for a plaintext modulus t: F_k(x) is a random oracle's
/// output at x and k·H(x) (Jarecki and Liu, SCN 2010).
fn items_of_points(
    parameters: &FheParameters,
    t: u64,
    session: &[u8; 32],
    elements: &[Element],
    points: &[[u8; 32]],
) -> Zeroizing<Vec<HashedItem>> {
    let output = blake3::derive_key("veilset v1 fhe item", session);
    let place = blake3::derive_key("veilset v1 fhe place", session);
    let pairs = elements.par_iter().zip(points).with_min_len(VALUES_A_TASK);
    let item = |(element, point): (&Element, &[u8; 32])| {
        let mut hasher = blake3::Hasher::new_keyed(&output);
        item(parameters, t, &place, hasher.update(point).update(&element.0).finalize_xof())
    };
    Zeroizing::new(pairs.map(item).collect())
}

/// The items of elements as strings of `bits` bits. Such a number x has a bin in x_R = x mod m, for the m bins of a function, and
/// x_L = ⌊x/m⌋, which is below [`string_parts`].
fn items_of_strings(
    parameters: &FheParameters,
    session: &[u8; 32],
    elements: &[Element],
    bits: u32,
) -> Zeroizing<Vec<HashedItem>> {
    let place = blake3::derive_key("veilset v1 fhe place", session);
    let name = blake3::derive_key("veilset v1 fhe name of a string", session);
    let bins = bins_of_strings(parameters) as u64;
    let item = |element: &Element| {
        let string = prefix(&element.0) & (u64::MAX >> (u64::BITS - bits));
        let felts = vec![string / bins];
        let name = blake3::keyed_hash(&name, &string.to_le_bytes());
        let (names, _) = name.as_bytes().as_chunks::<16>();
        let hashes = hashes(&place, &felts);
        let places = parameters.table.places(&hashes, (string % bins) as usize).collect();
        HashedItem { felts, places, name: u128::from_le_bytes(names[0]), pad: Vec::new() }
    };
    Zeroizing::new(elements.par_iter().with_min_len(VALUES_A_TASK).map(item).collect())
}

/// The bins among which a string chooses; one where each holds all.
fn bins_of_strings(parameters: &FheParameters) -> usize {
    if parameters.variant.hashing { parameters.table.each } else { 1 }
}

/// Of how many values one is a string's part, where the function has so many bins.
pub(crate) fn string_parts(bits: u32, bins: usize) -> u64 {
    let strings = u64::MAX >> (u64::BITS - bits);
    strings / bins as u64 + 1
}

fn prefix(bytes: &[u8; 32]) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    u64::from_le_bytes(words[0])
}

/// The items of a list whose owner masked them: `fingerprints` are what another oblivious function gives.
pub(crate) fn items_of_fingerprints(
    parameters: &FheParameters,
    t: u64,
    list: &[u8; 32],
    fingerprints: &[u128],
) -> Zeroizing<Vec<HashedItem>> {
    let output = blake3::derive_key("veilset v1 fhe item of a print", list);
    let place = blake3::derive_key("veilset v1 fhe place", list);
    let item = |fingerprint: &u128| {
        let mut hasher = blake3::Hasher::new_keyed(&output);
        item(parameters, t, &place, hasher.update(&fingerprint.to_le_bytes()).finalize_xof())
    };
    Zeroizing::new(fingerprints.par_iter().with_min_len(VALUES_A_TASK).map(item).collect())
}

/// The item that these bytes make.
fn item(
    parameters: &FheParameters,
    t: u64,
    place: &[u8; 32],
    mut output: OutputReader,
) -> HashedItem {
    let mut word = || {
        let mut bytes = [0; 8];
        output.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    };
    // Within 2^-64·t of uniform.
    let felts = (0..parameters.felts).map(|_| ((u128::from(word()) * u128::from(t)) >> 64) as u64);
    let felts: Vec<u64> = felts.collect();
    let right = parameters.table.scaled(word());
    let name = u128::from(word()) << 64 | u128::from(word());
    let mut pad = vec![0; parameters.label];
    output.fill(&mut pad);
    let places = parameters.table.places(&hashes(place, &felts), right).collect();
    HashedItem { felts, places, name, pad }
}

/// H_1, H_2 and so on of x_L.
fn hashes(key: &[u8; 32], felts: &[u64]) -> [u64; 4] {
    let mut hasher = blake3::Hasher::new_keyed(key);
    felts.iter().for_each(|felt| {
        hasher.update(&felt.to_le_bytes());
    });
    let bytes = hasher.finalize();
    let (words, _) = bytes.as_bytes().as_chunks::<8>();
    std::array::from_fn(|at| u64::from_le_bytes(words[at]))
}
