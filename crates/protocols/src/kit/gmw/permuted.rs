//! Shared bits in another order, which the offerer alone knows.
//!
//! Stages of switches, each of which swaps two places or does not, make any order (Beneš 1964): of n = 2^k places 2k - 1 stages, in
//! which places are n/2, n/4, …, 1, …, n/2 apart. Two stages next to each other move bits among four places, so each bit behind them is a
//! gate of the four before them, which the offerer's truth table sets: one gate a place for two stages, in k layers.

use rayon::prelude::*;
use zeroize::Zeroizing;

use super::{Bits, Gmw, Nibbles};
use crate::{Means, ProtocolError};

/// Transfers that are made at once for layers, but for one layer that takes more.
const AT_ONCE: usize = 1 << 22;

/// Gates of the layers that put so many bits in another order, whose transfers are made at once.
pub(crate) fn layers_at_once(bits: usize) -> impl Iterator<Item = usize> {
    let places = bits.next_power_of_two();
    let layers = places.ilog2() as usize;
    let each = (AT_ONCE / places).max(1);
    (0..layers).step_by(each).map(move |first| places * each.min(layers - first))
}

/// Gates of each layer that puts so many bits in another order.
pub(crate) fn layers_of_order(bits: usize) -> impl Iterator<Item = usize> {
    let places = bits.next_power_of_two();
    std::iter::repeat_n(places, places.ilog2() as usize)
}

impl Gmw {
    /// This side's shares of the bits in another order: at each place of the result is the bit that was at `order` of it. The offerer gives
    /// all places in an order, the chooser nothing.
    pub(crate) fn permuted(
        &mut self,
        means: &mut Means<'_>,
        step: &'static str,
        shares: &[u8],
        order: &[u32],
    ) -> Result<Bits, ProtocolError> {
        let places = shares.len().next_power_of_two();
        let mut bits = Bits::new(Vec::with_capacity(places));
        bits.extend_from_slice(shares);
        bits.resize(places, 0);
        let network = if self.offers() { Network::of(order, places) } else { Network::default() };
        let apart = distances(places);
        let mut at_once = layers_at_once(shares.len());
        for (layer, apart) in apart.chunks(2).enumerate() {
            if self.ready() < places {
                self.reserve(means, at_once.next().unwrap_or(places))?;
            }
            let set = network.0.get(2 * layer..).unwrap_or_default();
            bits = match *apart {
                [first, second] => self.four(means, step, &bits, [first, second], set)?,
                [last] => self.two(means, step, &bits, last, set)?,
                _ => bits,
            };
        }
        bits.truncate(shares.len());
        Ok(bits)
    }

    /// The bits behind two stages.
    fn four(
        &mut self,
        means: &mut Means<'_>,
        step: &'static str,
        bits: &[u8],
        apart: [usize; 2],
        set: &[Stage],
    ) -> Result<Bits, ProtocolError> {
        let near = apart[0].min(apart[1]);
        let firsts = || (0..bits.len()).filter(|place| place & (3 * near) == 0);
        let mut inputs = Nibbles::new(Vec::with_capacity(bits.len()));
        for first in firsts() {
            let bit = |at: usize| bits[first + at * near] << at;
            inputs.extend([bit(0) | bit(1) | bit(2) | bit(3); 4]);
        }
        let mut sources = Nibbles::new(Vec::with_capacity(bits.len()));
        if let [one, other, ..] = set {
            for first in firsts() {
                let mut source = [0, 1, 2, 3];
                for (apart, stage) in apart.into_iter().zip([one, other]) {
                    let pairs = if apart == near { [(0, 1), (2, 3)] } else { [(0, 2), (1, 3)] };
                    for (low, high) in pairs {
                        let swaps = stage[first + low * near];
                        let moved = (source[low] ^ source[high]) & swaps.wrapping_neg();
                        source[low] ^= moved;
                        source[high] ^= moved;
                    }
                }
                sources.extend(source);
            }
        }
        let made = self.gates(means, step, &inputs, |place| source_of(&sources, place))?;
        let mut moved = Bits::new(vec![0; bits.len()]);
        for (first, made) in firsts().zip(made.chunks_exact(4)) {
            made.iter().enumerate().for_each(|(at, bit)| moved[first + at * near] = *bit);
        }
        Ok(moved)
    }

    /// The bits behind one stage.
    fn two(
        &mut self,
        means: &mut Means<'_>,
        step: &'static str,
        bits: &[u8],
        apart: usize,
        set: &[Stage],
    ) -> Result<Bits, ProtocolError> {
        let inputs = (0..bits.len()).map(|place| bits[place & !apart] | bits[place | apart] << 1);
        let inputs = Nibbles::new(inputs.collect());
        let source =
            |stage: &Stage, place: usize| stage[place & !apart] ^ u8::from(place & apart != 0);
        let sources =
            set.first().map(|stage| (0..bits.len()).map(|place| source(stage, place)).collect());
        let sources = Nibbles::new(sources.unwrap_or_default());
        self.gates(means, step, &inputs, |place| source_of(&sources, place))
    }
}

/// The truth table of the bit of an input that its offerer has to be the output; of the chooser, who has none, any.
fn source_of(sources: &[u8], place: usize) -> u16 {
    let [near, far] =
        [0, 1].map(|bit| (sources.get(place).map_or(0, |source| source >> bit) & 1).into());
    let [near, far] = [near, far].map(u16::wrapping_neg);
    let low = 0xaaaa & !near | 0xcccc & near;
    let high = 0xf0f0 & !near | 0xff00 & near;
    low & !far | high & far
}

/// How far the places of each stage's switches are apart.
fn distances(places: usize) -> Vec<usize> {
    let down: Vec<usize> = (0..places.ilog2()).rev().map(|log| 1 << log).collect();
    let up = down.iter().rev().skip(1).copied();
    down.iter().copied().chain(up).collect()
}

/// At the lower place of each switch whether it swaps.
type Stage = Zeroizing<Vec<u8>>;

/// The stages, one after the other.
#[derive(Default)]
struct Network(Vec<Stage>);

impl Network {
    /// That puts at each place what was at `order` of it, and leaves places beyond that where they are.
    fn of(order: &[u32], places: usize) -> Self {
        let stages = (2 * places.ilog2() as usize).saturating_sub(1);
        let mut network: Vec<Stage> = (0..stages).map(|_| Stage::new(vec![0; places])).collect();
        let mut order = Zeroizing::new(order.to_vec());
        let given = order.len() as u32;
        order.extend(given..places as u32);
        for level in 0..places.ilog2() as usize {
            let size = places >> level;
            let (first, rest) = network[level..stages - level].split_first_mut().expect("a stage");
            let blocks = order.par_chunks_mut(size).zip(first.par_chunks_mut(size));
            match rest.last_mut() {
                None => blocks.for_each(|(order, only)| only[0] = order[0] as u8),
                Some(last) => {
                    let blocks = blocks.zip(last.par_chunks_mut(size));
                    blocks.for_each(|((order, first), last)| route(order, [first, last]));
                }
            }
        }
        Self(network)
    }
}

/// Sets the outer switches of a block, whose halves then have orders of their own: of two places that a switch joins on either side, one
/// goes through the lower half and one through the upper one.
fn route(order: &mut [u32], [first, last]: [&mut [u8]; 2]) {
    const OPEN: u8 = 2;
    let half = order.len() / 2;
    let mut place_of = Zeroizing::new(vec![0_u32; order.len()]);
    for (place, from) in (0..).zip(&*order) {
        place_of[*from as usize] = place;
    }
    // Through which half each place of the result comes.
    let mut through = Zeroizing::new(vec![OPEN; order.len()]);
    for start in 0..half {
        let mut place = start;
        while through[place] == OPEN {
            through[place] = 0;
            through[place ^ half] = 1;
            // What shares a switch with what came through the upper half came through the lower one.
            let partner = order[place ^ half] as usize ^ half;
            place = place_of[partner] as usize;
        }
    }
    let mut halves = Zeroizing::new(vec![0_u32; order.len()]);
    for (place, from) in order.iter().enumerate() {
        let (at, through) = (place & (half - 1), through[place]);
        halves[at + half * usize::from(through)] = from & (half as u32 - 1);
        if place < half {
            last[at] = through;
        }
        if (*from as usize) < half {
            first[*from as usize] = through;
        }
    }
    order.copy_from_slice(&halves);
}
