//! Noise of coins that both sides toss, and of which neither knows any.
//!
//! Each side draws a random bit for each coin; the coin is their exclusive or. Coins times a number s that the offerer knows, and times the
//! powers of two below it, add up to s·B + U, where B has the binomial distribution with as many trials of 1/2 as there are coins and U is
//! uniform below s. For any d up to s, and any ε, that hides d more or less as B hides one more or less: at each point the two
//! probabilities are those of B at two neighbours or at one, divided by s. Without U a sum would be known modulo s.

use zeroize::Zeroizing;

use super::products::{Factors, cut};
use super::{Gmw, random_bits};
use crate::{Means, ProtocolError, Sharing};

/// The powers of two below a scale of a number of 16 bytes, which take a coin each whatever the scale, so that nobody counts them.
const POWERS: usize = 127;

/// Coins that a number of so many bytes takes in all; one that is no sum is scaled by one.
pub(crate) fn all_coins(coins: u32, width: usize) -> usize {
    coins as usize + if width < size_of::<u128>() { 0 } else { POWERS }
}

impl Gmw {
    /// This side's share of noise on a number of `width` bytes, of an even number of coins, scaled by 2^`log` as the offerer
    /// alone knows; a number of 16 bytes has the mean taken off.
    pub(crate) fn noise(
        &mut self,
        means: &mut Means<'_>,
        step: &'static str,
        coins: u32,
        width: usize,
        log: u32,
    ) -> Result<u128, ProtocolError> {
        let scale = 1_u128 << log;
        let all = all_coins(coins, width);
        let mut numbers = Zeroizing::new(vec![scale; coins as usize]);
        let power = |place: u32| if place < log { 1 << place } else { 0 };
        numbers.extend((0..).take(all - coins as usize).map(power));
        if !self.offers() {
            numbers.clear();
        }
        let own = random_bits(means.rng, all);
        let factors = Factors { sharing: Sharing::Additive, widths: &[width], numbers: &numbers };
        let share = self.sums(means, step, &own, factors)?[0];
        let mean = u128::from(coins / 2) * scale + (scale - 1) / 2;
        let centred = self.offers() && all > coins as usize;
        Ok(cut(share.wrapping_sub(if centred { mean } else { 0 }), width))
    }
}
