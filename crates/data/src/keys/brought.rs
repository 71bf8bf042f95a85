//! What rows bring: their digests under a key, or why they have none.

use std::hash::{BuildHasher, RandomState};

use zeroize::Zeroizing;

use crate::KeyDigest;
use crate::keys::RowEncoder;
use crate::preset::Normalised;
use crate::suspicion::{Count, Suspected};

/// What rows that follow one another bring under one key.
pub(crate) struct Brought {
    pub(crate) digests: Zeroizing<Vec<KeyDigest>>,
    /// Of each digest.
    pub(crate) hashes: Vec<u64>,
    /// Of each row how many of the digests are its.
    pub(crate) of_rows: Vec<u32>,
    /// Which digests are of a key that is written as digests are.
    pub(crate) look_hashed: Vec<usize>,
    pub(crate) nulls: usize,
    pub(crate) placeholders: Count,
    pub(crate) invalid: Count,
    pub(crate) suspected: Suspected,
}

impl Brought {
    /// Nothing yet, with room for so many digests, so that no move leaves a copy of them.
    pub(crate) fn with_room(room: usize) -> Self {
        Self {
            digests: Zeroizing::new(Vec::with_capacity(room)),
            hashes: Vec::with_capacity(room),
            of_rows: Vec::with_capacity(room),
            look_hashed: Vec::new(),
            nulls: 0,
            placeholders: Count::default(),
            invalid: Count::default(),
            suspected: Suspected::default(),
        }
    }

    /// Adds a row of this number, of whose fields the encoder has made what they became; `state` hashes digests. Says how many digests are
    /// the row's.
    pub(crate) fn add(
        &mut self,
        row: usize,
        became: Normalised,
        encoder: &mut RowEncoder<'_>,
        state: &RandomState,
    ) -> usize {
        let before = self.digests.len();
        match became {
            Normalised::Key => encoder.each_key(|key| {
                let digest = *blake3::hash(key).as_bytes();
                self.hashes.push(state.hash_one(digest));
                self.digests.push(digest);
            }),
            Normalised::Null => self.nulls += 1,
            Normalised::Placeholder => self.placeholders.note(row),
            Normalised::Invalid => self.invalid.note(row),
        }
        let made = self.digests.len() - before;
        if made > 0 && encoder.looks_hashed {
            self.look_hashed.push(before);
        }
        // A row makes a few thousand at most.
        self.of_rows.push(u32::try_from(made).unwrap_or(u32::MAX));
        self.suspected.note(row, encoder.marks);
        made
    }
}
