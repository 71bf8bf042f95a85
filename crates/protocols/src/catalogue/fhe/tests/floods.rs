//! What the owner of the key sees of answers beside their plaintexts.

use veilset_bfv::Ring;

use super::*;
use crate::catalogue::fhe::evaluation::answer_scale;
use crate::catalogue::fhe::query::{PendingQuery, read};

const SESSION: [u8; 32] = [3; 32];
const SIZES: FheSizes = FheSizes { sender: 60, receiver: 4, slack: 0 };

/// A correlation, in deviations, that independent noise does not reach: the flood is uniform, and by Hoeffding's inequality a sum of
/// its coefficients with given weights is above z of its deviations in either direction with probability at most 2·exp(−z²/6), here 2^-46.
const MOST: f64 = 14.0;

/// The errors of all answers, as the owner of the key opens them.
fn errors(
    asked: &PendingQuery,
    parameters: &FheParameters,
    ring: &Ring,
    answers: &[Vec<u8>],
) -> Vec<f64> {
    let t = ring.parameters().t() as f64;
    let scale = answer_scale(parameters, ring);
    let opened = answers.iter().map(|answer| {
        let ciphertext = read(parameters, ring, answer, scale).expect("an answer");
        asked.secret.open(ring, &ciphertext)
    });
    // m + t·e, of which m is less than half of t.
    opened
        .flat_map(|phase| phase.iter().map(|x| (*x as f64 / t).round()).collect::<Vec<_>>())
        .collect()
}

/// The correlation of errors with those that a guess predicts, in the deviations that it has if they are independent.
fn correlation(errors: &[f64], predicted: &[f64]) -> f64 {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let scale = product(errors, errors) * product(predicted, predicted);
    product(errors, predicted) / (scale / errors.len() as f64).sqrt()
}

/// The correlations of what a receiver sees, of a database with all its elements and of one with none, with what it predicts for the
/// first, of which it knows all, even the sender's coins.
fn seen(flooding: bool) -> [f64; 2] {
    let variant = Variant { flooding, ..Variant::default() };
    let parameters = FheParameters::best(SIZES, variant).expect("there are some");
    let ring = parameters.ring().expect("secure");
    let mut dry = parameters.clone();
    dry.flood = None;
    let database = |first: usize, parameters: &FheParameters| {
        let elements = elements(first, SIZES.sender);
        let coins = &mut ChaCha20Rng::from_seed([first as u8; 32]);
        Database::new(&elements, parameters.clone(), &SESSION, coins).expect("fits")
    };
    let known = database(0, &dry);
    let own = elements(0, SIZES.receiver);
    let points = known.key.as_ref().expect("of the function").hash_and_evaluate(&own);
    let items = items(&parameters, ring.parameters().t(), &SESSION, &own, &points);
    let answered = |database: &Database| {
        // The same keys and errors each time.
        let query = &mut ChaCha20Rng::from_seed([9; 32]);
        let (asked, query) = ask(&parameters, &ring, &items, query).expect("places for all");
        let answers = database.prepared.answer(query, &mut ChaCha20Rng::from_seed([8; 32]));
        errors(&asked, &parameters, &ring, &answers)
    };
    let predicted = answered(&known);
    [0, 100].map(|first| correlation(&answered(&database(first, &parameters)), &predicted))
}

#[test]
fn floods_hide_from_a_receiver_what_noise_tells() {
    let [matching, other] = seen(false);
    assert!(matching > MOST && other.abs() < MOST, "apart without floods: {matching} {other}");
    let [matching, other] = seen(true);
    assert!(matching.abs() < MOST && other.abs() < MOST, "alike with floods: {matching} {other}");
}
