//! Keys for masking and unmasking with X25519 alone.

use curve25519_dalek::Scalar as Residue;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

use super::Point;
use super::kernel::Scalar;
use super::prf::{check_and_multiply, map_and_multiply};
use crate::{Element, NotAnElement};

/// One side's keys of the distributed pseudorandom function `G_{k,k'}(x) = k·k'·H(x)` on Curve25519 (eprint 2022/652,
/// section 6.2), with the mask under which the side has its own elements evaluated.
///
/// With k = s·t modulo the prime order ℓ of the group: a side sends [`mask`](Self::mask), the points s·H(x); the other
/// answers with [`evaluate`](Self::evaluate), the points k'·s·H(x); [`unmask`](Self::unmask) multiplies by t, which
/// leaves k·k'·H(x). Unmasking by s^-1 and evaluating by k, two multiplications, are one. [`remask`](Self::remask), by
/// t^-1, goes back. All four are wiped when dropped.
///
/// # X25519 everywhere
///
/// X25519 multiplies by clamped numbers only: multiples of 8 from 2^254 to below 2^255. What such a number does to a
/// point of order ℓ depends on its residue modulo ℓ. Let R be the residues that a clamped number has. The clamped
/// numbers are 2^251, and have different residues, since those that agree modulo 8ℓ > 2^255 alone agree; so R is half
/// of all residues. `s` and `t` are drawn from R uniformly, again and again until both t^-1 and s·t are in R too. A
/// pair that is rejected is forgotten and the next does not depend on it, so the number of attempts, four on average,
/// says nothing about the keys; the arithmetic takes the same time for all.
///
/// # What the conditions cost
///
/// The peer sees points multiplied by s and points multiplied by k. Both functions would be pseudorandom, together,
/// for a pair (s, k) uniform over all pairs of residues, if decisional Diffie–Hellman is hard. The pairs that are drawn
/// are uniform over a part S of these: those for which s, k, t = k/s and t^-1 are in R.
///
/// * S is a sixteenth of all pairs, up to a fraction that is negligible. R is a multiple of an interval. The
///   inverses of an interval spread evenly (Kloosterman sums), so t and t^-1 are in R for a quarter of all t, up to
///   ℓ^(1/2 + o(1)) of them. And for all but a negligible part of these t, half of the s in R have s·t in R: over all
///   t, the mean square deviation of the number of such s is ℓ^(1 + o(1)), for the equation y·z' = y'·z has
///   |R|^4/ℓ + |R|^(2 + o(1)) solutions in an interval of |R| numbers (Ayyad, Cochrane and Zheng, 1996).
/// * A distinguisher's advantage a(s, k), taken over S, is small if it is over all pairs. By Cauchy and Schwarz, its
///   mean over S is at most the root of the mean of its square over S, and that at most the root of 16 times the mean
///   of a² over all pairs. This mean is again an advantage for uniform keys: that of running the distinguisher twice,
///   on twice the samples (Dodis and Yu, "Overcoming weak expectations", 2013, on weak pseudorandom functions). So keys
///   from S have an advantage of at most √(16ε), where ε is that for uniform keys. X25519's own keys, which are from
///   half of the residues, have √(2ε) by the same argument.
/// * To find a key among a sixteenth of all pairs by generic algorithms takes at least a quarter of the time: 2^124
///   operations instead of 2^126.
pub struct DistributedPrf {
    /// s
    mask: Scalar,
    /// t
    unmask: Scalar,
    /// t^-1
    remask: Scalar,
    /// k = s·t
    evaluate: Scalar,
}

impl DistributedPrf {
    /// Fresh keys.
    #[must_use]
    pub fn generate(rng: &mut dyn CryptoRng) -> Self {
        loop {
            let (mask, unmask) = (clamped(rng), clamped(rng));
            if let Some(keys) = Self::new(&mask, &unmask) {
                return keys;
            }
        }
    }

    /// The keys with these clamped s and t, if there are clamped t^-1 and k.
    fn new(mask: &[u8; 32], unmask: &[u8; 32]) -> Option<Self> {
        let (s, t) = (residue(mask), residue(unmask));
        let remask = representative(&Zeroizing::new(t.invert()))?;
        let evaluate = representative(&Zeroizing::new(*s * *t))?;
        Some(Self {
            mask: Scalar::new(mask),
            unmask: Scalar::new(unmask),
            remask: Scalar::new(&remask),
            evaluate: Scalar::new(&evaluate),
        })
    }

    /// s·H(x) for each element, in order.
    #[must_use]
    pub fn mask(&self, elements: &[Element]) -> Vec<Point> {
        map_and_multiply(&self.mask, elements)
    }

    /// k·P for each point that the peer sent, in order.
    ///
    /// # Errors
    /// As [`CommutativePrf::evaluate`](crate::CommutativePrf::evaluate) of Curve25519.
    pub fn evaluate(&self, points: &[Point]) -> Result<Vec<Point>, NotAnElement> {
        check_and_multiply(&self.evaluate, points)
    }

    /// t·P for each point that the peer sent, in order: k·k'·H(x) for k'·s·H(x).
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn unmask(&self, points: &[Point]) -> Result<Vec<Point>, NotAnElement> {
        check_and_multiply(&self.unmask, points)
    }

    /// t^-1·P for each point, in order: what [`unmask`](Self::unmask) made it from.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn remask(&self, points: &[Point]) -> Result<Vec<Point>, NotAnElement> {
        check_and_multiply(&self.remask, points)
    }
}

/// ℓ, little-endian.
pub(crate) const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// A uniform clamped number, little-endian.
fn clamped(rng: &mut dyn CryptoRng) -> Zeroizing<[u8; 32]> {
    let mut bytes = Zeroizing::new([0; 32]);
    rng.fill_bytes(bytes.as_mut_slice());
    bytes[0] &= 0xf8;
    bytes[31] = bytes[31] & 0x7f | 0x40;
    bytes
}

fn residue(number: &[u8; 32]) -> Zeroizing<Residue> {
    Zeroizing::new(Residue::from_bytes_mod_order(*number))
}

/// The clamped number of a residue, little-endian, if it has one.
fn representative(residue: &Residue) -> Option<Zeroizing<[u8; 32]>> {
    let mut number = Zeroizing::new(residue.to_bytes());
    // Of the residue + mℓ for m from 0 to 7 one is a multiple of 8; since ℓ = 5 (mod 8), that of m = 3·residue (mod 8).
    let multiple = (u16::from(number[0] & 7) * 3) & 7;
    let mut carry = 0;
    for (byte, order) in number.iter_mut().zip(ORDER) {
        carry += u16::from(*byte) + multiple * u16::from(order);
        *byte = carry as u8;
        carry >>= 8;
    }
    (number[31] >> 6 == 1).then_some(number)
}

#[cfg(test)]
mod tests {
    use chacha20::ChaCha20Rng;
    use curve25519_dalek::{EdwardsPoint, MontgomeryPoint};
    use rand_core::SeedableRng;

    use super::*;

    fn rng(seed: u8) -> ChaCha20Rng {
        ChaCha20Rng::from_seed([seed; 32])
    }

    /// Keys together with the residues s and t.
    fn keys(rng: &mut ChaCha20Rng) -> (DistributedPrf, Residue, Residue) {
        loop {
            let (mask, unmask) = (clamped(rng), clamped(rng));
            if let Some(keys) = DistributedPrf::new(&mask, &unmask) {
                return (keys, *residue(&mask), *residue(&unmask));
            }
        }
    }

    #[test]
    fn clamped_numbers_represent_their_residues() {
        let mut rng = rng(1);
        for _ in 0..200 {
            let number = clamped(&mut rng);
            let again = representative(&residue(&number)).expect("there is one");
            assert_eq!(*again, *number);
        }
    }

    #[test]
    fn half_of_all_residues_have_a_representative_and_it_is_theirs() {
        let mut rng = rng(2);
        let mut found = 0;
        for _ in 0..4000 {
            let mut wide = [0; 64];
            rand_core::Rng::fill_bytes(&mut rng, &mut wide);
            let uniform = Residue::from_bytes_mod_order_wide(&wide);
            if let Some(number) = representative(&uniform) {
                assert_eq!(*residue(&number), uniform);
                assert_eq!((number[0] & 7, number[31] >> 6), (0, 1));
                found += 1;
            }
        }
        // Five standard deviations: 158.
        assert!((1842..2158).contains(&found), "{found}");
    }

    #[test]
    fn a_quarter_of_the_attempts_succeeds() {
        let mut rng = rng(3);
        let attempt =
            |_: &u32| DistributedPrf::new(&clamped(&mut rng), &clamped(&mut rng)).is_some();
        let found = (0..4000).filter(attempt).count();
        // Five standard deviations: 137.
        assert!((863..1137).contains(&found), "{found}");
    }

    #[test]
    fn each_function_multiplies_by_its_scalar() {
        let mut rng = rng(4);
        let eighth = Residue::from(8u8).invert();
        let elements: Vec<Element> = (0..70).map(|index| Element([index; 32])).collect();
        for _ in 0..3 {
            let (keys, s, t) = keys(&mut rng);
            let masked = keys.mask(&elements);
            for (element, masked) in elements.iter().zip(&masked) {
                let dst = super::super::elligator::DST.as_bytes();
                let encoded = EdwardsPoint::encode_to_curve::<sha2::Sha512>(&[&element.0], &[dst]);
                assert_eq!(*masked, (encoded * eighth * s).to_montgomery().0);
            }
            let times = |scalar: Residue| {
                let product = |point: &Point| (MontgomeryPoint(*point) * scalar).0;
                masked.iter().map(product).collect::<Vec<_>>()
            };
            assert_eq!(keys.evaluate(&masked), Ok(times(s * t)));
            assert_eq!(keys.unmask(&masked), Ok(times(t)));
            assert_eq!(keys.remask(&masked), Ok(times(t.invert())));
        }
    }

    #[test]
    fn both_sides_have_the_same_identifiers_and_can_go_back() {
        let mut rng = rng(5);
        let (one, other) = (DistributedPrf::generate(&mut rng), DistributedPrf::generate(&mut rng));
        let elements: Vec<Element> = (0..70).map(|index| Element([index; 32])).collect();
        let identifiers = |own: &DistributedPrf, peer: &DistributedPrf| {
            let evaluated = peer.evaluate(&own.mask(&elements)).expect("valid");
            let unmasked = own.unmask(&evaluated).expect("valid");
            assert_eq!(own.remask(&unmasked), Ok(evaluated));
            unmasked
        };
        assert_eq!(identifiers(&one, &other), identifiers(&other, &one));
    }

    #[test]
    fn points_that_no_honest_peer_sends_are_refused() {
        let (keys, ..) = keys(&mut rng(6));
        let mut points = keys.mask(&[Element([1; 32]), Element([2; 32])]);
        for bad in [[0; 32], [0xff; 32]] {
            points[1] = bad;
            for refused in [keys.evaluate(&points), keys.unmask(&points), keys.remask(&points)] {
                assert_eq!(refused, Err(NotAnElement { index: 1 }));
            }
        }
    }
}
