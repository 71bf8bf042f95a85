//! Random transfers per second, both parties in this process with a dealer for the base transfers.
//!
//! `taskset -c 0 ot_rate [DEPTH LOG_N]` gives the rate of one core that works for both parties; without arguments
//! for all depths and for 2^20, 2^22 and 2^24 transfers.

#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use veilset_channel::{Framed, memory_pair};
use veilset_ot::ideal::Dealer;
use veilset_ot::{ExtensionParameters, ExtensionReceiver, ExtensionSender, MAX_DEPTH, Security};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    println!("{:12} {:5} {:>9} {:>9} {:>14}", "security", "depth", "n", "seconds", "OTs a second");
    let (depths, logs) = match arguments.as_slice() {
        [depth, log] => {
            let depth = depth.parse().expect("a depth");
            (depth..=depth, vec![log.parse().expect("the logarithm of a size")])
        }
        _ => (1..=MAX_DEPTH, vec![20, 22, 24]),
    };
    for security in [Security::SemiHonest, Security::Malicious] {
        for depth in depths.clone() {
            logs.iter().for_each(|log| report(security, depth, 1 << log));
        }
    }
}

fn report(security: Security, depth: usize, count: usize) {
    let parameters =
        ExtensionParameters::new(security, [1; 32]).with_depth(depth).expect("in range");
    let best = (0..3).map(|_| time(parameters, count)).min().expect("three runs").as_secs_f64();
    let security = format!("{security:?}");
    println!("{security:12} {depth:5} {count:9} {best:9.4} {:14.0}", count as f64 / best);
}

/// From the first correction to the last block, in one thread a party.
fn time(parameters: ExtensionParameters, count: usize) -> Duration {
    let dealer = &Dealer::new([2; 32]);
    let (left, right) = memory_pair();
    let mut choices = vec![false; count];
    let mut rng = ChaCha20Rng::from_seed([3; 32]);
    choices.iter_mut().for_each(|choice| *choice = rng.next_u32() & 1 == 1);
    std::thread::scope(|scope| {
        let sender = scope.spawn(move || {
            one_thread().install(|| {
                let channel = &mut Framed::new(left);
                let rng = &mut ChaCha20Rng::from_seed([4; 32]);
                let mut sender =
                    ExtensionSender::setup(channel, dealer, &parameters, rng).expect("honest");
                let start = Instant::now();
                let pairs = sender.send_random(channel, count).expect("honest");
                (start.elapsed(), pairs)
            })
        });
        let (received, blocks) = one_thread().install(|| {
            let channel = &mut Framed::new(right);
            let rng = &mut ChaCha20Rng::from_seed([5; 32]);
            let mut receiver =
                ExtensionReceiver::setup(channel, dealer, &parameters, rng).expect("honest");
            let start = Instant::now();
            let blocks = receiver.receive_random(channel, &choices).expect("honest");
            (start.elapsed(), blocks)
        });
        let (sent, pairs) = sender.join().expect("no panic");
        for ((pair, block), choice) in pairs.iter().zip(blocks.iter()).zip(&choices) {
            assert!(pair[usize::from(*choice)] == *block);
        }
        sent.max(received)
    })
}

fn one_thread() -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread")
}
