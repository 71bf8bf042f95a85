//! Compact intersection of small sets, against parties that cheat: Rosulek and Trieu, "Compact and Malicious Private Set
//! Intersection for Small Sets", CCS 2021, eprint 2021/1159 (the revision of October 2021), figure 4.
//!
//! With a two-message key agreement whose second messages are uniform in a field ([`suite`]), a permutation Π of that
//! field that anybody can compute both ways, and random oracles H₁ into the field and H₂ ([`oracles`]):
//!
//! 1. The sender draws a and sends the first message m.
//! 2. For each element y the receiver draws b and has a second message with its key; P is the polynomial that has
//!    Π⁻¹(message) at H₁(y), for all of them. It sends P.
//! 3. The sender refuses a constant P. For each element x it takes Π(P(H₁(x))) for a second message, and sends the set of
//!    H₂(x, key).
//! 4. The receiver has the elements y whose H₂(y, key) is in the set.
//!
//! **Security**, malicious, for H₁ and H₂ random oracles and Π an ideal permutation, under the key agreement's assumption
//! (oracle Diffie–Hellman). P hides the elements, since its values are uniform: the messages are, whatever m is. A
//! receiver knows the key of a message that it made, and Π keeps it from choosing what P(H₁(x)) is a message for: with 2^64
//! questions to each oracle no polynomial fits more than twice as many elements as it declared, and three (a test counts; no
//! way to fit more than one element a coefficient is known). H₂ has 256 bits, so that a value stands for one
//! element; a sender's set is what it asked H₂ for. The receiver says nothing after P, so the result is its own alone:
//! a receiver that told would have to prove it.
//!
//! Where this departs from the figure: the set travels sorted, which is a function of it as a shuffled one is; H₁ and H₂
//! are keyed by the session and by m, so no message serves twice; a receiver with one element adds a random point,
//! since a constant is refused.
//!
//! **Semi-honest**, as `rt21-semi-honest`: values are as long as the chance of a false match asks for, λ + log₂ n₁ + log₂ n₂
//! bits, and both can learn, with a bit for each value. Nothing else is left out: the paper's first proof of a variant
//! without Π had a gap.

mod cost;
mod messages;
mod oracles;
mod suite;
#[cfg(test)]
mod tests;

use veilset_channel::{Blob, Channel, ChannelExt, Malformed, Message, PeerFault};
use veilset_crypto::Group;
use veilset_crypto::ideal_permutation::StringPermutation;
use veilset_crypto::{KeyAgreement, Second};
use veilset_poly::plain::{evaluate, interpolate};
use zeroize::Zeroizing;

use self::messages::{FirstMessage, put_coefficients, take_coefficients};
use self::oracles::{Oracles, Value};
use self::suite::{CURVE25519, FFDHE2048, Residues, SafePrime, Suite};
use crate::kit::indication::{hear_bits, tell_bits};
use crate::kit::membership::membership;
use crate::kit::set_encoding::SetTerms;
use crate::kit::wire::{put_values, take_values, values_bytes};
use crate::kit::wording::{MATCHES, SHORT, SIZE, SIZES, TOLD};
use crate::{
    Allowed, Choices, Conclusion, Cost, Leak, Means, Operation, Outcome, Protocol, ProtocolError,
    Reveal, Role, Run, RunInput, Security, SetEncoding, Shape, Side, Spec, Taken,
};

/// A registry entry.
pub(crate) struct Rt21 {
    spec: Spec,
}

/// What a receiver's polynomial can fit.
const OVERFIT: Leak = Leak::by_cheating(
    "A receiver that cheats can test twice as many keys as it declared, and three more, at most, with 2^64 hash evaluations.",
);

/// `rt21`.
pub(crate) static MALICIOUS: Rt21 = Rt21 {
    spec: Spec {
        id: "rt21",
        title: "compact intersection of small sets, against parties that cheat",
        operation: Operation::Intersect,
        paper: "eprint 2021/1159, figure 4",
        security: Security::Malicious,
        assumption: "oracle Diffie–Hellman, random oracles, ideal permutation",
        reveals: &[Reveal::Receiver],
        receiver: MATCHES,
        sender: MATCHES,
        residue: SIZE,
        leaks: &[
            SIZES,
            OVERFIT,
            Leak::by_cheating(
                "A sender that cheats can use other keys than it declared, as many as it declared.",
            ),
        ],
        max_elements: 1 << 22,
        choices: Taken {
            group: Allowed::Of(&[Group::Curve25519]),
            digest: Allowed::Of(&[SetEncoding::Sorted]),
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
    },
};

/// `rt21-semi-honest`.
pub(crate) static SEMI_HONEST: Rt21 = Rt21 {
    spec: Spec {
        id: "rt21-semi-honest",
        title: "compact intersection of small sets",
        security: Security::SemiHonest,
        reveals: &[Reveal::Both, Reveal::Receiver],
        leaks: &[SIZES, OVERFIT, SHORT, TOLD],
        auto: false,
        grouped: false,
        by_groups: None,
        on_shares: false,
        blind: false,
        withholds: false,
        ..MALICIOUS.spec
    },
};

/// `rt21-ffdh`.
pub(crate) static FINITE_FIELD: Rt21 = Rt21 {
    spec: Spec {
        id: "rt21-ffdh",
        title: "compact intersection over a finite field, against parties that cheat",
        max_elements: 1 << 20,
        choices: Taken {
            group: Allowed::Of(&[Group::Ffdhe2048]),
            prime: Allowed::Any,
            ..MALICIOUS.spec.choices
        },
        auto: false,
        grouped: false,
        by_groups: None,
        on_shares: false,
        blind: false,
        withholds: false,
        ..MALICIOUS.spec
    },
};

impl Protocol for Rt21 {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn cost(&self, shape: Shape) -> Cost {
        cost::cost(&shape, &self.spec)
    }

    fn run(&self, run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        if let Some(nothing) = run.without_matches() {
            return Ok(nothing);
        }
        let (Choices { group, prime, .. }, security) = (run.input.choices, self.spec.security);
        match (group, prime) {
            (Some(Group::Ffdhe2048), Some(prime)) => play(run, &SafePrime::over(&prime), security),
            (Some(Group::Ffdhe2048), None) => play(run, &*FFDHE2048, security),
            _ => play(run, &*CURVE25519, security),
        }
    }
}

fn play<A, F, P, const LEN: usize>(
    run: Run<'_>,
    suite: &Suite<A, F, P, LEN>,
    security: Security,
) -> Result<Conclusion, ProtocolError>
where
    A: KeyAgreement<Value = [u8; LEN]>,
    F: Residues<LEN>,
    P: StringPermutation<LEN>,
{
    match run.side.role {
        Role::Sender => sender(run, suite, security),
        Role::Receiver => receiver(run, suite, security),
    }
}

/// Coefficients of P for a receiver with so many elements: one more than the least degree that is not refused.
fn coefficients(elements: usize) -> usize {
    elements.max(2)
}

fn sender<A, F, P, const LEN: usize>(
    run: Run<'_>,
    suite: &Suite<A, F, P, LEN>,
    security: Security,
) -> Result<Conclusion, ProtocolError>
where
    A: KeyAgreement<Value = [u8; LEN]>,
    F: Residues<LEN>,
    P: StringPermutation<LEN>,
{
    let Run { side, input: RunInput { elements, peer_count, slack, .. }, mut means } = run;
    let set = Set::new(elements.len(), peer_count, slack, security);
    // Step 1.
    means.channel.phase("key agreement");
    let (secret, first) = suite.agreement.first(means.rng);
    let oracles = Oracles::new(suite.name, means.session, &first);
    means.channel.put::<FirstMessage>(&Blob(first))?;
    let points = oracles.points(&suite.field, &elements);
    // Step 2.
    means.channel.phase("polynomial");
    let poly = take_coefficients(means.channel, &suite.field, coefficients(peer_count))?;
    refuse_constant(&suite.field, &poly)?;
    // Step 3.
    means.step("evaluation", elements.len());
    let mut messages = suite.messages(&Zeroizing::new(evaluate(&suite.field, &poly, &points)));
    means.observer.advance(elements.len() as u64);
    means.channel.phase("keys");
    suite.permutation.apply(&mut messages);
    let keys = suite.agreement.keys(&secret, &messages);
    let values = oracles.values(&elements, &messages, &keys);
    let order = set.put(means.channel, &values)?;
    hear_bits(side, &mut means, order)
}

/// A constant P would have its value everywhere, and be a message whose key the receiver knows for every element.
fn refuse_constant<F: Residues<LEN>, const LEN: usize>(
    field: &F,
    poly: &[F::Element],
) -> Result<(), PeerFault> {
    let zero = field.zero();
    match poly.iter().skip(1).all(|coefficient| *coefficient == zero) {
        true => Err(PeerFault::CheckFailed("check of the polynomial, which is constant")),
        false => Ok(()),
    }
}

fn receiver<A, F, P, const LEN: usize>(
    run: Run<'_>,
    suite: &Suite<A, F, P, LEN>,
    security: Security,
) -> Result<Conclusion, ProtocolError>
where
    A: KeyAgreement<Value = [u8; LEN]>,
    F: Residues<LEN>,
    P: StringPermutation<LEN>,
{
    let Run { side, input: RunInput { elements, peer_count, slack, .. }, mut means } = run;
    let set = Set::new(peer_count, elements.len(), slack, security);
    let count = coefficients(elements.len());
    // Step 1.
    means.channel.phase("key agreement");
    let first = means.channel.take::<FirstMessage>(&suite.agreement.first_len())?.0;
    let oracles = Oracles::new(suite.name, means.session, &first);
    // Step 2.
    let Second { messages, keys } =
        suite.agreement.second(&first, count, means.rng).map_err(|_| not_an_element())?;
    let values = oracles.values(&elements, &messages, &keys);
    drop(keys);
    means.step("interpolation", elements.len());
    let mut images = messages;
    suite.permutation.invert(&mut images);
    let mut points = oracles.points(&suite.field, &elements);
    points.resize_with(count, || suite.random(means.rng));
    let poly = interpolate(&suite.field, &points, &suite.elements(&images))?;
    means.observer.advance(elements.len() as u64);
    means.channel.phase("polynomial");
    put_coefficients(means.channel, &suite.field, &poly)?;
    // Step 4.
    set.take(&mut means, values, side)
}

fn not_an_element() -> PeerFault {
    PeerFault::Malformed { what: FirstMessage::TAG.name(), why: Malformed::NotAnElement }
}

/// The set that the sender sends.
struct Set {
    /// Of the values' low halves, as many bits of them as count.
    low: SetTerms,
    /// Whether the high halves follow.
    whole: bool,
}

impl Set {
    fn new(count: usize, queries: usize, slack: u32, security: Security) -> Self {
        let whole = security == Security::Malicious;
        let more = if whole { u128::BITS } else { slack };
        Self { low: SetTerms::new(SetEncoding::Sorted, count, queries).longer(more), whole }
    }

    fn bytes(&self) -> f64 {
        let high = if self.whole { values_bytes(self.low.count as u64, u128::BITS) } else { 0.0 };
        self.low.bytes() + high
    }

    /// The low halves, cut to their length.
    fn low(&self, values: &[Value]) -> Zeroizing<Vec<u128>> {
        let mask = u128::MAX >> (u128::BITS - self.low.bits());
        Zeroizing::new(values.iter().map(|value| value[0] & mask).collect())
    }

    /// Sends it sorted; returns the index of the value in each place.
    fn put(&self, channel: &mut dyn Channel, values: &[Value]) -> Result<Vec<u32>, ProtocolError> {
        let order = self.low.put_ordered(channel, &mut self.low(values))?;
        if self.whole {
            let high: Vec<u128> = order.iter().map(|place| values[*place as usize][1]).collect();
            put_values(channel, &high, u128::BITS)?;
        }
        Ok(order)
    }

    /// Takes it and looks `values` up. If both are to learn, it says of each of the set's values whether it is among them.
    fn take(
        &self,
        means: &mut Means<'_>,
        values: Zeroizing<Vec<Value>>,
        side: Side,
    ) -> Result<Conclusion, ProtocolError> {
        let theirs = self.low.take_ordered(means.channel)?;
        if self.whole {
            let high = take_values(means.channel, theirs.len(), u128::BITS)?;
            let theirs = theirs.into_iter().zip(high).map(|(low, high)| [low, high]);
            return Ok(matched(values, theirs.collect()));
        }
        // Takes the same steps whatever matches.
        let hits = membership(&self.low(&values), &theirs);
        tell_bits(side, means, &hits.taken())?;
        Ok(Box::new(move || {
            hits.fault()?;
            Ok(Outcome::Matched(hits.indices()))
        }))
    }
}

fn matched(values: Zeroizing<Vec<Value>>, mut theirs: Vec<Value>) -> Conclusion {
    Box::new(move || {
        // The peer chose them, so no hash table: where a system has no seed for it, whoever guesses that makes it slow.
        theirs.sort_unstable();
        let is_there = |value: &Value| theirs.binary_search(value).is_ok();
        let matched = (0..).zip(values.iter()).filter(|(_, value)| is_there(value));
        Ok(Outcome::Matched(matched.map(|(place, _)| place).collect()))
    })
}
