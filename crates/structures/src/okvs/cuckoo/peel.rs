//! Taking rows off a table one by one, each by a column that no remaining row has.

use super::super::Failure;

/// A table taken apart.
pub(super) struct Peeled {
    /// Row and column of each step: no row of a later step has the column, and no row in `gaps` that was still there.
    pub(super) order: Vec<[u16; 2]>,
    /// Rows that were taken out because each of their columns, and of every other row's, stood in another row too.
    pub(super) gaps: Vec<u16>,
}

/// Peels all rows but at most `max_gaps`.
pub(super) fn peel(
    rows: &[[u16; 3]],
    hashes: &[u128],
    columns: usize,
    max_gaps: usize,
) -> Result<Peeled, Failure> {
    // Rows are numbered in 16 bits; no shape comes near so many in a cluster.
    if rows.len() > usize::from(u16::MAX) {
        return Err(Failure::Unsolvable);
    }
    let mut table = Table::new(rows, columns);
    table.peel();
    let mut gaps = Vec::new();
    if table.order.len() < rows.len() {
        no_repeats(&table.core(), hashes)?;
    }
    while let Some(row) = table.most_entangled() {
        if gaps.len() == max_gaps {
            return Err(Failure::Unsolvable);
        }
        gaps.push(row);
        table.take_out(row);
        table.peel();
    }
    Ok(Peeled { order: table.order, gaps })
}

/// Equal keys have equal rows, which never peel.
fn no_repeats(core: &[u16], hashes: &[u128]) -> Result<(), Failure> {
    let mut by_hash: Vec<(u128, usize)> =
        core.iter().map(|row| (hashes[usize::from(*row)], usize::from(*row))).collect();
    by_hash.sort_unstable();
    match by_hash.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(Failure::Repeated(pair[0].1, pair[1].1)),
        None => Ok(()),
    }
}

/// What remains of a column.
#[derive(Clone, Copy, Default)]
struct Column {
    /// The sum of the numbers of its rows: once only one is left, that row.
    rows: u16,
    /// How many rows it stands in.
    degree: u16,
}

struct Table<'a> {
    rows: &'a [[u16; 3]],
    columns: Vec<Column>,
    /// Columns that may stand in one row only.
    pending: Vec<u16>,
    order: Vec<[u16; 2]>,
    taken_out: Vec<u16>,
}

impl<'a> Table<'a> {
    fn new(rows: &'a [[u16; 3]], columns: usize) -> Self {
        let mut table = vec![Column::default(); columns];
        for (number, row) in rows.iter().enumerate() {
            for column in row {
                let column = &mut table[usize::from(*column)];
                column.rows ^= number as u16;
                column.degree += 1;
            }
        }
        let single = (0..columns).filter(|column| table[*column].degree == 1);
        let pending = single.map(|column| column as u16).collect();
        let order = Vec::with_capacity(rows.len());
        Self { rows, columns: table, pending, order, taken_out: Vec::new() }
    }

    fn peel(&mut self) {
        while let Some(column) = self.pending.pop() {
            let Column { rows: row, degree } = self.columns[usize::from(column)];
            if degree == 1 {
                self.order.push([row, column]);
                self.remove(row);
            }
        }
    }

    fn take_out(&mut self, row: u16) {
        self.taken_out.push(row);
        self.remove(row);
    }

    #[inline]
    fn remove(&mut self, number: u16) {
        for place in self.rows[usize::from(number)] {
            let column = &mut self.columns[usize::from(place)];
            column.rows ^= number;
            column.degree -= 1;
            if column.degree == 1 {
                self.pending.push(place);
            }
        }
    }

    /// The rows that remain.
    fn core(&self) -> Vec<u16> {
        let mut gone = vec![false; self.rows.len()];
        let peeled = self.order.iter().map(|[row, _]| row);
        for row in peeled.chain(&self.taken_out) {
            gone[usize::from(*row)] = true;
        }
        (0..self.rows.len()).filter(|row| !gone[*row]).map(|row| row as u16).collect()
    }

    /// The remaining row that frees the most rows when it goes: with the most columns that one other row has.
    fn most_entangled(&self) -> Option<u16> {
        if self.order.len() + self.taken_out.len() == self.rows.len() {
            return None;
        }
        let frees = |row: &u16| {
            let columns = self.rows[usize::from(*row)].iter();
            columns.filter(|column| self.columns[usize::from(**column)].degree == 2).count()
        };
        self.core().into_iter().max_by_key(frees)
    }
}
