//! The unit in which work that is neither on a curve nor on the wire is counted.

use std::hint::black_box;

use rand_core::SeedableRng;
use veilset_structures::okvs::{OkvsKind, OkvsShape, decode, encode};

/// Takes `count` elements through one pass: encodes them in a key-value store and reads them back.
///
/// The other steps of the protocols on vector OLE (trees, code, hashes, sorting) mix arithmetic and memory alike, so that on
/// every machine they take about the same number of these.
pub fn sample_passes(count: usize) {
    let shape = OkvsShape::new(OkvsKind::Cuckoo, count);
    let keys: Vec<u128> = (0..).take(count).collect();
    let rng = &mut chacha20::ChaCha20Rng::from_seed([0; 32]);
    if let Ok(encoding) = encode(&shape, 0, &keys, &keys, rng) {
        let mut values = vec![0; count];
        decode(&shape, 0, &encoding, &keys, &mut values);
        black_box(values);
    }
}
