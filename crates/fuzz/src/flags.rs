//! Text that people paste: keys of peers, key columns, links.

use veilset_data::KeySpec;
use veilset_party::{Identity, PublicKey};
use veilset_session::Link;

use crate::Seed;

/// A text.
pub fn flags(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(key) = text.parse::<PublicKey>() {
        assert_eq!(key.to_string(), text.trim().to_ascii_lowercase());
    }
    if let Ok(spec) = text.parse::<KeySpec>() {
        assert_eq!(spec.canonical().split(',').count(), spec.columns().len());
    }
    if let Ok(link) = text.parse::<Link>() {
        assert!(link.bits_per_second > 0.0);
    }
}

pub(crate) fn seeds() -> Vec<Seed> {
    vec![
        Seed::new("a key", Identity::ephemeral().public_key().to_string()),
        Seed::new("a column", "email:email-gmail"),
        Seed::new("columns", "\"last, \"\"name\"\"\":name,born:date,phone:phone-us"),
        Seed::new("generators", "last:name~deletion,born:date~year,x:~swapped,y:~swapped"),
        Seed::new("a link", "50mbit,80ms"),
        Seed::new("a quick link", "1.5gbit,200us"),
    ]
}
