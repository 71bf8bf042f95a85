mod cheats;
mod costs;
mod faults;
mod forms;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use veilset_channel::{Framed, MemoryTransport, Metered, memory_pair};

use super::*;
use crate::ideal::Dealer;

const BOTH: [Security; 2] = [Security::SemiHonest, Security::Malicious];

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

fn bits(count: usize, seed: u8) -> Vec<bool> {
    let mut rng = rng(seed);
    (0..count).map(|_| rng.next_u32() & 1 == 1).collect()
}

fn bytes(count: usize, seed: u8) -> Vec<u8> {
    let mut bytes = vec![0; count];
    rng(seed).fill_bytes(&mut bytes);
    bytes
}

fn parameters(security: Security, depth: usize) -> ExtensionParameters {
    ExtensionParameters::new(security, [7; 32]).with_depth(depth).expect("in range")
}

type Memory = Metered<Framed<MemoryTransport>>;

fn metered(transport: MemoryTransport) -> Memory {
    Metered::new(Framed::new(transport), "setup")
}

/// Sets both parties up with a dealer and lets each do its part in a thread of its own.
fn run<A: Send, B: Send>(
    parameters: ExtensionParameters,
    send: impl FnOnce(&mut ExtensionSender, &mut Memory) -> A + Send,
    receive: impl FnOnce(&mut ExtensionReceiver, &mut Memory) -> B + Send,
) -> (A, B) {
    let dealer = &Dealer::new([9; 32]);
    let (left, right) = memory_pair();
    std::thread::scope(|scope| {
        let sender = scope.spawn(move || {
            let mut channel = metered(left);
            let mut sender = ExtensionSender::setup(&mut channel, dealer, &parameters, &mut rng(1))
                .expect("the receiver is honest");
            send(&mut sender, &mut channel)
        });
        let mut channel = metered(right);
        let mut receiver = ExtensionReceiver::setup(&mut channel, dealer, &parameters, &mut rng(2))
            .expect("the sender is honest");
        let received = receive(&mut receiver, &mut channel);
        drop(channel);
        (sender.join().expect("the sender does not panic"), received)
    })
}
