//! The operations of ristretto255 that take all the time, for many values and one thread.

use std::sync::LazyLock;

use rand_core::CryptoRng;
use veilset_simd::{Kernel, ristretto255};
use zeroize::Zeroizing;

use crate::Element;
use crate::expand::BatchExpander;

pub use veilset_simd::ristretto255::Point;

/// The suite's name in RFC 9380 (appendix B).
pub(crate) const SUITE: &str = "ristretto255_XMD:SHA-512_R255MAP_RO_";

/// The domain separation tag.
pub(crate) const DST: &str = "VEILSET-V01-ristretto255_XMD:SHA-512_R255MAP_RO_";

static EXPANDER: LazyLock<BatchExpander<64>> = LazyLock::new(|| BatchExpander::new(DST.as_bytes()));

/// A secret scalar other than 0 modulo ℓ. Wiped when dropped.
///
/// It is kept halved, for encoding many points at once doubles them: [`encode_doubled_batch`].
pub struct Scalar {
    half: Zeroizing<curve25519_dalek::Scalar>,
}

impl Scalar {
    /// A uniform one.
    pub fn generate(rng: &mut dyn CryptoRng) -> Self {
        let mut wide = Zeroizing::new([0; 64]);
        loop {
            // 0 has probability 2^-252. Half of a uniform scalar is a uniform scalar.
            rng.fill_bytes(wide.as_mut_slice());
            let half = curve25519_dalek::Scalar::from_bytes_mod_order_wide(&wide);
            if half != curve25519_dalek::Scalar::ZERO {
                return Self { half: Zeroizing::new(half) };
            }
        }
    }

    /// This one, which is not 0.
    pub(crate) fn of(value: &curve25519_dalek::Scalar) -> Self {
        Self { half: Zeroizing::new(value.div_by_2()) }
    }

    /// The one with this canonical encoding: a number below ℓ other than 0, little-endian; `None` of any other bytes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        let value = Option::from(curve25519_dalek::Scalar::from_canonical_bytes(*bytes));
        let value: Zeroizing<curve25519_dalek::Scalar> = Zeroizing::new(value?);
        (*value != curve25519_dalek::Scalar::ZERO).then(|| Self::of(&value))
    }

    /// Its canonical encoding.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        let value = Zeroizing::new(*self.half + *self.half);
        Zeroizing::new(value.to_bytes())
    }

    /// The scalar with which the product is 1.
    #[must_use]
    pub fn inverse(&self) -> Self {
        // (1 / 2h) / 2 = (1 / h) / 4.
        let inverse = Zeroizing::new(self.half.invert());
        Self { half: Zeroizing::new(inverse.div_by_2().div_by_2()) }
    }
}

/// Puts the mapped elements into `points`: the one-way map of RFC 9496 (section 4.3.4) after 64 uniform bytes.
///
/// # Panics
/// When the two differ in length.
pub fn map_batch(kernel: Kernel, elements: &[Element], points: &mut [Point]) {
    map_with(kernel, &EXPANDER, elements, points);
}

/// [`map_batch`] under the expander's tag.
pub(crate) fn map_with(
    kernel: Kernel,
    expander: &BatchExpander<64>,
    elements: &[Element],
    points: &mut [Point],
) {
    let mut uniform = Zeroizing::new(vec![[0; 64]; elements.len()]);
    expander.expand(kernel, elements, &mut uniform);
    ristretto255::map(kernel, &uniform, points);
}

/// Puts the points that a peer sent into `points`.
///
/// # Errors
/// With the place of the first that is not a canonical encoding or encodes the neutral element.
///
/// # Panics
/// When the two differ in length.
pub fn decode_batch(
    kernel: Kernel,
    encoded: &[[u8; 32]],
    points: &mut [Point],
) -> Result<(), usize> {
    ristretto255::decode_non_neutral(kernel, encoded, points)
}

/// Replaces each point by half of its product with `scalar`.
pub fn multiply_and_halve_batch(kernel: Kernel, scalar: &Scalar, points: &mut [Point]) {
    ristretto255::multiply_all(kernel, scalar.half.as_bytes(), points);
}

/// Puts the encodings of the doubled points into `encoded`: one inversion for many, where one by one each takes a root.
///
/// # Panics
/// When the two differ in length.
pub fn encode_doubled_batch(kernel: Kernel, points: &[Point], encoded: &mut [[u8; 32]]) {
    ristretto255::encode_doubled(kernel, points, encoded);
}

#[cfg(test)]
mod tests {
    use curve25519_dalek::RistrettoPoint;
    use sha2::Sha512;

    use super::*;
    use crate::expand::Expander;
    use crate::vectors::{file, hex, text, unhex};

    type DalekScalar = curve25519_dalek::Scalar;

    fn multiply(kernel: Kernel, value: DalekScalar, point: Point) -> [u8; 32] {
        let (mut points, mut encoded) = ([point], [[0; 32]]);
        multiply_and_halve_batch(kernel, &Scalar::of(&value), &mut points);
        encode_doubled_batch(kernel, &points, &mut encoded);
        encoded[0]
    }

    #[test]
    fn the_oprf_vectors_of_rfc_9497_hold() {
        let file = file(include_str!("../../../../vectors/rfc9497-ristretto255.json"));
        let expander = Expander::<Sha512>::new(text(&file["dst"]));
        let bytes = |value: &serde_json::Value| unhex(value.as_str().expect("a string"));
        let number = |value| DalekScalar::from_canonical_bytes(bytes(value)).expect("below ℓ");
        let vectors = file["vectors"].as_array().expect("a list");
        assert_eq!(vectors.len(), 2);
        for kernel in Kernel::available() {
            for (vector, input) in vectors.iter().zip([&[0][..], &[0x5a; 17]]) {
                assert_eq!(hex(input), vector["input"]);
                let mut points = [Point::IDENTITY];
                ristretto255::map(kernel, &[expander.expand(input)], &mut points);
                let blinded = multiply(kernel, number(&vector["blind"]), points[0]);
                assert_eq!(blinded, bytes(&vector["blinded"]));
                assert_eq!(decode_batch(kernel, &[blinded], &mut points), Ok(()));
                let evaluated = multiply(kernel, number(&file["sk"]), points[0]);
                assert_eq!(evaluated, bytes(&vector["evaluated"]));
            }
        }
    }

    #[test]
    fn elements_map_as_another_library_says() {
        let expander = Expander::<Sha512>::new(DST.as_bytes());
        let elements: Vec<Element> = (0..1000u32)
            .map(|index| Element(*blake3::hash(&index.to_le_bytes()).as_bytes()))
            .collect();
        let mapped =
            |element: &Element| RistrettoPoint::from_uniform_bytes(&expander.expand(&element.0));
        let expected: Vec<_> =
            elements.iter().map(|element| mapped(element).compress().0).collect();
        for kernel in Kernel::available() {
            let mut points = vec![Point::IDENTITY; 1000];
            map_batch(kernel, &elements, &mut points);
            let mut encoded = vec![[0; 32]; 1000];
            ristretto255::encode(kernel, &points, &mut encoded);
            assert_eq!(encoded, expected, "{kernel:?}");
        }
        let distinct: std::collections::HashSet<[u8; 32]> = expected.into_iter().collect();
        assert_eq!(distinct.len(), 1000);
    }

    #[test]
    fn a_scalar_is_written_as_it_is_read_and_only_numbers_from_1_to_below_the_order_are_read() {
        let order_less_one = (-DalekScalar::ONE).to_bytes();
        let mut order = order_less_one;
        order[0] += 1;
        for bytes in [order_less_one, DalekScalar::from(2u64).to_bytes()] {
            let read = Scalar::from_bytes(&bytes).expect("below the order");
            assert_eq!(*read.to_bytes(), bytes);
            assert_eq!(*read.inverse().inverse().to_bytes(), bytes);
        }
        for bytes in [[0; 32], order, [255; 32]] {
            assert!(Scalar::from_bytes(&bytes).is_none());
        }
    }

    #[test]
    fn an_inverse_undoes() {
        let key = Scalar::of(&DalekScalar::from(12_345u64));
        for kernel in Kernel::available() {
            let mut points = [Point::GENERATOR];
            multiply_and_halve_batch(kernel, &key, &mut points);
            multiply_and_halve_batch(kernel, &key.inverse(), &mut points);
            // Halved twice.
            let (mut once, mut twice) = ([[0; 32]], [[0; 32]]);
            ristretto255::double(kernel, &mut points);
            encode_doubled_batch(kernel, &points, &mut twice);
            ristretto255::encode(kernel, &[Point::GENERATOR], &mut once);
            assert_eq!(twice, once);
        }
    }
}
