//! What a kernel must offer: products modulo p, several at once.

use super::{Modulus, Number};
use crate::vector::{MOST_LANES, Vector};

/// Limbs of a number.
pub(super) const LIMBS: usize = 40;

/// Entries that [`Lanes::pick`] chooses from.
pub(super) const PICKS: usize = 32;

/// Limbs, least first.
pub(super) type Limbs = [u64; LIMBS];

/// What multiplication needs to know of a modulus p, for one R.
pub(super) struct Constants {
    /// −1/p modulo 2^64
    pub(super) factor: u64,
    pub(super) p: Limbs,
    /// R modulo p
    pub(super) one: Limbs,
    /// R² modulo p
    pub(super) square: Limbs,
}

/// Limbs in each lane.
pub(super) type Element<L> = [<L as Vector>::Int; LIMBS];

/// What powers need besides. No operation's time depends on the data.
pub(super) trait Lanes: Vector {
    /// In each lane the entry that its index names.
    fn pick(self, table: &[u64; PICKS], index: Self::Int) -> Self::Int;

    /// The constants of this R.
    fn constants(self, modulus: &Modulus) -> &Constants;
    /// The limbs of a number.
    fn limbs(self, number: &Number) -> Limbs;
    /// The number of limbs, below 2^2048.
    fn number(self, limbs: &Limbs) -> Number;

    /// a·b/R modulo p, in a function that all who need it call.
    fn multiply(self, modulus: &Modulus, a: &Element<Self>, b: &Element<Self>) -> Element<Self>;
    /// a²/R modulo p, likewise.
    fn square(self, modulus: &Modulus, a: &Element<Self>) -> Element<Self>;
}

/// At most as many numbers as lanes; 0 in the other lanes.
#[inline(always)]
pub(super) fn load<L: Lanes>(l: L, numbers: &[Number]) -> Element<L> {
    let mut rows = [[0; MOST_LANES]; LIMBS];
    for (lane, number) in numbers.iter().enumerate() {
        for (row, limb) in rows.iter_mut().zip(l.limbs(number)) {
            row[lane] = limb;
        }
    }
    let mut element = [l.splat(0); LIMBS];
    for (limb, row) in element.iter_mut().zip(&rows) {
        *limb = l.load(row);
    }
    element
}

/// The same limbs in all lanes.
#[inline(always)]
pub(super) fn splat<L: Lanes>(l: L, limbs: &Limbs) -> Element<L> {
    let mut element = [l.splat(0); LIMBS];
    for (limb, value) in element.iter_mut().zip(limbs) {
        *limb = l.splat(*value);
    }
    element
}

/// The limbs of each lane.
#[inline(always)]
pub(super) fn columns<L: Lanes>(l: L, element: &Element<L>) -> [Limbs; MOST_LANES] {
    let mut columns = [[0; LIMBS]; MOST_LANES];
    for (index, limb) in element.iter().enumerate() {
        for (column, word) in columns.iter_mut().zip(l.array(*limb)) {
            column[index] = word;
        }
    }
    columns
}
