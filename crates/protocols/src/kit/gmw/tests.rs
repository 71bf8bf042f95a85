use std::ops::Range;
use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use veilset_channel::{Framed, MemoryTransport, memory_pair};

use super::products::{Factors, Source};
use super::*;
use crate::{Groups, MAX_GROUPS, Sharing, Silent};

/// What the offerer and the chooser do in one session; the sides' randomness follows from `seed`.
fn meet<T: Send>(
    seed: u8,
    offerer: impl FnOnce(&mut Gmw, &mut Means<'_>) -> T + Send,
    chooser: impl FnOnce(&mut Gmw, &mut Means<'_>) -> T,
) -> [T; 2] {
    meet_over([Gmw::offering, Gmw::choosing], seed, offerer, chooser)
}

type Setup = fn(&mut Means<'_>) -> Result<Gmw, ProtocolError>;

/// The same over transfers that the sides set up so.
fn meet_over<T: Send>(
    setups: [Setup; 2],
    seed: u8,
    offerer: impl FnOnce(&mut Gmw, &mut Means<'_>) -> T + Send,
    chooser: impl FnOnce(&mut Gmw, &mut Means<'_>) -> T,
) -> [T; 2] {
    fn side<T>(
        seed: [u8; 2],
        end: MemoryTransport,
        setup: Setup,
        work: impl FnOnce(&mut Gmw, &mut Means<'_>) -> T,
    ) -> T {
        let means = &mut Means {
            session: &[seed[0]; 32],
            channel: &mut Framed::new(end),
            rng: &mut ChaCha20Rng::from_seed(*blake3::hash(&seed).as_bytes()),
            observer: &Silent,
        };
        let mut gmw = setup(means).expect("a setup");
        work(&mut gmw, means)
    }
    let (left, right) = memory_pair();
    thread::scope(|scope| {
        let offerer = scope.spawn(move || side([seed, 1], left, setups[0], offerer));
        let chooser = side([seed, 2], right, setups[1], chooser);
        [offerer.join().expect("no panic"), chooser]
    })
}

/// Shares of bits are random each by itself.
fn assert_random(shares: &[u8]) {
    let ones = shares.iter().filter(|share| **share == 1).count() as f64;
    let count = shares.len() as f64;
    assert!((ones - count / 2.0).abs() < 3.5 * count.sqrt(), "{ones} of {count}");
}

#[test]
fn gates_give_any_function_of_four_shared_bits() {
    let mut rng = ChaCha20Rng::from_seed([1; 32]);
    let truths: Vec<u16> = (0..4000).map(|_| rng.next_u32() as u16).collect();
    let inputs: [Vec<u8>; 2] =
        [(); 2].map(|()| truths.iter().map(|_| rng.next_u32() as u8 & 15).collect());
    let (truths, [own, others]) = (&truths, &inputs);
    let [offered, chosen] = meet(
        2,
        |gmw, means| gmw.gates(means, "gates", own, |place| truths[place]).expect("it runs"),
        |gmw, means| gmw.gates(means, "gates", others, |_| 0).expect("it runs"),
    );
    for (place, truth) in truths.iter().enumerate() {
        let input = own[place] ^ others[place];
        assert_eq!(u16::from(offered[place] ^ chosen[place]), truth >> input & 1);
    }
    assert_random(&offered);
    assert_random(&chosen);
}

/// What either kind of transfers gives of the same inputs is what plain numbers say.
#[test]
fn a_dealers_transfers_give_what_silent_ones_give() {
    let silent: [Setup; 2] = [Gmw::offering, Gmw::choosing];
    let dealt: [Setup; 2] = [Gmw::offering_dealt, Gmw::choosing_dealt];
    let mut rng = ChaCha20Rng::from_seed([17; 32]);
    let count = 300;
    let [own, others]: [Vec<u8>; 2] =
        [(); 2].map(|()| (0..count).map(|_| rng.next_u32() as u8 & 15).collect());
    let numbers: Vec<u128> = (0..count).map(|_| u128::from(rng.next_u64() >> 4)).collect();
    let of: Vec<u32> = (0..count as u32).map(|place| place % 5).collect();
    let order: Vec<u32> = (0..count as u32).rev().collect();
    // A gate, then its bits in another order, times numbers, by groups and in all; and whether the sum is at least a bound.
    let work = |gmw: &mut Gmw, means: &mut Means<'_>, own: &[u8]| {
        let bits = gmw.gates(means, "gates", own, |place| 0x1ee8 ^ place as u16)?;
        let bits = gmw.permuted(means, "order", &bits, &order)?;
        let numbers = Source::Held(&numbers);
        let factors = Factors { sharing: Sharing::Additive, widths: &[9], numbers };
        let groups = Groups { count: 5, of: &of };
        let by_group = gmw.grouped_sums(means, "groups", &bits, factors, groups)?;
        let sums = gmw.sums(means, "sums", &bits, factors)?;
        let enough = at_least(gmw, means, "least", &sums, 72, 1 << 66)?;
        Ok([by_group.to_vec(), sums.to_vec(), vec![enough[0].into()]])
    };
    let work = |gmw: &mut Gmw, means: &mut Means<'_>, own: &[u8]| {
        let made: Result<[Vec<u128>; 3], ProtocolError> = work(gmw, means, own);
        made.expect("it runs")
    };
    let bit = |place: usize| (0x1ee8 ^ place as u16) >> (own[place] ^ others[place]) & 1;
    let products = |group: Option<usize>| -> u128 {
        let places = (0..count).filter(|place| group.is_none_or(|group| place % 5 == group));
        let product = |place: usize| u128::from(bit(count - 1 - place)) * numbers[place];
        places.map(product).sum()
    };
    for setups in [silent, dealt] {
        let [offered, chosen] = meet_over(
            setups,
            9,
            |gmw, means| work(gmw, means, &own),
            |gmw, means| work(gmw, means, &others),
        );
        let sum =
            |at: usize, place: usize| cut(offered[at][place].wrapping_add(chosen[at][place]), 9);
        assert!((0..5).all(|group| sum(0, group) == products(Some(group))));
        assert_eq!(sum(1, 0), products(None));
        assert_eq!((offered[2][0] ^ chosen[2][0]) == 1, products(None) >= 1 << 66);
    }
}

#[test]
fn tables_of_truth_have_their_ones() {
    assert_eq!((truth(&[]), truth(&[0, 4, 15])), (0, 0x8011));
}

#[test]
fn shares_say_which_values_differ() {
    let mut rng = ChaCha20Rng::from_seed([4; 32]);
    for (seed, bits) in [(1, 1), (2, 4), (3, 5), (4, 16), (5, 17), (6, 61), (7, 64)] {
        let kept = u64::MAX >> (64 - bits);
        let values: Vec<u64> = (0..600).map(|_| rng.next_u64()).collect();
        let other = |(place, value): (usize, &u64)| match place % 3 {
            0 => *value,
            // Another one by a single bit, or what is beyond the bits that count.
            1 => value ^ 1 << (place as u32 % bits),
            _ => value ^ !kept,
        };
        let others: Vec<u64> = values.iter().enumerate().map(other).collect();
        let [own, theirs] = meet(
            seed,
            |gmw, means| any_bit(gmw, means, "any", &values, bits).expect("it runs"),
            |gmw, means| any_bit(gmw, means, "any", &others, bits).expect("it runs"),
        );
        for (place, (own, theirs)) in own.iter().zip(&*theirs).enumerate() {
            assert_eq!((own ^ theirs) == 1, place % 3 == 1, "{bits} bits, {place}");
        }
        assert_random(&own);
        assert_random(&theirs);
    }
}

#[test]
fn shares_say_which_numbers_are_at_least_a_bound() {
    let mut rng = ChaCha20Rng::from_seed([5; 32]);
    for (seed, bits) in [(1, 8), (2, 16), (3, 24), (4, 4), (5, 40), (6, 124)] {
        let half = 1_u128 << (bits - 1);
        let mut random = |below: u128| {
            let [high, low] = [(); 2].map(|()| u128::from(rng.next_u64()));
            (high << 64 | low) % below
        };
        for least in [0, 1, half - 1, random(half)] {
            let numbers: Vec<u128> = (0..300)
                .map(|place| match place % 5 {
                    0 => least,
                    1 => least.saturating_sub(1),
                    2 => [0, half - 1][place % 2],
                    _ => random(half),
                })
                .collect();
            let own: Vec<u128> = numbers.iter().map(|_| random(2 * half)).collect();
            let others = own
                .iter()
                .zip(&numbers)
                .map(|(own, number)| number.wrapping_sub(*own) % (2 * half));
            let others: Vec<u128> = others.collect();
            let [offered, chosen] = meet(
                seed,
                |gmw, means| {
                    let before = gmw.ready();
                    let enough = at_least(gmw, means, "least", &own, bits, least).expect("it runs");
                    assert_eq!((before, gmw.ready()), (0, 0), "as many gates as it says");
                    enough
                },
                |gmw, means| at_least(gmw, means, "least", &others, bits, least).expect("it runs"),
            );
            for (place, number) in numbers.iter().enumerate() {
                let enough = (offered[place] ^ chosen[place]) == 1;
                assert_eq!(enough, *number >= least, "{number} and {least} of {bits} bits");
            }
            assert_random(&offered);
        }
    }
}

#[test]
fn coins_of_many_numbers_are_tossed_at_once_and_in_their_places() {
    let widths = [[3, 16, 16].repeat(2500), vec![16]].concat();
    let groups = tossed(200, &widths);
    let mut places: Vec<usize> = Vec::new();
    for toss in &groups {
        assert_eq!(toss.each, if toss.width == 3 { 200 } else { 327 });
        assert_eq!(toss.coins(), Some(toss.each * toss.places.len()));
        assert!(toss.places.iter().all(|place| widths[*place] == toss.width));
        places.extend(&toss.places);
    }
    for (each, places) in [(usize::MAX / 2, 3), (usize::MAX, 1)] {
        let many = Toss { width: 3, each, places: vec![0; places] };
        assert_eq!(many.coins(), None, "more than this machine counts in batches");
    }
    assert_eq!(groups.len(), 2);
    places.sort_unstable();
    assert!(places.into_iter().eq(0..widths.len()));
    // Numbers of one coin pair each and a scale of their own.
    let widths = [3, 16, 3, 16];
    let [offered, chosen] = meet(
        3,
        |gmw, means| gmw.noise(means, "noise", 2, &widths, &[0, 60, 0, 100]).expect("it runs"),
        |gmw, means| gmw.noise(means, "noise", 2, &widths, &[0; 4]).expect("it runs"),
    );
    let noise = |place: usize| cut(offered[place].wrapping_add(chosen[place]), widths[place]);
    assert!(noise(0) <= 2 && noise(2) <= 2);
    let far = |place: usize| noise(place).cast_signed().unsigned_abs();
    assert!(far(1) < 1 << 62 && far(3) < 1 << 102 && far(3) > 1 << 70);
}

#[test]
fn shared_numbers_are_selected_by_shared_bits() {
    let mut rng = ChaCha20Rng::from_seed([15; 32]);
    for width in [1, 3, 8, 16] {
        let count = 60;
        let mut random = || u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
        let numbers: [Vec<u128>; 2] =
            [(); 2].map(|()| (0..count).map(|_| cut(random(), width)).collect());
        let bits: [Vec<u8>; 2] = [(); 2].map(|()| (0..count).map(|_| random() as u8 & 1).collect());
        let ([own, others], [bits, other_bits]) = (&numbers, &bits);
        let select = |gmw: &mut Gmw, means: &mut Means<'_>, bits: &[u8], numbers: &[u128]| {
            gmw.selected(means, "select", bits, numbers, width).expect("it runs")
        };
        let [offered, chosen] = meet(
            width as u8,
            |gmw, means| select(gmw, means, bits, own),
            |gmw, means| select(gmw, means, other_bits, others),
        );
        for place in 0..count {
            let number = cut(own[place].wrapping_add(others[place]), width);
            let expected = if bits[place] == other_bits[place] { 0 } else { number };
            assert_eq!(cut(offered[place].wrapping_add(chosen[place]), width), expected);
        }
    }
}

#[test]
fn shared_bits_come_in_the_order_that_is_asked_for() {
    let mut rng = ChaCha20Rng::from_seed([14; 32]);
    for len in [1, 2, 3, 4, 5, 8, 13, 16, 31, 64, 200, 1000] {
        for seed in 0..4 {
            let mut order: Vec<u32> = (0..len).collect();
            for place in (1..len).rev() {
                order.swap(place as usize, (rng.next_u32() % (place + 1)) as usize);
            }
            if seed == 0 {
                order.sort_unstable();
            }
            let [own, others]: [Vec<u8>; 2] =
                [(); 2].map(|()| (0..len).map(|_| rng.next_u32() as u8 & 1).collect());
            let [offered, chosen] = meet(
                seed,
                |gmw, means| {
                    let moved = gmw.permuted(means, "order", &own, &order).expect("it runs");
                    assert_eq!(gmw.ready(), 0, "as many gates as it says");
                    moved
                },
                |gmw, means| gmw.permuted(means, "order", &others, &[]).expect("it runs"),
            );
            let moved = offered.iter().zip(&*chosen).map(|(one, other)| one ^ other);
            let expected = order.iter().map(|from| own[*from as usize] ^ others[*from as usize]);
            assert!(moved.eq(expected), "{order:?}");
            if len == 1000 {
                assert_random(&offered);
                assert_random(&chosen);
            }
        }
    }
}

#[test]
fn shares_of_products_add_up_to_them() {
    let mut rng = ChaCha20Rng::from_seed([6; 32]);
    let widths = &[3, 16, 1];
    let count = 500;
    let numbers: Vec<u128> =
        (0..3 * count).map(|_| u128::from(rng.next_u64()).wrapping_neg()).collect();
    let bits: [Vec<u8>; 2] =
        [(); 2].map(|()| (0..count).map(|_| rng.next_u32() as u8 & 1).collect());
    let [own, others] = &bits;
    let numbers = &numbers[..];
    let products = |gmw: &mut Gmw, means: &mut Means<'_>, own: &[u8], numbers: &[u128]| {
        let mut all = Vec::new();
        let made =
            |bits: Range<usize>| Zeroizing::new(numbers[3 * bits.start..3 * bits.end].to_vec());
        let factors = Factors { sharing: Sharing::Additive, widths, numbers: Source::Made(&made) };
        gmw.products(means, "products", own, factors, |shares| all.extend_from_slice(shares))
            .expect("it runs");
        let factors = Factors { numbers: Source::Held(numbers), ..factors };
        let sums = gmw.sums(means, "sums", own, factors).expect("it runs");
        (all, sums.to_vec())
    };
    let [offered, chosen] = meet(
        7,
        |gmw, means| products(gmw, means, own, numbers),
        |gmw, means| products(gmw, means, others, &[]),
    );
    let mut sums = [0_u128; 3];
    for (place, number) in numbers.iter().enumerate() {
        let (bit, width) = (own[place / 3] ^ others[place / 3], widths[place % 3]);
        let product = cut(offered.0[place].wrapping_add(chosen.0[place]), width);
        assert_eq!(product, cut(u128::from(bit) * number, width), "{place}");
        sums[place % 3] = sums[place % 3].wrapping_add(product);
    }
    for (place, width) in widths.iter().enumerate() {
        let sum = offered.1[place].wrapping_add(chosen.1[place]);
        assert_eq!(cut(sum, *width), cut(sums[place], *width));
        assert_eq!(offered.1[place], cut(offered.1[place], *width), "it is reduced");
    }
}

#[test]
fn shares_by_exclusive_or_make_products() {
    let mut rng = ChaCha20Rng::from_seed([9; 32]);
    let numbers: Vec<u128> = (0..300).map(|_| u128::from(rng.next_u64()) << 40).collect();
    let bits: [Vec<u8>; 2] = [(); 2].map(|()| (0..300).map(|_| rng.next_u32() as u8 & 1).collect());
    let [own, others] = &bits;
    let products = |gmw: &mut Gmw, means: &mut Means<'_>, own: &[u8], numbers: &[u128]| {
        let mut all = Vec::new();
        let numbers = Source::Held(numbers);
        let factors = Factors { sharing: Sharing::Xor, widths: &[16], numbers };
        gmw.products(means, "products", own, factors, |shares| all.extend_from_slice(shares))
            .expect("it runs");
        all
    };
    let [offered, chosen] = meet(
        8,
        |gmw, means| products(gmw, means, own, &numbers),
        |gmw, means| products(gmw, means, others, &[]),
    );
    for (place, number) in numbers.iter().enumerate() {
        let bit = u128::from(own[place] ^ others[place]);
        assert_eq!(offered[place] ^ chosen[place], bit * number, "{place}");
    }
}

#[test]
fn noise_is_scaled_coins_about_their_mean() {
    const COINS: u32 = 100;
    for (width, log) in [(3, 0), (16, 0), (16, 7), (16, 90)] {
        let [offered, chosen] = meet(
            log as u8,
            |gmw, means| {
                gmw.noise(means, "noise", COINS, &[width; 200], &[log; 200]).expect("it runs")
            },
            // It knows of no scale.
            |gmw, means| {
                gmw.noise(means, "noise", COINS, &[width; 200], &[0; 200]).expect("it runs")
            },
        );
        let noise = offered.iter().zip(&*chosen).map(|(own, other)| {
            let noise = cut(own.wrapping_add(*other), width).cast_signed();
            if width == 3 { noise - i128::from(COINS / 2) } else { noise }
        });
        let scaled: Vec<f64> = noise.map(|noise| noise as f64 / f64::from(log).exp2()).collect();
        let mean = scaled.iter().sum::<f64>() / 200.0;
        let variance = scaled.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / 200.0;
        // 25 is expected, and a twelfth more where the powers below the scale are uniform; deviations are 0.35 and 2.5.
        assert!(mean.abs() < 1.8 && (variance - 25.0).abs() < 13.0, "{log}: {mean} {variance}");
        assert!(scaled.iter().all(|one| one.abs() <= 51.0), "{log}");
        let low =
            offered.iter().zip(&*chosen).filter(|(own, other)| own.wrapping_add(**other) & 1 == 1);
        assert!(log == 0 || (60..140).contains(&low.count()), "the lowest bit is uniform");
    }
}

#[test]
fn shares_of_sums_by_group_add_up_to_them() {
    let mut rng = ChaCha20Rng::from_seed([8; 32]);
    let widths = &[3, 16];
    for (seed, groups, count) in [
        (1, 1, 50),
        (2, 2, 300),
        (3, 3, 300),
        (4, 7, 300),
        (5, 100, 700),
        (6, 129, 300),
        (7, MAX_GROUPS, 90),
    ] {
        let mut random = |below: usize| rng.next_u32() as usize % below;
        let of: Vec<u32> = (0..count).map(|_| random(groups) as u32).collect();
        let own: Vec<u8> = (0..count).map(|_| random(2) as u8).collect();
        let others: Vec<u8> = (0..count).map(|_| random(2) as u8).collect();
        let numbers: Vec<u128> =
            (0..2 * count).map(|_| u128::from(rng.next_u64()).wrapping_neg()).collect();
        let sums =
            |gmw: &mut Gmw, means: &mut Means<'_>, own: &[u8], numbers: &[u128], of: &[u32]| {
                let (factors, groups) = (
                    Factors { sharing: Sharing::Additive, widths, numbers: Source::Held(numbers) },
                    Groups { count: groups, of },
                );
                // The second time, as trees must not be those of the first.
                gmw.grouped_sums(means, "sums", own, factors, groups).expect("it runs");
                gmw.grouped_sums(means, "sums", own, factors, groups).expect("it runs").to_vec()
            };
        let [offered, chosen] = meet(
            seed,
            |gmw, means| sums(gmw, means, &own, &numbers, &of),
            |gmw, means| sums(gmw, means, &others, &[], &[]),
        );
        let mut expected = vec![0_u128; 2 * groups];
        for (place, group) in of.iter().enumerate() {
            let bit = u128::from(own[place] ^ others[place]);
            for column in 0..2 {
                let sum = &mut expected[2 * *group as usize + column];
                *sum = sum.wrapping_add(bit * numbers[2 * place + column]);
            }
        }
        for (place, expected) in expected.iter().enumerate() {
            let sum = offered[place].wrapping_add(chosen[place]);
            assert_eq!(cut(sum, widths[place % 2]), cut(*expected, widths[place % 2]), "{groups}");
        }
        let bytes: Vec<u8> =
            chosen.iter().flat_map(|share| share.to_le_bytes()[..3].to_vec()).collect();
        let ones: u32 = bytes.iter().map(|byte| byte.count_ones()).sum();
        let bits = 8.0 * bytes.len() as f64;
        assert!((f64::from(ones) - bits / 2.0).abs() < 3.0 * bits.sqrt(), "{ones} of {bits}");
    }
}
