//! Files that are compressed, and workbooks: what is in them, as a file of its own.

use std::io::{BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

use super::sheet;
use super::store::Store;
use crate::DataError;
use crate::spill::{Depot, Landing};

/// How a file holds another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
    /// A workbook of Excel, or another archive; what is read of it becomes CSV.
    Zip,
}

/// Bytes that are unpacked at once.
const CHUNK: usize = 1 << 16;

/// The most memory that a stream of Zstandard may want to look back in, as a power of two: what its tools take.
const ZSTD_WINDOW: u32 = 27;

impl Packing {
    /// What `bytes` begin like.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            // A frame, or one with somebody's own data before the first.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            [b'P', b'K', 3, 4, ..] => Some(Self::Zip),
            _ => None,
        }
    }
}

/// The name of what the file of this name holds, for its format: without what names the compression.
pub(super) fn inner_name(name: &str) -> &str {
    let ends = [".gz", ".gzip", ".zst", ".zstd"];
    let end = ends.into_iter().find(|end| {
        let start = name.len().checked_sub(end.len()).and_then(|start| name.get(start..));
        start.is_some_and(|start| start.eq_ignore_ascii_case(end))
    });
    &name[..name.len() - end.map_or(0, str::len)]
}

/// What is in the file of this name, if it is packed, else the file; and whether it is CSV that was a workbook.
pub(super) fn unpack(
    name: &str,
    store: Store,
    depot: &mut Depot<'_>,
) -> Result<(Store, bool), DataError> {
    let store = match Packing::of(&store.beginning()?) {
        Some(packing @ (Packing::Gzip | Packing::Zstd)) => decompress(name, packing, store, depot)?,
        _ => store,
    };
    match Packing::of(&store.beginning()?) {
        Some(Packing::Zip) => Ok((sheet::convert(name, store, depot)?, true)),
        Some(_) => Err(DataError::PackedTwice { file: name.to_owned() }),
        None => Ok((store, false)),
    }
}

fn decompress(
    name: &str,
    packing: Packing,
    store: Store,
    depot: &mut Depot<'_>,
) -> Result<Store, DataError> {
    // What is read fails only where it is damaged or cut short: the packed bytes are here already.
    let damaged = |_| DataError::Damaged { file: name.to_owned() };
    let packed = BufReader::new(store.blocks().reader());
    let mut unpacked: Box<dyn Read> = match packing {
        Packing::Gzip => Box::new(MultiGzDecoder::new(packed)),
        _ => Box::new(zstd(packed, depot.piece()).map_err(damaged)?),
    };
    let mut landing = Landing::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        match unpacked.read(&mut chunk).map_err(damaged)? {
            0 => return Ok(landing.end(depot)),
            read => landing.add(&chunk[..read], depot)?,
        }
    }
}

/// A decoder that looks back no further than `most` bytes.
fn zstd<R: BufRead>(packed: R, most: u64) -> std::io::Result<impl Read> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(packed)?;
    decoder.window_log_max(most.ilog2().min(ZSTD_WINDOW))?;
    Ok(decoder)
}

#[cfg(test)]
mod tests {
    use super::inner_name;

    #[test]
    fn a_name_loses_its_compression() {
        for (name, inner) in [
            ("a.csv.gz", "a.csv"),
            ("a.ndjson.ZST", "a.ndjson"),
            ("gz", "gz"),
            ("ä.gzip", "ä"),
            ("a.tsv", "a.tsv"),
        ] {
            assert_eq!(inner_name(name), inner);
        }
    }
}
