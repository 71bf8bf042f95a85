use proptest::prelude::*;
use sha2::{Digest, Sha512};

use super::*;

/// The message, a one bit, zeros, and the length in bits as 128 bits, in whole blocks.
fn padded(message: &[u8]) -> Vec<[u8; BLOCK]> {
    let mut bytes = message.to_vec();
    bytes.push(0x80);
    bytes.resize((bytes.len() + 16).next_multiple_of(BLOCK) - 16, 0);
    bytes.extend((message.len() as u128 * 8).to_be_bytes());
    let (blocks, rest) = bytes.as_chunks();
    assert!(rest.is_empty());
    blocks.to_vec()
}

/// The hash of each message; all have as many blocks when padded.
fn hashes(kernel: Kernel, messages: &[Vec<u8>]) -> Vec<[u8; 64]> {
    let padded: Vec<_> = messages.iter().map(|message| padded(message)).collect();
    let mut states = vec![SHA512_START; messages.len()];
    for place in 0..padded.first().map_or(0, Vec::len) {
        let blocks: Vec<_> = padded.iter().map(|blocks| blocks[place]).collect();
        sha512_compress(kernel, &mut states, &blocks);
    }
    states.iter().map(bytes).collect()
}

fn bytes(state: &[u64; 8]) -> [u8; 64] {
    let words = state.map(u64::to_be_bytes);
    words.as_flattened().try_into().expect("eight words of eight bytes")
}

/// Up to 40 messages of up to four blocks, each with as many blocks as the others.
fn messages() -> impl Strategy<Value = Vec<Vec<u8>>> {
    (0usize..4, 0usize..=40).prop_flat_map(|(more_blocks, count)| {
        let shortest = (more_blocks * BLOCK).saturating_sub(16);
        let message = prop::collection::vec(any::<u8>(), shortest..=more_blocks * BLOCK + 111);
        prop::collection::vec(message, count)
    })
}

proptest! {
    #[test]
    fn every_kernel_hashes_as_sha2(messages in messages()) {
        let want: Vec<[u8; 64]> = messages.iter().map(|m| Sha512::digest(m).into()).collect();
        for kernel in Kernel::available() {
            prop_assert!(hashes(kernel, &messages) == want, "{kernel:?}");
        }
    }
}

#[test]
fn every_number_of_blocks() {
    let message = |i: usize| Sha512::digest(i.to_le_bytes()).to_vec();
    let messages: Vec<_> = (0..40).map(message).collect();
    let want: Vec<[u8; 64]> = messages.iter().map(|m| Sha512::digest(m).into()).collect();
    for kernel in Kernel::available() {
        for count in 0..=40 {
            assert_eq!(hashes(kernel, &messages[..count]), want[..count], "{kernel:?}, {count}");
        }
    }
}

/// The examples that NIST publishes for FIPS 180: one block, and two.
#[test]
fn the_standards_examples() {
    const ONE: &str = "abc";
    const TWO: &str = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn\
                       hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";
    let one = [
        0xddaf_35a1_9361_7aba,
        0xcc41_7349_ae20_4131,
        0x12e6_fa4e_89a9_7ea2,
        0x0a9e_eee6_4b55_d39a,
        0x2192_992a_274f_c1a8,
        0x36ba_3c23_a3fe_ebbd,
        0x454d_4423_643c_e80e,
        0x2a9a_c94f_a54c_a49f,
    ];
    let two = [
        0x8e95_9b75_dae3_13da,
        0x8cf4_f728_14fc_143f,
        0x8f77_79c6_eb9f_7fa1,
        0x7299_aead_b688_9018,
        0x501d_289e_4900_f7e4,
        0x331b_99de_c4b5_433a,
        0xc7d3_29ee_b6dd_2654,
        0x5e96_e55b_874b_e909,
    ];
    for kernel in Kernel::available() {
        for (message, hash) in [(ONE, bytes(&one)), (TWO, bytes(&two))] {
            for copies in [1, 3, 8, 13] {
                let messages = vec![message.as_bytes().to_vec(); copies];
                assert_eq!(hashes(kernel, &messages), vec![hash; copies], "{kernel:?}, {copies}");
            }
        }
    }
}

#[test]
#[should_panic(expected = "a block for each state")]
fn a_block_too_few() {
    sha512_compress(Kernel::best(), &mut [SHA512_START; 2], &[[0; BLOCK]]);
}
