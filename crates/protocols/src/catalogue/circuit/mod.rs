//! What is computed on shares of which elements match: circuit-PSI, by which nobody sees which match, nor anything but the result.
//!
//! As Pinkas, Schneider, Tkachenko and Yanai (Eurocrypt 2019, eprint 2019/241, figure 5), with the programmable function of Rindal and
//! Schoppmann (Eurocrypt 2021, eprint 2021/266, figure 8), here on `vole-oprf`, and a computation on shares whose gates are
//! one-of-sixteen transfers ([`gmw`](crate::kit::gmw)). One side has bins: in a sum the owner of the values, in shares the sender, in a
//! count the one with the shorter list; a count of rows of several elements is of the sender's.
//!
//! 1. It puts its elements into bins by cuckoo hashing with three functions, and something random into every other bin.
//!    A point is an element with the number of a function.
//! 2. By `vole-oprf` it gets F at the point of each bin; the other side has the key, and F at its own elements with all functions.
//! 3. The other side draws a value t for each bin, and sends a store that has t ⊕ F under each of its points in the bin. The side with
//!    bins adds what the store has under its point to its F: that is t where the other side has the point, and random where it has not.
//! 4. The two compare the values of each bin, and hold shares of a bit: whether they are equal, so whether the element matches.
//! 5. Each bit times one, and times the values of the bin's element, gives shares of numbers, whose sums, by groups of elements if
//!    so asked, are shares of counts and sums. Whoever learns one is sent the other side's share. Where shares are the result, the
//!    numbers of bins are, an empty bin's too.
//!
//! **What is lent.** In a sum the other side can lend a factor of each of its elements, by which the owner's values of it are multiplied,
//! and a group. The store of step 3 has these under a mask of the bin, too, and more bits of F hide that, so in a bin that matches the two
//! have shares of the bits of what is lent, and random bits in any other. How these make products and rows is in [`sums`](self::sums).
//!
//! **Values of both sides.** Where shares are the result, the other side's values can be among them, in columns behind those of the side
//! with bins: [`payload`](self::payload) says how.
//!
//! **Rows of several elements.** A row matches by any of its elements, and counts once. Bits of bins are put into the order of the rows of
//! the side with bins, which alone knows it ([`permuted`](crate::kit::gmw)), and whether any bit of a row is set takes its place. In a
//! count that both learn each side has bins once, and the smaller of the two counts is the result. In [`rows`].
//!
//! **Least result.** Where fewer than K matches are to give nothing, the two first compute a bit on shares of the count: whether it is
//! at least K. If both learn the count, both open that bit, and send nothing more where it is 0. If one learns it, shares of the bit times each
//! bit of the other side's share are computed, and sent to the one that learns: it gets that share or zeros, and the other side not
//! even the bit. So below K no side has anything but random shares, whatever its program is made to print. Messages are the same
//! whatever the count, but for that bit if both learn it: who watches the network sees it, too.
//!
//! **Noise.** Numbers can have noise of coins that both toss on shares ([`coins`](crate::kit::gmw)), scaled in a sum by the range of its
//! column's values and 0, which is how far one key of the other list for another moves it. Each number has coins of its own.
//!
//! **Correct.** Cuckoo hashing finds places but for 2^-41 ([`least_bins`](crate::kit::cuckoo::least_bins) proves it), and
//! with b bins values of 41 + log₂ b bits agree by chance with 2^-41.
//!
//! **Security.** Semi-honest. *The side with bins* sees the store, whose values look random, since F does outside of its own points and
//! there the t do; then choices under random pads. *The other side* sees what the function's receiver sends, tables and words of
//! which it reads one masked entry each, and one key each of point functions. So both have the numbers of elements, and shares that are random each by itself.
//! Bins are shuffled by the hash of elements, under a key that both chose: nobody else knows in which bin what lies.

mod cost;
mod payload;
mod result;
mod rows;
mod shared;
mod spec;
mod sums;
#[cfg(test)]
mod tests;

use veilset_channel::PeerFault;

use self::result::{Least, Numbers, Row, Told, opened};
use self::shared::{MAX_ELEMENTS, Matches, Sizes};
use self::sums::{Rows, Table, sums};
use crate::kit::gmw::{Gmw, cut};
use crate::{
    Attached, Conclusion, Cost, GroupSums, Means, Operation, Outcome, Protocol, ProtocolError,
    Reveal, Role, Run, RunInput, Shape, Shares, Side, Spec,
};

/// An operation on shares of which elements match.
pub(crate) struct Circuit(Spec);

/// `circuit-count`.
pub(crate) static COUNT: Circuit = Circuit(spec::COUNT);
/// `circuit-sum`.
pub(crate) static SUM: Circuit = Circuit(spec::SUM);
/// `circuit-share`.
pub(crate) static SHARE: Circuit = Circuit(spec::SHARE);

impl Protocol for Circuit {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn cost(&self, shape: Shape) -> Cost {
        cost::cost(self.0.operation, &shape)
    }

    fn places(&self, shape: Shape) -> u64 {
        cost::places(&shape)
    }

    fn run(&self, run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        let Run { side, input, mut means } = run;
        let operation = self.0.operation;
        let (own, peer) = (input.elements.len(), input.peer_count);
        let of_both = counts_both(operation, side.reveal, input.per_row as u64);
        rows::check(&input, side.role, of_both)?;
        let columns = 1 + input.attached.shape().columns() + input.peer_attached.columns();
        if own == 0 || peer == 0 {
            return Ok(match operation {
                Operation::Share => no_shares(&input, side.role, columns),
                _ => no_numbers(&input, side, columns),
            });
        }
        if of_both {
            return rows::count_of_both(&mut means, &input, side);
        }
        let per_row = input.per_row as u64;
        let binned = binned(operation, [own, peer], side.role, per_row);
        let (matches, sizes) = matches(&mut means, &input, binned == side.role)?;
        match operation {
            Operation::Share => shares(&mut means, matches, &input, columns),
            _ => {
                let widths = sizes.widths(columns - 1, input.coins);
                numbers(&mut means, matches, &input, side, &widths)
            }
        }
    }
}

/// Which bins match, or which rows of the side with bins, which this one has or has not.
fn matches(
    means: &mut Means<'_>,
    input: &RunInput<'_>,
    has_bins: bool,
) -> Result<(Matches, Sizes), ProtocolError> {
    let (own, peer) = (input.elements.len(), input.peer_count);
    let [binned, others] = if has_bins { [own, peer] } else { [peer, own] };
    let sizes = Sizes::new(binned, others, input.slack);
    if sizes.bits > u64::BITS {
        return Err(ProtocolError::NoParameters);
    }
    let matches = match has_bins {
        true => shared::bins(means, &sizes, &input.elements, input.peer_attached)?,
        false => {
            let sharing = input.choices.sharing.unwrap_or_default();
            shared::points(means, &sizes, &input.elements, input.attached, sharing)?
        }
    };
    match input.per_row {
        1 => Ok((matches, sizes)),
        per_row => Ok((rows::of_rows(means, matches, binned, per_row)?, sizes)),
    }
}

/// Whether the rows of both sides are counted: where a row is several elements, fewer rows of one side than of the other can match.
fn counts_both(operation: Operation, reveal: Reveal, per_row: u64) -> bool {
    operation == Operation::Count && reveal == Reveal::Both && per_row > 1
}

/// The step in which numbers get noise.
const NOISE: &str = "noise";

/// Each bin's numbers as shares.
fn shares(
    means: &mut Means<'_>,
    matches: Matches,
    input: &RunInput<'_>,
    columns: usize,
) -> Result<Conclusion, ProtocolError> {
    let sharing = input.choices.sharing.unwrap_or_default();
    let order = matches.gmw.offers().then(|| matches.items.to_vec());
    let own = Table::of(input.attached);
    let words = payload::shares(means, matches, own, columns, sharing)?;
    let shares = Shares { columns, words, sharing, order };
    Ok(Box::new(|| Ok(Outcome::Shares(shares))))
}

/// Shares of which one list is empty: nothing matches, and both sides know.
fn no_shares(input: &RunInput<'_>, role: Role, columns: usize) -> Conclusion {
    let sharing = input.choices.sharing.unwrap_or_default();
    let (places, order) = match role {
        Role::Sender => {
            let own = input.elements.len() / input.per_row;
            (own, Some((0..).take(own).map(Some).collect()))
        }
        Role::Receiver => (input.peer_count / input.per_row, None),
    };
    let shares = Shares { columns, words: vec![0; columns * places], sharing, order };
    Box::new(|| Ok(Outcome::Shares(shares)))
}

/// The numbers that this side learns.
fn numbers(
    means: &mut Means<'_>,
    matches: Matches,
    input: &RunInput<'_>,
    side: Side,
    widths: &[usize],
) -> Result<Conclusion, ProtocolError> {
    let ending = Ending::of(input, side, widths.len());
    let (mut shares, mut gmw) = sums(means, matches, input, widths, ending.rows)?;
    if input.coins > 0 {
        add_noise(means, &mut gmw, &mut shares, input, &widths.repeat(ending.rows.count()))?;
    }
    let numbers = Numbers { shares: &shares, widths };
    // A count with noise has the mean of its coins more.
    let expected = u64::from(input.coins / 2);
    let least = input.least.map(|least| least.saturating_add(expected));
    let least = least.map(|least| Least { least, most: ending.most });
    let rows = opened(means, &mut gmw, &numbers, ending.told, least)?;
    Ok(Box::new(move || ending.outcome(rows)))
}

/// Adds noise to shares of numbers of these widths, row by row.
fn add_noise(
    means: &mut Means<'_>,
    gmw: &mut Gmw,
    shares: &mut [u128],
    input: &RunInput<'_>,
    widths: &[usize],
) -> Result<(), ProtocolError> {
    let logs = logs(input.attached, input.peer_attached.factor());
    let of_row: Vec<u32> = std::iter::once(0).chain(logs).collect();
    let logs = match gmw.offers() {
        true => of_row.repeat(widths.len() / of_row.len()),
        false => vec![0; widths.len()],
    };
    let noise = gmw.noise(means, NOISE, input.coins, widths, &logs)?;
    for ((share, noise), width) in shares.iter_mut().zip(&*noise).zip(widths) {
        *share = cut(share.wrapping_add(*noise), *width);
    }
    Ok(())
}

/// The numbers where one list is empty.
fn no_numbers(input: &RunInput<'_>, side: Side, columns: usize) -> Conclusion {
    let ending = Ending::of(input, side, columns);
    let row = input.least.is_none_or(|least| least == 0).then(|| vec![0; ending.told.own]);
    let rows = vec![row; ending.rows.count()];
    Box::new(move || ending.outcome(rows))
}

/// How many of so many numbers of a row the side that plays `role` is told: where the sender owns values, the receiver gets the count
/// alone, and nothing by groups.
fn told(side: Side, role: Role, numbers: usize, by_groups: bool) -> usize {
    match role {
        _ if !side.reveal.reaches(role) => 0,
        Role::Sender => numbers,
        Role::Receiver => usize::from(!by_groups),
    }
}

/// What makes a result of rows of numbers.
#[derive(Clone, Copy)]
struct Ending {
    told: Told,
    rows: Rows,
    /// How many matches there can be.
    most: u64,
}

impl Ending {
    /// Of so many numbers a row.
    fn of(input: &RunInput<'_>, side: Side, numbers: usize) -> Self {
        let [own, peer] = [input.attached.shape(), input.peer_attached];
        let rows = match side.role {
            Role::Sender => Rows::of(own, peer),
            Role::Receiver => Rows::of(peer, own),
        };
        let told = |role| told(side, role, numbers, rows.are_groups());
        let elements = input.elements.len().min(input.peer_count) as u64;
        // More rows of one side than of the other can match, by different elements.
        let most = elements + u64::from(input.coins);
        Self { told: Told { own: told(side.role), others: told(side.role.other()) }, rows, most }
    }

    fn outcome(self, rows: Vec<Row>) -> Result<Outcome, ProtocolError> {
        if self.told.own == 0 {
            return Ok(Outcome::Nothing);
        }
        let of_row = |numbers: Vec<u128>| {
            let mut numbers = numbers.into_iter();
            match numbers.next().and_then(|count| u64::try_from(count).ok()) {
                Some(count) if count <= self.most => {
                    let sums = numbers.map(u128::cast_signed).collect();
                    Ok(GroupSums { count, sums })
                }
                _ => Err(PeerFault::CheckFailed("bound on the number of matches").into()),
            }
        };
        let mut rows = rows.into_iter().map(|row| row.map(of_row).transpose());
        if self.rows.are_groups() {
            return rows.collect::<Result<_, _>>().map(Outcome::ByGroup);
        }
        Ok(match rows.next().transpose()?.flatten() {
            None => Outcome::Fewer,
            Some(GroupSums { count, .. }) if self.told.own == 1 => Outcome::Count(count),
            Some(GroupSums { count, sums }) => Outcome::Sums { count, sums },
        })
    }
}

/// The side that puts its elements into bins, where the side that plays `role` has the first of two numbers of them; where
/// several stand for a row, rows of the sender are counted.
fn binned(operation: Operation, [own, peer]: [usize; 2], role: Role, per_row: u64) -> Role {
    let [sender, receiver] = if role == Role::Sender { [own, peer] } else { [peer, own] };
    match operation {
        Operation::Count if receiver <= sender && per_row == 1 => Role::Receiver,
        _ => Role::Sender,
    }
}

/// Of each column of values the logarithm of the least power of two that is at least how far two values, or a value and 0, are apart;
/// where they are multiplied by a factor of so many bytes, two products.
fn logs(attached: Attached<'_>, factor: usize) -> impl Iterator<Item = u32> {
    let (columns, words) = attached.values();
    let plain = columns - attached.shape().products();
    (0..columns).map(move |column| {
        let values = words.iter().skip(column).step_by(columns);
        let (least, most) = values.fold((0, 0), |(least, most): (i128, i128), value| {
            (least.min(*value), most.max(*value))
        });
        // At most 2^128 − 1, as values are above −2^127; a scale is at most 2^127.
        let (range, more) = match column < plain {
            true => (most.wrapping_sub(least).cast_unsigned(), 0),
            // A factor is at most half of 2^more beside 0.
            false => (least.unsigned_abs().max(most.unsigned_abs()), 8 * factor as u32),
        };
        let log = u128::BITS - range.saturating_sub(1).leading_zeros();
        (log + more).min(u128::BITS - 1)
    })
}

/// The first column of values that has no room for its sum, of products with a factor of so many bytes where it has one, and noise of
/// so many coins on that.
#[must_use]
pub fn without_room(attached: Attached<'_>, factor: usize, coins: u32) -> Option<usize> {
    let (columns, words) = attached.values();
    let plain = columns - attached.shape().products();
    let logs: Vec<u32> = logs(attached, factor).collect();
    (0..columns).find(|column| {
        let values = words.iter().skip(*column).step_by(columns);
        let sum = values.fold(0, |sum: u128, value| sum.saturating_add(value.unsigned_abs()));
        let most_factor =
            if *column < plain { 1 } else { 1_u128 << (8 * factor).saturating_sub(1) };
        // Half of the coins beside the mean, and what is uniform below one.
        let coins = if coins > 0 { u128::from(coins / 2 + 1) } else { 0 };
        let noise = coins.checked_mul(1 << logs[*column]);
        let all = noise.zip(sum.checked_mul(most_factor));
        all.is_none_or(|(noise, sum)| noise.saturating_add(sum) > i128::MAX.unsigned_abs())
    })
}
