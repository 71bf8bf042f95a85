//! `dh-oprf`: an oblivious pseudorandom function from Diffie–Hellman.
//!
//! Jarecki and Liu, "Fast Secure Computation of Set Intersection", SCN 2010, whose function Jarecki, Kiayias and Krawczyk call
//! 2HashDH (Asiacrypt 2014, figure 2). With H the map to ristretto255 and G a hash that has the session:
//!
//! 1. The receiver draws a and sends a·H(y) for each of its elements y.
//! 2. The sender draws k and sends k·(a·H(y)) back. It has F(x) = G(x, k·H(x)) at its own elements.
//! 3. The receiver multiplies by a^-1 and has F(y) = G(y, k·H(y)).
//!
//! **Security.** Semi-honest, under DDH with H and G random oracles: a·H(y) is a random element to the sender, and k·H(x) one to a
//! receiver that lacks x.

use std::ops::Range;

use rayon::prelude::*;
use veilset_channel::ChannelExt;
use veilset_crypto::{CommutativePrf, CommutativePrp, Element, RistrettoPrp};
use zeroize::Zeroizing;

use crate::kit::comparison::Outputs;
use crate::kit::exchange::{not_an_element, point_bytes};
use crate::kit::membership::VALUES_A_TASK;
use crate::kit::wire::{Points, point_chunks};
use crate::{Cost, Means, PartyCost, ProtocolError, Shape};

/// The step of both sides.
const STEP: &str = "blinded elements";

/// The sender's part: draws a key, and evaluates at the receiver's `count` elements and its own.
pub(crate) fn send(
    means: &mut Means<'_>,
    elements: Zeroizing<Vec<Element>>,
    count: usize,
) -> Result<Outputs, ProtocolError> {
    let prf = RistrettoPrp::generate(means.rng);
    let hash = Output::new(means.session);
    let mut outputs = Outputs::with_room(elements.len());
    let (theirs, own) =
        (point_chunks::<RistrettoPrp>(count), point_chunks::<RistrettoPrp>(elements.len()));
    means.step(STEP, count + elements.len());
    for chunk in 0..theirs.count().max(own.count()) {
        // Step 2, and while the receiver is busy what this side has to do anyway.
        if let Some(range) = theirs.range(chunk) {
            let Points(blinded) = means.channel.take(&range.len())?;
            means.channel.put(&Points(prf.evaluate(&blinded).map_err(not_an_element)?))?;
            means.observer.advance(range.len() as u64);
        }
        if let Some(range) = own.range(chunk) {
            let elements = &elements[range];
            hash.add(&mut outputs, elements, &Zeroizing::new(prf.hash_and_evaluate(elements)));
            means.observer.advance(elements.len() as u64);
        }
    }
    Ok(outputs)
}

/// The receiver's part, of whose elements a frame flies while the one before is finished.
pub(crate) fn receive(
    means: &mut Means<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<Outputs, ProtocolError> {
    let blind = RistrettoPrp::generate(means.rng);
    let hash = Output::new(means.session);
    let mut outputs = Outputs::with_room(elements.len());
    means.step(STEP, elements.len());
    let mut waiting: Option<Range<usize>> = None;
    let ranges = point_chunks::<RistrettoPrp>(elements.len());
    for range in ranges.ranges().map(Some).chain([None]) {
        // Step 1.
        if let Some(range) = range.clone() {
            means.channel.put(&Points(blind.hash_and_evaluate(&elements[range])))?;
        }
        // Step 3.
        if let Some(before) = std::mem::replace(&mut waiting, range) {
            let Points(points) = means.channel.take(&before.len())?;
            let points = Zeroizing::new(blind.invert(&points).map_err(not_an_element)?);
            hash.add(&mut outputs, &elements[before.clone()], &points);
            means.observer.advance(before.len() as u64);
        }
    }
    Ok(outputs)
}

/// G.
struct Output([u8; 32]);

impl Output {
    fn new(session: &[u8; 32]) -> Self {
        Self(blake3::derive_key("veilset v1 Diffie-Hellman function", session))
    }

    /// Adds F of these elements, whose points are these.
    fn add(&self, outputs: &mut Outputs, elements: &[Element], points: &[[u8; 32]]) {
        let each = elements.par_iter().zip(points).with_min_len(VALUES_A_TASK);
        let halves = each.map(|(element, point)| {
            let mut input = Zeroizing::new([0; Element::LEN + 32]);
            input[..Element::LEN].copy_from_slice(&element.0);
            input[Element::LEN..].copy_from_slice(point);
            let digest = blake3::keyed_hash(&self.0, &*input);
            let (halves, _) = digest.as_bytes().as_chunks::<16>();
            (u128::from_le_bytes(halves[0]), u128::from_le_bytes(halves[1]))
        });
        let (values, keys): (Vec<u128>, Vec<u128>) = halves.unzip();
        let first = outputs.places.len() as u32;
        outputs.places.extend((first..).take(elements.len()));
        outputs.values.extend_from_slice(&Zeroizing::new(values));
        outputs.keys.extend_from_slice(&Zeroizing::new(keys));
    }
}

/// What it costs.
pub(crate) fn cost(shape: &Shape) -> Cost {
    let (own, peer) = (shape.sender as f64, shape.receiver as f64);
    let points = point_bytes(shape.receiver, RistrettoPrp::LEN);
    let sender = PartyCost {
        multiplications: own + peer,
        maps: own,
        bytes_sent: points,
        memory: 32.0 * own,
        ..PartyCost::default()
    };
    let receiver = PartyCost {
        multiplications: 2.0 * peer,
        maps: peer,
        bytes_sent: points,
        memory: 32.0 * peer,
        ..PartyCost::default()
    };
    Cost { sender, receiver, rounds: 1, waits: 1 }
}
