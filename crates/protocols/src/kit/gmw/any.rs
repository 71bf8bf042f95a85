//! Whether shared values are anything but zero, so whether two values differ of which each side has one.
//!
//! For each four bits of a value a gate gives whether one of them is set; the same is done to what these give, until one bit is left.
//! For b values of 64 bits that is 21·b gates: 16, then 4, then 1. (Chunks of values and one-of-many transfers are as in Couteau, ACNS
//! 2018, and Chandran, Gupta and Shah, PoPETs 2022; that joins chunks by AND gates, here they are joined by gates of four.)

use super::{Bits, CHOICE, Gmw, Nibbles};
use crate::{Means, ProtocolError};

/// Whether any of four bits is set.
const ANY: u16 = !1;

/// How many gates each layer has for a value of so many bits, from the first.
pub(crate) fn layers(bits: u32) -> impl Iterator<Item = usize> {
    let next = |gates: &usize| (*gates > 1).then(|| gates.div_ceil(CHOICE as usize));
    std::iter::successors(Some(bits.div_ceil(CHOICE) as usize), next)
}

/// This side's share of whether any of the first `bits` bits is set, for each value of which it has a share by exclusive or.
pub(crate) fn any_bit(
    gmw: &mut Gmw,
    means: &mut Means<'_>,
    step: &'static str,
    shares: &[u64],
    bits: u32,
) -> Result<Bits, ProtocolError> {
    let mut found = gmw.gates(means, step, &chunks(shares, bits), |_| ANY)?;
    for gates in layers(bits).take_while(|gates| *gates > 1) {
        found = gmw.gates(means, step, &joined(&found, gates), |_| ANY)?;
    }
    Ok(found)
}

/// The first `bits` bits of values, four in a chunk.
fn chunks(values: &[u64], bits: u32) -> Nibbles {
    let chunks = bits.div_ceil(CHOICE);
    let kept = u64::MAX >> (u64::BITS - bits);
    let each = |value: &u64| {
        let value = value & kept;
        (0..chunks).map(move |chunk| (value >> (CHOICE * chunk)) as u8 & 15)
    };
    let mut all = Nibbles::new(Vec::with_capacity(chunks as usize * values.len()));
    all.extend(values.iter().flat_map(each));
    all
}

/// Bits, `of_value` for each value, four in a chunk; the last chunk of a value has zeros beyond them.
fn joined(bits: &[u8], of_value: usize) -> Nibbles {
    let four = |bits: &[u8]| (0..).zip(bits).fold(0, |chunk, (place, bit)| chunk | bit << place);
    let chunks = of_value.div_ceil(CHOICE as usize);
    let mut joined = Nibbles::new(Vec::with_capacity(bits.len() / of_value * chunks));
    for value in bits.chunks(of_value) {
        joined.extend(value.chunks(CHOICE as usize).map(four));
    }
    joined
}
