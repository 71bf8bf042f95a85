mod floods;
mod hostile;
mod masks;
mod windows;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Framed, Metered, memory_pair};

use super::*;

fn element(number: usize) -> Element {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&(number as u64).to_le_bytes());
    Element(bytes)
}

fn elements(first: usize, count: usize) -> Vec<Element> {
    (first..first + count).map(element).collect()
}

/// What both sides get, and the bytes that each sent, of sets that share `common` elements.
fn play(sizes: FheSizes, common: usize, variant: Variant) -> ([Outcome; 2], [u64; 2]) {
    play_labelled(sizes, common, variant, 0)
}

/// The label of an element, of `width` bytes.
fn label(number: usize, width: usize) -> impl Iterator<Item = u8> {
    (0..width).map(move |byte| (number * 31 + byte * byte + 7) as u8)
}

/// As [`play`], with labels of `width` bytes.
fn play_labelled(
    sizes: FheSizes,
    common: usize,
    variant: Variant,
    width: usize,
) -> ([Outcome; 2], [u64; 2]) {
    let sender = elements(0, sizes.sender);
    let labels: Vec<u8> = (0..sizes.sender).flat_map(|number| label(number, width)).collect();
    let receiver = elements(sizes.sender - common, sizes.receiver);
    let parameters = FheParameters::best_with_labels(sizes, variant, width);
    let parameters = parameters.unwrap_or_else(|| panic!("none for {variant:?}"));
    let (left, right) = memory_pair();
    let session = [3; 32];
    let rng = &mut ChaCha20Rng::from_seed([1; 32]);
    let database = Database::labelled(&sender, &labels, parameters.clone(), &session, rng);
    let database = database.expect("fits");
    std::thread::scope(|scope| {
        let serving = scope.spawn(|| {
            let mut channel = Metered::new(Framed::new(left), "start");
            let means = &mut Means {
                session: &session,
                channel: &mut channel,
                rng: &mut ChaCha20Rng::from_seed([2; 32]),
                observer: &crate::Silent,
            };
            let conclusion = database.serve(means, Reveal::Both, sizes.receiver);
            let outcome = conclusion.expect("served")().expect("concluded");
            (outcome, channel.costs().bytes_sent())
        });
        let mut channel = Metered::new(Framed::new(right), "start");
        let run = Run {
            side: Side { role: Role::Receiver, reveal: Reveal::Both },
            input: RunInput {
                elements: receiver.into(),
                peer_count: sizes.sender,
                attached: crate::Attached::Nothing,
                peer_attached: crate::AttachedShape::Nothing,
                per_row: 1,
                slack: sizes.slack,
                coins: 0,
                least: None,
                choices: SPEC.defaults(),
            },
            means: Means {
                session: &session,
                channel: &mut channel,
                rng: &mut ChaCha20Rng::from_seed([4; 32]),
                observer: &crate::Silent,
            },
        };
        let received = received(run, &parameters).expect("received");
        let outcome = if width > 0 { received.listed() } else { received.matched() };
        let (other, sent) = serving.join().expect("no panic");
        ([other, outcome], [sent, channel.costs().bytes_sent()])
    })
}

fn matched(first: usize, count: usize) -> Outcome {
    Outcome::Matched((first..first + count).map(|index| index as u32).collect())
}

#[test]
fn finds_what_both_have() {
    for (sender, receiver, common) in
        [(1, 1, 1), (1, 1, 0), (700, 20, 7), (30, 300, 30), (5000, 1, 1)]
    {
        let sizes = FheSizes { sender, receiver, slack: 0 };
        let (outcomes, bytes) = play(sizes, common, Variant::default());
        let expected = [matched(sender - common, common), matched(0, common)];
        assert_eq!(outcomes, expected, "{sender} {receiver}");
        let shape = Shape::of_sets(sender as u64, receiver as u64, Reveal::Both, SPEC.defaults());
        let cost = INTERSECT.cost(shape);
        assert_eq!([cost.sender.bytes_sent, cost.receiver.bytes_sent], bytes.map(|b| b as f64));
    }
}

#[test]
fn finds_the_same_without_each_improvement() {
    let all = Variant::default();
    let sizes = FheSizes { sender: 200, receiver: 10, slack: 0 };
    for variant in [
        Variant { batching: false, ..all },
        Variant { hashing: false, ..all },
        Variant { functions: 4, ..all },
        Variant { windowing: Windowing::All, ..all },
        Variant { windowing: Windowing::First, ..all },
        Variant { windowing: Windowing::First, partitioning: false, switching: false, ..all },
        Variant { partitioning: false, ..all },
        Variant { switching: false, ..all },
        Variant { flooding: true, ..all },
        Variant { masks: true, ..all },
        Variant { items: Items::OfBits(32), masks: true, flooding: true, ..all },
        Variant { items: Items::OfBits(40), hashing: false, ..all },
        Variant { items: Items::OfBits(36), masks: true, batching: false, ..all },
    ] {
        let (outcomes, _) = play(sizes, 4, variant);
        assert_eq!(outcomes, [matched(196, 4), matched(0, 4)], "{variant:?}");
    }
}

#[test]
fn finds_labels_of_what_both_have() {
    let all = Variant::default();
    for (sender, receiver, common, width, variant) in [
        (1, 1, 1, 1, all),
        (1, 1, 0, 3, all),
        (3000, 20, 7, 16, all),
        (300, 30, 30, 40, Variant { flooding: true, ..all }),
        (300, 3, 2, 5, Variant { switching: false, ..all }),
        (200, 10, 4, 8, Variant { hashing: false, ..all }),
        (20_000, 1, 1, 100, all),
    ] {
        let sizes = FheSizes { sender, receiver, slack: 0 };
        let ([other, outcome], _) = play_labelled(sizes, common, variant, width);
        let first = sender - common;
        assert_eq!(other, matched(first, common));
        let rows = (0..common as u32).collect();
        let labels = (first..sender).flat_map(|number| label(number, width)).collect();
        assert_eq!(outcome, Outcome::Listed { rows, width, labels }, "{sender} {receiver} {width}");
    }
}
