//! From elements into the curve: `encode_to_curve` of RFC 9380 for the suite [`SUITE`], without the last step.
//!
//! An element is hashed to a field element `u`, and Elligator 2 (section 6.7.1, Z = 2) takes `u` to a point of
//! Curve25519: v² = g(x) with g(x) = x³ + Ax² + x. Only its x-coordinate is computed:
//!
//! 1. x1 = −A / (1 + 2u²);
//! 2. x = x1 if g(x1) is a square, else −x1 − A.
//!
//! Nothing here is exceptional: 1 + 2u² is never 0, since −1/2 is no square (−1 is one and 2 is none for
//! p = 5 mod 8); g(x1) is never 0, since x1 is not and x² + Ax + 1 has no root. So whole blocks share one inversion,
//! and all steps take the same time for every element.
//!
//! The last step of the suite, multiplication by the cofactor 8, is left to the first scalar multiplication: see
//! [`Curve25519Prf`](crate::Curve25519Prf).

use std::sync::LazyLock;

use sha2::Sha512;
use subtle::ConditionallySelectable;
use zeroize::{Zeroize, Zeroizing};

use super::Point;
use super::field::{Fe, are_squares};
use crate::Element;
use crate::expand::Expander;
use crate::lanes::{Field, invert_all};

/// The suite's name in RFC 9380.
pub(crate) const SUITE: &str = "curve25519_XMD:SHA-512_ELL2_NU_";

/// The domain separation tag; at 43 bytes it keeps each of the two hashes of an element to one block after the zeros.
pub(crate) const DST: &str = "VEILSET-V01-curve25519_XMD:SHA-512_ELL2_NU_";

static EXPANDER: LazyLock<Expander<Sha512>> = LazyLock::new(|| Expander::new(DST.as_bytes()));

/// Elements that share an inversion.
const BLOCK: usize = 64;

/// Exponentiations that run side by side.
const LANES: usize = 2;

const A: Fe = Fe::small(486_662);

/// Puts the mapped elements, not yet cleared of the cofactor, into `points`.
///
/// # Panics
/// When the two differ in length.
pub fn map_batch(elements: &[Element], points: &mut [Point]) {
    assert_eq!(elements.len(), points.len(), "each element has its point");
    for (elements, points) in elements.chunks(BLOCK).zip(points.chunks_mut(BLOCK)) {
        let mut u = Zeroizing::new([Fe::ZERO; BLOCK]);
        for (u, element) in u.iter_mut().zip(elements) {
            *u = field_element(&EXPANDER, &element.0);
        }
        map_block(&mut u[..elements.len()], points);
    }
}

/// `hash_to_field` for one element of the field.
fn field_element(expander: &Expander<Sha512>, message: &[u8]) -> Fe {
    let mut uniform = expander.expand(message);
    let u = Fe::from_wide(&uniform);
    uniform.zeroize();
    u
}

/// Elligator 2 on at most [`BLOCK`] field elements, whose place serves for the intermediate values.
fn map_block(u: &mut [Fe], points: &mut [Point]) {
    let mut scratch = Zeroizing::new([Fe::ZERO; BLOCK]);
    for u in u.iter_mut() {
        let square = u.square();
        *u = Fe::ONE.add(square).add(square);
    }
    invert_all(u, &mut scratch[..points.len()]);
    for (inverses, points) in u.chunks(LANES).zip(points.chunks_mut(LANES)) {
        // A lane without an element works on any value.
        let x1 = Zeroizing::new(std::array::from_fn::<Fe, LANES, _>(|lane| {
            Fe::ZERO.sub(A.mul(inverses[lane.min(inverses.len() - 1)]))
        }));
        let squares = are_squares(x1.map(curve_equation));
        for ((x1, square), point) in x1.iter().zip(squares).zip(points) {
            let x2 = Fe::ZERO.sub(*x1).sub(A);
            *point = Fe::conditional_select(&x2, x1, square).to_bytes();
        }
    }
}

/// g(x) = x³ + Ax² + x.
fn curve_equation(x: Fe) -> Fe {
    x.add(A).mul(x).add(Fe::ONE).mul(x)
}

#[cfg(test)]
mod tests {
    use curve25519_dalek::{EdwardsPoint, MontgomeryPoint, Scalar};

    use super::*;
    use crate::vectors::{big_endian_hex, file, text};

    #[test]
    fn the_rfc_vectors_hold_at_every_step() {
        let file = file(include_str!("../../../../vectors/rfc9380-curve25519-nu.json"));
        assert_eq!(file["suite"], SUITE);
        let expander = Expander::new(text(&file["dst"]));
        let vectors = file["vectors"].as_array().expect("a list");
        assert_eq!(vectors.len(), 5);
        for vector in vectors {
            let u = field_element(&expander, text(&vector["msg"]));
            assert_eq!(big_endian_hex(u.to_bytes()), vector["u"]);
            let mut q = [[0; 32]];
            map_block(&mut [u], &mut q);
            assert_eq!(big_endian_hex(q[0]), vector["q_x"]);
            let p = MontgomeryPoint(q[0]) * Scalar::from(8u8);
            assert_eq!(big_endian_hex(p.0), vector["p_x"]);
        }
    }

    #[test]
    fn a_thousand_elements_map_as_another_library_maps_them() {
        let elements: Vec<Element> = (0..1000u32)
            .map(|index| Element(*blake3::hash(&index.to_le_bytes()).as_bytes()))
            .collect();
        let mut points = vec![[0; 32]; 1000];
        map_batch(&elements, &mut points);
        for (element, point) in elements.iter().zip(&points) {
            let expected =
                EdwardsPoint::encode_to_curve::<Sha512>(&[&element.0], &[DST.as_bytes()]);
            let cleared = MontgomeryPoint(*point) * Scalar::from(8u8);
            assert_eq!(cleared.0, expected.to_montgomery().0);
        }
    }

    #[test]
    fn blocks_of_any_length_map_alike() {
        let elements: Vec<Element> = (0..130).map(|index| Element([index; 32])).collect();
        let mut together = vec![[0; 32]; 130];
        map_batch(&elements, &mut together);
        for length in [0, 1, 63, 64, 65, 127] {
            let mut some = vec![[0; 32]; length];
            map_batch(&elements[..length], &mut some);
            assert_eq!(some, together[..length]);
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
