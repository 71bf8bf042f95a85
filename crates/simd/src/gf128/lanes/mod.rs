//! Elements in registers, for code whose inner loop sums and doubles elements that it looks up.
//!
//! In plain numbers of 128 bits the compiler goes back and forth between general and vector registers there.

#[cfg(any(test, not(target_arch = "x86_64")))]
mod plain;
#[cfg(target_arch = "x86_64")]
mod sse2;

#[cfg(not(target_arch = "x86_64"))]
use plain::Register;
#[cfg(target_arch = "x86_64")]
use sse2::Register;

/// x^128 in GF(2^128).
const REDUCED_128: u8 = 0x87;

/// x^64 in GF(2^64).
const REDUCED_64: u8 = 0x1b;

/// x^8 in GF(2^8).
const REDUCED_8: u8 = 0x1b;

/// x^4 in GF(2^4).
const REDUCED_4: u8 = 0b11;

/// `N` elements of GF(2^128), pairs of elements of GF(2^64), or vectors of 16 elements of GF(2^8) or 32 of GF(2^4), side by side.
#[derive(Clone, Copy)]
pub struct Registers<const N: usize>([Register; N]);

impl<const N: usize> Registers<N> {
    /// Each element is 0.
    pub const ZERO: Self = Self([Register::ZERO; N]);

    /// Takes the elements into registers.
    #[inline(always)]
    #[must_use]
    pub fn new(elements: [u128; N]) -> Self {
        Self(elements.map(Register::new))
    }

    /// The elements.
    #[inline(always)]
    #[must_use]
    pub fn elements(self) -> [u128; N] {
        self.0.map(Register::element)
    }

    /// The sums, element by element.
    #[inline(always)]
    #[must_use]
    pub fn plus(mut self, other: Self) -> Self {
        for (register, other) in self.0.iter_mut().zip(other.0) {
            *register = register.plus(other);
        }
        self
    }

    /// The products with the x of GF(2^128).
    #[inline(always)]
    #[must_use]
    pub fn times_x(self) -> Self {
        Self(self.0.map(Register::times_x))
    }

    /// The products with the x of GF(2^64), of both elements of each pair.
    #[inline(always)]
    #[must_use]
    pub fn times_x_both(self) -> Self {
        Self(self.0.map(Register::times_x_both))
    }

    /// The products with the x of GF(2^8), whose polynomial is x^8 + x^4 + x^3 + x + 1, of all elements of each vector.
    #[inline(always)]
    #[must_use]
    pub fn times_x_bytes(self) -> Self {
        Self(self.0.map(Register::times_x_bytes))
    }

    /// The products with the x of GF(2^4), whose polynomial is x^4 + x + 1, of all elements of each vector.
    #[inline(always)]
    #[must_use]
    pub fn times_x_nibbles(self) -> Self {
        Self(self.0.map(Register::times_x_nibbles))
    }
}

#[cfg(test)]
mod tests {
    use super::plain::Register as Plain;
    use super::*;

    #[test]
    fn lanes_count_as_plain_numbers_do() {
        let mut element: u128 = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210;
        let others = [0, 1, 1 << 31, 1 << 63, 1 << 64, 1 << 95, 1 << 127, u128::MAX];
        for other in (0..100).flat_map(|_| others) {
            element = element.rotate_left(41).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ other;
            let lanes = Registers::new([element, other]);
            let plain = [element, other].map(Plain::new);
            assert_eq!(lanes.elements(), plain.map(Plain::element));
            assert_eq!(lanes.times_x().elements(), plain.map(|twin| twin.times_x().element()));
            assert_eq!(
                lanes.times_x_both().elements(),
                plain.map(|twin| twin.times_x_both().element())
            );
            let nibbles = lanes.times_x_nibbles().elements();
            assert_eq!(nibbles, plain.map(|twin| twin.times_x_nibbles().element()));
            let bytes = lanes.times_x_bytes().elements();
            assert_eq!(bytes, plain.map(|twin| twin.times_x_bytes().element()));
            for (before, after) in element.to_le_bytes().into_iter().zip(bytes[0].to_le_bytes()) {
                let twice = u16::from(before) << 1;
                let reduced = if twice > 255 { twice ^ 0b1_0001_1011 } else { twice };
                assert_eq!(u16::from(after), reduced);
            }
            for place in (0..128).step_by(4) {
                let (before, after) = (element >> place & 15, nibbles[0] >> place & 15);
                let twice = before << 1;
                assert_eq!(after, if twice > 15 { twice ^ 0b1_0011 } else { twice });
            }
            assert_eq!(plain[0].times_x().element(), crate::gf128_multiply(element, 2));
            assert_eq!(plain[0].times_x_both().element(), crate::gf64_multiply_both(2, element));
            let sum = lanes.plus(Registers::new([other, 1])).elements();
            let twin = [(0, other), (1, 1)]
                .map(|(lane, other)| plain[lane].plus(Plain::new(other)).element());
            assert_eq!(sum, twin);
        }
        assert_eq!(Registers::<3>::ZERO.elements(), [Plain::ZERO.element(); 3]);
    }
}
