//! Whether shared numbers are at least a number that both sides know.
//!
//! Numbers are below half of the modulus 2^w. So a number less the bound has its top bit set if it is smaller, and that bit is the sum
//! of both shares' top bits and of the carry from the bits below. For each four bits of both shares two gates give whether they make
//! a carry, and whether they pass one on; gates of four join neighbours (Kogge and Stone's rule), until one is left: log₂(w/4) + 1 layers.

use super::{Bits, CHOICE, Gmw, Nibbles, truth};
use crate::{Means, ProtocolError};

/// Of two neighbours' (carry, passes), the higher first, whether both together make a carry: the higher does, or it passes on the lower's.
const CARRIES: u16 = truth(&[1, 3, 5, 6, 7, 9, 11, 13, 14, 15]);

/// Whether both together pass one on.
const PASSES: u16 = truth(&[10, 11, 14, 15]);

/// How many gates each layer has for a number of w bits, from the first.
pub(crate) fn layers_of_number(bits: u32) -> impl Iterator<Item = usize> {
    let chunks = |chunks: &usize| (*chunks > 1).then(|| chunks.div_ceil(2));
    let joined = std::iter::successors(Some((bits / CHOICE) as usize), chunks);
    let pairs = joined.clone().filter(|chunks| *chunks > 1).map(|chunks| chunks / 2);
    joined.take(1).chain(pairs).map(|gates| 2 * gates)
}

/// This side's shares of whether each number is at least `least`. Numbers are shared modulo 2^`bits`, which is a multiple of 4 and at
/// most 124, and both they and `least` are below half of that.
pub(crate) fn at_least(
    gmw: &mut Gmw,
    means: &mut Means<'_>,
    step: &'static str,
    numbers: &[u128],
    bits: u32,
    least: u128,
) -> Result<Bits, ProtocolError> {
    let gates: usize = layers_of_number(bits).sum();
    gmw.reserve(means, numbers.len() * gates)?;
    let less = if gmw.offers() { least } else { 0 };
    let own: Vec<u128> = numbers.iter().map(|number| number.wrapping_sub(less)).collect();
    let own = zeroize::Zeroizing::new(own);
    // Without the top bit, so that what the carry goes to is the bit beyond.
    let count = (bits / CHOICE) as usize;
    let chunk = |number: &u128, place: usize| (number << 1 >> (CHOICE as usize * place)) as u8 & 15;
    let mut chunks = Nibbles::new(Vec::with_capacity(2 * count * own.len()));
    for number in own.iter() {
        chunks.extend((0..count).flat_map(|place| [chunk(number, place); 2]));
    }
    let mut made = gmw.lookups(means, step, &chunks, |place, own| match place % 2 {
        0 => (0xffff_u32 << (16 - u32::from(own))) as u16,
        _ => 1 << (15 - own),
    })?;
    let mut count = count;
    while count > 1 {
        let mut pairs = Nibbles::new(Vec::with_capacity(2 * (count / 2) * own.len()));
        for number in made.chunks(2 * count) {
            for [low_carry, low_passes, high_carry, high_passes] in number.as_chunks::<4>().0 {
                let joined = high_carry | high_passes << 1 | low_carry << 2 | low_passes << 3;
                pairs.extend([joined; 2]);
            }
        }
        let joined = gmw.gates(means, step, &pairs, |place| [CARRIES, PASSES][place % 2])?;
        let mut next = Bits::new(Vec::with_capacity(joined.len() + 2 * own.len()));
        let (of_number, alone) = (2 * (count / 2), 2 * (count % 2));
        for (number, joined) in made.chunks(2 * count).zip(joined.chunks(of_number)) {
            next.extend_from_slice(joined);
            next.extend_from_slice(&number[2 * count - alone..]);
        }
        (made, count) = (next, count.div_ceil(2));
    }
    let top = |number: &u128| (number >> (bits - 1)) as u8 & 1;
    let is_less = own.iter().zip(made.chunks(2)).map(|(number, made)| top(number) ^ made[0]);
    let is_less = Bits::new(is_less.collect());
    Ok(gmw.not(is_less))
}
