//! A receipt's file, which a stranger may have sent.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| veilset_fuzz::receipt(data));
