//! Honest queries and answers of `fhe` with bytes changed or cut off: an outcome or a typed error, never a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| veilset_fuzz::fhe_messages(data));
