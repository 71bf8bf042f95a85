//! What a file says of its sizes, which is looked at before anything of that size is reserved.

use std::hint::black_box;

use crate::DataError;

/// Why a file is not decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// What it says of its sizes cannot be.
    Damaged,
    /// A piece of it takes so many bytes, all at once.
    TooLarge(u64),
}

impl Unfit {
    /// What that means for the file of this name.
    pub(super) fn of(self, file: String) -> DataError {
        match self {
            Self::Damaged => DataError::Damaged { file },
            Self::TooLarge(bytes) => DataError::TooLarge { file, bytes },
        }
    }
}

/// How many bytes one compressed byte can stand for, at most.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ratio {
    /// A byte of LZ4 makes a match 255 bytes longer.
    Lz4 = 255,
    /// Three bytes of Snappy copy 64.
    Snappy = 22,
    /// DEFLATE has 258 bytes for two bits.
    Gzip = 1032,
    /// Four bytes of Zstandard are a block of 128 KiB.
    Zstd = 1 << 15,
    /// Some bytes of Brotli copy 16 MiB.
    Brotli = 1 << 23,
}

impl Ratio {
    /// Whether `compressed` bytes can stand for `claimed`.
    pub(super) fn allows(self, compressed: u64, claimed: u64) -> bool {
        claimed <= compressed.saturating_mul(self as u64)
    }
}

/// A piece up to this size is reserved without a question.
const SMALL: u64 = 1 << 26;

/// Whether a piece of `bytes` bytes is no more than `most`, and the machine has room for it.
pub(crate) fn fits(bytes: u64, most: u64) -> Result<(), Unfit> {
    if bytes <= most && (bytes <= SMALL || can_be_reserved(bytes)) {
        Ok(())
    } else {
        Err(Unfit::TooLarge(bytes))
    }
}

/// Tries it, where a library would end the process.
fn can_be_reserved(bytes: u64) -> bool {
    let mut room = Vec::<u8>::new();
    let reserve = |bytes| room.try_reserve_exact(bytes).is_ok();
    let reserved = usize::try_from(bytes).is_ok_and(reserve);
    // Or else the compiler would leave it out.
    black_box(&room);
    reserved
}
