//! Base transfers and extension together, as a protocol uses them.

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Framed, memory_pair};
use veilset_ot::base::{MlKem, Ristretto};
use veilset_ot::{BaseOt, ExtensionParameters, ExtensionReceiver, ExtensionSender, Security};

fn one_sided_over(base: &(dyn BaseOt + Sync), security: Security) {
    let parameters = ExtensionParameters::new(security, [8; 32]);
    let choices: Vec<bool> = (0..3000).map(|j| j % 3 == 1).collect();
    let messages: Vec<u8> = (0..3000 * 20).map(|byte| (byte % 251) as u8 + 1).collect();
    let (left, right) = memory_pair();
    let got = std::thread::scope(|scope| {
        scope.spawn(|| {
            let channel = &mut Framed::new(left);
            let rng = &mut ChaCha20Rng::from_seed([1; 32]);
            let mut sender = ExtensionSender::setup(channel, base, &parameters, rng)
                .expect("the receiver is honest");
            sender.send_one_sided(channel, &messages, 20).expect("the receiver is honest");
        });
        let channel = &mut Framed::new(right);
        let rng = &mut ChaCha20Rng::from_seed([2; 32]);
        let mut receiver = ExtensionReceiver::setup(channel, base, &parameters, rng)
            .expect("the sender is honest");
        receiver.receive_one_sided(channel, &choices, 20).expect("the sender is honest")
    });
    for ((got, sent), choice) in got.chunks(20).zip(messages.chunks(20)).zip(choices) {
        assert_eq!(got, if choice { sent } else { &[0; 20] });
    }
}

#[test]
fn an_extension_of_either_base_carries_messages() {
    for security in [Security::SemiHonest, Security::Malicious] {
        one_sided_over(&Ristretto::new([3; 32]), security);
        one_sided_over(&MlKem::new([4; 32]), security);
    }
}
