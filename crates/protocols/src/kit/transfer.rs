//! Oblivious transfers by the indication bits.
//!
//! The extension is semi-honest like the protocols on it; its base transfers are on ristretto255. Each run, and in a union that
//! both learn each direction, has a setup of its own, bound to the session.

use rayon::prelude::*;
use veilset_ot::base::{Base, Ristretto};
use veilset_ot::{ExtensionParameters, ExtensionReceiver, ExtensionSender, Security};
use zeroize::Zeroizing;

use crate::kit::membership::VALUES_A_TASK;
use crate::kit::wire::{frames, size};
use crate::{Means, PartyCost, ProtocolError, Role, Sharing};

/// The sessions of the base transfers and of the extension, apart for each direction.
fn session(means: &Means<'_>, sender: Role) -> ([u8; 32], [u8; 32]) {
    let derive = |what: &str| {
        let mut hasher = blake3::Hasher::new_derive_key("veilset v1 oblivious transfer");
        hasher.update(means.session).update(what.as_bytes()).update(sender.name().as_bytes());
        *hasher.finalize().as_bytes()
    };
    (derive("base"), derive("extension"))
}

fn sender(means: &mut Means<'_>, from: Role) -> Result<ExtensionSender, ProtocolError> {
    means.channel.phase("transfer setup");
    let (base, extension) = session(means, from);
    let parameters = ExtensionParameters::new(Security::SemiHonest, extension);
    let sender =
        ExtensionSender::setup(means.channel, &Ristretto::new(base), &parameters, means.rng)?;
    means.channel.phase("transfer");
    Ok(sender)
}

fn receiver(means: &mut Means<'_>, from: Role) -> Result<ExtensionReceiver, ProtocolError> {
    means.channel.phase("transfer setup");
    let (base, extension) = session(means, from);
    let parameters = ExtensionParameters::new(Security::SemiHonest, extension);
    let receiver =
        ExtensionReceiver::setup(means.channel, &Ristretto::new(base), &parameters, means.rng)?;
    means.channel.phase("transfer");
    Ok(receiver)
}

/// Sends items of `width` bytes, of which the peer gets those that it chose.
pub(crate) fn send_one_sided(
    means: &mut Means<'_>,
    from: Role,
    items: &[u8],
    width: usize,
) -> Result<(), ProtocolError> {
    if items.is_empty() {
        return Ok(());
    }
    Ok(sender(means, from)?.send_one_sided(means.channel, items, width)?)
}

/// Takes the items whose bits are set, and zeros for the others.
pub(crate) fn receive_one_sided(
    means: &mut Means<'_>,
    from: Role,
    choices: &[bool],
    width: usize,
) -> Result<Zeroizing<Vec<u8>>, ProtocolError> {
    if choices.is_empty() || width == 0 {
        return Ok(Zeroizing::default());
    }
    Ok(receiver(means, from)?.receive_one_sided(means.channel, choices, width)?)
}

/// Draws a random word for each of `words`, `columns` for each element; the peer gets it plus the word where its bit is set.
pub(crate) fn send_correlated(
    means: &mut Means<'_>,
    words: &[u128],
    columns: usize,
    sharing: Sharing,
) -> Result<Zeroizing<Vec<u128>>, ProtocolError> {
    if words.is_empty() {
        return Ok(Zeroizing::default());
    }
    let mut sender = sender(means, Role::Sender)?;
    Ok(match sharing {
        Sharing::Additive => sender.send_correlated(means.channel, words, columns)?,
        Sharing::Xor => words_of(&sender.send_correlated::<u8>(
            means.channel,
            &bytes_of(words),
            16 * columns,
        )?),
    })
}

/// The receiver's part of [`send_correlated`].
pub(crate) fn receive_correlated(
    means: &mut Means<'_>,
    choices: &[bool],
    columns: usize,
    sharing: Sharing,
) -> Result<Zeroizing<Vec<u128>>, ProtocolError> {
    if choices.is_empty() || columns == 0 {
        return Ok(Zeroizing::default());
    }
    let mut receiver = receiver(means, Role::Sender)?;
    Ok(match sharing {
        Sharing::Additive => receiver.receive_correlated(means.channel, choices, columns)?,
        Sharing::Xor => {
            words_of(&receiver.receive_correlated::<u8>(means.channel, choices, 16 * columns)?)
        }
    })
}

/// The first `width` bytes of `item` of each index in `order`, one after the other; wiped.
pub(crate) fn gathered<T: AsRef<[u8]>>(
    order: &[u32],
    width: usize,
    item: impl Fn(usize) -> T + Sync,
) -> Zeroizing<Vec<u8>> {
    let mut items = Zeroizing::new(vec![0; order.len() * width]);
    if width > 0 {
        let places = items.par_chunks_exact_mut(width).with_min_len(VALUES_A_TASK);
        places.zip(order).for_each(|(place, index)| {
            place.copy_from_slice(&item(*index as usize).as_ref()[..width]);
        });
    }
    items
}

fn bytes_of(words: &[u128]) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

fn words_of(bytes: &[u8]) -> Zeroizing<Vec<u128>> {
    let (words, _) = bytes.as_chunks::<16>();
    Zeroizing::new(words.iter().map(|word| u128::from_le_bytes(*word)).collect())
}

/// The sender's cost, the receiver's, and rounds, of one-sided transfers of `count` items of `width` bytes.
pub(crate) fn one_sided_cost(count: u64, width: usize) -> (PartyCost, PartyCost, u64) {
    if count == 0 || width == 0 {
        return (PartyCost::default(), PartyCost::default(), 0);
    }
    let setup = veilset_ot::setup_bytes(Base::Ristretto);
    let transfer = veilset_ot::transfer_bytes(size(count), width);
    let party = |setup: (f64, usize), transfer: (f64, usize)| PartyCost {
        multiplications: 0.0,
        maps: 0.0,
        bytes_sent: setup.0 + transfer.0 + frames(setup.1 + transfer.1),
        memory: count as f64 * (2 * width + 32) as f64,
        ..PartyCost::default()
    };
    (party(setup.sender, transfer.sender), party(setup.receiver, transfer.receiver), 2)
}

/// As [`one_sided_cost`], of correlated transfers.
pub(crate) fn correlated_cost(count: u64, columns: usize) -> (PartyCost, PartyCost, u64) {
    one_sided_cost(count, 16 * columns)
}
