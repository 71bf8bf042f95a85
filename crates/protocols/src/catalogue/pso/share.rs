//! Share: OT of `(r_i, r_i + w_i)` by `e_i`, where the words `w_i` are a one, for the indicator, and the values of `x_i`.
//!
//! The receiver's words are its shares, the sender's are `−r_i`: they add up to `e_i · w_i` modulo 2^128. Shares by
//! exclusive or are the same with `⊕` for both `+` and `−`.

use zeroize::Zeroizing;

use super::sum::ordered;
use super::{and, p1, shuffled_p2};
use crate::kit::membership::Hits;
use crate::kit::mqrpmt::MqRpmt;
use crate::kit::transfer::{self, correlated_cost};
use crate::{Conclusion, Cost, Outcome, ProtocolError, Role, Run, Shape, Shares, Sharing};

pub(super) fn run(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    match run.side.role {
        Role::Receiver => {
            let (shares, hits) = receiver(mqrpmt, run)?;
            Ok(Box::new(move || {
                hits.fault()?;
                Ok(Outcome::Shares(shares))
            }))
        }
        Role::Sender => {
            let shares = sender(mqrpmt, run)?;
            Ok(Box::new(move || Ok(Outcome::Shares(shares))))
        }
    }
}

fn receiver(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<(Shares, Hits), ProtocolError> {
    let columns = 1 + run.input.peer_attached.columns();
    let hits = p1(mqrpmt, run)?;
    let sharing = run.input.choices.sharing.unwrap_or_default();
    let words = transfer::receive_correlated(&mut run.means, &hits.e, columns, sharing)?.to_vec();
    Ok((Shares { columns, words, sharing, order: None }, hits))
}

fn sender(mqrpmt: MqRpmt, run: &mut Run<'_>) -> Result<Shares, ProtocolError> {
    let values = run.input.attached.shape().columns();
    let order = shuffled_p2(mqrpmt, run)?;
    let words = with_indicator(&ordered(run.input.attached, &order), order.len(), values);
    let sharing = run.input.choices.sharing.unwrap_or_default();
    let masks = transfer::send_correlated(&mut run.means, &words, 1 + values, sharing)?;
    let own = |mask: &u128| match sharing {
        Sharing::Additive => mask.wrapping_neg(),
        Sharing::Xor => *mask,
    };
    let words = masks.iter().map(own).collect();
    Ok(Shares {
        columns: 1 + values,
        words,
        sharing,
        order: Some(order.iter().copied().map(Some).collect()),
    })
}

/// A one before the values of each element.
fn with_indicator(words: &[u128], count: usize, values: usize) -> Zeroizing<Vec<u128>> {
    let words = (0..count).flat_map(|element| {
        std::iter::once(1).chain(words[element * values..][..values].iter().copied())
    });
    Zeroizing::new(words.collect())
}

pub(super) fn cost(mqrpmt: MqRpmt, shape: &Shape) -> Cost {
    let (sender, receiver, rounds) =
        correlated_cost(shape.sender / shape.per_row, 1 + shape.attached.columns());
    and(mqrpmt.cost(shape), sender, receiver, rounds)
}
