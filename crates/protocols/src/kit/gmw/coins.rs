//! Noise of coins that both sides toss, and of which neither knows any.
//!
//! Each side draws a random bit for each coin; the coin is their exclusive or. Coins times a number s that the offerer knows, and times the
//! powers of two below it, add up to s·B + U, where B has the binomial distribution with as many trials of 1/2 as there are coins and U is
//! uniform below s. For any d up to s, and any ε, that hides d more or less as B hides one more or less: at each point the two
//! probabilities are those of B at two neighbours or at one, divided by s. Without U a sum would be known modulo s.

use std::collections::BTreeMap;

use veilset_ot::silent::batches;
use zeroize::Zeroizing;

use super::products::{Factors, cut};
use super::{Gmw, random_bits};
use crate::{Means, ProtocolError, Sharing};

/// The powers of two below a scale of a number of 16 bytes, which take a coin each whatever the scale, so that nobody counts them.
const POWERS: usize = 127;

/// Coins that a number of so many bytes takes in all; one that is no sum is scaled by one.
fn all_coins(coins: u32, width: usize) -> usize {
    coins as usize + if width < size_of::<u128>() { 0 } else { POWERS }
}

/// Of numbers of these widths those of each width, by their places. Before them their width, and the coins of each.
pub(crate) fn tossed(coins: u32, widths: &[usize]) -> Vec<([usize; 2], Vec<usize>)> {
    let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, width) in widths.iter().enumerate() {
        places.entry(*width).or_default().push(place);
    }
    let with_coins = |(width, places)| ([width, all_coins(coins, width)], places);
    places.into_iter().map(with_coins).collect()
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
        for ([width, all], places) in tossed(coins, widths) {
            // As many at once as a batch of transfers has.
            for range in batches(all * places.len()) {
                let mut numbers = Zeroizing::new(Vec::new());
                if self.offers() {
                    numbers.reserve(range.len());
                    numbers.extend(range.clone().map(|coin| {
                        let (log, coin) = (logs[places[coin / all]], (coin % all) as u32);
                        match coin.checked_sub(coins) {
                            None => 1_u128 << log,
                            Some(power) if power < log => 1 << power,
                            Some(_) => 0,
                        }
                    }));
                }
                let own = random_bits(means.rng, range.len());
                let widths = &[width];
                let factors = Factors { sharing: Sharing::Additive, widths, numbers: &numbers };
                let mut coin = range.start;
                self.products(means, step, &own, factors, |share| {
                    let sum: &mut u128 = &mut noise[places[coin / all]];
                    *sum = sum.wrapping_add(share[0]);
                    coin += 1;
                })?;
            }
            for place in places {
                let scale = 1_u128 << logs[place];
                let mean = u128::from(coins / 2) * scale + (scale - 1) / 2;
                let centred = self.offers() && all > coins as usize;
                noise[place] =
                    cut(noise[place].wrapping_sub(if centred { mean } else { 0 }), width);
            }
        }
        Ok(noise)
    }
}
