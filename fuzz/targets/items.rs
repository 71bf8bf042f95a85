//! A row of a union from a peer that sends anything: cells or an error, and no two encodings of one row.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| veilset_fuzz::items(data));
