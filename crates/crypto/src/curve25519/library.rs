//! X25519 by a library: aws-lc has the fastest scalar code there is, and curve25519-dalek is for where aws-lc does not run.

#[cfg(not(target_family = "wasm"))]
pub(super) use native::Multiplier;
#[cfg(target_family = "wasm")]
pub(super) use portable::Multiplier;

#[cfg(not(target_family = "wasm"))]
mod native {
    use aws_lc_rs::agreement::{PrivateKey, UnparsedPublicKey, X25519, agree};

    use crate::curve25519::Point;

    /// A secret scalar in the library's form, which it wipes.
    pub(in crate::curve25519) struct Multiplier(PrivateKey);

    impl Multiplier {
        /// # Panics
        /// When memory is exhausted.
        pub(in crate::curve25519) fn new(bytes: &[u8; 32]) -> Self {
            let key = PrivateKey::from_private_key(&X25519, bytes);
            Self(key.expect("any 32 bytes are a scalar"))
        }

        /// The product, and 0 for the neutral element.
        pub(in crate::curve25519) fn multiply(&self, point: &Point) -> Point {
            let peer = UnparsedPublicKey::new(&X25519, point);
            let product = agree(&self.0, peer, (), |product| product.try_into().map_err(|_| ()));
            product.unwrap_or([0; 32])
        }
    }
}

#[cfg(any(target_family = "wasm", test))]
mod portable {
    use curve25519_dalek::MontgomeryPoint;
    use zeroize::Zeroizing;

    use crate::curve25519::Point;

    /// A secret scalar, wiped when dropped.
    pub(in crate::curve25519) struct Multiplier(Zeroizing<[u8; 32]>);

    impl Multiplier {
        pub(in crate::curve25519) fn new(bytes: &[u8; 32]) -> Self {
            Self(Zeroizing::new(*bytes))
        }

        /// The product, and 0 for the neutral element.
        pub(in crate::curve25519) fn multiply(&self, point: &Point) -> Point {
            MontgomeryPoint(*point).mul_clamped(*self.0).to_bytes()
        }
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::{native, portable};

    #[test]
    fn both_libraries_say_the_same_of_every_32_bytes() {
        let bytes = |index: u32| *blake3::hash(&index.to_le_bytes()).as_bytes();
        let mut points: Vec<[u8; 32]> = (0..50).map(bytes).collect();
        // The neutral element, points of small order, and numbers that are not reduced.
        points.extend([0, 1, 9].map(|low| std::array::from_fn(|at| if at == 0 { low } else { 0 })));
        let order_of_8 = "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800";
        points.push(crate::vectors::unhex(order_of_8));
        points.extend([0xec, 0xed, 0xee, 0xff].map(|low| {
            std::array::from_fn(|at| match at {
                0 => low,
                31 => 0x7f,
                _ => 0xff,
            })
        }));
        for (index, point) in points.iter().enumerate() {
            let scalar = bytes(1000 + index as u32);
            let product = native::Multiplier::new(&scalar).multiply(point);
            assert_eq!(portable::Multiplier::new(&scalar).multiply(point), product, "{point:?}");
        }
    }
}
