//! Multiplication on P-256 by a library: aws-lc, and p256 where aws-lc does not run.

#[cfg(not(target_family = "wasm"))]
pub(super) use native::Multiplier;
#[cfg(target_family = "wasm")]
pub(super) use portable::Multiplier;

#[cfg(not(target_family = "wasm"))]
mod native {
    use aws_lc_rs::agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree};
    use veilset_simd::p256::{Point, X};
    use zeroize::Zeroizing;

    /// A secret scalar in the library's form, which it wipes.
    pub(in crate::p256) struct Multiplier(PrivateKey);

    impl Multiplier {
        /// Of a scalar from 1 to n − 1.
        ///
        /// # Panics
        /// For any other, and when memory is exhausted.
        pub(in crate::p256) fn new(bytes: &[u8; 32]) -> Self {
            Self(PrivateKey::from_private_key(&ECDH_P256, bytes).expect("1 to n − 1"))
        }

        /// The x-coordinate of the product with a point; `None` if the point is not on the curve.
        pub(in crate::p256) fn multiply(&self, point: &Point) -> Option<X> {
            let mut encoded = Zeroizing::new([4; 65]);
            encoded[1..].copy_from_slice(point);
            let point = UnparsedPublicKey::new(&ECDH_P256, encoded.as_slice());
            agree(&self.0, point, (), |product| product.try_into().map_err(|_| ())).ok()
        }
    }
}

#[cfg(any(target_family = "wasm", test))]
mod portable {
    use p256::elliptic_curve::point::AffineCoordinates;
    use p256::elliptic_curve::sec1::FromSec1Point;
    use p256::{AffinePoint, NonZeroScalar, ProjectivePoint, Sec1Point};
    use veilset_simd::p256::{Point, X};
    use zeroize::Zeroizing;

    /// A secret scalar, wiped when dropped.
    pub(in crate::p256) struct Multiplier(Zeroizing<NonZeroScalar>);

    impl Multiplier {
        /// Of a scalar from 1 to n − 1.
        ///
        /// # Panics
        /// For any other.
        pub(in crate::p256) fn new(bytes: &[u8; 32]) -> Self {
            let scalar = NonZeroScalar::from_repr((*bytes).into());
            Self(Zeroizing::new(scalar.into_option().expect("1 to n − 1")))
        }

        /// The x-coordinate of the product with a point; `None` if the point is not on the curve.
        pub(in crate::p256) fn multiply(&self, point: &Point) -> Option<X> {
            let encoded = Sec1Point::from_untagged_bytes(point.into());
            let point = AffinePoint::from_sec1_point(&encoded).into_option()?;
            let product = ProjectivePoint::from(point) * **self.0;
            Some(product.to_affine().x().into())
        }
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use p256::ProjectivePoint;
    use p256::elliptic_curve::Group;
    use p256::elliptic_curve::sec1::ToSec1Point;

    use super::{native, portable};

    #[test]
    fn both_libraries_say_the_same_of_points_and_of_others() {
        let mut factor = ProjectivePoint::generator();
        for index in 0..20_u32 {
            let mut scalar = *blake3::hash(&index.to_le_bytes()).as_bytes();
            scalar[0] &= 0x7f;
            let (native, portable) =
                (native::Multiplier::new(&scalar), portable::Multiplier::new(&scalar));
            let mut point = [0; 64];
            point.copy_from_slice(&factor.to_affine().to_sec1_point(false).as_bytes()[1..]);
            let product = native.multiply(&point);
            assert!(product.is_some());
            assert_eq!(portable.multiply(&point), product);
            point[40] ^= 1;
            assert_eq!((native.multiply(&point), portable.multiply(&point)), (None, None));
            factor = factor.double();
        }
    }
}
