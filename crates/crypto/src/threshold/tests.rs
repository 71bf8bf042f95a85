//! Shared keys against the plain key that the parties' shares add up to, and every deviation against who did it.

use chacha20::ChaCha20Rng;
use crypto_bigint::Uint;
use curve25519_dalek::Scalar;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use rand_core::SeedableRng;

use super::*;
use crate::Ristretto255;
use crate::elgamal::Ciphertext;

type Rng = ChaCha20Rng;
type Ristretto = <Ristretto255 as PrimeGroup>::Element;

fn rng(seed: u8) -> Rng {
    Rng::from_seed([seed; 32])
}

fn quorum(threshold: u16, parties: u16) -> Quorum {
    Quorum::new([5; 32], threshold, parties).expect("t of n")
}

/// What each party holds after the first round: its state, everybody's commitments, and the shares sent to it.
struct FirstRound<G: PrimeGroup> {
    dealings: Vec<Dealing<G>>,
    commitments: Vec<Commitments<G>>,
    /// By recipient, then by dealer.
    shares: Vec<Vec<Share<G>>>,
}

/// The first round, with every message encoded and decoded.
fn first_round<G: PrimeGroup>(group: &G, quorum: &Quorum, rng: &mut Rng) -> FirstRound<G> {
    let mut round = FirstRound { dealings: vec![], commitments: vec![], shares: vec![] };
    round.shares.resize_with(quorum.parties().into(), Vec::new);
    for party in 1..=quorum.parties() {
        let (dealing, commitments, shares) = deal(group, quorum, party, rng).expect("a party");
        let mut sent = Vec::new();
        commitments.encode(group, &mut sent);
        assert_eq!(sent.len(), usize::from(quorum.threshold()) * group.encoded_len());
        round.commitments.push(Commitments::decode(group, quorum, &sent).expect("as sent"));
        for (to, share) in round.shares.iter_mut().zip(shares) {
            let mut sent = Vec::new();
            share.encode(group, &mut sent);
            to.push(Share::decode(group, &sent).expect("as sent"));
        }
        round.dealings.push(dealing);
    }
    round
}

/// The second round of a first one: what each keeps, and the openings.
fn second_round<G: PrimeGroup>(
    group: &G,
    quorum: &Quorum,
    round: FirstRound<G>,
    rng: &mut Rng,
) -> (Vec<Opened<G>>, Vec<Opening<G>>) {
    let mut results = (Vec::new(), Vec::new());
    for (dealing, shares) in round.dealings.into_iter().zip(round.shares) {
        let opened = dealing.open(group, &round.commitments, shares, rng);
        let (opened, opening) = opened.expect("honest shares");
        let mut sent = Vec::new();
        opening.encode(group, &mut sent);
        results.0.push(opened);
        results.1.push(Opening::decode(group, quorum, &sent).expect("as sent"));
    }
    results
}

fn keys<G: PrimeGroup>(group: &G, quorum: &Quorum, rng: &mut Rng) -> Vec<KeyShare<G>> {
    let round = first_round(group, quorum, rng);
    let (opened, openings) = second_round(group, quorum, round, rng);
    let finish = |opened: Opened<G>| opened.finish(group, &openings).expect("honest openings");
    opened.into_iter().map(finish).collect()
}

fn partials<G: PrimeGroup>(
    group: &G,
    keys: &[KeyShare<G>],
    ciphertexts: &[Ciphertext<G::Element>],
) -> Vec<Partial<G>> {
    let partial = |(key, party): (&KeyShare<G>, u16)| {
        let mut sent = Vec::new();
        key.decrypt(group, ciphertexts, &mut rng(90)).encode(group, &mut sent);
        Partial::decode(group, party, ciphertexts.len(), &sent).expect("as sent")
    };
    keys.iter().zip(1..).map(partial).collect()
}

fn encoded<G: PrimeGroup>(group: &G, elements: &[G::Element]) -> Vec<u8> {
    let mut out = Vec::new();
    group.encode(elements, &mut out);
    out
}

/// All sets of parties, as bits, and those of them that are large enough.
fn every_subset<G: PrimeGroup>(group: &G, threshold: u16, parties: u16) {
    let rng = &mut rng(threshold as u8);
    let keys = keys(group, &quorum(threshold, parties), rng);
    let joint = keys[0].joint();
    let mut plain: Vec<_> = (0..3).map(|_| group.random(rng)).collect();
    plain.push(group.field().zero());
    let ciphertexts = joint.public(group).encrypt(group, &plain, rng);
    let expected = encoded(group, &group.multiply_generator(&plain));
    let partials = partials(group, &keys, &ciphertexts);
    for subset in 0u32..1 << parties {
        let chosen: Vec<_> = (0..usize::from(parties))
            .filter(|index| subset >> index & 1 == 1)
            .map(|index| &partials[index])
            .collect();
        let found = chosen.len();
        match joint.combine(group, &ciphertexts, &chosen) {
            Ok(plain) => {
                assert!(found >= usize::from(threshold));
                assert_eq!(encoded(group, &plain), expected, "{subset:b}");
            }
            Err(error) => assert_eq!(error, ThresholdError::TooFew { threshold, found }),
        }
    }
}

#[test]
fn any_t_of_n_decrypt_and_fewer_do_not() {
    for (threshold, parties) in [(1, 1), (1, 3), (2, 3), (3, 5), (4, 4)] {
        every_subset(&Ristretto255, threshold, parties);
    }
}

/// Scalars of the other library, Lagrange's formula in integers, and decryption by the definition.
#[test]
fn shares_are_those_of_the_plain_key() {
    let keys = keys(&Ristretto255, &quorum(3, 5), &mut rng(1));
    let share = |party: u16| *keys[usize::from(party - 1)].x;
    // For parties 1, 3 and 4: 3·4/(2·3), 1·4/((1−3)(4−3)), 1·3/((1−4)(3−4)).
    let x = share(1) * Scalar::from(2u8) - share(3) * Scalar::from(2u8) + share(4);
    // For 2, 3 and 5: 15/(1·3), 10/((2−3)(5−3)), 6/((2−5)(3−5)).
    let same = share(2) * Scalar::from(5u8) - share(3) * Scalar::from(5u8) + share(5);
    assert_eq!(x, same);
    // Two shares, interpolated alike, give another number.
    assert_ne!(x, share(1) * Scalar::from(2u8) - share(2));
    let point = |element: &Ristretto| {
        let bytes = encoded(&Ristretto255, std::slice::from_ref(element));
        CompressedRistretto::from_slice(&bytes).expect("32").decompress().expect("canonical")
    };
    let joint = keys[4].joint();
    assert_eq!(point(&joint.y), RistrettoPoint::mul_base(&x));
    for (party, element) in (1..).zip(&joint.shares) {
        assert_eq!(point(element), RistrettoPoint::mul_base(&share(party)), "{party}");
    }
    let plain = [Scalar::from(7u8), Scalar::ZERO];
    let sent = joint.public(&Ristretto255).encrypt(&Ristretto255, &plain, &mut rng(2));
    for ([a, b], m) in sent.iter().zip(plain) {
        assert_eq!(point(b) - point(a) * x, RistrettoPoint::mul_base(&m));
    }
}

#[test]
fn a_wrong_share_is_its_dealers() {
    let (group, quorum) = (Ristretto255, quorum(2, 4));
    for (value, dealer) in [(0, 1), (1, 4), (0, 3)] {
        let rng = &mut rng(3);
        let mut round = first_round(&group, &quorum, rng);
        round.shares[1][dealer - 1].values[value] += Scalar::ONE;
        let blamed = ThresholdError::WrongShare { dealer: dealer as u16 };
        for (index, (dealing, shares)) in round.dealings.into_iter().zip(round.shares).enumerate() {
            let own = round.commitments[dealer - 1].admits(&group, 2, &shares[dealer - 1]);
            assert!(index != 1 || !own);
            let result = dealing.open(&group, &round.commitments, shares, rng);
            assert_eq!(result.err(), (index == 1).then_some(blamed));
        }
    }
    // Commitments to a polynomial of another degree.
    let mut round = first_round(&group, &quorum, &mut rng(4));
    round.commitments[2].0.push(group.identity());
    let (dealing, shares) = (round.dealings.remove(0), round.shares.remove(0));
    let result = dealing.open(&group, &round.commitments, shares, &mut rng(5));
    assert_eq!(result.err(), Some(ThresholdError::WrongShare { dealer: 3 }));
}

#[test]
fn a_wrong_opening_is_its_dealers() {
    let (group, quorum) = (Ristretto255, quorum(3, 3));
    for (coefficient, dealer) in [(0, 1), (2, 3)] {
        let rng = &mut rng(6);
        let round = first_round(&group, &quorum, rng);
        let (opened, mut openings) = second_round(&group, &quorum, round, rng);
        let coefficients = &mut openings[dealer - 1].coefficients;
        group.add(&mut coefficients[coefficient..=coefficient], &[group.generator()]);
        let blamed = ThresholdError::WrongOpening { dealer: dealer as u16 };
        for opened in opened {
            assert_eq!(opened.finish(&group, &openings).err(), Some(blamed));
        }
    }
    let rng = &mut rng(7);
    let round = first_round(&group, &quorum, rng);
    let (mut opened, mut openings) = second_round(&group, &quorum, round, rng);
    // A proof of another party, and a changed one.
    openings[1].proof = openings[0].proof.clone();
    let blamed = |party| Some(ThresholdError::WrongProof { party });
    assert_eq!(opened.remove(0).finish(&group, &openings).err(), blamed(2));
    openings[0].proof.response += Scalar::ONE;
    assert_eq!(opened.remove(0).finish(&group, &openings).err(), blamed(1));
    let missing = opened.remove(0).finish(&group, &openings[..2]).err();
    assert_eq!(missing, Some(ThresholdError::Messages { parties: 3, messages: 2 }));
}

/// Every way to be wrong with a partial decryption.
#[test]
fn a_wrong_partial_decryption_is_its_senders() {
    let group = Ristretto255;
    let keys = keys(&group, &quorum(2, 3), &mut rng(8));
    let joint = keys[0].joint();
    let rng = &mut rng(9);
    let ciphertexts = joint.public(&group).encrypt(&group, &[Scalar::ONE; 5], rng);
    let good = partials(&group, &keys, &ciphertexts);
    let error = |partials: &[Partial<Ristretto255>]| {
        joint.combine(&group, &ciphertexts, &partials.iter().collect::<Vec<_>>()).err()
    };
    let blamed = Some(ThresholdError::WrongProof { party: 2 });
    let mut changed = good.clone();
    group.add(&mut changed[1].elements[4..], &[group.generator()]);
    assert_eq!(error(&changed), blamed);
    let mut swapped = good.clone();
    swapped[1].elements.swap(0, 1);
    assert_eq!(error(&swapped), blamed);
    for value in [Scalar::ONE, Scalar::ZERO] {
        let mut proof = good.clone();
        proof[1].proof.challenge += value;
        proof[1].proof.response += Scalar::ONE - value;
        assert_eq!(error(&proof), blamed);
    }
    let mut posing = good.clone();
    posing[0].party = 2;
    assert_eq!(error(&[posing[0].clone(), posing[0].clone()]), blamed);
    posing[0].party = 4;
    assert_eq!(error(&posing), Some(ThresholdError::NoParty { party: 4, parties: 3 }));
    assert_eq!(
        error(&[good[0].clone(), good[0].clone()]),
        Some(ThresholdError::Repeated { party: 1 })
    );
    let mut short = good.clone();
    short[2].elements.pop();
    let few = ThresholdError::Ciphertexts { party: 3, expected: 5, found: 4 };
    assert_eq!(error(&short), Some(few));
    // Another session's proof, and other ciphertexts.
    let mut other = keys[0].joint().clone();
    other.quorum.session = [6; 32];
    let wrong = Err(ThresholdError::WrongProof { party: 1 });
    assert_eq!(other.verify(&group, &ciphertexts, &good[0]), wrong);
    let others = joint.public(&group).encrypt(&group, &[Scalar::ONE; 5], rng);
    assert_eq!(joint.verify(&group, &others, &good[0]), wrong);
    assert_eq!(joint.verify(&group, &ciphertexts, &good[0]), Ok(()));
}

#[test]
fn quorums_and_lengths_are_checked() {
    for (threshold, parties) in [(0, 3), (4, 3), (0, 0)] {
        let error = Quorum::new([0; 32], threshold, parties).err();
        assert_eq!(error, Some(ThresholdError::Quorum { threshold, parties }));
    }
    let (group, quorum) = (Ristretto255, quorum(2, 3));
    for party in [0, 4] {
        let error = deal(&group, &quorum, party, &mut rng(10)).err();
        assert_eq!(error, Some(ThresholdError::NoParty { party, parties: 3 }));
    }
    for length in [0, 63, 65, 96, 128 + 1] {
        let bytes = vec![0; length];
        assert!(Commitments::decode(&group, &quorum, &bytes).is_err(), "{length}");
        assert!(Share::decode(&group, &bytes).is_err(), "{length}");
        assert!(Opening::decode(&group, &quorum, &bytes).is_err(), "{length}");
        assert!(Partial::decode(&group, 1, 2, &bytes).is_err(), "{length}");
    }
    // ℓ itself is no scalar, and all ones are neither scalar nor element.
    let order = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
    let order = Uint::<4>::from_be_hex(order).to_be_bytes();
    let unit = |error: Option<ThresholdError>| match error {
        Some(ThresholdError::Malformed { unit, .. }) => unit,
        _ => "",
    };
    let share = [&[0; 32], order.as_ref()].concat();
    assert_eq!(unit(Share::decode(&group, &share).err()), "scalar");
    assert_eq!(unit(Commitments::decode(&group, &quorum, &[0xff; 64]).err()), "element");
    let opening = [[0; 64], [0xff; 64]].concat();
    assert_eq!(unit(Opening::decode(&group, &quorum, &opening).err()), "scalar");
}
