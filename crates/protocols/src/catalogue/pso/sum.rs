//! Sum: OT of `(r_i, r_i + v_i)` by `e_i`, for each column of values.
//!
//! The receiver adds up what it got, `Σ (r_i + e_i·v_i)`, and sends that back with the count; the sender takes `Σ r_i` off.
//! The `r_i` are uniform modulo 2^128, so each word that the receiver gets is uniform, and so is each sum, but for the
//! sender. Values are two's complement; the sender made sure that no sum of some of them leaves i128.

use rayon::prelude::*;
use veilset_channel::{ChannelExt, Chunks, MAX_BODY, Malformed, Message, Reader, Tag};
use zeroize::Zeroizing;

use super::{and, p1, shuffled_p2};
use crate::kit::membership::VALUES_A_TASK;
use crate::kit::mqrpmt::{MqRpmt, weight};
use crate::kit::transfer::{self, correlated_cost};
use crate::kit::wire::{Total, frames};
use crate::{
    Attached, Conclusion, Cost, Outcome, PartyCost, ProtocolError, Role, Run, Shape, Sharing,
};

pub(super) fn run(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    match run.side.role {
        Role::Receiver => receiver(mqrpmt, run),
        Role::Sender => sender(mqrpmt, run),
    }
}

fn receiver(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let columns = run.input.peer_attached.columns();
    let hits = p1(mqrpmt, run)?;
    let words = transfer::receive_correlated(&mut run.means, &hits.e, columns, Sharing::Additive)?;
    let count = weight(&hits.e).min(run.input.elements.len() as u64);
    run.means.channel.phase("count and masked sums");
    run.means.channel.put(&Total(count))?;
    for piece in sums(&words, columns).chunks(WORDS_A_FRAME) {
        run.means.channel.put(&Words(piece.to_vec()))?;
    }
    Ok(Box::new(move || {
        hits.fault()?;
        Ok(Outcome::Count(count))
    }))
}

fn sender(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let columns = run.input.attached.shape().columns();
    let order = shuffled_p2(mqrpmt, run)?;
    let words = ordered(run.input.attached, &order);
    let masks = transfer::send_correlated(&mut run.means, &words, columns, Sharing::Additive)?;
    run.means.channel.phase("count and masked sums");
    let rows = run.input.elements.len() / run.input.per_row;
    let most = rows.min(run.input.peer_count) as u64;
    let Total(count) = run.means.channel.take(&most)?;
    let mut masked = Vec::new();
    for range in Chunks::new(columns, WORDS_A_FRAME).ranges() {
        masked.extend(run.means.channel.take::<Words>(&range.len())?.0);
    }
    let sums = masked.iter().zip(sums(&masks, columns));
    let sums = sums.map(|(masked, mask)| masked.wrapping_sub(mask) as i128).collect();
    Ok(Box::new(move || Ok(Outcome::Sums { count, sums })))
}

/// The values of the elements in the order of `order`.
pub(super) fn ordered(attached: Attached<'_>, order: &[u32]) -> Zeroizing<Vec<u128>> {
    let (columns, words) = attached.values();
    if columns == 0 {
        return Zeroizing::default();
    }
    let mut values = Zeroizing::new(vec![0; order.len() * columns]);
    let rows = values.par_chunks_mut(columns).with_min_len(VALUES_A_TASK);
    rows.zip(order).for_each(|(row, index)| {
        let words = &words[*index as usize * columns..];
        row.iter_mut().zip(words).for_each(|(value, word)| *value = *word as u128);
    });
    values
}

/// The sum of each column modulo 2^128.
pub(super) fn sums(words: &[u128], columns: usize) -> Vec<u128> {
    if columns == 0 {
        return Vec::new();
    }
    let add = |mut sums: Vec<u128>, words: &[u128]| {
        sums.iter_mut().zip(words).for_each(|(sum, word)| *sum = sum.wrapping_add(*word));
        sums
    };
    let zeros = || vec![0; columns];
    let rows = words.par_chunks_exact(columns).with_min_len(VALUES_A_TASK);
    rows.fold(zeros, add).reduce(zeros, |sums, more| add(sums, &more))
}

/// Words of 128 bits, little-endian. Context: how many.
pub(super) struct Words(pub(super) Vec<u128>);

const WORDS_A_FRAME: usize = MAX_BODY / 16;

impl Message for Words {
    const TAG: Tag = Tag::MaskedSums;
    type Context = usize;

    fn max_len(count: &usize) -> usize {
        16 * count
    }

    fn encode(&self, out: &mut Vec<u8>) {
        self.0.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    }

    fn decode(reader: &mut Reader<'_>, count: &usize) -> Result<Self, Malformed> {
        let word = |_| reader.array().map(u128::from_le_bytes);
        (0..*count).map(word).collect::<Result<_, _>>().map(Self)
    }
}

pub(super) fn cost(mqrpmt: MqRpmt, shape: &Shape) -> Cost {
    let columns = shape.attached.columns();
    let (sender, receiver, rounds) = correlated_cost(shape.sender / shape.per_row, columns);
    let cost = and(mqrpmt.cost(shape), sender, receiver, rounds);
    let sums = 8.0 + 16.0 * columns as f64 + frames(1 + columns.div_ceil(WORDS_A_FRAME));
    let sums = PartyCost { bytes_sent: sums, ..PartyCost::default() };
    and(cost, PartyCost::default(), sums, 1)
}
