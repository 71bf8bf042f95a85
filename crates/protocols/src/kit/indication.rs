//! The last message of an intersection that both learn: the receiver says which of the sender's elements are common.

use zeroize::Zeroizing;

use crate::kit::bins::{filled_up, named};
use crate::kit::membership::in_order;
use crate::kit::wire::{put_bits, put_values, take_bits, take_values};
use crate::{Conclusion, Means, Outcome, ProtocolError, Side};

/// The step in which the receiver tells.
pub(crate) const STEP: &str = "indication";

/// The receiver tells the sender, if that learns, a bit for each of its values, in the order in which they came.
pub(crate) fn tell_bits(
    side: Side,
    means: &mut Means<'_>,
    bits: &[bool],
) -> Result<(), ProtocolError> {
    if side.tells() {
        means.channel.phase(STEP);
        put_bits(means.channel, bits)?;
    }
    Ok(())
}

/// The end of a sender whose receiver does [`tell_bits`]; `order` has the index of the element in each place.
pub(crate) fn hear_bits(
    side: Side,
    means: &mut Means<'_>,
    order: impl AsRef<[u32]> + Send + 'static,
) -> Result<Conclusion, ProtocolError> {
    if !side.learns() {
        return Ok(Box::new(|| Ok(Outcome::Nothing)));
    }
    means.channel.phase(STEP);
    let e = take_bits(means.channel, order.as_ref().len())?;
    Ok(Box::new(move || Ok(Outcome::Matched(in_order(order.as_ref(), &e)))))
}

/// The receiver tells the sender, if that learns, the names of the common elements among random ones, `most` in all.
pub(crate) fn tell_names(
    side: Side,
    means: &mut Means<'_>,
    most: usize,
    common: impl FnOnce() -> Zeroizing<Vec<u128>>,
) -> Result<(), ProtocolError> {
    if side.tells() {
        means.channel.phase(STEP);
        let names = filled_up(common(), most, means.rng);
        put_values(means.channel, &names, u128::BITS)?;
    }
    Ok(())
}

/// The end of a sender whose receiver does [`tell_names`], and whose elements have the names `own`.
pub(crate) fn hear_names(
    side: Side,
    means: &mut Means<'_>,
    most: usize,
    own: impl FnOnce() -> Zeroizing<Vec<u128>>,
) -> Result<Conclusion, ProtocolError> {
    if !side.learns() {
        return Ok(Box::new(|| Ok(Outcome::Nothing)));
    }
    means.channel.phase(STEP);
    let told = take_values(means.channel, most, u128::BITS)?;
    let own = own();
    Ok(Box::new(move || Ok(Outcome::Matched(named(&own, &told)))))
}
