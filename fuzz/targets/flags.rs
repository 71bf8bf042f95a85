//! Text that people paste: keys of peers, key columns, links.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| veilset_fuzz::flags(data));
