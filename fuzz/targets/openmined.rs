//! Messages of OpenMined's PSI, which a partner sent.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| veilset_fuzz::openmined(data));
