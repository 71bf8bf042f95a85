//! Files of Parquet with one column, of pages whose headers say anything.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::column::writer::ColumnCloseResult;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

/// A page, and what its header says.
#[derive(Clone)]
pub(crate) struct Page {
    /// The type: 0 of data, 1 of an index, 2 of a dictionary, 3 of data as newer files have it.
    pub(crate) kind: i64,
    pub(crate) kind_of_decoded: u8,
    pub(crate) decoded: i64,
    pub(crate) values: i64,
    pub(crate) encoding: i64,
    /// What follows the fields.
    pub(crate) tail: Vec<u8>,
    pub(crate) body: Vec<u8>,
}

impl Page {
    /// An honest page of so many plain values.
    pub(crate) fn of(values: i64, body: &[u8]) -> Self {
        let (decoded, body) = (body.len() as i64, body.to_vec());
        Self { kind: 0, kind_of_decoded: 5, decoded, values, encoding: 0, tail: Vec::new(), body }
    }

    /// As it stands in a file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let compressed = number(1, self.body.len() as i64);
        let sizes = [&[0x10 | self.kind_of_decoded][..], &zigzag(self.decoded), &compressed];
        // Its own header is in field 5, or in field 7.
        let place = if self.kind == 2 { 0x4c } else { 0x2c };
        let levels =
            if self.kind == 2 { Vec::new() } else { [number(1, 3), number(1, 3)].concat() };
        let own = [number(1, self.values), number(1, self.encoding), levels, vec![0]].concat();
        [&number(1, self.kind)[..], &sizes.concat(), &[place], &own, &self.tail, &[0], &self.body]
            .concat()
    }
}

/// An honest dictionary of so many plain values.
pub(crate) fn dictionary(values: i64, body: &[u8]) -> Page {
    Page { kind: 2, ..Page::of(values, body) }
}

/// A field of 32 bits so many behind the one before it.
pub(crate) fn number(step: u8, number: i64) -> Vec<u8> {
    [&[step << 4 | 5][..], &zigzag(number)].concat()
}

/// A number whose lowest bit is its sign, 7 bits a byte.
pub(crate) fn zigzag(number: i64) -> Vec<u8> {
    leb((number << 1 ^ number >> 63) as u64)
}

/// A number that is not below zero, 7 bits a byte.
pub(crate) fn leb(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// A file of one column `k` of this type, whose pages these are.
pub(crate) fn parquet(kind: &str, codec: Compression, rows: i64, chunk: &[u8]) -> Vec<u8> {
    let kind = match kind.split_once('(') {
        Some((kind, length)) => format!("{kind} ({length}"),
        None => kind.to_owned(),
    };
    let schema = parse_message_type(&format!("message m {{ required {kind} k; }}"));
    let schema = Arc::new(schema.expect("a type"));
    let mut file = Vec::new();
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(&mut file, schema, properties).expect("to memory");
    let length = chunk.len() as i64;
    let metadata = ColumnChunkMetaData::builder(writer.schema_descr().column(0))
        .set_compression(codec)
        .set_num_values(rows)
        .set_total_compressed_size(length)
        .set_total_uncompressed_size(length)
        .set_data_page_offset(0)
        .build();
    let column = ColumnCloseResult {
        bytes_written: chunk.len() as u64,
        rows_written: rows as u64,
        metadata: metadata.expect("a column"),
        bloom_filter: None,
        column_index: None,
        offset_index: None,
    };
    let mut group = writer.next_row_group().expect("to memory");
    group.append_column(&Bytes::copy_from_slice(chunk), column).expect("to memory");
    group.close().expect("to memory");
    writer.close().expect("to memory");
    file
}
