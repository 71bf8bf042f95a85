use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_crypto::Element;
use veilset_crypto::paillier::Integer;

use super::*;

fn elements(range: std::ops::Range<u32>) -> Vec<Element> {
    range.map(|number| Element(*blake3::hash(&number.to_le_bytes()).as_bytes())).collect()
}

/// The names that come back, sorted, of `sender` at the polynomials of `receiver`.
fn values(key: &SecretKey, layout: &Layout, sender: &[Element], receiver: &[Element]) -> Vec<u128> {
    let rng = &mut ChaCha20Rng::from_seed([4; 32]);
    let [sender, receiver] = [sender, receiver].map(|own| roots(scalar, &[7; 32], own));
    let [theirs, own] = [(&sender, sender.len()), (&receiver, layout.degree)]
        .map(|(roots, most)| spread(layout.bins, roots, most).expect("room"));
    let coefficients = expanded(layout, &receiver, &own, rng).expect("any field");
    let ciphertexts = key.encrypt(&coefficients, rng);
    let answers = answers(layout, key.public(), &ciphertexts, &sender, &theirs, rng);
    assert_eq!(answers.len(), layout.answers(sender.len()));
    let mut values = layout.slots.opened(key, &answers, sender.len()).to_vec();
    values.sort_unstable();
    values
}

#[test]
fn names_of_common_elements_come_back_and_of_no_others() {
    let key = SecretKey::generate(KEY, &mut ChaCha20Rng::from_seed([1; 32]));
    for (sender, receiver) in [(0..1, 0..1), (0..1, 1..2), (0..40, 20..50), (0..30, 25..27)] {
        let common = sender.start.max(receiver.start)..sender.end.min(receiver.end);
        let (sender, receiver) = (elements(sender), elements(receiver));
        for layout in [Layout::whole, Layout::binned] {
            let layout = layout(sender.len(), receiver.len());
            let values = values(&key, &layout, &sender, &receiver);
            let names = |own: &[Element]| {
                let names = roots(scalar, &[7; 32], own);
                names.iter().map(|root| root.name % layout.slots.prime()).collect::<Vec<_>>()
            };
            let found = |name: &u128| values.binary_search(name).is_ok();
            assert!(names(&elements(common.clone())).iter().all(found), "{layout:?}");
            let hits = names(&sender).iter().filter(|name| found(name)).count();
            assert_eq!(hits, common.len(), "{layout:?}");
        }
    }
}

#[test]
fn a_polynomial_has_its_roots_and_is_of_its_degree() {
    // Evaluated in plain 128-bit steps, with the leading coefficient 1.
    let rng = &mut ChaCha20Rng::from_seed([2; 32]);
    let layout = Layout::binned(50, 50);
    let roots = roots(scalar, &[7; 32], &elements(0..50));
    let bins = spread(layout.bins, &roots, layout.degree).expect("room");
    let coefficients = expanded(&layout, &roots, &bins, rng).expect("any field");
    let p = layout.slots.prime();
    let word = |integer: &Integer| {
        integer.as_words().iter().rev().fold(0, |sum, word| sum << 64 | u128::from(*word))
    };
    let product = |a: u128, mut b: u128| {
        let (mut sum, mut a) = (0, a % p);
        while b > 0 {
            if b & 1 == 1 {
                sum = (sum + a) % p;
            }
            (a, b) = (2 * a % p, b >> 1);
        }
        sum
    };
    for (polynomial, places) in coefficients.chunks(layout.degree).zip(&bins) {
        for place in places {
            let root = roots[*place as usize].scalar % p;
            let value = polynomial
                .iter()
                .rev()
                .fold(1, |value, coefficient| (product(value, root) + word(coefficient)) % p);
            assert_eq!(value, 0);
        }
    }
}

#[test]
fn layouts_have_room_and_rarely_match_falsely() {
    for (sender, receiver) in
        (0..=20).step_by(4).flat_map(|one| (0..=20).step_by(5).map(move |two| (1 << one, 1 << two)))
    {
        for layout in [Layout::whole, Layout::binned] {
            let layout = layout(sender, receiver);
            assert!(layout.slots.count >= 1, "{layout:?}");
            let wrong = (sender as f64).log2() + (receiver as f64).log2();
            assert!(wrong - f64::from(layout.slots.bits) < -41.0, "{layout:?}");
            assert!(layout.bins * layout.degree >= receiver);
        }
    }
}

#[test]
fn bins_make_less_work() {
    for size in [300, 1 << 12, 1 << 16] {
        let [whole, binned] = [Layout::whole, Layout::binned].map(|layout| layout(size, size));
        let work = |layout: &Layout| layout.work(size).iter().sum::<u64>();
        assert!(binned.bins > 1 && work(&binned) < work(&whole), "{binned:?}");
    }
    assert_eq!(Layout::binned(1, 1), Layout::whole(1, 1));
}
