//! The messages of an Arrow file or stream: where their buffers lie, and what those say they decompress to.
//!
//! The library that decodes them reserves what a buffer says before it has read it, and panics where one lies outside its
//! message.

use std::collections::BTreeMap;

use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{
    Block, CompressionType, DictionaryBatch, Message, MessageHeader, RecordBatch,
    root_as_footer_with_opts, root_as_message_with_opts,
};
use base64::prelude::{BASE64_STANDARD, Engine};
use bytes::Bytes;
use flatbuffers::VerifierOptions;
use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{ChunkReader, Length};

use super::claims::{Ratio, Unfit, fits};
use super::store::Blocks;
use crate::Format;

/// What stands before the length of a message.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The bytes of a compressed buffer that say its length; -1 where it is not compressed.
const PREFIX: u64 = 8;

/// Refuses a file or stream with a message that cannot be, or takes more than `most` bytes when it is decoded, with all
/// dictionaries that there are then.
pub(super) fn check(blocks: &Blocks, format: Format, most: u64) -> Result<(), Unfit> {
    let room = Room { most, dictionaries: BTreeMap::new(), held: 0 };
    match format {
        Format::Arrow => check_file(blocks, room),
        _ => check_stream(blocks, room),
    }
}

/// The bytes that there is room for, and what dictionaries take of it.
struct Room {
    most: u64,
    /// Bytes of each dictionary, by its number.
    dictionaries: BTreeMap<i64, u64>,
    /// Bytes of all.
    held: u64,
}

impl Room {
    /// Finds out whether so many bytes fit beside the dictionaries.
    fn fits(&self, bytes: u64) -> Result<(), Unfit> {
        fits(sum(self.held, bytes)?, self.most)
    }

    /// Holds so many bytes of a dictionary, behind what it has or in the place of that.
    fn hold(&mut self, dictionary: &DictionaryBatch<'_>, bytes: u64) -> Result<(), Unfit> {
        let held = self.dictionaries.entry(dictionary.id()).or_default();
        let before = if dictionary.isDelta() { 0 } else { std::mem::take(held) };
        *held = sum(*held, bytes)?;
        self.held = sum(self.held - before, bytes)?;
        self.fits(0)
    }
}

fn check_file(blocks: &Blocks, mut room: Room) -> Result<(), Unfit> {
    let end = blocks.len().checked_sub(10).ok_or(Unfit::Damaged)?;
    let tail = bytes(blocks, end, 10)?;
    let tail = tail.as_ref().try_into().map_err(|_| Unfit::Damaged)?;
    let length = read_footer_length(tail).map_err(|_| Unfit::Damaged)? as u64;
    room.fits(length)?;
    let footer = bytes(blocks, end.checked_sub(length).ok_or(Unfit::Damaged)?, length)?;
    let footer = root_as_footer_with_opts(&limits(&footer), &footer).map_err(|_| Unfit::Damaged)?;
    let messages = [footer.dictionaries(), footer.recordBatches()];
    // Of what lies in one place, each is decoded.
    let mut left = blocks.len();
    messages.iter().flatten().flatten().try_for_each(|block| {
        let length = sum(size(block.bodyLength())?, size(block.metaDataLength().into())?)?;
        left = left.checked_sub(length).ok_or(Unfit::Damaged)?;
        check_block(blocks, block, &mut room)
    })
}

/// A message whose place the end of a file tells.
fn check_block(blocks: &Blocks, block: &Block, room: &mut Room) -> Result<(), Unfit> {
    let (start, body_length) = (size(block.offset())?, size(block.bodyLength())?);
    let length = size(block.metaDataLength().into())?;
    room.fits(length)?;
    let metadata = bytes(blocks, start, length)?;
    let skipped = if metadata.starts_with(&CONTINUATION) { 8 } else { 4 };
    let metadata = metadata.get(skipped..).ok_or(Unfit::Damaged)?;
    let message = message(metadata)?;
    let body = Body { blocks, start: sum(start, length)?, length: body_length };
    body.check(&message, room)
}

fn check_stream(blocks: &Blocks, mut room: Room) -> Result<(), Unfit> {
    let mut at = 0;
    loop {
        let Some((start, length)) = next_message(blocks, at)? else { return Ok(()) };
        room.fits(length)?;
        let metadata = bytes(blocks, start, length)?;
        let message = message(&metadata)?;
        let body = Body { blocks, start: sum(start, length)?, length: size(message.bodyLength())? };
        body.check(&message, &mut room)?;
        at = sum(body.start, body.length)?;
    }
}

/// Refuses a Parquet file with a message for Arrow in it that is made of more than there is.
pub(super) fn check_hint(metadata: &ParquetMetaData) -> Result<(), Unfit> {
    let pairs = metadata.file_metadata().key_value_metadata().into_iter().flatten();
    let hints = pairs.filter(|pair| pair.key == ARROW_SCHEMA_META_KEY);
    for hint in hints.filter_map(|pair| pair.value.as_ref()) {
        // The library says what is none.
        let Ok(bytes) = BASE64_STANDARD.decode(hint) else { continue };
        let skipped = if bytes.len() > 8 && bytes.starts_with(&CONTINUATION) { 8 } else { 0 };
        message(&bytes[skipped..])?;
    }
    Ok(())
}

fn message(bytes: &[u8]) -> Result<Message<'_>, Unfit> {
    root_as_message_with_opts(&limits(bytes), bytes).map_err(|_| Unfit::Damaged)
}

/// How much may be made of metadata: any number of names may lie in one place, and the library has a copy of each.
fn limits(bytes: &[u8]) -> VerifierOptions {
    let most = bytes.len().saturating_mul(8).max(1 << 20);
    VerifierOptions { max_apparent_size: most, ..VerifierOptions::default() }
}

/// Where the metadata of the message begin that stands at byte `at`, and their length; none at the end.
fn next_message(blocks: &Blocks, mut at: u64) -> Result<Option<(u64, u64)>, Unfit> {
    if blocks.len().saturating_sub(at) < 4 {
        return Ok(None);
    }
    let mut length = bytes(blocks, at, 4)?;
    at += 4;
    if *length == CONTINUATION {
        length = bytes(blocks, at, 4)?;
        at += 4;
    }
    let length = <[u8; 4]>::try_from(length.as_ref()).map_err(|_| Unfit::Damaged)?;
    let length = size(i32::from_le_bytes(length).into())?;
    Ok((length > 0).then_some((at, length)))
}

/// What follows a message's metadata.
struct Body<'a> {
    blocks: &'a Blocks,
    start: u64,
    length: u64,
}

impl Body<'_> {
    fn check(&self, message: &Message<'_>, room: &mut Room) -> Result<(), Unfit> {
        if sum(self.start, self.length)? > self.blocks.len() {
            return Err(Unfit::Damaged);
        }
        match message.header_type() {
            MessageHeader::RecordBatch => {
                let batch = message.header_as_record_batch().ok_or(Unfit::Damaged)?;
                room.fits(self.memory(&batch)?)
            }
            MessageHeader::DictionaryBatch => {
                let dictionary = message.header_as_dictionary_batch().ok_or(Unfit::Damaged)?;
                let values = dictionary.data().ok_or(Unfit::Damaged)?;
                room.hold(&dictionary, self.memory(&values)?)
            }
            _ => Ok(()),
        }
    }

    /// Bytes that it takes, as it is and decoded.
    fn memory(&self, batch: &RecordBatch<'_>) -> Result<u64, Unfit> {
        for node in batch.nodes().iter().flatten() {
            size(node.length())?;
        }
        sum(self.length, self.decoded(batch)?)
    }

    /// How many bytes its compressed buffers stand for. Each is copied where it is not aligned, so that none lie in one place.
    fn decoded(&self, batch: &RecordBatch<'_>) -> Result<u64, Unfit> {
        let ratio = batch.compression().map(|compression| ratio(compression.codec()));
        let (mut total, mut left) = (0, self.length);
        for buffer in batch.buffers().iter().flatten() {
            let (offset, length) = (size(buffer.offset())?, size(buffer.length())?);
            left = left.checked_sub(length).ok_or(Unfit::Damaged)?;
            if sum(offset, length)? > self.length {
                return Err(Unfit::Damaged);
            }
            if let (Some(ratio), 1..) = (ratio, length) {
                total = sum(total, self.claimed(offset, length, ratio?)?)?;
            }
        }
        Ok(total)
    }

    /// What the compressed buffer at `offset` says that it stands for.
    fn claimed(&self, offset: u64, length: u64, ratio: Ratio) -> Result<u64, Unfit> {
        let compressed = length.checked_sub(PREFIX).ok_or(Unfit::Damaged)?;
        let prefix = bytes(self.blocks, self.start + offset, PREFIX)?;
        let prefix = <[u8; 8]>::try_from(prefix.as_ref()).map_err(|_| Unfit::Damaged)?;
        match i64::from_le_bytes(prefix) {
            -1 => Ok(0),
            claimed => {
                let claimed = size(claimed)?;
                if ratio.allows(compressed, claimed) { Ok(claimed) } else { Err(Unfit::Damaged) }
            }
        }
    }
}

fn ratio(codec: CompressionType) -> Result<Ratio, Unfit> {
    match codec {
        CompressionType::LZ4_FRAME => Ok(Ratio::Lz4),
        CompressionType::ZSTD => Ok(Ratio::Zstd),
        _ => Err(Unfit::Damaged),
    }
}

fn bytes(blocks: &Blocks, start: u64, length: u64) -> Result<Bytes, Unfit> {
    let length = usize::try_from(length).map_err(|_| Unfit::Damaged)?;
    blocks.get_bytes(start, length).map_err(|_| Unfit::Damaged)
}

fn size(number: i64) -> Result<u64, Unfit> {
    u64::try_from(number).map_err(|_| Unfit::Damaged)
}

fn sum(a: u64, b: u64) -> Result<u64, Unfit> {
    a.checked_add(b).ok_or(Unfit::Damaged)
}
