//! A list of encrypted identifiers from PAIR's other clean room: encrypted again whole, or refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| veilset_fuzz::pair_list(data));
