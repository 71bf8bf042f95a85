//! Pages of Parquet whose codec the library lets expand without a bound, whatever their headers say.
//!
//! They are decompressed twice: here to nothing, up to what the header says, and by the library.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use parquet::basic::Compression;
use parquet::file::reader::ChunkReader;

use super::claims::Unfit;
use super::store::Blocks;

/// Bytes that are decompressed at once.
const CHUNK: usize = 1 << 13;

/// Refuses bytes at a place of this start and length that such a codec expands to more than `most`.
pub(super) fn stays_within(
    blocks: &Blocks,
    start: u64,
    length: u64,
    codec: Compression,
    most: u64,
) -> Result<(), Unfit> {
    if !matches!(codec, Compression::GZIP(_) | Compression::BROTLI(_) | Compression::LZ4) {
        return Ok(());
    }
    let length = usize::try_from(length).map_err(|_| Unfit::Damaged)?;
    let page = blocks.get_bytes(start, length).map_err(|_| Unfit::Damaged)?;
    let mut left = most;
    let mut decoder: Box<dyn Read + '_> = match codec {
        Compression::GZIP(_) => Box::new(MultiGzDecoder::new(&*page)),
        Compression::BROTLI(_) => Box::new(brotli_decompressor::Decompressor::new(&*page, CHUNK)),
        // What stands in Hadoop's frames is no such frame, and the library bounds it.
        _ => Box::new(lz4_flex::frame::FrameDecoder::new(&*page)),
    };
    let mut chunk = [0; CHUNK];
    // What is wrong here is wrong for the library, too.
    while let Ok(read @ 1..) = decoder.read(&mut chunk) {
        left = left.checked_sub(read as u64).ok_or(Unfit::Damaged)?;
    }
    Ok(())
}
