use std::collections::BTreeMap;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use super::*;

const LABEL: usize = 10;

/// The oracle: fingerprints and their labels.
type Plain = BTreeMap<u128, Vec<u8>>;

fn plain(count: usize, rng: &mut ChaCha20Rng) -> Plain {
    let entry = |_| {
        let mut label = vec![0; LABEL];
        rng.fill_bytes(&mut label);
        (u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64()), label)
    };
    (0..count).map(entry).collect()
}

fn entries(plain: &Plain) -> Vec<Entry<'_>> {
    plain.iter().map(|(fingerprint, label)| (*fingerprint, &label[..])).collect()
}

/// Asks for some that are listed and some that are not.
fn check(served: &Served, plain: &Plain, gone: &Plain, rng: &mut ChaCha20Rng) {
    let mut fingerprints: Vec<u128> = plain.keys().step_by(plain.len() / 50 + 1).copied().collect();
    fingerprints.extend(gone.keys().take(50));
    fingerprints.extend([0, u128::MAX]);
    let Prepared { parameters, .. } = &served.prepared;
    let asker = Asker::new(parameters.clone(), served.entries.list).expect("a ring");
    let (question, bytes) = asker.ask(&fingerprints, rng).expect("they find places");
    let (other, _) = asker.ask(&fingerprints, rng).expect("they find places");
    assert_eq!(bytes.len() as u64, parameters.query_bytes());
    let answer = served.answer(&bytes, rng).expect("a question");
    assert_eq!(answer.len() as u64, parameters.all_answers_bytes());
    let expected: Vec<Option<Vec<u8>>> =
        fingerprints.iter().map(|fingerprint| plain.get(fingerprint).cloned()).collect();
    assert!(asker.read(other, &answer[1..]).is_err());
    let reply = asker.read(question, &answer).expect("an answer");
    assert_eq!(asker.labels(&reply), expected);
    let longer = [&bytes[..], &[0]].concat();
    for wrong in [&bytes[1..], &longer, &[], &vec![0xff; bytes.len()]] {
        assert!(served.answer(wrong, rng).is_err());
    }
}

#[test]
fn a_list_says_what_is_on_it_through_all_changes() {
    let mut rng = ChaCha20Rng::from_seed([1; 32]);
    let mut now = plain(3000, &mut rng);
    let parameters = served_parameters(4096, LABEL).expect("there are some");
    let list = [7; 32];
    let mut served = Served::new(parameters, list, entries(&now).into_iter(), &mut rng)
        .expect("they find places");
    check(&served, &now, &Plain::new(), &mut rng);
    for (leave, come) in [(1, 0), (0, 1), (5, 3), (0, 1000), (2000, 0)] {
        let gone: Plain = now.iter().take(leave).map(|(a, b)| (*a, b.clone())).collect();
        let mut more = plain(come, &mut rng);
        // One that stays, with another label.
        let (kept, label) = now.iter().next_back().map(|(a, b)| (*a, b.clone())).expect("many");
        more.insert(kept, label.into_iter().rev().collect());
        let removed: Vec<u128> = gone.keys().copied().chain([kept]).collect();
        let before = served;
        served = before.changed(&removed, &entries(&more), &mut rng).expect("they find places");
        now.retain(|fingerprint, _| !gone.contains_key(fingerprint));
        now.extend(more);
        check(&served, &now, &gone, &mut rng);
        let [old, new] = [&before, &served].map(|served| &served.prepared.partitions);
        let same = old.iter().zip(new).filter(|(old, new)| Arc::ptr_eq(old, new)).count();
        assert!(old.len() - same <= 3 * (leave + come + 2), "{same} of {} stay", old.len());
    }
}

#[test]
fn a_list_that_is_too_full_says_so() {
    let mut rng = ChaCha20Rng::from_seed([2; 32]);
    let parameters = served_parameters(100, 0).expect("there are some");
    let many = plain(100_000, &mut rng);
    let full = Served::new(parameters.clone(), [1; 32], entries(&many).into_iter(), &mut rng);
    assert!(matches!(full.err(), Some(ProtocolError::Overfull)));
    let few = plain(100, &mut rng);
    let bare =
        |plain: &Plain| plain.keys().map(|fingerprint| (*fingerprint, &[][..])).collect::<Vec<_>>();
    let served = Served::new(parameters, [1; 32], bare(&few).into_iter(), &mut rng)
        .expect("they find places");
    assert!(matches!(
        served.changed(&[], &bare(&many), &mut rng).err(),
        Some(ProtocolError::Overfull)
    ));
    assert!(served_parameters(u64::MAX, 0).is_err());
}
