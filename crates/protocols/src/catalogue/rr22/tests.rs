use super::*;
use crate::AttachedShape;

#[test]
fn a_million_elements_take_less_than_18_megabytes_and_against_cheats_34() {
    let shape = Shape {
        sender: 1 << 20,
        receiver: 1 << 20,
        reveal: Reveal::Receiver,
        attached: AttachedShape::Nothing,
        returned: AttachedShape::Nothing,
        choices: SEMI_HONEST.spec.defaults(),
    };
    for (security, most) in [(Security::SemiHonest, 18.5e6), (Security::Malicious, 34e6)] {
        let cost = cost(&shape, security);
        assert!(cost.sender.bytes_sent + cost.receiver.bytes_sent < most, "{security}");
    }
}
