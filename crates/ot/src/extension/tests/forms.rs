//! Every form against its plain definition.

use std::collections::HashSet;

use super::*;

const COUNTS: [usize; 6] = [0, 1, 7, 128, 1000, 70_000];

fn random(parameters: ExtensionParameters, count: usize) {
    let choices = &bits(count, 3);
    let (pairs, blocks) = run(
        parameters,
        |sender, channel| sender.send_random(channel, count).expect("honest"),
        |receiver, channel| receiver.receive_random(channel, choices).expect("honest"),
    );
    assert_eq!((pairs.len(), blocks.len()), (count, count));
    for ((pair, block), choice) in pairs.iter().zip(blocks.iter()).zip(choices) {
        assert!(*block == pair[usize::from(*choice)], "{parameters:?}, {count}");
    }
    let distinct: HashSet<_> = pairs.as_flattened().iter().collect();
    assert_eq!(distinct.len(), 2 * count, "no block occurs twice");
}

#[test]
fn random_transfers_hold_at_every_size_and_depth() {
    for security in BOTH {
        for depth in 1..=MAX_DEPTH {
            COUNTS.iter().for_each(|count| random(parameters(security, depth), *count));
        }
    }
}

#[test]
fn a_batch_longer_than_one_check_holds() {
    random(parameters(Security::Malicious, DEFAULT_DEPTH), BATCH + 1000);
}

#[test]
fn random_choices_are_balanced_and_told() {
    let (pairs, (choices, blocks)) = run(
        parameters(Security::SemiHonest, DEFAULT_DEPTH),
        |sender, channel| sender.send_random(channel, 70_000).expect("honest"),
        |receiver, channel| receiver.receive_random_choices(channel, 70_000).expect("honest"),
    );
    let ones = choices.iter().filter(|choice| **choice).count();
    assert!((34_000..36_000).contains(&ones), "{ones} of 70000 lie 7 deviations off");
    for ((pair, block), choice) in pairs.iter().zip(blocks.iter()).zip(choices.iter()) {
        assert!(*block == pair[usize::from(*choice)]);
    }
}

#[test]
fn one_setup_serves_batches_whose_blocks_differ() {
    for security in BOTH {
        let (pairs, blocks) = run(
            parameters(security, DEFAULT_DEPTH),
            |sender, channel| [5, 5].map(|n| sender.send_random(channel, n).expect("honest")),
            |receiver, channel| {
                [5, 5].map(|n| receiver.receive_random(channel, &vec![true; n]).expect("honest"))
            },
        );
        for (pairs, blocks) in pairs.iter().zip(&blocks) {
            assert!(pairs.iter().zip(blocks.iter()).all(|(pair, block)| pair[1] == *block));
        }
        assert!(blocks[0].iter().all(|block| !blocks[1].contains(block)));
    }
}

#[test]
fn chosen_messages_arrive() {
    for security in BOTH {
        for (count, width) in [(0, 3), (1, 1), (1000, 5), (9000, 40), (3, 60_000)] {
            let (zeros, ones) = (&bytes(count * width, 4), &bytes(count * width, 5));
            let choices = &bits(count, 6);
            let (sent, got) = run(
                parameters(security, DEFAULT_DEPTH),
                |sender, channel| sender.send_chosen(channel, zeros, ones, width),
                |receiver, channel| receiver.receive_chosen(channel, choices, width),
            );
            sent.expect("honest");
            let from = choices.iter().map(|choice| if *choice { ones } else { zeros });
            let want = from.enumerate().flat_map(|(j, from)| &from[j * width..(j + 1) * width]);
            assert!(got.expect("honest").iter().eq(want), "{count} messages of {width} bytes");
        }
    }
}

#[test]
fn one_sided_messages_arrive_or_do_not() {
    for security in BOTH {
        for (count, width) in [(0, 3), (1, 1), (1000, 5), (9000, 40), (3, 131_072)] {
            let messages = &bytes(count * width, 4);
            let choices = &bits(count, 6);
            let (sent, got) = run(
                parameters(security, DEFAULT_DEPTH),
                |sender, channel| sender.send_one_sided(channel, messages, width),
                |receiver, channel| receiver.receive_one_sided(channel, choices, width),
            );
            sent.expect("honest");
            let want = (0..count * width)
                .map(|place| if choices[place / width] { messages[place] } else { 0 });
            assert!(got.expect("honest").iter().copied().eq(want), "{count} of {width} bytes");
        }
    }
}

fn correlated<W: Word + PartialEq + std::fmt::Debug>(
    words: usize,
    word: impl Fn(&[u8]) -> W,
    plus: fn(W, W) -> W,
) {
    for security in BOTH {
        for count in [0, 1, 1000, 9000] {
            let correlations: Vec<W> = bytes(count * words * 16, 4).chunks(16).map(&word).collect();
            let choices = &bits(count, 6);
            let (sent, got) = run(
                parameters(security, DEFAULT_DEPTH),
                |sender, channel| sender.send_correlated(channel, &correlations, words),
                |receiver, channel| receiver.receive_correlated::<W>(channel, choices, words),
            );
            let (random, got) = (sent.expect("honest"), got.expect("honest"));
            let want = (0..count * words).map(|place| match choices[place / words] {
                true => plus(random[place], correlations[place]),
                false => random[place],
            });
            assert!(got.iter().copied().eq(want), "{count} correlations of {words} words");
            assert!(count < 2 || random[0] != random[words], "they are random");
        }
    }
}

#[test]
fn correlations_are_added_or_not() {
    for words in [1, 3] {
        let wide = |bytes: &[u8]| u128::from_le_bytes(bytes.try_into().expect("16 bytes"));
        correlated(words, wide, u128::wrapping_add);
        correlated(words, |bytes| wide(bytes) as u64, u64::wrapping_add);
    }
    correlated(20, |bytes| bytes[0], |a, b| a ^ b);
}

#[test]
fn the_result_is_the_same_for_any_number_of_threads() {
    let pairs = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let (pairs, _) = run(
            parameters(Security::SemiHonest, DEFAULT_DEPTH),
            |sender, channel| {
                pool.install(|| sender.send_random(channel, 100_000)).expect("honest")
            },
            |receiver, channel| {
                receiver.receive_random(channel, &vec![false; 100_000]).expect("honest")
            },
        );
        pairs
    });
    assert!(pairs[0] == pairs[1] && pairs[1] == pairs[2]);
}

#[test]
fn arguments_that_do_not_fit_are_refused_before_anything_is_sent() {
    run(
        parameters(Security::SemiHonest, DEFAULT_DEPTH),
        |sender, channel| {
            let odd = sender.send_one_sided(channel, &[0; 5], 2).expect_err("5 is odd");
            assert_eq!(odd, OtError::Length { what: "messages", expected: 6, got: 5 });
            let none = sender.send_one_sided(channel, &[0; 5], 0).expect_err("no width");
            assert_eq!(none, OtError::Width { max: 131_072, got: 0 });
            let wide = sender.send_chosen(channel, &[], &[], 65_537).expect_err("too wide");
            assert_eq!(wide, OtError::Width { max: 65_536, got: 65_537 });
            sender.send_chosen(channel, &[0; 4], &[0; 6], 2).expect_err("3 and 2 messages");
            sender.send_correlated::<u64>(channel, &[1, 2, 3], 2).expect_err("3 is odd");
            sender.send_random(channel, 2).expect("the setup is as good as before")
        },
        |receiver, channel| {
            receiver.receive_chosen(channel, &[], 65_537).expect_err("too wide");
            receiver.receive_one_sided(channel, &[], 0).expect_err("no width");
            receiver.receive_correlated::<u128>(channel, &[], 8193).expect_err("too wide");
            receiver.receive_random(channel, &[true, false]).expect("honest")
        },
    );
    let depth = ExtensionParameters::new(Security::Malicious, [0; 32]).with_depth(9);
    assert_eq!(depth, Err(OtError::Depth { max: 8, got: 9 }));
}
