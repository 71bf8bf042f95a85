//! From elements into the group: `encode_to_curve` of RFC 9380 for the suite [`SUITE`], in lanes or, as follows, without.
//!
//! An element is hashed to a field element `u`, and the simplified map of Shallue, van de Woestijne and Ulas
//! (section 6.6.2, Z = −10) takes `u` to a point of y² = g(x) with g(x) = x³ − 3x + B:
//!
//! 1. x1 = B·(t + 1) / 3t with t = Z²u⁴ + Zu², where 10 stands for a t of 0 in the divisor;
//! 2. x = x1 if g(x1) is a square, else x2 = Zu²·x1, where then g(x2) = Z³u⁶·g(x1) is one;
//! 3. y is the root of g(x) that is odd if and only if `u` is.
//!
//! One exponentiation gives both roots: y1 = g(x1)^((p + 1)/4) has the square ±g(x1), and where that is −g(x1), the
//! square of y1·u³·√1000 is −1000·u⁶·g(x1) = g(x2). No divisor is 0, so whole blocks share one inversion, and all
//! steps take the same time for every element.

use std::sync::LazyLock;

use sha2::Sha256;
use subtle::{ConditionallySelectable, ConstantTimeEq};
use veilset_simd::{Kernel, p256 as simd};
use zeroize::Zeroizing;

use super::field::{Fe, root_candidates};
use super::kernel::{CHAINS, Point, curve_equation, encoded, has_lanes};
use super::{B, THREE};
use crate::Element;
use crate::expand::Expander;
use crate::lanes::{Field, invert_all};

/// The suite's name in RFC 9380.
pub(crate) const SUITE: &str = "P256_XMD:SHA-256_SSWU_NU_";

/// The domain separation tag.
pub(crate) const DST: &str = "VEILSET-V01-P256_XMD:SHA-256_SSWU_NU_";

static EXPANDER: LazyLock<Expander<Sha256>> = LazyLock::new(|| Expander::new(DST.as_bytes()));

/// Elements that share an inversion.
const BLOCK: usize = 128;

const TEN: Fe = Fe::new([10, 0, 0, 0]);

/// √1000, where −1000 = Z³.
const ROOT_1000: Fe = Fe::new([
    0xc004_098e_ea05_acfe,
    0xd383_3faa_fb5a_591d,
    0xdeb9_dc09_2f06_aaf8,
    0x8743_8e5e_d276_13f9,
]);

/// Puts the mapped elements into `points`.
///
/// # Panics
/// When the two differ in length.
pub fn map_batch(kernel: Kernel, elements: &[Element], points: &mut [Point]) {
    assert_eq!(elements.len(), points.len(), "each element has its point");
    for (elements, points) in elements.chunks(BLOCK).zip(points.chunks_mut(BLOCK)) {
        let mut uniform = Zeroizing::new([[0; 48]; BLOCK]);
        for (uniform, element) in uniform.iter_mut().zip(elements) {
            *uniform = EXPANDER.expand(&element.0);
        }
        let uniform = &uniform[..elements.len()];
        if has_lanes(kernel) {
            simd::map(kernel, uniform, points);
        } else {
            map_uniform(uniform, points);
        }
    }
}

/// The map on at most [`BLOCK`] numbers without lanes.
fn map_uniform(uniform: &[[u8; 48]], points: &mut [Point]) {
    let mut u = Zeroizing::new([Fe::ZERO; BLOCK]);
    for (u, uniform) in u.iter_mut().zip(uniform) {
        *u = Fe::from_wide(uniform);
    }
    map_block(&u[..uniform.len()], points);
}

/// The map on at most [`BLOCK`] field elements.
fn map_block(u: &[Fe], points: &mut [Point]) {
    let mut inverses = Zeroizing::new([Fe::ZERO; BLOCK]);
    let mut scratch = Zeroizing::new([Fe::ZERO; BLOCK]);
    let inverses = &mut inverses[..u.len()];
    for (divisor, u) in inverses.iter_mut().zip(u) {
        let t = t(*u);
        *divisor = Fe::conditional_select(&t, &TEN, t.ct_eq(&Fe::ZERO)).mul(THREE);
    }
    invert_all(inverses, &mut scratch[..u.len()]);
    for ((u, inverses), points) in
        u.chunks(CHAINS).zip(inverses.chunks(CHAINS)).zip(points.chunks_mut(CHAINS))
    {
        // A chain without an element works on any value.
        let x1 = Zeroizing::new(std::array::from_fn::<Fe, CHAINS, _>(|chain| {
            let chain = chain.min(u.len() - 1);
            B.mul(t(u[chain]).add(Fe::ONE)).mul(inverses[chain])
        }));
        let g = Zeroizing::new(x1.map(curve_equation));
        let y1 = Zeroizing::new(root_candidates(*g));
        for (chain, (u, point)) in u.iter().zip(points).enumerate() {
            *point = choose(*u, x1[chain], g[chain], y1[chain]);
        }
    }
}

/// t = Z²u⁴ + Zu².
fn t(u: Fe) -> Fe {
    let zu2 = minus_ten_times(u.square());
    zu2.square().add(zu2)
}

fn minus_ten_times(x: Fe) -> Fe {
    x.mul(TEN).negate()
}

/// Steps 2 and 3, where `y1` is the candidate for a root of `g` = g(x1).
fn choose(u: Fe, x1: Fe, g: Fe, y1: Fe) -> Point {
    let u2 = u.square();
    let (x2, y2) = (minus_ten_times(u2).mul(x1), y1.mul(u2).mul(u).mul(ROOT_1000));
    let first = y1.square().ct_eq(&g);
    let (x, y) = (Fe::conditional_select(&x2, &x1, first), Fe::conditional_select(&y2, &y1, first));
    let y = Fe::conditional_select(&y, &y.negate(), y.is_odd() ^ u.is_odd());
    encoded(x, y)
}

#[cfg(test)]
mod tests {
    use p256::NistP256;
    use p256::elliptic_curve::sec1::ToSec1Point;
    use p256::hash2curve::{ExpandMsgXmd, encode_from_bytes};

    use super::*;
    use crate::vectors::{file, hex, text, unhex};

    fn map(u: Fe) -> Point {
        let mut point = [[0; 64]];
        map_block(&[u], &mut point);
        point[0]
    }

    #[test]
    fn the_rfc_vectors_hold_at_every_step() {
        let file = file(include_str!("../../../../vectors/rfc9380-p256-nu.json"));
        assert_eq!(file["suite"], SUITE);
        let expander = Expander::<Sha256>::new(text(&file["dst"]));
        let vectors = file["vectors"].as_array().expect("a list");
        assert_eq!(vectors.len(), 5);
        for vector in vectors {
            let uniform = [expander.expand(text(&vector["msg"]))];
            assert_eq!(hex(&Fe::from_wide(&uniform[0]).to_bytes()), vector["u"]);
            let mut points = [[0; 64]; 2];
            map_uniform(&uniform, &mut points[..1]);
            simd::map(Kernel::best(), &uniform, &mut points[1..]);
            for point in points {
                assert_eq!(hex(&point[..32]), vector["p_x"]);
                assert_eq!(hex(&point[32..]), vector["p_y"]);
            }
        }
    }

    #[test]
    fn the_values_without_a_divisor_map_to_b_over_za() {
        // 0 and the roots of −1/Z = 1/10; B/(ZA) = B/30.
        let root = "95d527d249c8dc5cadbf4c70bb59aaab72c14fffbad5622bd147b86a639ec6d9";
        let root = Fe::from_canonical(&unhex(root)).expect("below p");
        assert!(bool::from(root.square().mul(TEN).ct_eq(&Fe::ONE)));
        let x = "a528bd8696bdaf996c65b982d94959d3146fe6a020693090bdba13132375f224";
        let points = [Fe::ZERO, root, root.negate()].map(map);
        for point in points {
            assert_eq!(hex(&point[..32]), x);
        }
        // y has the parity of u: 0 is even, and of a root and its negative one is.
        assert_eq!(points[0][63] & 1, 0);
        assert_eq!(points.map(|point| point[63] & 1).iter().sum::<u8>(), 1);
    }

    #[test]
    fn a_thousand_elements_map_as_another_library_maps_them() {
        let elements: Vec<Element> = (0..1000u32)
            .map(|index| Element(*blake3::hash(&index.to_le_bytes()).as_bytes()))
            .collect();
        let mapped = |kernel| {
            let mut points = vec![[0; 64]; 1000];
            map_batch(kernel, &elements, &mut points);
            points
        };
        let points = mapped(Kernel::Scalar);
        assert_eq!(mapped(Kernel::best()), points);
        for (element, point) in elements.iter().zip(&points) {
            let expected = encode_from_bytes::<NistP256, ExpandMsgXmd<Sha256>>(
                &[&element.0],
                &[DST.as_bytes()],
            )
            .expect("a short tag");
            let expected = expected.to_affine().to_sec1_point(false);
            assert_eq!(point.as_slice(), &expected.as_bytes()[1..]);
        }
    }

    #[test]
    fn blocks_of_any_length_map_alike() {
        let elements: Vec<Element> = (0..130).map(|index| Element([index; 32])).collect();
        let mut together = vec![[0; 64]; 130];
        map_batch(Kernel::best(), &elements, &mut together);
        for (kernel, length) in
            Kernel::available().flat_map(|k| [0, 1, 7, 8, 127, 128, 129].map(|n| (k, n)))
        {
            let mut some = vec![[0; 64]; length];
            map_batch(kernel, &elements[..length], &mut some);
            assert_eq!(some, together[..length]);
        }
    }

    #[test]
    fn the_tag_names_the_suite() {
        assert!(DST.ends_with(SUITE));
    }
}
