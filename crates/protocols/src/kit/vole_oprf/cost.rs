//! What an evaluation costs.

use veilset_crypto::Element;
use veilset_ot::base::Base;
use veilset_ot::vole::{self, Subfield};
use veilset_structures::okvs::OkvsShape;

use super::{Field, among, over_field};
use crate::kit::store::{KIND, bytes, chunks};
use crate::kit::wire::{frames, size};
use crate::{PartyCost, Security};

/// The most points of an evaluation.
pub(crate) const MAX_POINTS: u64 = 1 << 28;

/// Rounds of an evaluation.
pub(crate) const ROUNDS: u64 = 3;

/// Messages that one side waits for within these rounds: of the base transfers an answer and a correction; against cheats also a
/// challenge and an answer for either batch of transfers and for the trees.
pub(crate) fn waits(security: Security) -> u64 {
    match security {
        Security::SemiHonest => 2,
        Security::Malicious => 8,
    }
}

/// What 128 base transfers take, in passes, with the first touch of code and memory by a program that has just begun, which takes
/// most of it on ristretto255. This and the numbers of passes below were measured on one processor.
pub(crate) fn setup_passes(base: Base) -> f64 {
    match base {
        Base::Ristretto => 180_000.0,
        Base::MlKem => 900_000.0,
    }
}

/// What an evaluation at `points` costs the sender, who evaluates at `own` elements, and the receiver.
pub(crate) fn cost(
    points: u64,
    own: u64,
    security: Security,
    base: Base,
) -> (PartyCost, PartyCost) {
    cost_over(Field::of(size(own), security), points, own, security, base)
}

/// The same between two of several parties, of whose functions so many values are computed in all.
pub(crate) fn cost_among(points: u64, own: u64, evaluated: u64) -> (PartyCost, PartyCost) {
    let security = Security::SemiHonest;
    cost_over(among(size(evaluated)), points, own, security, Base::Ristretto)
}

fn cost_over(
    field: Field,
    points: u64,
    own: u64,
    security: Security,
    base: Base,
) -> (PartyCost, PartyCost) {
    if points == 0 {
        return Default::default();
    }
    if points > MAX_POINTS {
        let endless = PartyCost { bytes_sent: f64::INFINITY, ..PartyCost::default() };
        return (endless, endless);
    }
    let points = size(points);
    let len = OkvsShape::new(KIND, points).len();
    let vole = over_field!(field, B => vole::wire_cost::<B>(base, len, security.into()));
    // A commitment and a coin, and a coin.
    let coins = if security == Security::Malicious { 32.0 } else { 0.0 };
    let sums = over_field!(field, B => sums_bytes::<B>(len, security));
    let sent = vole.sender.0 + frames(vole.sender.1) + 2.0 * coins;
    let returned = vole.receiver.0 + frames(vole.receiver.1) + 16.0 + frames(1) + sums + coins;
    let stretch = over_field!(field, B => longest::<B>(len, security));
    let memory = memory(field, security, Sizes { points, own: size(own), stretch });
    let (points, own, len) = (points as f64, own as f64, len as f64);
    let checks = if security == Security::Malicious { 1.1 } else { 1.0 };
    // What lies in no cache takes longer.
    let dearer = checks * (1.0 + 0.12 * (len / f64::from(1 << 16)).log2().max(0.0));
    let sender = PartyCost {
        passes: setup_passes(base) / 2.0 + dearer * (0.9 * len + own),
        bytes_sent: sent,
        in_turn: sent,
        memory: memory.0,
        ..PartyCost::default()
    };
    let receiver = PartyCost {
        passes: setup_passes(base) / 2.0 + dearer * (1.6 * len + 1.2 * points),
        bytes_sent: returned,
        in_turn: returned,
        memory: memory.1,
        ..PartyCost::default()
    };
    (sender, receiver)
}

/// Bytes of A + P, which goes stretch by stretch.
fn sums_bytes<B: Subfield>(len: usize, security: Security) -> f64 {
    let stretches = vole::stretches::<B>(security.into(), len);
    let frames = frames(stretches.map(|stretch| chunks::<B>(stretch.len()).count()).sum());
    len as f64 * bytes::<B>() as f64 + frames
}

/// Entries of the longest stretch.
fn longest<B: Subfield>(len: usize, security: Security) -> usize {
    let stretches = vole::stretches::<B>(security.into(), len);
    stretches.map(|stretch| stretch.len()).max().unwrap_or(len)
}

/// The sizes of an evaluation.
struct Sizes {
    /// The receiver's points.
    points: usize,
    /// The sender's.
    own: usize,
    /// Entries of the vector OLE that are made at once.
    stretch: usize,
}

/// Bytes beside the elements at the sender's and the receiver's fullest moments: while a stretch is made, encoded or evaluated, or while
/// values are compared. The elements themselves are given up as points take their place.
fn memory(field: Field, security: Security, sizes: Sizes) -> (f64, f64) {
    /// A key, a value, and an element of the large field.
    const BLOCK: f64 = 16.0;
    /// Where an element stands.
    const PLACE: f64 = 4.0;
    /// Who has each of the sender's values.
    const ASKER: f64 = 4.0;
    let (points, own) = (sizes.points as f64, sizes.own as f64);
    let (stretch, entry) = (sizes.stretch as f64, over_field!(field, B => bytes::<B>()) as f64);
    // In batches, those in work beside the result. Otherwise a region of the second halves is there, and where they are checked all
    // of them beside it.
    let (grown, halves) = match (field, security) {
        (Field::Middle, _) => (1.0, 1.0),
        (_, Security::SemiHonest) => (2.0, 8.0 / 7.0),
        (_, Security::Malicious) => (2.0, 15.0 / 7.0),
    };
    let held = BLOCK + entry + PLACE - Element::LEN as f64;
    let (of_points, of_own) = (held.max(0.0) * points, held.max(0.0) * own);
    let making = halves * (BLOCK + entry) * stretch + of_points;
    let comparing = (BLOCK + 2.0 * PLACE + 2.0 - Element::LEN as f64) * points + ASKER * own;
    (grown * BLOCK * stretch + of_own, making.max(comparing))
}
