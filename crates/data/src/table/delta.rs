//! Pages of Parquet whose texts have their lengths as differences: how many lengths those say that there are.
//!
//! The library reserves room for that number before it reads any, whatever the page's header says.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageReader};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::claims::{Unfit, fits};
use super::store::Blocks;
use super::thrift::Compact;

/// Bytes that the library reserves for a length.
const LENGTH: u64 = 4;

/// Refuses a column with a page of more lengths than values, or whose lengths take more than `room` bytes.
pub(super) fn check(
    blocks: &Blocks,
    column: &ColumnChunkMetaData,
    rows: usize,
    room: u64,
) -> Result<(), Unfit> {
    let reader = SerializedPageReader::new(Arc::new(blocks.clone()), column, rows, None);
    let mut reader = reader.map_err(|_| Unfit::Damaged)?;
    while let Some(page) = reader.get_next_page().map_err(|_| Unfit::Damaged)? {
        let lists = match page.encoding() {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => continue,
        };
        let most = u64::from(page.num_values());
        let mut values = Compact(values(page, column).ok_or(Unfit::Damaged)?);
        // A page of nulls alone may have nothing.
        if values.0.is_empty() {
            continue;
        }
        let mut lengths = 0;
        for _ in 0..lists {
            lengths += values.pass_differences(most).ok_or(Unfit::Damaged)?;
        }
        fits(lengths * LENGTH, room)?;
    }
    Ok(())
}

/// What stands behind a data page's levels, or in a dictionary.
pub(super) fn values(page: Page, column: &ColumnChunkMetaData) -> Option<Bytes> {
    let described = column.column_descr();
    match page {
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let mut rest = Compact(buf);
            rest.pass(u64::from(def_levels_byte_len) + u64::from(rep_levels_byte_len))?;
            Some(rest.0)
        }
        Page::DataPage { buf, num_values, def_level_encoding, rep_level_encoding, .. } => {
            let levels = [
                (described.max_rep_level(), rep_level_encoding),
                (described.max_def_level(), def_level_encoding),
            ];
            let mut rest = Compact(buf);
            for (most, encoding) in levels.into_iter().filter(|(most, _)| *most > 0) {
                let length = if encoding == Encoding::RLE {
                    let length = rest.0.get(..4)?.try_into().ok()?;
                    rest.pass(4)?;
                    u64::from(u32::from_le_bytes(length))
                } else {
                    let bits = u64::from(16 - most.leading_zeros());
                    (u64::from(num_values) * bits).div_ceil(8)
                };
                rest.pass(length)?;
            }
            Some(rest.0)
        }
        Page::DictionaryPage { buf, .. } => Some(buf),
    }
}

impl Compact {
    /// Passes numbers in DELTA_BINARY_PACKED, at most `most`: a header with the first, then blocks of packed differences. Says
    /// how many there are.
    fn pass_differences(&mut self, most: u64) -> Option<u64> {
        let (block, minis, numbers) = (self.varint()?, self.varint()?, self.varint()?);
        self.varint()?;
        if numbers > most || minis == 0 || minis > block {
            return None;
        }
        let mini = block / minis;
        let mut left = numbers.saturating_sub(1);
        while left > 0 {
            // The smallest difference, then the bits of one in each miniblock.
            self.varint()?;
            let widths = self.0.clone();
            self.pass(minis)?;
            for width in widths.iter().take(usize::try_from(minis).ok()?) {
                if left == 0 {
                    break;
                }
                self.pass(mini.checked_mul(u64::from(*width))? / 8)?;
                left = left.saturating_sub(mini);
            }
        }
        Some(numbers)
    }
}
