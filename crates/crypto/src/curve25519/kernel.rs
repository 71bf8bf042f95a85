//! Multiplication on Curve25519, for many values and one thread.

use veilset_simd::{Kernel, x25519};
use zeroize::Zeroizing;

use super::Point;
pub use super::elligator::{expansion, map_batch};
use super::library::Multiplier;

/// A secret scalar: 32 bytes, clamped as RFC 7748 says. Wiped when dropped.
pub struct Scalar {
    bytes: Zeroizing<[u8; 32]>,
    /// The same for the library that multiplies where no lanes do.
    library: Multiplier,
}

impl Scalar {
    /// The scalar of these bytes.
    ///
    /// # Panics
    /// When memory is exhausted.
    #[must_use]
    pub fn new(bytes: &[u8; 32]) -> Self {
        Self { bytes: Zeroizing::new(*bytes), library: Multiplier::new(bytes) }
    }
}

impl Scalar {
    /// Its bytes, for a device.
    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.bytes
    }
}

/// Replaces each point by its product with `scalar`: X25519, by which the top bit of a point is ignored and its number
/// reduced. The neutral element becomes 0, which no other point does.
///
/// Without lanes ([`Kernel::Scalar`]) a library multiplies.
pub fn multiply_batch(kernel: Kernel, scalar: &Scalar, points: &mut [Point]) {
    if kernel > Kernel::Scalar {
        return x25519(kernel, &scalar.bytes, points);
    }
    for point in points {
        *point = scalar.library.multiply(point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::unhex;

    /// X25519 with every kernel, which must agree.
    fn product(key: &[u8; 32], point: &Point) -> Point {
        let products: Vec<Point> = Kernel::available()
            .map(|kernel| {
                let mut points = [*point];
                multiply_batch(kernel, &Scalar::new(key), &mut points);
                points[0]
            })
            .collect();
        assert!(products.iter().all(|product| *product == products[0]));
        products[0]
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
        for (scalar, u, result) in vectors {
            assert_eq!(product(&unhex(scalar), &unhex(u)), unhex(result));
        }
    }

    #[test]
    fn the_iterated_vector_of_rfc_7748_holds() {
        let mut nine = [0; 32];
        nine[0] = 9;
        let (mut k, mut u) = (nine, nine);
        for round in 1..=1000 {
            (k, u) = (product(&k, &u), k);
            if round == 1 {
                let once = "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079";
                assert_eq!(k, unhex(once));
            }
        }
        let end = "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51";
        assert_eq!(k, unhex(end));
    }

    #[test]
    fn the_neutral_element_is_zero() {
        for kernel in Kernel::available() {
            let mut points = [[9; 32], [0; 32], [3; 32]];
            multiply_batch(kernel, &Scalar::new(&[5; 32]), &mut points);
            assert_eq!(points.map(|point| point == [0; 32]), [false, true, false]);
        }
    }
}
