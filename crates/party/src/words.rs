//! Two keys as a few words, for people who compare them by telephone.

use bip39::Language;
use sha2::{Digest, Sha256};

use crate::PublicKey;

/// So many words of 11 bits each: whoever wants two other keys to have the same tries 2^66 keys.
const WORDS: usize = 6;

/// The words of two parties' keys, the same on both sides: of the list of BIP 39, whose words differ in their first four letters.
#[must_use]
pub fn words(one: &PublicKey, other: &PublicKey) -> String {
    let mut both = [*one, *other];
    both.sort_unstable();
    let [one, other] = both;
    let input = [b"veilset words\0".as_slice(), one.as_bytes(), other.as_bytes()].concat();
    let digest = Sha256::digest(&input);
    let bits = digest[..16].try_into().map(u128::from_be_bytes).expect("16 bytes");
    let list = Language::English.word_list();
    let word = |place: usize| list[(bits >> (117 - 11 * place)) as usize % list.len()];
    (0..WORDS).map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_of_two_keys_in_either_order() {
        let [one, other, third] = [1, 2, 3].map(|byte| PublicKey::from_bytes([byte; 32]));
        let said = words(&one, &other);
        assert_eq!(words(&other, &one), said);
        assert_ne!(words(&one, &third), said);
        assert_eq!(said.split(' ').count(), WORDS);
        // SHA-256 of these 78 bytes, by another program: its first 66 bits in words.
        assert_eq!(said, "divorce name witness august between patch");
    }
}
