//! How a set travels so that its order says nothing.
//!
//! The figure of mqRPMT (eprint 2022/652, Fig. 3) sends the set of step 2 shuffled, or in a Bloom filter. A sorted set is
//! a function of the set as well, and smaller; `docs/notes/wire.md` compares the three.

use std::ops::Range;

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_channel::{Blob, Channel, ChannelExt, Chunks, MAX_BODY, Malformed, Message, PeerFault};
use veilset_crypto::{permutation, tasks};
use veilset_names::names;
use veilset_structures::{
    BloomFilter, BloomShape, Decoder, Encoder, SetShape, match_bits, query_bits,
};

use crate::ProtocolError;
use crate::kit::membership::{Hits, membership, sort};
use crate::kit::wire::{
    FilterBlock, SetBlock, frames, put_values, size, take_values, values_bytes,
};

names! {
    "digests";
    /// The form in which a set travels.
    pub enum SetEncoding {
        /// Truncated, sorted and Golomb–Rice coded.
        Sorted = "sorted",
        /// A Bloom filter, as in the paper's measurements.
        Bloom = "bloom",
        /// Truncated and shuffled, as in the paper's figure.
        Shuffled = "shuffled",
    }
}

/// Values that one task numbers.
const VALUES_A_TASK: usize = 1 << 14;

/// A set of `count` pseudorandom values that is asked `queries` times.
#[derive(Clone, Copy)]
pub(crate) struct SetTerms {
    pub(crate) encoding: SetEncoding,
    pub(crate) count: usize,
    pub(crate) queries: usize,
    more: u32,
}

impl SetTerms {
    pub(crate) fn new(encoding: SetEncoding, count: usize, queries: usize) -> Self {
        Self { encoding, count, queries, more: 0 }
    }

    /// The same with values that are `more` bits longer, up to 128, than what a single run asks for.
    pub(crate) fn longer(self, more: u32) -> Self {
        Self { more, ..self }
    }

    /// Bits of a value by which members and queries are compared.
    pub(crate) fn bits(self) -> u32 {
        match self.encoding {
            // A filter takes whole values; its own failure is counted in its size.
            SetEncoding::Bloom => u128::BITS,
            SetEncoding::Sorted | SetEncoding::Shuffled => {
                (match_bits(self.count, self.queries) + self.more).min(u128::BITS)
            }
        }
    }

    /// The set as [`SetEncoding::Sorted`] has it.
    pub(crate) fn sorted(self) -> SetShape {
        SetShape { count: self.count, bits: self.bits() }
    }

    fn filter(self) -> BloomShape {
        BloomShape { count: self.count, security: query_bits(self.queries) }
    }

    /// Sends the set.
    pub(crate) fn put(
        self,
        channel: &mut dyn Channel,
        mut values: Vec<u128>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), ProtocolError> {
        channel.phase("set");
        match self.encoding {
            SetEncoding::Sorted => {
                sort(&mut values);
                put_sorted(channel, self.sorted(), &values)?;
            }
            SetEncoding::Bloom => {
                let filter = BloomFilter::new(self.filter(), &values);
                for piece in filter.as_bytes().chunks(MAX_BODY) {
                    channel.put::<FilterBlock>(&Blob(piece.to_vec()))?;
                }
            }
            SetEncoding::Shuffled => {
                let order = permutation(values.len(), rng);
                let shuffled = order.par_iter().map(|index| values[*index as usize]);
                put_values(channel, &shuffled.collect::<Vec<_>>(), self.bits())?;
            }
        }
        Ok(())
    }

    /// Sorts the set and sends it; returns the index that the value in each place had.
    pub(crate) fn put_ordered(
        self,
        channel: &mut dyn Channel,
        values: &mut [u128],
    ) -> Result<Vec<u32>, ProtocolError> {
        channel.phase("set");
        let order = in_places(values, self.bits());
        put_sorted(channel, self.sorted(), values)?;
        Ok(order)
    }

    /// Takes the set as [`SetEncoding::Sorted`] has it.
    pub(crate) fn take_ordered(
        self,
        channel: &mut dyn Channel,
    ) -> Result<Vec<u128>, ProtocolError> {
        channel.phase("set");
        take_sorted(channel, self.sorted())
    }

    /// The same, some blocks at a time.
    pub(crate) fn take_in_blocks(
        self,
        channel: &mut dyn Channel,
        mut each: impl FnMut(&[u128]),
    ) -> Result<(), ProtocolError> {
        channel.phase("set");
        let mut decoder = Decoder::new(self.sorted());
        for window in windows(self.sorted()) {
            take_blocks(channel, self.sorted(), &mut decoder, window)?;
            each(&decoder.take());
        }
        decoder.finish().map_err(fault)?;
        Ok(())
    }

    /// Takes the set.
    pub(crate) fn take(self, channel: &mut dyn Channel) -> Result<Members, ProtocolError> {
        channel.phase("set");
        Ok(match self.encoding {
            SetEncoding::Sorted => Members::Sorted(take_sorted(channel, self.sorted())?),
            SetEncoding::Bloom => {
                let mut bytes = Vec::new();
                for range in Chunks::new(self.filter().len(), MAX_BODY).ranges() {
                    bytes.extend(channel.take::<FilterBlock>(&range.len())?.0);
                }
                Members::Filter(BloomFilter::from_bytes(self.filter(), bytes).ok_or(fault(()))?)
            }
            SetEncoding::Shuffled => {
                let mut values = take_values(channel, self.count, self.bits())?;
                sort(&mut values);
                Members::Sorted(values)
            }
        })
    }

    /// What it costs in bytes.
    pub(crate) fn bytes(self) -> f64 {
        match self.encoding {
            SetEncoding::Sorted => {
                let shape = self.sorted();
                shape.expected_len() as f64 + frames(shape.blocks())
            }
            SetEncoding::Bloom => {
                let len = self.filter().len();
                len as f64 + frames(len.div_ceil(MAX_BODY))
            }
            SetEncoding::Shuffled => values_bytes(self.count as u64, self.bits()),
        }
    }

    /// The set of a run of these sizes, for the cost models.
    pub(crate) fn of(encoding: SetEncoding, count: u64, queries: u64) -> Self {
        Self::new(encoding, size(count), size(queries))
    }
}

/// Sorts the values; returns the index that the value in each place had.
pub(crate) fn in_places(values: &mut [u128], bits: u32) -> Vec<u32> {
    let of_index = values.len().next_power_of_two().ilog2();
    if bits + of_index > u128::BITS {
        let mut places: Vec<(u128, u32)> = values.iter().copied().zip(0..).collect();
        sort(&mut places);
        values.iter_mut().zip(&places).for_each(|(value, (sorted, _))| *value = *sorted);
        return places.into_iter().map(|(_, index)| index).collect();
    }
    // A value and its index fit one word: no further memory is taken, and less is moved.
    let numbered = values.chunks_mut(VALUES_A_TASK).zip((0u32..).step_by(VALUES_A_TASK));
    tasks::each(numbered, |(values, first)| {
        for (value, index) in values.iter_mut().zip(first..) {
            *value = *value << of_index | u128::from(index);
        }
    });
    sort(values);
    let mut order = vec![0; values.len()];
    let found = values.chunks_mut(VALUES_A_TASK).zip(order.chunks_mut(VALUES_A_TASK));
    tasks::each(found, |(values, order)| {
        for (value, index) in values.iter_mut().zip(order) {
            *index = (*value & !(u128::MAX << of_index)) as u32;
            *value >>= of_index;
        }
    });
    order
}

/// Sends a sorted set, coded.
pub(crate) fn put_sorted(
    channel: &mut dyn Channel,
    shape: SetShape,
    sorted: &[u128],
) -> Result<(), ProtocolError> {
    let encoder = Encoder::new(shape, sorted);
    for window in windows(shape) {
        let blocks = window.into_par_iter().map(|block| SetBlock(encoder.block(block)));
        for block in blocks.collect::<Vec<_>>() {
            channel.put(&block)?;
        }
    }
    Ok(())
}

/// Takes a coded sorted set.
pub(crate) fn take_sorted(
    channel: &mut dyn Channel,
    shape: SetShape,
) -> Result<Vec<u128>, ProtocolError> {
    let mut decoder = Decoder::new(shape);
    for window in windows(shape) {
        take_blocks(channel, shape, &mut decoder, window)?;
    }
    Ok(decoder.finish().map_err(fault)?)
}

/// Takes some blocks of a set.
fn take_blocks(
    channel: &mut dyn Channel,
    shape: SetShape,
    decoder: &mut Decoder,
    window: Range<usize>,
) -> Result<(), ProtocolError> {
    let blocks = window.map(|block| channel.take(&shape.max_block_len(block)));
    let blocks = blocks.collect::<Result<Vec<SetBlock>, _>>()?;
    Ok(decoder.blocks(&blocks).map_err(fault)?)
}

/// The blocks of a set, as many at a time as there are threads.
fn windows(shape: SetShape) -> impl Iterator<Item = Range<usize>> {
    Chunks::new(shape.blocks(), rayon::current_num_threads()).ranges()
}

fn fault<E>(_: E) -> PeerFault {
    PeerFault::Malformed { what: SetBlock::TAG.name(), why: Malformed::OutOfRange }
}

/// A set that arrived.
pub(crate) enum Members {
    Sorted(Vec<u128>),
    Filter(BloomFilter),
}

impl Members {
    /// Whether each query is in the set, in the queries' order. A filter cannot tell a repeated one.
    pub(crate) fn holds(&self, queries: &[u128]) -> Hits {
        match self {
            Self::Sorted(values) => membership(queries, values),
            Self::Filter(filter) => {
                Hits::new(queries.par_iter().map(|query| filter.contains(*query)).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use chacha20::ChaCha20Rng;
    use rand_core::SeedableRng;
    use veilset_channel::{Framed, Metered, memory_pair};

    use super::*;

    fn value(index: u64) -> u128 {
        crate::kit::exchange::value(&index.to_le_bytes(), 128)
    }

    #[test]
    fn every_form_carries_the_set_and_costs_what_it_says() {
        for encoding in SetEncoding::ALL {
            for count in [0, 1, 1000] {
                let terms = SetTerms::new(encoding, count, 50);
                let mask = u128::MAX >> (128 - terms.bits());
                let values: Vec<u128> = (0..count as u64).map(|i| value(i) & mask).collect();
                let (left, right) = memory_pair();
                let sender = std::thread::spawn(move || {
                    let mut channel = Metered::new(Framed::new(left), "set");
                    let mut rng = ChaCha20Rng::from_seed([1; 32]);
                    terms.put(&mut channel, values, &mut rng).expect("it goes");
                    channel.costs().bytes_sent()
                });
                let mut channel = Metered::new(Framed::new(right), "set");
                let members = terms.take(&mut channel).expect("it comes");
                let sent = sender.join().expect("no panic") as f64;
                assert!((sent - terms.bytes()).abs() <= 2.0 + 0.01 * sent, "{encoding:?} {sent}");
                let queries: Vec<u128> = (990..1010).map(|i| value(i) & mask).collect();
                let expected: Vec<bool> = (990..1010).map(|i| i < count).collect();
                assert_eq!(members.holds(&queries).e, expected, "{encoding:?}");
            }
        }
    }

    #[test]
    fn values_of_every_length_keep_their_places() {
        for bits in [1, 64, 119, 120, 128] {
            let mask = u128::MAX >> (128 - bits);
            let values: Vec<u128> = (0..300).map(|index| value(index) & mask).collect();
            let mut expected: Vec<usize> = (0..values.len()).collect();
            expected.sort_by_key(|index| values[*index]);
            let mut sorted = values.clone();
            let order = in_places(&mut sorted, bits);
            assert_eq!(order.iter().map(|index| *index as usize).collect::<Vec<_>>(), expected);
            assert_eq!(sorted, expected.iter().map(|index| values[*index]).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_sorted_set_is_the_smallest() {
        let n = 1 << 16;
        let bits = |encoding| SetTerms::of(encoding, n, n).bytes() * 8.0 / n as f64;
        assert!((57.5..57.6).contains(&bits(SetEncoding::Sorted)));
        assert!((72.0..72.1).contains(&bits(SetEncoding::Shuffled)));
        assert!((80.7..80.9).contains(&bits(SetEncoding::Bloom)));
    }
}
