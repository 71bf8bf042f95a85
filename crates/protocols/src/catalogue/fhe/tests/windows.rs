//! Powers that the sender multiplies, from windows or from the value alone.

use veilset_bfv::SecretKey;

use super::*;
use crate::catalogue::fhe::evaluation::{Prepared, makes_up, power_scale};

/// Windowings that multiply, with a degree and the depth there.
const WINDOWINGS: [(Windowing, usize, u32); 7] = [
    (Windowing::First, 15, 4),
    (Windowing::First, 40, 6),
    (Windowing::First, 100, 7),
    (Windowing::Base(1), 15, 2),
    (Windowing::Base(1), 40, 3),
    (Windowing::Base(2), 15, 1),
    (Windowing::Base(3), 15, 1),
];

#[test]
fn powers_are_powers_by_definition() {
    for (windowing, degree, depth) in WINDOWINGS {
        let sizes = FheSizes { sender: degree, receiver: 1, slack: 0 };
        // One bin with all of the sender's items, in one partition.
        let (partitioning, hashing) = (false, false);
        let variant = Variant { windowing, partitioning, hashing, ..Variant::default() };
        let parameters = FheParameters::best(sizes, variant).expect("there are some");
        assert_eq!((parameters.depth(), parameters.shape()), (depth, (degree, 1)), "{windowing:?}");
        let ring = parameters.ring().expect("secure");
        let rng = &mut ChaCha20Rng::from_seed([6; 32]);
        let secret = SecretKey::generate(&ring, rng);
        let relinearisation = parameters.special.map(|_| secret.relinearisation(&ring, rng));
        let values: Vec<u64> = (0..parameters.slots() as u64).collect();
        let power = |exponent: usize| -> Vec<u64> {
            let product =
                |x: &u64| (0..exponent).fold(1, |power, _| ring.multiply_plain(power, *x));
            values.iter().map(product).collect()
        };
        let sent = parameters.powers.sent().into_iter().map(|exponent| {
            let mut power = power(exponent);
            ring.encode(&mut power);
            secret.encrypt(&ring, &power, rng).expand(&ring)
        });
        let sent: Vec<_> = sent.collect();
        let [sources, _] = parameters.powers.sources();
        let factors = makes_up(&parameters, &ring);
        let prepared = Prepared {
            ring: parameters.ring().expect("secure"),
            parameters,
            partitions: Vec::new(),
        };
        let powers = prepared.powers(&sources, &sent, relinearisation.as_ref());
        assert_eq!(powers.len(), degree);
        let ours = power_scale(&prepared.parameters, &ring);
        for ((exponent, mut encrypted), factor) in (1..).zip(powers).zip(factors) {
            assert_eq!(encrypted.level(), prepared.parameters.working);
            assert_eq!(ring.multiply_plain(encrypted.scale(), factor), ours);
            while encrypted.level() > 1 {
                ring.switch_down(&mut encrypted);
            }
            let mut found = secret.decrypt(&ring, &encrypted).to_vec();
            ring.decode(&mut found);
            assert_eq!(found, power(exponent), "{windowing:?}: {exponent}");
        }
    }
}

#[test]
fn every_window_finds_what_both_have() {
    let all = Variant::default();
    let sizes = FheSizes { sender: 3000, receiver: 10, slack: 0 };
    let short = Variant { items: Items::OfBits(24), masks: true, flooding: true, ..all };
    let bases = (1..=4).map(Windowing::Base);
    for windowing in [Windowing::First, Windowing::All].into_iter().chain(bases) {
        for variant in [all, short] {
            let (outcomes, _) = play(sizes, 4, Variant { windowing, ..variant });
            let expected = [matched(2996, 4), matched(0, 4)];
            assert_eq!(outcomes, expected, "{windowing:?} {variant:?}");
        }
    }
}

#[test]
fn a_modulus_that_is_too_long_is_told() {
    let (batching, hashing, partitioning) = (false, false, false);
    let windowing = Windowing::First;
    let basic = Variant { batching, hashing, windowing, partitioning, ..Variant::default() };
    let basic = Variant { items: Items::OfBits(32), masks: true, flooding: true, ..basic };
    let sizes = FheSizes { sender: 1 << 10, receiver: 64, slack: 0 };
    assert_eq!(FheParameters::best(sizes, basic), None);
    let missing = FheParameters::missing(sizes, basic).expect("something would be correct");
    assert!(missing.depth == 10 && missing.bits > missing.most, "{missing}");
    let told = missing.to_string();
    assert!(told.starts_with("depth 10 takes ") && told.ends_with("is secure up to 438"), "{told}");
}
