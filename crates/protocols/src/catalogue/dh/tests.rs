#[test]
fn the_cost_model_counts_what_the_figure_sends() {
    let shape = crate::Shape {
        sender: 4096,
        receiver: 256,
        reveal: crate::Reveal::Receiver,
        attached: crate::AttachedShape::Nothing,
        returned: crate::AttachedShape::Nothing,
        withheld: false,
        coins: 0,
        per_row: 1,
        choices: super::SPEC.defaults(),
    };
    let cost = super::cost(&shape);
    // λ + 12 + 8 = 60 bits: 8 bytes a value.
    assert_eq!(cost.sender.bytes_sent, f64::from(4096 * 32 + 5 + 256 * 8 + 5));
    assert_eq!(cost.receiver.bytes_sent, f64::from(256 * 32 + 5));
    assert_eq!(cost.sender.multiplications, 4352.0);
}
