#![allow(clippy::unwrap_used)]

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use veilset_channel::HEADER;

use super::super::tests::{SESSION, distinct, frames, receive_from, rng, run, send_to};
use super::*;

/// What is not the canonical encoding of a point other than the identity.
fn bad_points() -> [[u8; POINT]; 6] {
    let mut p = [0xff; POINT];
    (p[0], p[31]) = (0xed, 0x7f);
    let mut above = p;
    above[0] += 3;
    let (mut one, mut small) = ([0; POINT], [0; POINT]);
    (one[0], small[0]) = (1, 2);
    let non_square = (1..).map(|k| 2 * k).find(|s| {
        small[0] = *s;
        CompressedRistretto(small).decompress().is_none()
    });
    small[0] = non_square.unwrap();
    [[0; POINT], p, above, one, [0xff; POINT], small]
}

fn refused<T>(result: Result<T, OtError>, message: Tag) -> bool {
    matches!(
        result,
        Err(OtError::Channel(ChannelError::Peer(PeerFault::Malformed { what, why })))
            if what == message.name() && why == Malformed::NotAnElement
    )
}

#[test]
fn what_is_no_point_is_refused_wherever_it_stands() {
    let ot = Ristretto::new(SESSION);
    let choices = [true, false, true];
    let [offer, answer] = frames(&ot, &choices);
    for bad in bad_points() {
        for place in 0..6 {
            let mut offer = offer.clone();
            offer[0][HEADER + POINT * place..][..POINT].copy_from_slice(&bad);
            assert!(refused(send_to(&ot, offer, 3, 1), Pairs::TAG));
        }
        let mut answer = answer.clone();
        answer[0][HEADER..].copy_from_slice(&bad);
        assert!(refused(receive_from(&ot, answer, &choices), Answer::TAG));
    }
}

#[test]
fn a_sum_that_is_the_identity_is_refused() {
    let ot = Ristretto::new(SESSION);
    let masks = Masks::new(MASKS, &SESSION);
    let r_1 = RistrettoPoint::random(&mut rng(3)).compress().to_bytes();
    let r_0 = (-mask(&masks, 0, 0, &r_1)).compress().to_bytes();
    let frame = [&[Pairs::TAG.byte(), 0, 0, 0, 0][..], &r_0, &r_1].concat();
    assert!(refused(send_to(&ot, vec![frame], 1, 1), Pairs::TAG));
}

/// H_{i,j} at an encoded point, by another library.
fn mask(masks: &Masks, i: usize, j: usize, input: &[u8; POINT]) -> RistrettoPoint {
    let uniform = masks.at(i, Choice::from(j as u8), [input, &[]]);
    RistrettoPoint::from_uniform_bytes(&uniform) * Scalar::from(2u8)
}

#[test]
fn blocks_follow_from_diffie_hellman_without_shortcuts() {
    // The sums and the products of the figure by another library, from full scalars and one point at a time; several tasks.
    let ot = Ristretto::new(SESSION);
    let choices: Vec<bool> = (0..POINTS_A_TASK + 3).map(|i| i % 3 > 0).collect();
    let masks = Masks::new(MASKS, &SESSION);
    let (half_a, pairs) = Pairs::hide(&choices, &masks, &mut rng(1 ^ 0x80));
    let half_b = Scalar::random(&mut rng(1));
    let halves = half_a.iter().map(|half| Scalar::from_canonical_bytes(*half).unwrap());
    let (a, b) = (halves.map(|half| half + half), half_b + half_b);
    let answer = Answer((RistrettoPoint::mul_base(&b)).compress().to_bytes());
    let keys = ot.transcript(&pairs, &answer).keys(KEYS);
    let (sent, received) = run(&ot, &choices, 1);
    for (i, a) in a.enumerate() {
        let c = usize::from(choices[i]);
        let secrets = [0, 1].map(|j| {
            let own = CompressedRistretto(pairs.0[i][j]).decompress().unwrap();
            let sum = own + mask(&masks, i, j, &pairs.0[i][1 - j]);
            assert_eq!(sum == RistrettoPoint::mul_base(&a), j == c);
            (b * sum).compress().to_bytes()
        });
        assert_eq!(sent[i], keys.pair(i, &secrets));
        assert_eq!(secrets[c], (a * RistrettoPoint::mul_base(&b)).compress().to_bytes());
        assert_eq!(received[i], sent[i][c]);
    }
}

#[test]
fn repeating_one_message_in_every_instance_repeats_no_block() {
    let ot = Ristretto::new(SESSION);
    let [mut offer, _] = frames(&ot, &[true; 4]);
    let first = offer[0][HEADER..][..2 * POINT].to_vec();
    offer[0].truncate(HEADER);
    offer[0].extend(first.repeat(4));
    let sent = send_to(&ot, offer, 4, 1).unwrap();
    assert_eq!(distinct(&sent).len(), 8);
}

#[test]
fn instances_that_swap_places_give_other_blocks() {
    let ot = Ristretto::new(SESSION);
    let choices = [true, false];
    let [mut offer, _] = frames(&ot, &choices);
    let straight = send_to(&ot, offer.clone(), 2, 1).unwrap();
    let (first, second) = offer[0][HEADER..].split_at_mut(2 * POINT);
    first.swap_with_slice(second);
    let swapped = send_to(&ot, offer, 2, 1).unwrap();
    assert!(straight.iter().all(|pair| !swapped.contains(pair)));
    assert!(straight.as_flattened().iter().all(|block| !swapped.as_flattened().contains(block)));
}
