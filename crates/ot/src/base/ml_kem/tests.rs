#![allow(clippy::unwrap_used)]

use veilset_channel::HEADER;

use super::super::tests::{SESSION, distinct, frames, receive_from, run, send_to};
use super::*;

const OFFER: usize = Offer::BYTES;

fn out_of_range<T>(result: Result<T, OtError>) -> bool {
    matches!(
        result,
        Err(OtError::Channel(ChannelError::Peer(PeerFault::Malformed { what, why })))
            if what == Offer::TAG.name() && why == Malformed::OutOfRange
    )
}

#[test]
fn coefficients_that_are_not_reduced_are_refused_wherever_they_stand() {
    let ot = MlKem::new(SESSION);
    let [offer, _] = frames(&ot, &[true, false]);
    for at in [RHO, RHO + ENCODED - 3, RHO + ENCODED, OFFER - 3, OFFER + RHO, 2 * OFFER - 3] {
        // The lower of two coefficients is 3329, then the upper one is.
        for triple in [[0x01, 0x0d, 0x00], [0x00, 0x10, 0xd0]] {
            let mut offer = offer.clone();
            offer[0][HEADER + at..][..3].copy_from_slice(&triple);
            assert!(out_of_range(send_to(&ot, offer, 2, 1)));
        }
    }
}

#[test]
fn the_sums_are_the_receivers_key_and_one_that_it_does_not_hold() {
    let masks = Masks::new(MASKS, &SESSION);
    for chosen in [0, 1] {
        let choice = secret(chosen == 1);
        let mut rng = super::super::tests::rng(5);
        let (own, offer) = Offer::hide(&masks, 9, choice, &mut rng);
        let own_key = own.encapsulation_key().to_bytes();
        for (j, branch) in [0, 1].map(Choice::from).into_iter().enumerate() {
            let mask = mask(&masks, 9, branch, &offer.rho, &offer.pair[1 - j]);
            let sum = Vector::decode(&offer.pair[j]).unwrap().add(&mask);
            let key = encapsulation_key(&sum, &offer.rho).unwrap();
            assert_eq!(key.to_bytes() == own_key, j == chosen);
        }
    }
}

#[test]
fn a_spoilt_ciphertext_of_either_branch_stops_nothing_and_tells_nothing() {
    let ot = MlKem::new(SESSION);
    for choices in [[false], [true]] {
        let (sent, _) = run(&ot, &choices, 1);
        let [_, answer] = frames(&ot, &choices);
        for branch in [0, 1] {
            let mut answer = answer.clone();
            answer[0][HEADER + branch * CIPHERTEXT + 5] ^= 1;
            let received = receive_from(&ot, answer, &choices).unwrap();
            assert!(!sent[0].contains(&received[0]), "the transcript has changed");
        }
    }
}

#[test]
fn repeating_one_message_in_every_instance_repeats_no_block() {
    let ot = MlKem::new(SESSION);
    let [mut offer, _] = frames(&ot, &[true; 4]);
    let first = offer[0][HEADER..][..OFFER].to_vec();
    offer[0].truncate(HEADER);
    offer[0].extend(first.repeat(4));
    let sent = send_to(&ot, offer, 4, 1).unwrap();
    assert_eq!(distinct(&sent).len(), 8);
}

#[test]
fn instances_that_swap_places_open_to_nothing() {
    let ot = MlKem::new(SESSION);
    let choices = [true, false];
    let [mut offer, _] = frames(&ot, &choices);
    let (first, second) = offer[0][HEADER..].split_at_mut(OFFER);
    first.swap_with_slice(second);
    let masks = Masks::new(MASKS, &SESSION);
    let (mut moved, mut own_keys) = (Vec::new(), Vec::new());
    let mut rng = super::super::tests::rng(1 ^ 0x80);
    for (i, choice) in choices.into_iter().enumerate() {
        let (own, offer) = Offer::hide(&masks, i, secret(choice), &mut rng);
        own_keys.push(own.encapsulation_key().to_bytes());
        moved.push((1 - i, offer));
    }
    for (place, offer) in &moved {
        for (j, branch) in [0, 1].map(Choice::from).into_iter().enumerate() {
            let mask = mask(&masks, *place, branch, &offer.rho, &offer.pair[1 - j]);
            let sum = Vector::decode(&offer.pair[j]).unwrap().add(&mask);
            let key = encapsulation_key(&sum, &offer.rho).unwrap().to_bytes();
            assert!(!own_keys.contains(&key), "a mask belongs to its instance");
        }
    }
    let straight = run(&ot, &choices, 1).0;
    let swapped = send_to(&ot, offer, 2, 1).unwrap();
    assert!(straight.as_flattened().iter().all(|block| !swapped.as_flattened().contains(block)));
}
