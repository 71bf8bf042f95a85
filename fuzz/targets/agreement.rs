//! The terms and all that follows them, from a peer that sends anything.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| veilset_fuzz::agreement(data));
