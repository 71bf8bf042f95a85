//! What is computed on shares of which elements match: circuit-PSI, by which nobody sees which match, nor anything but the result.
//!
//! As Pinkas, Schneider, Tkachenko and Yanai (Eurocrypt 2019, eprint 2019/241, figure 5), with the programmable function of Rindal and
//! Schoppmann (Eurocrypt 2021, eprint 2021/266, figure 8), here on `vole-oprf`, and an equality test of one-of-sixteen
//! transfers ([`equality`](crate::kit::equality)):
//!
//! 1. The receiver puts its elements into bins by cuckoo hashing with three functions, and something random into every other bin.
//!    A point is an element with the number of a function.
//! 2. By `vole-oprf` the receiver gets F at the point of each bin; the sender has the key, and F at its own elements with all functions.
//! 3. The sender draws a value t for each bin, and sends a store that has t ⊕ F under each of its points in the bin. The receiver adds
//!    what the store has under its point to its F: that is t where the sender has the point, and random where it has not.
//! 4. The two compare the values of each bin, and hold shares of a bit: whether they are equal, so whether the element matches.
//!
//! **Count.** The weight of the bits is Σ(r + s − 2·r·s) for shares r and s. By a transfer a bin the two get sums of random numbers that differ by
//! Σr·s, which makes shares of the count; whoever learns is sent the other's.
//!
//! **Correct.** Cuckoo hashing finds places but for 2^-41 ([`least_bins`](crate::kit::cuckoo::least_bins) proves it), and
//! with b bins values of 41 + log₂ b bits agree by chance with 2^-41.
//!
//! **Security.** Semi-honest. *The receiver* sees the store, whose values look random, since F does outside of its own points and
//! there the t do; then tables of which it reads one masked bit each. *The sender* sees what the function's
//! receiver sends, and choices under random pads. So both have the numbers of elements, and shares that are random each by itself.
//! Bins are shuffled by the hash of elements, under a key that both chose: nobody else knows in which bin what lies.

mod cost;
mod shared;
#[cfg(test)]
mod tests;

use veilset_channel::PeerFault;
use veilset_crypto::Group;
use veilset_ot::silent::{SilentReceiver, SilentSender, batches};
use zeroize::Zeroizing;

use self::shared::{MAX_ELEMENTS, Sizes};
use crate::kit::equality::{Bits, put_choices, take_choices};
use crate::kit::wire::{put_values, take_values};
use crate::kit::wording::{COUNT, REPEATED, SIZE, SIZES, VOLE_ASSUMPTION};
use crate::{
    Allowed, Conclusion, Cost, Leak, Means, Operation, Outcome, Protocol, ProtocolError, Reveal,
    Role, Run, Security, Shape, Side, Spec, Taken,
};

/// `circuit-count`.
pub(crate) struct CircuitCount;

static SPEC: Spec = Spec {
    id: "circuit-count",
    title: "count on shares of which elements match, which nobody sees",
    operation: Operation::Count,
    paper: "eprint 2019/241, Fig. 5, with the programmable function of eprint 2021/266, Fig. 8",
    security: Security::SemiHonest,
    assumption: VOLE_ASSUMPTION,
    reveals: &[Reveal::Both, Reveal::Receiver],
    receiver: COUNT,
    sender: COUNT,
    residue: SIZE,
    leaks: &[
        SIZES,
        REPEATED,
        Leak::by_cheating(
            "A side that cheats can make the count another one, or that of few of its keys, unnoticed.",
        ),
        Leak::by_cheating(
            "How many guesses of the sender's keys a receiver that cheats can put into the count is not bounded.",
        ),
    ],
    max_elements: MAX_ELEMENTS,
    choices: Taken { group: Allowed::Of(&[Group::Ristretto255]), ..Taken::NOTHING },
    cut: false,
    auto: false,
    grouped: false,
    with_rows: None,
};

impl Protocol for CircuitCount {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn cost(&self, shape: Shape) -> Cost {
        cost::count(&shape)
    }

    fn run(&self, run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        let Run { side, input, mut means } = run;
        let (own, peer) = (input.elements.len(), input.peer_count);
        let most = own.min(peer) as u64;
        if most == 0 {
            let nothing = if side.learns() { Outcome::Count(0) } else { Outcome::Nothing };
            return Ok(Box::new(|| Ok(nothing)));
        }
        let [sender, receiver] = match side.role {
            Role::Sender => [own, peer],
            Role::Receiver => [peer, own],
        };
        let sizes = Sizes::new(sender, receiver, input.slack);
        if sizes.bits > u64::BITS {
            return Err(ProtocolError::NoParameters);
        }
        let share = match side.role {
            Role::Receiver => {
                let (bits, transfers) = shared::receive(&mut means, &sizes, &input.elements)?;
                receive_weight(&mut means, transfers, &bits)?
            }
            Role::Sender => {
                let (bits, transfers) = shared::send(&mut means, &sizes, &input.elements)?;
                send_weight(&mut means, transfers, &bits)?
            }
        };
        opened(&mut means, side, share, most)
    }
}

/// The step's name.
const STEP: &str = "count";

/// A share modulo 2^`bits`, whole bytes.
#[derive(Clone, Copy)]
struct Share {
    value: u128,
    bits: u32,
}

/// Bits of shares of the weight of so many bits: enough for it, in whole bytes.
fn weight_bits(bins: usize) -> u32 {
    (bins.ilog2() + 1).next_multiple_of(8)
}

impl Share {
    /// The low bits of a number, as all arithmetic is modulo a power of two.
    fn of(number: u128, bits: u32) -> Self {
        Self { value: number & ((1 << bits) - 1), bits }
    }
}

/// A share of the weight of shared bits, of which this side chooses by its own.
fn receive_weight(
    means: &mut Means<'_>,
    mut transfers: SilentReceiver,
    own: &Bits,
) -> Result<Share, ProtocolError> {
    means.step(STEP, own.len());
    let bits = weight_bits(own.len());
    let mut sum = 0;
    for range in batches(own.len()) {
        let own = &own[range];
        let batch = transfers.batch(means.channel, own.len(), means.rng)?;
        means.channel.phase(STEP);
        let choices = batch.choices.iter().zip(own);
        let choices: Vec<u8> = choices.map(|(choice, bit)| u8::from(*choice) ^ bit).collect();
        put_choices(means.channel, &choices)?;
        let words = take_values(means.channel, own.len(), bits)?;
        for ((bit, pad), word) in own.iter().zip(&*batch.pads).zip(words) {
            // With the bit unset the pad is what both differ by; with it set the word corrects it.
            let corrected = pad.wrapping_add(word & u128::from(*bit).wrapping_neg());
            sum += i128::from(*bit) - 2 * Share::of(corrected, bits).value as i128;
        }
        means.observer.advance(own.len() as u64);
    }
    Ok(Share::of(sum as u128, bits))
}

/// The other end of [`receive_weight`].
fn send_weight(
    means: &mut Means<'_>,
    mut transfers: SilentSender,
    own: &Bits,
) -> Result<Share, ProtocolError> {
    means.step(STEP, own.len());
    let bits = weight_bits(own.len());
    let mut sum = 0;
    for range in batches(own.len()) {
        let own = &own[range];
        let batch = transfers.batch(means.channel, own.len())?;
        let channel = &mut *means.channel;
        channel.phase(STEP);
        let unset = take_choices(channel, own.len())?;
        let set: Vec<u8> = unset.iter().map(|choice| choice ^ 1).collect();
        let [of_unset, of_set] = [unset, set].map(|choices| batch.pads(&choices));
        let pads = of_unset.iter().zip(&*of_set).zip(own);
        let words = pads.map(|((unset, set), bit)| {
            let word = unset.wrapping_add(u128::from(*bit)).wrapping_sub(*set);
            sum += i128::from(*bit) + 2 * Share::of(*unset, bits).value as i128;
            Share::of(word, bits).value
        });
        let words = Zeroizing::new(words.collect::<Vec<u128>>());
        put_values(channel, &words, bits)?;
        means.observer.advance(own.len() as u64);
    }
    Ok(Share::of(sum as u128, bits))
}

/// The count, from both shares, for whoever learns.
fn opened(
    means: &mut Means<'_>,
    side: Side,
    Share { value, bits }: Share,
    most: u64,
) -> Result<Conclusion, ProtocolError> {
    means.channel.phase("result");
    if side.tells() {
        put_values(means.channel, &[value], bits)?;
    }
    if !side.learns() {
        return Ok(Box::new(|| Ok(Outcome::Nothing)));
    }
    let theirs = take_values(means.channel, 1, bits)?[0];
    let count = Share::of(value + theirs, bits).value as u64;
    Ok(Box::new(move || match count <= most {
        true => Ok(Outcome::Count(count)),
        false => Err(PeerFault::CheckFailed("bound on the number of matches").into()),
    }))
}
