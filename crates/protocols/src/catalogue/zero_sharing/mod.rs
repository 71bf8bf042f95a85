//! What three parties or more have in common, by shares of zero: each party holds a value for each of its elements, and the values of
//! an element add up to zero if all parties have it, and to something random if one lacks it.
//!
//! Two constructions differ in how values come about, and in who may pool what they see: [`leader_pivot`] and [`all_but_one`]. In
//! both the *leader* learns first, and tells those who are to learn as well ([`announcement`]).
//!
//! **Security.** Semi-honest. What each module says of its values holds of every party that does not learn, too: it gets nothing
//! after its own last message. A leader that deviates in what it announces decides what the others get, and learns nothing by that.

mod all_but_one;
mod announcement;
mod cost;
mod leader_pivot;
mod overlaps;
#[cfg(test)]
mod tests;

use rayon::prelude::*;
use veilset_crypto::{Element, Group};
use veilset_ot::vole::Subfield;
use veilset_structures::okvs::{OkvsShape, OkvsValue, encode};
use zeroize::Zeroizing;

use crate::kit::parties::{Channels, PairMeans};
use crate::kit::store::{KIND, StoreSums, half, keys, put_store};
use crate::kit::vole_oprf;
use crate::kit::wording::{TRANSFER_ASSUMPTION, VOLE_ASSUMPTION};
use crate::{
    Choices, MultipartyConclusion, MultipartyCost, MultipartyError, MultipartyProtocol,
    MultipartyRun, MultipartySpec, Operation, Parties, Security, SetEncoding, Withstands,
};

/// A registry entry.
pub(crate) struct ZeroSharing {
    spec: MultipartySpec,
    run: fn(Party<'_>, Zeroizing<Vec<Element>>) -> Result<MultipartyConclusion, MultipartyError>,
    cost: fn(&Parties<'_>) -> MultipartyCost,
}

/// What every run tells.
const SIZES: &str = "Each party learns how many distinct keys each other has.";

/// What the parties that learn take on trust.
const TOLD: &str = "All but the leader take the result from the leader on trust.";

/// `all-but-one`.
pub(crate) static ALL_BUT_ONE: ZeroSharing = ZeroSharing {
    spec: MultipartySpec {
        id: "all-but-one",
        title: "intersection by shares of zero, whoever pools what it saw",
        operation: Operation::Intersect,
        paper: "Kolesnikov et al., CCS 2017, section 5.2, on eprint 2022/320",
        security: Security::SemiHonest,
        withstands: Withstands::AllButOne,
        assumption: VOLE_ASSUMPTION,
        some_learn: true,
        leaks: &[
            SIZES,
            "How many guesses of the others' keys a party that cheats can test is not bounded.",
            TOLD,
        ],
        max_elements: vole_oprf::MAX_POINTS,
        choices: choices(Group::Ristretto255),
    },
    run: all_but_one::run,
    cost: cost::all_but_one,
};

/// `leader-pivot`.
pub(crate) static LEADER_PIVOT: ZeroSharing = ZeroSharing {
    spec: MultipartySpec {
        id: "leader-pivot",
        title: "intersection by shares of zero, if leader and pivot do not pool what they saw",
        paper: "Gao et al. (bicentric zero-sharing), CCS 2024, on eprint 2022/320",
        withstands: Withstands::LeaderApartFromPivot,
        leaks: &[
            SIZES,
            "Leader and pivot together can test any keys against any other party's.",
            "How many guesses of the others' keys a leader that cheats can test is not bounded.",
            TOLD,
        ],
        ..ALL_BUT_ONE.spec
    },
    run: leader_pivot::intersect,
    cost: cost::leader_pivot,
};

/// `leader-pivot-count`.
pub(crate) static LEADER_PIVOT_COUNT: ZeroSharing = ZeroSharing {
    spec: MultipartySpec {
        id: "leader-pivot-count",
        title: "how many elements all have, if leader and pivot do not pool what they saw",
        operation: Operation::Count,
        assumption: TRANSFER_ASSUMPTION,
        leaks: &[
            SIZES,
            "Leader and pivot together can test any keys against any other party's.",
            TOLD,
        ],
        choices: choices(Group::Curve25519),
        ..LEADER_PIVOT.spec
    },
    run: leader_pivot::count,
    cost: cost::leader_pivot_count,
};

/// `leader-pivot-overlaps`.
pub(crate) static OVERLAPS: ZeroSharing = ZeroSharing {
    spec: MultipartySpec {
        id: "leader-pivot-overlaps",
        title: "how many elements each two have, and all, if leader and pivot do not pool what they saw",
        operation: Operation::Overlaps,
        paper: "eprint 2022/652, Fig. 3, between each two; Gao et al. (bicentric zero-sharing), CCS 2024",
        some_learn: false,
        leaks: &[
            SIZES,
            "Leader and pivot together can test any keys against any other party's.",
            "Counts of repeated runs over slightly different lists reveal members.",
            "Each number comes from one party, and the others take it on trust.",
        ],
        ..LEADER_PIVOT_COUNT.spec
    },
    run: overlaps::run,
    cost: cost::overlaps,
};

const fn choices(group: Group) -> Choices {
    Choices {
        group: Some(group),
        digest: Some(SetEncoding::Sorted),
        prime: None,
        sharing: None,
        scheme: None,
        flooding: None,
    }
}

impl MultipartyProtocol for ZeroSharing {
    fn spec(&self) -> &MultipartySpec {
        &self.spec
    }

    fn cost(&self, parties: &Parties<'_>) -> MultipartyCost {
        if parties.has_an_empty_set() && self.spec.operation != Operation::Overlaps {
            return MultipartyCost::nothing(parties.sizes.len());
        }
        (self.cost)(parties)
    }

    fn run(&self, run: MultipartyRun<'_>) -> Result<MultipartyConclusion, MultipartyError> {
        run.check();
        if let Some(nothing) = run.without_matches(self.spec.operation) {
            return Ok(nothing);
        }
        let MultipartyRun { place, parties, elements, session, channels, rng, observer } = run;
        let channels = Channels::new(place, channels);
        let means = PairMeans { channels, session, rng, observer };
        (self.run)(Party { place, parties, means }, elements)
    }
}

/// What one party computes with.
struct Party<'a> {
    place: usize,
    parties: Parties<'a>,
    means: PairMeans<'a>,
}

impl Party<'_> {
    fn is_leader(&self) -> bool {
        self.place == self.parties.leader
    }

    /// What all parties derive from the session.
    fn derived(&self, context: &str) -> [u8; 32] {
        blake3::derive_key(context, self.means.session)
    }

    /// The seed of every store's rows: all use one, so that stores can be added up. It comes from the session, which no party knows when
    /// it fixes its keys; a party that speaks last and tries many nonces chooses among seeds, of which at most 2^-40 are bad.
    fn seed(&self) -> u128 {
        half(&Element(self.derived("veilset v1 seed of stores of zero shares")), 0)
    }

    /// Encodes the pairs of this party's elements and `values`, and sends the store to the leader.
    fn put_shares<B: Subfield + OkvsValue>(
        &mut self,
        elements: &[Element],
        values: &[B],
    ) -> Result<(), MultipartyError> {
        let shape = OkvsShape::new(KIND, elements.len());
        let store = encode(&shape, self.seed(), &keys(elements), values, self.means.rng);
        let store = Zeroizing::new(store.map_err(|why| MultipartyError::Own(why.into()))?);
        self.means.with(self.parties.leader, |means| {
            means.step(STEP, store.len());
            put_store(means, &store)
        })
    }

    /// Adds to each of the leader's `sums` what the stores of these parties hold under its element.
    fn add_shares<B: Subfield + OkvsValue>(
        &mut self,
        from: &[usize],
        elements: &[Element],
        sums: &mut [B],
    ) -> Result<(), MultipartyError> {
        let mut stores = StoreSums::<B>::new();
        for other in from {
            let items = self.parties.sizes[*other];
            self.means.with(*other, |means| {
                means.step(STEP, OkvsShape::new(KIND, items).len());
                stores.take(means, items)
            })?;
        }
        stores.add_to(self.seed(), &keys(elements), sums);
        Ok(())
    }
}

/// The step in which stores cross.
const STEP: &str = "shares";

/// Elements that one task takes.
const ELEMENTS_A_TASK: usize = 1024;

/// Adds to each sum what `value` makes of the element with the same index.
fn add<B: Subfield>(sums: &mut [B], elements: &[Element], value: impl Fn(&Element) -> u128 + Sync) {
    let pairs = sums.par_iter_mut().zip(elements).with_min_len(ELEMENTS_A_TASK);
    pairs.for_each(|(sum, element)| *sum ^= B::truncate(value(element)));
}
