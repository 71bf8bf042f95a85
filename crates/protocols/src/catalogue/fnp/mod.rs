//! Intersection by oblivious evaluation of polynomials: Freedman, Nissim and Pinkas, "Efficient private matching and set
//! intersection", EUROCRYPT 2004, section 3, with Paillier's encryption; the chooser is the receiver, the server the sender.
//!
//! 1. The receiver draws a key, and expands the polynomial P whose roots its elements are, over integers modulo a prime p.
//! 2. It sends the encrypted coefficients a_i, but for the leading one, which is 1.
//! 3. The sender computes r·P(y) + name(y) under encryption for each of its elements y, with a fresh r each.
//! 4. It sends these in a random order.
//! 5. The receiver decrypts, and has the elements whose names it finds.
//!
//! If both are to learn, the receiver names the common elements, among random names so that there are min(n₁, n₂) in all.
//!
//! **A small field in large plaintexts.** Roots, coefficients and names are numbers modulo a public prime p of λ + log₂ n₁ +
//! log₂ n₂ + 2 bits or a few more ([`packing`](crate::kit::paillier::packing)): for an element that is not common P(y) is not 0, so r·P(y) + name(y) is
//! uniform but for the name itself, and equals one of the n₂ names with probability n₂/p, in n₁ values 2^-42 together. The
//! sender takes c_i = r·y^i modulo p, as short numbers, and adds up the long Σ a_i·c_i, whose residue modulo p is what is
//! wanted. The multiple of p in it, below (k + 2)·p for degree k, would tell more, so a random multiple of p that is
//! n₁·2^40 times as long is added: what the receiver sees of all values is within 2^-40 of what it can make from their
//! residues. So scalars have 60 to 100 bits instead of 2048, and several values lie side by side in one plaintext. The paper
//! has r·P(y) + y modulo N, one a ciphertext.
//!
//! **Security.** Semi-honest. The sender sees ciphertexts, semantically secure. The receiver sees plaintexts, simulated from
//! the intersection and n₁ as said, in ciphertexts that are [rerandomised](veilset_crypto::paillier::PublicKey::rerandomise)
//! and so tell nothing else. The leading coefficient is 1, so no polynomial is 0. Coefficients are numbers below p only
//! if the receiver is honest: one that encrypts longer ones overruns the masks and can read the sender's elements. The
//! receiver's key comes with a proof that each ciphertext has one plaintext; that its randomness is of the kind that
//! rerandomising hides is not proven either.
//!
//! **In bins**, as `fnp-binned` (the paper's section 3.4): the receiver throws its elements into bins by a hash, fills each up
//! with random roots to as many as the fullest has but for 2^-42, and sends a polynomial a bin. The sender evaluates each
//! of its elements at its bin's. The sender has all polynomials before it begins, and sends nothing before it has
//! evaluated all, so its work is the same however its elements fall; how evenly that spreads over threads is not.

mod cost;
mod layout;
mod rounds;
#[cfg(test)]
mod tests;

use veilset_crypto::paillier::SecretKey;
use zeroize::Zeroizing;

use self::layout::{KEY, Layout};
use self::rounds::{answers, expanded};
use crate::kit::bins::{roots, spread};
use crate::kit::indication::{hear_names, tell_names};
use crate::kit::membership::{membership, sort};
use crate::kit::paillier::packing::scalar;
use crate::kit::paillier::{ciphertext_chunks, put_frame, put_key, take_frame, take_key};
use crate::kit::wording::{MATCHES, SIZE, SIZES, TOLD};
use crate::{
    Conclusion, Cost, Leak, Operation, Outcome, Protocol, ProtocolError, Reveal, Role, Run,
    RunInput, Security, Shape, Spec, Taken,
};

/// A registry entry.
pub(crate) struct Fnp {
    spec: Spec,
    layout: fn(usize, usize) -> Layout,
}

/// `fnp`.
pub(crate) static WHOLE: Fnp = Fnp {
    spec: Spec {
        id: "fnp",
        title: "Freedman–Nissim–Pinkas intersection by oblivious polynomial evaluation",
        operation: Operation::Intersect,
        paper: "Freedman, Nissim and Pinkas, EUROCRYPT 2004; Mayer et al., CODASPY 2011, section 4.5",
        security: Security::SemiHonest,
        assumption: "decisional composite residuosity, factoring, random oracle",
        reveals: &[Reveal::Both, Reveal::Receiver],
        receiver: MATCHES,
        sender: MATCHES,
        residue: SIZE,
        leaks: &[
            SIZES,
            Leak::by_cheating(
                "A receiver that cheats can read the sender's keys if it guesses them.",
            ),
            TOLD,
        ],
        max_elements: 1 << 13,
        choices: Taken::NOTHING,
        cut: false,
        auto: false,
        grouped: false,
        by_groups: None,
        on_shares: false,
        blind: false,
        withholds: false,
        with_rows: None,
    },
    layout: Layout::whole,
};

/// `fnp-binned`.
pub(crate) static BINNED: Fnp = Fnp {
    spec: Spec {
        id: "fnp-binned",
        title: "Freedman–Nissim–Pinkas intersection in bins",
        max_elements: 1 << 18,
        ..WHOLE.spec
    },
    layout: Layout::binned,
};

impl Protocol for Fnp {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn cost(&self, shape: Shape) -> Cost {
        cost::cost(&shape, self.spec.max_elements, self.layout)
    }

    fn run(&self, run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        if let Some(nothing) = run.without_matches() {
            return Ok(nothing);
        }
        match run.side.role {
            Role::Sender => {
                let layout = (self.layout)(run.input.elements.len(), run.input.peer_count);
                sender(run, &layout)
            }
            Role::Receiver => {
                let layout = (self.layout)(run.input.peer_count, run.input.elements.len());
                receiver(run, &layout)
            }
        }
    }
}

fn receiver(run: Run<'_>, layout: &Layout) -> Result<Conclusion, ProtocolError> {
    let Run { side, input: RunInput { elements, peer_count, .. }, mut means } = run;
    let roots = roots(scalar, means.session, &elements);
    let bins = spread(layout.bins, &roots, layout.degree)?;
    // Step 1.
    means.channel.phase("key generation");
    let key = SecretKey::generate(KEY, means.rng);
    means.channel.phase("encrypted sets");
    put_key(means.channel, &key, means.session)?;
    means.observer.begin("encrypted polynomials", layout.coefficients() as u64);
    means.channel.resume("expansion");
    let coefficients = expanded(layout, &roots, &bins, means.rng)?;
    // Step 2.
    for range in ciphertext_chunks(KEY, coefficients.len()).ranges() {
        means.channel.resume("encryption");
        let ciphertexts = key.encrypt(&coefficients[range.clone()], means.rng);
        means.channel.resume("encrypted sets");
        put_frame(means.channel, key.public(), &ciphertexts)?;
        means.observer.advance(range.len() as u64);
    }
    // Step 5.
    let mut values = Zeroizing::new(Vec::with_capacity(peer_count));
    for range in ciphertext_chunks(KEY, layout.answers(peer_count)).ranges() {
        means.channel.resume("encrypted answers");
        let answers = take_frame(means.channel, key.public(), range.len())?;
        means.channel.resume("decryption");
        let left = (peer_count - values.len()).min(range.len() * layout.slots.count);
        values.extend_from_slice(&layout.slots.opened(&key, &answers, left));
    }
    sort(&mut values);
    let own = roots.iter().map(|root| root.name % layout.slots.prime());
    let hits = membership(&Zeroizing::new(own.collect::<Vec<_>>()), &values);
    tell_names(side, &mut means, elements.len().min(peer_count), || {
        let common = hits.indices().into_iter().map(|place| roots[place as usize].name);
        Zeroizing::new(common.collect())
    })?;
    Ok(Box::new(move || Ok(Outcome::Matched(hits.indices()))))
}

fn sender(run: Run<'_>, layout: &Layout) -> Result<Conclusion, ProtocolError> {
    let Run { side, input: RunInput { elements, peer_count, .. }, mut means } = run;
    let roots = roots(scalar, means.session, &elements);
    let bins = spread(layout.bins, &roots, elements.len())?;
    means.channel.phase("encrypted sets");
    let key = take_key(means.channel, KEY, means.session)?;
    means.observer.begin("encrypted polynomials", layout.coefficients() as u64);
    let mut coefficients = Vec::new();
    for range in ciphertext_chunks(KEY, layout.coefficients()).ranges() {
        coefficients.extend(take_frame(means.channel, &key, range.len())?);
        means.observer.advance(range.len() as u64);
    }
    // Step 3.
    means.channel.phase("evaluation");
    let answers = answers(layout, &key, &coefficients, &roots, &bins, means.rng);
    // Step 4.
    means.channel.phase("encrypted answers");
    for range in ciphertext_chunks(KEY, answers.len()).ranges() {
        put_frame(means.channel, &key, &answers[range])?;
    }
    let own = || Zeroizing::new(roots.iter().map(|root| root.name).collect());
    hear_names(side, &mut means, elements.len().min(peer_count), own)
}
