//! What a kernel must offer: words of 64 bits and products modulo p, several at once.

use super::{Modulus, Number};

/// Limbs of a number.
pub(super) const LIMBS: usize = 40;

/// The most lanes of any kernel.
pub(super) const MOST_LANES: usize = 8;

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
pub(super) type Element<L> = [<L as Lanes>::Int; LIMBS];

/// Vectors of 64-bit integers; a value of the type says that the processor has the instructions. No operation's time
/// depends on the data.
pub(super) trait Lanes: Copy {
    /// Integers at once.
    const COUNT: usize;
    type Int: Copy;

    /// The same integer in all lanes.
    fn splat(self, value: u64) -> Self::Int;
    /// The first lanes of the array.
    fn load(self, lanes: &[u64; MOST_LANES]) -> Self::Int;
    /// The lanes, and 0 after them.
    fn store(self, lanes: Self::Int) -> [u64; MOST_LANES];
    fn add(self, a: Self::Int, b: Self::Int) -> Self::Int;
    fn and(self, a: Self::Int, b: Self::Int) -> Self::Int;
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

/// Lanes that multiply 52 bits.
#[cfg(target_arch = "x86_64")]
pub(super) trait Halves: Lanes {
    /// a >> 52
    fn carry(self, a: Self::Int) -> Self::Int;
    /// The sum and the low 52 bits of the product of the low 52 bits.
    fn low(self, sum: Self::Int, a: Self::Int, b: Self::Int) -> Self::Int;
    /// The sum and the bits of that product above the low 52.
    fn high(self, sum: Self::Int, a: Self::Int, b: Self::Int) -> Self::Int;
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
        for (column, word) in columns.iter_mut().zip(l.store(*limb)) {
            column[index] = word;
        }
    }
    columns
}
