//! The compressed sorted set: what decodes is sorted, in range, and encodes to the same bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| veilset_fuzz::sorted_set(data));
