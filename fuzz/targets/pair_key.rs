//! The file of a key of PAIR's: written as it was read, or refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| veilset_fuzz::pair_key(data));
