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

/// `expand_message_xmd` with SHA-512 under one domain separation tag, from elements to `UNIFORM` bytes each, at most 64,
/// many at once.
///
/// Of the blocks of both hashes only the first depends on the element: the first after the block of zeros, and the first
/// of the second hash.
pub(crate) struct BatchExpander<const UNIFORM: usize> {
    /// The state after the block of zeros.
    zero_block: [u64; 8],
    /// The blocks that the first hash ends with, without its element.
    first: Vec<Block>,
    /// The blocks of the second hash, without the first one's digest.
    second: Vec<Block>,
}

/// The two hashes of `expand_message_xmd` with SHA-512 where each ends with one block: its state before that block, and the block's
/// words, with zeros for an element in the first and for the first digest in the second.
pub struct Expansion {
    /// The states.
    pub states: [[u64; 8]; 2],
    /// The blocks.
    pub blocks: [[u64; 16]; 2],
}

/// A block of SHA-512.
type Block = [u8; 128];

impl<const UNIFORM: usize> BatchExpander<UNIFORM> {
    /// # Panics
    /// When the tag is empty or longer than 255 bytes.
    pub(crate) fn new(dst: &[u8]) -> Self {
        const { assert!(UNIFORM <= 64, "one digest is enough") }
        let length = u8::try_from(dst.len()).unwrap_or(0);
        assert!(length > 0, "a domain separation tag has 1 to 255 bytes");
        let mut zero_block = [SHA512_START];
        sha512_compress(Kernel::Scalar, &mut zero_block, &[[0; 128]]);
        let dst_prime = [dst, &[length]].concat();
        Self {
            zero_block: zero_block[0],
            first: last_blocks(Element::LEN, &[&[0, UNIFORM as u8, 0], &*dst_prime].concat(), 1),
            second: last_blocks(64, &[&[1], &*dst_prime].concat(), 0),
        }
    }

    /// Its hashes for those who compute them elsewhere.
    ///
    /// # Panics
    /// When the tag is too long for one block.
    pub(crate) fn single_blocks(&self) -> Expansion {
        let words = |blocks: &[Block]| {
            assert_eq!(blocks.len(), 1, "the tag leaves one block");
            std::array::from_fn(|word| u64::from_be_bytes(blocks[0].as_chunks().0[word]))
        };
        let blocks = [words(&self.first), words(&self.second)];
        Expansion { states: [self.zero_block, SHA512_START], blocks }
    }

    /// Puts the uniform bytes of each element into `uniform`, which is as long.
    pub(crate) fn expand(
        &self,
        kernel: Kernel,
        elements: &[Element],
        uniform: &mut [[u8; UNIFORM]],
    ) {
        let mut blocks = Zeroizing::new(vec![self.first[0]; elements.len()]);
        for (block, element) in blocks.iter_mut().zip(elements) {
            block[..Element::LEN].copy_from_slice(&element.0);
        }
        let mut states = Zeroizing::new(vec![self.zero_block; elements.len()]);
        compress(kernel, &mut states, &mut blocks, &self.first[1..]);
        for (block, state) in blocks.iter_mut().zip(states.iter_mut()) {
            *block = self.second[0];
            put(state, &mut block[..64]);
            *state = SHA512_START;
        }
        compress(kernel, &mut states, &mut blocks, &self.second[1..]);
        for (uniform, state) in uniform.iter_mut().zip(states.iter()) {
            put(state, uniform);
        }
    }
}

/// Compresses into each state its block, then the `others`, which are the same for all.
fn compress(kernel: Kernel, states: &mut [[u64; 8]], blocks: &mut [Block], others: &[Block]) {
    sha512_compress(kernel, states, blocks);
    for other in others {
        blocks.fill(*other);
        sha512_compress(kernel, states, blocks);
    }
}

/// The last blocks of a message: room for the first `vacant` bytes, the `rest`, and the padding after it and the
/// `blocks` before.
fn last_blocks(vacant: usize, rest: &[u8], blocks: usize) -> Vec<Block> {
    let end = vacant + rest.len();
    // The padding is a byte and a length of 16.
    let mut bytes = vec![0; (end + 1 + 16).next_multiple_of(128)];
    bytes[vacant..end].copy_from_slice(rest);
    bytes[end] = 0x80;
    let bits = (8 * (128 * blocks + end)) as u16;
    let length = bytes.len() - 2;
    bytes[length..].copy_from_slice(&bits.to_be_bytes());
    bytes.as_chunks().0.to_vec()
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
        let elements: Vec<Element> = (0..21).map(|index| Element([index * 11; 32])).collect();
        // Tags with which both hashes, one, and none of them fit a block.
        let tags = [1, 45, 46, 74, 75, 76, 255].map(|length| vec![b'd'; length]);
        for (kernel, dst) in
            Kernel::available().flat_map(|kernel| tags.clone().map(|dst| (kernel, dst)))
        {
            let one_by_one = Expander::<Sha512>::new(&dst);
            let (mut some, mut more) = ([[0; 48]; 21], [[0; 64]; 21]);
            BatchExpander::new(&dst).expand(kernel, &elements, &mut some);
            BatchExpander::new(&dst).expand(kernel, &elements, &mut more);
            for ((some, more), element) in some.iter().zip(&more).zip(&elements) {
                assert_eq!(*some, one_by_one.expand::<48>(&element.0), "{kernel:?}");
                assert_eq!(*more, one_by_one.expand::<64>(&element.0), "{kernel:?}");
            }
        }
    }

    #[test]
    fn the_rfc_vectors_hold() {
        check::<Sha512>(include_str!("../../../vectors/rfc9380-expand-message-sha512.json"), 5);
        check::<Sha256>(include_str!("../../../vectors/rfc9380-expand-message-sha256.json"), 10);
    }
}
