//! The registry entries.

use veilset_crypto::Group;
use veilset_crypto::paillier::KeySize;

use super::{Comparator, Course, Reuse, cost, run_to};
use crate::{
    Allowed, Conclusion, Cost, Knowledge, Leak, Operation, Protocol, ProtocolError, Reveal, Run,
    Scheme, Security, Shape, Spec, Taken,
};

/// A registry entry.
pub(crate) struct Agree {
    pub(super) spec: Spec,
    course: Course,
    comparator: Comparator,
}

/// `3pr-dh`.
pub(crate) static TO_THE_MATCH: Agree = Agree {
    spec: Spec {
        id: "3pr-dh",
        title: "fair reconciliation, rounds up to the match",
        operation: Operation::Agree,
        paper: "Mayer, Teubert, Wetzel and Meyer, CODASPY 2011, section 3.4 (3PR^C explicit, cached)",
        security: Security::SemiHonest,
        assumption: "DDH, random oracle",
        reveals: &[Reveal::Both],
        receiver: ENTRY,
        sender: ENTRY,
        residue: ENTRY,
        leaks: &[LENGTHS, PLACE, TIES, ROUNDS, CHEATS],
        max_elements: MOST,
        choices: Taken { group: Allowed::Of(&[Group::Ristretto255]), ..SCHEMES },
        cut: false,
        auto: true,
        grouped: false,
        by_groups: None,
        on_shares: false,
        blind: false,
        withholds: false,
        with_rows: None,
    },
    course: Course::ToTheMatch,
    comparator: Comparator::DiffieHellman,
};

/// `3pr-dh-fixed`.
pub(crate) static FIXED: Agree = Agree {
    spec: Spec {
        id: "3pr-dh-fixed",
        title: "fair reconciliation, always all rounds",
        leaks: &[LENGTHS, PLACE, TIES, CHEATS],
        auto: false,
        grouped: false,
        by_groups: None,
        on_shares: false,
        blind: false,
        withholds: false,
        ..TO_THE_MATCH.spec
    },
    course: Course::AllRounds,
    comparator: Comparator::DiffieHellman,
};

/// `3pr-dh-pairwise`.
pub(crate) static PAIRWISE: Agree = Agree {
    spec: Spec {
        id: "3pr-dh-pairwise",
        title: "fair reconciliation, pair by pair",
        leaks: &[LENGTHS, PLACE, COMPARISONS, CHEATS],
        max_elements: MOST_PAIRWISE,
        ..FIXED.spec
    },
    course: Course::PairByPair,
    comparator: Comparator::DiffieHellman,
};

/// `3pr-paillier`.
pub(crate) static PAILLIER: Agree = Agree {
    spec: Spec {
        id: "3pr-paillier",
        title: "fair reconciliation under Paillier's encryption",
        assumption: PAILLIER_ASSUMPTION,
        leaks: &[LENGTHS, PLACE, TIES, ROUNDS, CHEATS, GUESSES],
        max_elements: MOST_ENCRYPTED,
        choices: SCHEMES,
        auto: false,
        grouped: false,
        by_groups: None,
        on_shares: false,
        blind: false,
        withholds: false,
        ..TO_THE_MATCH.spec
    },
    course: Course::ToTheMatch,
    comparator: Comparator::Paillier(KeySize::B2048, Reuse::Cached),
};

/// `3pr-paillier-uncached`.
pub(crate) static UNCACHED: Agree = Agree {
    spec: Spec {
        id: "3pr-paillier-uncached",
        title: "fair reconciliation under Paillier's encryption, afresh for each comparison",
        paper: "Mayer, Teubert, Wetzel and Meyer, CODASPY 2011, section 3.4 (3PR^C explicit, not cached)",
        ..PAILLIER.spec
    },
    course: Course::ToTheMatch,
    comparator: Comparator::Paillier(KeySize::B2048, Reuse::Fresh),
};

/// `3pr-implicit`.
pub(crate) static IMPLICIT: Agree = Agree {
    spec: Spec {
        id: "3pr-implicit",
        title: "fair reconciliation by oblivious polynomial evaluation",
        paper: "Mayer, Teubert, Wetzel and Meyer, CODASPY 2011, section 3.4 (3PR^C implicit)",
        ..PAILLIER.spec
    },
    course: Course::ToTheMatch,
    comparator: Comparator::Implicit(KeySize::B2048),
};

/// `3pr-paillier-pairwise`.
pub(crate) static PAILLIER_PAIRWISE: Agree = Agree {
    spec: Spec {
        id: "3pr-paillier-pairwise",
        title: "fair reconciliation under Paillier's encryption, pair by pair",
        leaks: &[LENGTHS, PLACE, COMPARISONS, CHEATS, GUESSES],
        max_elements: MOST_PAIRWISE,
        ..PAILLIER.spec
    },
    course: Course::PairByPair,
    comparator: Comparator::Paillier(KeySize::B2048, Reuse::Cached),
};

const SCHEMES: Taken = Taken { scheme: Allowed::Of(&Scheme::ALL), ..Taken::NOTHING };

const PAILLIER_ASSUMPTION: &str = "decisional composite residuosity, factoring, random oracle";

/// The most entries of a side: 2^24 pairs, which take minutes.
const MOST: u64 = 1 << 12;

/// The most entries of a side under Paillier's encryption: 2^20 pairs, which take ten minutes, or two hours if implicit.
const MOST_ENCRYPTED: u64 = 1 << 10;

/// The most entries of a side pair by pair: 2^18 messages, one after the other, which take an hour and a half where a round
/// trip takes 40 ms.
const MOST_PAIRWISE: u64 = 1 << 9;

const ENTRY: Knowledge = Knowledge {
    of_you: "the common entry that both together prefer most and its place in the peer's list, or that there is none",
    of_peer: "the same entry and its place in your list, or that there is none",
};

const LENGTHS: Leak = Leak::always("Each side learns how many entries the other's list has.");

const PLACE: Leak = Leak::always(
    "The place of the agreed entry in the other's list tells each side how much the other likes it, and that no \
     pair of a better combined rank is equal.",
);

const ROUNDS: Leak = Leak::always(
    "A watcher of the traffic sees how many rounds there are, so how good the match is.",
);

const COMPARISONS: Leak = Leak::always(
    "A watcher of the traffic sees how many pairs are compared, so how good the match is.",
);

const CHEATS: Leak = Leak::by_cheating(
    "A side that cheats can put in entries that it does not have, and name a later common entry, or none.",
);

const GUESSES: Leak = Leak::by_cheating(
    "A side that cheats can read the other's entries that are compared if it guesses them.",
);

const TIES: Leak = Leak::always(
    "One side also learns which other entries are common and have the same combined rank.",
);

impl Protocol for Agree {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn cost(&self, shape: Shape) -> Cost {
        cost::cost(&shape, self.spec.max_elements, self.course, self.comparator)
    }

    fn run(&self, run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        run_to(self.course, self.comparator, run)
    }
}
