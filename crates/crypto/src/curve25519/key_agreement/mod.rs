//! Key agreement with Elligator 2 (Bernstein, Hamburg, Krasnova and Lange, CCS 2013).

mod draw;
#[cfg(test)]
mod tests;

use rand_core::CryptoRng;
use veilset_simd::ristretto255::{FixedBase, Point, Scalar};
use veilset_simd::{Kernel, elligator2, ristretto255};
use zeroize::Zeroizing;

use super::{VALUES_A_TASK, is_canonical, kernel};
use crate::tasks::tasks;
use crate::{FirstMessageError, KeyAgreement, Second};
use draw::Drawn;

/// Diffie–Hellman on Curve25519 by u-coordinates; second messages are numbers that Elligator 2 takes to the receiver's
/// points.
///
/// # The messages
///
/// With G the generator, of prime order ℓ, and E the curve's group, of order 8·ℓ: the sender has a clamped number a as X25519
/// has it, a multiple of 8, and sends m = u(a·G). For each second message the receiver has a number b below ℓ and a point T
/// whose order divides 8, and sends an r that Elligator 2 takes to u(b·G + T). The sender multiplies what r decodes to by a,
/// with the ladder: a·(b·G + T) = a·b·G, as 8 divides a. The receiver multiplies 8·m, in which nothing is left of a part
/// of small order that m might have, by b/8 modulo ℓ.
///
/// # Definition 4: messages are exactly uniform, whatever m is
///
/// Elligator 2 takes r and −r to the same u, and each u of the curve other than 0 comes from no r, or from two of the
/// map's first branch and two of its second (`ristretto255::representatives` of veilset-simd has the formulas); u = 0 comes
/// from r = 0 alone, by the second. An attempt draws, uniformly and independently, b, T, one of both branches, and a sign;
/// Q = b·G + T is uniform in E. It succeeds if Q has an r of that branch; the sign says which root is taken. There are
/// 8·ℓ·2·2 = 32·ℓ cases.
///
/// - A number r ≠ 0 comes from two of them: Q is one of two opposite points with the u that r goes to, and r determines
///   the branch and the sign.
/// - 0 comes from two: Q is the point u = 0, the branch is the second, and the signs do not matter.
/// - The neutral element has no u, and no r.
///
/// So each of the p numbers has the same probability 2/(32·ℓ), an attempt succeeds with probability p/(16·ℓ), which is 1/2
/// but for 2^-126, and attempts are independent: the first that succeeds is uniform over the field. Nothing is assumed,
/// but that the generator of randomness is one, and m plays no part.
///
/// If T was left out, a real message would always decode to a point of order ℓ, and one in eight of the others; and if one
/// sign was preferred, so would be half of all numbers.
///
/// # Definitions 2 and 3
///
/// Strong computational Diffie–Hellman in the group of order ℓ, for a clamped a: half of all residues, which costs an
/// attacker's advantage a factor of two. The second message needs no further assumption, for r tells no more than b·G does,
/// to which anybody adds T and the rest.
///
/// # Small orders
///
/// A first message that is on the twist, or not canonical, or of which eight times is the neutral element, is refused. A
/// second message that decodes to a point of small order has the key 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Curve25519Agreement;

/// The sender's exponent a.
pub struct ClampedExponent(kernel::Scalar);

/// From so many messages on a table of the first message's multiples is made. Making it takes as long as 33 multiplications
/// with AVX-512 IFMA, and a multiplication by it 0.18 of one without: they are level at 33/0.82 = 40 messages, and at 23 to
/// 33 with the other kernels.
const TABLE_FROM: usize = 40;

impl KeyAgreement for Curve25519Agreement {
    type Secret = ClampedExponent;
    type Value = [u8; 32];

    fn first_len(&self) -> usize {
        32
    }

    fn modulus(&self) -> [u8; 32] {
        super::P
    }

    fn first(&self, rng: &mut dyn CryptoRng) -> (ClampedExponent, Vec<u8>) {
        let mut bytes = Zeroizing::new([0; 32]);
        rng.fill_bytes(bytes.as_mut_slice());
        let exponent = ClampedExponent(kernel::Scalar::new(&bytes));
        let mut point = [GENERATOR];
        kernel::multiply_batch(Kernel::best(), &exponent.0, &mut point);
        (exponent, point[0].to_vec())
    }

    fn second(
        &self,
        first: &[u8],
        n: usize,
        rng: &mut dyn CryptoRng,
    ) -> Result<Second<[u8; 32]>, FirstMessageError> {
        let first = Multiples::new(&decode(first)?, n);
        let drawn = draw::draw(n, draw::ALL, rng);
        let keys = tasks::<VALUES_A_TASK, _, _>(&drawn.eighths, [0; 32], |eighths, keys| {
            first.u_coordinates(eighths, keys);
        });
        let Drawn { messages, .. } = drawn;
        Ok(Second { messages, keys: Zeroizing::new(keys) })
    }

    fn keys(&self, secret: &ClampedExponent, messages: &[[u8; 32]]) -> Zeroizing<Vec<[u8; 32]>> {
        let key = |messages: &[[u8; 32]], keys: &mut [[u8; 32]]| {
            let wide = Zeroizing::new(messages.iter().map(big_endian).collect::<Vec<_>>());
            elligator2(Kernel::best(), &wide, keys);
            kernel::multiply_batch(Kernel::best(), &secret.0, keys);
        };
        Zeroizing::new(tasks::<VALUES_A_TASK, _, _>(messages, [0; 32], key))
    }
}

/// The generator's u-coordinate.
const GENERATOR: [u8; 32] = {
    let mut nine = [0; 32];
    nine[0] = 9;
    nine
};

/// As the forward map takes it.
fn big_endian(message: &[u8; 32]) -> [u8; 48] {
    let mut wide = [0; 48];
    wide[16..].copy_from_slice(message);
    wide[16..].reverse();
    wide
}

/// Eight times the point of a first message.
fn decode(first: &[u8]) -> Result<Point, FirstMessageError> {
    let wrong = |_| FirstMessageError::Length { expected: 32, found: first.len() };
    let u = first.try_into().map_err(wrong)?;
    let point = is_canonical(&u).then(|| ristretto255::lift(Kernel::best(), &u)).flatten();
    let mut points = [point.ok_or(FirstMessageError::NotAnElement)?];
    for _ in 0..3 {
        ristretto255::double(Kernel::best(), &mut points);
    }
    match ristretto255::is_identity(Kernel::best(), &points)[0] {
        true => Err(FirstMessageError::SmallOrder),
        false => Ok(points[0]),
    }
}

/// Eight times the first message, with a table of its multiples where that pays.
enum Multiples {
    Table(FixedBase),
    Point(Point),
}

impl Multiples {
    fn new(point: &Point, n: usize) -> Self {
        match n < TABLE_FROM {
            true => Self::Point(*point),
            false => Self::Table(FixedBase::new(Kernel::best(), point)),
        }
    }

    /// The u-coordinates of the products with each scalar.
    fn u_coordinates(&self, scalars: &[Scalar], u: &mut [[u8; 32]]) {
        let mut products = Zeroizing::new(vec![Point::IDENTITY; scalars.len()]);
        match self {
            Self::Table(table) => table.multiply(scalars, &mut products),
            Self::Point(point) => {
                products.fill(*point);
                ristretto255::multiply(Kernel::best(), scalars, &mut products);
            }
        }
        ristretto255::u_coordinates(Kernel::best(), &products, u);
    }
}
