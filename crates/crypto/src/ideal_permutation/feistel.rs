//! A permutation of 2048 bits from a hash function.

use std::sync::LazyLock;

use zeroize::Zeroizing;

use super::StringPermutation;

/// Rounds, and bytes of a half.
const ROUNDS: usize = 8;
const HALF: usize = 128;

/// A balanced Feistel network of eight rounds on halves of n = 1024 bits. Round i adds to the left half the first 1024 bits
/// of keyed BLAKE3 of the right one, with a public key of its own, and exchanges them.
///
/// With independent random oracles in the rounds this is indifferentiable from a random permutation, up to O(q^8 / 2^n)
/// after q queries (Dai and Steinberger, "Indifferentiability of 8-round Feistel networks", CRYPTO 2016), so that proofs
/// with an ideal permutation hold for it. With q = 2^100 that is 2^-224 times the theorem's constant. On halves of 128
/// bits the bound would say nothing beyond 2^16 queries.
///
/// Assumed is that BLAKE3 with eight keys that are derived from a text is eight independent random oracles. A block cipher
/// in a mode such as CBC would not do: with a public key anybody sees that the first blocks of the output depend on the
/// first blocks of the input alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Feistel2048;

/// The keys of the rounds.
static KEYS: LazyLock<[[u8; 32]; ROUNDS]> = LazyLock::new(|| {
    const CONTEXT: &str = "veilset v1 ideal permutation of 2048 bits";
    let mut keys = [[0; 32]; ROUNDS];
    let mut output = blake3::Hasher::new_derive_key(CONTEXT).finalize_xof();
    output.fill(keys.as_flattened_mut());
    keys
});

impl StringPermutation<{ 2 * HALF }> for Feistel2048 {
    const GROUP: usize = 1;

    fn apply(&self, strings: &mut [[u8; 2 * HALF]]) {
        for string in strings {
            let (left, right) = string.split_at_mut(HALF);
            for key in &*KEYS {
                add_round(key, left, right);
                left.swap_with_slice(right);
            }
        }
    }

    fn invert(&self, strings: &mut [[u8; 2 * HALF]]) {
        for string in strings {
            let (left, right) = string.split_at_mut(HALF);
            for key in KEYS.iter().rev() {
                left.swap_with_slice(right);
                add_round(key, left, right);
            }
        }
    }
}

fn add_round(key: &[u8; 32], left: &mut [u8], right: &[u8]) {
    let mut output = Zeroizing::new([0; HALF]);
    blake3::Hasher::new_keyed(key).update(right).finalize_xof().fill(&mut *output);
    left.iter_mut().zip(output.iter()).for_each(|(left, output)| *left ^= output);
}
