//! What the operations on each mqRPMT say of themselves.

use crate::mqrpmt::Engine;
use crate::words::{MATCHES, SIZE, SIZES, TRANSFER_ASSUMPTION};
use crate::{Knowledge, Operation, Reveal, Security, Spec};

const COUNT: Knowledge = Knowledge {
    of_you: "how many distinct keys match, not which",
    of_peer: "how many distinct keys match, not which",
};
const SIZE_AND_COUNT: Knowledge = Knowledge {
    of_you: "how many distinct keys match, and the peer's number of distinct keys",
    of_peer: "how many distinct keys match, and your number of distinct keys",
};

const REPEATED: &str = "Counts of repeated runs over slightly different lists reveal members.";
const EARLY: &str =
    "The receiver knows how many keys match before anything else crosses, even if it stops there.";
const STAR: &str = "The sender also learns how many distinct keys match, and learns it first.";
const TOLD: &str = "If both learn, the sender takes the count from the receiver on trust.";

const COLUMNS: &str =
    "The side without values learns the names and scales of the other's value columns.";
const CHOSEN: &str = "The owner chooses the values: sums of distinctive ones tell it which of its keys match, in one run.";
const REPEATED_SUMS: &str = "Counts and sums of repeated runs over slightly different lists reveal members and their values.";
const TOLD_SUMS: &str =
    "The owner of the values takes count and sums from the other side on trust.";
const UNION: &str = "Whoever gets the union sees from its size how many keys match, not which, and sees that before rows cross.";
const ROWS: &str = "The names of the columns that are sent, and the length of the longest row.";
const PLACES: &str = "The receiver also learns how many distinct keys match, and which places of the shuffled shares they have.";

const BOTH_OR_ONE: &[Reveal] = &[Reveal::Both, Reveal::Receiver];

/// What leaks from an operation on an mqRPMT, and on mqRPMT*.
type Leaks = (&'static [&'static str], &'static [&'static str]);

/// An entry, by the operation's letters of the id, which are its place in the lists below.
const fn id(engine: Engine, operation: Operation) -> &'static str {
    match (engine, operation) {
        (Engine::CwPrf, Operation::Intersect) => "mqrpmt-dh-intersect",
        (Engine::CwPrf, Operation::Sum) => "mqrpmt-dh-sum",
        (Engine::CwPrf, Operation::Union) => "mqrpmt-dh-union",
        (Engine::CwPrf, Operation::Share) => "mqrpmt-dh-share",
        (Engine::CwPrf, _) => "mqrpmt-dh",
        (Engine::POprf, Operation::Intersect) => "mqrpmt-poprf-intersect",
        (Engine::POprf, Operation::Sum) => "mqrpmt-poprf-sum",
        (Engine::POprf, Operation::Union) => "mqrpmt-poprf-union",
        (Engine::POprf, Operation::Share) => "mqrpmt-poprf-share",
        (Engine::POprf, _) => "mqrpmt-poprf",
        (Engine::Star, Operation::Intersect) => "mqrpmt-star-intersect",
        (Engine::Star, Operation::Sum) => "mqrpmt-star-sum",
        (Engine::Star, Operation::Union) => "mqrpmt-star-union",
        (Engine::Star, Operation::Share) => "mqrpmt-star-share",
        (Engine::Star, _) => "mqrpmt-star",
    }
}

const fn entry(engine: Engine, operation: Operation, leaks: Leaks) -> Spec {
    let (title, paper) = match engine {
        Engine::CwPrf => {
            ("Fig. 7 on mqRPMT from a commutative weak PRF", "eprint 2022/652, Fig. 3 and Fig. 7")
        }
        Engine::POprf => {
            ("Fig. 7 on mqRPMT from a permuted OPRF", "eprint 2022/652, Fig. 5, Fig. 6 and Fig. 7")
        }
        Engine::Star => {
            ("Fig. 7 on mqRPMT* from Sigma-mqPMT", "eprint 2022/652, section 1.2 and Fig. 7")
        }
    };
    let leaks = match engine {
        Engine::Star => leaks.1,
        Engine::CwPrf | Engine::POprf => leaks.0,
    };
    let assumption = match operation {
        Operation::Count => "DDH, random oracle",
        _ => TRANSFER_ASSUMPTION,
    };
    Spec {
        id: id(engine, operation),
        title,
        operation,
        paper,
        security: Security::SemiHonest,
        assumption,
        reveals: BOTH_OR_ONE,
        receiver: COUNT,
        sender: COUNT,
        residue: match engine {
            Engine::Star => SIZE_AND_COUNT,
            Engine::CwPrf | Engine::POprf => SIZE,
        },
        leaks,
        max_elements: 1 << 31,
        groups: engine.groups(),
        digests: engine.digests(),
        cut: false,
        prime: false,
    }
}

pub(super) const fn count(engine: Engine) -> Spec {
    entry(engine, Operation::Count, (&[SIZES, REPEATED, TOLD], &[SIZES, REPEATED, STAR, TOLD]))
}

pub(super) const fn intersect(engine: Engine) -> Spec {
    Spec {
        receiver: MATCHES,
        sender: MATCHES,
        ..entry(engine, Operation::Intersect, (&[SIZES, EARLY], &[SIZES, EARLY, STAR]))
    }
}

pub(super) const fn sum(engine: Engine) -> Spec {
    Spec {
        reveals: &[Reveal::Both],
        sender: Knowledge {
            of_you: "how many distinct keys match, and the sums of your values over them",
            of_peer: "how many distinct keys match, and the sums of its values over them",
        },
        ..entry(
            engine,
            Operation::Sum,
            (
                &[SIZES, COLUMNS, CHOSEN, REPEATED_SUMS, TOLD_SUMS],
                &[SIZES, COLUMNS, CHOSEN, REPEATED_SUMS, STAR, TOLD_SUMS],
            ),
        )
    }
}

pub(super) const fn union(engine: Engine) -> Spec {
    Spec {
        receiver: Knowledge {
            of_you: "the peer's rows whose keys you lack",
            of_peer: "your rows whose keys it lacks",
        },
        sender: Knowledge {
            of_you: "the peer's rows whose keys you lack",
            of_peer: "your rows whose keys it lacks",
        },
        ..entry(engine, Operation::Union, (&[SIZES, UNION, ROWS], &[SIZES, UNION, ROWS, STAR]))
    }
}

pub(super) const fn share(engine: Engine) -> Spec {
    const SHARES: Knowledge = Knowledge {
        of_you: "random shares of which of the sender's keys match, and of its values for them",
        of_peer: "random shares of which of the sender's keys match, and of its values for them",
    };
    Spec {
        reveals: &[Reveal::Both],
        receiver: SHARES,
        sender: SHARES,
        ..entry(
            engine,
            Operation::Share,
            (&[SIZES, PLACES, COLUMNS], &[SIZES, PLACES, COLUMNS, STAR]),
        )
    }
}
