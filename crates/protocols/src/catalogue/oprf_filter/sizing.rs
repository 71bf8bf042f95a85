//! How wide fingerprints must be.

use veilset_structures::{match_bits, query_bits};

/// How seldom an item may be called listed that is not.
///
/// Fingerprints of different items are independent and uniform, so an item that is not on a list of n agrees with some item
/// there with probability at most n · 2^-t, where t is the width of a fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizing {
    /// At most 2^-30 a lookup: t = 30 + ⌈log2 n⌉.
    EachLookup,
    /// At most 2^-40 over so many lookups together, by the union bound: t = 40 + ⌈log2 n⌉ + ⌈log2 budget⌉.
    Budget(u64),
    /// For questions under encryption, which are made of whole fingerprints: t = 128. Their parameters keep one within 2^-42.
    Encrypted,
}

impl Sizing {
    /// t for a list of at most `capacity` items; `None` if fingerprints are not that wide.
    #[must_use]
    pub fn bits(self, capacity: u64) -> Option<u32> {
        let number = |count: u64| usize::try_from(count).ok();
        let capacity = number(capacity)?;
        // λ = 40 is in both functions.
        let bits = match self {
            Self::EachLookup => query_bits(capacity) - 10,
            Self::Budget(budget) => match_bits(capacity, number(budget)?),
            Self::Encrypted => return Some(u128::BITS),
        };
        // A whole fingerprint is none that is published.
        (bits < u128::BITS).then_some(bits)
    }
}
