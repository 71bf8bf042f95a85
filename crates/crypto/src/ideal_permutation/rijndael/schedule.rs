//! Keys of the rounds.

use aes::Block;
use aes::hazmat::{cipher_round, inv_mix_columns};

use super::{Halves, ROUNDS};

/// Words of 32 bits of a key, and of a block.
const WORDS: usize = 8;

/// The keys of all rounds.
pub(super) struct Schedule {
    keys: [Halves; ROUNDS + 1],
    /// With their columns mixed backwards, as the inverse takes all but the first and the last.
    inverse: [Halves; ROUNDS + 1],
}

impl Schedule {
    pub(super) fn new(key: &[u8; 32]) -> Self {
        let mut words = [[0u8; 4]; WORDS * (ROUNDS + 1)];
        words.as_flattened_mut()[..32].copy_from_slice(key);
        let mut constant = 1u8;
        for index in WORDS..words.len() {
            let mut word = words[index - 1];
            match index % WORDS {
                0 => {
                    word = substitute([word[1], word[2], word[3], word[0]]);
                    word[0] ^= constant;
                    // Times x modulo x^8 + x^4 + x^3 + x + 1.
                    constant = (constant << 1) ^ ((constant >> 7) * 0x1b);
                }
                4 => word = substitute(word),
                _ => {}
            }
            let before = words[index - WORDS];
            words[index] = std::array::from_fn(|byte| word[byte] ^ before[byte]);
        }
        let half = |index: usize| u128::from_le_bytes(words.as_flattened().as_chunks().0[index]);
        let keys = std::array::from_fn(|round| [half(2 * round), half(2 * round + 1)]);
        Self { keys, inverse: keys.map(|key| key.map(unmixed)) }
    }

    /// The key that is added after this round, or before the first.
    pub(super) fn key(&self, round: usize) -> &Halves {
        &self.keys[round]
    }

    /// The key that the inverse adds where its columns are mixed already, or for round 0, the last, are not.
    pub(super) fn inverse_key(&self, round: usize) -> &Halves {
        if round == 0 { &self.keys[0] } else { &self.inverse[round] }
    }
}

fn unmixed(half: u128) -> u128 {
    let mut block = Block::from(half.to_le_bytes());
    inv_mix_columns(&mut block);
    u128::from_le_bytes(block.into())
}

/// Each byte through the S-box.
fn substitute(word: [u8; 4]) -> [u8; 4] {
    word.map(|byte| {
        // A round moves equal bytes onto each other, and a column of equal bytes is mixed to itself: 2 + 3 + 1 + 1 is 1.
        let mut block = Block::from([byte; 16]);
        cipher_round(&mut block, &Block::default());
        block[0]
    })
}
