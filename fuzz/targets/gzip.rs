//! A user's file that gzip compressed: a table whose every row can be read, or an error.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| veilset_fuzz::gzip(data));
