//! Bit strings, filled from the lowest bit of the first byte up.

/// Appends bits.
#[derive(Default)]
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    filled: u32,
}

impl BitWriter {
    /// The lowest `count` (at most 64) bits of `value`, which has no others.
    pub(crate) fn put(&mut self, value: u64, count: u32) {
        self.pending |= value << self.filled;
        if self.filled + count < u64::BITS {
            self.filled += count;
            return;
        }
        self.bytes.extend_from_slice(&self.pending.to_le_bytes());
        let written = u64::BITS - self.filled;
        self.pending = value.checked_shr(written).unwrap_or(0);
        self.filled = count - written;
    }

    /// The lowest `count` (at most 128) bits of `value`, which has no others.
    pub(crate) fn put_wide(&mut self, value: u128, count: u32) {
        let low = count.min(u64::BITS);
        self.put(value as u64, low);
        if count > low {
            self.put((value >> u64::BITS) as u64, count - low);
        }
    }

    /// The bytes, the last one filled up with zero bits.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let last = self.filled.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.pending.to_le_bytes()[..last]);
        self.bytes
    }
}

/// Takes bits off the front.
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The length of the run of ones that comes next, up to `most` (at most 63), and the zero that ends a shorter
    /// one; `None` at the end of the bytes.
    pub(crate) fn ones(&mut self, most: u32) -> Option<u32> {
        let ones = self.next_64().trailing_ones().min(most);
        self.skip(if ones < most { ones + 1 } else { ones })?;
        Some(ones)
    }

    /// The next `count` (at most 128) bits; `None` if there are fewer.
    pub(crate) fn take(&mut self, count: u32) -> Option<u128> {
        let low = count.min(u64::BITS);
        let value = u128::from(self.take_64(low)?);
        let high = if count > low { u128::from(self.take_64(count - low)?) } else { 0 };
        Some(value | (high << u64::BITS))
    }

    /// What is left once the values are read: whole bytes, and whether the bits before them are zero.
    pub(crate) fn end(&self) -> (usize, bool) {
        let used = self.at.div_ceil(8);
        let padding = match self.at % 8 {
            0 => 0,
            bits => self.bytes[used - 1] >> bits,
        };
        (self.bytes.len() - used, padding == 0)
    }

    fn take_64(&mut self, count: u32) -> Option<u64> {
        let word = self.next_64();
        self.skip(count)?;
        Some(match count {
            0 => 0,
            _ => word & (u64::MAX >> (u64::BITS - count)),
        })
    }

    fn skip(&mut self, count: u32) -> Option<()> {
        let at = self.at + count as usize;
        (at <= self.bytes.len() * 8).then(|| self.at = at)
    }

    /// The next 64 bits, zeros after the end.
    fn next_64(&self) -> u64 {
        let rest = &self.bytes[self.at / 8..];
        let window = match rest.first_chunk::<16>() {
            Some(chunk) => u128::from_le_bytes(*chunk),
            None => {
                let mut chunk = [0; 16];
                chunk[..rest.len()].copy_from_slice(rest);
                u128::from_le_bytes(chunk)
            }
        };
        (window >> (self.at % 8)) as u64
    }
}
