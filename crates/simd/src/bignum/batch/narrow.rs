//! Limbs of 52 bits.

use crate::vector::MASK_52;

/// The limbs of 52 bits of a number, 0 beyond it.
pub(super) fn limbs<const WORDS: usize, const LIMBS: usize>(number: &[u64; WORDS]) -> [u64; LIMBS] {
    std::array::from_fn(|index| {
        let (word, shift) = (52 * index / 64, 52 * index % 64);
        let above = match number.get(word + 1) {
            Some(above) if shift > 12 => above << (64 - shift),
            _ => 0,
        };
        (number.get(word).map_or(0, |word| word >> shift) | above) & MASK_52
    })
}

/// Their number, which has no more words.
pub(super) fn number<const WORDS: usize, const LIMBS: usize>(limbs: &[u64; LIMBS]) -> [u64; WORDS] {
    std::array::from_fn(|word| {
        let (limb, shift) = (64 * word / 52, 64 * word % 52);
        // 64 bits touch two limbs, or three.
        let third =
            limbs.get(limb + 2).map_or(0, |limb| (u128::from(*limb) << (104 - shift)) as u64);
        limbs[limb] >> shift | limbs[limb + 1] << (52 - shift) | if shift > 40 { third } else { 0 }
    })
}
