//! The operations of ristretto255 that take all the time, for many values and one thread.

use std::sync::LazyLock;

use curve25519_dalek::RistrettoPoint;
use curve25519_dalek::ristretto::CompressedRistretto;
use curve25519_dalek::traits::IsIdentity;
use rand_core::CryptoRng;
use sha2::Sha512;
use zeroize::{Zeroize, Zeroizing};

use crate::Element;
use crate::expand::Expander;

/// The suite's name in RFC 9380 (appendix B).
pub(crate) const SUITE: &str = "ristretto255_XMD:SHA-512_R255MAP_RO_";

/// The domain separation tag.
pub(crate) const DST: &str = "VEILSET-V01-ristretto255_XMD:SHA-512_R255MAP_RO_";

static EXPANDER: LazyLock<Expander<Sha512>> = LazyLock::new(|| Expander::new(DST.as_bytes()));

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

    /// The scalar with which the product is 1.
    #[must_use]
    pub fn inverse(&self) -> Self {
        // (1 / 2h) / 2 = (1 / h) / 4.
        let inverse = Zeroizing::new(self.half.invert());
        Self { half: Zeroizing::new(inverse.div_by_2().div_by_2()) }
    }
}

/// Puts the mapped elements into `points`.
///
/// # Panics
/// When the two differ in length.
pub fn map_batch(elements: &[Element], points: &mut [RistrettoPoint]) {
    assert_eq!(elements.len(), points.len(), "each element has its point");
    for (element, point) in elements.iter().zip(points) {
        *point = map(&EXPANDER, &element.0);
    }
}

/// The one-way map of RFC 9496 (section 4.3.4), two Elligator maps and an addition, after 64 uniform bytes.
fn map(expander: &Expander<Sha512>, message: &[u8]) -> RistrettoPoint {
    let mut uniform = expander.expand(message);
    let point = RistrettoPoint::from_uniform_bytes(&uniform);
    uniform.zeroize();
    point
}

/// Puts the points that a peer sent into `points`.
///
/// # Errors
/// With the place of the first that is not a canonical encoding or encodes the neutral element.
///
/// # Panics
/// When the two differ in length.
pub fn decode_batch(encoded: &[[u8; 32]], points: &mut [RistrettoPoint]) -> Result<(), usize> {
    assert_eq!(encoded.len(), points.len(), "each encoding has its point");
    for (index, (encoded, point)) in encoded.iter().zip(points).enumerate() {
        let decoded = CompressedRistretto(*encoded).decompress();
        *point = decoded.filter(|point| !point.is_identity()).ok_or(index)?;
    }
    Ok(())
}

/// Replaces each point by half of its product with `scalar`.
pub fn multiply_and_halve_batch(scalar: &Scalar, points: &mut [RistrettoPoint]) {
    for point in points {
        *point *= *scalar.half;
    }
}

/// Puts the encodings of the doubled points into `encoded`: one inversion for all, where one by one each takes a root.
///
/// # Panics
/// When the two differ in length.
pub fn encode_doubled_batch(points: &[RistrettoPoint], encoded: &mut [[u8; 32]]) {
    assert_eq!(points.len(), encoded.len(), "each point has its encoding");
    let doubled = RistrettoPoint::double_and_compress_batch(points);
    for (doubled, encoded) in doubled.iter().zip(encoded) {
        *encoded = doubled.0;
    }
}

#[cfg(test)]
mod tests {
    use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT as G;

    use super::*;
    use crate::vectors::{file, hex, text, unhex};

    type DalekScalar = curve25519_dalek::Scalar;

    fn scalar(value: DalekScalar) -> Scalar {
        Scalar { half: Zeroizing::new(value.div_by_2()) }
    }

    fn multiply(value: DalekScalar, point: RistrettoPoint) -> [u8; 32] {
        let (mut points, mut encoded) = ([point], [[0; 32]]);
        multiply_and_halve_batch(&scalar(value), &mut points);
        encode_doubled_batch(&points, &mut encoded);
        encoded[0]
    }

    #[test]
    fn the_oprf_vectors_of_rfc_9497_hold() {
        let file = file(include_str!("../../../../vectors/rfc9497-ristretto255.json"));
        let expander = Expander::new(text(&file["dst"]));
        let bytes = |value: &serde_json::Value| unhex(value.as_str().expect("a string"));
        let number = |value| DalekScalar::from_canonical_bytes(bytes(value)).expect("below ℓ");
        let vectors = file["vectors"].as_array().expect("a list");
        assert_eq!(vectors.len(), 2);
        for (vector, input) in vectors.iter().zip([&[0][..], &[0x5a; 17]]) {
            assert_eq!(hex(input), vector["input"]);
            let blinded = multiply(number(&vector["blind"]), map(&expander, input));
            assert_eq!(blinded, bytes(&vector["blinded"]));
            let mut received = [G];
            assert_eq!(decode_batch(&[blinded], &mut received), Ok(()));
            assert_eq!(multiply(number(&file["sk"]), received[0]), bytes(&vector["evaluated"]));
        }
    }

    #[test]
    fn small_multiples_are_those_of_rfc_9496() {
        let multiples = [
            (1, "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76"),
            (2, "6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919"),
            (5, "e882b131016b52c1d3337080187cf768423efccbb517bb495ab812c4160ff44e"),
        ];
        for (k, encoded) in multiples {
            assert_eq!(multiply(DalekScalar::from(k as u64), G), unhex(encoded));
        }
    }

    #[test]
    fn a_thousand_elements_map_to_different_points_of_the_group() {
        let elements: Vec<Element> = (0..1000u32)
            .map(|index| Element(*blake3::hash(&index.to_le_bytes()).as_bytes()))
            .collect();
        let mut points = vec![G; 1000];
        map_batch(&elements, &mut points);
        let encoded: std::collections::HashSet<[u8; 32]> =
            points.iter().map(|point| point.compress().0).collect();
        assert_eq!(encoded.len(), 1000);
    }

    #[test]
    fn an_inverse_undoes() {
        let key = scalar(DalekScalar::from(12_345u64));
        let mut points = [G];
        multiply_and_halve_batch(&key, &mut points);
        multiply_and_halve_batch(&key.inverse(), &mut points);
        // Halved twice.
        assert_eq!(points[0] * DalekScalar::from(4u64), G);
    }
}
