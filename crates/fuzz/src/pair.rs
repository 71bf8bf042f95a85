//! What PAIR's clean rooms read: lists of the other room, keys in files, and the record of earlier matches.

use std::sync::LazyLock;
use std::time::{Duration, UNIX_EPOCH};

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_tongues::pair::{
    CipherKey, Encrypted, Hashed, Kind, List, Salt, Secret, Seen, decode, encode,
};

use crate::Seed;

static KEY: LazyLock<CipherKey> = LazyLock::new(|| CipherKey::generate(&mut rng()));

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([5; 32])
}

/// A list of encrypted identifiers, one a line: it is encrypted again whole, and comes back, or it is refused.
pub fn pair_list(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut entries: Vec<Encrypted> = Vec::new();
    for line in text.lines() {
        let Ok(entry) = decode(line) else { return };
        assert_eq!(encode(&entry), line);
        entries.push(entry);
    }
    match KEY.encrypt_again(&entries, &mut rng()) {
        Ok(encrypted) => {
            let mut removed = KEY.remove(&encrypted).expect("points");
            removed.sort_unstable();
            entries.sort_unstable();
            assert_eq!(removed, entries);
        }
        Err(refused) => {
            assert!(refused.index < entries.len());
            assert!(KEY.encrypt_again(&entries[..refused.index], &mut rng()).is_ok());
        }
    }
}

/// The file of a key: it is written as it was read.
pub fn pair_key(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(secret) = Secret::read(text) {
        let line = secret.to_line();
        let again = Secret::read(&line).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!((again.to_line(), again.kind()), (line, secret.kind()));
        assert_ne!(secret.salt().is_ok(), secret.cipher_key().is_ok());
    }
}

/// The record of earlier matches: no two files are one record.
pub fn pair_seen(data: &[u8]) {
    if let Ok(seen) = Seen::read(data) {
        assert_eq!(seen.to_bytes(), data);
    }
}

pub(crate) fn list_seeds() -> Vec<Seed> {
    let salt = Salt::new(&[6; 32]);
    let hashes: Vec<Hashed> = (0..40u8).map(|number| salt.hash(&[number])).collect();
    let lines: Vec<String> = KEY.encrypt(&hashes).iter().map(encode).collect();
    vec![
        Seed::new("a list", lines.join("\n")),
        Seed::new("an entry", lines[0].clone()),
        Seed::new("the neutral element", encode(&[0; 32])),
    ]
}

pub(crate) fn key_seeds() -> Vec<Seed> {
    let seed = |kind: Kind| {
        let made = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let secret = Secret::generate(kind, made, &mut rng());
        Seed::new(kind.name(), secret.to_line().as_bytes().to_vec())
    };
    Kind::ALL.map(seed).into()
}

pub(crate) fn seen_seeds() -> Vec<Seed> {
    let mut seen = Seen::default();
    for list in [List::Ours, List::Theirs] {
        let entries: Vec<Encrypted> = (0..60u8).map(|number| [number; 32]).collect();
        seen.note(list, &entries, UNIX_EPOCH).expect("the first");
    }
    vec![Seed::new("two lists", seen.to_bytes()), Seed::new("none", Seen::default().to_bytes())]
}
