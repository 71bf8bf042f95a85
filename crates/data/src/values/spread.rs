//! What a column's values over some keys come to.

use num_bigint::{BigInt, Sign};

use crate::decimal::point;

/// Digits of a mean and a variance beyond those that a value and its square have.
const MORE_DIGITS: u32 = 6;

/// A value column over some keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSum {
    /// Its name.
    pub name: String,
    /// The exact sum, with all the column's decimal places, such as `-12.50`.
    pub sum: String,
    /// How its values spread, where squares were added up, too.
    pub spread: Option<Spread>,
}

/// How the values of keys spread: the value of a key is the sum over its rows.
///
/// Decimal numbers, rounded to the nearest with six digits more than the values, or their squares, have; halves away from zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spread {
    /// The mean; no key has none.
    pub mean: Option<String>,
    /// The variance: the mean of squares of how far the values are from their mean.
    pub variance: Option<String>,
}

impl Spread {
    /// Of so many values in units of 10^-`scale`, which add up to `sum`, and their squares to `squares`.
    pub(super) fn of(count: u64, sum: i128, squares: i128, scale: u32) -> Self {
        let [count, sum, squares] = [count.into(), BigInt::from(sum), squares.into()];
        let far = &count * squares - &sum * &sum;
        let over = |number: &BigInt, by: &BigInt, scale| {
            (by.sign() == Sign::Plus).then(|| quotient(number, by, scale))
        };
        Self {
            mean: over(&sum, &count, scale),
            variance: over(&far, &(&count * &count), 2 * scale),
        }
    }
}

/// The quotient of two numbers, of which the first is in units of 10^-`scale` and the second is positive, without zeros at its end.
fn quotient(number: &BigInt, by: &BigInt, scale: u32) -> String {
    let (sign, magnitude) = (number * BigInt::from(10).pow(MORE_DIGITS)).into_parts();
    let by = by.magnitude();
    let rounded = (magnitude * 2_u32 + by) / (by * 2_u32);
    let digits = point(&rounded.to_string(), scale + MORE_DIGITS);
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    let is_negative = sign == Sign::Minus && digits != "0";
    format!("{}{digits}", if is_negative { "-" } else { "" })
}
