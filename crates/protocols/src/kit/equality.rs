//! Whether pairs of values are equal, as shares of a bit that neither side knows.
//!
//! One side has x, the other y, both of 4·w bits. For each four bits of x the receiver gets one of sixteen bits, by a silent transfer
//! whose choice they are: whether y has the same four bits there, plus a bit that the sender draws. Both then hold w shares,
//! and the values are equal if all shared bits are one, that is if the receiver's w bits are the complement of the sender's:
//! values of w bits, to which the same is done, until one bit is left. (Chunks of values and one-of-many transfers are as in Couteau, ACNS
//! 2018, and Chandran, Gupta and Shah, PoPETs 2022; that compares chunks by AND gates, here they are compared in the same way.)
//!
//! For b values of 64 bits that is 21·b transfers: 16, then 4, then 1. A transfer takes 4 bits from the receiver, which correct its random
//! choice, and 16 from the sender.
//!
//! **Security.** Semi-honest: the receiver sends choices under pads of its own, the sender tables of which the receiver reads one
//! entry, masked by a bit that it does not know.

use rand_core::CryptoRng;
use veilset_channel::{Blob, Channel, ChannelExt, Chunks, Tag};
use veilset_ot::silent::{SilentReceiver, SilentSender, batches};
use zeroize::Zeroizing;

use crate::kit::wire::chunks_of;
use crate::{Means, ProtocolError};

/// Bits of a value that one transfer compares.
const CHUNK: u32 = 4;

/// The step's name.
const STEP: &str = "equality test";

/// Choices of two transfers in a byte.
type Choices = Blob<{ Tag::EqualityChoices.byte() }>;

/// Sixteen bits a transfer.
type Tables = Blob<{ Tag::EqualityTables.byte() }>;

/// The bits of a share, one in a byte.
pub(crate) type Bits = Zeroizing<Vec<u8>>;

/// Chunks of four bits, one in a byte: those of a value one after the other.
type Nibbles = Zeroizing<Vec<u8>>;

/// How many transfers each level takes for a value of so many bits, from the first.
pub(crate) fn levels(bits: u32) -> impl Iterator<Item = usize> {
    let next = |chunks: &usize| (*chunks > 1).then(|| chunks.div_ceil(CHUNK as usize));
    std::iter::successors(Some(bits.div_ceil(CHUNK) as usize), next)
}

/// The frames in which the choices of so many transfers cross, and their tables.
pub(crate) fn frames_of(transfers: usize) -> [Chunks; 2] {
    [chunks_of(transfers.div_ceil(2), 1), chunks_of(transfers, 2)]
}

/// This side's share of whether each of its values is the other's, of which `bits` bits count.
pub(crate) fn receive(
    means: &mut Means<'_>,
    transfers: &mut SilentReceiver,
    values: &[u64],
    bits: u32,
) -> Result<Bits, ProtocolError> {
    by_levels(values, bits, 0, |x| receive_level(means, transfers, x))
}

/// The other end of [`receive`].
pub(crate) fn send(
    means: &mut Means<'_>,
    transfers: &mut SilentSender,
    values: &[u64],
    bits: u32,
) -> Result<Bits, ProtocolError> {
    // The receiver's bits are the complement of these where all shared bits are one.
    by_levels(values, bits, 1, |y| send_level(means, transfers, y))
}

/// The shares that the last level gives; those of a level, each plus `plus`, are the values of the next.
fn by_levels(
    values: &[u64],
    bits: u32,
    plus: u8,
    mut level: impl FnMut(&[u8]) -> Result<Bits, ProtocolError>,
) -> Result<Bits, ProtocolError> {
    let mut shares = level(&first_chunks(values, bits))?;
    for chunks in levels(bits).take_while(|chunks| *chunks > 1) {
        shares = level(&next_chunks(&shares, chunks, plus))?;
    }
    Ok(shares)
}

fn receive_level(
    means: &mut Means<'_>,
    transfers: &mut SilentReceiver,
    x: &[u8],
) -> Result<Bits, ProtocolError> {
    means.step(STEP, x.len());
    let mut corrections = Zeroizing::new(vec![0; x.len()]);
    let mut shares = Bits::new(vec![0; x.len()]);
    for range in batches(x.len()) {
        let batch = transfers.batch(means.channel, range.len(), means.rng)?;
        let own = batch.choices.iter().zip(batch.pads.iter());
        let places = corrections[range.clone()].iter_mut().zip(&mut shares[range.clone()]);
        for (((correction, share), (choice, pad)), x) in places.zip(own).zip(&x[range.clone()]) {
            (*correction, *share) = (u8::from(*choice) ^ x, (*pad & 1) as u8);
        }
        means.observer.advance(range.len() as u64);
    }
    means.channel.phase(STEP);
    put_choices(means.channel, &corrections)?;
    let [_, of_tables] = frames_of(x.len());
    for range in of_tables.ranges() {
        let Blob(tables) = means.channel.take::<Tables>(&(2 * range.len()))?;
        let (tables, _) = tables.as_chunks::<2>();
        let shares = shares[range.clone()].iter_mut().zip(&x[range]);
        for ((share, x), table) in shares.zip(tables) {
            *share ^= (u16::from_le_bytes(*table) >> x & 1) as u8;
        }
    }
    Ok(shares)
}

fn send_level(
    means: &mut Means<'_>,
    transfers: &mut SilentSender,
    y: &[u8],
) -> Result<Bits, ProtocolError> {
    means.step(STEP, y.len());
    let mut pads = Zeroizing::new(vec![0; y.len()]);
    for range in batches(y.len()) {
        transfers.batch(means.channel, range.len())?.bits(&mut pads[range.clone()]);
        means.observer.advance(range.len() as u64);
    }
    means.channel.phase(STEP);
    let shares = random_bits(means.rng, y.len());
    let corrections = take_choices(means.channel, y.len())?;
    let [_, of_tables] = frames_of(y.len());
    for range in of_tables.ranges() {
        let mut tables = Vec::with_capacity(2 * range.len());
        for place in range {
            let same = 1_u16 << y[place];
            let mask = u16::from(shares[place]).wrapping_neg();
            let table = same ^ mask ^ moved(pads[place], corrections[place]);
            tables.extend(table.to_le_bytes());
        }
        let tables: Tables = Blob(tables);
        means.channel.put(&tables)?;
    }
    Ok(shares)
}

/// Tells by how much the choices of transfers differ from those that are wanted, each below 16.
pub(crate) fn put_choices(
    channel: &mut dyn Channel,
    corrections: &[u8],
) -> Result<(), ProtocolError> {
    let two = |two: &[u8]| two[0] | two.get(1).unwrap_or(&0) << CHUNK;
    let packed: Vec<u8> = corrections.chunks(2).map(two).collect();
    let [of_choices, _] = frames_of(corrections.len());
    for range in of_choices.ranges() {
        let choices: Choices = Blob(packed[range].to_vec());
        channel.put(&choices)?;
    }
    Ok(())
}

/// The other end of [`put_choices`], for `count` transfers.
pub(crate) fn take_choices(
    channel: &mut dyn Channel,
    count: usize,
) -> Result<Vec<u8>, ProtocolError> {
    let [of_choices, _] = frames_of(count);
    let mut corrections = Vec::with_capacity(count + 1);
    for range in of_choices.ranges() {
        let Blob(packed) = channel.take::<Choices>(&range.len())?;
        corrections.extend(packed.iter().flat_map(|two| [two & 15, two >> CHUNK]));
    }
    corrections.truncate(count);
    Ok(corrections)
}

/// Bit u of the result is bit u ⊕ `by` of `bits`.
fn moved(bits: u16, by: u8) -> u16 {
    let swap = |bits: u16, shift: u32, low: u16| {
        let swapped = (bits & low) << shift | bits >> shift & low;
        let chosen = u16::from(by as u32 & shift != 0).wrapping_neg();
        bits & !chosen | swapped & chosen
    };
    let bits = swap(bits, 1, 0x5555);
    let bits = swap(bits, 2, 0x3333);
    let bits = swap(bits, 4, 0x0f0f);
    swap(bits, 8, 0x00ff)
}

/// The chunks of values of which `bits` bits count.
fn first_chunks(values: &[u64], bits: u32) -> Nibbles {
    let chunks = bits.div_ceil(CHUNK);
    let kept = u64::MAX >> (u64::BITS - bits);
    let each = |value: &u64| {
        let value = value & kept;
        (0..chunks).map(move |chunk| (value >> (CHUNK * chunk)) as u8 & 15)
    };
    Nibbles::new(values.iter().flat_map(each).collect())
}

/// The chunks of shares, `chunks` of each value, each plus `plus`.
fn next_chunks(shares: &[u8], chunks: usize, plus: u8) -> Nibbles {
    let four =
        |bits: &[u8]| (0..).zip(bits).fold(0, |chunk, (place, bit)| chunk | (bit ^ plus) << place);
    let each = |value: &[u8]| value.chunks(CHUNK as usize).map(four).collect::<Vec<u8>>();
    Nibbles::new(shares.chunks(chunks).flat_map(each).collect())
}

/// So many random bits, one in a byte.
fn random_bits(rng: &mut dyn CryptoRng, count: usize) -> Bits {
    let mut words = Zeroizing::new(vec![0; count.div_ceil(8)]);
    rng.fill_bytes(&mut words);
    Bits::new((0..count).map(|place| words[place / 8] >> (place % 8) & 1).collect())
}
