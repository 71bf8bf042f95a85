//! The record of lists that PAIR matched before: no two files are one record.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| veilset_fuzz::pair_seen(data));
