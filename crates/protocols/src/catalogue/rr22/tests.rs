use super::*;

#[test]
fn a_million_elements_take_less_than_18_megabytes_and_against_cheats_34() {
    let shape = Shape::of_sets(1 << 20, 1 << 20, Reveal::Receiver, SEMI_HONEST.spec.defaults());
    let bytes = |entry: &Rr22| {
        let cost = entry.cost(shape);
        cost.sender.bytes_sent + cost.receiver.bytes_sent
    };
    assert!(bytes(&SEMI_HONEST) < 18.5e6 && bytes(&MALICIOUS) < 34e6);
    // 128 base transfers from ML-KEM in place of those on a curve.
    let more = 128.0 * f64::from(2_336 + 2_176 - 64) - 32.0 + 4.0 * 5.0;
    assert!((bytes(&POST_QUANTUM) - bytes(&SEMI_HONEST) - more).abs() < 1e-6);
    assert!((bytes(&MALICIOUS_POST_QUANTUM) - bytes(&MALICIOUS) - more).abs() < 1e-6);
}
