//! Uniform bytes from a message: `expand_message_xmd` of RFC 9380 (section 5.3.1) with SHA-512.

use sha2::{Digest, Sha512};

use crate::field::Fe;

/// Bytes of a block of SHA-512.
const BLOCK: usize = 128;

/// The bytes that make a field element: ⌈(255 + 128) / 8⌉, for a bias below 2^-128.
const FIELD_BYTES: usize = 48;

/// `expand_message_xmd` under one domain separation tag, for outputs of at most one digest.
pub(crate) struct Expander {
    /// SHA-512 after the block of zeros that every message begins with.
    zero_block: Sha512,
    /// The tag and its length.
    dst_prime: Vec<u8>,
}

impl Expander {
    /// # Panics
    /// When the tag is empty or longer than 255 bytes.
    pub(crate) fn new(dst: &[u8]) -> Self {
        let length = u8::try_from(dst.len()).unwrap_or(0);
        assert!(length > 0, "a domain separation tag has 1 to 255 bytes");
        Self {
            zero_block: Sha512::new_with_prefix([0; BLOCK]),
            dst_prime: [dst, &[length]].concat(),
        }
    }

    /// `hash_to_field` for one element of the field.
    pub(crate) fn field_element(&self, message: &[u8]) -> Fe {
        Fe::from_wide(&self.expand::<FIELD_BYTES>(message))
    }

    /// `N` uniform bytes, at most 64.
    fn expand<const N: usize>(&self, message: &[u8]) -> [u8; N] {
        const { assert!(N <= 64) }
        let b_0 = self
            .zero_block
            .clone()
            .chain_update(message)
            .chain_update([0, N as u8, 0])
            .chain_update(&self.dst_prime)
            .finalize();
        let b_1 = Sha512::new()
            .chain_update(b_0)
            .chain_update([1])
            .chain_update(&self.dst_prime)
            .finalize();
        std::array::from_fn(|index| b_1[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors;

    #[test]
    fn the_rfc_vectors_of_32_bytes_hold() {
        let file =
            vectors::file(include_str!("../../../vectors/rfc9380-expand-message-sha512.json"));
        let expander = Expander::new(vectors::text(&file["dst"]));
        let vectors = file["vectors"].as_array().expect("a list");
        assert_eq!(vectors.len(), 5);
        for vector in vectors {
            let got: [u8; 32] = expander.expand(vectors::text(&vector["msg"]));
            assert_eq!(vectors::hex(&got), vector["uniform_bytes"]);
        }
    }
}
