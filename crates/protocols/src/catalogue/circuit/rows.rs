//! Rows that are several elements: which of them match, by any.

use veilset_crypto::permutation;
use zeroize::Zeroizing;

use super::result::{Least, Numbers, opened};
use super::shared::{Matches, Sizes};
use super::sums::{Rows, sums};
use super::{Ending, matches};
use crate::kit::gmw::{Gmw, any_bit, at_least, cut};
use crate::{Conclusion, Means, ProtocolError, Role, RunInput, Side};

/// The step in which bits of bins come into the order of rows.
const ORDER: &str = "order of rows";

/// The step in which bits of a row become one.
const ANY: &str = "any of a row";

/// The step in which two counts are compared.
const SMALLER: &str = "smaller count";

/// Whether rows of several elements have all that is asked for, in a count of both sides' rows or anything else.
pub(super) fn check(input: &RunInput<'_>, role: Role, of_both: bool) -> Result<(), ProtocolError> {
    let receivers = match role {
        Role::Sender => input.peer_attached,
        Role::Receiver => input.attached.shape(),
    };
    if of_both && input.coins > 0 {
        return Err(ProtocolError::NotByRows("noise on a count that both sides learn"));
    }
    if input.per_row > 1 && receivers.columns() > 0 {
        return Err(ProtocolError::NotByRows("values of the receiver"));
    }
    Ok(())
}

/// Which rows of the side with bins match, which has so many elements, so many of them in each row.
pub(super) fn of_rows(
    means: &mut Means<'_>,
    matches: Matches,
    elements: usize,
    per_row: usize,
) -> Result<Matches, ProtocolError> {
    let Matches { mut gmw, bits, items, .. } = matches;
    // Rows come in a random order, so that places of shares say nothing of where in the list they are.
    let rows = if gmw.offers() {
        permutation(elements / per_row, means.rng)
    } else {
        Zeroizing::default()
    };
    let order = order_of(&items, &rows, per_row);
    let mut bits = gmw.permuted(means, ORDER, &bits, &order)?;
    // The others are of bins without an element.
    bits.truncate(elements);
    let of_row =
        |bits: &[u8]| (0..).zip(bits).fold(0, |row, (at, bit)| row | u64::from(*bit) << at);
    let of_rows: Vec<u64> = bits.chunks_exact(per_row).map(of_row).collect();
    let of_rows = Zeroizing::new(of_rows);
    let bits = any_bit(&mut gmw, means, ANY, &of_rows, per_row as u32)?;
    let items = Zeroizing::new(rows.iter().map(|row| Some(*row)).collect());
    Ok(Matches { gmw, bits, items, lent: Zeroizing::default(), payload: Vec::new() })
}

/// The bins of the elements of these rows, row by row, and then the bins that have none; nothing of the side without bins.
fn order_of(items: &[Option<u32>], rows: &[u32], per_row: usize) -> Zeroizing<Vec<u32>> {
    if items.is_empty() {
        return Zeroizing::default();
    }
    let mut place_of = Zeroizing::new(vec![0; rows.len()]);
    for (place, row) in rows.iter().enumerate() {
        place_of[*row as usize] = place;
    }
    let mut order = Zeroizing::new(vec![0; items.len()]);
    let mut free = per_row * rows.len();
    for (bin, item) in (0..).zip(items) {
        let place = item.map_or(free, |item| {
            let (row, at) = (item as usize / per_row, item as usize % per_row);
            per_row * place_of[row] + at
        });
        free += usize::from(item.is_none());
        order[place] = bin;
    }
    order
}

/// How many rows match, to both sides: the smaller number of the rows of either that do.
pub(super) fn count_of_both(
    means: &mut Means<'_>,
    input: &RunInput<'_>,
    side: Side,
) -> Result<Conclusion, ProtocolError> {
    let sizes = [input.elements.len(), input.peer_count];
    let width = width_of_both(sizes, input.slack);
    let (senders, mut gmw) = count(means, input, side.role == Role::Sender, width)?;
    let session = blake3::derive_key("veilset v1 rows of the receiver", means.session);
    let again = &mut Means { session: &session, ..means.lent() };
    let (receivers, _) = count(again, input, side.role == Role::Receiver, width)?;

    // The sender's less what it is more than the receiver's.
    let more = cut(senders.wrapping_sub(receivers), width);
    let is_more = at_least(&mut gmw, means, SMALLER, &[more], 8 * width as u32, 0)?;
    let more = gmw.selected(means, SMALLER, &is_more, &[more], width)?;
    let smaller = cut(senders.wrapping_sub(more[0]), width);
    let ending = Ending::of(input, side, 1);
    let numbers = Numbers { shares: &[smaller], widths: &[width] };
    let least = input.least.map(|least| Least { least, most: ending.most });
    let rows = opened(means, &mut gmw, &numbers, ending.told, least)?;
    Ok(Box::new(move || ending.outcome(rows)))
}

/// Bytes of two counts of lists of so many elements.
pub(super) fn width_of_both([one, other]: [usize; 2], slack: u32) -> usize {
    let width = |binned, others| Sizes::new(binned, others, slack).widths(0, 0)[0];
    width(one, other).max(width(other, one))
}

/// This side's share of how many rows of the side with bins match, of so many bytes.
fn count(
    means: &mut Means<'_>,
    input: &RunInput<'_>,
    has_bins: bool,
    width: usize,
) -> Result<(u128, Gmw), ProtocolError> {
    let (matches, _) = matches(means, input, has_bins)?;
    let (counts, gmw) = sums(means, matches, input, &[width], Rows::ONE)?;
    Ok((counts[0], gmw))
}
