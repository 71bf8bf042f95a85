//! What correlated transfers add up.

use zeroize::Zeroize;

/// A word of a correlation: a number modulo 2^64 ([`u64`]) or 2^128 ([`u128`]), or eight bits that are added by
/// exclusive or ([`u8`]). No other type is one.
pub trait Word: Copy + Default + Send + Sync + Zeroize + sealed::Word {}

impl Word for u8 {}
impl Word for u64 {}
impl Word for u128 {}

pub(super) mod sealed {
    /// The arithmetic and the encoding.
    pub trait Word: Copy {
        /// The encoding's length in bytes.
        const BYTES: usize;

        /// The word that little-endian bytes encode; missing ones are 0.
        fn read(bytes: &[u8]) -> Self;

        /// Writes the little-endian bytes, as many as there is room for.
        fn write(self, bytes: &mut [u8]);

        fn plus(self, other: Self) -> Self;

        fn minus(self, other: Self) -> Self;

        /// The word itself for `true` and 0 for `false`, in constant time.
        fn times(self, bit: bool) -> Self;
    }

    macro_rules! number {
        ($number:ty, $plus:ident, $minus:ident) => {
            impl Word for $number {
                const BYTES: usize = size_of::<Self>();

                fn read(bytes: &[u8]) -> Self {
                    let mut all = [0; Self::BYTES];
                    all.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
                    Self::from_le_bytes(all)
                }

                fn write(self, bytes: &mut [u8]) {
                    bytes.iter_mut().zip(self.to_le_bytes()).for_each(|(to, byte)| *to = byte);
                }

                fn plus(self, other: Self) -> Self {
                    self.$plus(other)
                }

                fn minus(self, other: Self) -> Self {
                    self.$minus(other)
                }

                fn times(self, bit: bool) -> Self {
                    self & Self::from(bit).wrapping_neg()
                }
            }
        };
    }

    number!(u8, bitxor, bitxor);
    number!(u64, wrapping_add, wrapping_sub);
    number!(u128, wrapping_add, wrapping_sub);

    use std::ops::BitXor;
}
