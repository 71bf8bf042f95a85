//! The Golomb-compressed set: hashes below a range, sorted, each as its distance from the one before.
//!
//! A distance is its quotient by 2^div in unary (zeros and a one) and its remainder in div bits, the lowest first; bits fill bytes from the lowest.

use sha2::{Digest, Sha256};
use veilset_crypto::Sec1;

use super::error::{Kind, OpenMinedError, Why};
use super::wire::Fields;

/// The most bits of a remainder: values have fewer than 63.
const MOST_BITS: u32 = 62;

/// A compressed set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gcs {
    /// Bits of a remainder.
    pub(super) div: u32,
    /// What all values are below; below 2^63.
    pub(super) range: u64,
    pub(super) bits: Vec<u8>,
}

impl Gcs {
    /// Of points, with so many false positives per item that is looked up, for the larger of both numbers of items.
    pub(super) fn build(points: &[Sec1], rate: f64, most: usize) -> Result<Self, OpenMinedError> {
        let too_low = OpenMinedError::RateTooLow { structure: "gcs" };
        let range = most as f64 / rate;
        // Beyond, the original's numbers of 64 bits end.
        if range >= 2_f64.powi(63) {
            return Err(too_low);
        }
        let range = range as u64;
        let mut values: Vec<u64> = points.iter().map(|point| value(point, range)).collect();
        values.sort_unstable();
        let div = remainder_bits(&values).ok_or(too_low)?;
        values.dedup();
        Ok(Self { div, range, bits: compress(&values, div) })
    }

    /// Which of the points are in it.
    ///
    /// # Errors
    /// When it is no set.
    pub(super) fn matches(&self, points: &[Sec1]) -> Result<Vec<usize>, Why> {
        let hashed = points.iter().enumerate();
        let mut sought: Vec<(u64, usize)> =
            hashed.map(|(index, point)| (value(point, self.range), index)).collect();
        sought.sort_unstable();
        let mut sought = sought.into_iter().peekable();
        let mut found = Vec::new();
        self.try_for_each(|value| {
            while let Some((other, index)) = sought.next_if(|(other, _)| *other <= value) {
                if other == value {
                    found.push(index);
                }
            }
        })?;
        found.sort_unstable();
        Ok(found)
    }

    /// Reads all values.
    pub(super) fn try_for_each(&self, mut each: impl FnMut(u64)) -> Result<(), Why> {
        let mut bits = Bits { bytes: &self.bits, at: 0 };
        let (mut before, mut index) = (0_u64, 0);
        while let Some(quotient) = bits.zeros() {
            let remainder = bits.number(self.div).ok_or(Why::CutSet)?;
            let refused = Why::ValueOutOfRange(index);
            let high = quotient.checked_mul(1 << self.div).ok_or(refused)?;
            let value = before.checked_add(high).and_then(|sum| sum.checked_add(remainder));
            let value = value.filter(|value| *value < self.range).ok_or(refused)?;
            if index > 0 && value == before {
                return Err(refused);
            }
            each(value);
            (before, index) = (value, index + 1);
        }
        Ok(())
    }

    /// As a setup has it.
    pub(super) fn decode(mut fields: Fields<'_>, at: usize) -> Result<Self, OpenMinedError> {
        let mut set = Self { div: 0, range: 0, bits: Vec::new() };
        while let Some(field) = fields.next()? {
            match field.number {
                1 => {
                    let div = u32::try_from(field.as_number()?).ok();
                    let div = div.filter(|div| *div <= MOST_BITS);
                    set.div = div.ok_or(field.refused(Why::Parameter("div")))?;
                }
                2 => set.range = field.as_number()?,
                3 => set.bits = field.as_bytes()?.to_vec(),
                _ => {}
            }
        }
        let refused = |why| OpenMinedError::Malformed { kind: Kind::Setup, at, why };
        if set.range == 0 || set.range >> 63 != 0 {
            return Err(refused(Why::Parameter("hash_range")));
        }
        set.try_for_each(|_| {}).map_err(refused)?;
        Ok(set)
    }
}

/// SHA-256 of a point as a big-endian number modulo the range.
fn value(point: &Sec1, range: u64) -> u64 {
    modulo(&Sha256::digest(point).into(), range)
}

/// A big-endian number modulo one below 2^63 that is not 0.
pub(super) fn modulo(number: &[u8; 32], modulus: u64) -> u64 {
    let modulus = u128::from(modulus);
    let bits = number.chunks_exact(4).fold(0, |rest: u128, word| {
        let word = word.iter().fold(0, |word, byte| word << 8 | u128::from(*byte));
        (rest << 32 | word) % modulus
    });
    // Less than the modulus.
    bits as u64
}

/// The bits of a remainder that make geometric distances short, as the original computes them; `None` where it cannot.
fn remainder_bits(sorted: &[u64]) -> Option<u32> {
    let Some(last) = sorted.last() else { return Some(0) };
    let average = (*last + 1) as f64 / sorted.len() as f64;
    let bits = -(-(1.0 - 1.0 / average).log2()).log2();
    let bits = bits.round().max(0.0);
    (bits <= f64::from(MOST_BITS)).then_some(bits as u32)
}

fn compress(rising: &[u64], div: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    let mut set = |at: usize| {
        let byte = at / 8;
        if out.len() <= byte {
            out.resize(byte + 1, 0);
        }
        out[byte] |= 1 << (at % 8);
    };
    let mut before = 0;
    for value in rising {
        let distance = value - before;
        at += (distance >> div) as usize;
        set(at);
        at += 1;
        for bit in 0..div {
            if distance >> bit & 1 == 1 {
                set(at);
            }
            at += 1;
        }
        before = *value;
    }
    out.resize(at.div_ceil(8), 0);
    out
}

/// Bits of bytes, the lowest of each first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    /// How many zeros there are before the next one, after which it goes on; `None` where there is none.
    fn zeros(&mut self) -> Option<u64> {
        let start = self.at;
        let mut byte = *self.bytes.get(start / 8)? >> (start % 8);
        if byte == 0 {
            let next = start / 8 + 1;
            let zeros = self.bytes[next..].iter().position(|byte| *byte != 0)?;
            self.at = 8 * (next + zeros);
            byte = self.bytes[next + zeros];
        }
        self.at += byte.trailing_zeros() as usize + 1;
        Some((self.at - 1 - start) as u64)
    }

    fn number(&mut self, bits: u32) -> Option<u64> {
        let end = self.at + bits as usize;
        if end > 8 * self.bytes.len() {
            return None;
        }
        let (mut number, mut got) = (0, 0);
        while got < bits {
            let shift = (self.at % 8) as u32;
            let take = (8 - shift).min(bits - got);
            let byte = u64::from(self.bytes[self.at / 8] >> shift);
            number |= (byte & ((1 << take) - 1)) << got;
            got += take;
            self.at += take as usize;
        }
        Some(number)
    }
}
