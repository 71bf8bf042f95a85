//! Residues modulo a safe prime of 2048 bits: that of RFC 7919's group ffdhe2048, or one that parties choose.
//!
//! The function is on residues up to the sign, the key agreement on squares with a sign.

mod key_agreement;
mod prf;
mod prime;

use veilset_simd::bignum::batch;

pub use key_agreement::{EvenExponent, SafePrimeAgreement};
pub use prf::Ffdhe2048Prf;
pub(crate) use prf::{DST, SUITE};
pub use prime::{NotAPrime, SafePrime, SafePrimeError, check_safe_prime, generate_safe_prime};

/// Bytes of a residue.
const LEN: usize = 256;

/// A number of 2048 bits in words, least first.
type Number = [u64; 32];

type Modulus = batch::Modulus<32, 40>;
type PowerBase = batch::PowerBase<40, 32>;

/// The prime of the group ffdhe2048 (RFC 7919, appendix A.1): 2^2048 − 2^1984 + (⌊2^1918·e⌋ + 560316)·2^64 − 1.
const PRIME: &str = "ffffffffffffffffadf85458a2bb4a9aafdc5620273d3cf1d8b9c583ce2d3695a9e13641146433fb\
cc939dce249b3ef97d2fe363630c75d8f681b202aec4617ad3df1ed5d5fd65612433f51f5f066ed0856365553ded1af3b557135e7f57c935\
984f0c70e0e68b77e2a689daf3efe8721df158a136ade73530acca4f483a797abc0ab182b324fb61d108a94bb2c8e3fbb96adab760d7f468\
1d4f42a3de394df4ae56ede76372bb190b07a7c8ee0a6d709e02fce1cdf7e2ecc03404cd28342f619172fe9ce98583ff8e4f1232eef28183\
c3fe3b1b4c6fad733bb5fcbc2ec22005c58ef1837d1683b2c6f34a26c1b2effa886b423861285c97ffffffffffffffff";

/// The number of little-endian bytes.
fn number(bytes: &[u8; LEN]) -> Number {
    let (words, _) = bytes.as_chunks();
    std::array::from_fn(|word| u64::from_le_bytes(words[word]))
}

/// The little-endian bytes of a number.
fn bytes(number: &Number) -> [u8; LEN] {
    let mut bytes = [0; LEN];
    let (words, _) = bytes.as_chunks_mut();
    words.iter_mut().zip(number).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
    bytes
}
