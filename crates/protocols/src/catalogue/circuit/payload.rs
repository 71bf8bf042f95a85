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

use std::ops::{Deref, Range};

use rayon::prelude::*;
use zeroize::Zeroizing;

use super::shared::{Matches, Sizes, looked_up, put_programmed};
use super::sums::{STEP as PRODUCTS, Table, push_row};
use crate::kit::gmw::{Factors, Source};
use crate::{Means, ProtocolError, Sharing};

/// The step in which the other side's values become shares.
const STEP: &str = "the other side's values";

/// Points that one task hashes.
const POINTS_A_TASK: usize = 1024;

/// The masks of a store from the values of the function: of the one that is compared, or of a column.
fn masks(session: &[u8; 32], column: Option<usize>, function: &[u128]) -> Zeroizing<Vec<u128>> {
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

/// The masks of the values that are compared.
pub(super) enum Compared<'a> {
    /// The function's values themselves,
    Values(&'a [u128]),
    /// or hashes of these, where columns have masks, too.
    Hashes(Zeroizing<Vec<u128>>),
}

impl<'a> Compared<'a> {
    /// Where there are so many columns beside the values.
    pub(super) fn of(session: &[u8; 32], columns: usize, function: &'a [u128]) -> Self {
        match columns {
            0 => Self::Values(function),
            _ => Self::Hashes(masks(session, None, function)),
        }
    }
}

impl Deref for Compared<'_> {
    type Target = [u128];

    fn deref(&self) -> &[u128] {
        match self {
            Self::Values(function) => function,
            Self::Hashes(hashes) => hashes,
        }
    }
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

/// Sends the values of each element, and returns the columns of numbers of the side without bins.
pub(super) fn put(
    means: &mut Means<'_>,
    sizes: &Sizes,
    points: &Points<'_>,
    values: Table<'_>,
    sharing: Sharing,
) -> Result<Vec<Zeroizing<Vec<u128>>>, ProtocolError> {
    let mut put = Vec::with_capacity(values.columns);
    for column in 0..values.columns {
        let numbers = sizes.random(means.rng);
        let mut words = masks(means.session, Some(column), points.function);
        let functions = sizes.table.functions;
        for (place, (word, bin)) in words.iter_mut().zip(points.bins).enumerate() {
            let value = values.row(place / functions)[column].cast_unsigned();
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

/// This side's shares of each bin's numbers, bin by bin: of its bit and the values of the side with bins, which are `own` there, and
/// then of the other side's.
///
/// The numbers are made as they are multiplied: what is held is the shares and the columns beside them.
pub(super) fn shares(
    means: &mut Means<'_>,
    matches: Matches,
    own: Table<'_>,
    columns: usize,
    sharing: Sharing,
) -> Result<Vec<u128>, ProtocolError> {
    let Matches { mut gmw, bits, items, payload, .. } = matches;
    let widths = vec![size_of::<u128>(); columns];
    let made = |bins: Range<usize>| {
        let mut numbers = Zeroizing::new(Vec::with_capacity(columns * bins.len()));
        for bin in bins {
            push_row(&mut numbers, items[bin], own, own.columns);
            numbers.extend(payload.iter().map(|column| column[bin]));
        }
        numbers
    };
    let mut words = Vec::with_capacity(columns * bits.len());
    let factors = Factors { sharing, widths: &widths, numbers: Source::Made(&made) };
    gmw.products(means, PRODUCTS, &bits, factors, |shares| words.extend_from_slice(shares))?;
    if payload.is_empty() {
        return Ok(words);
    }
    let made = |bins: Range<usize>| {
        let mut numbers = Zeroizing::new(Vec::with_capacity(payload.len() * bins.len()));
        numbers.extend(bins.flat_map(|bin| payload.iter().map(move |column| column[bin])));
        numbers
    };
    let widths = &widths[columns - payload.len()..];
    let factors = Factors { sharing, widths, numbers: Source::Made(&made) };
    let mut rows = words.chunks_exact_mut(columns);
    gmw.back(means)?.products(means, STEP, &bits, factors, |shares| {
        let row = rows.next().into_iter().flatten();
        for (word, share) in row.skip(columns - shares.len()).zip(shares) {
            *word = match sharing {
                Sharing::Additive => word.wrapping_add(*share),
                Sharing::Xor => *word ^ share,
            };
        }
    })?;
    Ok(words)
}
