//! Every protocol against a peer that sends anything: an outcome or a typed error, never a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| veilset_fuzz::protocol_messages(data));
