//! Shared bits times numbers that the offerer knows.
//!
//! The chooser's share s of a bit is the choice of a transfer; the offerer, whose share is r, has the pads p₀ and p₁. Of a number v it
//! keeps r·v − p₀ and sends (1 − 2·r)·v + p₀ − p₁; the chooser takes p₀ where s is 0, and p₁ plus what came where it is 1. Both add up to
//! (r ⊕ s)·v; by exclusive or it is the same with ⊕ for + and −, and 1 for 1 − 2·r. (Gilboa, Crypto 1999, for one bit; with the offerer's number correlated as in Asharov, Lindell, Schneider and Zohner, CCS
//! 2013.)

use std::ops::Range;

use veilset_channel::{Blob, ChannelExt, Tag};
use veilset_ot::silent::batches;
use zeroize::Zeroizing;

use super::{End, Gmw, put_choices, take_choices};
use crate::kit::wire::{chunks_of, number_of};
use crate::{Means, ProtocolError, Sharing};

/// What the offerer tells of products.
type Words = Blob<{ Tag::Products.byte() }>;

/// What shared bits are multiplied by: numbers of these widths in bytes, from 1 to 16, for each bit.
#[derive(Clone, Copy)]
pub(crate) struct Factors<'a> {
    /// How shares of the products make them.
    pub(crate) sharing: Sharing,
    pub(crate) widths: &'a [usize],
    /// The chooser has none.
    pub(crate) numbers: Source<'a>,
}

/// Where the numbers of bits are from: a bit's one after the other.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// All are there.
    Held(&'a [u128]),
    /// This makes those of some bits, as often as it is asked, so that never all are there at once.
    Made(&'a (dyn Fn(Range<usize>) -> Zeroizing<Vec<u128>> + Sync)),
}

impl Factors<'_> {
    /// Bytes of a bit's numbers.
    pub(super) fn width(&self) -> usize {
        self.widths.iter().sum()
    }

    /// Each number's place among the bytes of a bit's.
    pub(super) fn places(&self) -> impl Iterator<Item = Range<usize>> {
        self.widths.iter().scan(0, |end, width| {
            let start = *end;
            *end += width;
            Some(start..*end)
        })
    }

    /// The numbers of these bits, bit by bit; what has to be made lies in `room`.
    pub(super) fn of<'n>(
        &'n self,
        bits: Range<usize>,
        room: &'n mut Zeroizing<Vec<u128>>,
    ) -> impl Iterator<Item = &'n [u128]> {
        let columns = self.widths.len();
        let numbers = match self.numbers {
            Source::Held(all) => &all[columns * bits.start..columns * bits.end],
            Source::Made(make) => {
                *room = make(bits);
                room
            }
        };
        numbers.chunks_exact(columns)
    }
}

/// A number modulo 2^(8·`width`).
pub(crate) fn cut(number: u128, width: usize) -> u128 {
    number & (u128::MAX >> (u128::BITS as usize - 8 * width))
}

/// All bits set where `bit` is.
pub(super) fn mask(bit: u8) -> u128 {
    u128::from(bit).wrapping_neg()
}

/// Some of the bits that are multiplied, and what a side has for them.
pub(super) struct Lanes<'a> {
    /// Which they are.
    pub(super) range: Range<usize>,
    /// Their shares.
    pub(super) bits: &'a [u8],
}

/// What is done with transfers chosen by shared bits.
pub(super) trait Transferred {
    /// How many bytes of each pad a bit takes.
    fn pad(&self) -> usize;

    /// How many bytes the offerer tells of a bit.
    fn told(&self) -> usize;

    /// Makes of the pads for 0 and for 1 what the offerer tells of some bits.
    fn offer(&mut self, lanes: Lanes<'_>, pads: [&[u8]; 2]) -> Vec<u8>;

    /// Takes the chooser's pads of some bits and what the offerer told.
    fn choose(&mut self, lanes: Lanes<'_>, pads: &[u8], told: &[u8]);
}

impl Gmw {
    /// A transfer for each shared bit, which the chooser chooses by its share.
    pub(super) fn transferred(
        &mut self,
        means: &mut Means<'_>,
        step: &'static str,
        own: &[u8],
        work: &mut impl Transferred,
    ) -> Result<(), ProtocolError> {
        means.step(step, own.len());
        let (pad, told) = (work.pad(), work.told());
        for range in batches(own.len()) {
            let bits = &own[range.clone()];
            let lanes = |frame: &Range<usize>| Lanes {
                range: range.start + frame.start..range.start + frame.end,
                bits: &bits[frame.clone()],
            };
            let of_pads = |frame: &Range<usize>| pad * frame.start..pad * frame.end;
            let frames = chunks_of(bits.len(), told);
            match &mut self.end {
                End::Offers { transfers, .. } => {
                    let batch = transfers.batch(means.channel, bits.len())?;
                    means.channel.phase(step);
                    let unset = take_choices(means.channel, bits.len())?;
                    let set: Vec<u8> = unset.iter().map(|choice| choice ^ 1).collect();
                    let pads = [unset, set].map(|choices| batch.pads(&choices, pad));
                    for frame in frames.ranges() {
                        let pads = [0, 1].map(|bit| &pads[bit][of_pads(&frame)]);
                        let words: Words = Blob(work.offer(lanes(&frame), pads));
                        means.channel.put(&words)?;
                        means.observer.advance(frame.len() as u64);
                    }
                }
                End::Chooses { transfers, .. } => {
                    let batch = transfers.batch(means.channel, bits.len(), means.rng)?;
                    means.channel.phase(step);
                    let mut choices = batch.choices();
                    choices.iter_mut().zip(bits).for_each(|(choice, bit)| *choice ^= bit);
                    put_choices(means.channel, &choices)?;
                    let pads = batch.pads(pad);
                    for frame in frames.ranges() {
                        let Blob(words) = means.channel.take::<Words>(&(told * frame.len()))?;
                        work.choose(lanes(&frame), &pads[of_pads(&frame)], &words);
                        means.observer.advance(frame.len() as u64);
                    }
                }
            }
        }
        Ok(())
    }

    /// Hands `take` this side's shares of each shared bit's products, in the order of bits: modulo 2^(8·w) those with a number of w
    /// bytes, though not reduced.
    pub(crate) fn products(
        &mut self,
        means: &mut Means<'_>,
        step: &'static str,
        own: &[u8],
        factors: Factors<'_>,
        take: impl FnMut(&[u128]),
    ) -> Result<(), ProtocolError> {
        let shares = Zeroizing::new(vec![0; factors.widths.len()]);
        self.transferred(means, step, own, &mut Products { factors, shares, take })
    }

    /// This side's share of the sum of each column of products, reduced.
    pub(crate) fn sums(
        &mut self,
        means: &mut Means<'_>,
        step: &'static str,
        own: &[u8],
        factors: Factors<'_>,
    ) -> Result<Zeroizing<Vec<u128>>, ProtocolError> {
        let mut sums = Zeroizing::new(vec![0_u128; factors.widths.len()]);
        self.products(means, step, own, factors, |shares| {
            sums.iter_mut().zip(shares).for_each(|(sum, share)| *sum = sum.wrapping_add(*share));
        })?;
        sums.iter_mut().zip(factors.widths).for_each(|(sum, width)| *sum = cut(*sum, *width));
        Ok(sums)
    }
}

/// Products, one after the other.
struct Products<'a, Take> {
    factors: Factors<'a>,
    /// Those of the last bit.
    shares: Zeroizing<Vec<u128>>,
    take: Take,
}

impl<Take: FnMut(&[u128])> Transferred for Products<'_, Take> {
    fn pad(&self) -> usize {
        self.factors.width()
    }

    fn told(&self) -> usize {
        self.factors.width()
    }

    fn offer(&mut self, Lanes { range, bits }: Lanes<'_>, pads: [&[u8]; 2]) -> Vec<u8> {
        let mut words = Vec::with_capacity(self.told() * bits.len());
        let factors = self.factors;
        let mut room = Zeroizing::default();
        let [unset, set] = pads.map(|pads| pads.chunks_exact(factors.width()));
        let numbers = factors.of(range, &mut room);
        for (((unset, set), numbers), bit) in unset.zip(set).zip(numbers).zip(bits) {
            let if_set = mask(*bit);
            let places = self.shares.iter_mut().zip(numbers).zip(factors.places());
            for ((share, number), place) in places {
                let [unset, set] = [unset, set].map(|pad| number_of(&pad[place.clone()]));
                let word;
                (*share, word) = match factors.sharing {
                    Sharing::Additive => {
                        // The number, and its opposite where the bit is set.
                        let signed = (number ^ if_set).wrapping_sub(if_set);
                        let word = signed.wrapping_add(unset).wrapping_sub(set);
                        ((number & if_set).wrapping_sub(unset), word)
                    }
                    Sharing::Xor => (number & if_set ^ unset, number ^ unset ^ set),
                };
                words.extend_from_slice(&word.to_le_bytes()[..place.len()]);
            }
            (self.take)(&self.shares);
        }
        words
    }

    fn choose(&mut self, Lanes { bits, .. }: Lanes<'_>, pads: &[u8], told: &[u8]) {
        let width = self.factors.width();
        for ((pad, words), bit) in pads.chunks_exact(width).zip(told.chunks_exact(width)).zip(bits)
        {
            for (share, place) in self.shares.iter_mut().zip(self.factors.places()) {
                let word = number_of(&words[place.clone()]) & mask(*bit);
                let pad = number_of(&pad[place]);
                *share = match self.factors.sharing {
                    Sharing::Additive => pad.wrapping_add(word),
                    Sharing::Xor => pad ^ word,
                };
            }
            (self.take)(&self.shares);
        }
    }
}
