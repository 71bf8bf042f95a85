//! The Bloom filter: bit h1 + i·h2 for each of its functions i, modulo the number of bits, with SHA-256 of "1" or "2" and the point as h1 and h2.
//!
//! # More false positives than asked for
//!
//! The number m of bits is a multiple of 8, so h2 may have a large divisor in common with it: then the k functions have few places. There are
//! φ(t) of the m values of h2 with t places, for each t that divides m, and half of all bits are set. So an item is a false positive
//! with probability Σ φ(t)/m·2^-t over t = 1, 2, 4, 8, about 0.89/m, however many functions there are. As m = n·log₂(c/p)/ln 2 for a rate p, c items
//! of the client and the larger number n of both, one of the c items is with probability 0.62·c/(n·log₂(c/p)): one request in seventy for
//! p = 10^-9 and n = c = 10^4. The form leaves no way out but a longer filter.

use sha2::{Digest, Sha256};
use veilset_crypto::Sec1;

use super::error::{Kind, OpenMinedError, Why};
use super::gcs::modulo;
use super::wire::Fields;

/// The most functions of a filter: those of the smallest rate that a number in floating point has.
const MOST_FUNCTIONS: u32 = 1074;

/// A Bloom filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bloom {
    /// How many functions it has.
    pub(super) functions: u32,
    pub(super) bits: Vec<u8>,
}

impl Bloom {
    /// Of points, with so many false positives per item that is looked up, for the larger of both numbers of items.
    pub(super) fn build(points: &[Sec1], rate: f64, most: usize) -> Result<Self, OpenMinedError> {
        let logarithm = -rate.log2();
        let bytes = (most as f64 * logarithm / 2_f64.ln() / 8.0).ceil();
        if bytes >= super::MAX_MESSAGE as f64 {
            return Err(OpenMinedError::RateTooLow { structure: "bloom" });
        }
        let mut filter = Self { functions: logarithm.ceil() as u32, bits: vec![0; bytes as usize] };
        for point in points {
            for place in filter.places(point) {
                filter.bits[place / 8] |= 1 << (place % 8);
            }
        }
        Ok(filter)
    }

    /// Which of the points are in it.
    pub(super) fn matches(&self, points: &[Sec1]) -> Vec<usize> {
        let is_set = |place: usize| self.bits[place / 8] >> (place % 8) & 1 == 1;
        let here = |index: &usize| self.places(&points[*index]).all(is_set);
        (0..points.len()).filter(here).collect()
    }

    fn places(&self, point: &Sec1) -> impl Iterator<Item = usize> + use<> {
        let bits = 8 * self.bits.len() as u64;
        let [start, step] = [b"1", b"2"].map(|function| {
            modulo(
                &Sha256::new().chain_update(function).chain_update(point).finalize().into(),
                bits,
            )
        });
        // No sum reaches 2^64: the filter fits into memory.
        let next = move |place: &u64| Some((place + step) % bits);
        let places = std::iter::successors(Some(start), next).take(self.functions as usize);
        places.map(|place| place as usize)
    }

    /// As a setup has it.
    pub(super) fn decode(mut fields: Fields<'_>, at: usize) -> Result<Self, OpenMinedError> {
        let mut filter = Self { functions: 0, bits: Vec::new() };
        while let Some(field) = fields.next()? {
            match field.number {
                1 => {
                    let functions = u32::try_from(field.as_number()?).ok();
                    let functions = functions.filter(|functions| *functions <= MOST_FUNCTIONS);
                    filter.functions =
                        functions.ok_or(field.refused(Why::Parameter("num_hash_functions")))?;
                }
                2 => filter.bits = field.as_bytes()?.to_vec(),
                _ => {}
            }
        }
        let refused =
            |what| OpenMinedError::Malformed { kind: Kind::Setup, at, why: Why::Parameter(what) };
        if filter.functions == 0 {
            return Err(refused("num_hash_functions"));
        }
        if filter.bits.is_empty() {
            return Err(refused("number of bits"));
        }
        Ok(filter)
    }
}
