//! Round trips, refusals and sizes of the coded set.

use chacha20::ChaCha20Rng;
use proptest::prelude::*;
use rand_core::{Rng, SeedableRng};

use crate::{DecodeError, Decoder, Encoder, MAX_BLOCK, SetShape, match_bits};

const WIDTHS: [u32; 6] = [1, 8, 40, 72, 96, 128];

fn encode(shape: SetShape, sorted: &[u128]) -> Vec<Vec<u8>> {
    let encoder = Encoder::new(shape, sorted);
    (0..shape.blocks()).map(|block| encoder.block(block)).collect()
}

fn decode(shape: SetShape, blocks: &[Vec<u8>]) -> Result<Vec<u128>, DecodeError> {
    let mut decoder = Decoder::new(shape);
    for block in blocks {
        decoder.blocks(std::slice::from_ref(block))?;
    }
    let one_by_one = decoder.finish();
    let mut decoder = Decoder::new(shape);
    assert_eq!(decoder.blocks(blocks).and_then(|()| decoder.finish()), one_by_one);
    one_by_one
}

/// `count` uniformly random values of `bits` bits, sorted.
fn random_set(count: usize, bits: u32) -> (SetShape, Vec<u128>) {
    let mut rng = ChaCha20Rng::seed_from_u64(u64::from(bits));
    let mut value =
        || (u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64())) >> (128 - bits);
    let mut values: Vec<u128> = (0..count).map(|_| value()).collect();
    values.sort_unstable();
    (SetShape { count, bits }, values)
}

fn assert_within_bounds(shape: SetShape, blocks: &[Vec<u8>]) {
    assert_eq!(blocks.len(), shape.blocks());
    for (index, block) in blocks.iter().enumerate() {
        assert!(block.len() <= shape.max_block_len(index), "block {index}");
        assert!(shape.max_block_len(index) <= MAX_BLOCK);
    }
    assert_eq!(shape.max_block_len(blocks.len()), 0);
}

#[test]
fn a_small_set_is_coded_as_written_out_by_hand() {
    // r = 8 - floor(log2(3 / ln φ)) = 6. Gaps 5, 0, 190 = 2 · 64 + 62, lowest bit first:
    // 0 101000 | 0 000000 | 110 011111.
    let shape = SetShape { count: 3, bits: 8 };
    let bits = "0101000".to_owned() + "0000000" + "110011111";
    let bytes: Vec<u8> = bits
        .as_bytes()
        .chunks(8)
        .map(|byte| byte.iter().rev().fold(0, |sum, bit| sum * 2 + (bit - b'0')))
        .collect();
    assert_eq!(encode(shape, &[5, 5, 195]), [bytes]);
}

#[test]
fn an_empty_set_has_no_blocks() {
    let shape = SetShape { count: 0, bits: 72 };
    assert_eq!((shape.blocks(), shape.expected_len()), (0, 0));
    assert_eq!(encode(shape, &[]), Vec::<Vec<u8>>::new());
    assert_eq!(decode(shape, &[]), Ok(vec![]));
    assert_eq!(decode(shape, &[vec![]]), Err(DecodeError::LeftOver));
}

#[test]
fn random_sets_have_the_expected_length() {
    for (count, bits) in [(1 << 16, 72), (1 << 20, 80), (100_000, 73), (3000, 128), (5000, 9)] {
        let (shape, values) = random_set(count, bits);
        let blocks = encode(shape, &values);
        assert_within_bounds(shape, &blocks);
        let length = blocks.concat().len() as f64;
        let expected = shape.expected_len() as f64;
        assert!((length / expected - 1.0).abs() < 0.005, "{count} {bits}: {length} {expected}");
        assert_eq!(decode(shape, &blocks), Ok(values));
    }
}

#[test]
fn a_value_of_two_equal_sets_of_65536_takes_at_most_57_7_bits() {
    let (shape, values) = random_set(1 << 16, match_bits(1 << 16, 1 << 16));
    let bits = encode(shape, &values).concat().len() as f64 * 8.0 / 65536.0;
    assert!(bits < 57.7 && bits > 72.0 - 16.0 + 1.44, "{bits}");
}

#[test]
fn the_parameter_is_the_best_one() {
    for count in [1usize, 2, 3, 7, 1000, 12_345, 1 << 16, 1 << 20] {
        let shape = SetShape { count, bits: 80 };
        let mean = 80f64.exp2() / count as f64;
        let cost = |r: u32| f64::from(r) + 1.0 + 1.0 / (f64::from(r).exp2() / mean).exp_m1();
        let r = shape.code().r;
        for other in [r - 1, r + 1] {
            assert!(cost(r) <= cost(other) + 1e-3, "{count}");
        }
    }
}

#[test]
fn badly_distributed_values_stay_within_the_bounds() {
    let count = 1 << 17;
    for bits in WIDTHS {
        let shape = SetShape { count, bits };
        let max = shape.code().max;
        let step = (max / count as u128).max(1);
        let ramp = |index: usize| (index as u128).saturating_mul(step).min(max);
        let sets: [Vec<u128>; 4] = [
            vec![0; count],
            vec![max; count],
            (0..count).map(ramp).collect(),
            // Every gap as long in unary as can be without being escaped.
            (0..count).map(|index| ramp(index / 31 * 31)).collect(),
        ];
        for values in sets {
            let blocks = encode(shape, &values);
            assert_within_bounds(shape, &blocks);
            assert_eq!(decode(shape, &blocks), Ok(values));
        }
    }
}

#[test]
fn other_encodings_of_a_set_are_refused() {
    let (shape, values) = random_set(100, 40);
    let good = encode(shape, &values);
    let change = |edit: &dyn Fn(&mut Vec<u8>)| {
        let mut block = good[0].clone();
        edit(&mut block);
        decode(shape, &[block])
    };
    assert_eq!(decode(shape, &[]), Err(DecodeError::TooShort));
    assert_eq!(change(&|block| block.truncate(block.len() - 1)), Err(DecodeError::TooShort));
    assert_eq!(change(&|block| block.push(0)), Err(DecodeError::LeftOver));
    assert_eq!(decode(shape, &[good[0].clone(), vec![]]), Err(DecodeError::LeftOver));
    // One value of 8 bits: r = 7. 255 is 10 1111111; a quotient of 2 is beyond 8 bits; a short gap is not escaped.
    let shape = SetShape { count: 1, bits: 8 };
    assert_eq!(decode(shape, &[vec![0xfd, 1]]), Ok(vec![255]));
    assert_eq!(decode(shape, &[vec![0xfd, 3]]), Err(DecodeError::NotCanonical));
    assert_eq!(decode(shape, &[vec![0x03, 0]]), Err(DecodeError::OutOfRange));
    assert_eq!(decode(shape, &[vec![255, 255, 255, 255, 9]]), Err(DecodeError::NotCanonical));
    // Two values of 1 bit: r = 0. Gaps 1 and 1 add up to 2.
    let shape = SetShape { count: 2, bits: 1 };
    assert_eq!(decode(shape, &[vec![0b01]]), Ok(vec![1, 1]));
    assert_eq!(decode(shape, &[vec![0b0101]]), Err(DecodeError::OutOfRange));
}

#[test]
fn each_valid_set_of_a_tiny_shape_has_exactly_one_encoding() {
    let shape = SetShape { count: 2, bits: 3 };
    let mut decoded: Vec<Vec<u128>> = (0..=u16::MAX)
        .flat_map(|bits| [vec![bits as u8], bits.to_le_bytes().to_vec()])
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .filter_map(|bytes| decode(shape, &[bytes]).ok())
        .collect();
    decoded.sort();
    let all: Vec<Vec<u128>> =
        (0..8).flat_map(|low| (low..8).map(move |high| vec![low, high])).collect();
    assert_eq!(decoded, all);
}

proptest! {
    #[test]
    fn any_sorted_values_come_back(
        mut values in proptest::collection::vec(any::<u128>(), 0..300),
        repeats in 0usize..20,
        width in proptest::sample::select(WIDTHS.to_vec()),
        squeeze in 0u32..128,
    ) {
        for value in &mut values {
            *value = (*value >> (128 - width)) >> squeeze.min(width - 1);
        }
        values.extend(values.first().copied().into_iter().cycle().take(repeats));
        values.sort_unstable();
        let shape = SetShape { count: values.len(), bits: width };
        let blocks = encode(shape, &values);
        assert_within_bounds(shape, &blocks);
        prop_assert_eq!(decode(shape, &blocks), Ok(values));
    }

    #[test]
    fn bytes_that_decode_are_the_encoding_of_what_they_decode_to(
        bytes in proptest::collection::vec(any::<u8>(), 0..40),
        count in 0usize..12,
        width in proptest::sample::select(WIDTHS.to_vec()),
    ) {
        let shape = SetShape { count, bits: width };
        if let Ok(values) = decode(shape, std::slice::from_ref(&bytes)) {
            prop_assert!(values.is_sorted());
            prop_assert_eq!(encode(shape, &values), [bytes]);
        }
    }

    #[test]
    fn a_changed_bit_gives_an_error_or_another_set(at in 0usize..2000, width in 8u32..=128) {
        let (shape, values) = random_set(50, width);
        let mut blocks = encode(shape, &values);
        let at = at % (blocks[0].len() * 8);
        blocks[0][at / 8] ^= 1 << (at % 8);
        prop_assert_ne!(decode(shape, &blocks), Ok(values));
    }
}
