//! Arrow and Parquet files that are made to take more memory than they are long: they are refused as they are opened, and the
//! tests end where any of them reserves more than the process may have. The limit is the reason why they have a process of
//! their own.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Float32Builder, ListBuilder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, FixedSizeListArray, Int32Array, Int64Array, LargeListArray,
    NullArray, RecordBatch, StringArray, StringViewArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_ipc::{
    CompressionType, Field, FieldArgs, Message, MessageArgs, MessageHeader, MetadataVersion, Null,
    NullArgs, Schema, SchemaArgs, Type, root_as_footer,
};
use arrow_schema::DataType;
use base64::prelude::{BASE64_STANDARD, Engine};
use flatbuffers::{FlatBufferBuilder, WIPOffset};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter};
use parquet::basic::{Compression, GzipLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use tempfile::TempDir;
use veilset_data::{DataError, Destination, Scratch, Source, Table};

mod pages;

use pages::{Page, dictionary, leb, number, parquet, zigzag};

/// Limits what the process may reserve, where a system counts that as it is meant.
#[cfg(target_os = "linux")]
fn limit() {
    use nix::sys::resource::{Resource, setrlimit};

    const MOST: u64 = 4 << 30;
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| setrlimit(Resource::RLIMIT_AS, MOST, MOST).expect("a limit"));
}

/// What these bytes are under a list's limit.
fn open(name: &str, bytes: &[u8], memory: Option<u64>) -> Result<Table, DataError> {
    #[cfg(target_os = "linux")]
    limit();
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("writable");
    open_file(&path, memory)
}

fn open_file(path: &Path, memory: Option<u64>) -> Result<Table, DataError> {
    let folder = path.parent().map(Path::to_owned);
    let scratch = Scratch::new(folder.filter(|_| memory.is_some()), memory);
    Table::read_within(&Source::File(path.to_owned()), None, &scratch)
}

fn is_damaged(bytes: &[u8]) -> bool {
    matches!(open("a.parquet", bytes, None), Err(DataError::Damaged { .. }))
}

/// The bytes that a refused file says that it takes.
fn too_large(read: Result<Table, DataError>) -> u64 {
    match read {
        Err(DataError::TooLarge { bytes, .. }) => bytes,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("not refused"),
    }
}

/// Twelve numbers, and how each codec has them.
fn twelve() -> (Vec<u8>, Vec<(Compression, Vec<u8>)>) {
    let plain: Vec<u8> = (0..12_i64).flat_map(i64::to_le_bytes).collect();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&plain).expect("to memory");
    let mut lz4 = lz4_flex::frame::FrameEncoder::new(Vec::new());
    lz4.write_all(&plain).expect("to memory");
    // The header of 96 bytes that are not compressed, and an empty end.
    let brotli = [&[0xf0, 0x05, 0x10], &plain[..], &[3]].concat();
    let packed = vec![
        (Compression::GZIP(GzipLevel::default()), gzip.finish().expect("to memory")),
        (Compression::LZ4, lz4.finish().expect("to memory")),
        (Compression::BROTLI(parquet::basic::BrotliLevel::default()), brotli),
    ];
    (plain, packed)
}

#[test]
fn a_page_does_not_expand_to_more_than_it_says() {
    let (_, packed) = twelve();
    for (codec, body) in packed {
        let honest = Page { decoded: 96, ..Page::of(12, &body) };
        let table = open("a.parquet", &parquet("int64", codec, 12, &honest.bytes()), None);
        let table = table.unwrap_or_else(|error| panic!("{codec}: {error}"));
        let mut sum = 0;
        let add = |_, fields: &veilset_data::Fields<'_>| {
            sum += fields.get(0).parse::<u64>().expect("a number");
        };
        table.for_each_row(&[0], add).expect("numbers");
        assert_eq!(sum, 66, "{codec}");
        for claim in [8, 95] {
            let hostile = Page { decoded: claim, ..Page::of(12, &body) };
            assert!(is_damaged(&parquet("int64", codec, 12, &hostile.bytes())), "{codec} {claim}");
        }
    }
}

#[test]
fn a_header_is_what_the_library_reads() {
    let plain = twelve().0;
    let file = |page: &Page| parquet("int64", Compression::UNCOMPRESSED, 12, &page.bytes());
    let honest = || Page::of(12, &plain);
    assert!(open("a.parquet", &file(&honest()), None).is_ok());
    let huge = i64::from(i32::MAX);
    for (what, page) in [
        ("a size of 64 bits", Page { kind_of_decoded: 6, decoded: huge, ..honest() }),
        (
            "a second size",
            Page { tail: [&[0x05], &zigzag(2)[..], &zigzag(huge)].concat(), ..honest() },
        ),
        (
            "a field beyond",
            Page { tail: [&[0x05], &zigzag(65_538)[..], &zigzag(8)].concat(), ..honest() },
        ),
        ("a size of 33 bits", Page { decoded: (1 << 32) + 96, ..honest() }),
        ("two headers", Page { tail: second_header(), ..honest() }),
        ("a header of another type", Page { kind: 3, ..honest() }),
        ("an index", Page { kind: 1, ..honest() }),
    ] {
        assert!(is_damaged(&file(&page)), "{what}");
    }
}

/// A newer data page's header behind that of an old one: it says nothing of differences.
fn second_header() -> Vec<u8> {
    let numbers = [12, 0, 12, 0, 0, 0];
    [&[0x3c][..], &numbers.map(|n| number(1, n)).concat(), &[0]].concat()
}

#[test]
fn a_dictionary_has_no_more_values_than_bytes_for_them() {
    let plain = twelve().0;
    let data = Page { encoding: 8, ..Page::of(12, &[0]) }.bytes();
    let file = |dictionary: &Page, kind| {
        let chunk = [dictionary.bytes(), data.clone()].concat();
        parquet(kind, Compression::UNCOMPRESSED, 12, &chunk)
    };
    assert!(open("a.parquet", &file(&dictionary(12, &plain), "int64"), None).is_ok());
    let huge = i64::from(i32::MAX);
    for (count, decoded, kind) in [
        (huge, huge, "int64"),
        (huge, 96, "int64"),
        (13, 96, "int64"),
        (9, 96, "int96"),
        (25, 96, "float"),
        (25, 96, "binary"),
        (7, 96, "fixed_len_byte_array(16)"),
    ] {
        let page = Page { decoded, ..dictionary(count, &plain) };
        assert!(is_damaged(&file(&page, kind)), "{count} of {kind}");
    }
}

#[test]
fn lengths_as_differences_fit() {
    // A block of all, in one part of no bits.
    let count = u64::try_from(i32::MAX).expect("positive");
    let list = [&leb(1 << 31)[..], &[1], &leb(count), &[0, 0, 0]].concat();
    let body = [&list[..], &list].concat();
    let page = Page { encoding: 7, ..Page::of(count as i64, &body) };
    let file = parquet("binary", Compression::UNCOMPRESSED, count as i64, &page.bytes());
    assert_eq!(too_large(open("a.parquet", &file, None)), 4 * count);
}

#[test]
fn a_column_has_no_more_values_than_rows() {
    // Each page says in 50 bytes that it has millions of lengths that rise evenly.
    let count = 30_000_000;
    let list = [&leb(1 << 31)[..], &[1], &leb(count), &[0, 0, 0]].concat();
    let body = [&list[..], &list].concat();
    let page = Page { encoding: 7, ..Page::of(count as i64, &body) }.bytes();
    let kind = Compression::UNCOMPRESSED;
    assert!(is_damaged(&parquet("binary", kind, 1, &page.repeat(20_000))));
    // Nor do they take the time of as many, where there are as many rows.
    let file = parquet("binary", kind, 100 * count as i64, &page.repeat(100));
    assert!(matches!(open("a.parquet", &file, Some(400 << 20)), Err(DataError::TooLarge { .. })));
}

#[test]
fn columns_share_no_bytes() {
    let columns = ["a", "b"].map(|name| {
        let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..5_000));
        (name, numbers)
    });
    let batch = RecordBatch::try_from_iter(columns).expect("columns");
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .build();
    let mut honest = Vec::new();
    let writer = ArrowWriter::try_new(&mut honest, batch.schema(), Some(properties));
    let mut writer = writer.expect("numbers");
    writer.write(&batch).expect("to memory");
    writer.close().expect("to memory");
    assert!(open("a.parquet", &honest, None).is_ok());
    let end = honest.len() - 8;
    let length = honest[end..].first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
    let (pages, footer) = honest.split_at(end - length as usize);
    // The second column's bytes are not there: it says that it begins where the first does, in as many bytes.
    let half = pages.len().div_ceil(2) + 2;
    let (first, second) = (zigzag(4), zigzag(half as i64));
    let last = second.len() - 1;
    let again = (0..=last).map(|at| first.get(at).unwrap_or(&0) | u8::from(at < last) << 7);
    let footer = replaced(footer.to_vec(), &second, &again.collect::<Vec<_>>());
    assert!(is_damaged(&[&pages[..half], &footer].concat()));
}

#[test]
fn views_keep_the_pages_that_they_are_in() {
    const GROUPS: usize = 400;
    let field = arrow_schema::Field::new("k", DataType::Utf8View, false);
    let schema = Arc::new(arrow_schema::Schema::new(vec![field]));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .build();
    let text = "k".repeat(1 << 10);
    let texts: ArrayRef = Arc::new(StringViewArray::from_iter_values((0..1_000).map(|_| &text)));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![texts]).expect("views");
    let mut file = Vec::new();
    let writer = ArrowWriter::try_new(&mut file, schema, Some(properties));
    let mut writer = writer.expect("views");
    for _ in 0..GROUPS {
        writer.write(&batch).expect("to memory");
        writer.flush().expect("to memory");
    }
    writer.close().expect("to memory");
    let table = open("a.parquet", &file, Some(200 << 20)).expect("a row fits");
    // A row of each page: those of all pages together are more than the process may have by far.
    let batches = table.take((0..GROUPS).map(|group| 1_000 * group)).expect("rows");
    assert!(batches.iter().all(|batch| batch.num_rows() < 200), "few pages at once");
}

#[test]
fn honest_lists_fit() {
    let mut texts = ListBuilder::new(StringBuilder::new());
    for row in 0..1_011 {
        match row {
            0 => texts.values().append_value("k".repeat(100_000)),
            1..=10 => (0..5_000).for_each(|at| texts.values().append_value(format!("{row}-{at}"))),
            _ => texts.values().append_value("short"),
        }
        texts.append(true);
    }
    let vector = FixedSizeListBuilder::new(Float32Builder::new(), 1_024);
    let mut vectors = ListBuilder::new(vector);
    for _ in 0..64 {
        for _ in 0..30 {
            (0..1_024_u16).for_each(|at| vectors.values().values().append_value(at.into()));
            vectors.values().append(true);
        }
        vectors.append(true);
    }
    let lists: [ArrayRef; 2] = [Arc::new(texts.finish()), Arc::new(vectors.finish())];
    for lists in lists {
        let batch = RecordBatch::try_from_iter([("k", lists)]).expect("a column");
        let mut file = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None).expect("lists");
        writer.write(&batch).expect("to memory");
        writer.close().expect("to memory");
        assert!(open("a.parquet", &file, Some(100 << 20)).is_ok(), "{}", file.len());
    }
}

#[test]
fn rows_of_lists_fit_whichever_are_wanted() {
    const ROWS: usize = 90_000;
    const HEAVY: usize = 10;
    let text = "k".repeat(300_000);
    let batch = |first: usize| {
        let mut texts = ListBuilder::new(StringBuilder::new());
        for row in first..first + 1_000 {
            texts.values().append_value(if row % HEAVY == 0 { &text } else { "short" });
            texts.append(true);
        }
        let lists: ArrayRef = Arc::new(texts.finish());
        RecordBatch::try_from_iter([("k", lists)]).expect("a column")
    };
    let mut file = Vec::new();
    let writer = ArrowWriter::try_new(&mut file, batch(0).schema(), None);
    let mut writer = writer.expect("lists");
    (0..ROWS).step_by(1_000).for_each(|first| writer.write(&batch(first)).expect("to memory"));
    writer.close().expect("to memory");
    let folder = TempDir::new().expect("a folder");
    // A batch of long rows alone would be more than an array of texts can hold, and than the process may have.
    for memory in [None, Some(100 << 20)] {
        let table = open("a.parquet", &file, memory).expect("most rows are short");
        let copy = Destination::file(folder.path().join("b.parquet"), true);
        copy.prepare(&table).expect("all rows can be decoded");
        copy.write_rows(&table, (0..ROWS).step_by(HEAVY)).expect("a few at once");
        let rows = open_file(&folder.path().join("b.parquet"), None).expect("written").rows();
        assert_eq!(rows, ROWS / HEAVY);
    }
}

#[test]
fn lists_of_a_fixed_length_are_there_where_they_are_null() {
    const LENGTH: i32 = 100_000;
    const ROWS: usize = 64;
    const BATCHES: usize = 96;
    let field = Arc::new(arrow_schema::Field::new("item", DataType::Int64, true));
    let nulls: ArrayRef = Arc::new(FixedSizeListArray::new_null(field, LENGTH, ROWS));
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..ROWS as i32));
    let columns = [("k", numbers, true), ("l", nulls, true)];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("columns");
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None).expect("lists");
    (0..BATCHES).for_each(|_| writer.write(&batch).expect("to memory"));
    writer.close().expect("to memory");
    drop(batch);
    assert!(file.len() < 1 << 20);
    // All at once they are more than the process may have.
    let table = open("a.parquet", &file, Some(400 << 20)).expect("a row fits");
    let folder = TempDir::new().expect("a folder");
    let copy = Destination::file(folder.path().join("b.parquet"), false);
    copy.write_rows(&table, 0..ROWS * BATCHES).expect("writable");
    let rows = open_file(&folder.path().join("b.parquet"), None).expect("written").rows();
    assert_eq!(rows, ROWS * BATCHES);
}

#[test]
fn a_temporary_copy_is_not_refused_for_its_dictionaries() {
    const ROWS: i32 = 1 << 16;
    let columns = (0..32).map(|column| {
        let numbers = (0..ROWS).map(move |row| row.wrapping_mul(2_654_435 + 2 * column));
        (format!("k{column}"), Arc::new(Int32Array::from_iter_values(numbers)) as ArrayRef)
    });
    let batch = RecordBatch::try_from_iter(columns).expect("columns");
    let read = open("a.arrows", &stream(&batch), Some(64 << 20)).expect("on disk");
    assert_eq!(read.rows(), ROWS as usize);
}

#[test]
fn a_file_may_have_rows_and_no_columns() {
    let element = element(b"root", 0);
    let schema = [&[0x15, 2, 0x19, 0x1c][..], &element].concat();
    // A group of no columns with no bytes and no rows.
    let groups = [&[0x16, 0, 0x19, 0x1c, 0x19, 0x0c, 0x16, 0, 0x16, 0, 0][..], &[0]].concat();
    let footer = [&schema[..], &groups].concat();
    let length = u32::try_from(footer.len()).expect("short").to_le_bytes();
    let file = [b"PAR1", &footer[..], &length, b"PAR1"].concat();
    let table = open("a.parquet", &file, None).expect("a table");
    assert_eq!((table.rows(), table.header().len()), (0, 0));
}

#[test]
fn a_page_that_is_not_compressed_fits_as_any_other() {
    const PAGE: usize = 40 << 20;
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(PAGE)]));
    let batch = RecordBatch::try_from_iter([("k", text)]).expect("a column");
    let properties = WriterProperties::builder().set_dictionary_enabled(false).build();
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties));
    writer.as_mut().expect("text").write(&batch).expect("to memory");
    writer.expect("text").close().expect("to memory");
    assert!(too_large(open("a.parquet", &file, Some(80 << 20))) > PAGE as u64);
    assert!(open("a.parquet", &file, Some(100 << 20)).is_ok());
}

/// A file of nothing but a footer with this schema and this many groups of rows.
fn footer(elements: &[Vec<u8>], groups: u64) -> Vec<u8> {
    let count = leb(elements.len() as u64);
    let schema = [&[0x15, 2, 0x19, 0xfc][..], &count, &elements.concat()].concat();
    let footer = [&schema[..], &[0x16, 0, 0x19, 0xfc], &leb(groups), &[0; 1 << 22]].concat();
    let length = u32::try_from(footer.len()).expect("short").to_le_bytes();
    [b"PAR1", &footer[..], &length, b"PAR1"].concat()
}

/// A column of this name with so many within it.
fn element(name: &[u8], children: i64) -> Vec<u8> {
    let name = [&[0x48][..], &leb(name.len() as u64), name].concat();
    [&name[..], &number(1, children), &[0]].concat()
}

#[test]
fn rows_of_one_long_value_are_decoded_a_few_at_a_time() {
    const LENGTH: usize = 20 << 20;
    const ROWS: usize = 110;
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(LENGTH)]));
    let batch = RecordBatch::try_from_iter([("k", text)]).expect("a column");
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_page_size_limit(1 << 30)
        .set_statistics_enabled(EnabledStatistics::None)
        .build();
    let mut file = Vec::new();
    let writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties));
    let mut writer = writer.expect("text");
    (0..ROWS).for_each(|_| writer.write(&batch).expect("to memory"));
    writer.close().expect("to memory");
    assert!(file.len() < 2 << 20);
    // Those of all rows are more than an array of texts can have.
    let table = open("a.parquet", &file, Some(100 << 20)).expect("a row fits");
    let mut bytes = 0;
    table.for_each_row(&[0], |_, fields| bytes += fields.get(0).len()).expect("texts");
    assert_eq!(bytes, LENGTH * ROWS);
}

#[test]
fn pages_of_all_columns_fit() {
    const ROWS: usize = 1 << 18;
    let zeros: ArrayRef = Arc::new(Int64Array::from(vec![0; ROWS]));
    let columns = (0..100).map(|column| (format!("k{column}"), Arc::clone(&zeros)));
    let batch = RecordBatch::try_from_iter(columns).expect("columns");
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .set_data_page_size_limit(8 * ROWS)
        .set_data_page_row_count_limit(ROWS)
        .build();
    let mut file = Vec::new();
    let writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties));
    let mut writer = writer.expect("numbers");
    writer.write(&batch).expect("to memory");
    writer.close().expect("to memory");
    // A row takes little, but its pages are there until it is read.
    let least = 100 * 8 * ROWS as u64;
    assert!(too_large(open("a.parquet", &file, Some(least))) > least);
    assert!(open("a.parquet", &file, Some(2 * least)).is_ok());
}

#[test]
fn what_lies_between_rows_is_not_decoded() {
    const ROWS: usize = 450_000;
    let text = "k".repeat(6_000);
    let texts = (0..10_000).map(|_| &text).collect::<Vec<_>>();
    let batch: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
    let batch = RecordBatch::try_from_iter([("k", batch)]).expect("a column");
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None).expect("text");
    (0..ROWS / 10_000).for_each(|_| writer.write(&batch).expect("to memory"));
    writer.close().expect("to memory");
    let table = open("a.parquet", &file, Some(400 << 20)).expect("a row fits");
    // All texts up to the last of these are more than the process may have, and than an array of texts can.
    let rows = (0..ROWS).step_by(50);
    let batches = table.take(rows.clone()).expect("texts");
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), rows.count());
}

#[test]
fn rows_fit() {
    let page = Page { decoded: 4, ..Page::of(1, &[0; 4]) };
    let kind = format!("fixed_len_byte_array({})", i32::MAX);
    let file = parquet(&kind, Compression::UNCOMPRESSED, 1, &page.bytes());
    assert!(too_large(open("a.parquet", &file, Some(100 << 20))) >= 1 << 31);
}

#[test]
fn a_schema_has_no_more_columns_than_it_shows_and_is_not_too_deep() {
    let element = |children| element(b"name", children);
    assert!(is_damaged(&footer(&[element(i32::MAX.into())], 0)));
    assert!(is_damaged(&footer(&[element(2), element(2), element(0), element(0)], 0)));
    let mut deep = vec![element(1); 300_000];
    deep.push(element(0));
    assert!(is_damaged(&footer(&deep, 0)));
}

#[test]
fn names_fit_for_each_column_that_lies_within_them() {
    const COLUMNS: usize = 100_000;
    let group = element(&[b'k'; 1 << 20], COLUMNS as i64);
    let mut elements = vec![element(b"root", 1), group];
    elements.extend(vec![element(b"k", 0); COLUMNS]);
    let read = open("a.parquet", &footer(&elements, 0), None);
    assert!(too_large(read) > (COLUMNS as u64) << 20);
}

#[test]
fn a_footer_has_no_more_groups_than_bytes_for_them() {
    let elements = [element(b"root", 1), element(b"name", 0)];
    assert!(is_damaged(&footer(&elements, 1 << 20)));
    let read = open("a.parquet", &footer(&elements, 1 << 19), Some(80 << 20));
    assert!(too_large(read) > 80 << 20);
}

#[test]
fn rows_of_nothing_are_counted_before_there_is_a_list_of_them() {
    const ROWS: usize = u32::MAX as usize - 1;
    let nulls: ArrayRef = Arc::new(NullArray::new(ROWS));
    let batch = RecordBatch::try_from_iter([("k", nulls)]).expect("a column");
    let file = stream(&batch);
    assert!(file.len() < 1 << 10);
    for memory in [None, Some(100 << 20)] {
        assert_eq!(too_large(open("a.arrows", &file, memory)), 4 * ROWS as u64);
    }
}

#[test]
fn values_of_nothing_within_others_are_counted() {
    let of = |count: usize| {
        let nulls: ArrayRef = Arc::new(NullArray::new(count));
        let field = Arc::new(arrow_schema::Field::new("item", DataType::Null, true));
        let ends = OffsetBuffer::from_lengths([count]);
        let lists: ArrayRef = Arc::new(LargeListArray::new(field, ends, nulls, None));
        stream(&RecordBatch::try_from_iter([("k", lists)]).expect("a column"))
    };
    assert!(open("a.arrows", &of(30_000), None).is_ok());
    assert_eq!(too_large(open("a.arrows", &of(1 << 40), None)), 4 << 40);
}

/// A stream of one batch.
fn stream(batch: &RecordBatch) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = StreamWriter::try_new(&mut file, &batch.schema()).expect("a stream");
    writer.write(batch).expect("to memory");
    writer.finish().expect("to memory");
    drop(writer);
    file
}

/// `bytes` with each `from` in it as `to`, which is as long.
fn replaced(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    let places = (0..bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from));
    let places: Vec<usize> = places.collect();
    assert!(!places.is_empty());
    places.iter().for_each(|at| bytes[*at..*at + to.len()].copy_from_slice(to));
    bytes
}

#[test]
fn buffers_do_not_share_bytes() {
    let numbers = || Arc::new(Int32Array::from_iter_values(0..500)) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("a", numbers()), ("b", numbers())]).expect("columns");
    let honest = stream(&batch);
    assert!(open("a.arrows", &honest, None).is_ok());
    let place = |offset: i64, length: i64| [offset.to_le_bytes(), length.to_le_bytes()].concat();
    let is_there = |place: &Vec<u8>| honest.windows(16).any(|bytes| bytes == place);
    let first = (0..128).map(|offset| place(offset, 2000)).find(is_there).expect("numbers");
    let hostile = replaced(honest, &first, &place(1, 4000));
    assert!(matches!(open("a.arrows", &hostile, None), Err(DataError::Damaged { .. })));
}

#[test]
fn a_block_is_in_a_footer_once() {
    let batches = [10_000, 1, 2].map(|count| {
        let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..count));
        RecordBatch::try_from_iter([("k", numbers)]).expect("a column")
    });
    let mut file = Cursor::new(Vec::new());
    let mut writer = FileWriter::try_new(&mut file, &batches[0].schema()).expect("a file");
    batches.iter().for_each(|batch| writer.write(batch).expect("to memory"));
    writer.finish().expect("to memory");
    drop(writer);
    let honest = file.into_inner();
    assert!(open("a.arrow", &honest, None).is_ok());
    let end = honest.len() - 10;
    let length = honest[end..].first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
    let footer = root_as_footer(&honest[end - length as usize..end]).expect("a footer");
    let blocks = footer.recordBatches().expect("three");
    let hostile = replaced(honest.clone(), &blocks.get(1).0, &blocks.get(0).0);
    assert!(matches!(open("a.arrow", &hostile, None), Err(DataError::Damaged { .. })));
}

/// A schema whose columns, so many, are all one with a name of 20 kB, as a message.
fn one_column(columns: usize) -> Vec<u8> {
    let mut message = FlatBufferBuilder::new();
    let name = Some(message.create_string(&"k".repeat(20_000)));
    let kind = Null::create(&mut message, &NullArgs {}).as_union_value();
    let children = message.create_vector::<WIPOffset<Field<'_>>>(&[]);
    let field = FieldArgs {
        name,
        nullable: true,
        type_type: Type::Null,
        type_: Some(kind),
        children: Some(children),
        ..FieldArgs::default()
    };
    let field = Field::create(&mut message, &field);
    let fields = Some(message.create_vector(&vec![field; columns]));
    let schema = Schema::create(&mut message, &SchemaArgs { fields, ..SchemaArgs::default() });
    let all = MessageArgs {
        version: MetadataVersion::V5,
        header_type: MessageHeader::Schema,
        header: Some(schema.as_union_value()),
        ..MessageArgs::default()
    };
    let all = Message::create(&mut message, &all);
    message.finish(all, None);
    message.finished_data().to_vec()
}

#[test]
fn columns_of_a_schema_share_no_long_name() {
    let stream = |columns| {
        let message = one_column(columns);
        let length = u32::try_from(message.len()).expect("short").to_le_bytes();
        [&[0xff; 4][..], &length, &message].concat()
    };
    assert!(open("a.arrows", &stream(1), None).is_ok());
    let read = open("a.arrows", &stream(100_000), None);
    assert!(matches!(read, Err(DataError::Damaged { .. })));

    let hint = BASE64_STANDARD.encode(one_column(100_000));
    let pair = KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), hint);
    let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![pair])).build();
    let options = ArrowWriterOptions::new().with_skip_arrow_metadata(true);
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let batch = RecordBatch::try_from_iter([("k", numbers)]).expect("a column");
    let mut file = Vec::new();
    let options = options.with_properties(properties);
    let writer = ArrowWriter::try_new_with_options(&mut file, batch.schema(), options);
    let mut writer = writer.expect("a column");
    writer.write(&batch).expect("to memory");
    writer.close().expect("to memory");
    assert!(is_damaged(&file));
}

#[test]
fn dictionaries_fit_together() {
    const EACH: usize = 20 << 20;
    let columns = ["a", "b", "c", "d"].map(|name| {
        let text: ArrayRef = Arc::new(StringArray::from(vec![name.repeat(EACH)]));
        let column = DictionaryArray::<Int32Type>::try_new(Int32Array::from(vec![0]), text);
        (name, Arc::new(column.expect("a dictionary")) as ArrayRef)
    });
    let batch = RecordBatch::try_from_iter(columns).expect("columns");
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD));
    let mut file = Cursor::new(Vec::new());
    let options = options.expect("built in");
    let mut writer = FileWriter::try_new_with_options(&mut file, &batch.schema(), options);
    writer.as_mut().expect("a file").write(&batch).expect("to memory");
    writer.as_mut().expect("a file").finish().expect("to memory");
    drop(writer);
    let file = file.into_inner();
    assert!(too_large(open("a.arrow", &file, Some(64 << 20))) > 2 * EACH as u64);
    assert!(open("a.arrow", &file, Some(120 << 20)).is_ok());
}
