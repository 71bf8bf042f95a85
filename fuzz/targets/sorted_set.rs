//! The compressed sorted set: what decodes is sorted, in range, and encodes to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use veilset_structures::{Decoder, Encoder, SetShape};

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (count, bits, bytes) = input;
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
});
