//! A user's NDJSON: a table or an error, and every row comes back as it was.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| veilset_fuzz::objects(data));
