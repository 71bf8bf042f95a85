//! From all strings to the integers below a modulus: cycle walking (Black and Rogaway, "Ciphers with arbitrary finite
//! domains", 2002, section 3).

use rayon::prelude::*;
use zeroize::Zeroizing;

use super::StringPermutation;

/// Values of a task.
const VALUES_A_TASK: usize = 1024;

/// A permutation of the integers below a modulus p, as little-endian strings of `BYTES` bytes.
///
/// The string is permuted again and again until it is below p. On the cycle of the string permutation through a value below
/// p that is the next such value, so the whole is a permutation, and its inverse walks the other way round. If the string
/// permutation is uniform, so is this one: the cycles with the strings from p on taken out are those of a uniform
/// permutation of the others.
///
/// # Steps, and time
///
/// The images of a uniform permutation are below p with probability p/2^w, for w = 8·`BYTES`, so that 2^w/p steps are
/// expected: 2 for p = 2^255 − 19 and 256 bits, and 1 + 2^-64 for the ffdhe2048 prime and 2048 bits.
///
/// The steps that one value takes are a function of it, which the peer can compute for a guess. Their sum over a batch
/// would be told by the time. So batches are filled up with steps on a string that nobody needs, to as many as a batch of
/// that length takes but for 2^-29: with r = 1 − p/2^w the steps after the first are n·r/(1 − r) on average with a standard
/// deviation of √(n·r)/(1 − r), of which there are six, and 64 more groups of steps, since a walk that goes on alone takes
/// a group for each step. To find a value whose walk is longer than that, a peer would have to try 2^64 for r = 1/2.
/// What remains is the order of memory accesses, which a peer across a network does not see.
pub struct FieldPermutation<P, const BYTES: usize> {
    pub(super) strings: P,
    modulus: [u8; BYTES],
    /// r
    outside: f64,
}

/// Shares of strings from p on below which nothing is filled up, for no walk has a second step.
const NEVER: f64 = 1.0 / (1u64 << 40) as f64;

impl<P: StringPermutation<BYTES>, const BYTES: usize> FieldPermutation<P, BYTES> {
    /// # Panics
    /// When the modulus, little-endian, is below 2^(w−1) − 2^(w−8): few strings would be below it.
    #[must_use]
    pub fn new(strings: P, modulus: [u8; BYTES]) -> Self {
        assert!(modulus[BYTES - 1] >= 0x7f, "half of all strings are below the modulus");
        let top = modulus.last_chunk().expect("8 bytes");
        let outside = u64::MAX - u64::from_le_bytes(*top);
        Self { strings, modulus, outside: (outside as f64 + 1.0) / 2f64.powi(64) }
    }

    /// Replaces each value by Π(value).
    ///
    /// # Panics
    /// When a value is not below the modulus.
    pub fn apply(&self, values: &mut [[u8; BYTES]]) {
        self.walk(values, |strings| self.strings.apply(strings));
    }

    /// Replaces each value by the one of which it is the image.
    ///
    /// # Panics
    /// As [`apply`](Self::apply).
    pub fn invert(&self, values: &mut [[u8; BYTES]]) {
        self.walk(values, |strings| self.strings.invert(strings));
    }

    fn walk(&self, values: &mut [[u8; BYTES]], step: impl Fn(&mut [[u8; BYTES]]) + Sync) {
        assert!(values.iter().all(|value| self.is_below(value)), "values are below the modulus");
        values.par_chunks_mut(VALUES_A_TASK).for_each(|values| {
            step(values);
            let spent = self.walk_on(values, &step);
            let left = self.further_steps(values.len()).saturating_sub(spent);
            let mut nobodys = Zeroizing::new(vec![self.modulus; left]);
            step(&mut nobodys);
        });
    }

    /// Goes on with those that are not below the modulus, and says how many steps that took.
    fn walk_on(&self, values: &mut [[u8; BYTES]], step: impl Fn(&mut [[u8; BYTES]])) -> usize {
        let mut spent = 0;
        let is_outside = |values: &[[u8; BYTES]], place: &usize| !self.is_below(&values[*place]);
        let mut places: Vec<usize> =
            (0..values.len()).filter(|place| is_outside(values, place)).collect();
        while !places.is_empty() {
            let mut strings: Zeroizing<Vec<_>> =
                Zeroizing::new(places.iter().map(|place| values[*place]).collect());
            step(&mut strings);
            spent += strings.len().next_multiple_of(P::GROUP);
            for (place, string) in places.iter().zip(strings.iter()) {
                values[*place] = *string;
            }
            places.retain(|place| is_outside(values, place));
        }
        spent
    }

    /// Steps of a batch after the first of each value.
    pub(super) fn further_steps(&self, count: usize) -> usize {
        if count == 0 || self.outside < NEVER {
            return 0;
        }
        let inside = 1.0 - self.outside;
        let expected = count as f64 * self.outside / inside;
        let deviation = (count as f64 * self.outside).sqrt() / inside;
        (expected + 6.0 * deviation) as usize + 64 * P::GROUP
    }

    /// In a time that does not depend on the value.
    fn is_below(&self, value: &[u8; BYTES]) -> bool {
        let borrow = value.as_chunks().0.iter().zip(self.modulus.as_chunks().0).fold(
            0,
            |borrow, (value, modulus)| {
                let value = u128::from(u64::from_le_bytes(*value));
                let modulus = u128::from(u64::from_le_bytes(*modulus));
                value.wrapping_sub(modulus).wrapping_sub(borrow) >> 127
            },
        );
        borrow == 1
    }
}
