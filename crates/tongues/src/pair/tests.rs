//! The cipher against libsodium (`vectors/pair.py`), the two rooms' flow against plain sets, and what a room must refuse.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chacha20::ChaCha20Rng;
use curve25519_dalek::RistrettoPoint;
use curve25519_dalek::ristretto::CompressedRistretto;
use proptest::prelude::*;
use rand_core::SeedableRng;
use serde_json::Value;
use sha2::{Digest, Sha256};
use veilset_crypto::NotAnElement;

use super::*;

const DAY: Duration = Duration::from_secs(86_400);

fn now() -> SystemTime {
    UNIX_EPOCH + 20_000 * DAY
}

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../vectors/pair.json")).expect("JSON")
}

fn bytes(value: &Value) -> [u8; 32] {
    decode(value.as_str().expect("a text")).expect("Base64")
}

fn cipher_key(value: &Value) -> CipherKey {
    CipherKey::from_bytes(&bytes(value)).expect("a scalar")
}

#[test]
fn a_thousand_identifiers_are_encrypted_as_another_library_does() {
    let vectors = vectors();
    let salt = Salt::new(&bytes(&vectors["salt"]));
    let (kp, ka) = (cipher_key(&vectors["kp"]), cipher_key(&vectors["ka"]));
    let identifiers = vectors["identifiers"].as_array().expect("a list");
    let hash = |identifier: &Value| salt.hash(identifier.as_str().expect("a text").as_bytes());
    let hashes: Vec<Hashed> = identifiers.iter().map(hash).collect();
    let expected: Vec<Encrypted> =
        vectors["kskp"].as_array().expect("a list").iter().map(bytes).collect();
    assert_eq!(expected.len(), 1000);
    let kskp = kp.encrypt(&hashes);
    assert_eq!(kskp, expected);
    let texts: Vec<String> = kskp.iter().map(encode).collect();
    assert!(texts.iter().zip(vectors["kskp"].as_array().expect("a list")).all(|(a, b)| a == b));
    // In both orders the same, which the other library's digest of all pins.
    let again = ka.encrypt_again(&kskp, &mut rng(1)).expect("points");
    let other = kp.encrypt_again(&ka.encrypt(&hashes), &mut rng(2)).expect("points");
    assert_ne!(again, other, "shuffled");
    assert_eq!(BTreeSet::from_iter(&again), BTreeSet::from_iter(&other));
    let removed = ka.remove(&again).expect("points");
    assert_eq!(BTreeSet::from_iter(&removed), BTreeSet::from_iter(&kskp));
    let place = |entry: &Encrypted| removed.iter().position(|other| other == entry);
    let in_order = kskp.iter().map(|entry| again[place(entry).expect("there")]);
    let digest = Sha256::digest(in_order.flatten().collect::<Vec<u8>>());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, vectors["sha256_of_pair_ids"]);
}

#[test]
fn points_are_what_another_library_takes_for_points() {
    let vectors = vectors();
    let ka = cipher_key(&vectors["ka"]);
    let (mut points, mut others) = (0, 0);
    for case in vectors["encodings"].as_array().expect("a list") {
        let encoded = bytes(&case["base64"]);
        let read = ka.encrypt_again(&[encoded], &mut rng(1));
        assert_eq!(read.is_ok(), case["point"] == true, "{}", case["base64"]);
        if read.is_ok() { points += 1 } else { others += 1 }
    }
    assert!(points > 50 && others > 100, "{points} {others}");
    let generator = RistrettoPoint::from_uniform_bytes(&[7; 64]).compress().0;
    let neutral = CompressedRistretto::default().0;
    let refused = ka.encrypt_again(&[generator, generator, neutral, [255; 32]], &mut rng(1));
    assert_eq!(refused, Err(NotAnElement { index: 2 }));
    assert_eq!(ka.remove(&[generator, [255; 32]]), Err(NotAnElement { index: 1 }));
}

#[test]
fn two_rooms_find_what_both_lists_have_and_nothing_else() {
    let (salt, kp, ka) =
        (Salt::new(&[9; 32]), CipherKey::generate(&mut rng(3)), CipherKey::generate(&mut rng(4)));
    let hashes = |range: std::ops::Range<u32>| -> Vec<Hashed> {
        range.map(|n| salt.hash(n.to_string().as_bytes())).collect()
    };
    let (publisher, advertiser) = (hashes(0..1500), hashes(1000..2200));
    let (kskp, kska) = (kp.encrypt(&publisher), ka.encrypt(&advertiser));
    let of_publisher = ka.encrypt_again(&kskp, &mut rng(5)).expect("points");
    let of_advertiser = kp.encrypt_again(&kska, &mut rng(6)).expect("points");
    let in_ac = Matching::new(&kska, &of_advertiser, &of_publisher).expect("honest");
    let matched = in_ac.matched();
    assert_eq!(in_ac.rates(matched.len()), [Rate::Percent(41), Rate::Percent(33)]);
    let for_platform = ka.remove(&matched).expect("points");
    assert_eq!(BTreeSet::from_iter(&for_platform), BTreeSet::from_iter(&kskp[1000..]));
    let in_pc = Matching::new(&kskp, &of_publisher, &of_advertiser).expect("honest");
    assert_eq!(in_pc.matched(), matched);
}

#[test]
fn a_list_that_is_not_the_one_that_was_sent_is_refused() {
    let entries =
        |range: std::ops::Range<u8>| -> Vec<Encrypted> { range.map(|n| [n; 32]).collect() };
    let (sent, ours, theirs) = (entries(10..15), entries(0..5), entries(3..8));
    let refused = |sent: &[Encrypted], ours: &[Encrypted], theirs: &[Encrypted]| {
        Matching::new(sent, ours, theirs).err()
    };
    assert_eq!(refused(&sent, &ours, &theirs), None);
    let count = |sent, returned| Some(MatchingError::Count { sent, returned });
    assert_eq!(refused(&entries(10..16), &ours, &theirs), count(6, 5));
    assert_eq!(refused(&entries(10..14), &ours, &theirs), count(4, 5));
    let twice = [&ours[..4], &ours[..1]].concat();
    assert_eq!(refused(&sent, &twice, &theirs), Some(MatchingError::Twice));
    let untouched = [&ours[..4], &sent[..1]].concat();
    assert_eq!(refused(&sent, &untouched, &theirs), Some(MatchingError::Untouched));
    assert_eq!(refused(&ours, &sent, &theirs), Some(MatchingError::Swapped));
    assert_eq!(refused(&sent, &ours, &ours), Some(MatchingError::Same));
    let reversed: Vec<Encrypted> = ours.iter().rev().copied().collect();
    let matching = Matching::new(&sent, &ours, &reversed).expect("equal lists");
    assert_eq!(matching.matched(), ours);
    let repeated = [&theirs[..], &theirs[..]].concat();
    let matching = Matching::new(&sent, &ours, &repeated).expect("a set");
    assert_eq!((matching.distinct_of_theirs(), matching.matched()), (5, entries(3..5)));
}

#[test]
fn rates_are_whole_and_large_ones_are_hidden() {
    let shown = |matched, all| Rate::of(matched, all).to_string();
    for (matched, all, expected) in [
        (0, 1000, "0%"),
        (9, 1000, "0%"),
        (10, 1000, "1%"),
        (419, 1000, "41%"),
        (850, 1000, "85%"),
        (851, 1000, ">85%"),
        (1000, 1000, ">85%"),
        (0, 0, "0%"),
    ] {
        assert_eq!(shown(matched, all), expected, "{matched} of {all}");
    }
    assert_eq!(check_size(999), Err(Refusal::Small { found: 999 }));
    assert_eq!(check_size(1000), Ok(()));
}

#[test]
fn keys_have_an_age() {
    for (kind, days) in [(Kind::Ks, 30), (Kind::Kp, 180), (Kind::Ka, 180)] {
        assert_eq!(check_age(kind, now(), now()), Ok(()));
        assert_eq!(check_age(kind, now() - days * DAY, now()), Ok(()));
        let old = check_age(kind, now() - days * DAY - Duration::from_secs(1), now());
        assert_eq!(old, Err(Refusal::Old { kind, days: u64::from(days) }));
        assert_eq!(check_age(kind, now() + DAY, now()), Ok(()));
        assert_eq!(check_age(kind, now() + 2 * DAY, now()), Err(Refusal::Early { kind }));
    }
}

#[test]
fn a_list_that_is_nearly_one_before_is_refused_until_the_salt_is_another() {
    let list = |range: std::ops::Range<u32>| -> Vec<Encrypted> {
        range.map(|n| *Sha256::digest(n.to_le_bytes()).as_ref()).collect()
    };
    let mut seen = Seen::default();
    let close = |difference| Err(Refusal::Close { whose: "your", difference });
    assert_eq!(seen.note(List::Ours, &list(0..1000), now()), Ok(()));
    assert_eq!(seen.note(List::Ours, &list(0..1000), now()), Ok(()), "the same list");
    assert_eq!(seen.note(List::Ours, &list(0..1001), now()), close(1));
    assert_eq!(seen.note(List::Ours, &list(25..1024), now()), close(49));
    assert_eq!(seen.note(List::Ours, &list(25..1025), now()), Ok(()), "50 differ");
    assert_eq!(seen.note(List::Theirs, &list(0..1001), now()), Ok(()), "the other's");
    let read = Seen::read(&seen.to_bytes()).expect("a record");
    assert_eq!(read, seen);
    assert_eq!(seen.note(List::Ours, &list(0..1001), now() + 30 * DAY), close(1));
    assert_eq!(seen.note(List::Ours, &list(0..1001), now() + 31 * DAY), Ok(()));
}

#[test]
fn a_record_is_read_whole_or_not_at_all() {
    let mut seen = Seen::default();
    seen.note(List::Theirs, &[[1; 32], [2; 32]], now()).expect("the first");
    let bytes = seen.to_bytes();
    for end in (0..bytes.len()).filter(|end| *end != 16) {
        assert_eq!(Seen::read(&bytes[..end]), Err(NotARecord), "{end}");
    }
    let changed = |place: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[place] = byte;
        Seen::read(&bytes)
    };
    assert_eq!(changed(16, 2), Err(NotARecord));
    assert_eq!(changed(16 + 16, 255), Err(NotARecord), "a huge count");
    assert_eq!(changed(16 + 17 + 7, 255), Err(NotARecord), "not ascending");
}

#[test]
fn a_key_file_is_read_as_it_was_written() {
    for kind in Kind::ALL {
        let made = Secret::generate(kind, now(), &mut rng(7));
        let line = made.to_line();
        let read = Secret::read(&line).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!((read.kind(), read.made(), read.to_line()), (kind, now(), line.clone()));
        let text = line.split_whitespace().next_back().expect("Base64");
        let import = |text| Secret::import(kind, now(), text).map(|secret| secret.to_line());
        assert_eq!(import(text), Ok(line.clone()));
        assert_eq!(
            (read.salt().is_ok(), read.cipher_key().is_ok()),
            match kind {
                Kind::Ks => (true, false),
                Kind::Kp | Kind::Ka => (false, true),
            }
        );
    }
}

#[test]
fn what_is_no_key_file_is_refused() {
    let salt = encode(&[200; 32]);
    let day = "2026-11-28T08:30:00Z";
    let long = "x ".repeat(1 << 16);
    for (text, why) in [
        (String::new(), KeyFileError::Other),
        (salt.clone(), KeyFileError::Other),
        (format!("veilset-pair-1 kx {day} {salt}"), KeyFileError::Other),
        (format!("veilset-pair-2 ks {day} {salt}"), KeyFileError::Other),
        (format!("veilset-pair-1 ks {day} {salt} x"), KeyFileError::Other),
        (long, KeyFileError::Other),
        (format!("veilset-pair-1 ks yesterday {salt}"), KeyFileError::Made),
        (format!("veilset-pair-1 ks 1969-12-31T23:59:59Z {salt}"), KeyFileError::Made),
        (format!("veilset-pair-1 ks {day} {}", &salt[1..]), KeyFileError::Base64(NotBase64)),
        (format!("veilset-pair-1 ka {day} {salt}"), KeyFileError::NotAScalar),
        (format!("veilset-pair-1 kp {day} {}", encode(&[0; 32])), KeyFileError::NotAScalar),
    ] {
        assert_eq!(Secret::read(&text).err(), Some(why), "{}", text.get(..60).unwrap_or(&text));
    }
}

#[test]
fn base64_is_the_one_of_the_standard() {
    let text = encode(&[0xfb; 32]);
    assert_eq!(decode(&text), Ok([0xfb; 32]));
    let loose_bits = format!("{}t=", &text[..42]);
    for other in [
        &text[..43],
        &format!("{text}="),
        &format!(" {text}"),
        &text.replace('+', "-"),
        &loose_bits,
        &"=".repeat(44),
        &"é".repeat(22),
        "",
    ] {
        assert_eq!(decode(other), Err(NotBase64), "{other}");
    }
}

proptest! {
    #[test]
    fn any_text_is_bytes_in_one_way_or_none(text in "[A-Za-z0-9+/=]{43,45}") {
        if let Ok(bytes) = decode(&text) {
            prop_assert_eq!(encode(&bytes), text);
        }
    }
}
