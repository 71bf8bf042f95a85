//! Private-ID: identifiers under which both sides know the elements that either has.
//!
//! eprint 2022/652, section 6.2 and Fig. 8: a distributed OPRF gives each side `G_{k1,k2}(z) = k1·k2·H(z)` for its own
//! elements `z`, and a union of these identifiers follows. The sender `P₁` has `X`, the receiver `P₂` has `Y`; each side's
//! key is `k = s·t` (see [`DistributedPrf`]).
//!
//! 1. Each side sends its elements masked, `s·H(z)`, in a random order.
//! 2. Each returns the other's under its own key, in order, and takes its own mask off: `P₁` has `k1·k2·H(x)`, `P₂` has
//!    `k1·k2·H(y)`. What `P₁` returned is `k1·s2·H(y)`.
//! 3. `P₁` sends, under a fresh key `c`, the set of all `c·k1·s2·H(y)`, and its identifiers `c·k1·k2·H(x_i)` in a fresh
//!    random order. `P₂` multiplies the latter by `t2^-1`, which leaves `c·k1·s2·H(x_i)`, and sets `e_i = 1` iff that is in
//!    the set.
//! 4. One-sided OT of the identifier of `x_i` by `1 − e_i`: `P₂` has the union.
//! 5. `P₂` sends the union as a sorted set.
//!
//! **Deviation.** The paper runs a union with a full mqRPMT on the identifiers and notes that a *distributional* one, for
//! inputs that are pseudorandom already, saves the 2n maps to the curve. Step 3 saves more. It is the mqRPMT from a permuted
//! OPRF (Fig. 6) with `P₂`'s identifiers as its set: their masked form, which Fig. 5 would send, is what `P₁` holds since
//! step 2, with the mask `t2^-1`. So `P₂` sends nothing, n points and n multiplications less.
//!
//! **Security.** Semi-honest, under DDH on Curve25519 with keys as [`DistributedPrf`] draws them, `H` a random oracle, and
//! the OT. `P₂` sees `s1·H(x)`, `k1·s2·H(y)` in order, the set of `c·k1·s2·H(y)`, `c·k1·k2·H(x_i)` in random order, and digests
//! of `k1·k2·H(x)` for what it lacks. The triples `(s1·H(z), k1·H(z), c·k1·H(z))` are three independent random points for each
//! different `z`: the first two by the argument for [`DistributedPrf`], the third since `c` is an independent key (from half of
//! the residues, one more factor √2). The simulator draws them, and gives `P₂`'s own third points to as many places of the
//! last vector as elements are common. `P₁` sees `s2·H(y)`, `k2·s1·H(x)`, and the union: random points, since `s2` and `k2` are
//! two keys, and digests of points that both sides may know.

mod union;
mod vole;

use std::ops::Range;

use veilset_channel::{Channel, ChannelExt};
use veilset_crypto::{DistributedPrf, Group, Point, permutation};
use zeroize::Zeroizing;

use self::union::{Identifiers, receive_union, send_union, union_cost};
pub(crate) use self::vole::VolePrivateId;
use crate::kit::exchange::{Ordered, cross, not_an_element, point_bytes};
use crate::kit::wire::{Points, chunks_of};
use crate::kit::wording::SIZES;
use crate::{
    Allowed, Conclusion, Cost, Knowledge, Leak, Operation, PartyCost, Protocol, ProtocolError,
    Reveal, Role, Run, Security, SetEncoding, Shape, Spec, Taken,
};

/// The registry entry `private-id`.
pub(crate) struct PrivateId;

const IDENTIFIERS: Knowledge = Knowledge {
    of_you: "an identifier for each of your rows, and the identifiers that only the peer has",
    of_peer: "an identifier for each of its rows, and the identifiers that only you have",
};

/// What leaks, however the identifiers are made.
const LEAKS: [Leak; 5] = [
    SIZES,
    Leak::always(
        "Each side sees from the size of the union how many keys match, not which; the receiver sees that first.",
    ),
    Leak::always("Somebody who sees both sides' files can join them by the identifiers."),
    Leak::by_cheating("The sender takes the union from the receiver on trust."),
    Leak::by_cheating("A side that cheats can learn which of its keys match, unnoticed."),
];

static SPEC: Spec = Spec {
    id: "private-id",
    title: "Private-ID from a distributed OPRF and a union",
    operation: Operation::Align,
    paper: "eprint 2022/652, section 6.2 and Fig. 8",
    security: Security::SemiHonest,
    assumption: "DDH on Curve25519, random oracle, tweakable correlation robustness of fixed-key AES",
    reveals: &[Reveal::Both],
    receiver: IDENTIFIERS,
    sender: IDENTIFIERS,
    residue: IDENTIFIERS,
    leaks: &LEAKS,
    max_elements: 1 << 31,
    choices: Taken {
        group: Allowed::Of(&[Group::Curve25519]),
        digest: Allowed::Of(&SetEncoding::ALL),
        ..Taken::NOTHING
    },
    cut: false,
    auto: true,
    grouped: false,
    by_groups: None,
    on_shares: false,
    blind: false,
    withholds: false,
    with_rows: None,
};

impl Protocol for PrivateId {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn cost(&self, shape: Shape) -> Cost {
        let (sender, receiver) = (shape.sender as f64, shape.receiver as f64);
        let points = |count: u64| point_bytes(count, size_of::<Point>());
        let oprf = points(shape.sender) + points(shape.receiver);
        let (more_sender, more_receiver) = union_cost(&shape);
        Cost {
            sender: PartyCost {
                multiplications: 3.0 * sender + 2.0 * receiver,
                maps: sender,
                bytes_sent: oprf + more_sender,
                memory: 80.0 * sender + 68.0 * receiver,
                ..PartyCost::default()
            },
            receiver: PartyCost {
                multiplications: 2.0 * receiver + 2.0 * sender,
                maps: receiver,
                bytes_sent: oprf + more_receiver,
                memory: 80.0 * receiver + 68.0 * sender,
                ..PartyCost::default()
            },
            rounds: 7,
            waits: 0,
        }
    }

    fn run(&self, mut run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        play(&mut run)
    }
}

fn play(run: &mut Run<'_>) -> Result<Conclusion, ProtocolError> {
    let keys = DistributedPrf::generate(run.means.rng);
    let order = permutation(run.input.elements.len(), run.means.rng);
    // Steps 1 and 2.
    let evaluated = exchange_masked(run, &keys, &order)?;
    let points = exchange_evaluated(run, &keys, &evaluated)?;
    // Steps 3 to 5.
    let own = Identifiers::new(&points, run.input.elements.len() + run.input.peer_count);
    let others = match run.side.role {
        Role::Sender => send_union(run, &points, &evaluated, &own)?,
        Role::Receiver => receive_union(run, &keys, &own)?,
    };
    Ok(Box::new(move || Ok(own.outcome(&order, &others?))))
}

/// Step 1, and the multiplication of step 2: returns the peer's masked elements under this side's key.
fn exchange_masked(
    run: &mut Run<'_>,
    keys: &DistributedPrf,
    order: &[u32],
) -> Result<Zeroizing<Vec<Point>>, ProtocolError> {
    let Run { input, means, .. } = run;
    let own = Ordered { elements: &input.elements, order };
    let mut evaluated = Zeroizing::new(Vec::new());
    means.step("masked elements", order.len() + input.peer_count);
    let put = |channel: &mut dyn Channel, range: Range<usize>| {
        channel.put(&Points(keys.mask(&own.chosen(range.clone()))))?;
        means.observer.advance(range.len() as u64);
        Ok(())
    };
    let take = |channel: &mut dyn Channel, range: Range<usize>| {
        let Points(points) = channel.take::<Points<Point>>(&range.len())?;
        evaluated.extend(keys.evaluate(&points).map_err(not_an_element)?);
        means.observer.advance(range.len() as u64);
        Ok(())
    };
    cross(means.channel, chunks(order.len()), chunks(input.peer_count), put, take)?;
    Ok(evaluated)
}

/// The rest of step 2: returns this side's elements under both keys, in the order in which they were sent.
fn exchange_evaluated(
    run: &mut Run<'_>,
    keys: &DistributedPrf,
    evaluated: &[Point],
) -> Result<Zeroizing<Vec<Point>>, ProtocolError> {
    let Run { input, means, .. } = run;
    let mut points = Zeroizing::new(Vec::new());
    means.step("elements under both keys", input.elements.len());
    let put = |channel: &mut dyn Channel, range: Range<usize>| {
        Ok(channel.put(&Points(evaluated[range].to_vec()))?)
    };
    let take = |channel: &mut dyn Channel, range: Range<usize>| {
        let Points(answers) = channel.take::<Points<Point>>(&range.len())?;
        points.extend(keys.unmask(&answers).map_err(not_an_element)?);
        means.observer.advance(range.len() as u64);
        Ok(())
    };
    cross(means.channel, chunks(evaluated.len()), chunks(input.elements.len()), put, take)?;
    Ok(points)
}

fn chunks(count: usize) -> veilset_channel::Chunks {
    chunks_of(count, size_of::<Point>())
}
