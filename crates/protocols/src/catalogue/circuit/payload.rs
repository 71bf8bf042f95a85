//! Values of the side without bins, as shares in the bins of the other one.
//!
//! As the values that are compared reach a bin, so does each column of these: the other side draws a number for each bin, and sends a store
//! that has under each of its points what makes, with that number, the element's value. In a bin that matches the two sides
//! so have shares of the value, and in any other the side with bins has something random. The bin's bit is then multiplied by either
//! side's number, which its owner knows: by that of the side with bins in the transfers of its own values, by the other one's in
//! transfers the other way.
//!
//! The masks of all stores are hashes of F. In a bin that matches, the side with bins sees the number that is compared, and could take it off what the
//! store has of another point there; of a hash of F that says nothing about the others, as parts of F itself would leave
//! fewer bits to guess.

use rayon::prelude::*;
use zeroize::Zeroizing;

use super::shared::{Matches, Sizes, looked_up, put_programmed};
use crate::kit::gmw::{Factors, Gmw};
use crate::{Means, ProtocolError, Sharing};

/// The step in which the other side's values become shares.
const STEP: &str = "the other side's values";

/// Points that one task hashes.
const POINTS_A_TASK: usize = 1024;

/// The masks of a store from the values of the function: of the one that is compared, or of a column.
pub(super) fn masks(
    session: &[u8; 32],
    column: Option<usize>,
    function: &[u128],
) -> Zeroizing<Vec<u128>> {
    let key = blake3::derive_key("veilset v1 masks of a circuit's stores", session);
    let store = column.map_or(0, |column| column as u64 + 1).to_le_bytes();
    let mask = |value: &u128| {
        let mut input = Zeroizing::new([0; 24]);
        input[..8].copy_from_slice(&store);
        input[8..].copy_from_slice(&value.to_le_bytes());
        let hash = blake3::keyed_hash(&key, &*input);
        u128::from_le_bytes(*hash.as_bytes().first_chunk().expect("a hash has 32 bytes"))
    };
    Zeroizing::new(function.par_iter().with_min_len(POINTS_A_TASK).map(mask).collect())
}

/// The columns of numbers of the side with bins, one after the other.
pub(super) fn take(
    means: &mut Means<'_>,
    sizes: &Sizes,
    keys: &[u128],
    function: &[u128],
    columns: usize,
) -> Result<Vec<Zeroizing<Vec<u128>>>, ProtocolError> {
    let mut taken = Vec::with_capacity(columns);
    for column in 0..columns {
        let masks = masks(means.session, Some(column), function);
        taken.push(looked_up::<u128>(means, sizes, keys, &masks)?);
    }
    Ok(taken)
}

/// What the side without bins has of each of its points.
pub(super) struct Points<'a> {
    /// What finds them in a store.
    pub(super) keys: &'a [u128],
    /// Their bins.
    pub(super) bins: &'a [usize],
    /// The function's value of each.
    pub(super) function: &'a [u128],
}

/// Sends values, so many of each element, and returns the columns of numbers of the side without bins.
pub(super) fn put(
    means: &mut Means<'_>,
    sizes: &Sizes,
    points: &Points<'_>,
    (columns, values): (usize, &[i128]),
    sharing: Sharing,
) -> Result<Vec<Zeroizing<Vec<u128>>>, ProtocolError> {
    let mut put = Vec::with_capacity(columns);
    for column in 0..columns {
        let numbers = sizes.random(means.rng);
        let mut words = masks(means.session, Some(column), points.function);
        let functions = sizes.table.functions;
        for (place, (word, bin)) in words.iter_mut().zip(points.bins).enumerate() {
            let value = values[columns * (place / functions) + column].cast_unsigned();
            let own = numbers[*bin];
            *word ^= match sharing {
                Sharing::Additive => value.wrapping_sub(own),
                Sharing::Xor => value ^ own,
            };
        }
        put_programmed::<u128>(means, sizes, points.keys, &words)?;
        put.push(numbers);
    }
    Ok(put)
}

/// This side's shares of each bin's numbers, bin by bin: of its bit and the values of the side with bins, which are `numbers` there, and
/// then of the other side's.
pub(super) fn shares(
    means: &mut Means<'_>,
    step: &'static str,
    matches: Matches,
    (columns, numbers): (usize, &[u128]),
    sharing: Sharing,
) -> Result<Vec<u128>, ProtocolError> {
    let Matches { mut gmw, bits, payload, .. } = matches;
    let others = payload.len();
    let mut beside = Zeroizing::new(Vec::with_capacity(others * bits.len()));
    for bin in 0..bits.len() {
        beside.extend(payload.iter().map(|column| column[bin]));
    }
    drop(payload);
    let mut all = Zeroizing::new(Vec::new());
    if gmw.offers() {
        all.reserve_exact((columns + others) * bits.len());
        for bin in 0..bits.len() {
            all.extend_from_slice(&numbers[columns * bin..columns * (bin + 1)]);
            all.extend_from_slice(&beside[others * bin..others * (bin + 1)]);
        }
    }
    let widths = vec![size_of::<u128>(); columns + others];
    let mut words = Vec::with_capacity(widths.len() * bits.len());
    let factors = Factors { sharing, widths: &widths, numbers: &all };
    gmw.products(means, step, &bits, factors, |shares| words.extend_from_slice(shares))?;
    if others == 0 {
        return Ok(words);
    }
    let session = blake3::derive_key("veilset v1 transfers back", means.session);
    let means = &mut Means { session: &session, ..means.lent() };
    let mut back = if gmw.offers() { Gmw::choosing(means)? } else { Gmw::offering(means)? };
    let factors = Factors { sharing, widths: &widths[columns..], numbers: &beside };
    let mut rows = words.chunks_exact_mut(widths.len());
    back.products(means, STEP, &bits, factors, |shares| {
        let row = rows.next().into_iter().flatten();
        for (word, share) in row.skip(columns).zip(shares) {
            *word = match sharing {
                Sharing::Additive => word.wrapping_add(*share),
                Sharing::Xor => *word ^ share,
            };
        }
    })?;
    Ok(words)
}
