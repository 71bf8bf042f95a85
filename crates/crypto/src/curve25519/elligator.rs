//! From elements into the curve: `encode_to_curve` of RFC 9380 for the suite [`SUITE`], without the last step.
//!
//! An element is hashed to a number, and [`elligator2`] takes that to a point, of which only the u-coordinate is
//! computed; all steps take the same time for every element. The last step of the suite, multiplication by the cofactor
//! 8, is left to the first scalar multiplication: see [`Curve25519Prf`](crate::Curve25519Prf).

use std::sync::LazyLock;

use veilset_simd::{Kernel, elligator2};
use zeroize::Zeroizing;

use super::Point;
use crate::Element;
use crate::expand::{BatchExpander, Expansion};

/// The suite's name in RFC 9380.
pub(crate) const SUITE: &str = "curve25519_XMD:SHA-512_ELL2_NU_";

/// The domain separation tag; at 43 bytes it keeps each of the two hashes of an element to one block after the zeros.
pub(crate) const DST: &str = "VEILSET-V01-curve25519_XMD:SHA-512_ELL2_NU_";

static EXPANDER: LazyLock<BatchExpander<48>> = LazyLock::new(|| BatchExpander::new(DST.as_bytes()));

/// What a device needs to take elements to the numbers that [`map_batch`] maps.
#[must_use]
pub fn expansion() -> Expansion {
    EXPANDER.single_blocks()
}

/// Puts the mapped elements, not yet cleared of the cofactor, into `points`.
///
/// # Panics
/// When the two differ in length.
pub fn map_batch(kernel: Kernel, elements: &[Element], points: &mut [Point]) {
    assert_eq!(elements.len(), points.len(), "each element has its point");
    let mut uniform = Zeroizing::new(vec![[0; 48]; elements.len()]);
    EXPANDER.expand(kernel, elements, &mut uniform);
    elligator2(kernel, &uniform, points);
}

#[cfg(test)]
mod tests {
    use curve25519_dalek::{EdwardsPoint, MontgomeryPoint, Scalar};
    use sha2::Sha512;

    use super::*;
    use crate::expand::Expander;
    use crate::vectors::{big_endian_hex, file, text};

    #[test]
    fn the_rfc_vectors_hold_with_every_kernel() {
        let file = file(include_str!("../../../../vectors/rfc9380-curve25519-nu.json"));
        assert_eq!(file["suite"], SUITE);
        let expander = Expander::<Sha512>::new(text(&file["dst"]));
        let vectors = file["vectors"].as_array().expect("a list");
        assert_eq!(vectors.len(), 5);
        for (vector, kernel) in vectors
            .iter()
            .flat_map(|vector| Kernel::available().map(move |kernel| (vector, kernel)))
        {
            let mut q = [[0; 32]];
            elligator2(kernel, &[expander.expand(text(&vector["msg"]))], &mut q);
            assert_eq!(big_endian_hex(q[0]), vector["q_x"], "{kernel:?}");
            let p = MontgomeryPoint(q[0]) * Scalar::from(8u8);
            assert_eq!(big_endian_hex(p.0), vector["p_x"]);
        }
    }

    #[test]
    fn a_thousand_elements_map_as_another_library_maps_them() {
        let elements: Vec<Element> = (0..1000u32)
            .map(|index| Element(*blake3::hash(&index.to_le_bytes()).as_bytes()))
            .collect();
        let expected: Vec<Point> = elements
            .iter()
            .map(|element| {
                let point =
                    EdwardsPoint::encode_to_curve::<Sha512>(&[&element.0], &[DST.as_bytes()]);
                point.to_montgomery().0
            })
            .collect();
        for kernel in Kernel::available() {
            let mut points = vec![[0; 32]; 1000];
            map_batch(kernel, &elements, &mut points);
            let cleared: Vec<Point> = points
                .iter()
                .map(|point| (MontgomeryPoint(*point) * Scalar::from(8u8)).0)
                .collect();
            assert!(cleared == expected, "{kernel:?}");
        }
    }

    #[test]
    fn the_tag_keeps_hashes_short() {
        // A block of SHA-512 holds 111 bytes beside its padding.
        assert!(Element::LEN + 3 + DST.len() < 112);
        assert!(64 + 1 + DST.len() < 111);
        assert!(DST.ends_with(SUITE));
    }
}
