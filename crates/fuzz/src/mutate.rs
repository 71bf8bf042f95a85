//! Changes to honest inputs, the same ones every time.

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// Values at which lengths and comparisons turn.
const EDGES: [u8; 8] = [0, 1, 2, 0x7f, 0x80, 0xfe, 0xff, b'"'];

/// A source of changes.
pub struct Mutator(ChaCha20Rng);

impl Mutator {
    /// The changes that belong to a number.
    #[must_use]
    pub fn new(number: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(number))
    }

    /// Changes an input in one to four places.
    pub fn change(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(4) {
            self.change_once(bytes);
        }
    }

    /// Bytes that mean nothing, fewer than `most`.
    pub fn noise(&mut self, most: usize) -> Vec<u8> {
        let mut bytes = vec![0; self.below(most)];
        self.0.fill_bytes(&mut bytes);
        bytes
    }

    fn change_once(&mut self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return bytes.extend(self.noise(16));
        }
        let at = self.place(bytes.len());
        let end = (at + 1 + self.below(16)).min(bytes.len());
        match self.below(8) {
            0 => bytes[at] = self.0.next_u32() as u8,
            1 => bytes[at] ^= 1 << self.below(8),
            2 | 3 => bytes[at] = EDGES[self.below(EDGES.len())],
            4 => bytes.truncate(at),
            5 => drop(bytes.drain(at..end)),
            6 => {
                let twice = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, twice));
            }
            _ => {
                let noise = self.noise(16);
                drop(bytes.splice(at..at, noise));
            }
        }
    }

    /// A place below `len`: every second time near the front, where sizes and tags are.
    fn place(&mut self, len: usize) -> usize {
        let bound = if self.below(2) == 0 { len.min(64) } else { len };
        self.below(bound)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound.max(1) as u64) as usize
    }
}
