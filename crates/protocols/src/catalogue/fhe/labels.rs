//! Labels of items: bytes under a pad, in slots.
//!
//! Chen, Huang, Laine and Rindal (CCS 2018, eprint 2018/787, section 5), sealed as Cong et al. do (CCS 2021, eprint 2021/1116): each
//! item's label is added to a pad that the oblivious function gives for it alone, so who did not ask for the item sees a random
//! string. A key serves one database and an item has one label there, so no pad is used twice.

use super::items::HashedItem;
use super::parameters::FheParameters;

/// The label under the item's pad, or out from under it.
fn padded(item: &HashedItem, label: &[u8]) -> Vec<u8> {
    label.iter().zip(&item.pad).map(|(byte, pad)| byte ^ pad).collect()
}

/// A label under its item's pad, as residues: for each label polynomial one a part of the item.
pub(crate) fn seal(parameters: &FheParameters, item: &HashedItem, label: &[u8]) -> Vec<u64> {
    let bits = parameters.word_bits();
    let sealed = padded(item, label);
    let bit = |at: usize| sealed.get(at / 8).map_or(0, |byte| u64::from(byte >> (at % 8) & 1));
    let word = |word: usize| (0..bits).fold(0, |sum, at| sum | bit(word * bits + at) << at);
    (0..parameters.words()).map(word).collect()
}

/// The inverse of [`seal`], of whatever residues.
pub(crate) fn open(parameters: &FheParameters, item: &HashedItem, words: &[u64]) -> Vec<u8> {
    let bits = parameters.word_bits();
    let bit = |at: usize| (words[at / bits] >> (at % bits) & 1) as u8;
    let byte = |byte: usize| (0..8).fold(0, |sum, at| sum | bit(8 * byte + at) << at);
    padded(item, &(0..parameters.label).map(byte).collect::<Vec<_>>())
}
