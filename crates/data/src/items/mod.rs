//! Rows to send, in a union or with matches, or labels: cells packed into items of one width, and back.

mod sent;

use zeroize::Zeroizing;

pub use self::sent::{RowsToSend, SentColumns};

use crate::columns::{locate, locate_all};
use crate::table::Fields;
use crate::{DataError, KeySet, KeySpec, Table};

/// The most bytes that an item takes.
pub const MAX_ITEM: usize = 4096;

/// For each key, the first row that carries it: its cells in the key columns as they are in the file, if they belong to it,
/// then those in the extra columns.
///
/// An item is its cells in order, each the length of its text in bytes (7 bits a byte, lowest first, the top bit set
/// in all but the last; at most 3 bytes) and the text in UTF-8. Zero bytes fill it up to the longest item's length.
/// Wiped when dropped. Costs the width a key.
pub struct Items {
    columns: Vec<String>,
    width: usize,
    bytes: Zeroizing<Vec<u8>>,
}

/// The flag that names columns to send.
const SEND: &str = "--send";

impl Items {
    /// The items of `table`, whose keys under `spec` are `keys`, with the `extra` columns.
    ///
    /// # Errors
    /// When a column is missing or chosen twice, or an item is longer than [`MAX_ITEM`] or has a zero byte.
    pub fn build(
        table: &Table,
        keys: &KeySet,
        spec: &KeySpec,
        extra: &[String],
    ) -> Result<Self, DataError> {
        Self::of_places(table, keys, &places(table, spec, extra)?, extra)
    }

    /// The text that stands in the column `label` for each key.
    ///
    /// # Errors
    /// When the column is missing or has no text, or rows of one key have different texts in it.
    pub fn texts_of_keys(
        table: &Table,
        keys: &KeySet,
        label: &str,
    ) -> Result<Vec<String>, DataError> {
        let place = locate(label, table)?;
        let mut texts: Vec<Option<(usize, String)>> = vec![None; keys.len()];
        table.try_for_each_row(&[place], |row, fields| {
            let Some(key) = keys.key_of(row) else { return Ok(()) };
            let text = fields.get(0);
            let (first, before) =
                texts[key].get_or_insert_with(|| (row, text.clone().into_owned()));
            if *before == text {
                return Ok(());
            }
            let first = table.place_of_row(*first, None).spot();
            Err(DataError::TwoLabels { place: table.place_of_row(row, Some(place)), first })
        })?;
        Ok(texts.into_iter().map(|text| text.map_or_else(String::new, |(_, text)| text)).collect())
    }

    /// The labels that stand in the column `label`.
    ///
    /// # Errors
    /// As [`Items::texts_of_keys`], and when a label is longer than [`MAX_ITEM`].
    pub fn labels(table: &Table, keys: &KeySet, label: &str) -> Result<Self, DataError> {
        Self::texts_of_keys(table, keys, label)?;
        let place = locate(label, table)?;
        Self::of_places(table, keys, &[place], &[label.to_owned()])
    }

    fn of_places(
        table: &Table,
        keys: &KeySet,
        places: &[usize],
        columns: &[String],
    ) -> Result<Self, DataError> {
        let mut width = 0;
        for_each_first_row(table, keys, places, |row, _, fields| {
            let cells = (0..places.len()).map(|index| fields.get(index));
            let length = cells.map(|cell| packed_length(&cell)).sum();
            width = width.max(length);
            if (0..places.len()).any(|index| fields.get(index).contains('\0')) {
                return Err(DataError::ZeroByte { place: table.place_of_row(row, None) });
            }
            if length > MAX_ITEM {
                let place = table.place_of_row(row, None);
                return Err(DataError::ItemTooLong { place, most: MAX_ITEM });
            }
            Ok(())
        })?;
        let mut bytes = Zeroizing::new(vec![0; keys.len() * width]);
        for_each_first_row(table, keys, places, |_, key, fields| {
            let item = &mut bytes[key * width..(key + 1) * width];
            (0..places.len()).fold(item, |rest, index| pack(rest, &fields.get(index)));
            Ok(())
        })?;
        Ok(Self { columns: columns.to_vec(), width, bytes })
    }

    /// Bytes an item: the length of the longest; 0 where there is none.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The items one after the other, in [`KeySet`]'s order.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The names of the extra columns, or of the one with labels.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }
}

/// Why what the peer sent is no item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadItem {
    /// It ends before its last cell does.
    #[error("a row from the peer ends inside a cell")]
    Cut,
    /// A cell's length takes more bytes than it needs, or than a length may take.
    #[error("a row from the peer has a cell whose length is not written as it should be")]
    Length,
    /// A cell is not UTF-8, or has a zero byte, which no list can hold.
    #[error("a row from the peer has a cell that is no text")]
    NotText,
    /// It has no row, or more than a key has.
    #[error("a row from the peer says of itself that it is none, or more rows than agreed")]
    Rows,
    /// Something other than zero bytes follows the last cell.
    #[error("a row from the peer goes on after its last cell")]
    TooLong,
}

/// The `cells` cells of an item that the peer sent; any bytes may be given.
///
/// # Errors
/// When it is not exactly that many cells of text and zero bytes after them.
pub fn decode(item: &[u8], cells: usize) -> Result<Vec<String>, BadItem> {
    let mut decoded = Vec::new();
    for_each_cell(item, cells, |text| decoded.push(text.to_owned()))?;
    Ok(decoded)
}

/// The rows of an item that the peer sent for a match, at most `most` of `columns` cells each; any bytes may be given.
///
/// # Errors
/// When it is anything else.
pub fn decode_rows(item: &[u8], columns: usize, most: u64) -> Result<Vec<Vec<String>>, BadItem> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for_each_cell_of_rows(item, columns, most, |text| match rows.last_mut() {
        Some(row) if row.len() < columns => row.push(text.to_owned()),
        _ => rows.push(vec![text.to_owned()]),
    })?;
    Ok(rows)
}

/// Finds out whether [`decode_rows`] can read the item.
///
/// # Errors
/// When it cannot.
pub fn check_rows(item: &[u8], columns: usize, most: u64) -> Result<(), BadItem> {
    for_each_cell_of_rows(item, columns, most, |_| {})
}

fn for_each_cell_of_rows(
    item: &[u8],
    columns: usize,
    most: u64,
    visit: impl FnMut(&str),
) -> Result<(), BadItem> {
    let (rows, cells) = unpack_length(item)?;
    if rows == 0 || rows as u64 > most {
        return Err(BadItem::Rows);
    }
    for_each_cell(cells, rows * columns, visit)
}

fn for_each_cell(item: &[u8], cells: usize, mut visit: impl FnMut(&str)) -> Result<(), BadItem> {
    let mut rest = item;
    for _ in 0..cells {
        let (length, after) = unpack_length(rest)?;
        let (text, after) = after.split_at_checked(length).ok_or(BadItem::Cut)?;
        let text = std::str::from_utf8(text).map_err(|_| BadItem::NotText)?;
        if text.contains('\0') {
            return Err(BadItem::NotText);
        }
        visit(text);
        rest = after;
    }
    if rest.iter().any(|byte| *byte != 0) { Err(BadItem::TooLong) } else { Ok(()) }
}

/// Where an item's cells stand in `table`; every column once.
fn places(table: &Table, spec: &KeySpec, extra: &[String]) -> Result<Vec<usize>, DataError> {
    let mut places = spec.locate(table)?;
    let extra = locate_all(extra, SEND, table)?;
    if let Some(again) = extra.iter().find(|place| places.contains(place)) {
        let column = table.header()[*again].clone();
        return Err(DataError::ChosenTwice { flag: SEND, column });
    }
    places.extend(extra);
    Ok(places)
}

/// Calls `visit` with the row, the key and the fields in `places` of each key's first row.
fn for_each_first_row(
    table: &Table,
    keys: &KeySet,
    places: &[usize],
    mut visit: impl FnMut(usize, usize, &Fields<'_>) -> Result<(), DataError>,
) -> Result<(), DataError> {
    // Keys are numbered as they come.
    let mut next = 0;
    table.try_for_each_row(places, |row, fields| match keys.key_of(row) {
        Some(key) if key == next => {
            next += 1;
            visit(row, key, fields)
        }
        _ => Ok(()),
    })
}

/// Bytes that a cell takes.
fn packed_length(cell: &str) -> usize {
    length_of_number(cell.len()) + cell.len()
}

/// Bytes that a length or a number of rows takes.
fn length_of_number(number: usize) -> usize {
    let bits = usize::BITS - number.leading_zeros();
    bits.div_ceil(7).max(1) as usize
}

/// Writes a cell to the front of `item` and returns what follows it.
fn pack<'a>(item: &'a mut [u8], cell: &str) -> &'a mut [u8] {
    let (text, rest) = write_number(item, cell.len()).split_at_mut(cell.len());
    text.copy_from_slice(cell.as_bytes());
    rest
}

/// Writes a length or a number of rows to the front of `item` and returns what follows it.
fn write_number(item: &mut [u8], number: usize) -> &mut [u8] {
    let (bytes, rest) = item.split_at_mut(length_of_number(number));
    let last = bytes.len() - 1;
    for (index, byte) in bytes.iter_mut().enumerate() {
        let more = if index < last { 0x80 } else { 0 };
        *byte = (number >> (7 * index)) as u8 & 0x7f | more;
    }
    rest
}

/// The length at the front of `item`, and what follows it.
fn unpack_length(item: &[u8]) -> Result<(usize, &[u8]), BadItem> {
    const MOST_BYTES: usize = 3;
    let mut length = 0;
    for (index, byte) in item.iter().take(MOST_BYTES).enumerate() {
        length |= usize::from(byte & 0x7f) << (7 * index);
        match byte {
            0 if index > 0 => return Err(BadItem::Length),
            0..=0x7f => return Ok((length, &item[index + 1..])),
            _ => {}
        }
    }
    Err(if item.len() < MOST_BYTES { BadItem::Cut } else { BadItem::Length })
}

#[cfg(test)]
mod tests;
