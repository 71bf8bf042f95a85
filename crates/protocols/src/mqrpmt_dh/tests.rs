use crate::{Reveal, Shape};

#[test]
fn the_set_is_smaller_than_truncated_values_and_than_a_bloom_filter() {
    let n = 1u64 << 16;
    let cost = super::cost(Shape { sender: n, receiver: n, reveal: Reveal::Receiver });
    let set = cost.sender.bytes_sent - 32.0 * n as f64;
    // Truncated values: 72 bits each. Bloom filter with 2^-40 for the run: 1.44 · (40 + 16) bits each.
    assert!(set * 8.0 / (n as f64) < 58.0, "{set}");
    assert!(set * 8.0 / (n as f64) < 1.44 * 56.0, "{set}");
}
