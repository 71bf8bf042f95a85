use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use veilset_channel::{Framed, MemoryTransport, memory_pair};
use veilset_crypto::Element;

use super::*;
use crate::{Attached, GroupSums, Groups, MAX_FACTOR, Means, Reveal, RunInput, Silent};

fn element(number: u32) -> Element {
    // Nothing of it looks random.
    let mut bytes = [0x5a; Element::LEN];
    bytes[..4].copy_from_slice(&number.to_le_bytes());
    Element(bytes)
}

/// Both sides of what they do in one session, the sender first; the sides' randomness follows from `seed`.
fn meet<A: Send, B>(
    seed: u8,
    sender: impl FnOnce(&mut Means<'_>) -> A + Send,
    receiver: impl FnOnce(&mut Means<'_>) -> B,
) -> (A, B) {
    fn side<T>(seed: [u8; 2], end: MemoryTransport, work: impl FnOnce(&mut Means<'_>) -> T) -> T {
        work(&mut Means {
            session: &[seed[0]; 32],
            channel: &mut Framed::new(end),
            rng: &mut ChaCha20Rng::from_seed(*blake3::hash(&seed).as_bytes()),
            observer: &Silent,
        })
    }
    let (left, right) = memory_pair();
    thread::scope(|scope| {
        let sender = scope.spawn(move || side([seed, 1], left, sender));
        let receiver = side([seed, 2], right, receiver);
        (sender.join().expect("no panic"), receiver)
    })
}

/// What a side has: elements of these numbers, and a value for each element and column, or what it lends: a factor of so many bytes.
struct Held<'a> {
    elements: &'a [u32],
    columns: usize,
    products: usize,
    lends: bool,
    factor: usize,
    words: &'a [i128],
    groups: Option<Groups<'a>>,
}

impl<'a> Held<'a> {
    fn only(elements: &'a [u32]) -> Self {
        Self {
            elements,
            columns: 0,
            products: 0,
            lends: false,
            factor: 0,
            words: &[],
            groups: None,
        }
    }

    fn attached(&self) -> Attached<'a> {
        match *self {
            Self { lends: true, factor, words, groups, .. } => {
                Attached::Lent { factor, words, groups }
            }
            Self { columns: 0, groups: None, .. } => Attached::Nothing,
            Self { columns, products, words, groups, .. } => {
                Attached::Values { columns, products, words, groups }
            }
        }
    }
}

/// How a result is told.
#[derive(Clone, Copy)]
struct Asked {
    reveal: Reveal,
    least: Option<u64>,
    coins: u32,
    /// Elements of a row.
    per_row: usize,
}

/// The outcomes of a run, the sender's first.
fn outcomes(seed: u8, circuit: &Circuit, held: [&Held<'_>; 2], asked: Asked) -> [Outcome; 2] {
    ends(seed, circuit, held, asked).map(|end| end.expect("it runs"))
}

/// How a run ends, the sender's end first.
fn ends(
    seed: u8,
    circuit: &Circuit,
    held: [&Held<'_>; 2],
    Asked { reveal, least, coins, per_row }: Asked,
) -> [Result<Outcome, ProtocolError>; 2] {
    let side = |role: Role, [own, peer]: [&Held<'_>; 2], means: &mut Means<'_>| {
        let Means { session, channel, rng, observer } = means;
        let elements: Vec<_> = own.elements.iter().map(|number| element(*number)).collect();
        let conclusion = circuit.run(Run {
            side: Side { role, reveal },
            input: RunInput {
                elements: elements.into(),
                peer_count: peer.elements.len(),
                attached: own.attached(),
                peer_attached: peer.attached().shape(),
                per_row,
                slack: 0,
                least,
                coins,
                choices: circuit.spec().defaults(),
            },
            means: Means { session, channel: &mut **channel, rng: &mut **rng, observer: *observer },
        });
        conclusion.and_then(|conclude| conclude())
    };
    let [sender, receiver] = held;
    let (sender, receiver) = meet(
        seed,
        |means| side(Role::Sender, [sender, receiver], means),
        |means| side(Role::Receiver, [receiver, sender], means),
    );
    [sender, receiver]
}

fn counted(seed: u8, sets: [&[u32]; 2], reveal: Reveal, least: Option<u64>) -> [Outcome; 2] {
    let [sender, receiver] = sets.map(Held::only);
    outcomes(seed, &COUNT, [&sender, &receiver], Asked { reveal, least, coins: 0, per_row: 1 })
}

/// Rows of so many different elements each, of which few are of both sides: one after the other.
fn rows(rng: &mut ChaCha20Rng, per_row: usize) -> Vec<u32> {
    let rows = rng.next_u32() as usize % 14;
    let mut all: Vec<u32> = (0..80).collect();
    for place in (1..all.len()).rev() {
        all.swap(place, rng.next_u32() as usize % (place + 1));
    }
    all.truncate(rows * per_row);
    all
}

/// Random numbers that so many bytes hold in two's complement, among them the least and the most.
fn factors(rng: &mut ChaCha20Rng, bytes: usize, count: usize) -> Vec<i128> {
    let unused = 64 - 8 * bytes as u32;
    let number = |place| match place % 5 {
        0 => i64::MIN >> unused,
        1 => i64::MAX >> unused,
        _ => rng.next_u64().cast_signed() >> unused,
    };
    (0..count).map(number).map(i128::from).collect()
}

/// A random set of at least so many elements.
fn set(rng: &mut ChaCha20Rng, least: u32) -> Vec<u32> {
    let size = least + rng.next_u32() % 40;
    let mut set: Vec<u32> = (0..size).map(|_| rng.next_u32() % 60).collect();
    set.sort_unstable();
    set.dedup();
    set
}

#[test]
fn counts_are_those_of_plain_sets() {
    let mut rng = ChaCha20Rng::from_seed([3; 32]);
    for seed in 0..60 {
        let sets = [u32::from(seed % 7 > 0), seed as u32 % 2].map(|least| set(&mut rng, least));
        let common = sets[0].iter().filter(|number| sets[1].contains(number)).count() as u64;
        let reveal = if seed % 3 == 0 { Reveal::Receiver } else { Reveal::Both };
        let least =
            [None, Some(1), Some(common), Some(common + 1), Some(u64::MAX)][seed as usize % 5];
        let [sender, receiver] = counted(seed, [&sets[0], &sets[1]], reveal, least);
        let withheld = least.is_some_and(|least| common < least);
        let told = if withheld { Outcome::Fewer } else { Outcome::Count(common) };
        assert_eq!(receiver, told, "{sets:?}");
        let told = if reveal == Reveal::Both { told } else { Outcome::Nothing };
        assert_eq!(sender, told, "{sets:?}");
    }
}

#[test]
fn sums_are_those_of_plain_tables() {
    let mut rng = ChaCha20Rng::from_seed([8; 32]);
    for seed in 0..40 {
        let [own, others] =
            [seed as u32 % 2, u32::from(seed % 7 > 0)].map(|least| set(&mut rng, least));
        let columns = 1 + seed as usize % 3;
        let word = |_| i128::from(rng.next_u64().cast_signed()) << (seed % 60);
        let words: Vec<i128> = (0..columns * own.len()).map(word).collect();
        let common: Vec<usize> =
            (0..own.len()).filter(|place| others.contains(&own[*place])).collect();
        let count = common.len() as u64;
        let sum = |column: usize| common.iter().map(|place| words[columns * place + column]).sum();
        let sums: Vec<i128> = (0..columns).map(sum).collect();
        let least = [None, Some(count), Some(count + 1)][seed as usize % 3];
        let sender = Held { columns, words: &words, ..Held::only(&own) };
        let held = [&sender, &Held::only(&others)];
        let asked = Asked { reveal: Reveal::Both, least, coins: 0, per_row: 1 };
        let told = outcomes(seed, &SUM, held, asked);
        let withheld = least == Some(count + 1);
        let expected = match withheld {
            true => [Outcome::Fewer, Outcome::Fewer],
            false => [Outcome::Sums { count, sums }, Outcome::Count(count)],
        };
        assert_eq!(told, expected, "{own:?} {others:?}");
    }
}

#[test]
fn what_is_lent_counts_as_in_plain_tables() {
    let mut rng = ChaCha20Rng::from_seed([12; 32]);
    let (mut with_products, mut with_groups) = (0, 0);
    for seed in 0..60 {
        let [own, others] =
            [seed as u32 % 2, u32::from(seed % 7 > 0)].map(|least| set(&mut rng, least));
        let columns = seed as usize % 4;
        let products = (1 + seed as usize % 5).min(columns);
        let bytes = if products > 0 { 1 + seed as usize % MAX_FACTOR } else { 0 };
        let word = |_| i128::from(rng.next_u64().cast_signed()) >> (seed % 64);
        let words: Vec<i128> = (0..columns * own.len()).map(word).collect();
        let factors = factors(&mut rng, bytes.max(1), others.len());
        let lent = [None, Some(1), Some(4), Some(8), Some(9), Some(64)][seed as usize % 6];
        let owned = [None, Some(5)][seed as usize / 6 % 2];
        let mut groups_of = |count: Option<usize>, keys: &[u32]| -> Vec<u32> {
            let most = count.unwrap_or(1) as u32;
            keys.iter().map(|_| rng.next_u32() % most).collect()
        };
        let [own_groups, lent_groups] = [groups_of(owned, &own), groups_of(lent, &others)];
        let least = [None, Some(1), Some(9)][seed as usize % 3];
        let row = |group: u32, lent_group: u32| {
            let (mut count, mut sums) = (0, vec![0; columns]);
            for (place, element) in own.iter().enumerate() {
                let Some(other) = others.iter().position(|other| other == element) else {
                    continue;
                };
                if (own_groups[place], lent_groups[other]) != (group, lent_group) {
                    continue;
                }
                count += 1;
                for (column, sum) in sums.iter_mut().enumerate() {
                    let factor = if column < columns - products { 1 } else { factors[other] };
                    *sum += words[columns * place + column] * factor;
                }
            }
            least.is_none_or(|least| count >= least).then_some(GroupSums { count, sums })
        };
        let expected = if owned.is_some() || lent.is_some() {
            let [owned, lent] = [owned, lent].map(|count| count.unwrap_or(1) as u32);
            let rows = (0..owned).flat_map(|group| (0..lent).map(move |lent| row(group, lent)));
            [Outcome::ByGroup(rows.collect()), Outcome::Nothing]
        } else {
            match row(0, 0) {
                None => [Outcome::Fewer, Outcome::Fewer],
                Some(GroupSums { count, .. }) if columns == 0 => {
                    [(); 2].map(|()| Outcome::Count(count))
                }
                Some(GroupSums { count, sums }) => {
                    [Outcome::Sums { count, sums }, Outcome::Count(count)]
                }
            }
        };
        let of = |count: Option<usize>, of| count.map(|count| Groups { count, of });
        let groups = of(owned, &own_groups);
        let sender = Held { columns, products, words: &words, groups, ..Held::only(&own) };
        let (words, groups) = (if bytes > 0 { &factors[..] } else { &[] }, of(lent, &lent_groups));
        let lends = products > 0 || lent.is_some();
        let receiver = Held { lends, factor: bytes, words, groups, ..Held::only(&others) };
        let asked = Asked { reveal: Reveal::Both, least, coins: 0, per_row: 1 };
        let told = outcomes(seed, &SUM, [&sender, &receiver], asked);
        assert_eq!(told, expected, "{seed}: {own:?} {others:?}");
        with_products += usize::from(products > 0);
        with_groups += usize::from(lent.is_some());
    }
    assert_eq!((with_products, with_groups), (45, 50));
}

#[test]
fn rows_match_by_any_of_their_elements() {
    let mut rng = ChaCha20Rng::from_seed([16; 32]);
    let mut shuffled = 0;
    for seed in 0..60 {
        let per_row = 2 + seed as usize % 5;
        let [own, others] = [(); 2].map(|()| rows(&mut rng, per_row));
        let matched = |own: &[u32], others: &[u32]| -> Vec<usize> {
            let rows = own.chunks(per_row).enumerate();
            let matches = rows.filter(|(_, row)| row.iter().any(|one| others.contains(one)));
            matches.map(|(place, _)| place).collect()
        };
        let (senders, receivers) = (matched(&own, &others), matched(&others, &own));
        let reveal = [Reveal::Both, Reveal::Receiver][seed as usize % 2];
        let count = match reveal {
            Reveal::Both => senders.len().min(receivers.len()),
            Reveal::Receiver => senders.len(),
        } as u64;
        let least = [None, Some(1), Some(count + 1)][seed as usize / 2 % 3];
        let asked = Asked { reveal, least, coins: 0, per_row };
        let held = [&Held::only(&own), &Held::only(&others)];
        let told = match least.is_some_and(|least| count < least) {
            true => Outcome::Fewer,
            false => Outcome::Count(count),
        };
        let nothing = if reveal == Reveal::Both { told.clone() } else { Outcome::Nothing };
        assert_eq!(outcomes(seed, &COUNT, held, asked), [nothing, told], "{own:?} {others:?}");

        let words: Vec<i128> =
            own.chunks(per_row).map(|_| i128::from(rng.next_u64().cast_signed())).collect();
        let sum = senders.iter().map(|place| words[*place]).sum();
        let sender = Held { columns: 1, words: &words, ..Held::only(&own) };
        let (held, count) = ([&sender, &Held::only(&others)], senders.len() as u64);
        let asked = Asked { reveal: Reveal::Both, least: None, coins: 0, per_row };
        let expected = [Outcome::Sums { count, sums: vec![sum] }, Outcome::Count(count)];
        assert_eq!(outcomes(seed, &SUM, held, asked), expected, "{own:?} {others:?}");

        let [Outcome::Shares(one), Outcome::Shares(other)] = outcomes(seed, &SHARE, held, asked)
        else {
            panic!("shares")
        };
        let all = one.words.iter().zip(&other.words).map(|(one, other)| one.wrapping_add(*other));
        let all: Vec<u128> = all.collect();
        let order: Vec<usize> =
            one.order.iter().flatten().map(|row| row.expect("a row") as usize).collect();
        let expected = order.iter().flat_map(|row| match senders.contains(row) {
            true => [1, words[*row].cast_unsigned()],
            false => [0; 2],
        });
        assert!(all.iter().copied().eq(expected), "{own:?} {others:?}");
        let rows: std::collections::BTreeSet<usize> = order.iter().copied().collect();
        assert_eq!((order.len(), rows.len()), (words.len(), words.len()));
        shuffled += usize::from(!order.is_sorted());
        assert_eq!(other.order, None);
    }
    assert!(shuffled > 33, "places of shares say nothing of the list's order: {shuffled}");
}

#[test]
fn what_rows_of_several_elements_have_not_is_refused() {
    let elements: Vec<u32> = (0..8).collect();
    let plain = Held::only(&elements);
    let owns = Held { columns: 1, words: &[1; 4], ..Held::only(&elements) };
    let asked = |coins| Asked { reveal: Reveal::Both, least: None, coins, per_row: 2 };
    let told = |circuit, held, coins| {
        ends(1, circuit, held, asked(coins)).map(|end| end.expect_err("refused").to_string())
    };
    let alike = |what: &str| {
        [(); 2].map(|()| {
            format!("the protocol has no {what} where a row is several keys; give one key")
        })
    };
    assert_eq!(told(&COUNT, [&plain, &plain], 2), alike("noise on a count that both sides learn"));
    for sender in [&plain, &owns] {
        assert_eq!(told(&SHARE, [sender, &owns], 0), alike("values of the receiver"));
    }
}

#[test]
fn values_of_both_sides_become_shares() {
    let mut rng = ChaCha20Rng::from_seed([17; 32]);
    for seed in 0..40 {
        let sets = [seed as u32 % 5, u32::from(seed % 7 > 0)].map(|least| set(&mut rng, least));
        let columns = [seed as usize % 3, 1 + seed as usize % 2];
        let words: [Vec<i128>; 2] = [0, 1].map(|side| {
            let of_word = |_| u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
            let count = columns[side] * sets[side].len();
            (0..count).map(of_word).map(u128::cast_signed).collect()
        });
        let [sender, receiver] = [0, 1].map(|side| Held {
            columns: columns[side],
            words: &words[side],
            ..Held::only(&sets[side])
        });
        let asked = Asked { reveal: Reveal::Both, least: None, coins: 0, per_row: 1 };
        let told = outcomes(seed, &SHARE, [&sender, &receiver], asked);
        let [Outcome::Shares(one), Outcome::Shares(other)] = told else { panic!("shares") };
        let all = 1 + columns[0] + columns[1];
        assert_eq!((one.columns, other.columns), (all, all));
        let order = one.order.expect("the sender's");
        let pairs = one.words.iter().zip(&other.words);
        let secrets: Vec<u128> = pairs.map(|(one, other)| one.wrapping_add(*other)).collect();
        assert_eq!(secrets.len(), all * order.len());
        let mut found = 0;
        for (place, secrets) in order.iter().zip(secrets.chunks(all)) {
            let own = place.map(|place| place as usize);
            let theirs = own.and_then(|own| sets[1].iter().position(|one| *one == sets[0][own]));
            let of = |side: usize, at: usize| &words[side][columns[side] * at..][..columns[side]];
            let expected: Vec<u128> = match own.zip(theirs) {
                None => vec![0; all],
                Some((own, theirs)) => {
                    let values = of(0, own).iter().chain(of(1, theirs));
                    std::iter::once(1).chain(values.map(|value| value.cast_unsigned())).collect()
                }
            };
            found += usize::from(theirs.is_some());
            assert_eq!(secrets, expected, "{sets:?}");
        }
        let common = sets[0].iter().filter(|number| sets[1].contains(number)).count();
        assert_eq!(found, common);
    }
}

#[test]
fn noise_on_a_product_is_about_what_a_key_moves_it() {
    const COINS: u32 = 40;
    let own: Vec<u32> = (0..30).collect();
    let others: Vec<u32> = (10..50).collect();
    let words: Vec<i128> = own.iter().map(|n| i128::from(*n) - 10).collect();
    let factors: Vec<i128> = others.iter().map(|n| i128::from(*n) * 5 - 128).collect();
    let exact: i128 = (10..30).map(|n| (n - 10) * (n * 5 - 128)).sum();
    let sender = Held { columns: 1, products: 1, words: &words, ..Held::only(&own) };
    let receiver = Held { lends: true, factor: 1, words: &factors, ..Held::only(&others) };
    // The largest value is 19, which 32 covers, and a factor has 256 values.
    let scale = f64::from(32 << 8);
    let mut off = Vec::new();
    for seed in 0..30 {
        let asked = Asked { reveal: Reveal::Both, least: None, coins: COINS, per_row: 1 };
        let told = outcomes(seed, &SUM, [&sender, &receiver], asked);
        let [Outcome::Sums { sums, .. }, _] = told else { panic!("sums, not {told:?}") };
        off.push((sums[0] - exact) as f64 / scale);
    }
    let (sum, squares): (f64, f64) = (off.iter().sum(), off.iter().map(|off| off * off).sum());
    assert!(off.iter().all(|off| off.abs() <= 21.0), "{off:?}");
    // The variance of 40 coins is 10, of 30 runs 300 in all, and of its estimate a quarter of that is three deviations.
    assert!(sum.abs() < 70.0 && (120.0..560.0).contains(&squares), "{sum} {squares}");
}

#[test]
fn sums_by_group_are_those_of_plain_tables() {
    let mut rng = ChaCha20Rng::from_seed([9; 32]);
    for seed in 0..40 {
        let [own, others] =
            [seed as u32 % 2, u32::from(seed % 7 > 0)].map(|least| set(&mut rng, least));
        let (columns, count) = (seed as usize % 3, 1 + rng.next_u32() as usize % 9);
        let words: Vec<i128> =
            (0..columns * own.len()).map(|_| i128::from(rng.next_u64().cast_signed())).collect();
        let of: Vec<u32> = own.iter().map(|_| rng.next_u32() % count as u32).collect();
        let least = [None, Some(1), Some(3)][seed as usize % 3];
        let expected = (0..count as u32).map(|group| {
            let common =
                (0..own.len()).filter(|place| of[*place] == group && others.contains(&own[*place]));
            let common: Vec<usize> = common.collect();
            let sum =
                |column: usize| common.iter().map(|place| words[columns * place + column]).sum();
            let sums = (0..columns).map(sum).collect();
            let count = common.len() as u64;
            least.is_none_or(|least| count >= least).then_some(GroupSums { count, sums })
        });
        let expected = Outcome::ByGroup(expected.collect());
        let groups = Some(Groups { count, of: &of });
        let sender = Held { columns, words: &words, groups, ..Held::only(&own) };
        let held = [&sender, &Held::only(&others)];
        let asked = Asked { reveal: Reveal::Both, least, coins: 0, per_row: 1 };
        let told = outcomes(seed, &SUM, held, asked);
        assert_eq!(told, [expected, Outcome::Nothing], "{own:?} {of:?} {others:?}");
    }
}

#[test]
fn noise_is_about_what_plain_tables_say() {
    const COINS: u32 = 60;
    let own: Vec<u32> = (0..40).collect();
    let others: Vec<u32> = (20..70).collect();
    // The second column's range with 0 is 1,023, which is scaled by 1,024.
    let words: Vec<i128> =
        own.iter().flat_map(|n| [i128::from(*n % 2), i128::from(*n) * 11 - 200]).collect();
    let words = [&words[..78], &[1, 823][..]].concat();
    let exact: [i128; 2] = [0, 1].map(|column| (20..40).map(|n| words[2 * n + column]).sum());
    let sender = Held { columns: 2, words: &words, ..Held::only(&own) };
    let held = [&sender, &Held::only(&others)];
    let (mut errors, mut withheld) = ([0.0; 3], 0);
    for seed in 0..40 {
        // Half of the coins are expected beside the 20 matches.
        let least = [None, Some(20)][seed as usize % 2];
        let asked = Asked { reveal: Reveal::Both, least, coins: COINS, per_row: 1 };
        match outcomes(seed, &SUM, held, asked) {
            [Outcome::Sums { count, sums }, told] => {
                assert_eq!(told, Outcome::Count(count));
                assert!((20..=20 + u64::from(COINS)).contains(&count));
                assert!(least.is_none_or(|least| count >= least + u64::from(COINS / 2)));
                errors[0] += count as f64 - 50.0;
                for (error, (sum, (exact, scale))) in
                    errors[1..].iter_mut().zip(sums.iter().zip(exact.iter().zip([1.0, 1024.0])))
                {
                    let off = (sum - exact) as f64 / scale;
                    assert!(off.abs() <= 31.0 && (scale == 1.0 || off.fract() != 0.0), "{off}");
                    *error += off;
                }
            }
            told => {
                assert_eq!(told, [Outcome::Fewer, Outcome::Fewer]);
                withheld += 1;
            }
        }
    }
    // A sum of 40 has a deviation of 24; what is withheld has fewer.
    assert!(errors[1..].iter().all(|error| error.abs() < 110.0) && errors[0] < 200.0, "{errors:?}");
    assert!((2..19).contains(&withheld), "about half of the twenty: {withheld}");
}

#[test]
fn each_group_has_noise_of_its_own() {
    const COINS: u32 = 40;
    let own: Vec<u32> = (0..40).collect();
    let others: Vec<u32> = (10..60).collect();
    let words: Vec<i128> = own.iter().map(|n| i128::from(*n) - 20).collect();
    let of: Vec<u32> = own.iter().map(|n| n % 3).collect();
    let groups = Some(Groups { count: 4, of: &of });
    let sender = Held { columns: 1, words: &words, groups, ..Held::only(&own) };
    let held = [&sender, &Held::only(&others)];
    let mut different = 0;
    for seed in 0..12 {
        let asked = Asked { reveal: Reveal::Both, least: None, coins: COINS, per_row: 1 };
        let [Outcome::ByGroup(found), Outcome::Nothing] = outcomes(seed, &SUM, held, asked) else {
            panic!("by group")
        };
        let noise = (0..4).zip(found).map(|(group, found)| {
            let found = found.expect("there is no least result");
            let matched = || (10..40).filter(|n| n % 3 == group);
            let exact: i128 = matched().map(|n| n - 20).sum();
            // A coin is 64, for a range of 39.
            let off = (found.sums[0] - exact) as f64 / 64.0;
            assert!(off.abs() <= 21.0, "{off}");
            let heads = found.count - matched().count() as u64;
            assert!(heads <= u64::from(COINS));
            (heads, off.to_bits())
        });
        let noise: std::collections::BTreeSet<(u64, u64)> = noise.collect();
        different += usize::from(noise.len() == 4);
    }
    assert_eq!(different, 12);
}

fn both(count: u64) -> [Outcome; 2] {
    [(); 2].map(|()| Outcome::Count(count))
}

#[test]
fn larger_sets_are_counted_too() {
    let (own, others): (Vec<u32>, Vec<u32>) = ((0..5000).collect(), (4000..7000).collect());
    let counted = |seed, sets| counted(seed, sets, Reveal::Both, None);
    assert_eq!(counted(1, [&own, &others]), both(1000));
    assert_eq!(counted(2, [&others, &own]), both(1000));
    assert_eq!(counted(3, [&own, &own]), both(5000));
    assert_eq!(counted(4, [&own[..1], &own]), both(1));
    assert_eq!(counted(5, [&own, &own[..1]]), both(1));
}

#[test]
fn values_are_long_enough_and_bins_enough() {
    for (sender, receiver) in
        [(1, 1), (1, 2), (5, 3), (1000, 1000), (1 << 20, 1 << 20), (1 << 22, 1 << 22)]
    {
        let sizes = Sizes::new(receiver, sender, 0);
        let bins = sizes.table.bins() as f64;
        assert!(f64::from(sizes.bits) >= 41.0 + bins.log2(), "{receiver}");
        assert!(sizes.table.bins() >= receiver && sizes.bits <= 64);
        assert!(1_u128 << (8 * sizes.widths(0, 0)[0] - 1) > receiver as u128);
    }
    assert_eq!(Sizes::new(1000, 9, 3).bits, Sizes::new(1000, 9, 0).bits + 3);
}

#[test]
fn noise_has_room_beside_the_sum() {
    let room = |columns, words: &[i128], coins| {
        without_room(Attached::Values { columns, products: 0, words, groups: None }, 0, coins)
    };
    // A coin is 2^118 units, and (coins / 2 + 1) * 2^118 stand beside the sum itself.
    let (exact, less) = (1_i128 << 118, (1_i128 << 118) - 1);
    for (edge, most) in [(exact, 1018), (less, 1020), (-exact, 1018)] {
        assert_eq!(room(2, &[1, edge], most), None);
        assert_eq!(room(2, &[1, edge], most + 2), Some(1));
    }
    // Two values on both sides of 0 are further apart.
    assert_eq!(room(1, &[less, -less], 600), Some(0));
    assert_eq!(room(1, &[i128::MAX], 2), Some(0));
    assert_eq!(room(1, &[2], 1 << 20), None);
    assert_eq!(room(0, &[], 1 << 20), None);
}

#[test]
fn products_have_room() {
    let room = |words: &[i128], factor, coins| {
        let attached = Attached::Values { columns: 2, products: 1, words, groups: None };
        without_room(attached, factor, coins)
    };
    // The largest factor of a byte is 128 in magnitude, and the sum has to stay below 2^127.
    let most = (1 << 120) - 1;
    assert_eq!(room(&[i128::MAX, most], 1, 0), None);
    assert_eq!(room(&[0, most + 1], 1, 0), Some(1));
    assert_eq!(room(&[0, most / 2 + 1, 0, -most / 2 - 1], 1, 0), Some(1));
    assert_eq!(room(&[0, i128::MAX], 0, 0), None);
    assert_eq!(room(&[0, i128::from(u32::MAX)], 8, 0), None);
    // A coin is then 2^96 units.
    assert_eq!(room(&[0, i128::from(u32::MAX)], 8, 1 << 31), None);
    assert_eq!(room(&[0, i128::from(u32::MAX)], 8, u32::MAX), Some(1));
}
