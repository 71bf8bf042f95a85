//! A lookup service, asked anything; a client, answered anything; and files that are no list.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| veilset_fuzz::lookup(data));
