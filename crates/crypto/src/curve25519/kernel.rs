//! Multiplication on Curve25519, for many values and one thread.

use aws_lc_rs::agreement::{PrivateKey, UnparsedPublicKey, X25519, agree};

use super::Point;
pub use super::elligator::map_batch;

/// A secret scalar: 32 bytes, clamped as RFC 7748 says. Wiped when dropped.
pub struct Scalar(PrivateKey);

impl Scalar {
    /// The scalar of these bytes.
    ///
    /// # Panics
    /// When memory is exhausted.
    #[must_use]
    pub fn new(bytes: &[u8; 32]) -> Self {
        Self(PrivateKey::from_private_key(&X25519, bytes).expect("any 32 bytes are a scalar"))
    }

    /// X25519: the product of the scalar and a point; `None` if that is the neutral element.
    ///
    /// The top bit of the point is ignored and its number reduced, as RFC 7748 says.
    #[must_use]
    pub fn multiply(&self, point: &Point) -> Option<Point> {
        let point = UnparsedPublicKey::new(&X25519, point);
        agree(&self.0, point, (), |product| product.try_into().map_err(|_| ())).ok()
    }
}

/// Replaces each point by its product with `scalar`; the neutral element becomes 0, which no other point does.
pub fn multiply_batch(scalar: &Scalar, points: &mut [Point]) {
    for point in points {
        *point = scalar.multiply(point).unwrap_or([0; 32]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::unhex;

    fn x25519(key: &[u8; 32], point: &Point) -> Option<Point> {
        Scalar::new(key).multiply(point)
    }

    #[test]
    fn the_single_vectors_of_rfc_7748_hold() {
        let vectors = [
            (
                "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
                "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
                "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
            ),
            (
                "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
                "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
                "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
            ),
        ];
        for (scalar, u, product) in vectors {
            assert_eq!(x25519(&unhex(scalar), &unhex(u)), Some(unhex(product)));
        }
    }

    #[test]
    fn the_iterated_vector_of_rfc_7748_holds() {
        let mut nine = [0; 32];
        nine[0] = 9;
        let (mut k, mut u) = (nine, nine);
        for round in 1..=1000 {
            (k, u) = (x25519(&k, &u).expect("not neutral"), k);
            if round == 1 {
                let once = "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079";
                assert_eq!(k, unhex(once));
            }
        }
        let end = "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51";
        assert_eq!(k, unhex(end));
    }

    #[test]
    fn a_batch_is_one_by_one_and_the_neutral_element_is_zero() {
        let key = [5; 32];
        let mut points = [[9; 32], [0; 32], [3; 32]];
        let expected = points.map(|point| x25519(&key, &point).unwrap_or([0; 32]));
        multiply_batch(&Scalar::new(&key), &mut points);
        assert_eq!(points, expected);
        assert_eq!(points[1], [0; 32]);
    }
}
