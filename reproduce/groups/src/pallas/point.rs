//! Points of Pallas, and sums of them by formulas without exceptions (Renes, Costello and Batina, "Complete addition
//! formulas for prime order elliptic curves", eprint 2015/1060, section 3.2: a = 0).

use ff::{Field, PrimeField};
use pasta_curves::pallas::Base as Fp;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroize;

/// The curve is y² = x³ + 5.
const B: Fp = Fp::from_raw([5, 0, 0, 0]);

/// A point (X : Y : Z) of the curve Pallas; the neutral one has Z = 0.
#[derive(Clone, Copy, Zeroize)]
pub struct PallasPoint {
    x: Fp,
    y: Fp,
    z: Fp,
}

/// A point that is not the neutral one, by its coordinates.
#[derive(Clone, Copy)]
pub(super) struct Affine {
    x: Fp,
    y: Fp,
}

/// 3·5·a.
fn triple_b(a: &Fp) -> Fp {
    a.double().double().double().double() - a
}

impl PallasPoint {
    pub(super) const IDENTITY: Self = Self { x: Fp::ZERO, y: Fp::ONE, z: Fp::ZERO };

    /// (−1, 2), as everybody takes it.
    pub(super) const GENERATOR: Self =
        Self { x: Fp::ONE.neg(), y: Fp::from_raw([2, 0, 0, 0]), z: Fp::ONE };

    /// 12 multiplications.
    pub(super) fn add(&self, other: &Self) -> Self {
        let (xx, yy, zz) = (self.x * other.x, self.y * other.y, self.z * other.z);
        let xy = (self.x + self.y) * (other.x + other.y) - xx - yy;
        let yz = (self.y + self.z) * (other.y + other.z) - yy - zz;
        let xz = (self.x + self.z) * (other.x + other.z) - xx - zz;
        Self::sum(xx, yy, &zz, xy, yz, &xz)
    }

    /// 11 multiplications.
    pub(super) fn add_affine(&self, other: &Affine) -> Self {
        let (xx, yy) = (self.x * other.x, self.y * other.y);
        let xy = (self.x + self.y) * (other.x + other.y) - xx - yy;
        let (yz, xz) = (other.y * self.z + self.y, other.x * self.z + self.x);
        Self::sum(xx, yy, &self.z, xy, yz, &xz)
    }

    /// A sum from the products of coordinates: X1·X2, Y1·Y2, Z1·Z2, X1·Y2 + X2·Y1, Y1·Z2 + Y2·Z1, X1·Z2 + X2·Z1.
    fn sum(xx: Fp, yy: Fp, zz: &Fp, xy: Fp, yz: Fp, xz: &Fp) -> Self {
        let (b_zz, b_xz, xx) = (triple_b(zz), triple_b(xz), xx.double() + xx);
        let (minus, plus) = (yy - b_zz, yy + b_zz);
        Self { x: xy * minus - yz * b_xz, y: plus * minus + xx * b_xz, z: yz * plus + xx * xy }
    }

    /// 6 multiplications and 2 squarings.
    pub(super) fn double(&self) -> Self {
        let (yy, b_zz) = (self.y.square(), triple_b(&self.z.square()));
        let (yz, xy) = (self.y * self.z, self.x * self.y);
        let minus = yy - b_zz.double() - b_zz;
        let yy8 = yy.double().double().double();
        Self { x: (minus * xy).double(), y: minus * (yy + b_zz) + yy8 * b_zz, z: yy8 * yz }
    }

    pub(super) fn negate(&self) -> Self {
        Self { x: self.x, y: -self.y, z: self.z }
    }

    pub(super) fn is_identity(&self) -> Choice {
        self.z.ct_eq(&Fp::ZERO)
    }

    /// Points by their coordinates with one inversion for all (Montgomery's trick); any coordinates for the neutral one.
    pub(super) fn affine(points: &[Self]) -> Vec<Affine> {
        let z = |point: &Self| Fp::conditional_select(&point.z, &Fp::ONE, point.is_identity());
        let mut product = Fp::ONE;
        let mut before = Vec::with_capacity(points.len());
        for point in points {
            before.push(product);
            product *= z(point);
        }
        let mut inverse = product.invert().unwrap_or(Fp::ZERO);
        let mut affine: Vec<_> = (points.iter().zip(&before).rev())
            .map(|(point, before)| {
                let own = inverse * before;
                inverse *= z(point);
                Affine { x: point.x * own, y: point.y * own }
            })
            .collect();
        before.zeroize();
        affine.reverse();
        affine
    }

    /// The encodings: x in 32 bytes, least first, with the lowest bit of y as the highest; zeros for the neutral element,
    /// since no point has x = 0.
    pub(super) fn encode(points: &[Self], out: &mut [[u8; 32]]) {
        let all = Self::affine(points);
        for ((point, affine), out) in points.iter().zip(all).zip(out) {
            *out = affine.x.to_repr();
            out[31] |= affine.y.is_odd().unwrap_u8() << 7;
            let none = point.is_identity();
            out.iter_mut().for_each(|byte| byte.conditional_assign(&0, none));
        }
    }

    /// The point that `encoded` stands for, if it is an encoding.
    pub(super) fn decode(encoded: &[u8; 32]) -> Option<Self> {
        if *encoded == [0; 32] {
            return Some(Self::IDENTITY);
        }
        let mut bytes = *encoded;
        let odd = Choice::from(bytes[31] >> 7);
        bytes[31] &= 0x7f;
        let x = Fp::from_repr(bytes).into_option()?;
        let y = (x.square() * x + B).sqrt().into_option()?;
        let y = Fp::conditional_select(&y, &-y, odd ^ y.is_odd());
        Some(Self { x, y, z: Fp::ONE })
    }
}

impl ConditionallySelectable for PallasPoint {
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        Self {
            x: Fp::conditional_select(&a.x, &b.x, choice),
            y: Fp::conditional_select(&a.y, &b.y, choice),
            z: Fp::conditional_select(&a.z, &b.z, choice),
        }
    }
}

impl ConditionallySelectable for Affine {
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        Self {
            x: Fp::conditional_select(&a.x, &b.x, choice),
            y: Fp::conditional_select(&a.y, &b.y, choice),
        }
    }
}

impl Affine {
    pub(super) fn negate(&self) -> Self {
        Self { x: self.x, y: -self.y }
    }
}
