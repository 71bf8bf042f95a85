//! The two fields of a vector OLE: a large one of 2^128 elements, which Δ is from, and the one that a is over; in place of the
//! latter there may be a vector space in the large one.

use std::ops::{BitAnd, BitXor, BitXorAssign};

use veilset_simd::{
    Nonet, NonetMap, Registers, TILE, Tile, gf64_multiply, gf64_multiply_both, gf128_add_columns,
    gf128_multiply,
};
use zeroize::{Zeroize, Zeroizing};

use crate::Block;

/// An element of B, what a is over: a field, or a vector space over a field S. The large field F has B in it, and its elements are
/// blocks: of [`DEGREE`](Self::DEGREE) elements of a field B, or 128/log₂|S| of S, the first in the lowest bits. An element of B by itself
/// stands for the same one of F.
pub trait Subfield:
    Copy
    + Default
    + PartialEq
    + Into<Block>
    + BitXor<Output = Self>
    + BitXorAssign
    + BitAnd<Output = Self>
    + Zeroize
    + Send
    + Sync
    + 'static
{
    /// log₂ of the number of elements of B.
    const BITS: usize;

    /// The dimension of F over a field B; how many times B, each time with another factor, spans F.
    const DEGREE: usize = Block::BITS as usize / Self::BITS;

    /// Entries of one vector at most; longer ones are put together, but for malicious security.
    const AT_ONCE: usize = usize::MAX;

    /// The lowest bits of a block.
    fn truncate(block: Block) -> Self;

    /// What a random block makes of a value of noise: of a small field none is zero, or there would be less noise than is counted on.
    fn noise(block: Block) -> Self {
        Self::truncate(block)
    }

    /// The product with an element of F.
    #[must_use]
    fn scale(self, element: Block) -> Block;

    /// Adds to each of `sums` the product of the element in its place with one of F.
    fn add_scaled(sums: &mut [Block], elements: &[Self], element: Block) {
        for (sum, scaled) in sums.iter_mut().zip(elements) {
            *sum ^= scaled.scale(element);
        }
    }

    /// The product of two elements of F.
    #[must_use]
    fn product(a: Block, b: Block) -> Block;

    /// The products with the variable X of the polynomials of B, or S.
    #[must_use]
    fn times_x<const N: usize>(elements: Registers<N>) -> Registers<N>;

    /// Adds to each of `sums` the sum over t of entry c of tile t times coefficient t, in F.
    fn add_columns(sums: &mut Tile, tiles: &[Tile], coefficients: &[Block]);
}

/// B = F = GF(2^128).
impl Subfield for u128 {
    const BITS: usize = 128;

    #[inline]
    fn truncate(block: Block) -> Self {
        block
    }

    #[inline]
    fn scale(self, element: Block) -> Block {
        gf128_multiply(self, element)
    }

    #[inline]
    fn product(a: Block, b: Block) -> Block {
        gf128_multiply(a, b)
    }

    #[inline(always)]
    fn times_x<const N: usize>(elements: Registers<N>) -> Registers<N> {
        elements.times_x()
    }

    fn add_columns(sums: &mut Tile, tiles: &[Tile], coefficients: &[Block]) {
        gf128_add_columns(sums, tiles, coefficients);
    }
}

/// B = GF(2^64), and F = B\[Y\] / (Y² + Y + X^61): the polynomial has no root, for the trace of X^61 is 1.
impl Subfield for u64 {
    const BITS: usize = 64;

    #[inline]
    fn truncate(block: Block) -> Self {
        block as Self
    }

    #[inline]
    fn scale(self, element: Block) -> Block {
        gf64_multiply_both(self, element)
    }

    fn product(a: Block, b: Block) -> Block {
        const CONSTANT: u64 = 1 << 61;
        let [lower, upper] = [b, b >> 64].map(|half| (half as u64).scale(a));
        // Lower half, middle and Y² of the product, the middle in two parts; Y² is Y + X^61.
        let squares = (upper >> 64) as u64;
        let folded = Block::from(squares) << 64 | Block::from(gf64_multiply(squares, CONSTANT));
        lower ^ upper << 64 ^ folded
    }

    #[inline(always)]
    fn times_x<const N: usize>(elements: Registers<N>) -> Registers<N> {
        elements.times_x_both()
    }

    fn add_columns(sums: &mut Tile, tiles: &[Tile], coefficients: &[Block]) {
        add_products::<Self>(sums, tiles, coefficients);
    }
}

/// An element of GF(2^4) = GF(2)\[X\] / (X^4 + X + 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nibble(u8);

impl From<Nibble> for Block {
    fn from(Nibble(bits): Nibble) -> Self {
        bits.into()
    }
}

impl From<Nibble> for u8 {
    fn from(Nibble(bits): Nibble) -> Self {
        bits
    }
}

impl BitXor for Nibble {
    type Output = Self;

    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl BitXorAssign for Nibble {
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

impl BitAnd for Nibble {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Zeroize for Nibble {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// B = GF(2^4), and F = B\[Y\] / (Y^32 + Y^3 + Y + X), which a test finds to be a field. Each element of F but zero makes an element of B
/// known by their product, which is all that transfers with sixteen messages need.
impl Subfield for Nibble {
    const BITS: usize = 4;

    #[inline]
    fn truncate(block: Block) -> Self {
        Self(block as u8 & 15)
    }

    fn noise(block: Block) -> Self {
        // 1 to 15, each as likely as the others but for 2^-60.
        let scaled = (u128::from(block as u64) * 15) >> u64::BITS;
        Self(scaled as u8 + 1)
    }

    #[inline]
    fn scale(self, element: Block) -> Block {
        let mut power = Registers::new([element]);
        let mut sum = 0;
        for bit in 0..Self::BITS {
            let chosen = Block::from(self.0 >> bit & 1).wrapping_neg();
            sum ^= power.elements()[0] & chosen;
            power = power.times_x_nibbles();
        }
        sum
    }

    fn product(a: Block, b: Block) -> Block {
        // Horner's rule: Y^32 is Y^3 + Y + X.
        (0..Self::DEGREE).rev().fold(0, |sum: Block, place| {
            let highest = Self(((sum >> 124) & 15) as u8);
            let [by_x] = Registers::new([highest.into()]).times_x_nibbles().elements();
            let highest = Block::from(highest);
            let next = sum << 4 ^ highest << 12 ^ highest << 4 ^ by_x;
            next ^ Self::truncate(b >> (Self::BITS * place)).scale(a)
        })
    }

    #[inline(always)]
    fn times_x<const N: usize>(elements: Registers<N>) -> Registers<N> {
        elements.times_x_nibbles()
    }

    fn add_columns(sums: &mut Tile, tiles: &[Tile], coefficients: &[Block]) {
        add_products::<Self>(sums, tiles, coefficients);
    }
}

/// B = S^9 for S = GF(2^8) = GF(2)\[X\] / (X^8 + X^4 + X^3 + X + 1), and F = S\[Y\] / (Y^16 + Y^5 + Y^2 + X + 1), which a test finds to be a
/// field: B has the polynomials of degree 8 at most.
impl Subfield for Nonet {
    const BITS: usize = Self::BITS;

    const DEGREE: usize = 2;

    // Half of 2^20: a region of the code fits a second-level cache, and light words weigh more than in longer ones.
    const AT_ONCE: usize = 1 << 19;

    #[inline]
    fn truncate(block: Block) -> Self {
        Self::truncate(block)
    }

    fn scale(self, element: Block) -> Block {
        scale_bytes(&Block::from(self).to_le_bytes()[..Self::BYTES], element)
    }

    fn add_scaled(sums: &mut [Block], elements: &[Self], element: Block) {
        let mut images = Zeroizing::new([0; <Self as Subfield>::BITS]);
        let mut power = element;
        for byte in images.chunks_exact_mut(8) {
            let mut product = power;
            for image in byte {
                *image = product;
                product = times_x_bytes(product);
            }
            power = times_y(power);
        }
        NonetMap::new(|bit| images[bit]).add_to(sums, elements);
    }

    fn product(a: Block, b: Block) -> Block {
        scale_bytes(&b.to_le_bytes(), a)
    }

    #[inline(always)]
    fn times_x<const N: usize>(elements: Registers<N>) -> Registers<N> {
        elements.times_x_bytes()
    }

    fn add_columns(sums: &mut Tile, tiles: &[Tile], coefficients: &[Block]) {
        add_products::<Self>(sums, tiles, coefficients);
    }
}

/// The product of an element of F with the polynomial that has these coefficients in GF(2^8), by Horner's rule.
fn scale_bytes(coefficients: &[u8], element: Block) -> Block {
    let scaled = |coefficient: u8| {
        let (mut power, mut sum) = (element, 0);
        for bit in 0..8 {
            sum ^= power & Block::from(coefficient >> bit & 1).wrapping_neg();
            power = times_x_bytes(power);
        }
        sum
    };
    coefficients.iter().rev().fold(0, |sum, coefficient| times_y(sum) ^ scaled(*coefficient))
}

#[inline]
fn times_x_bytes(element: Block) -> Block {
    let [product] = Registers::new([element]).times_x_bytes().elements();
    product
}

/// The product with Y over GF(2^8): Y^16 is Y^5 + Y^2 + X + 1.
#[inline]
fn times_y(element: Block) -> Block {
    let highest = element >> 120;
    element << 8 ^ highest << 40 ^ highest << 16 ^ highest ^ times_x_bytes(highest)
}

/// Adds the columns of tiles, each entry times its tile's coefficient.
fn add_products<B: Subfield>(sums: &mut Tile, tiles: &[Tile], coefficients: &[Block]) {
    assert_eq!(tiles.len(), coefficients.len(), "a coefficient for each tile");
    for (tile, coefficient) in tiles.iter().zip(coefficients) {
        for (sum, entry) in sums.iter_mut().zip(tile) {
            *sum ^= B::product(*entry, *coefficient);
        }
    }
}

const _: () = assert!(TILE == Block::BITS as usize, "a tile has a row for each bit of a block");

#[cfg(test)]
mod tests {
    use super::*;

    /// Some elements of F, 0 and 1 among them.
    fn elements() -> Vec<Block> {
        let mut elements = vec![0, 1, 2, 1 << 63, 1 << 64, 1 << 127, Block::MAX];
        let digest = |n: u8| *blake3::hash(&[n]).as_bytes();
        elements.extend(
            (0..20).map(|n| Block::from_le_bytes(digest(n)[..16].try_into().expect("16 bytes"))),
        );
        elements
    }

    fn is_a_field_with_a_subfield<B: Subfield>() {
        is_a_field_around::<B>();
        // B is closed: x^(2^BITS) = x for its elements, and for no power of Y.
        let frobenius = |x| (0..B::BITS).fold(x, |x, _| B::product(x, x));
        assert!(elements().iter().all(|&a| {
            let a = B::truncate(a).into();
            frobenius(a) == a
        }));
        assert_eq!(B::DEGREE == 1, frobenius(1 << 127) == 1 << 127);
    }

    fn is_a_field_around<B: Subfield>() {
        let elements = elements();
        let product = B::product;
        for &a in &elements {
            assert_eq!(product(a, 1), a);
            // a^(2^128 − 1), which is 1 for all but 0 in a field of that size; and with it each has an inverse.
            let (power, _) = (0..128).fold((1, a), |(power, square), _| {
                (product(power, square), product(square, square))
            });
            assert_eq!(power, Block::from(a != 0), "{a:x}");
            let narrow = B::truncate(a);
            for &b in &elements {
                assert_eq!(product(a, b), product(b, a));
                assert_eq!(narrow.scale(b), product(narrow.into(), b));
                for &c in &elements[..9] {
                    assert_eq!(product(a, product(b, c)), product(product(a, b), c));
                    assert_eq!(product(a, b ^ c), product(a, b) ^ product(a, c));
                }
                let mut sums = [3; TILE];
                B::add_columns(&mut sums, &[[a; TILE], [b; TILE]], &[b, a]);
                assert_eq!(sums, [3; TILE]);
            }
            let twice = B::times_x(Registers::new([a])).elements();
            assert_eq!(twice, [product(2, a)]);
        }
        let narrow: Vec<B> = elements.iter().map(|element| B::truncate(*element)).collect();
        for &factor in &elements {
            let mut sums = elements.clone();
            B::add_scaled(&mut sums, &narrow, factor);
            let wanted = elements.iter().zip(&narrow).map(|(start, b)| start ^ b.scale(factor));
            assert!(sums.iter().copied().eq(wanted));
        }
    }

    /// x^(2^128) = x for all x, as tested for every B, and x^(2^64) − x has an inverse for Y: so the modulus of F over
    /// GF(2^8), of degree 16, is irreducible.
    #[test]
    fn nonets_lie_in_a_field_over_bytes() {
        is_a_field_around::<Nonet>();
        let product = <Nonet as Subfield>::product;
        let frobenius = |x, times: u32| (0..times).fold(x, |x, _| product(x, x));
        let y = 1 << 8;
        assert_eq!(frobenius(y, 128), y);
        assert_eq!(times_y(1 << 120), product(y, 1 << 120));
        let difference = frobenius(y, 64) ^ y;
        let (inverse, _) = (0..128).fold((1, difference), |(power, square), bit| {
            let next = if bit == 0 { power } else { product(power, square) };
            (next, product(square, square))
        });
        assert_eq!(product(difference, inverse), 1);
        // Bytes by themselves are closed.
        assert!((0..256_u128).all(|byte| frobenius(byte, 8) == byte));
    }

    #[test]
    fn noise_of_a_small_field_is_never_zero() {
        let mut counts = [0; 16];
        for n in 0..3000_u32 {
            let digest = *blake3::hash(&n.to_le_bytes()).as_bytes();
            let block = Block::from_le_bytes(digest[..16].try_into().expect("16 bytes"));
            counts[usize::from(u8::from(Nibble::noise(block)))] += 1;
        }
        assert_eq!(counts[0], 0);
        assert!(counts[1..].iter().all(|count| (150..250).contains(count)), "{counts:?}");
        assert_eq!(u8::from(Nibble::noise(Block::MAX)), 15);
    }

    #[test]
    fn all_are_fields_of_2_to_the_128_with_a_subfield() {
        is_a_field_with_a_subfield::<Nibble>();
        is_a_field_with_a_subfield::<u64>();
        is_a_field_with_a_subfield::<u128>();
    }
}
