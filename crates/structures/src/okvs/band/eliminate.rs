//! Gaussian elimination along the band.

use zeroize::Zeroizing;

use super::super::OkvsValue;
use super::super::cipher::Stream;
use super::tables::{Aligned, GROUP, REACH, Sums, add_before};
use super::{Band, WORDS};

/// Tables that are written before those still needed move back to the end.
const SPAN: usize = 2 * REACH;

/// Adds to the echelon form the row of `band` from `column` on. The row with pivot c is `bands[c]`, whose bit 0 is
/// column c, and `values[c]`; a band of zeros is no row. False if the row is a sum of others.
#[inline]
pub(super) fn insert<V: OkvsValue>(
    bands: &mut [Band],
    values: &mut [V],
    mut column: usize,
    mut band: Band,
    mut value: V,
) -> bool {
    loop {
        while band[0] == 0 {
            if band == [0; WORDS] {
                return false;
            }
            band = std::array::from_fn(|word| band.get(word + 1).copied().unwrap_or(0));
            column += 64;
        }
        let skipped = band[0].trailing_zeros();
        band = shift_down(band, skipped);
        column += skipped as usize;
        let pivot = &mut bands[column];
        if pivot[0] == 0 {
            *pivot = band;
            values[column] = value;
            return true;
        }
        band = std::array::from_fn(|word| band[word] ^ pivot[word]);
        value = value.plus(values[column]);
    }
}

#[inline]
fn shift_down(band: Band, by: u32) -> Band {
    std::array::from_fn(|word| {
        let above = band.get(word + 1).copied().unwrap_or(0);
        (band[word] >> by) | ((above << 1) << (63 - by))
    })
}

/// Turns `columns`, the values of the echelon form's rows, into the solution, from the last to the first; columns
/// without a row are drawn.
pub(super) fn substitute<V: OkvsValue>(bands: &[Band], stream: &mut Stream<'_>, columns: &mut [V]) {
    let mut tables = Zeroizing::new(vec![[V::ZERO; 1 << GROUP]; SPAN + REACH]);
    let mut next = SPAN + 1;
    let groups = bands.as_chunks::<GROUP>().0.iter().zip(columns.as_chunks_mut::<GROUP>().0);
    for (bands, columns) in groups.rev() {
        if next == 0 {
            tables.copy_within(..REACH - 1, SPAN + 1);
            next = SPAN + 1;
        }
        next -= 1;
        let reach = tables[next..].first_chunk_mut().expect("the last tables stay in reach");
        solve_group(bands, stream, columns, reach);
    }
}

/// Solves the columns of a group with the tables of those after it, and makes its own, the first of `tables`.
#[inline]
fn solve_group<V: OkvsValue>(
    bands: &[Band; GROUP],
    stream: &mut Stream<'_>,
    columns: &mut [V; GROUP],
    tables: &mut [Sums<V>; REACH],
) {
    for place in (0..GROUP).rev() {
        let band = bands[place];
        columns[place] = if band[0] == 0 {
            stream.draw()
        } else {
            columns[place].plus(Aligned::new(band, place).after(place).product(tables))
        };
        add_before(&mut tables[0], place, columns[place]);
    }
}
