//! Messages that several protocols share.

use std::borrow::Cow;

use veilset_channel::{
    Blob, Channel, ChannelError, ChannelExt, Chunks, HEADER, MAX_BODY, Malformed, Message, Reader,
    Tag,
};
use veilset_crypto::CommutativePrf;

/// The chunks in which `count` points of the group of `F` travel.
pub(crate) fn point_chunks<F: CommutativePrf>(count: usize) -> Chunks {
    chunks_of(count, size_of::<F::Point>())
}

/// The chunks in which `count` entries of `width` bytes travel.
pub(crate) fn chunks_of(count: usize, width: usize) -> Chunks {
    Chunks::new(count, MAX_BODY / width)
}

/// The header bytes of `count` frames, for the cost models.
pub(crate) fn frames(count: usize) -> f64 {
    count as f64 * HEADER as f64
}

/// A set's size as an index; sizes beyond this machine's memory saturate.
pub(crate) fn size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// A chunk of group elements. Context: how many.
pub(crate) struct Points<P>(pub(crate) Vec<P>);

impl<P: AsRef<[u8]> + for<'a> TryFrom<&'a [u8]>> Message for Points<P> {
    const TAG: Tag = Tag::GroupElements;
    type Context = usize;

    fn max_len(count: &usize) -> usize {
        count * size_of::<P>()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.reserve(self.0.len() * size_of::<P>());
        self.0.iter().for_each(|point| out.extend_from_slice(point.as_ref()));
    }

    fn decode(reader: &mut Reader<'_>, count: &usize) -> Result<Self, Malformed> {
        let bytes = reader.bytes(Self::max_len(count))?;
        // As many as were sent: nothing is reserved for points that are not there.
        let mut points = Vec::with_capacity(*count);
        for point in bytes.chunks_exact(size_of::<P>()) {
            points.push(P::try_from(point).map_err(|_| Malformed::TooShort)?);
        }
        Ok(Self(points))
    }
}

/// The bytes of a value of `bits` bits where order matters and each value stands alone.
pub(crate) fn value_width(bits: u32) -> usize {
    bits.div_ceil(8) as usize
}

/// The value of `bits` bits in these bytes, which are as many as it takes.
pub(crate) fn value_of(bytes: &[u8], bits: u32) -> Result<u128, Malformed> {
    let value = number_of(bytes);
    let fits = bits == u128::BITS || value >> bits == 0;
    if fits { Ok(value) } else { Err(Malformed::OutOfRange) }
}

/// As [`value_of`], whatever the bits beyond are.
pub(crate) fn low_bits_of(bytes: &[u8], bits: u32) -> u128 {
    number_of(bytes) & (u128::MAX >> (u128::BITS - bits))
}

/// At most 16 bytes as a number.
pub(crate) fn number_of(bytes: &[u8]) -> u128 {
    let mut all = [0; 16];
    all[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(all)
}

/// The chunks in which `count` values of `bits` bits travel.
pub(crate) fn value_chunks(count: usize, bits: u32) -> Chunks {
    chunks_of(count, value_width(bits))
}

/// How many values there are, and of how many bits each: what the receiver of [`TruncatedValues`] knows.
pub(crate) struct ValuesShape {
    pub(crate) count: usize,
    pub(crate) bits: u32,
}

/// A chunk of values of a fixed number of bits, in whole bytes each.
pub(crate) struct TruncatedValues<'a> {
    pub(crate) values: Cow<'a, [u128]>,
    pub(crate) bits: u32,
}

impl Message for TruncatedValues<'_> {
    const TAG: Tag = Tag::Values;
    type Context = ValuesShape;

    fn max_len(shape: &ValuesShape) -> usize {
        shape.count * value_width(shape.bits)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let width = value_width(self.bits);
        out.reserve(self.values.len() * width);
        self.values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()[..width]));
    }

    fn decode(reader: &mut Reader<'_>, shape: &ValuesShape) -> Result<Self, Malformed> {
        let value =
            |reader: &mut Reader<'_>| value_of(reader.bytes(value_width(shape.bits))?, shape.bits);
        let values = (0..shape.count).map(|_| value(reader)).collect::<Result<_, _>>()?;
        Ok(Self { values, bits: shape.bits })
    }
}

/// Sends values of `bits` bits, each in whole bytes, in their order.
pub(crate) fn put_values(
    channel: &mut dyn Channel,
    values: &[u128],
    bits: u32,
) -> Result<(), ChannelError> {
    value_chunks(values.len(), bits).ranges().try_for_each(|range| {
        channel.put(&TruncatedValues { values: Cow::Borrowed(&values[range]), bits })
    })
}

/// Takes `count` values of `bits` bits.
pub(crate) fn take_values(
    channel: &mut dyn Channel,
    count: usize,
    bits: u32,
) -> Result<Vec<u128>, ChannelError> {
    let mut values = Vec::new();
    for range in value_chunks(count, bits).ranges() {
        let shape = ValuesShape { count: range.len(), bits };
        values.extend_from_slice(&channel.take::<TruncatedValues<'_>>(&shape)?.values);
    }
    Ok(values)
}

/// The bytes of `count` values of `bits` bits on the wire.
pub(crate) fn values_bytes(count: u64, bits: u32) -> f64 {
    value_width(bits) as f64 * count as f64 + frames(value_chunks(size(count), bits).count())
}

/// A block of a compressed sorted set. Context: the longest it can be.
pub(crate) struct SetBlock(pub(crate) Vec<u8>);

impl Message for SetBlock {
    const TAG: Tag = Tag::SortedSet;
    type Context = usize;

    fn max_len(longest: &usize) -> usize {
        *longest
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }

    fn decode(reader: &mut Reader<'_>, _longest: &usize) -> Result<Self, Malformed> {
        Ok(Self(reader.rest().to_vec()))
    }
}

impl AsRef<[u8]> for SetBlock {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// A piece of a Bloom filter.
pub(crate) type FilterBlock = Blob<{ Tag::BloomFilter.byte() }>;

/// A piece of a vector of bits, eight to a byte, the first lowest; zeros fill the last byte. Context: how many bits.
pub(crate) struct Bits(pub(crate) Vec<bool>);

/// How many bits travel in a frame.
pub(crate) const BITS_A_FRAME: usize = 8 * MAX_BODY;

impl Message for Bits {
    const TAG: Tag = Tag::Bits;
    type Context = usize;

    fn max_len(count: &usize) -> usize {
        count.div_ceil(8)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let byte =
            |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
        out.extend(self.0.chunks(8).map(byte));
    }

    fn decode(reader: &mut Reader<'_>, count: &usize) -> Result<Self, Malformed> {
        let bytes = reader.bytes(count.div_ceil(8))?;
        let bit = |index: usize| bytes[index / 8] >> (index % 8) & 1 == 1;
        if (*count..8 * bytes.len()).any(bit) {
            return Err(Malformed::OutOfRange);
        }
        Ok(Self((0..*count).map(bit).collect()))
    }
}

/// Sends bits.
pub(crate) fn put_bits(channel: &mut dyn Channel, bits: &[bool]) -> Result<(), ChannelError> {
    bits.chunks(BITS_A_FRAME).try_for_each(|piece| channel.put(&Bits(piece.to_vec())))
}

/// Takes `count` bits.
pub(crate) fn take_bits(
    channel: &mut dyn Channel,
    count: usize,
) -> Result<Vec<bool>, ChannelError> {
    let mut bits = Vec::new();
    for range in Chunks::new(count, BITS_A_FRAME).ranges() {
        bits.extend(channel.take::<Bits>(&range.len())?.0);
    }
    Ok(bits)
}

/// The bytes of `count` bits on the wire.
pub(crate) fn bits_bytes(count: u64) -> f64 {
    count.div_ceil(8) as f64 + frames(size(count).div_ceil(BITS_A_FRAME))
}

/// How many elements both have. Context: the smaller set's size.
pub(crate) struct Total(pub(crate) u64);

impl Message for Total {
    const TAG: Tag = Tag::Count;
    type Context = u64;

    fn max_len(_most: &u64) -> usize {
        8
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.to_le_bytes());
    }

    fn decode(reader: &mut Reader<'_>, most: &u64) -> Result<Self, Malformed> {
        match reader.u64()? {
            total if total <= *most => Ok(Self(total)),
            _ => Err(Malformed::OutOfRange),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse<M: Message>(bytes: &[u8], context: &M::Context) -> Result<M, Malformed> {
        Reader::parse(bytes, |reader| M::decode(reader, context))
    }

    #[test]
    fn points_fill_frames() {
        assert_eq!(
            chunks_of(4097, 32).ranges().map(|range| range.len()).collect::<Vec<_>>(),
            [4096, 1]
        );
        let mut body = Vec::new();
        Points(vec![[7u8; 32], [8; 32]]).encode(&mut body);
        assert_eq!(parse::<Points<[u8; 32]>>(&body, &2).expect("valid").0, [[7; 32], [8; 32]]);
        assert_eq!(parse::<Points<[u8; 64]>>(&body, &2).err(), Some(Malformed::TooShort));
    }

    #[test]
    fn bits_keep_their_places_and_refuse_more() {
        let bits = [true, false, false, true, true, false, false, false, false, true];
        let mut body = Vec::new();
        Bits(bits.to_vec()).encode(&mut body);
        assert_eq!(body, [0b1_1001, 0b10]);
        assert_eq!(parse::<Bits>(&body, &10).expect("valid").0, bits);
        assert_eq!(parse::<Bits>(&body, &9).err(), Some(Malformed::OutOfRange));
        assert_eq!(parse::<Bits>(&body, &17).err(), Some(Malformed::TooShort));
    }

    #[test]
    fn values_keep_their_bits_and_refuse_others() {
        let shape = ValuesShape { count: 2, bits: 76 };
        let values = [(1u128 << 76) - 1, 5];
        let mut body = Vec::new();
        TruncatedValues { values: values.as_slice().into(), bits: 76 }.encode(&mut body);
        assert_eq!(body.len(), 20);
        assert_eq!(*parse::<TruncatedValues<'_>>(&body, &shape).expect("valid").values, values);
        body[9] |= 0x10;
        assert_eq!(parse::<TruncatedValues<'_>>(&body, &shape).err(), Some(Malformed::OutOfRange));
        assert_eq!(
            parse::<TruncatedValues<'_>>(&body[1..], &shape).err(),
            Some(Malformed::TooShort)
        );
    }

    #[test]
    fn a_total_cannot_exceed_the_smaller_set() {
        let bytes = 7u64.to_le_bytes();
        assert_eq!(parse::<Total>(&bytes, &7).map(|total| total.0), Ok(7));
        assert_eq!(parse::<Total>(&bytes, &6).err(), Some(Malformed::OutOfRange));
    }
}
