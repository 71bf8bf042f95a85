//! Uniform bytes from a message: `expand_message_xmd` of RFC 9380 (section 5.3.1).

use sha2::Digest;
use sha2::digest::Output;
use sha2::digest::common::BlockSizeUser;
use veilset_simd::{Kernel, SHA512_START, sha512_compress};
use zeroize::Zeroizing;

use crate::Element;

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

/// `expand_message_xmd` with SHA-512 under one domain separation tag, from elements to 48 bytes each, many at once.
///
/// Each of the two hashes takes one block after the block of zeros, so long as the tag is short.
pub(crate) struct BatchExpander {
    /// The state after the block of zeros.
    zero_block: [u64; 8],
    /// The block that the first hash ends with, without its element.
    first: Block,
    /// The block of the second hash, without the first one's digest.
    second: Block,
}

/// A block of SHA-512.
type Block = [u8; 128];

/// Bytes that an element is expanded to.
const UNIFORM: usize = 48;

impl BatchExpander {
    /// # Panics
    /// When the tag is empty, or so long that a hash takes another block.
    pub(crate) fn new(dst: &[u8]) -> Self {
        let length = u8::try_from(dst.len()).unwrap_or(0);
        assert!(length > 0, "a domain separation tag is not empty");
        let mut zero_block = [SHA512_START];
        sha512_compress(Kernel::Scalar, &mut zero_block, &[[0; 128]]);
        let dst_prime = [dst, &[length]].concat();
        Self {
            zero_block: zero_block[0],
            first: last_block(Element::LEN, &[&[0, UNIFORM as u8, 0], &*dst_prime].concat(), 1),
            second: last_block(64, &[&[1], &*dst_prime].concat(), 0),
        }
    }

    /// Puts the uniform bytes of each element into `uniform`, which is as long.
    pub(crate) fn expand(
        &self,
        kernel: Kernel,
        elements: &[Element],
        uniform: &mut [[u8; UNIFORM]],
    ) {
        let mut blocks = Zeroizing::new(vec![self.first; elements.len()]);
        for (block, element) in blocks.iter_mut().zip(elements) {
            block[..Element::LEN].copy_from_slice(&element.0);
        }
        let mut states = Zeroizing::new(vec![self.zero_block; elements.len()]);
        sha512_compress(kernel, &mut states, &blocks);
        for (block, state) in blocks.iter_mut().zip(states.iter_mut()) {
            *block = self.second;
            put(state, &mut block[..64]);
            *state = SHA512_START;
        }
        sha512_compress(kernel, &mut states, &blocks);
        for (uniform, state) in uniform.iter_mut().zip(states.iter()) {
            put(state, uniform);
        }
    }
}

/// The last block of a message: room for the first `vacant` bytes, the `rest`, and the padding after it and the
/// `blocks` before.
fn last_block(vacant: usize, rest: &[u8], blocks: usize) -> Block {
    let end = vacant + rest.len();
    assert!(end + 1 + 16 <= 128, "the tag keeps each hash to one block");
    let mut block = [0; 128];
    block[vacant..end].copy_from_slice(rest);
    block[end] = 0x80;
    block[126..].copy_from_slice(&((8 * (128 * blocks + end)) as u16).to_be_bytes());
    block
}

/// As many bytes of a digest as there is room for.
fn put(state: &[u64; 8], bytes: &mut [u8]) {
    for (bytes, word) in bytes.chunks_exact_mut(8).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
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
    fn a_batch_is_what_one_message_after_the_other_gives() {
        let dst = b"VEILSET-V01-a-tag-of-some-length";
        let elements: Vec<Element> = (0..21).map(|index| Element([index * 11; 32])).collect();
        let one_by_one = Expander::<Sha512>::new(dst);
        for kernel in Kernel::available() {
            let mut uniform = [[0; 48]; 21];
            BatchExpander::new(dst).expand(kernel, &elements, &mut uniform);
            for (uniform, element) in uniform.iter().zip(&elements) {
                assert_eq!(*uniform, one_by_one.expand::<48>(&element.0), "{kernel:?}");
            }
        }
    }

    #[test]
    fn the_rfc_vectors_hold() {
        check::<Sha512>(include_str!("../../../vectors/rfc9380-expand-message-sha512.json"), 5);
        check::<Sha256>(include_str!("../../../vectors/rfc9380-expand-message-sha256.json"), 10);
    }
}
