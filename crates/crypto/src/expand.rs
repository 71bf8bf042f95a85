//! Uniform bytes from a message: `expand_message_xmd` of RFC 9380 (section 5.3.1).

use sha2::Digest;
use sha2::digest::Output;
use sha2::digest::common::BlockSizeUser;

/// `expand_message_xmd` with the hash function `H` under one domain separation tag.
pub(crate) struct Expander<H> {
    /// The hash function after the block of zeros that every message begins with.
    zero_block: H,
    /// The tag and its length.
    dst_prime: Vec<u8>,
}

impl<H: Digest + BlockSizeUser + Clone> Expander<H> {
    /// # Panics
    /// When the tag is empty or longer than 255 bytes.
    pub(crate) fn new(dst: &[u8]) -> Self {
        let length = u8::try_from(dst.len()).unwrap_or(0);
        assert!(length > 0, "a domain separation tag has 1 to 255 bytes");
        Self {
            zero_block: H::new_with_prefix(vec![0; H::block_size()]),
            dst_prime: [dst, &[length]].concat(),
        }
    }

    /// `N` uniform bytes: 1 to 255.
    pub(crate) fn expand<const N: usize>(&self, message: &[u8]) -> [u8; N] {
        const { assert!(N > 0 && N <= 255) }
        let b_0 = self
            .zero_block
            .clone()
            .chain_update(message)
            .chain_update([0, N as u8, 0])
            .chain_update(&self.dst_prime)
            .finalize();
        let mut uniform = [0; N];
        let mut before = Output::<H>::default();
        for (index, part) in (1u8..).zip(uniform.chunks_mut(before.len())) {
            before.iter_mut().zip(&b_0).for_each(|(byte, other)| *byte ^= other);
            before = H::new()
                .chain_update(&before)
                .chain_update([index])
                .chain_update(&self.dst_prime)
                .finalize();
            part.copy_from_slice(&before[..part.len()]);
        }
        uniform
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Sha256, Sha512};

    use super::*;
    use crate::vectors;

    fn check<H: Digest + BlockSizeUser + Clone>(file: &str, count: usize) {
        let file = vectors::file(file);
        let expander = Expander::<H>::new(vectors::text(&file["dst"]));
        let vectors = file["vectors"].as_array().expect("a list");
        assert_eq!(vectors.len(), count);
        for vector in vectors {
            let message = vectors::text(&vector["msg"]);
            let got = match vectors::text(&vector["uniform_bytes"]).len() / 2 {
                32 => vectors::hex(&expander.expand::<32>(message)),
                _ => vectors::hex(&expander.expand::<128>(message)),
            };
            assert_eq!(got, vector["uniform_bytes"]);
        }
    }

    #[test]
    fn the_rfc_vectors_hold() {
        check::<Sha512>(include_str!("../../../vectors/rfc9380-expand-message-sha512.json"), 5);
        check::<Sha256>(include_str!("../../../vectors/rfc9380-expand-message-sha256.json"), 10);
    }
}
