//! Shared numbers where shared bits are set, and zeros where they are not: their bits, or the numbers themselves.

use zeroize::Zeroizing;

use super::products::{Factors, Source, cut};
use super::{BOTH, Bits, Gmw, Nibbles};
use crate::{Means, ProtocolError, Sharing};

/// Bits of the chooser's shares of so many numbers of so many bytes, each of which takes a gate and a product.
pub(crate) fn bits_of_numbers(numbers: usize, width: usize) -> usize {
    8 * width * numbers
}

impl Gmw {
    /// This side's shares of each bit times each of so many bits of its number, both of which are shared, from the lowest.
    pub(crate) fn masked(
        &mut self,
        means: &mut Means<'_>,
        step: &'static str,
        bits: &[u8],
        numbers: impl Iterator<Item = u128>,
        places: usize,
    ) -> Result<Bits, ProtocolError> {
        let mut inputs = Nibbles::new(Vec::with_capacity(places * bits.len()));
        for (bit, number) in bits.iter().zip(numbers) {
            inputs.extend((0..places).map(|place| bit | ((number >> place) as u8 & 1) << 1));
        }
        self.gates(means, step, &inputs, |_| BOTH)
    }

    /// This side's shares of each bit times its number, both of which are shared, modulo 2^(8·width).
    pub(crate) fn selected(
        &mut self,
        means: &mut Means<'_>,
        step: &'static str,
        bits: &[u8],
        numbers: &[u128],
        width: usize,
    ) -> Result<Zeroizing<Vec<u128>>, ProtocolError> {
        let (offers, widths, places) = (self.offers(), &[width], 8 * width);
        // The offerer has its share of a number to itself;
        let own = if offers { numbers } else { &[] };
        let mut selected = Zeroizing::new(Vec::with_capacity(bits.len()));
        let factors = Factors { sharing: Sharing::Additive, widths, numbers: Source::Held(own) };
        self.products(means, step, bits, factors, |share| selected.push(share[0]))?;
        // of the chooser's share, which is bits to itself, it knows what each bit is worth.
        let others = numbers.iter().map(|number| if offers { 0 } else { *number });
        let chosen = self.masked(means, step, bits, others, places)?;
        let worth = (0..places).map(|place| 1 << place).cycle().take(chosen.len());
        let worth: Vec<u128> = if offers { worth.collect() } else { Vec::new() };
        let factors = Factors { numbers: Source::Held(&worth), ..factors };
        let mut place = 0;
        self.products(means, step, &chosen, factors, |share| {
            let sum: &mut u128 = &mut selected[place / places];
            *sum = sum.wrapping_add(share[0]);
            place += 1;
        })?;
        selected.iter_mut().for_each(|share| *share = cut(*share, width));
        Ok(selected)
    }
}
