//! Exact bytes.

use veilset_channel::{Channel, HEADER};

use super::*;

/// Bytes sent by the sender and by the receiver since the setup.
fn bytes_of(
    security: Security,
    depth: usize,
    send: impl FnOnce(&mut ExtensionSender, &mut Memory) + Send,
    receive: impl FnOnce(&mut ExtensionReceiver, &mut Memory) + Send,
) -> (u64, u64) {
    let (costs, ()) = run(
        parameters(security, depth),
        |sender, channel| {
            channel.phase("transfers");
            send(sender, channel);
            channel.costs().phases[1].clone()
        },
        receive,
    );
    (costs.bytes_sent, costs.bytes_received)
}

#[test]
fn a_random_transfer_costs_128_bits_over_the_depth() {
    let frame = HEADER as u64;
    for security in BOTH {
        for depth in 1..=MAX_DEPTH {
            for count in [1, 128, 20_000] {
                let (sent, received) = bytes_of(
                    security,
                    depth,
                    |sender, channel| drop(sender.send_random(channel, count).expect("honest")),
                    |receiver, channel| {
                        drop(receiver.receive_random(channel, &vec![true; count]).expect("honest"));
                    },
                );
                let mut tiles = count.div_ceil(128) as u64;
                let mut check = (0, 0);
                if security == Security::Malicious {
                    tiles += 1;
                    check = (frame + 16, frame + 129 * 16);
                }
                let a_tile = 16 * 128_u64.div_ceil(depth as u64);
                let corrections = a_tile * tiles + frame * tiles.div_ceil(64);
                assert_eq!((sent, received), (check.0, check.1 + corrections), "depth {depth}");
            }
        }
    }
}

#[test]
fn messages_cost_their_width() {
    let count = 10_000;
    let choices = &bits(count, 1);
    let corrections = 16 * 32 * 79 + 2 * 5;
    let one_sided = bytes_of(
        Security::SemiHonest,
        4,
        |sender, channel| sender.send_one_sided(channel, &bytes(count * 20, 2), 20).expect("fits"),
        |receiver, channel| drop(receiver.receive_one_sided(channel, choices, 20).expect("fits")),
    );
    assert_eq!(one_sided, (20 * 10_000 + 2 * 5, corrections));
    let chosen = bytes_of(
        Security::SemiHonest,
        4,
        |sender, channel| {
            let messages = bytes(count * 20, 2);
            sender.send_chosen(channel, &messages, &messages, 20).expect("fits");
        },
        |receiver, channel| drop(receiver.receive_chosen(channel, choices, 20).expect("fits")),
    );
    assert_eq!(chosen, (40 * 10_000 + 4 * 5, corrections));
    let correlated = bytes_of(
        Security::SemiHonest,
        4,
        |sender, channel| {
            drop(sender.send_correlated(channel, &vec![1_u64; 2 * count], 2).expect("fits"));
        },
        |receiver, channel| {
            drop(receiver.receive_correlated::<u64>(channel, choices, 2).expect("fits"));
        },
    );
    assert_eq!(correlated, (16 * 10_000 + 2 * 5, corrections));
}

#[test]
fn the_setup_costs_what_its_trees_do() {
    for (security, depth, want) in [
        (Security::SemiHonest, 1, 0),
        (Security::SemiHonest, 4, 96 * 32),
        (Security::Malicious, 4, 96 * 32 + 32 * 64),
        (Security::SemiHonest, 8, 112 * 32),
    ] {
        let dealer = &Dealer::new([9; 32]);
        let (left, right) = memory_pair();
        let parameters = &parameters(security, depth);
        let received = std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut channel = Framed::new(right);
                ExtensionReceiver::setup(&mut channel, dealer, parameters, &mut rng(1))
                    .expect("honest");
            });
            let mut channel = metered(left);
            ExtensionSender::setup(&mut channel, dealer, parameters, &mut rng(2)).expect("honest");
            channel.costs().bytes_received()
        });
        assert_eq!(received, HEADER as u64 + want, "{security:?}, depth {depth}");
    }
}
