use std::collections::BTreeSet;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use super::*;

/// Numbers for cases.
struct Random(ChaCha20Rng);

impl Random {
    fn new(seed: u8) -> Self {
        Self(ChaCha20Rng::from_seed([seed; 32]))
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0.next_u64() % bound
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.0.next_u64()) << 64 | u128::from(self.0.next_u64())
    }
}

fn entry(random: &mut Random, format: EntryFormat) -> Entry {
    // Few fingerprints, so that some are equal.
    let fingerprint = random.wide() >> (128 - format.bits);
    (fingerprint, (0..format.seal).map(|_| random.below(3) as u8).collect())
}

fn all(entries: &Entries) -> BTreeSet<Entry> {
    (0..entries.len()).map(|i| (entries.fingerprints[i], entries.seal(i).to_vec())).collect()
}

#[test]
fn changes_lead_where_a_plain_set_goes() {
    let mut random = Random::new(1);
    for (bits, seal) in [(5, 2), (9, 0), (51, 32), (128, 1)] {
        let format = EntryFormat { bits, seal };
        let start: Vec<Entry> = (0..200).map(|_| entry(&mut random, format)).collect();
        let mut plain: BTreeSet<Entry> = start.iter().cloned().collect();
        let mut entries = Entries::new(format, start);
        for _ in 0..10 {
            let (mut out, mut into) = (Vec::new(), Vec::new());
            for _ in 0..3 {
                let old: Vec<Entry> = plain.iter().cloned().collect();
                let removed: BTreeSet<Entry> =
                    (0..10).map(|_| old[random.below(old.len() as u64) as usize].clone()).collect();
                plain.retain(|entry| !removed.contains(entry));
                let added = (0..10).map(|_| entry(&mut random, format));
                let added: BTreeSet<Entry> = added.filter(|entry| !plain.contains(entry)).collect();
                plain.extend(added.iter().cloned());
                out.extend(removed);
                into.extend(added);
            }
            entries = entries.apply(&out, &into).expect("they fit");
            assert!(entries.is_ordered() && all(&entries) == plain && entries.len() == plain.len());
            let encoded = entries.encode();
            assert!(encoded.len() as u64 <= Entries::longest(format, 200 + 300).expect("small"));
            let decoded = Entries::decode(format, plain.len(), &encoded);
            assert!(decoded.is_ok_and(|decoded| decoded == entries));
            assert!(Entries::decode(format, plain.len(), &encoded[1..]).is_err());
            assert!(Entries::decode(format, plain.len() - 1, &encoded).is_err());
        }
        let first = (entries.fingerprints[0], entries.seal(0).to_vec());
        assert!(entries.apply(&[], [&first]).is_err(), "it is there");
        let entries = entries.apply([&first], &[]).expect("it is there");
        assert!(entries.apply([&first], &[]).is_err(), "it is not there any more");
    }
}

#[test]
fn fingerprints_of_others_are_found_as_seldom_as_said() {
    let mut random = Random::new(2);
    let format = EntryFormat { bits: 18, seal: 0 };
    let entries: Vec<Entry> = (0..1000).map(|_| entry(&mut random, format)).collect();
    let entries = Entries::new(format, entries);
    let queries = 200_000;
    let found = (0..queries).filter(|_| {
        let fingerprint = random.wide() >> (128 - format.bits);
        entries.seals_of(fingerprint).len() > 0
    });
    // 200 000 · 1000 / 2^18 = 763 at most, with a standard deviation of 28.
    let found = found.count();
    assert!((620..=905).contains(&found), "{found}");
}

#[test]
fn a_million_items_take_less_than_five_megabytes() {
    let mut random = Random::new(3);
    // 30 + 21 bits: a list of 2^20 can grow to 2^21.
    let format = EntryFormat { bits: 51, seal: 0 };
    let entries = Entries::new(format, (0..1 << 20).map(|_| entry(&mut random, format)).collect());
    let bytes = entries.encode().len();
    assert!(bytes < 5_000_000, "{bytes}");
    // The Rice code of fingerprints costs 51 − 20 + 1.5 bits each.
    assert!((4_250_000..4_270_000).contains(&bytes), "{bytes}");
}
