//! The messages of an Arrow file or stream: where their buffers lie, and what those say they decompress to.
//!
//! The library that decodes them reserves what a buffer says before it has read it, and panics where one lies outside its
//! message.

use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{
    Block, CompressionType, Message, MessageHeader, RecordBatch, root_as_footer, root_as_message,
};
use bytes::Bytes;
use parquet::file::reader::{ChunkReader, Length};

use super::claims::{Ratio, Unfit, fits};
use super::store::Blocks;
use crate::Format;

/// What stands before the length of a message.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The bytes of a compressed buffer that say its length; -1 where it is not compressed.
const PREFIX: u64 = 8;

/// Refuses a file or stream with a message that cannot be, or takes more than `most` bytes when it is decoded.
pub(super) fn check(blocks: &Blocks, format: Format, most: u64) -> Result<(), Unfit> {
    match format {
        Format::Arrow => check_file(blocks, most),
        _ => check_stream(blocks, most),
    }
}

fn check_file(blocks: &Blocks, most: u64) -> Result<(), Unfit> {
    let end = blocks.len().checked_sub(10).ok_or(Unfit::Damaged)?;
    let tail = bytes(blocks, end, 10)?;
    let tail = tail.as_ref().try_into().map_err(|_| Unfit::Damaged)?;
    let length = read_footer_length(tail).map_err(|_| Unfit::Damaged)? as u64;
    let footer = bytes(blocks, end.checked_sub(length).ok_or(Unfit::Damaged)?, length)?;
    let footer = root_as_footer(&footer).map_err(|_| Unfit::Damaged)?;
    let messages = [footer.dictionaries(), footer.recordBatches()];
    messages.iter().flatten().flatten().try_for_each(|block| check_block(blocks, block, most))
}

/// A message whose place the end of a file tells.
fn check_block(blocks: &Blocks, block: &Block, most: u64) -> Result<(), Unfit> {
    let (start, body_length) = (size(block.offset())?, size(block.bodyLength())?);
    let length = size(block.metaDataLength().into())?;
    let metadata = bytes(blocks, start, length)?;
    let skipped = if metadata.starts_with(&CONTINUATION) { 8 } else { 4 };
    let metadata = metadata.get(skipped..).ok_or(Unfit::Damaged)?;
    let message = root_as_message(metadata).map_err(|_| Unfit::Damaged)?;
    let body = Body { blocks, start: sum(start, length)?, length: body_length };
    body.check(&message, most)
}

fn check_stream(blocks: &Blocks, most: u64) -> Result<(), Unfit> {
    let mut at = 0;
    loop {
        let Some((start, length)) = next_message(blocks, at)? else { return Ok(()) };
        let metadata = bytes(blocks, start, length)?;
        let message = root_as_message(&metadata).map_err(|_| Unfit::Damaged)?;
        let body = Body { blocks, start: sum(start, length)?, length: size(message.bodyLength())? };
        body.check(&message, most)?;
        at = sum(body.start, body.length)?;
    }
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
    fn check(&self, message: &Message<'_>, most: u64) -> Result<(), Unfit> {
        if sum(self.start, self.length)? > self.blocks.len() {
            return Err(Unfit::Damaged);
        }
        let batch = match message.header_type() {
            MessageHeader::RecordBatch => message.header_as_record_batch(),
            MessageHeader::DictionaryBatch => {
                message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data())
            }
            _ => return Ok(()),
        };
        let decoded = self.decoded(&batch.ok_or(Unfit::Damaged)?)?;
        fits(sum(self.length, decoded)?, most)
    }

    /// How many bytes its compressed buffers stand for.
    fn decoded(&self, batch: &RecordBatch<'_>) -> Result<u64, Unfit> {
        let ratio = batch.compression().map(|compression| ratio(compression.codec()));
        let mut total = 0;
        for buffer in batch.buffers().iter().flatten() {
            let (offset, length) = (size(buffer.offset())?, size(buffer.length())?);
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
