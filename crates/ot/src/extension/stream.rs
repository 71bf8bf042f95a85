//! Batches of transfers with messages: first the corrections of a batch go one way, then its messages the other.

use rayon::prelude::*;
use veilset_channel::{Blob, Channel, ChannelExt, Chunks, MAX_BODY};
use veilset_simd::TILE;
use zeroize::{Zeroize, Zeroizing};

use super::columns::GROUP;
use super::messages::Padded;
use super::{BATCH, ExtensionReceiver, ExtensionSender, hash};
use crate::{Block, OtError};

/// The transfers of one frame.
pub(super) struct FrameRows<'a> {
    /// The place of the first among those of the call.
    pub(super) start: usize,
    /// The number of the first since the setup.
    pub(super) number: u64,
    /// The rows of all.
    pub(super) rows: &'a [Block],
}

/// Cuts rows into frames of at most `size` transfers.
fn parts(start: usize, number: u64, rows: &[Block], size: usize) -> Vec<FrameRows<'_>> {
    let at = |(index, rows)| {
        let before = index * size;
        FrameRows { start: start + before, number: number + before as u64, rows }
    };
    rows.chunks(size).enumerate().map(at).collect()
}

/// How many transfers of `bytes` bytes fit a frame.
pub(super) fn transfers_a_frame(bytes: usize) -> usize {
    (MAX_BODY / bytes).clamp(1, GROUP * TILE)
}

/// The number of transfers in `length` entries of `width` to a transfer, where one transfer sends `bytes` bytes.
///
/// # Errors
/// [`OtError::Width`] when a frame holds none, [`OtError::Length`] when the entries do not come out even.
pub(super) fn transfers(
    what: &'static str,
    length: usize,
    width: usize,
    bytes: usize,
) -> Result<usize, OtError> {
    check_width(bytes, bytes / width.max(1))?;
    if !length.is_multiple_of(width) {
        let expected = length.next_multiple_of(width);
        return Err(OtError::Length { what, expected, got: length });
    }
    Ok(length / width)
}

/// # Errors
/// [`OtError::Width`] when no frame holds `bytes` bytes, which are `a_unit` to a unit of the caller's width.
pub(super) fn check_width(bytes: usize, a_unit: usize) -> Result<(), OtError> {
    if (1..=MAX_BODY).contains(&bytes) {
        return Ok(());
    }
    Err(OtError::Width { max: MAX_BODY / a_unit.max(1), got: bytes / a_unit.max(1) })
}

const _: () = assert!(MAX_BODY <= hash::MAX_PAD, "every pad that fits a frame has tweaks");

impl ExtensionSender {
    /// Extends `count` transfers and sends for each part what `make` returns first, `bytes` bytes a transfer; its other
    /// results are put one after the other.
    pub(super) fn send_parts<T: Copy + Send + Zeroize>(
        &mut self,
        channel: &mut dyn Channel,
        count: usize,
        bytes: usize,
        make: impl Fn(&Self, &FrameRows<'_>, &mut [u8]) -> Zeroizing<Vec<T>> + Sync,
        kept: &mut Vec<T>,
    ) -> Result<(), OtError> {
        let size = transfers_a_frame(bytes);
        for batch in Chunks::new(count, BATCH).ranges() {
            let (number, tiles) = self.extend(channel, batch.len())?;
            let rows = &tiles.as_flattened()[..batch.len()];
            for parts in parts(batch.start, number, rows, size).chunks(rayon::current_num_threads())
            {
                let made = parts.par_iter().map(|part| {
                    let mut body = vec![0; part.rows.len() * bytes];
                    let results = make(self, part, &mut body);
                    (body, results)
                });
                for (body, results) in made.collect::<Vec<_>>() {
                    channel.put::<Padded>(&Blob(body))?;
                    kept.extend_from_slice(&results);
                }
            }
        }
        Ok(())
    }
}

impl ExtensionReceiver {
    /// Extends a transfer for each of `choices` and gives each part's bytes, `bytes` a transfer, to `open`, with the
    /// choices; the results are put one after the other, `width` a transfer.
    pub(super) fn receive_parts<T: Copy + Send + Zeroize>(
        &mut self,
        channel: &mut dyn Channel,
        choices: &[bool],
        bytes: usize,
        width: usize,
        open: impl Fn(&Self, &FrameRows<'_>, &[bool], &[u8]) -> Zeroizing<Vec<T>> + Sync,
    ) -> Result<Zeroizing<Vec<T>>, OtError> {
        let size = transfers_a_frame(bytes);
        let mut opened = Zeroizing::new(Vec::with_capacity(choices.len() * width));
        for batch in Chunks::new(choices.len(), BATCH).ranges() {
            let (number, tiles) = self.extend(channel, &choices[batch.clone()])?;
            let rows = &tiles.as_flattened()[..batch.len()];
            for parts in parts(batch.start, number, rows, size).chunks(rayon::current_num_threads())
            {
                let bodies = parts.iter().map(|part| channel.take(&(part.rows.len() * bytes)));
                let bodies = bodies.collect::<Result<Vec<Padded>, _>>()?;
                let results = parts.par_iter().zip(bodies).map(|(part, body)| {
                    let choices = &choices[part.start..part.start + part.rows.len()];
                    open(self, part, choices, &body.0)
                });
                for results in results.collect::<Vec<_>>() {
                    opened.extend_from_slice(&results);
                }
            }
        }
        Ok(opened)
    }
}

/// Adds bytes to bytes without a carry.
pub(super) fn xor(sums: &mut [u8], bytes: &[u8]) {
    sums.iter_mut().zip(bytes).for_each(|(sum, byte)| *sum ^= byte);
}

/// All ones for `true`, 0 for `false`.
pub(super) fn mask(bit: bool) -> u8 {
    u8::from(bit).wrapping_neg()
}

/// The pads of a part's rows, each with `offset` added to it: `width` bytes a transfer.
pub(super) fn pads(
    hash: &hash::Hash,
    part: &FrameRows<'_>,
    offset: Block,
    width: usize,
    to: &mut [u8],
) {
    let rows = part.rows.iter().map(|row| row ^ offset);
    hash.pads(part.number, Zeroizing::new(rows.collect()), width, to);
}
