//! Numbers of many words, for constants: least word first, in a time that depends on them but for [`bits_from`].

use crate::vector::MASK_52;

/// a·factor modulo the modulus, for a below it and a factor below 2^52.
pub(super) fn times(a: &[u64], factor: u64, modulus: &[u64]) -> Vec<u64> {
    let mut carry = 0;
    let mut product: Vec<u64> = a
        .iter()
        .map(|word| {
            let wide = u128::from(*word) * u128::from(factor) + carry;
            carry = wide >> 64;
            wide as u64
        })
        .collect();
    product.push(carry as u64);
    // Rounded down by more than what doubles lack, and so short of the quotient by at most 2^5.
    let quotient =
        (top(&product, modulus.len()) / top(modulus, modulus.len())) * (1.0 - 2f64.powi(-48));
    subtract(&mut product, modulus, quotient as u64);
    while !below(&product, modulus) {
        subtract(&mut product, modulus, 1);
    }
    product.truncate(modulus.len());
    product
}

/// A number of `len` words or more, in units of the last but one of these, from its leading words.
fn top(words: &[u64], len: usize) -> f64 {
    let leading = words[len.saturating_sub(2)..].iter().rev();
    leading.fold(0.0, |sum, word| sum * 2f64.powi(64) + *word as f64)
}

/// Takes factor·b from a, which is at least that.
pub(super) fn subtract(a: &mut [u64], b: &[u64], factor: u64) {
    let mut borrow = 0u128;
    for (index, a) in a.iter_mut().enumerate() {
        let b = b.get(index).copied().unwrap_or(0);
        let taken = u128::from(b) * u128::from(factor) + borrow;
        let (rest, under) = a.overflowing_sub(taken as u64);
        *a = rest;
        borrow = (taken >> 64) + u128::from(under);
    }
}

/// Whether a, which has at least as many words, is below b.
fn below(a: &[u64], b: &[u64]) -> bool {
    let (low, high) = a.split_at(b.len());
    high.iter().all(|word| *word == 0) && low.iter().rev().lt(b.iter().rev())
}

/// The number of bits.
pub(super) fn bits(words: &[u64]) -> u32 {
    let zeros = words.iter().rev().take_while(|word| **word == 0).count();
    let leading = words.iter().rev().nth(zeros).map_or(0, |word| word.leading_zeros());
    64 * (words.len() - zeros) as u32 - leading
}

/// `count` limbs of 52 bits.
pub(super) fn limbs(words: &[u64], count: usize) -> Vec<u64> {
    (0..count).map(|index| bits_from(words, 52 * index) & MASK_52).collect()
}

/// 64 bits of a number, from that one on.
pub(super) fn bits_from(words: &[u64], bit: usize) -> u64 {
    let word = |index: usize| words.get(index).copied().unwrap_or(0);
    let shift = bit % 64;
    // Twice, for a shift by 64 bits is none.
    word(bit / 64) >> shift | word(bit / 64 + 1) << 1 << (63 - shift)
}
