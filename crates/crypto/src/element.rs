//! Digests of keys that belong to one session.

use zeroize::{DefaultIsZeroes, ZeroizeOnDrop};

/// The digest of a normalised key, keyed by the session.
///
/// Whoever knows the session can test guesses of the key against it, so it has no `Debug` and never leaves the party.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Element(pub [u8; Element::LEN]);

/// Wiped whole, not byte by byte: a run wipes its elements several times.
impl DefaultIsZeroes for Element {}

impl Element {
    /// Bytes of an element.
    pub const LEN: usize = 32;
}

/// The random oracle from normalised keys to elements: keyed BLAKE3.
///
/// Its key is derived from the session and the normalisation preset under a context of its own, so the elements of
/// two sessions, or of two presets in one session, have nothing to do with each other.
#[derive(ZeroizeOnDrop)]
pub struct ElementHasher {
    key: [u8; blake3::KEY_LEN],
}

impl ElementHasher {
    const CONTEXT: &str = "veilset v1 element";

    /// The hasher of the session (a nonce that both sides agreed on) and preset.
    #[must_use]
    pub fn new(session: &[u8; 32], preset: &str) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key(Self::CONTEXT);
        hasher.update(session).update(preset.as_bytes());
        Self { key: *hasher.finalize().as_bytes() }
    }

    /// The element of a normalised key.
    #[must_use]
    pub fn element(&self, key: &[u8]) -> Element {
        Element(*blake3::keyed_hash(&self.key, key).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_keyed_digests() {
        let derived =
            blake3::derive_key("veilset v1 element", &[&[7; 32], &b"email@1"[..]].concat());
        let expected = blake3::Hasher::new_keyed(&derived).update(b"a@b.example").finalize();
        let element = ElementHasher::new(&[7; 32], "email@1").element(b"a@b.example");
        assert!(element.0 == *expected.as_bytes());
    }

    #[test]
    fn session_preset_and_key_all_count() {
        let elements = [
            ElementHasher::new(&[1; 32], "raw@1").element(b"a"),
            ElementHasher::new(&[2; 32], "raw@1").element(b"a"),
            ElementHasher::new(&[1; 32], "raw@2").element(b"a"),
            ElementHasher::new(&[1; 32], "raw@1").element(b"b"),
        ];
        let distinct: std::collections::HashSet<Element> = elements.into_iter().collect();
        assert_eq!(distinct.len(), 4);
    }
}
