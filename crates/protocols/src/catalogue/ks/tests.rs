use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_crypto::{Element, PrimeGroup};

use super::*;
use crate::kit::bins::{filled_up, named};

const GROUP: Ristretto255 = Ristretto255;

fn keyed<K>(key: &K) -> Keyed<'_, Ristretto255, K> {
    Keyed { group: &GROUP, key, algorithm: Algorithm::Fastest }
}

fn elements(range: Range<u32>) -> Vec<Element> {
    range.map(|number| Element(*blake3::hash(&number.to_le_bytes()).as_bytes())).collect()
}

fn matched(layout: Layout, sender: &[Element], receiver: &[Element]) -> Vec<bool> {
    let rng = &mut ChaCha20Rng::from_seed([4; 32]);
    let of = |elements: &[Element], degree| {
        let roots = roots(|wide| GROUP.scalar(wide), &[7; 32], elements);
        let places = spread(layout.bins, &roots, degree).expect("room");
        (scalars::<Ristretto255>(&roots, &places), places)
    };
    let ((sender, _), (bins, places)) = (of(sender, layout.sender), of(receiver, layout.receiver));
    let key = SecretKey::generate(&GROUP, rng);
    let public = key.public(&GROUP);
    let phi = expanded(&GROUP, &bins, layout.receiver, rng).expect("any field");
    let psi = expanded(&GROUP, &sender, layout.sender, rng).expect("any field");
    let f = public.encrypt(&GROUP, &phi, rng);
    let h = combined(keyed(&public), &layout, &f, &psi, rng, &mut |_| ()).expect("any field");
    let loads = Loads::of(&layout, layout.bins, receiver.len());
    let found = common(keyed(&key), &layout, &h, &bins, loads, &mut |_| ()).expect("room");
    assert!(!found.forged);
    let mut matched = vec![false; receiver.len()];
    for (place, hit) in places.iter().flatten().zip(found.hits) {
        matched[*place as usize] = hit;
    }
    matched
}

#[test]
fn common_elements_are_found_whole_and_in_bins() {
    for (sender, receiver) in [(0..1, 0..1), (0..1, 1..2), (0..40, 20..50), (0..7, 5..100)] {
        let expected: Vec<bool> = receiver.clone().map(|number| sender.contains(&number)).collect();
        let (sender, receiver) = (elements(sender), elements(receiver));
        for spread in [Spread::Whole, Spread::Binned] {
            let layout = spread.layout(GROUP.field(), sender.len(), receiver.len());
            assert_eq!(matched(layout, &sender, &receiver), expected, "{layout:?}");
        }
    }
}

#[test]
fn what_comes_back_hides_all_but_the_common_roots() {
    // θ is the product of the common roots' polynomial and one whose coefficients no two runs share.
    let rng = &mut ChaCha20Rng::from_seed([5; 32]);
    let layout = Layout::whole(3, 3);
    let key = SecretKey::generate(&GROUP, rng);
    let public = key.public(&GROUP);
    let roots: Vec<_> = (0..3).map(|_| GROUP.random(rng)).collect();
    let phi = expanded(&GROUP, &[roots], 3, rng).expect("any field");
    let mut seen = Vec::new();
    for _ in 0..2 {
        let f = public.encrypt(&GROUP, &phi, rng);
        let h = combined(keyed(&public), &layout, &f, &phi, rng, &mut |_| ()).expect("any field");
        assert_eq!(h.len(), layout.result_len());
        let mut encoded = Vec::new();
        GROUP.encode(&key.decrypt(&GROUP, &h), &mut encoded);
        seen.extend(encoded.as_chunks::<32>().0.to_vec());
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 14);
}

#[test]
fn bins_have_room_and_make_less_work() {
    for (sender, receiver) in [(1 << 12, 1 << 12), (1 << 16, 1 << 16), (10, 1 << 14), (1 << 14, 10)]
    {
        let layout = Layout::binned(GROUP.field(), sender, receiver);
        assert!(layout.bins * layout.sender >= sender, "{layout:?}");
        assert!(layout.bins * layout.receiver >= receiver, "{layout:?}");
        assert!(layout.sender < sender && layout.bins > 1, "{layout:?}");
    }
    assert_eq!(Layout::binned(GROUP.field(), 1, 1), Layout::whole(1, 1));
}

#[test]
fn names_find_their_elements_among_others() {
    let roots = roots(|wide| GROUP.scalar(wide), &[1; 32], &elements(0..5));
    let names = Zeroizing::new([4, 0, 2].map(|place: usize| roots[place].name).to_vec());
    let rng = &mut ChaCha20Rng::from_seed([6; 32]);
    let filled = filled_up(names, 9, rng);
    assert!(filled.len() == 9 && filled.is_sorted());
    let own: Vec<u128> = roots.iter().map(|root| root.name).collect();
    assert_eq!(named(&own, &filled), [0, 2, 4]);
    assert!(named(&own, &[]).is_empty());
}

#[test]
fn a_sender_of_zeros_is_found_and_gets_no_names() {
    let rng = &mut ChaCha20Rng::from_seed([8; 32]);
    let layout = Layout::whole(2, 3);
    let (elements, zero) = (elements(0..3), veilset_crypto::Field::zero(GROUP.field()));
    let roots = roots(|wide| GROUP.scalar(wide), &[1; 32], &elements);
    let key = SecretKey::generate(&GROUP, rng);
    let forged = key.public(&GROUP).encrypt(&GROUP, &vec![zero; layout.result_len()], rng);
    let bins = scalars::<Ristretto255>(&roots, &[vec![0, 1, 2]]);
    let loads = Loads::of(&layout, 1, 3);
    let found = common(keyed(&key), &layout, &forged, &bins, loads, &mut |_| ()).expect("room");
    assert!(found.forged && found.hits == [true; 3]);
    let matches =
        |forged, most| Matches { places: vec![2, 0, 1], hits: vec![true; 3], forged, most };
    for (forged, most, sound) in [(true, 3, false), (false, 2, false), (false, 3, true)] {
        let matches = matches(forged, most);
        assert_eq!(matches.outcome().is_ok(), sound);
        assert_eq!(matches.names(&roots).len(), if sound { 3 } else { 0 });
    }
}

#[test]
fn no_layout_fills_the_queues_of_both_sides() {
    let sizes = (0..=24).step_by(3).map(|log| 1_usize << log);
    for (sender, receiver) in sizes.clone().flat_map(|one| sizes.clone().map(move |two| (one, two)))
    {
        let layout = Layout::binned(GROUP.field(), sender, receiver);
        let batch = batches(&GROUP, &layout);
        let asked = batch.range(0).expect("a bin").len() * layout.receiver;
        let frames = messages::ciphertext_chunks(&GROUP, asked).count();
        assert!(frames <= veilset_channel::QUEUED_FRAMES || batch.count() < 3, "{layout:?}");
    }
}
