//! Files that are compressed, and workbooks: what is in them, as a file of its own.

use std::io::{self, BufRead, BufReader, Read};

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

/// What parts a workbook's name from that of a sheet.
const WORKBOOK: &str = ".xlsx#";

/// Bytes that are unpacked at once.
const CHUNK: usize = 1 << 16;

/// How far a stream of Zstandard may want to look back where there is no limit, as a power of two: what its tools take.
const ZSTD_WINDOW: u32 = 27;

/// How far it may where a limit allows it: as far as any stream can.
const LONGEST_WINDOW: u32 = 31;

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

/// The name of the file, and the sheet that is named behind it.
pub(crate) fn split(name: &str) -> (&str, Option<&str>) {
    let sheet = name.to_ascii_lowercase().rfind(WORKBOOK);
    match sheet.map(|at| name.split_at(at + WORKBOOK.len() - 1)) {
        Some((file, sheet)) => (file, sheet.strip_prefix('#')),
        None => (name, None),
    }
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
    let window = window(depot.piece());
    // What is read fails only where it is damaged or cut short, or wants more memory: the packed bytes are here already.
    let damaged = |why: io::Error| match why.to_string() {
        why if why.contains("Frame requires too much memory") => {
            DataError::Window { file: name.to_owned(), most: 1 << window }
        }
        _ => DataError::Damaged { file: name.to_owned() },
    };
    let packed = BufReader::new(store.blocks().reader());
    let mut unpacked: Box<dyn Read> = match packing {
        Packing::Gzip => Box::new(MultiGzDecoder::new(packed)),
        _ => Box::new(zstd(packed, window).map_err(damaged)?),
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

/// How far a stream of Zstandard may want to look back where it may take `most` bytes, as a power of two.
fn window(most: u64) -> u32 {
    if most < u64::MAX { most.ilog2().min(LONGEST_WINDOW) } else { ZSTD_WINDOW }
}

/// A decoder that looks back no further than the power of two `window`.
fn zstd<R: BufRead>(packed: R, window: u32) -> io::Result<impl Read> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(packed)?;
    decoder.window_log_max(window)?;
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
