//! Bijections, their inverses, and how they look.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use super::*;

/// 2^255 − 19.
const P25519: [u8; 32] = {
    let mut bytes = [0xff; 32];
    (bytes[0], bytes[31]) = (0xed, 0x7f);
    bytes
};

/// A number of 2048 bits with few others above it, and one with nearly as many above as below.
fn long_moduli() -> [[u8; 256]; 2] {
    let mut high = [0xff; 256];
    high[240] = 0x5a;
    let mut low = [0x33; 256];
    low[255] = 0x80;
    [high, low]
}

/// Values at the edges and random ones.
fn values<const BYTES: usize>(modulus: &[u8; BYTES], count: usize) -> Vec<[u8; BYTES]> {
    let mut one = [0; BYTES];
    one[0] = 1;
    let mut last = *modulus;
    last[0] -= 1;
    let mut rng = ChaCha20Rng::from_seed([1; 32]);
    let random = std::iter::repeat_with(|| {
        let mut value = [0; BYTES];
        rng.fill_bytes(&mut value);
        value[BYTES - 1] &= 0x3f;
        value
    });
    [[0; BYTES], one, last].into_iter().chain(random).take(count).collect()
}

fn is_below<const BYTES: usize>(value: &[u8; BYTES], modulus: &[u8; BYTES]) -> bool {
    value.iter().rev().lt(modulus.iter().rev())
}

fn round_trips<P: StringPermutation<BYTES>, const BYTES: usize>(
    permutation: &FieldPermutation<P, BYTES>,
    modulus: &[u8; BYTES],
) {
    for count in [0, 1, 3, 4, 5, 500, 2100] {
        let values = values(modulus, count);
        let mut images = values.clone();
        permutation.apply(&mut images);
        assert!(images.iter().all(|image| is_below(image, modulus)));
        assert_eq!(images.iter().collect::<HashSet<_>>().len(), count);
        assert!(count < 3 || images.iter().zip(&values).all(|(image, value)| image != value));
        let mut back = images.clone();
        permutation.invert(&mut back);
        assert!(back == values);
        permutation.invert(&mut back);
        permutation.apply(&mut back);
        assert!(back == values);
    }
}

#[test]
fn permutations_of_fields_go_there_and_back() {
    round_trips(&FieldPermutation::new(Rijndael256::new(), P25519), &P25519);
    for modulus in long_moduli() {
        round_trips(&FieldPermutation::new(Feistel2048, modulus), &modulus);
    }
}

/// A permutation of two bytes by an odd factor and a summand, small enough to look at every value.
struct Affine;

impl StringPermutation<8> for Affine {
    const GROUP: usize = 1;

    fn apply(&self, strings: &mut [[u8; 8]]) {
        for string in strings {
            let word = u64::from_le_bytes(*string).rotate_left(8);
            let low = (word as u16).wrapping_mul(0x6a35).wrapping_add(0x1234);
            *string = (word & !0xffff | u64::from(low)).rotate_right(8).to_le_bytes();
        }
    }

    fn invert(&self, strings: &mut [[u8; 8]]) {
        for string in strings {
            let word = u64::from_le_bytes(*string).rotate_left(8);
            let low = (word as u16).wrapping_sub(0x1234).wrapping_mul(INVERSE);
            *string = (word & !0xffff | u64::from(low)).rotate_right(8).to_le_bytes();
        }
    }
}

/// 1/0x6a35 modulo 2^16.
const INVERSE: u16 = {
    let mut inverse = 0x6a35u16;
    let mut step = 0;
    while step < 4 {
        inverse = inverse.wrapping_mul(2u16.wrapping_sub(0x6a35u16.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
};

#[test]
fn walking_permutes_all_values_of_a_small_set() {
    // The lowest byte and the highest change; the others stay 0. Below the modulus the highest is less than 0xa7, or the
    // same and the lowest less than 0x31.
    let mut modulus = [0; 8];
    (modulus[0], modulus[7]) = (0x31, 0xa7);
    let permutation = FieldPermutation::new(Affine, modulus);
    let values: Vec<[u8; 8]> =
        (0..0xa731u64).map(|value| (value >> 8 << 56 | value & 0xff).to_le_bytes()).collect();
    let mut images = values.clone();
    permutation.apply(&mut images);
    assert!(images.iter().collect::<HashSet<_>>() == values.iter().collect());
    permutation.invert(&mut images);
    assert!(images == values);
}

/// Counts strings.
struct Counting(Rijndael256, AtomicUsize);

impl StringPermutation<32> for Counting {
    const GROUP: usize = 4;

    fn apply(&self, strings: &mut [[u8; 32]]) {
        self.1.fetch_add(strings.len().next_multiple_of(4), Ordering::Relaxed);
        self.0.apply(strings);
    }

    fn invert(&self, strings: &mut [[u8; 32]]) {
        self.0.invert(strings);
    }
}

#[test]
fn batches_of_one_length_take_the_same_number_of_steps() {
    let mut values = values(&P25519, 300);
    let count = |values: &mut [[u8; 32]]| {
        let permutation =
            FieldPermutation::new(Counting(Rijndael256::new(), AtomicUsize::new(0)), P25519);
        permutation.apply(values);
        let further = permutation.further_steps(values.len());
        (permutation.strings.1.into_inner(), further)
    };
    // 300 and 300 on average, with a standard deviation of 24.5, of which there are 6.
    let (steps, further) = count(&mut values);
    assert!(steps.abs_diff(300 + 300 + 147 + 64 * 4) < 8, "{steps}");
    for _ in 0..20 {
        let (again, _) = count(&mut values);
        // The last group may be a part of one.
        assert!(again.abs_diff(300 + further) < 4 && steps.abs_diff(again) < 4);
    }
}

/// Bits of the output that change with one of the input, on average over inputs and bits.
fn avalanche<const BYTES: usize>(change: impl Fn(&mut [[u8; BYTES]])) -> f64 {
    let mut rng = ChaCha20Rng::from_seed([2; 32]);
    let mut flipped = 0;
    for bit in 0..8 * BYTES {
        let mut pair = [[0; BYTES]; 2];
        rng.fill_bytes(&mut pair[0]);
        pair[1] = pair[0];
        pair[1][bit / 8] ^= 1 << (bit % 8);
        change(&mut pair);
        flipped += pair[0].iter().zip(&pair[1]).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
    }
    f64::from(flipped) / (8 * BYTES) as f64
}

#[test]
fn half_of_all_bits_change_with_any() {
    // Six standard deviations of the mean: 6·√(w/4)/√w = 3.
    let rijndael = Rijndael256::new();
    for flipped in [
        avalanche::<32>(|strings| rijndael.apply(strings)),
        avalanche::<32>(|strings| rijndael.invert(strings)),
    ] {
        assert!((flipped - 128.0).abs() < 3.0, "{flipped}");
    }
    for flipped in [
        avalanche::<256>(|strings| Feistel2048.apply(strings)),
        avalanche::<256>(|strings| Feistel2048.invert(strings)),
    ] {
        assert!((flipped - 1024.0).abs() < 3.0, "{flipped}");
    }
}

#[test]
fn the_network_is_what_its_documentation_says() {
    let mut string = [[0; 256]];
    string[0].iter_mut().zip(0u8..=255).for_each(|(byte, value)| *byte = value);
    let mut keys = [[0; 32]; 8];
    blake3::Hasher::new_derive_key("veilset v1 ideal permutation of 2048 bits")
        .finalize_xof()
        .fill(keys.as_flattened_mut());
    let (mut left, mut right) = (string[0][..128].to_vec(), string[0][128..].to_vec());
    for key in keys {
        let mut output = [0; 128];
        blake3::Hasher::new_keyed(&key).update(&right).finalize_xof().fill(&mut output);
        let sum: Vec<u8> = left.iter().zip(output).map(|(left, output)| left ^ output).collect();
        (left, right) = (right, sum);
    }
    Feistel2048.apply(&mut string);
    assert_eq!(string[0][..], [left, right].concat());
}

#[test]
#[should_panic(expected = "values are below the modulus")]
fn values_from_the_modulus_on_are_refused() {
    FieldPermutation::new(Rijndael256::new(), P25519).apply(&mut [P25519]);
}
