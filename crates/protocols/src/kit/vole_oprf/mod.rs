//! `vole-oprf`: an oblivious pseudorandom function of many points at once, from vector OLE and a key-value store.
//!
//! Raghuraman and Rindal, CCS 2022, eprint 2022/320, figure 4. F is a field of 2^128 elements; B is F, a subfield of
//! 2^64 elements, or a space of nine dimensions over one of 2^8: step 2 sends 16, 8 or 9 bytes an entry ([`Field`]). Let `h` be so
//! many bytes of an element's second half as an element of B, and `P` a vector over B with ⟨row(y), P⟩ = h(y) for all of the receiver's elements.
//!
//! 1. The parties make a vector OLE: the sender has Δ and a vector K', the receiver A over B and C = K' + Δ·A.
//! 2. The receiver encodes P under a seed of its choice and sends the seed and A + P.
//! 3. The sender sets K = K' + Δ·(A + P), which is C + Δ·P. Its key is (Δ, K), and F(x) = H(⟨row(x), K⟩ + Δ·h(x), x). Where a run asks
//!    for keys of elements, too, they are a second such hash, H'.
//! 4. The receiver has F(y) = H(⟨row(y), C⟩, y) for its elements, since Δ·⟨row(y), P⟩ is Δ·h(y) there.
//!
//! A long vector OLE comes in stretches, and the store is made of clusters, which are encoded and evaluated apart. So the steps are taken for
//! a stretch at a time, and no party holds more of a vector than that: it has its points by cluster (`points`), and puts values in place of
//! keys. A stretch has an A of its own, which is uniform whatever was sent before. Where there are coins, there is one stretch.
//!
//! **Security.** Semi-honest: A + P is uniform, so the sender sees nothing of P; for an x that is not the receiver's, the
//! receiver knows what enters H up to Δ·(h(x) + ⟨row(x), P⟩) with Δ unknown, 128 bits of it, and the factor not 0 but with
//! probability 1/|B|; where it is not, its product with Δ has 128 unknown bits, for F is a field, whatever B is. Over the sender's
//! elements that adds up to at most 2^-40. H is the tweakable hash of the oblivious
//! transfers, x its tweak; that it holds for multiples of Δ is an argument in the ideal-permutation model (`docs/notes/ot.md`).
//!
//! **Malicious**, with [`Security::Malicious`]: the vector OLE and the transfers under it are checked. The sender commits to a coin
//! before step 2, the receiver sends its own with the seed, the sender opens its; both enter H, which is BLAKE3 in place of a
//! random oracle, so that a simulator can choose its outputs and reads the sender's points from its questions. What a receiver
//! can evaluate is what its vector P fits: F at the points x with ⟨row(x), P⟩ = h(x). P has m entries (some 1.13 n), but points
//! whose rows depend on one another can come for free ("overfitting": Han, Kim, Lee and Son, Asiacrypt 2024). No conjecture
//! is needed to bound how many: among q points whose h it asked for, some n' fit one P with probability at most
//! 2^128·C(q, n')·2^(−128(n'−m)), the first factor for its choice of a seed. For q = 2^64 this is below 2^-40 from n' = 1.85 m on, at the latest: a receiver that declared n
//! points learns F at no more than 2 n + 400 of them with 2^64 questions (`docs/notes/protocols.md` has a table, for more questions too). Nothing
//! binds the sender to its points; it finds two with one value among 2^64.

mod coin;
mod cost;
mod evaluation;
mod field;
mod messages;
mod output;
mod points;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;

use rayon::prelude::*;
use veilset_ot::base::Base;
use veilset_ot::vole::Subfield;
use veilset_ot::{BaseOt, Block, ExtensionParameters};
use veilset_structures::okvs::OkvsShape;

use self::coin::{CoinToss, Coins};
pub(crate) use self::cost::{MAX_POINTS, ROUNDS, cost, cost_among, setup_passes, waits};
pub(crate) use self::field::Field;
use self::field::over_field;
use self::output::Output;
pub(crate) use self::receiver::{Question, receive};
pub(crate) use self::sender::{send, send_over};
use crate::kit::comparison::needs_keys;
use crate::kit::store::{KIND, Width};
use crate::{Role, Run, Security};

/// The step in which the encoded set crosses.
const STEP: &str = "encoded set";

/// Values that one task takes.
const VALUES_A_TASK: usize = 4096;

/// What both sides know of an evaluation beforehand.
pub(crate) struct OprfTerms<'a> {
    session: &'a [u8; 32],
    /// Who holds the key; in a session there is one evaluation each way.
    keyed: Role,
    /// The other one's points.
    count: usize,
    field: Field,
    security: Security,
    base: Base,
    /// Whether a key for each element is among the outputs.
    keyed_rows: bool,
}

impl<'a> OprfTerms<'a> {
    /// Of the evaluation in `run` whose key `keyed` holds, on these base transfers.
    pub(crate) fn new(run: &Run<'a>, keyed: Role, security: Security, base: Base) -> Self {
        let mut counts = [run.input.peer_count, run.input.elements.len()];
        if run.side.role != keyed {
            counts.reverse();
        }
        let [count, points] = counts;
        // Of all parts of a run.
        let evaluated = points.saturating_mul(1 << run.input.slack);
        let keyed_rows = needs_keys(run);
        let (session, field) = (run.means.session, Field::of(evaluated, security));
        Self { session, keyed, count, field, security, base, keyed_rows }
    }

    /// Of one between two of several parties: semi-honest, at `count` points of the one, where `evaluated` values of those that hold
    /// keys are computed in all.
    pub(crate) fn among(
        session: &'a [u8; 32],
        keyed: Role,
        count: usize,
        evaluated: usize,
    ) -> Self {
        let (security, base) = (Security::SemiHonest, Base::Ristretto);
        let field = among(evaluated);
        Self { session, keyed, count, field, security, base, keyed_rows: false }
    }

    fn derive(&self, what: &str) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("veilset v1 vector OLE function");
        hasher.update(self.session).update(what.as_bytes()).update(self.keyed.name().as_bytes());
        *hasher.finalize().as_bytes()
    }

    fn base(&self) -> Box<dyn BaseOt> {
        self.base.of(self.derive("base"))
    }

    fn parameters(&self) -> ExtensionParameters {
        ExtensionParameters::new(self.security.into(), self.derive("vector"))
    }

    /// The coins of H, where the security asks for some.
    fn toss(&self) -> CoinToss {
        let key = match self.security {
            Security::SemiHonest => None,
            Security::Malicious => Some(self.derive("coin")),
        };
        CoinToss { key }
    }

    /// H, in which `coins` enter where there are any.
    fn output(&self, coins: Option<Coins>) -> Output {
        Output::new(&self.derive("output"), coins)
    }

    fn shape(&self) -> OkvsShape {
        OkvsShape::new(KIND, self.count)
    }
}

/// The field between two of several parties, which share stores over it.
fn among(evaluated: usize) -> Field {
    Width::of(evaluated, 41).into()
}

/// Adds to each of `sums` the product of the element in its place with Δ.
fn add_scaled<B: Subfield>(sums: &mut [Block], elements: &[B], delta: Block) {
    let tasks = sums.par_chunks_mut(VALUES_A_TASK).zip(elements.par_chunks(VALUES_A_TASK));
    tasks.for_each(|(sums, elements)| B::add_scaled(sums, elements, delta));
}
