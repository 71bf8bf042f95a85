//! Columns of rows that go with matches: how long they are is known before a run, and they are read as they go.

use zeroize::Zeroizing;

use super::{MAX_ITEM, SEND, length_of_number, pack, packed_length, write_number};
use crate::columns::locate_all;
use crate::table::Fields;
use crate::{DataError, Linkage, Table};

/// Columns of a table that go with matches.
///
/// What goes for a value is an item: the number of rows that carry it, written as a length is, and the cells of one row after
/// the other, in the table's order; zero bytes fill it up to the longest item's length.
pub struct SentColumns {
    names: Vec<String>,
    places: Vec<usize>,
    width: usize,
    rows_of_key: u16,
}

impl SentColumns {
    /// Those of these names, for the values of `linkage`.
    ///
    /// # Errors
    /// When a column is missing or chosen twice, or an item is longer than [`MAX_ITEM`] or has a zero byte.
    pub fn of(table: &Table, linkage: &Linkage, names: &[String]) -> Result<Self, DataError> {
        let places = locate_all(names, SEND, table)?;
        // Rows of each value, and bytes of their cells.
        let mut sizes = vec![(0_u16, 0_u16); linkage.len()];
        let (mut width, mut rows_of_key) = (0, 0);
        table.try_for_each_row(&places, |row, fields| {
            let mut carried = linkage.numbers_of(row).peekable();
            if carried.peek().is_none() {
                return Ok(());
            }
            if (0..places.len()).any(|index| fields.get(index).contains('\0')) {
                return Err(DataError::ZeroByte { place: table.place_of_row(row, None) });
            }
            let length = length_of(places.len(), fields);
            for number in carried {
                let rows = usize::from(sizes[number].0) + 1;
                let cells = usize::from(sizes[number].1) + length;
                let item = length_of_number(rows) + cells;
                let (Ok(rows), Ok(cells), true) =
                    (u16::try_from(rows), u16::try_from(cells), item <= MAX_ITEM)
                else {
                    let place = table.place_of_row(row, None);
                    return Err(match rows {
                        1 => DataError::ItemTooLong { place, most: MAX_ITEM },
                        rows => DataError::RowsTooLong { place, rows, most: MAX_ITEM },
                    });
                };
                sizes[number] = (rows, cells);
                (width, rows_of_key) = (item.max(width), rows.max(rows_of_key));
            }
            Ok(())
        })?;
        Ok(Self { names: names.to_vec(), places, width, rows_of_key })
    }

    /// Their names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Bytes an item: the length of the longest; 0 where there is none.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The most rows that one key has here.
    #[must_use]
    pub fn rows_of_key(&self) -> u16 {
        self.rows_of_key
    }
}

fn length_of(columns: usize, fields: &Fields<'_>) -> usize {
    (0..columns).map(|index| packed_length(&fields.get(index))).sum()
}

/// What a list has to send with matches.
#[derive(Clone, Copy)]
pub struct RowsToSend<'a> {
    /// The list.
    pub table: &'a Table,
    /// Its values.
    pub linkage: &'a Linkage,
    /// The columns.
    pub columns: &'a SentColumns,
}

impl RowsToSend<'_> {
    /// The items of the values of these numbers, one after the other, without rows that match by one of the values `matched`; and
    /// zeros behind them, up to those of `count` values. Reads the columns once.
    ///
    /// # Errors
    /// When they cannot be decoded.
    ///
    /// # Panics
    /// When a number is not below that of the values.
    pub fn items(
        &self,
        numbers: &[u32],
        matched: &[u32],
        count: usize,
    ) -> Result<Zeroizing<Vec<u8>>, DataError> {
        const NOWHERE: u32 = u32::MAX;
        let Self { table, linkage, columns: SentColumns { places, width, .. } } = *self;
        let mut drops = vec![false; linkage.rows()];
        linkage.rows_of(matched).for_each(|(row, _)| drops[row] = true);
        let mut place_of = vec![NOWHERE; linkage.len()];
        (0..).zip(numbers).for_each(|(place, number)| place_of[*number as usize] = place);
        let place =
            |number: usize| (place_of[number] != NOWHERE).then_some(place_of[number] as usize);
        let mut rows_of: Vec<u16> = vec![0; numbers.len()];
        for row in (0..drops.len()).filter(|row| !drops[*row]) {
            linkage.numbers_of(row).filter_map(place).for_each(|place| rows_of[place] += 1);
        }
        let mut items = Zeroizing::new(vec![0; count.max(numbers.len()) * width]);
        // Where the next row of each begins.
        let starts = items.chunks_exact_mut((*width).max(1)).zip(rows_of);
        let starts =
            starts.map(|(item, rows)| (width - write_number(item, rows.into()).len()) as u16);
        let mut starts: Vec<u16> = starts.collect();
        table.try_for_each_row(places, |row, fields| {
            if drops[row] {
                return Ok(());
            }
            for place in linkage.numbers_of(row).filter_map(place) {
                let item = &mut items[place * width..(place + 1) * width];
                let rest = &mut item[usize::from(starts[place])..];
                let rest = (0..places.len()).fold(rest, |rest, at| pack(rest, &fields.get(at)));
                starts[place] = (width - rest.len()) as u16;
            }
            Ok(())
        })?;
        Ok(items)
    }
}
