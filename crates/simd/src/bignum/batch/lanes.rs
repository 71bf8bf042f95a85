//! What a kernel must offer: products modulo p, several at once.

use super::Modulus;
use crate::vector::{MOST_LANES, Vector};

/// What multiplication needs to know of a modulus p, for one R.
pub(super) struct Constants<const LIMBS: usize> {
    /// −1/p modulo 2^64
    pub(super) factor: u64,
    pub(super) p: [u64; LIMBS],
    /// R modulo p
    pub(super) one: [u64; LIMBS],
    /// R² modulo p
    pub(super) square: [u64; LIMBS],
}

/// Limbs in each lane, least first.
pub(super) type Element<L, const LIMBS: usize> = [<L as Vector>::Int; LIMBS];

/// Of a factor of many products the limbs, and of what a kernel computes from it for them; or a table of such limbs.
#[derive(Clone, Copy)]
pub(super) struct Factor<T> {
    pub(super) itself: T,
    pub(super) quotient: T,
}

/// What powers need besides. No operation's time depends on the data.
pub(super) trait Lanes: Vector {
    /// In each lane the entry that its index names; there are 32 or 64.
    fn pick<const ENTRIES: usize>(self, table: &[u64; ENTRIES], index: Self::Int) -> Self::Int;

    /// The first bytes of as many as lanes.
    fn widen(self, bytes: &[u8; MOST_LANES]) -> Self::Int;

    /// The constants of this R.
    fn constants<const WORDS: usize, const LIMBS: usize>(
        self,
        modulus: &Modulus<WORDS, LIMBS>,
    ) -> &Constants<LIMBS>;
    /// The limbs of a number.
    fn limbs<const WORDS: usize, const LIMBS: usize>(self, number: &[u64; WORDS]) -> [u64; LIMBS];
    /// The number of limbs, which has no more words.
    fn number<const WORDS: usize, const LIMBS: usize>(self, limbs: &[u64; LIMBS]) -> [u64; WORDS];

    /// a·b/R modulo p, in a function that all who need it call.
    fn multiply<const WORDS: usize, const LIMBS: usize>(
        self,
        modulus: &Modulus<WORDS, LIMBS>,
        a: &Element<Self, LIMBS>,
        b: &Element<Self, LIMBS>,
    ) -> Element<Self, LIMBS>;
    /// a as a factor of many products.
    fn factor<const WORDS: usize, const LIMBS: usize>(
        self,
        modulus: &Modulus<WORDS, LIMBS>,
        a: &Element<Self, LIMBS>,
    ) -> Factor<Element<Self, LIMBS>>;
    /// Multiplies what lies in memory by a/R modulo p, where a is in each lane the factor that the lane's index names.
    fn multiply_factor<const WORDS: usize, const LIMBS: usize, const ENTRIES: usize>(
        self,
        modulus: &Modulus<WORDS, LIMBS>,
        table: &Factor<[[u64; ENTRIES]; LIMBS]>,
        index: Self::Int,
        product: &mut [u64],
        stride: usize,
    );
    /// a²/R modulo p, likewise.
    fn square<const WORDS: usize, const LIMBS: usize>(
        self,
        modulus: &Modulus<WORDS, LIMBS>,
        a: &Element<Self, LIMBS>,
    ) -> Element<Self, LIMBS>;
}

/// At most as many numbers as lanes; 0 in the other lanes.
#[inline(always)]
pub(super) fn load<L: Lanes, const WORDS: usize, const LIMBS: usize>(
    l: L,
    numbers: &[[u64; WORDS]],
) -> Element<L, LIMBS> {
    together(l, numbers.iter().map(|number| l.limbs(number)))
}

/// At most as many as lanes, one in each; 0 in the other lanes.
#[inline(always)]
pub(super) fn together<L: Lanes, const LIMBS: usize>(
    l: L,
    columns: impl Iterator<Item = [u64; LIMBS]>,
) -> Element<L, LIMBS> {
    let mut rows = [[0; MOST_LANES]; LIMBS];
    for (lane, column) in columns.enumerate() {
        for (row, limb) in rows.iter_mut().zip(column) {
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
pub(super) fn splat<L: Lanes, const LIMBS: usize>(l: L, limbs: &[u64; LIMBS]) -> Element<L, LIMBS> {
    let mut element = [l.splat(0); LIMBS];
    for (limb, value) in element.iter_mut().zip(limbs) {
        *limb = l.splat(*value);
    }
    element
}

/// The limbs of each lane.
#[inline(always)]
pub(super) fn columns<L: Lanes, const LIMBS: usize>(
    l: L,
    element: &Element<L, LIMBS>,
) -> [[u64; LIMBS]; MOST_LANES] {
    let mut columns = [[0; LIMBS]; MOST_LANES];
    for (index, limb) in element.iter().enumerate() {
        for (column, word) in columns.iter_mut().zip(l.array(*limb)) {
            column[index] = word;
        }
    }
    columns
}

/// What begins a memory with so many words for each limb, one number in each lane.
#[inline(always)]
pub(super) fn read<L: Lanes, const LIMBS: usize>(
    l: L,
    memory: &[u64],
    stride: usize,
) -> Element<L, LIMBS> {
    let mut element = [l.splat(0); LIMBS];
    for (limb, words) in element.iter_mut().zip(memory.chunks(stride)) {
        *limb = l.load(words);
    }
    element
}

/// Puts it there.
#[inline(always)]
pub(super) fn write<L: Lanes, const LIMBS: usize>(
    l: L,
    element: &Element<L, LIMBS>,
    memory: &mut [u64],
    stride: usize,
) {
    for (limb, words) in element.iter().zip(memory.chunks_mut(stride)) {
        l.store(words, *limb);
    }
}
