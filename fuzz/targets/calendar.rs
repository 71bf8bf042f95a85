//! A user's calendar: free slots or an error that names the line.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| veilset_fuzz::calendar(data));
