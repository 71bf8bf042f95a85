//! The longest texts of a Parquet column.
//!
//! A page may say any number of times that a value is that one of its dictionary.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Encoding, Type};
use parquet::column::page::PageReader;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::claims::Unfit;
use super::delta::{self, values};
use super::store::Blocks;

/// What a column's texts take, in bytes.
#[derive(Default)]
pub(super) struct Texts {
    /// The longest, at most.
    pub(super) longest: u64,
    /// The lengths of a page's texts, where the library has them beside it.
    pub(super) lengths: u64,
}

/// Looks at all texts of a column; refuses lengths that take more than `most` bytes.
pub(super) fn texts(
    blocks: &Blocks,
    column: &ColumnChunkMetaData,
    rows: usize,
    most: u64,
) -> Result<Texts, Unfit> {
    let reader = SerializedPageReader::new(Arc::new(blocks.clone()), column, rows, None);
    let mut reader = reader.map_err(|_| Unfit::Damaged)?;
    let mut texts = Texts::default();
    while let Some(page) = reader.get_next_page().map_err(|_| Unfit::Damaged)? {
        let (longest, lengths) = match page.encoding() {
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY if page.is_data_page() => (0, 0),
            Encoding::PLAIN | Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY
                if column.column_type() == Type::BYTE_ARRAY =>
            {
                let longest = values(page, column).and_then(|texts| longest_plain(&texts));
                (longest.ok_or(Unfit::Damaged)?, 0)
            }
            Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY => {
                let lengths = delta::lengths(page, column, most)?;
                (lengths.longest, lengths.bytes)
            }
            _ => (page.buffer().len() as u64, 0),
        };
        texts.longest = texts.longest.max(longest);
        texts.lengths = texts.lengths.max(lengths);
    }
    Ok(texts)
}

/// The length of the longest of texts that each have their length in front; none where one is longer than what is there.
fn longest_plain(texts: &Bytes) -> Option<u64> {
    let (mut rest, mut longest) = (&texts[..], 0);
    while let Some((length, behind)) = rest.split_first_chunk() {
        let length = u32::from_le_bytes(*length);
        longest = longest.max(length.into());
        rest = behind.get(length as usize..)?;
    }
    Some(longest)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;
    use parquet::file::metadata::ParquetMetaDataReader;
    use parquet::file::properties::WriterProperties;

    use super::*;

    /// Lengths that rise and fall, no two of which follow one another evenly.
    fn lengths() -> impl Iterator<Item = usize> {
        (0..5_000_usize).map(|row| row.pow(3) % 997)
    }

    #[test]
    fn texts_are_as_long_as_their_lengths_say() {
        let longest = lengths().max().expect("some") as u64;
        let rows = lengths().map(|length| (length % 11 > 0).then(|| "k".repeat(length)));
        let batch: ArrayRef = Arc::new(StringArray::from_iter(rows));
        let batch = RecordBatch::try_from_iter([("k", batch)]).expect("a column");
        // The longest text of a page, and at most what one has of that before it beside it.
        for (encoding, most) in [
            (Encoding::PLAIN, longest),
            (Encoding::DELTA_LENGTH_BYTE_ARRAY, longest),
            (Encoding::DELTA_BYTE_ARRAY, 2 * longest),
        ] {
            let properties = WriterProperties::builder()
                .set_dictionary_enabled(false)
                .set_encoding(encoding)
                .set_compression(parquet::basic::Compression::SNAPPY)
                .build();
            let mut file = Vec::new();
            let writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties));
            let mut writer = writer.expect("text");
            writer.write(&batch).expect("to memory");
            writer.close().expect("to memory");
            let blocks = Blocks::Memory(file.into());
            let metadata = ParquetMetaDataReader::new().parse_and_finish(&blocks).expect("a file");
            let found = texts(&blocks, metadata.row_group(0).column(0), 5_000, u64::MAX);
            let found = found.expect("texts").longest;
            assert!((longest..=most).contains(&found), "{encoding}: {found}");
        }
    }
}
