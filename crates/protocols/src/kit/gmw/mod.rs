//! Computation of two on shares: of bits, whose exclusive or is the secret, and of numbers, which add up to it modulo a power of two.
//!
//! One side *offers*, the other *chooses*, by silent transfers of one of sixteen, all in one direction:
//!
//! | what | transfers | bits of the chooser | bits of the offerer |
//! |---|---|---|---|
//! | any bit that depends on four bits of each side, so also on four shared bits | 1 | 4 | 16 |
//! | a shared bit times numbers of w bits together that the offerer knows | 1 | 4 | w |
//! | sums by groups of such products, where the offerer knows the groups | 1 | 4 | w, and the logarithm of the groups times 128 |
//!
//! The first is a table of sixteen bits, each under a pad and plus one bit that the offerer draws and keeps as its share; the
//! chooser opens the entry of its four bits. (Goldreich, Micali and Wigderson, STOC 1987, with tables in place of AND gates: Dessouky et
//! al., NDSS 2017, eprint 2018/486.) The second is in [`products`](Gmw::products), the third in [`grouped_sums`](Gmw::grouped_sums). All gates of a layer cross together, so
//! rounds are layers.
//!
//! **Security.** Semi-honest: the chooser sends choices under pads of its own; the offerer sends tables and words of which the chooser
//! opens what it chose, each masked by what only the offerer knows; of groups it has one key of a point function, which says nothing of it.
//! A session has one computation: transfers and trees are numbered in it.

mod any;
mod at_least;
mod coins;
#[cfg(test)]
mod dealer;
mod grouped;
mod permuted;
mod products;
mod selected;
#[cfg(test)]
mod tests;
mod transfers;
mod words;

pub(crate) use any::{any_bit, layers};
pub(crate) use at_least::{at_least, layers_of_number};
pub(crate) use coins::{Toss, tossed};
pub(crate) use grouped::{cipher_calls, told_bytes};
pub(crate) use permuted::{layers_at_once, layers_of_order};
pub(crate) use products::{Factors, Source, cut};
pub(crate) use selected::bits_of_numbers;

use rand_core::CryptoRng;
use veilset_channel::{Blob, Channel, ChannelExt, Chunks, Tag};
use veilset_ot::base::Base;
use veilset_ot::silent::{SilentReceiver, SilentSender, batches};
use veilset_ot::{BaseOt, ExtensionParameters, Security};
use zeroize::Zeroizing;

use self::transfers::{Chooses, Offers};
use crate::kit::wire::chunks_of;
use crate::{Means, ProtocolError};

/// The base transfers of all computations on shares.
pub(crate) const BASE: Base = Base::Ristretto;

/// Bits by which a chooser chooses from a table.
pub(crate) const CHOICE: u32 = 4;

/// Choices of two transfers in a byte.
type Choices = Blob<{ Tag::GateChoices.byte() }>;

/// Sixteen bits a transfer.
type Tables = Blob<{ Tag::GateTables.byte() }>;

/// Bits, one in a byte: shares of as many secrets.
pub(crate) type Bits = Zeroizing<Vec<u8>>;

/// Four bits in a byte: what goes into a gate.
pub(crate) type Nibbles = Zeroizing<Vec<u8>>;

/// One side of a computation on shares.
pub(crate) struct Gmw {
    end: End,
    /// Sums by groups so far.
    trees: u64,
}

/// Transfers, and those of one bit that are ready, which gates use from the last.
enum End {
    Offers { transfers: Box<dyn Offers>, pads: Zeroizing<Vec<u16>> },
    Chooses { transfers: Box<dyn Chooses>, choices: Nibbles, pads: Bits },
}

/// What both sides derive for transfers.
fn parameters(means: &Means<'_>) -> (Box<dyn BaseOt>, ExtensionParameters) {
    let derived = |context| blake3::derive_key(context, means.session);
    let base = BASE.of(derived("veilset v1 base transfers of shares"));
    let session = derived("veilset v1 silent transfers of shares");
    (base, ExtensionParameters::new(Security::SemiHonest, session))
}

impl Gmw {
    /// The side that offers.
    pub(crate) fn offering(means: &mut Means<'_>) -> Result<Self, ProtocolError> {
        let (base, parameters) = parameters(means);
        let transfers = SilentSender::setup(means.channel, &*base, &parameters, means.rng)?;
        let transfers = Box::new(transfers);
        Ok(Self::new(End::Offers { transfers, pads: Zeroizing::default() }))
    }

    /// The side that chooses.
    pub(crate) fn choosing(means: &mut Means<'_>) -> Result<Self, ProtocolError> {
        let (base, parameters) = parameters(means);
        let transfers = SilentReceiver::setup(means.channel, &*base, &parameters, means.rng)?;
        let transfers = Box::new(transfers);
        let (choices, pads) = (Zeroizing::default(), Zeroizing::default());
        Ok(Self::new(End::Chooses { transfers, choices, pads }))
    }

    /// A computation beside this one with the roles changed: who offers there chooses here.
    pub(crate) fn back(&self, means: &mut Means<'_>) -> Result<Self, ProtocolError> {
        let session = blake3::derive_key("veilset v1 transfers back", means.session);
        let means = &mut Means { session: &session, ..means.lent() };
        if self.offers() { Self::choosing(means) } else { Self::offering(means) }
    }

    fn new(end: End) -> Self {
        Self { end, trees: 0 }
    }

    /// Whether this side offers.
    pub(crate) fn offers(&self) -> bool {
        matches!(self.end, End::Offers { .. })
    }

    /// This side's shares of the opposite bits.
    pub(crate) fn not(&self, mut shares: Bits) -> Bits {
        let one = u8::from(self.offers());
        shares.iter_mut().for_each(|share| *share ^= one);
        shares
    }

    /// Makes transfers until so many are ready for gates.
    pub(crate) fn reserve(
        &mut self,
        means: &mut Means<'_>,
        count: usize,
    ) -> Result<(), ProtocolError> {
        let lacking = count.saturating_sub(self.ready());
        if lacking == 0 {
            return Ok(());
        }
        means.step("silent transfers", lacking);
        for range in batches(lacking) {
            match &mut self.end {
                End::Offers { transfers, pads } => {
                    let batch = transfers.batch(means.channel, range.len())?;
                    let mut more = Zeroizing::new(vec![0; range.len()]);
                    batch.bits(&mut more);
                    append(pads, &more, lacking);
                }
                End::Chooses { transfers, choices, pads } => {
                    let batch = transfers.batch(means.channel, range.len(), means.rng)?;
                    append(choices, &batch.choices(), lacking);
                    append(pads, &batch.bits(), lacking);
                }
            }
            means.observer.advance(range.len() as u64);
        }
        Ok(())
    }

    fn ready(&self) -> usize {
        match &self.end {
            End::Offers { pads, .. } => pads.len(),
            End::Chooses { pads, .. } => pads.len(),
        }
    }

    /// This side's share of a bit for each four bits of its own: entry u of `table`, which the offerer alone is asked for, of the
    /// place and of its four bits, where the chooser's are u.
    pub(crate) fn lookups(
        &mut self,
        means: &mut Means<'_>,
        step: &'static str,
        own: &[u8],
        table: impl Fn(usize, u8) -> u16,
    ) -> Result<Bits, ProtocolError> {
        self.reserve(means, own.len())?;
        means.step(step, own.len());
        let [_, of_tables] = frames_of(own.len());
        let shares = match &mut self.end {
            End::Offers { pads, .. } => {
                let pads = last(pads, own.len());
                let shares = random_bits(means.rng, own.len());
                let corrections = take_choices(means.channel, own.len())?;
                for range in of_tables.ranges() {
                    let mut tables = Vec::with_capacity(2 * range.len());
                    for place in range {
                        let mask = u16::from(shares[place]).wrapping_neg();
                        let pad = moved(pads[place], corrections[place]);
                        tables.extend((table(place, own[place]) ^ mask ^ pad).to_le_bytes());
                    }
                    let tables: Tables = Blob(tables);
                    means.channel.put(&tables)?;
                }
                shares
            }
            End::Chooses { choices, pads, .. } => {
                let (mut corrections, mut shares) =
                    (last(choices, own.len()), last(pads, own.len()));
                corrections.iter_mut().zip(own).for_each(|(choice, own)| *choice ^= own);
                put_choices(means.channel, &corrections)?;
                for range in of_tables.ranges() {
                    let Blob(tables) = means.channel.take::<Tables>(&(2 * range.len()))?;
                    let (tables, _) = tables.as_chunks::<2>();
                    let shares = shares[range.clone()].iter_mut().zip(&own[range]);
                    for ((share, own), table) in shares.zip(tables) {
                        *share ^= (u16::from_le_bytes(*table) >> own & 1) as u8;
                    }
                }
                shares
            }
        };
        means.observer.advance(own.len() as u64);
        Ok(shares)
    }

    /// This side's share of a bit for each four shared bits u, of which it has shares: bit u of what `truth` is at the place.
    pub(crate) fn gates(
        &mut self,
        means: &mut Means<'_>,
        step: &'static str,
        shares: &[u8],
        truth: impl Fn(usize) -> u16,
    ) -> Result<Bits, ProtocolError> {
        self.lookups(means, step, shares, |place, own| moved(truth(place), own))
    }
}

/// The truth table of both of two shared bits, the lowest of an input.
pub(crate) const BOTH: u16 = truth(&[3, 7, 11, 15]);

/// What a gate gives for each of its sixteen inputs, whose bits are those of a number, the lowest first.
const fn truth(ones: &[u8]) -> u16 {
    let (mut truth, mut place) = (0, 0);
    while place < ones.len() {
        truth |= 1 << ones[place];
        place += 1;
    }
    truth
}

/// The frames in which the choices of so many transfers cross, and their tables.
pub(crate) fn frames_of(transfers: usize) -> [Chunks; 2] {
    [chunks_of(transfers.div_ceil(2), 1), chunks_of(transfers, 2)]
}

/// Tells by how much the choices of transfers differ from those that are wanted, each below 16.
fn put_choices(channel: &mut dyn Channel, corrections: &[u8]) -> Result<(), ProtocolError> {
    let two = |two: &[u8]| two[0] | two.get(1).unwrap_or(&0) << CHOICE;
    let packed: Vec<u8> = corrections.chunks(2).map(two).collect();
    let [of_choices, _] = frames_of(corrections.len());
    for range in of_choices.ranges() {
        let choices: Choices = Blob(packed[range].to_vec());
        channel.put(&choices)?;
    }
    Ok(())
}

/// The other end of [`put_choices`], for `count` transfers.
fn take_choices(channel: &mut dyn Channel, count: usize) -> Result<Vec<u8>, ProtocolError> {
    let [of_choices, _] = frames_of(count);
    let mut corrections = Vec::with_capacity(count + 1);
    for range in of_choices.ranges() {
        let Blob(packed) = channel.take::<Choices>(&range.len())?;
        corrections.extend(packed.iter().flat_map(|two| [two & 15, two >> CHOICE]));
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

/// Takes the last `count` away.
fn last<T: Copy + zeroize::Zeroize>(
    ready: &mut Zeroizing<Vec<T>>,
    count: usize,
) -> Zeroizing<Vec<T>> {
    let rest = ready.len() - count;
    let last = Zeroizing::new(ready[rest..].to_vec());
    ready.truncate(rest);
    last
}

/// Puts more behind what is ready; no move leaves a copy, as there is room for all that are lacking.
fn append<T: Copy + zeroize::Zeroize>(ready: &mut Zeroizing<Vec<T>>, more: &[T], lacking: usize) {
    if ready.capacity() < ready.len() + more.len() {
        let mut room = Zeroizing::new(Vec::with_capacity(ready.len() + lacking));
        room.extend_from_slice(ready);
        *ready = room;
    }
    ready.extend_from_slice(more);
}

/// So many random bits, one in a byte.
fn random_bits(rng: &mut dyn CryptoRng, count: usize) -> Bits {
    let mut words = Zeroizing::new(vec![0; count.div_ceil(8)]);
    rng.fill_bytes(&mut words);
    Bits::new((0..count).map(|place| words[place / 8] >> (place % 8) & 1).collect())
}
