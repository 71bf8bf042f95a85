use std::ops::{BitAnd, BitXor};

use proptest::prelude::*;

use super::*;

/// Sixteen bytes as a plain number, so that the code of lanes runs on any processor.
#[derive(Clone, Copy)]
struct Plain(u128);

impl BitAnd for Plain {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitXor for Plain {
    type Output = Self;

    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Plain {
    fn each(self, from: impl Fn(usize) -> usize) -> Self {
        let bytes = self.0.to_le_bytes();
        Self(u128::from_le_bytes(std::array::from_fn(|place| bytes[from(place)])))
    }

    fn bytes(self, byte: impl Fn(u8) -> u8) -> Self {
        Self(u128::from_le_bytes(self.0.to_le_bytes().map(byte)))
    }
}

impl planes::Bytes for Plain {
    fn load(bytes: &[u8; 16]) -> Self {
        Self(u128::from_le_bytes(*bytes))
    }

    fn store(self, bytes: &mut [u8; 16]) {
        *bytes = self.0.to_le_bytes();
    }

    fn splat(byte: u8) -> Self {
        Self(u128::from_le_bytes([byte; 16]))
    }

    fn turn(self) -> Self {
        self.each(|place| place % 4 * 4 + place / 4)
    }

    fn shift_rows(self) -> Self {
        self.each(|place| place / 4 * 4 + (place + place / 4) % 4)
    }

    fn rows<const BY: usize>(self) -> Self {
        self.each(|place| (place + 4 * BY) % 16)
    }

    fn left<const BITS: u32>(self) -> Self {
        Self(self.0 << BITS)
    }

    fn right<const BITS: u32>(self) -> Self {
        Self(self.0 >> BITS)
    }

    fn all_where(self, bit: u8) -> Self {
        self.bytes(|byte| if byte & bit == 0 { 0 } else { 0xff })
    }
}

/// The example of FIPS 197, appendix C.1.
#[test]
fn the_example_of_the_standard_holds() {
    let key = std::array::from_fn(|place| place as u8);
    let expected = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.to_be_bytes();
    let block = Block::from(std::array::from_fn(|place| 0x11 * place as u8));
    for kernel in Kernel::available() {
        let mut blocks = [block; 9];
        Aes128::new(kernel, &key).encrypt(&mut blocks);
        assert_eq!(blocks.map(|block| block.0), [expected; 9], "{kernel:?}");
    }
    let mut blocks = [block; 9];
    planes::encrypt::<Plain>(&planes::Keys::new(&key), &mut blocks);
    assert_eq!(blocks.map(|block| block.0), [expected; 9]);
}

proptest! {
    #[test]
    fn any_blocks_are_encrypted_as_the_library_does(
        key: [u8; 16],
        blocks in proptest::collection::vec(any::<[u8; 16]>(), 0..40),
    ) {
        let blocks: Vec<Block> = blocks.into_iter().map(Block::from).collect();
        let mut expected = blocks.clone();
        Aes128::new(Kernel::Scalar, &key).encrypt(&mut expected);
        for kernel in Kernel::available() {
            let mut encrypted = blocks.clone();
            Aes128::new(kernel, &key).encrypt(&mut encrypted);
            prop_assert_eq!(&encrypted, &expected, "{:?}", kernel);
        }
        let mut encrypted = blocks;
        planes::encrypt::<Plain>(&planes::Keys::new(&key), &mut encrypted);
        prop_assert_eq!(&encrypted, &expected);
    }
}
