//! What of a list tells later how much another list differs from it, and nothing else: a sum and a sketch, both keyed.
//!
//! The sketch is that of Alon, Matias and Szegedy: 128 counters, to each of which every key adds 1 or −1 by a bit of a block cipher. Of two
//! lists the counters differ by sums of as many signs as there are keys in one list and not in the other, d, so that the mean of the
//! squares has expectation d, and a standard deviation of d·√(2/128), an eighth of d. Counters are kept modulo 2^8: a difference of
//! 1,000 keys makes sums of 32 as a rule, and of 128 once in 10^4, and those of larger ones look like differences of 5,000.

use aes::Aes128Enc;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use zeroize::Zeroizing;

/// Counters, a bit of a block each.
const COUNTERS: usize = 128;

/// Keys that are encrypted at a time, so that the cipher's instructions overlap.
const KEYS_AT_A_TIME: usize = 64;

/// Three standard deviations of an estimate, as a part of it.
const THREE_DEVIATIONS: f64 = 0.375;

/// The largest difference that a rule can ask for: above it counters run over.
pub(crate) const MOST_DIFFERENCE: u64 = 1000;

/// The secret that keeps lists from whoever reads the ledger.
pub(crate) struct SketchKey(Zeroizing<[u8; 32]>);

/// What the ledger has of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sketch {
    /// How many keys there are.
    pub(crate) keys: u64,
    /// The sum of their numbers, modulo 2^128: the same for the same keys in whatever order, and for others but for 2^-128.
    pub(crate) sum: u128,
    pub(crate) counters: [u8; COUNTERS],
}

impl SketchKey {
    pub(crate) fn new(secret: Zeroizing<[u8; 32]>) -> Self {
        Self(secret)
    }

    /// The sketch of the list of keys with these digests, none of which comes twice.
    pub(crate) fn sketch(&self, digests: &[[u8; 32]]) -> Sketch {
        let (signs, numbers) = self.0.split_at(16);
        let cipher = |key: &[u8]| {
            let key: [u8; 16] = key.try_into().expect("half of 32 bytes");
            Aes128Enc::new(&key.into())
        };
        let (signs, numbers) = (cipher(signs), cipher(numbers));
        let (mut ones, mut sum) = (Ones::default(), 0u128);
        for keys in digests.chunks(KEYS_AT_A_TIME) {
            let mut blocks = Zeroizing::new([[[0u8; 16]; KEYS_AT_A_TIME]; 2]);
            for (place, digest) in keys.iter().enumerate() {
                let half = digest[..16].try_into().expect("half of 32 bytes");
                blocks.iter_mut().for_each(|blocks| blocks[place] = half);
            }
            for (cipher, blocks) in [&signs, &numbers].into_iter().zip(blocks.iter_mut()) {
                blocks.iter_mut().take(keys.len()).for_each(|block| {
                    cipher.encrypt_block(block.into());
                });
            }
            let [signs, numbers] = &*blocks;
            signs.iter().take(keys.len()).for_each(|block| ones.add(u128::from_le_bytes(*block)));
            numbers
                .iter()
                .take(keys.len())
                .for_each(|block| sum = sum.wrapping_add(u128::from_le_bytes(*block)));
        }
        let keys = digests.len() as u64;
        Sketch { keys, sum, counters: ones.counters(keys) }
    }
}

/// How often each bit was 1, the bits of the counts side by side: the lowest of all first.
#[derive(Default)]
struct Ones(Vec<u128>);

impl Ones {
    fn add(&mut self, bits: u128) {
        let mut carry = bits;
        for plane in &mut self.0 {
            (*plane, carry) = (*plane ^ carry, *plane & carry);
            if carry == 0 {
                return;
            }
        }
        self.0.push(carry);
    }

    /// As many ones as there are, less the zeros, modulo 2^8.
    fn counters(&self, keys: u64) -> [u8; COUNTERS] {
        std::array::from_fn(|bit| {
            let planes = (0..).zip(&self.0);
            let ones: u64 =
                planes.map(|(weight, plane)| (((plane >> bit) & 1) as u64) << weight).sum();
            (2 * ones).wrapping_sub(keys) as u8
        })
    }
}

/// Of a list without keys.
impl Default for Sketch {
    fn default() -> Self {
        Self { keys: 0, sum: 0, counters: [0; COUNTERS] }
    }
}

impl Sketch {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = [&self.keys.to_le_bytes()[..], &self.sum.to_le_bytes()].concat();
        bytes.extend(self.counters);
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (keys, rest) = bytes.split_first_chunk()?;
        let (sum, rest) = rest.split_first_chunk()?;
        let counters = rest.try_into().ok()?;
        Some(Self { keys: u64::from_le_bytes(*keys), sum: u128::from_le_bytes(*sum), counters })
    }

    /// As a text: lists with the same keys have the same, and others another.
    pub(crate) fn written(&self) -> String {
        BASE64_STANDARD_NO_PAD.encode(self.to_bytes())
    }

    pub(crate) fn read(text: &str) -> Option<Self> {
        Self::from_bytes(&BASE64_STANDARD_NO_PAD.decode(text).ok()?)
    }

    /// Whether the lists may differ by fewer keys than this. They do not where this says no, but once in 300 times; where it says yes,
    /// they may differ by up to 2.2 times as many.
    pub(crate) fn may_differ_by_less(&self, other: &Self, least: u64) -> bool {
        // As many keys are in one list alone, at least.
        self.keys.abs_diff(other.keys) < least
            && self.difference(other) < least as f64 * (1.0 + THREE_DEVIATIONS)
    }

    /// About how many keys one list has and the other has not.
    fn difference(&self, other: &Self) -> f64 {
        let squares = self.counters.iter().zip(&other.counters).map(|(one, other)| {
            let difference = f64::from(one.wrapping_sub(*other) as i8);
            difference * difference
        });
        squares.sum::<f64>() / COUNTERS as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> SketchKey {
        SketchKey::new(Zeroizing::new([byte; 32]))
    }

    fn digests(numbers: std::ops::Range<u32>) -> Vec<[u8; 32]> {
        numbers.map(|number| *blake3::hash(&number.to_le_bytes()).as_bytes()).collect()
    }

    #[test]
    fn the_order_does_not_matter_and_each_key_does() {
        let mut list = digests(0..1000);
        let sketch = key(1).sketch(&list);
        list.reverse();
        assert_eq!(key(1).sketch(&list), sketch);
        assert_ne!(key(2).sketch(&list).sum, sketch.sum);
        list[500] = [9; 32];
        assert_ne!(key(1).sketch(&list).sum, sketch.sum);
        assert_eq!(key(1).sketch(&[]).counters, [0; COUNTERS]);
        assert_eq!(Sketch::read(&sketch.written()), Some(sketch.clone()));
        assert_eq!(Sketch::read("AAAA"), None);
        // By counting each sign.
        let cipher = Aes128Enc::new(&[1; 16].into());
        let mut counters = [0i32; COUNTERS];
        for digest in digests(0..1000) {
            let mut block = <[u8; 16]>::try_from(&digest[..16]).expect("half");
            cipher.encrypt_block((&mut block).into());
            let bits = u128::from_le_bytes(block);
            for (bit, counter) in counters.iter_mut().enumerate() {
                *counter += if (bits >> bit) & 1 == 1 { 1 } else { -1 };
            }
        }
        assert_eq!(sketch.counters, counters.map(|counter| counter as u8));
    }

    #[test]
    fn a_difference_is_found_within_the_stated_error() {
        let (mut close, mut far) = (0, 0);
        const TIMES: u32 = 200;
        for seed in 0..TIMES {
            let key = key(seed as u8);
            let list = key.sketch(&digests(0..5000));
            // 49 keys are in one list alone, or 110 are.
            close += u32::from(list.may_differ_by_less(&key.sketch(&digests(24..5025)), 50));
            far += u32::from(list.may_differ_by_less(&key.sketch(&digests(55..5055)), 50));
            assert!(list.may_differ_by_less(&list, 1));
            assert!(!list.may_differ_by_less(&key.sketch(&digests(0..5050)), 50), "50 more");
            // A larger difference does not look like a small one where counters run over.
            let other = key.sketch(&digests(2500 * (seed % 3 + 1)..5000 + 2500 * (seed % 3 + 1)));
            assert!(!list.may_differ_by_less(&other, MOST_DIFFERENCE));
        }
        assert!(close >= TIMES - 3, "{close}");
        assert!(far <= 3, "{far}");
    }
}
