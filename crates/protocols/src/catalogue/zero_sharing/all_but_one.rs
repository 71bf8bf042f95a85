//! `all-but-one`: after Kolesnikov, Matania, Pinkas, Rosulek and Trieu, "Practical Multi-party Private Set Intersection from
//! Symmetric-Key Techniques", CCS 2017 (eprint 2017/799), with conditional shares of zero (section 5.2).
//!
//! F is the oblivious function of [`crate::kit::vole_oprf`]; F_ij is one whose key party i holds and that party j evaluates at its
//! elements, and at no others.
//!
//! 1. Every two parties i and j other than the leader evaluate F_ij and F_ji. For each of its elements x party i adds up
//!    F_ij(x) and F_ji(x) over all j: its share s_i(x).
//! 2. The leader evaluates F_iL with each other party i.
//! 3. Each party i encodes its pairs (x, s_i(x) + F_iL(x)) in a store and sends that to the leader.
//! 4. For each of its elements the leader adds up F_iL and what the stores hold: zero says that all have the element.
//!
//! **Deviations.** The paper's party draws shares of zero for all parties and programs an oblivious function with each. Here the values
//! of F themselves are the shares: F_ij is uniform, and stands once in i's sum and once in j's. So step 1 takes no
//! store. And the leader draws no shares, since whatever hides something from it hides it by shares of others. What is
//! left is (n − 1)² evaluations of F where the paper has n² − 1 programmed ones.
//!
//! **Correct.** Where some party lacks an element of the leader's, that party's store holds a value there that is independent of
//! all else, so the sum is zero with probability 2^-t in a field of 2^t elements, and over all elements with at most 2^-41.
//!
//! **Security.** Semi-honest, against a coalition C of any parties up to all but one. *Without the leader,* C sees of honest
//! parties nothing but their parts in evaluations of F, which show nothing. *With the leader:* take an element x of the leader's.
//! What party i outside C gives the leader there is random if i lacks x, and else s_i(x), in which C knows all F_ki, k ∈ C, and
//! those F_ij, j ∈ C, of which j has x.
//! (a) If some j ∈ C lacks x, F_ij(x) is unknown to C for every i outside C that has x, and hides its s_i(x).
//! (b) If all of C have x and some i outside C lacks it, every other i' outside C that has x has F_i'i(x) in its sum,
//! which stands in no other, and hides it.
//! (c) If all of C have x and all others do, what is left of their sums is shares of zero: each F_ij among them stands in two of
//! the sums, these pairs connect all of them, so the sums are uniform but that they add up to zero.
//! So C learns of x at most whether all have it, and of that only where all of C have it: what its result tells. A store is as
//! random as its values, so it shows no other element: those at x that the leader lacks are hidden by F_iL.
//! A function of 2^t outputs is evaluated at an element that its holder did not ask for with probability 2^-t; over all
//! evaluations and elements that adds up to at most 2^-41.

use rayon::prelude::*;
use veilset_crypto::Element;
use veilset_ot::vole::Subfield;
use veilset_structures::okvs::OkvsValue;
use zeroize::Zeroizing;

use super::announcement::{self, Found, What};
use super::{ELEMENTS_A_TASK, Party};
use crate::kit::parties::pairings;
use crate::kit::store::{Width, over};
use crate::kit::vole_oprf::{self, OprfTerms, Question};
use crate::{MultipartyConclusion, MultipartyError, Operation, Parties, Role};

/// The field of sums and functions: at the leader's elements no sum may be zero by chance, and at no element may a function be known to a
/// party that did not ask for it, but with probability 2^-41 in the whole run, or in all runs where this is
/// one of several.
pub(super) fn width(parties: &Parties<'_>) -> Width {
    Width::of(evaluated(parties), 41)
}

/// Values of functions in the whole run, and in all runs where this is one of several, at most.
pub(super) fn evaluated(parties: &Parties<'_>) -> usize {
    let most = parties.sizes.iter().max().copied().unwrap_or(0);
    most.saturating_mul((parties.sizes.len() - 1).pow(2)).saturating_mul(1 << parties.slack)
}

pub(super) fn run(
    party: Party<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<MultipartyConclusion, MultipartyError> {
    over!(width(&party.parties), B => run_over::<B>(party, elements))
}

fn run_over<B: Subfield + OkvsValue>(
    mut party: Party<'_>,
    elements: Zeroizing<Vec<Element>>,
) -> Result<MultipartyConclusion, MultipartyError> {
    let mut sums = Zeroizing::new(vec![B::ZERO; elements.len()]);
    party.evaluate(&elements, &mut sums)?;
    let found = if party.is_leader() {
        let others: Vec<usize> =
            party.parties.places().filter(|place| *place != party.place).collect();
        party.add_shares(&others, &elements, &mut sums)?;
        // Takes the same steps whatever matches.
        let zeros = sums.par_iter().with_min_len(ELEMENTS_A_TASK).map(|sum| *sum == B::ZERO);
        Some(Found { what: What::Elements(zeros.collect()), fault: None })
    } else {
        party.put_shares(&elements, &sums)?;
        None
    };
    announcement::told(party, elements, Operation::Intersect, found)
}

impl Party<'_> {
    /// Steps 1 and 2: adds to each element's sum all values of F there.
    fn evaluate<B: Subfield + OkvsValue>(
        &mut self,
        elements: &Zeroizing<Vec<Element>>,
        sums: &mut [B],
    ) -> Result<(), MultipartyError> {
        let (own, leader) = (self.place, self.parties.leader);
        let question = self.question::<B>(elements)?;
        for round in pairings(self.parties.sizes.len()) {
            let met = round.iter().find(|(low, high)| [*low, *high].contains(&own));
            let Some((low, high)) = met else { continue };
            let other = low + high - own;
            for holder in [*low, *high].into_iter().filter(|holder| *holder != leader) {
                let values = self.evaluated(other, holder, elements, &question)?;
                let pairs = sums.par_iter_mut().zip(&*values).with_min_len(ELEMENTS_A_TASK);
                pairs.for_each(|(sum, value)| *sum ^= B::truncate(*value));
            }
        }
        Ok(())
    }

    fn question<B: Subfield + OkvsValue>(
        &mut self,
        elements: &[Element],
    ) -> Result<Question<B>, MultipartyError> {
        Question::new(elements, &mut *self.means.rng).map_err(MultipartyError::Own)
    }

    /// F between this party and another one, whose key the party in the place `holder` has, at this party's elements.
    fn evaluated<B: Subfield + OkvsValue>(
        &mut self,
        other: usize,
        holder: usize,
        elements: &Zeroizing<Vec<Element>>,
        question: &Question<B>,
    ) -> Result<Zeroizing<Vec<u128>>, MultipartyError> {
        let (own, sizes) = (self.place, self.parties.sizes);
        let asker = own + other - holder;
        // In the session of two the lower place has one role and the higher the other.
        let keyed = if holder < asker { Role::Sender } else { Role::Receiver };
        let most = evaluated(&self.parties);
        self.means.with(other, |means| {
            let terms = OprfTerms::among(means.session, keyed, sizes[asker], most);
            let outputs = if own == holder {
                vole_oprf::send_over::<B>(means, &terms, elements.clone())
            } else {
                question.ask(means, &terms)
            };
            Ok(outputs?.values_in_order())
        })
    }
}
