//! Sums of columns, so that a band costs a lookup for every four columns.

use zeroize::Zeroizing;

use super::super::OkvsValue;
use super::{BLOCK, Band, WIDTH};

/// Columns that share a table.
pub(super) const GROUP: usize = 4;

/// Groups that a band touches, wherever it starts in the first.
pub(super) const REACH: usize = WIDTH / GROUP + 1;

/// The sums of a group's columns: entry s has those whose bit is set in s.
pub(super) type Sums<V> = [V; 1 << GROUP];

/// A band moved to the begin of its first group.
pub(super) struct Aligned {
    band: Band,
    /// The bits of the last group.
    last: usize,
}

impl Aligned {
    /// For a band that starts `place` columns after the begin of a group.
    #[inline]
    pub(super) fn new(band: Band, place: usize) -> Self {
        let mut carry = 0;
        let band = band.map(|word| {
            let moved = (word << place) | carry;
            carry = (word >> 1) >> (63 - place);
            moved
        });
        Self { band, last: carry as usize }
    }

    /// Without columns 0 to `place` of the first group.
    #[inline]
    pub(super) fn after(mut self, place: usize) -> Self {
        self.band[0] &= !1 << place;
        self
    }

    /// The sum of the columns whose bit is set.
    #[inline]
    pub(super) fn product<V: OkvsValue>(&self, tables: &[Sums<V>; REACH]) -> V {
        let mut sum = tables[REACH - 1][self.last % (1 << GROUP)];
        for (word, tables) in self.band.iter().zip(tables.as_chunks::<{ 64 / GROUP }>().0) {
            for (group, table) in tables.iter().enumerate() {
                sum = sum.plus(table[(word >> (GROUP * group)) as usize % (1 << GROUP)]);
            }
        }
        sum
    }
}

/// Makes column `place` of a group known to its table, which knows those after it and none before.
#[inline]
pub(super) fn add_before<V: OkvsValue>(sums: &mut Sums<V>, place: usize, column: V) {
    let step = 2 << place;
    for sum in (0..1 << GROUP).step_by(step) {
        sums[sum + step / 2] = sums[sum].plus(column);
    }
}

#[inline]
fn all_sums<V: OkvsValue>(columns: &[V; GROUP]) -> Sums<V> {
    let mut sums = [V::ZERO; 1 << GROUP];
    for (place, column) in columns.iter().enumerate().rev() {
        add_before(&mut sums, place, *column);
    }
    sums
}

/// Groups in a block of starts.
const STARTS: usize = BLOCK / GROUP;

/// The tables for all bands that start in one block, moved on from block to block.
pub(super) struct Window<V: OkvsValue> {
    tables: Zeroizing<Vec<Sums<V>>>,
    /// The first column, once there is one.
    first: Option<usize>,
}

impl<V: OkvsValue> Window<V> {
    pub(super) fn new() -> Self {
        let tables = vec![[V::ZERO; 1 << GROUP]; STARTS + REACH - 1];
        Self { tables: Zeroizing::new(tables), first: None }
    }

    /// Takes the tables of `columns` from column `first` on, the begin of a block.
    pub(super) fn move_to(&mut self, columns: &[V], first: usize) {
        let follows = first >= BLOCK && self.first == Some(first - BLOCK);
        let kept = if follows { REACH - 1 } else { 0 };
        self.tables.copy_within(STARTS..STARTS + kept, 0);
        let groups = columns[first..].as_chunks().0.iter().skip(kept);
        for (table, columns) in self.tables[kept..].iter_mut().zip(groups) {
            *table = all_sums(columns);
        }
        self.first = Some(first);
    }

    /// What `band` from column `start` on gives, which lies in the block.
    #[inline]
    pub(super) fn product(&self, start: usize, band: Band) -> V {
        let group = (start % BLOCK) / GROUP;
        let tables = self.tables[group..].first_chunk().expect("a window holds all of its bands");
        Aligned::new(band, start % GROUP).product(tables)
    }
}
