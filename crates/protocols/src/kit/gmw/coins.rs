//! Noise of coins that both sides toss, and of which neither knows any.
//!
//! Each side draws a random bit for each coin; the coin is their exclusive or. Coins times a number s that the offerer knows, and times the
//! powers of two below it, add up to s·B + U, where B has the binomial distribution with as many trials of 1/2 as there are coins and U is
//! uniform below s. For any d up to s, and any ε, that hides d more or less as B hides one more or less: at each point the two
//! probabilities are those of B at two neighbours or at one, divided by s. Without U a sum would be known modulo s.

use std::collections::BTreeMap;
use std::ops::Range;

use veilset_ot::silent::{BATCH, batches};
use zeroize::Zeroizing;

use super::products::{Factors, Source, cut};
use super::{Gmw, random_bits};
use crate::{Means, ProtocolError, Sharing};

/// The powers of two below a scale of a number of 16 bytes, which take a coin each whatever the scale, so that nobody counts them.
const POWERS: usize = 127;

/// Coins that are tossed for numbers of one width.
pub(crate) struct Toss {
    /// Bytes of each number.
    pub(crate) width: usize,
    /// Coins of each number.
    pub(super) each: usize,
    /// The numbers' places.
    pub(super) places: Vec<usize>,
}

impl Toss {
    /// How many coins there are in all; none where this machine cannot count them in batches.
    pub(crate) fn coins(&self) -> Option<usize> {
        let coins = self.each.checked_mul(self.places.len());
        coins.filter(|coins| *coins <= usize::MAX - BATCH)
    }

    /// What these coins of the offerer's are worth, of which each number has so many beside its powers of two, and a scale of 2^log.
    fn worth(&self, range: Range<usize>, coins: u32, logs: &[u32]) -> Zeroizing<Vec<u128>> {
        let worth = |coin: usize| {
            let (log, coin) = (logs[self.places[coin / self.each]], (coin % self.each) as u32);
            match coin.checked_sub(coins) {
                None => 1_u128 << log,
                Some(power) if power < log => 1 << power,
                Some(_) => 0,
            }
        };
        Zeroizing::new(range.map(worth).collect())
    }
}

/// Coins that a number of so many bytes takes in all; one that is no sum is scaled by one.
fn all_coins(coins: u32, width: usize) -> usize {
    let powers = if width < size_of::<u128>() { 0 } else { POWERS };
    usize::try_from(coins).unwrap_or(usize::MAX).saturating_add(powers)
}

/// What is tossed for numbers of these widths, those of each width at once.
pub(crate) fn tossed(coins: u32, widths: &[usize]) -> Vec<Toss> {
    let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, width) in widths.iter().enumerate() {
        places.entry(*width).or_default().push(place);
    }
    let toss = |(width, places)| Toss { width, each: all_coins(coins, width), places };
    places.into_iter().map(toss).collect()
}

impl Gmw {
    /// This side's shares of noise on numbers of these widths, each of an even number of coins, scaled by 2^log as the offerer
    /// alone knows; numbers of 16 bytes have the mean taken off.
    pub(crate) fn noise(
        &mut self,
        means: &mut Means<'_>,
        step: &'static str,
        coins: u32,
        widths: &[usize],
        logs: &[u32],
    ) -> Result<Zeroizing<Vec<u128>>, ProtocolError> {
        let mut noise = Zeroizing::new(vec![0_u128; widths.len()]);
        for toss in tossed(coins, widths) {
            let width = toss.width;
            // As many at once as a batch of transfers has.
            for range in batches(toss.coins().ok_or(ProtocolError::NoParameters)?) {
                let own = random_bits(means.rng, range.len());
                let made = |coins_of: Range<usize>| {
                    toss.worth(
                        range.start + coins_of.start..range.start + coins_of.end,
                        coins,
                        logs,
                    )
                };
                let (widths, numbers) = (&[width], Source::Made(&made));
                let factors = Factors { sharing: Sharing::Additive, widths, numbers };
                let mut coin = range.start;
                self.products(means, step, &own, factors, |share| {
                    let sum: &mut u128 = &mut noise[toss.places[coin / toss.each]];
                    *sum = sum.wrapping_add(share[0]);
                    coin += 1;
                })?;
            }
            let centred = self.offers() && width == size_of::<u128>();
            for place in toss.places {
                let mean = if centred { mean(coins, logs[place]) } else { 0 };
                noise[place] = cut(noise[place].wrapping_sub(mean), width);
            }
        }
        Ok(noise)
    }
}

/// The mean of so many coins times 2^log, and of what is uniform below that.
fn mean(coins: u32, log: u32) -> u128 {
    let scale = 1_u128 << log;
    u128::from(coins / 2).wrapping_mul(scale).wrapping_add((scale - 1) / 2)
}
