//! What programs are given, and what must come out.

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha512};
use veilset_crypto::Element;
use veilset_simd::{Kernel, elligator2, x25519};

/// p = 2^255 − 19, little-endian.
const P: [u8; 32] = {
    let mut bytes = [0xff; 32];
    (bytes[0], bytes[31]) = (0xed, 0x7f);
    bytes
};

/// Two points of order 8.
const OF_ORDER_8: [[u8; 32]; 2] = [
    *b"\xe0\xeb\x7a\x7c\x3b\x41\xb8\xae\x16\x56\xe3\xfa\xf1\x9f\xc4\x6a\xda\x09\x8d\xeb\x9c\x32\xb1\xfd\x86\x62\x05\x16\x5f\x49\xb8\x00",
    *b"\x5f\x9c\x95\xbc\xa3\x50\x8c\x24\xb1\xd0\xb1\x55\x9c\x83\xef\x5b\x04\x44\x5c\xc4\x58\x1c\x8e\x86\xd8\x22\x4e\xdd\xd0\x9f\x11\x57",
];

/// A clamped scalar, and points: those at the edges, with and without the top bit, and random ones.
pub(crate) fn points(seed: u8, count: usize) -> ([u8; 32], Vec<[u8; 32]>) {
    let mut rng = ChaCha20Rng::from_seed([seed; 32]);
    let mut scalar = random(&mut rng);
    scalar[0] &= 0xf8;
    scalar[31] = scalar[31] & 0x7f | 0x40;
    let near = |number: &[u8; 32], by: i8| {
        let mut near = *number;
        near[0] = near[0].wrapping_add_signed(by);
        near
    };
    let mut points = OF_ORDER_8.to_vec();
    points.extend([0, 1, 2, 9].map(|by| near(&[0; 32], by)));
    points.extend([-2, -1, 0, 1, 2, 18].map(|by| near(&P, by)));
    // Words and limbs full of ones and of zeros.
    points.extend(
        (0..8).map(|word| std::array::from_fn(|byte| if byte / 4 == word { 0xff } else { 0 })),
    );
    let set = points.clone().into_iter().map(|point| std::array::from_fn(|k| point[k] | TOP[k]));
    points.extend(set);
    points.push([0xff; 32]);
    points.resize_with(count.max(points.len()), || random(&mut rng));
    (scalar, points)
}

const TOP: [u8; 32] = {
    let mut bytes = [0; 32];
    bytes[31] = 0x80;
    bytes
};

/// Numbers for the map: 0, the largest, and random ones.
pub(crate) fn numbers(seed: u8, count: usize) -> Vec<[u8; 48]> {
    let mut rng = ChaCha20Rng::from_seed([seed; 32]);
    let mut numbers = vec![[0; 48], [0xff; 48]];
    numbers.resize_with(count, || random(&mut rng));
    numbers
}

pub(crate) fn elements(seed: u8, count: usize) -> Vec<Element> {
    let mut rng = ChaCha20Rng::from_seed([seed; 32]);
    (0..count).map(|_| Element(random(&mut rng))).collect()
}

/// The numbers of elements: expand_message_xmd of RFC 9380, section 5.3.1.
pub(crate) fn expanded(elements: &[Element]) -> Vec<[u8; 48]> {
    let tag = b"VEILSET-V01-curve25519_XMD:SHA-512_ELL2_NU_\x2b";
    let expand = |element: &Element| {
        let first = Sha512::new_with_prefix([0; 128]).chain_update(element.0);
        let first = first.chain_update([0, 48, 0]).chain_update(tag).finalize();
        let second = Sha512::new_with_prefix(first).chain_update([1]).chain_update(tag).finalize();
        std::array::from_fn(|byte| second[byte])
    };
    elements.iter().map(expand).collect()
}

fn random<const N: usize>(rng: &mut ChaCha20Rng) -> [u8; N] {
    let mut bytes = [0; N];
    rng.fill_bytes(&mut bytes);
    bytes
}

pub(crate) fn products(scalar: &[u8; 32], points: &[[u8; 32]]) -> Vec<[u8; 32]> {
    let mut products = points.to_vec();
    x25519(Kernel::Scalar, scalar, &mut products);
    products
}

pub(crate) fn mapped(numbers: &[[u8; 48]]) -> Vec<[u8; 32]> {
    let mut points = vec![[0; 32]; numbers.len()];
    elligator2(Kernel::Scalar, numbers, &mut points);
    points
}
