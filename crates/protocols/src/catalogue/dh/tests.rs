#[test]
fn the_cost_model_counts_what_the_figure_sends() {
    let shape = crate::Shape::of_sets(4096, 256, crate::Reveal::Receiver, super::SPEC.defaults());
    let cost = super::cost(&shape);
    // λ + 12 + 8 = 60 bits: 8 bytes a value.
    assert_eq!(cost.sender.bytes_sent, f64::from(4096 * 32 + 5 + 256 * 8 + 5));
    assert_eq!(cost.receiver.bytes_sent, f64::from(256 * 32 + 5));
    assert_eq!(cost.sender.multiplications, 4352.0);
}
