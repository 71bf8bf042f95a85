//! Who is told what of the numbers that both sides have shares of.

use zeroize::Zeroizing;

use crate::kit::gmw::{BOTH, Bits, Gmw, Nibbles, at_least, cut};
use crate::kit::wire::{put_bits, put_values, take_bits, take_values};
use crate::{Means, ProtocolError};

/// The step's name.
const STEP: &str = "result";

/// Rows of numbers of which both sides have shares: in each row a count, then sums, modulo 2^(8·w) those of w bytes.
pub(super) struct Numbers<'a> {
    /// This side's shares, row by row.
    pub(super) shares: &'a [u128],
    pub(super) widths: &'a [usize],
}

/// How many numbers of each row a side is told, from the first: this side, and the other.
#[derive(Clone, Copy)]
pub(super) struct Told {
    pub(super) own: usize,
    pub(super) others: usize,
}

/// Below how many matches a row is not told, and how many matches there can be.
#[derive(Clone, Copy)]
pub(super) struct Least {
    pub(super) least: u64,
    pub(super) most: u64,
}

/// The numbers of a row that this side is told; none of one with fewer matches than the least result.
pub(super) type Row = Option<Vec<u128>>;

/// Tells each side its numbers.
pub(super) fn opened(
    means: &mut Means<'_>,
    gmw: &mut Gmw,
    numbers: &Numbers<'_>,
    told: Told,
    least: Option<Least>,
) -> Result<Vec<Row>, ProtocolError> {
    let Some(Least { least, most }) = least else {
        return numbers.exchanged(means, told, |_| true);
    };
    // A count is below half of its modulus, and a bound above all counts withholds them all.
    let counts: Zeroizing<Vec<u128>> = Zeroizing::new(numbers.rows().map(|row| row[0]).collect());
    let (bits, least) = (8 * numbers.widths[0] as u32, u128::from(least.min(most + 1)));
    let enough = at_least(gmw, means, STEP, &counts, bits, least)?;
    if told.own == 0 && told.others == 0 {
        return Ok(Vec::new());
    }
    if told.own == 0 || told.others == 0 {
        return numbers.masked(means, gmw, told, &enough);
    }
    means.channel.phase(STEP);
    put_shares(means, &enough)?;
    let enough = take_shares(means, &enough)?;
    numbers.exchanged(means, told, |row| enough[row] == 1)
}

impl Numbers<'_> {
    fn rows(&self) -> impl Iterator<Item = &[u128]> {
        self.shares.chunks_exact(self.widths.len())
    }

    /// The rows' shares of the number in this place.
    fn column(&self, place: usize, is_told: impl Fn(usize) -> bool) -> Zeroizing<Vec<u128>> {
        let rows = self.rows().enumerate().filter(|(row, _)| is_told(*row));
        Zeroizing::new(rows.map(|(_, row)| row[place]).collect())
    }

    /// Each side sends its shares of what the other is told.
    fn exchanged(
        &self,
        means: &mut Means<'_>,
        told: Told,
        is_told: impl Fn(usize) -> bool,
    ) -> Result<Vec<Row>, ProtocolError> {
        means.channel.phase(STEP);
        for (place, width) in self.widths.iter().enumerate().take(told.others) {
            put_values(means.channel, &self.column(place, &is_told), 8 * *width as u32)?;
        }
        let mut rows: Vec<Row> =
            (0..self.rows().count()).map(|row| is_told(row).then(Vec::new)).collect();
        for (place, width) in self.widths.iter().enumerate().take(told.own) {
            let own = self.column(place, &is_told);
            let others = take_values(means.channel, own.len(), 8 * *width as u32)?;
            let sums =
                own.iter().zip(others).map(|(own, other)| cut(own.wrapping_add(other), *width));
            rows.iter_mut().flatten().zip(sums).for_each(|(row, sum)| row.push(sum));
        }
        Ok(rows)
    }

    /// The side that is told gets the other's shares bit by bit, each times the bit that says whether the row is told; and that bit.
    fn masked(
        &self,
        means: &mut Means<'_>,
        gmw: &mut Gmw,
        told: Told,
        enough: &Bits,
    ) -> Result<Vec<Row>, ProtocolError> {
        let count = told.own.max(told.others);
        let bits: usize = self.widths.iter().take(count).map(|width| 8 * width).sum();
        let mut inputs = Nibbles::new(Vec::with_capacity(bits * enough.len()));
        for (row, enough) in self.rows().zip(&**enough) {
            for (number, width) in row.iter().zip(self.widths).take(count) {
                // The side that is told puts in zeros.
                let number = if told.others > 0 { *number } else { 0 };
                inputs.extend((0..8 * width).map(|bit| enough | ((number >> bit) as u8 & 1) << 1));
            }
        }
        gmw.reserve(means, inputs.len())?;
        let bits = gmw.gates(means, STEP, &inputs, |_| BOTH)?;
        means.channel.phase(STEP);
        if told.others > 0 {
            put_shares(means, enough)?;
            put_shares(means, &bits)?;
            return Ok(Vec::new());
        }
        let enough = take_shares(means, enough)?;
        let bits = take_shares(means, &bits)?;
        let mut bits = bits.iter();
        let rows = self.rows().zip(&*enough).map(|(row, enough)| {
            let numbers = row.iter().zip(self.widths).take(count).map(|(own, width)| {
                let bits = bits.by_ref().take(8 * width).enumerate();
                let other = bits.fold(0, |sum, (place, bit)| sum | u128::from(*bit) << place);
                cut(own.wrapping_add(other), *width)
            });
            let numbers: Vec<u128> = numbers.collect();
            (*enough == 1).then_some(numbers)
        });
        Ok(rows.collect())
    }
}

/// Sends shares of bits.
fn put_shares(means: &mut Means<'_>, shares: &[u8]) -> Result<(), ProtocolError> {
    let shares: Vec<bool> = shares.iter().map(|share| *share == 1).collect();
    Ok(put_bits(means.channel, &shares)?)
}

/// The bits of which these are this side's shares, and the other side sends its own.
fn take_shares(means: &mut Means<'_>, shares: &[u8]) -> Result<Bits, ProtocolError> {
    let others = take_bits(means.channel, shares.len())?;
    Ok(Bits::new(shares.iter().zip(others).map(|(own, other)| own ^ u8::from(other)).collect()))
}
