//! The compressed sorted set: what decodes is sorted, in range, and encodes to the same bytes.

use veilset_structures::{Decoder, Encoder, SetShape};

use crate::Seed;
use crate::bytes::Fields;

/// A block of a set: its number of values, their bits less one, and its bytes.
pub fn sorted_set(data: &[u8]) {
    let mut fields = Fields::new(data);
    let (count, bits, bytes) = (fields.byte(), fields.byte(), fields.rest());
    let shape = SetShape { count: usize::from(count), bits: 1 + u32::from(bits) % 128 };
    let mut decoder = Decoder::new(shape);
    if shape.blocks() != 1 || decoder.blocks(&[bytes]).is_err() {
        return;
    }
    if let Ok(values) = decoder.finish() {
        assert!(values.is_sorted() && values.len() == shape.count);
        assert!(values.iter().all(|value| shape.bits == 128 || value >> shape.bits == 0));
        assert_eq!(Encoder::new(shape, &values).block(0), bytes);
    }
}

pub(crate) fn seeds() -> Vec<Seed> {
    let shapes = [(0, 1), (1, 128), (3, 8), (40, 16), (200, 64), (255, 128)];
    shapes.map(|(count, bits)| seed(count, bits)).into()
}

fn seed(count: u8, bits: u8) -> Seed {
    let shape = SetShape { count: usize::from(count), bits: u32::from(bits) };
    let step = (u128::MAX >> (128 - u32::from(bits))) / (u128::from(count) + 1);
    let values: Vec<u128> = (1..=u128::from(count)).map(|number| number * step).collect();
    let block = Encoder::new(shape, &values).block(0);
    Seed::new(format!("{count} values of {bits} bits"), [&[count, bits - 1], &block[..]].concat())
}
