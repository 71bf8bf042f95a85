//! Messages that several protocols share.

use veilset_channel::{Chunks, HEADER, MAX_BODY, Malformed, Message, Reader, Tag};
use veilset_crypto::Point;

/// Bytes of a point on the wire.
const POINT: usize = 32;

/// How many points travel in a frame.
pub(crate) const POINTS_A_FRAME: usize = MAX_BODY / POINT;

/// The chunks in which `count` points travel.
pub(crate) fn point_chunks(count: usize) -> Chunks {
    Chunks::new(count, POINTS_A_FRAME)
}

/// The header bytes of `count` frames, for the cost models.
pub(crate) fn frames(count: usize) -> f64 {
    count as f64 * HEADER as f64
}

/// A set's size as an index; sizes beyond this machine's memory saturate.
pub(crate) fn size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// A chunk of blinded elements. Context: how many.
pub(crate) struct Blinded(pub(crate) Vec<Point>);

impl Message for Blinded {
    const TAG: Tag = Tag { byte: 1, name: "blinded elements" };
    type Context = usize;

    fn max_len(count: &usize) -> usize {
        count * POINT
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0.as_flattened());
    }

    fn decode(reader: &mut Reader<'_>, count: &usize) -> Result<Self, Malformed> {
        (0..*count).map(|_| reader.array()).collect::<Result<_, _>>().map(Self)
    }
}

/// The bytes of a value of `bits` bits where order matters and each value stands alone.
pub(crate) fn value_width(bits: u32) -> usize {
    bits.div_ceil(8) as usize
}

/// The chunks in which `count` values of `bits` bits travel.
pub(crate) fn value_chunks(count: usize, bits: u32) -> Chunks {
    Chunks::new(count, MAX_BODY / value_width(bits))
}

/// What the receiver of [`Doubled`] knows.
pub(crate) struct DoubledShape {
    pub(crate) count: usize,
    pub(crate) bits: u32,
}

/// A chunk of the peer's elements under both keys, truncated, in the order in which the peer sent them.
pub(crate) struct Doubled<'a> {
    pub(crate) values: std::borrow::Cow<'a, [u128]>,
    pub(crate) bits: u32,
}

impl Message for Doubled<'_> {
    const TAG: Tag = Tag { byte: 2, name: "elements under both keys" };
    type Context = DoubledShape;

    fn max_len(shape: &DoubledShape) -> usize {
        shape.count * value_width(shape.bits)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let width = value_width(self.bits);
        for value in self.values.iter() {
            out.extend_from_slice(&value.to_le_bytes()[..width]);
        }
    }

    fn decode(reader: &mut Reader<'_>, shape: &DoubledShape) -> Result<Self, Malformed> {
        let width = value_width(shape.bits);
        let value = |reader: &mut Reader<'_>| {
            let mut bytes = [0; 16];
            bytes[..width].copy_from_slice(reader.bytes(width)?);
            let value = u128::from_le_bytes(bytes);
            let fits = shape.bits == u128::BITS || value >> shape.bits == 0;
            if fits { Ok(value) } else { Err(Malformed::OutOfRange) }
        };
        let values = (0..shape.count).map(|_| value(reader)).collect::<Result<_, _>>()?;
        Ok(Self { values, bits: shape.bits })
    }
}

/// A block of a compressed sorted set. Context: the longest it can be.
pub(crate) struct SetBlock(pub(crate) Vec<u8>);

impl Message for SetBlock {
    const TAG: Tag = Tag { byte: 3, name: "sorted set" };
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

/// How many elements both have. Context: the smaller set's size.
pub(crate) struct Total(pub(crate) u64);

impl Message for Total {
    const TAG: Tag = Tag { byte: 4, name: "count" };
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
    fn a_frame_of_points_is_exactly_full() {
        assert_eq!(POINTS_A_FRAME * POINT, MAX_BODY);
    }

    #[test]
    fn values_keep_their_bits_and_refuse_others() {
        let shape = DoubledShape { count: 2, bits: 76 };
        let values = [(1u128 << 76) - 1, 5];
        let mut body = Vec::new();
        Doubled { values: values.as_slice().into(), bits: 76 }.encode(&mut body);
        assert_eq!(body.len(), 20);
        assert_eq!(*parse::<Doubled<'_>>(&body, &shape).expect("valid").values, values);
        body[9] |= 0x10;
        assert_eq!(parse::<Doubled<'_>>(&body, &shape).err(), Some(Malformed::OutOfRange));
        assert_eq!(parse::<Doubled<'_>>(&body[1..], &shape).err(), Some(Malformed::TooShort));
    }

    #[test]
    fn a_total_cannot_exceed_the_smaller_set() {
        let bytes = 7u64.to_le_bytes();
        assert_eq!(parse::<Total>(&bytes, &7).map(|total| total.0), Ok(7));
        assert_eq!(parse::<Total>(&bytes, &6).err(), Some(Malformed::OutOfRange));
    }
}
