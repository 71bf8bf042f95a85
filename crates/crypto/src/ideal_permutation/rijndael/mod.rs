//! Rijndael with blocks and keys of 256 bits (Daemen and Rijmen, "AES proposal: Rijndael", 1999) from rounds of AES.

mod schedule;
#[cfg(test)]
mod tests;

use aes::hazmat::{
    Block8, cipher_round_par, equiv_inv_cipher_round_par, inv_mix_columns, mix_columns,
};

use super::StringPermutation;
use schedule::Schedule;

/// Rounds of the cipher with this length.
const ROUNDS: usize = 14;

/// Blocks side by side, of two halves each.
const BLOCKS: usize = 4;

/// Both halves of a block of 256 bits; byte 4c + r, the least first, is row r of column c.
type Halves = [u128; 2];

/// Rijndael with blocks of 256 bits under one public key, which is derived from a text.
///
/// A block cipher under a known key is no ideal permutation by any proof. What is assumed is that nothing follows from its
/// structure that helps against the protocol: that nobody finds, faster than for a random permutation, strings whose images
/// under it and its inverse are related in a way that matters. The best distinguisher with a known key that is known reaches
/// nine of the fourteen rounds (Sasaki, "Known-key attacks on Rijndael with large blocks and strengthening ShiftRow
/// parameter", IWSEC 2010), the best attack on a secret one ten (Liu and others, "Improved impossible differential of
/// large-block Rijndael", 2019). A Feistel network over a hash function would not be better founded at this length: on
/// halves of 128 bits its theorem says nothing beyond 2^16 queries, and eight hashes take several times as long.
pub struct Rijndael256 {
    schedule: Schedule,
}

impl Rijndael256 {
    /// The permutation under the public key.
    #[must_use]
    pub fn new() -> Self {
        let key = blake3::derive_key("veilset v1 ideal permutation of 256 bits", &[]);
        Self { schedule: Schedule::new(&key) }
    }
}

impl Default for Rijndael256 {
    fn default() -> Self {
        Self::new()
    }
}

impl StringPermutation<32> for Rijndael256 {
    const GROUP: usize = BLOCKS;

    fn apply(&self, strings: &mut [[u8; 32]]) {
        in_groups(strings, |blocks| encrypt(&self.schedule, blocks));
    }

    fn invert(&self, strings: &mut [[u8; 32]]) {
        in_groups(strings, |blocks| decrypt(&self.schedule, blocks));
    }
}

fn in_groups(strings: &mut [[u8; 32]], work: impl Fn(&mut [Halves; BLOCKS])) {
    for group in strings.chunks_mut(BLOCKS) {
        let mut blocks = [[0; 2]; BLOCKS];
        for (block, string) in blocks.iter_mut().zip(&*group) {
            let (halves, _) = string.as_chunks();
            *block = [u128::from_le_bytes(halves[0]), u128::from_le_bytes(halves[1])];
        }
        work(&mut blocks);
        for (block, string) in blocks.iter().zip(group) {
            let (halves, _) = string.as_chunks_mut();
            [halves[0], halves[1]] = block.map(u128::to_le_bytes);
        }
    }
}

fn encrypt(schedule: &Schedule, blocks: &mut [Halves; BLOCKS]) {
    add(blocks, schedule.key(0));
    for round in 1..=ROUNDS {
        let mut state = load(blocks.map(before_round));
        cipher_round_par(&mut state, &Block8::default());
        if round == ROUNDS {
            // The last round has no columns mixed.
            state.iter_mut().for_each(inv_mix_columns);
        }
        *blocks = store(&state);
        add(blocks, schedule.key(round));
    }
}

fn decrypt(schedule: &Schedule, blocks: &mut [Halves; BLOCKS]) {
    add(blocks, schedule.key(ROUNDS));
    for round in (0..ROUNDS).rev() {
        let mut state = load(blocks.map(before_inverse_round));
        equiv_inv_cipher_round_par(&mut state, &Block8::default());
        if round == 0 {
            state.iter_mut().for_each(mix_columns);
        }
        *blocks = store(&state);
        add(blocks, schedule.inverse_key(round));
    }
}

fn add(blocks: &mut [Halves; BLOCKS], key: &Halves) {
    for block in blocks {
        block[0] ^= key[0];
        block[1] ^= key[1];
    }
}

fn load(blocks: [Halves; BLOCKS]) -> Block8 {
    let mut state = Block8::default();
    for (block, half) in state.iter_mut().zip(blocks.as_flattened()) {
        *block = half.to_le_bytes().into();
    }
    state
}

fn store(state: &Block8) -> [Halves; BLOCKS] {
    let half = |index: usize| u128::from_le_bytes(state[index].into());
    std::array::from_fn(|block| [half(2 * block), half(2 * block + 1)])
}

/// The bytes of these rows, a bit each, in these columns of a half.
const fn mask(rows: u32, columns: u32) -> u128 {
    let mut mask = 0;
    let mut byte = 0;
    while byte < 16 {
        if columns >> (byte / 4) & 1 == 1 && rows >> (byte % 4) & 1 == 1 {
            mask |= 0xff << (8 * byte);
        }
        byte += 1;
    }
    mask
}

/// Moves bytes so that AES, which takes row r of its column c from column c + r of the same half, takes it from where
/// Rijndael does: of eight columns from c + 0, 1, 3 and 4 in rows 0 to 3. So column k of a half needs
///
/// - row 0: itself; row 1: itself, but for k = 0 that of the other half;
/// - row 2: column k + 1 of the other half, but for k = 2 of its own; row 3: column k + 1 of the other half.
fn before_round([left, right]: Halves) -> Halves {
    const OWN: u128 = mask(0b0001, 0b1111) | mask(0b0010, 0b1110);
    const OTHER: u128 = mask(0b0010, 0b0001);
    const OWN_NEXT: u128 = mask(0b0100, 0b0100);
    const OTHER_NEXT: u128 = mask(0b0100, 0b1011) | mask(0b1000, 0b1111);
    let half = |own: u128, other: u128| {
        own & OWN
            | other & OTHER
            | own.rotate_right(32) & OWN_NEXT
            | other.rotate_right(32) & OTHER_NEXT
    };
    [half(left, right), half(right, left)]
}

/// The same for the inverse, which takes the rows from columns c − 0, 1, 3 and 4, and AES from c − r: column k needs
///
/// - row 0: itself; row 1: itself, but for k = 3 that of the other half;
/// - row 2: column k − 1 of the other half, but for k = 1 of its own; row 3: column k − 1 of the other half.
fn before_inverse_round([left, right]: Halves) -> Halves {
    const OWN: u128 = mask(0b0001, 0b1111) | mask(0b0010, 0b0111);
    const OTHER: u128 = mask(0b0010, 0b1000);
    const OWN_BEFORE: u128 = mask(0b0100, 0b0010);
    const OTHER_BEFORE: u128 = mask(0b0100, 0b1101) | mask(0b1000, 0b1111);
    let half = |own: u128, other: u128| {
        own & OWN
            | other & OTHER
            | own.rotate_left(32) & OWN_BEFORE
            | other.rotate_left(32) & OTHER_BEFORE
    };
    [half(left, right), half(right, left)]
}
