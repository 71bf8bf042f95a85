//! Text that people paste: keys of peers, key columns, links.
#![no_main]

use libfuzzer_sys::fuzz_target;
use veilset_data::KeySpec;
use veilset_net::PublicKey;
use veilset_session::Link;

fuzz_target!(|text: &str| {
    if let Ok(key) = text.parse::<PublicKey>() {
        assert_eq!(key.to_string(), text.trim().to_ascii_lowercase());
    }
    if let Ok(spec) = text.parse::<KeySpec>() {
        assert_eq!(spec.canonical().split(',').count(), spec.columns().len());
    }
    if let Ok(link) = text.parse::<Link>() {
        assert!(link.bits_per_second > 0.0);
    }
});
