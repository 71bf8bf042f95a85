//! What a receiver sees at its elements that are not the sender's, where nothing but masks hides that set.

use veilset_bfv::Ring;

use super::*;
use crate::catalogue::fhe::evaluation::answer_scale;
use crate::catalogue::fhe::query::read;

const SESSION: [u8; 32] = [3; 32];
const SIZES: FheSizes = FheSizes { sender: 300, receiver: 200, slack: 0 };
const BUCKETS: usize = 16;

/// Above this the statistic of 15 degrees of freedom is with probability 2^-40.
const MOST: f64 = 90.0;

/// χ² of the quotients of what the receiver decrypts and what it expects who knows the sender's set and no masks.
fn statistic(masks: bool) -> f64 {
    let items = Items::OfBits(24);
    let variant =
        Variant { items, masks, partitioning: false, flooding: true, ..Variant::default() };
    let parameters = FheParameters::best(SIZES, variant).expect("there are some");
    let ring = parameters.ring().expect("secure");
    let (sender, receiver) = (elements(0, SIZES.sender), elements(1000, SIZES.receiver));
    let t = ring.parameters().t();
    let strings = |elements: &[Element]| super::items(&parameters, t, &SESSION, elements, &[]);
    let (theirs, own) = (strings(&sender), strings(&receiver));
    let mut counts = [0_u32; BUCKETS];
    for run in 0..4 {
        let coins = &mut ChaCha20Rng::from_seed([run; 32]);
        let database = Database::new(&sender, parameters.clone(), &SESSION, coins).expect("fits");
        let (asked, query) = ask(&parameters, &ring, &own, coins).expect("places for all");
        let answers = database.prepared.answer(query, coins);
        let found = asked.found(&parameters, &ring, &answers, own.len()).expect("answers");
        assert!(found.matches.iter().all(|matches| !matches), "nothing is common");
        let slots = slots(&asked.secret, &parameters, &ring, &answers);
        assert_eq!((parameters.partitions, parameters.locations), (1, 1));
        for (bin, item) in asked.bins.iter().enumerate() {
            let Some(item) = item else { continue };
            let value = own[*item as usize].felts[0];
            let of_bin = theirs.iter().filter(|theirs| theirs.places.contains(&bin));
            let roots: Vec<u64> = of_bin.map(|theirs| theirs.felts[0]).collect();
            let filled = std::iter::repeat_n(t - 1, parameters.powers.degree() - roots.len());
            let roots = roots.into_iter().chain(filled);
            let expected =
                roots.fold(1, |product, root| ring.multiply_plain(product, (value + t - root) % t));
            let quotient = ring.divide_plain(slots[bin], expected);
            counts[(u128::from(quotient) * BUCKETS as u128 / u128::from(t)) as usize] += 1;
        }
    }
    let expected = f64::from(counts.iter().sum::<u32>()) / BUCKETS as f64;
    counts.iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum()
}

/// What the first answer's slots hold.
fn slots(
    secret: &veilset_bfv::SecretKey,
    parameters: &FheParameters,
    ring: &Ring,
    answers: &[Vec<u8>],
) -> Vec<u64> {
    let answer = read(parameters, ring, &answers[0], answer_scale(parameters, ring));
    let mut slots = secret.decrypt(ring, &answer.expect("an answer")).to_vec();
    ring.decode(&mut slots);
    slots
}

#[test]
fn masks_hide_what_the_polynomials_are() {
    assert!(statistic(true) < MOST, "{}", statistic(true));
    assert!(statistic(false) > MOST, "{}", statistic(false));
}
