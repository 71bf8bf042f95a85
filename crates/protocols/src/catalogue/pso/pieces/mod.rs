//! The phases of count, sum and union one by one, each over a piece of the sets: for a run that many workers share. The
//! means of a phase are those of one piece: its session is of this phase and piece alone, and its randomness is all but that
//! of the party's key.
//!
//! The steps are those of `mqrpmt-dh`, with one key a party in all pieces:
//!
//! 1. [`exchange`], for each pair of slices: both sides' elements under their key, in order, and the values of what arrives
//!    under both keys.
//! 2. [`tell`] and [`hear`], for each piece of the *values*: the set of the receiver's elements under both keys.
//! 3. [`give_sums`] and [`take_sums`], or [`give_items`] and [`take_items`], for each slice: transfers by the bits.
//!
//! **Security.** A slice is a random part of its owner's set in a random order, which the owner alone knows, and values under
//! both keys are pseudorandom, so how they fall into pieces says nothing of elements: a view is that of one run, cut at places
//! that do not depend on the sets, and the simulator of `mqrpmt-dh` cuts its own. A piece that is repeated sends the same
//! points, and fresh transfers by the same bits.

use rand_core::CryptoRng;
use veilset_channel::PeerFault;
use veilset_crypto::{CommutativePrf, Curve25519Prf, Element};
use veilset_structures::{SetShape, match_bits};
use zeroize::Zeroizing;

use super::sum::sums;
use crate::kit::exchange::{Ordered, exchange_blinded};
use crate::kit::membership::{membership, sort};
use crate::kit::set_encoding::{put_sorted, take_sorted};
use crate::kit::transfer;
use crate::kit::wire::ValuesShape;
use crate::{Means, ProtocolError, Role, Sharing};

/// Bits of the values of a whole run over sets of these sizes.
#[must_use]
pub fn value_bits(sender: u64, receiver: u64) -> u32 {
    match_bits(crate::kit::wire::size(sender), crate::kit::wire::size(receiver))
}

/// Bytes of memory that step 1 takes for so many elements of this side and of the peer.
#[must_use]
pub fn exchange_memory(own: u64, peer: u64) -> u64 {
    // As many as all of them, in the end; of points only those of a frame.
    let elements = own.saturating_mul(Element::LEN as u64);
    elements.saturating_add(peer.saturating_mul(size_of::<u128>() as u64))
}

/// Bytes of memory that step 2 takes the receiver for so many values and queries.
#[must_use]
pub fn hear_memory(count: u64, queries: u64) -> u64 {
    // A value, its mark and where those with its first bits begin; a query and its bit.
    let [of_value, of_query] = [16 + 1 + 8, 16 + 1];
    count.saturating_mul(of_value).saturating_add(queries.saturating_mul(of_query))
}

/// Bytes of memory that step 3 takes either side for so many elements with so many bytes each.
#[must_use]
pub fn transfer_memory(count: u64, width: usize) -> u64 {
    transfer::one_sided_cost(count, width).0.memory as u64
}

/// Step 1: `elements` go out in their order under the key that `key` yields, and the values of the peer's `peer_count`
/// come back, of `bits` bits each and in the peer's order.
///
/// # Errors
/// When the channel fails or the peer sends what is no point.
pub fn exchange(
    means: &mut Means<'_>,
    key: &mut dyn CryptoRng,
    elements: &[Element],
    peer_count: usize,
    bits: u32,
) -> Result<Vec<u128>, ProtocolError> {
    let prf = Curve25519Prf::generate(key);
    let order: Vec<u32> = (0..).take(elements.len()).collect();
    let own = Ordered { elements, order: &order };
    exchange_blinded(means, &prf, own, ValuesShape { count: peer_count, bits })
}

/// Step 2, the sender: the values of the receiver's set that fall into this piece, of `bits` bits.
///
/// # Errors
/// When the channel fails.
pub fn tell(means: &mut Means<'_>, mut values: Vec<u128>, bits: u32) -> Result<(), ProtocolError> {
    sort(&mut values);
    means.channel.phase("set");
    put_sorted(means.channel, SetShape { count: values.len(), bits }, &values)
}

/// Step 2, the receiver: takes `count` values and says for each of `queries` whether it is among them.
///
/// # Errors
/// When the channel fails, or a value is asked for twice, which a sender's distinct elements never are.
pub fn hear(
    means: &mut Means<'_>,
    count: usize,
    bits: u32,
    queries: &[u128],
) -> Result<PieceHits, ProtocolError> {
    means.channel.phase("set");
    let set = take_sorted(means.channel, SetShape { count, bits })?;
    let hits = membership(queries, &set);
    let fault = hits.fault().err();
    Ok(PieceHits { bits: hits.e, fault })
}

/// Which queries are in the set.
pub struct PieceHits {
    /// A bit for each query.
    pub bits: Vec<bool>,
    /// What the peer is to be blamed for, once the phase is over on both sides.
    pub fault: Option<PeerFault>,
}

/// Step 3 of a sum, the sender: transfers of `words`, `columns` for each element; the sums of its masks.
///
/// # Errors
/// When the channel fails or the peer breaks the transfer.
pub fn give_sums(
    means: &mut Means<'_>,
    words: &[u128],
    columns: usize,
) -> Result<Vec<u128>, ProtocolError> {
    let masks = transfer::send_correlated(means, words, columns, Sharing::Additive)?;
    Ok(sums(&masks, columns))
}

/// Step 3 of a sum, the receiver: the masked sums over the elements whose bits are set.
///
/// # Errors
/// As [`give_sums`].
pub fn take_sums(
    means: &mut Means<'_>,
    bits: &[bool],
    columns: usize,
) -> Result<Vec<u128>, ProtocolError> {
    let words = transfer::receive_correlated(means, bits, columns, Sharing::Additive)?;
    Ok(sums(&words, columns))
}

/// Step 3 of a union, the sender: `width` bytes for each element.
///
/// # Errors
/// As [`give_sums`].
pub fn give_items(means: &mut Means<'_>, items: &[u8], width: usize) -> Result<(), ProtocolError> {
    transfer::send_one_sided(means, Role::Sender, items, width)
}

/// Step 3 of a union, the receiver: the items whose bits are *not* set, one after the other.
///
/// # Errors
/// As [`give_sums`].
pub fn take_items(
    means: &mut Means<'_>,
    bits: &[bool],
    width: usize,
) -> Result<Zeroizing<Vec<u8>>, ProtocolError> {
    let lacking: Vec<bool> = bits.iter().map(|bit| !bit).collect();
    let all = transfer::receive_one_sided(means, Role::Sender, &lacking, width)?;
    let items = all.chunks_exact(width.max(1)).zip(&lacking);
    let items = items.filter(|(_, lacking)| **lacking).flat_map(|(item, _)| item);
    Ok(Zeroizing::new(items.copied().collect()))
}

#[cfg(test)]
mod tests;
