use std::thread;

use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_channel::{Blob, ChannelError, Framed, Recording, Replay, Transport, memory_pair};
use veilset_crypto::{Element, Field};

use super::*;
use crate::{Attached, AttachedShape, Silent};

type Ended = Result<Outcome, ProtocolError>;

fn elements(numbers: std::ops::Range<u32>) -> Vec<Element> {
    numbers.map(|number| Element(*blake3::hash(&number.to_le_bytes()).as_bytes())).collect()
}

/// One side of a run of `protocol` in session `[session; 32]`, whose randomness is the session's too.
fn run(
    protocol: &Rt21,
    role: Role,
    elements: &[Element],
    peer_count: usize,
    session: u8,
    transport: impl Transport,
) -> Ended {
    let conclusion = protocol.run(Run {
        side: Side { role, reveal: Reveal::Receiver },
        input: RunInput {
            elements: elements.to_vec().into(),
            peer_count,
            attached: Attached::Nothing,
            peer_attached: AttachedShape::Nothing,
            per_row: 1,
            slack: 0,
            coins: 0,
            least: None,
            choices: protocol.spec.defaults(),
        },
        means: Means {
            session: &[session; 32],
            channel: &mut Framed::new(transport),
            rng: &mut ChaCha20Rng::from_seed([session ^ role as u8 ^ 0x80; 32]),
            observer: &Silent,
        },
    })?;
    conclusion()
}

/// How a sender of `elements` ends whose receiver does `cheat` with the first message.
fn against(
    protocol: &'static Rt21,
    elements: &[Element],
    declared: usize,
    cheat: impl FnOnce(&mut dyn Channel),
) -> Ended {
    let (left, right) = memory_pair();
    thread::scope(|scope| {
        let sender = scope.spawn(|| run(protocol, Role::Sender, elements, declared, 1, left));
        cheat(&mut Framed::new(right));
        sender.join().expect("no panic")
    })
}

fn fault(ended: Ended) -> PeerFault {
    match ended {
        Err(ProtocolError::Channel(ChannelError::Peer(fault))) => fault,
        Err(other) => unreachable!("{other}"),
        Ok(_) => unreachable!("a cheat went unnoticed"),
    }
}

#[test]
fn a_constant_polynomial_is_refused() {
    let field = &CURVE25519.field;
    for constant in [0, 1] {
        let poly = [field.element(constant), field.zero(), field.zero()];
        let ended = against(&MALICIOUS, &elements(0..5), 3, |channel| {
            channel.take::<FirstMessage>(&32).expect("the sender begins");
            put_coefficients(channel, field, &poly).expect("open");
        });
        let expected = PeerFault::CheckFailed("check of the polynomial, which is constant");
        assert_eq!(fault(ended), expected);
    }
}

#[test]
fn coefficients_from_the_modulus_on_are_refused() {
    let ended = against(&MALICIOUS, &elements(0..5), 2, |channel| {
        channel.take::<FirstMessage>(&32).expect("the sender begins");
        let mut bytes = vec![0xff; 64];
        // 2^255 − 19.
        (bytes[32], bytes[63]) = (0xed, 0x7f);
        channel.put::<messages::Coefficients>(&Blob(bytes)).expect("open");
    });
    let malformed = PeerFault::Malformed { what: "polynomial", why: Malformed::OutOfRange };
    assert_eq!(fault(ended), malformed);
}

#[test]
fn first_messages_of_small_order_are_refused() {
    let order_eight = "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157";
    let order_eight: Vec<u8> = (0..32)
        .map(|at| u8::from_str_radix(&order_eight[2 * at..2 * at + 2], 16).expect("hexadecimal"))
        .collect();
    let small = |byte: u8, len: usize| {
        let mut bytes = vec![0; len];
        bytes[0] = byte;
        bytes
    };
    let modulus = FFDHE2048.agreement.modulus().to_vec();
    let curve = [small(0, 32), small(1, 32), order_eight, vec![0xff; 32]];
    let finite = [small(0, 256), small(1, 256), modulus, vec![0xff; 256]];
    for (protocol, bad) in [(&MALICIOUS, curve), (&FINITE_FIELD, finite)] {
        for first in bad {
            let (left, right) = memory_pair();
            let cheat = thread::spawn(move || Framed::new(left).put::<FirstMessage>(&Blob(first)));
            let ended = run(protocol, Role::Receiver, &elements(0..5), 5, 1, right);
            cheat.join().expect("no panic").expect("open");
            let why = Malformed::NotAnElement;
            assert_eq!(fault(ended), PeerFault::Malformed { what: FirstMessage::TAG.name(), why });
        }
    }
}

/// What the receiver of an honest run found, and the frames that it sent.
fn recorded(protocol: &'static Rt21, session: u8) -> (Vec<u32>, Vec<Vec<u8>>) {
    let (left, right) = memory_pair();
    let (right, transcript) = Recording::new(right);
    let own = elements(0..6);
    let sender = thread::spawn(move || {
        run(protocol, Role::Sender, &elements(3..9), 6, session, left).map(drop)
    });
    let found = run(protocol, Role::Receiver, &own, 6, session, right).expect("honest");
    sender.join().expect("no panic").expect("honest");
    let Outcome::Matched(found) = found else { unreachable!("the receiver learns") };
    (found, transcript.frames())
}

#[test]
fn a_polynomial_of_another_run_finds_nothing() {
    for protocol in [&MALICIOUS, &SEMI_HONEST] {
        let (found, frames) = recorded(protocol, 1);
        assert_eq!(found, [3, 4, 5]);
        // The same frames to a sender in another session, whose set the same receiver would look its values up in.
        let sent = |session| {
            let (replay, sent) = Recording::new(Replay::new(frames.clone()));
            let sender = run(protocol, Role::Sender, &elements(3..9), 6, session, replay);
            sender.expect("well-formed");
            sent.frames()
        };
        assert_eq!(sent(1).len(), sent(2).len());
        // The first message and all that follows differ.
        assert!(sent(1).iter().zip(sent(2)).all(|(one, other)| *one != other));
    }
}

#[test]
fn oracles_belong_to_a_session_an_agreement_and_a_first_message() {
    let of = |name, session: u8, first: &[u8]| {
        let oracles = Oracles::new(name, &[session; 32], first);
        let points = oracles.points(&CURVE25519.field, &elements(0..1));
        let encoded = suite::Residues::encode(&CURVE25519.field, &points[0]);
        (encoded, oracles.values(&elements(0..1), &[[1_u8; 32]], &[[2_u8; 32]])[0])
    };
    let all = [of("a", 1, b"m"), of("b", 1, b"m"), of("a", 2, b"m"), of("a", 1, b"n")];
    for (place, one) in all.iter().enumerate() {
        for other in &all[..place] {
            assert!(one.0 != other.0 && one.1 != other.1, "{place}");
        }
    }
    // H₂ depends on element, message and key.
    let oracles = Oracles::new("a", &[1; 32], b"m");
    let values = [([1_u8; 32], [2_u8; 32]), ([3; 32], [2; 32]), ([1; 32], [3; 32])]
        .map(|(message, key)| oracles.values(&elements(0..1), &[message], &[key])[0]);
    assert!(values[0] != values[1] && values[0] != values[2]);
    assert!(values[0] != oracles.values(&elements(1..2), &[[1_u8; 32]], &[[2_u8; 32]])[0]);
}

/// The least n' such that some polynomial with `count` coefficients that is not constant has n' of 2^64 messages at as many of
/// 2^64 points with probability at most 2^-40. A message that is used again leaves 2^64 fewer choices, and lets a point
/// fit by up to `count` − 1 roots instead of one: fewer than 2^64.
fn extractable(count: f64) -> f64 {
    const QUESTIONS: f64 = 64.0;
    // log₂ of the ways to choose n' points and a message for each: C(q, n')·q^n' with log₂ C(q, n') ≤ n'·log₂(e·q/n').
    let chance = |points: f64| {
        points * (2.0 * QUESTIONS - points.log2() + std::f64::consts::E.log2())
            - 255.0 * (points - count)
    };
    let mut points = count;
    while chance(points) > -40.0 {
        points += 1.0;
    }
    points
}

#[test]
fn a_receiver_that_cheats_tests_at_most_twice_as_many_and_three_more() {
    for size in (0..=22).map(|log| 1 << log) {
        assert!(
            (coefficients(size) as f64).log2() < 64.0,
            "messages that are used again do not pay"
        );
        let points = extractable(coefficients(size) as f64);
        assert!(points <= 2.0 * size as f64 + 3.0, "{size}: {points}");
    }
}
