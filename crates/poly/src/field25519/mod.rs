//! The field of 2^255 − 19 elements.

use veilset_crypto::Field;
use veilset_simd::{Kernel, field25519};
use zeroize::Zeroize;

#[cfg(test)]
mod tests;

/// Integers modulo p = 2^255 − 19, the field that the coordinates of Curve25519 are from.
#[derive(Debug, Clone, Copy)]
pub struct Field25519 {
    kernel: Kernel,
}

/// An integer below 2^255 − 19.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Element25519([u64; 4]);

/// p, in words, least first.
pub(crate) const P: [u64; 4] = [u64::MAX - 18, u64::MAX, u64::MAX, u64::MAX >> 1];

impl Field25519 {
    /// The field, with the fastest kernel that runs here.
    #[must_use]
    pub fn new() -> Self {
        Self { kernel: Kernel::best() }
    }

    pub(crate) const fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The field with a kernel of one's choice, for tests and measurements; one that does not run here gives way to the
    /// plain one.
    #[must_use]
    pub const fn with_kernel(kernel: Kernel) -> Self {
        Self { kernel }
    }

    /// a^e for an e of that many bits, all 1 but for `zeros`.
    fn power(&self, a: &Element25519, bits: u32, zeros: &[u32]) -> Element25519 {
        (0..bits).rev().fold(self.one(), |power, bit| {
            let square = self.mul(&power, &power);
            if zeros.contains(&bit) { square } else { self.mul(&square, a) }
        })
    }
}

impl Default for Field25519 {
    fn default() -> Self {
        Self::new()
    }
}

impl Element25519 {
    /// The element with this little-endian encoding; `None` if it is not below 2^255 − 19.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        let (words, _) = bytes.as_chunks::<8>();
        let words = std::array::from_fn(|index| u64::from_le_bytes(words[index]));
        Self::from_words(words)
    }

    /// The residue of a little-endian number of 256 bits.
    #[must_use]
    pub fn reduced(bytes: &[u8; 32]) -> Self {
        let (words, _) = bytes.as_chunks::<8>();
        let words: [u64; 4] = std::array::from_fn(|index| u64::from_le_bytes(words[index]));
        Self(fold([words[0], words[1], words[2], words[3], 0]))
    }

    /// The little-endian encoding, below 2^255 − 19.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (bytes, word) in bytes.chunks_exact_mut(8).zip(self.0) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    pub(crate) const fn words(&self) -> &field25519::Number {
        &self.0
    }

    /// `None` if the number is not below p.
    pub(crate) fn from_words(words: field25519::Number) -> Option<Self> {
        words.iter().rev().lt(P.iter().rev()).then_some(Self(words))
    }
}

impl Zeroize for Element25519 {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Field for Field25519 {
    type Element = Element25519;

    fn zero(&self) -> Element25519 {
        Element25519([0; 4])
    }

    fn one(&self) -> Element25519 {
        Element25519([1, 0, 0, 0])
    }

    fn element(&self, value: u64) -> Element25519 {
        Element25519([value, 0, 0, 0])
    }

    fn add(&self, a: &Element25519, b: &Element25519) -> Element25519 {
        Element25519(fold(sum(a.0, b.0, 0)))
    }

    fn sub(&self, a: &Element25519, b: &Element25519) -> Element25519 {
        self.add(a, &self.neg(b))
    }

    fn mul(&self, a: &Element25519, b: &Element25519) -> Element25519 {
        let mut product = [0u64; 8];
        for (i, a) in a.0.iter().enumerate() {
            let mut carry = 0;
            for (j, b) in b.0.iter().enumerate() {
                (product[i + j], carry) = multiply_add(*a, *b, product[i + j], carry);
            }
            product[i + 4] = carry;
        }
        // 2^256 = 38.
        let mut folded = [0; 5];
        for index in 0..4 {
            (folded[index], folded[4]) =
                multiply_add(product[index + 4], 38, product[index], folded[4]);
        }
        Element25519(fold(folded))
    }

    fn neg(&self, a: &Element25519) -> Element25519 {
        // p − a = p + (2^256 − 1 − a) + 1 − 2^256, and never borrows.
        let [w0, w1, w2, w3, _] = sum(P, a.0.map(|word| !word), 1);
        Element25519(fold([w0, w1, w2, w3, 0]))
    }

    fn inverse(&self, a: &Element25519) -> Option<Element25519> {
        // p − 2 = 2^255 − 1 − 2^4 − 2^2.
        (*a != self.zero()).then(|| self.power(a, 255, &[4, 2]))
    }

    fn root_of_unity(&self, log_size: u32) -> Option<Element25519> {
        match log_size {
            0 => Some(self.one()),
            1 => Some(self.neg(&self.one())),
            // 2 is no square, as p = 5 modulo 8. (p − 1)/4 = 2^253 − 1 − 2^2.
            2 => Some(self.power(&self.element(2), 253, &[2])),
            _ => None,
        }
    }
}

/// a·b + c + d, which fits two words: the lower and the higher one.
fn multiply_add(a: u64, b: u64, c: u64, d: u64) -> (u64, u64) {
    let wide = u128::from(a) * u128::from(b) + u128::from(c) + u128::from(d);
    (wide as u64, (wide >> 64) as u64)
}

/// a + b + carry
fn sum(a: [u64; 4], b: [u64; 4], carry: u64) -> [u64; 5] {
    let mut sum = [0, 0, 0, 0, carry];
    for index in 0..4 {
        let wide = u128::from(a[index]) + u128::from(b[index]) + u128::from(sum[4]);
        (sum[index], sum[4]) = (wide as u64, (wide >> 64) as u64);
    }
    sum
}

/// The number below p of one whose last word is below 2^7.
fn fold(words: [u64; 5]) -> [u64; 4] {
    // 2^255 = 19.
    let [w0, w1, w2, w3, w4] = words;
    let high = w4 << 1 | w3 >> 63;
    let [w0, w1, w2, w3, _] = sum([w0, w1, w2, w3 & u64::MAX >> 1], [19 * high, 0, 0, 0], 0);
    // Now below 2^255 + 2^13: at least p if and only if adding 19 reaches 2^255.
    let [.., reached, _] = sum([w0, w1, w2, w3], [19, 0, 0, 0], 0);
    let [w0, w1, w2, w3, _] = sum([w0, w1, w2, w3], [19 * (reached >> 63), 0, 0, 0], 0);
    [w0, w1, w2, w3 & u64::MAX >> 1]
}
