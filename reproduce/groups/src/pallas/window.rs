//! Multiplication by windows of four bits, in constant time.

use ff::PrimeField;
use pasta_curves::pallas::Scalar;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::{Zeroize, Zeroizing};

use super::point::{Affine, PallasPoint};

/// Multiples of a point that a window takes: 1 to 8, or their opposites.
const MULTIPLES: usize = 8;

/// Windows of a scalar: the order is below 2^255, so the last digit is at most 4 and leaves no carry.
const DIGITS: usize = 64;

/// A scalar's digits to the base 16, −8 to 8, least first. Wiped when dropped.
pub(super) struct Digits(Zeroizing<[i8; DIGITS]>);

impl Digits {
    pub(super) fn of(scalar: &Scalar) -> Self {
        let bytes = Zeroizing::new(scalar.to_repr());
        let mut digits = Zeroizing::new([0; DIGITS]);
        let mut carry = 0;
        for (pair, byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(bytes.iter()) {
            for (digit, nibble) in pair.iter_mut().zip([byte & 15, byte >> 4]) {
                let value = nibble as i8 + carry;
                carry = (value + 8) >> 4;
                *digit = value - 16 * carry;
            }
        }
        Self(digits)
    }

    fn get(&self, index: usize) -> Digit {
        let digit = self.0[index];
        Digit { size: digit.unsigned_abs(), negative: Choice::from(digit.cast_unsigned() >> 7) }
    }
}

/// A digit of a scalar.
struct Digit {
    size: u8,
    negative: Choice,
}

/// 1 to 8 times a point. Wiped when dropped.
struct Table(Zeroizing<[PallasPoint; MULTIPLES]>);

impl Table {
    fn of(point: &PallasPoint) -> Self {
        let mut multiples = Zeroizing::new([*point; MULTIPLES]);
        for index in 1..MULTIPLES {
            multiples[index] = match index % 2 {
                1 => multiples[index / 2].double(),
                _ => multiples[index - 1].add(point),
            };
        }
        Self(multiples)
    }

    fn select(&self, digit: Digit) -> PallasPoint {
        let Digit { size, negative } = digit;
        let mut found = PallasPoint::IDENTITY;
        for (multiple, index) in self.0.iter().zip(1u8..) {
            found.conditional_assign(multiple, index.ct_eq(&size));
        }
        PallasPoint::conditional_select(&found, &found.negate(), negative)
    }
}

/// The sum of the products of pairs: the doublings are shared.
pub(super) fn sum_of_products(scalars: &[Digits], points: &[PallasPoint]) -> PallasPoint {
    let tables: Vec<_> = points.iter().map(Table::of).collect();
    let mut sum = PallasPoint::IDENTITY;
    for index in (0..DIGITS).rev() {
        if index + 1 < DIGITS {
            sum = sum.double().double().double().double();
        }
        for (scalar, table) in scalars.iter().zip(&tables) {
            sum = sum.add(&table.select(scalar.get(index)));
        }
    }
    sum
}

/// A point with 1 to 8 times 16^i of it for every digit, 32 KiB: a product is 64 additions.
pub struct PallasBase(Vec<[Affine; MULTIPLES]>);

impl PallasBase {
    /// A base of a point that is not the neutral one.
    pub(super) fn new(point: &PallasPoint) -> Self {
        let mut power = *point;
        let mut multiples: Vec<PallasPoint> = Vec::with_capacity(DIGITS * MULTIPLES);
        for _ in 0..DIGITS {
            let table = Table::of(&power);
            multiples.extend(table.0.iter());
            power = multiples[multiples.len() - 1].double();
        }
        let affine = PallasPoint::affine(&multiples);
        multiples.zeroize();
        Self(affine.as_chunks().0.to_vec())
    }

    pub(super) fn multiply(&self, scalar: &Scalar) -> PallasPoint {
        let digits = Digits::of(scalar);
        let mut sum = PallasPoint::IDENTITY;
        for (index, multiples) in self.0.iter().enumerate() {
            let Digit { size, negative } = digits.get(index);
            let mut found = multiples[0];
            for (multiple, index) in multiples[1..].iter().zip(2u8..) {
                found.conditional_assign(multiple, index.ct_eq(&size));
            }
            let found = Affine::conditional_select(&found, &found.negate(), negative);
            sum = PallasPoint::conditional_select(&sum.add_affine(&found), &sum, size.ct_eq(&0));
        }
        sum
    }
}
