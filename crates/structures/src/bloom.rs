//! Bloom filters: a set as bits, in which order and insertion leave no trace.

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use crate::sizes::LAMBDA;

/// Values that one task takes.
const VALUES_A_TASK: usize = 64;

/// The most hash functions that any number of queries asks for.
const MOST: usize = (LAMBDA + usize::BITS) as usize;

/// A Bloom filter whose size follows from how many values it holds and how seldom a query may be answered wrongly.
///
/// With s hash functions and m = n·s / ln 2 bits, half of the bits are set, and a value that was not inserted finds all
/// of its s bits set with probability 2^-s (Bloom 1970). Values here are at least 64 pseudorandom bits; the places of
/// a value are the output of BLAKE3 on it.
pub struct BloomFilter {
    shape: BloomShape,
    bits: Vec<u8>,
}

/// What both sides know of a filter beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BloomShape {
    /// How many values it holds.
    pub count: usize,
    /// A query is answered wrongly with probability 2^-security; at most 104.
    pub security: u32,
}

impl BloomShape {
    /// Bytes of the filter: 1.4427 · security bits for each value.
    #[must_use]
    pub fn len(self) -> usize {
        let bits = self.count as f64 * f64::from(self.security) / std::f64::consts::LN_2;
        (bits / 8.0).ceil() as usize
    }

    /// Whether the filter has no bits, since it holds nothing.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The places of a value's bits.
    fn places(self, value: u128) -> impl Iterator<Item = usize> + use<> {
        let (count, mut words) = (self.security as usize, [[0; 8]; MOST]);
        // All at once, since the function makes several blocks at the same time.
        let bytes = words[..count].as_flattened_mut();
        blake3::Hasher::new().update(&value.to_le_bytes()).finalize_xof().fill(bytes);
        let range = self.len() as u128 * 8;
        // Uniform up to range / 2^64.
        let place = move |word| ((u128::from(u64::from_le_bytes(word)) * range) >> 64) as usize;
        words.into_iter().take(count).map(place)
    }
}

impl BloomFilter {
    /// The filter of `values`; there are as many as the shape says. Made on the threads of the caller's rayon pool.
    #[must_use]
    pub fn new(shape: BloomShape, values: &[u128]) -> Self {
        let bits: Vec<AtomicU8> = (0..shape.len()).map(|_| AtomicU8::new(0)).collect();
        values.par_iter().with_min_len(VALUES_A_TASK).for_each(|value| {
            for place in shape.places(*value) {
                bits[place / 8].fetch_or(1 << (place % 8), Relaxed);
            }
        });
        Self { shape, bits: bits.into_iter().map(AtomicU8::into_inner).collect() }
    }

    /// The filter that these bytes are; `None` if they are not as long as the shape says.
    #[must_use]
    pub fn from_bytes(shape: BloomShape, bits: Vec<u8>) -> Option<Self> {
        (bits.len() == shape.len()).then_some(Self { shape, bits })
    }

    /// The filter's bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bits
    }

    /// Whether `value` is in the set, or the filter errs. Takes the same steps for both answers.
    #[must_use]
    pub fn contains(&self, value: u128) -> bool {
        !self.shape.is_empty()
            && self
                .shape
                .places(value)
                .fold(true, |all, place| all & (self.bits[place / 8] >> (place % 8) & 1 == 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(index: u128) -> u128 {
        let digest = blake3::hash(&index.to_be_bytes());
        u128::from_le_bytes(std::array::from_fn(|byte| digest.as_bytes()[byte]))
    }

    #[test]
    fn holds_all_values_and_errs_as_often_as_said() {
        let shape = BloomShape { count: 1000, security: 8 };
        let values: Vec<u128> = (0..1000).map(value).collect();
        let filter = BloomFilter::new(shape, &values);
        assert!(values.iter().all(|value| filter.contains(*value)));
        let wrong = (1000..101_000).filter(|index| filter.contains(value(*index))).count();
        // 100 000 / 2^8 = 391, with a standard deviation of 20.
        assert!((290..=490).contains(&wrong), "{wrong}");
    }

    #[test]
    fn says_nothing_about_order_and_survives_the_wire() {
        let shape = BloomShape { count: 3, security: 60 };
        let one = BloomFilter::new(shape, &[1, 2, 3]);
        let other = BloomFilter::new(shape, &[3, 1, 2]);
        assert_eq!(one.as_bytes(), other.as_bytes());
        assert_eq!(shape.len(), 33);
        let back = BloomFilter::from_bytes(shape, one.as_bytes().to_vec()).expect("its length");
        assert!(back.contains(2) && !back.contains(4));
        assert!(BloomFilter::from_bytes(shape, vec![0; 32]).is_none());
    }

    #[test]
    fn an_empty_filter_holds_nothing() {
        let shape = BloomShape { count: 0, security: 60 };
        assert!(!BloomFilter::new(shape, &[]).contains(7));
    }
}
