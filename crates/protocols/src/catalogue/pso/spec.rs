//! What the operations on each mqRPMT say of themselves.

use crate::kit::mqrpmt::MqRpmt;
use crate::kit::wording::{
    CHOSEN, COLUMNS, COUNT, MATCHES, REPEATED, REPEATED_SUMS, SHARES, SIZE, SIZES, SUMS, TOLD,
    TRANSFER_ASSUMPTION,
};
use crate::{Allowed, Knowledge, Leak, Operation, Reveal, Security, Sharing, Spec, Taken};

const SIZE_AND_COUNT: Knowledge = Knowledge {
    of_you: "how many distinct keys match, and the peer's number of distinct keys",
    of_peer: "how many distinct keys match, and your number of distinct keys",
};

const EARLY: Leak = Leak::always(
    "The receiver knows how many keys match before anything else crosses, even if it stops there.",
);
const STAR: Leak =
    Leak::always("The sender also learns how many distinct keys match, and learns it first.");
const TOLD_COUNT: Leak =
    Leak::by_cheating("If both learn, the sender takes the count from the receiver on trust.")
        .if_learned_by(Reveal::Both);
const WHICH: Leak =
    Leak::by_cheating("A side that cheats can learn which of its keys match, unnoticed.");
const GUESSES: Leak = Leak::by_cheating(
    "A receiver that cheats can test any number of guesses against all of the sender's keys, unnoticed.",
);

const TOLD_SUMS: Leak =
    Leak::by_cheating("The owner of the values takes count and sums from the other side on trust.");
const UNION: Leak = Leak::always(
    "A side that gets the union sees from its size how many keys match, not which, and sees that before rows cross.",
);
const ROWS: Leak =
    Leak::always("The names of the columns that are sent, and the length of the longest row.");
const ALL_ROWS: Leak = Leak::by_cheating(
    "A side that gets the union and cheats gets all of the other's rows, common ones too, unnoticed.",
);
const PLACES: Leak = Leak::always(
    "The receiver also learns how many distinct keys match, and which places of the shuffled shares they have.",
);
const FALSE_SHARES: Leak =
    Leak::by_cheating("A side that cheats can make the shares those of other matches and values.");

const BOTH_OR_ONE: &[Reveal] = &[Reveal::Both, Reveal::Receiver];

/// What leaks from an operation on an mqRPMT, and on mqRPMT*.
type Leaks = (&'static [Leak], &'static [Leak]);

/// An entry, by the operation's letters of the id, which are its place in the lists below.
const fn id(mqrpmt: MqRpmt, operation: Operation) -> &'static str {
    match (mqrpmt, operation) {
        (MqRpmt::CwPrf, Operation::Intersect) => "mqrpmt-dh-intersect",
        (MqRpmt::CwPrf, Operation::Sum) => "mqrpmt-dh-sum",
        (MqRpmt::CwPrf, Operation::Union) => "mqrpmt-dh-union",
        (MqRpmt::CwPrf, Operation::Share) => "mqrpmt-dh-share",
        (MqRpmt::CwPrf, _) => "mqrpmt-dh",
        (MqRpmt::POprf, Operation::Intersect) => "mqrpmt-poprf-intersect",
        (MqRpmt::POprf, Operation::Sum) => "mqrpmt-poprf-sum",
        (MqRpmt::POprf, Operation::Union) => "mqrpmt-poprf-union",
        (MqRpmt::POprf, Operation::Share) => "mqrpmt-poprf-share",
        (MqRpmt::POprf, _) => "mqrpmt-poprf",
        (MqRpmt::Star, Operation::Intersect) => "mqrpmt-star-intersect",
        (MqRpmt::Star, Operation::Sum) => "mqrpmt-star-sum",
        (MqRpmt::Star, Operation::Union) => "mqrpmt-star-union",
        (MqRpmt::Star, Operation::Share) => "mqrpmt-star-share",
        (MqRpmt::Star, _) => "mqrpmt-star",
    }
}

const fn entry(mqrpmt: MqRpmt, operation: Operation, leaks: Leaks) -> Spec {
    let (title, paper) = match mqrpmt {
        MqRpmt::CwPrf => {
            ("Fig. 7 on mqRPMT from a commutative weak PRF", "eprint 2022/652, Fig. 3 and Fig. 7")
        }
        MqRpmt::POprf => {
            ("Fig. 7 on mqRPMT from a permuted OPRF", "eprint 2022/652, Fig. 5, Fig. 6 and Fig. 7")
        }
        MqRpmt::Star => {
            ("Fig. 7 on mqRPMT* from Sigma-mqPMT", "eprint 2022/652, section 1.2 and Fig. 7")
        }
    };
    let leaks = match mqrpmt {
        MqRpmt::Star => leaks.1,
        MqRpmt::CwPrf | MqRpmt::POprf => leaks.0,
    };
    let assumption = match operation {
        Operation::Count => "DDH, random oracle",
        _ => TRANSFER_ASSUMPTION,
    };
    Spec {
        id: id(mqrpmt, operation),
        title,
        operation,
        paper,
        security: Security::SemiHonest,
        assumption,
        reveals: BOTH_OR_ONE,
        receiver: COUNT,
        sender: COUNT,
        residue: match mqrpmt {
            MqRpmt::Star => SIZE_AND_COUNT,
            MqRpmt::CwPrf | MqRpmt::POprf => SIZE,
        },
        leaks,
        max_elements: 1 << 31,
        choices: Taken {
            sharing: match operation {
                Operation::Share => Allowed::Of(&Sharing::ALL),
                _ => Allowed::Of(&[]),
            },
            ..mqrpmt.choices()
        },
        cut: false,
        // On mqRPMT* the sender learns the number of matches, too, whoever is to learn; and for intersections others leave
        // the receiver less to choose.
        auto: !matches!((mqrpmt, operation), (MqRpmt::Star, _) | (_, Operation::Intersect)),
        // Rows of an intersection match key after key.
        grouped: !matches!(operation, Operation::Intersect),
        by_groups: None,
        on_shares: false,
        blind: false,
        withholds: false,
        with_rows: None,
    }
}

pub(super) const fn count(mqrpmt: MqRpmt) -> Spec {
    let leaks: Leaks =
        (&[SIZES, REPEATED, TOLD_COUNT, WHICH], &[SIZES, REPEATED, STAR, TOLD_COUNT, WHICH]);
    entry(mqrpmt, Operation::Count, leaks)
}

pub(super) const fn intersect(mqrpmt: MqRpmt) -> Spec {
    let leaks: Leaks = (&[SIZES, EARLY, GUESSES, TOLD], &[SIZES, EARLY, STAR, GUESSES, TOLD]);
    Spec { receiver: MATCHES, sender: MATCHES, ..entry(mqrpmt, Operation::Intersect, leaks) }
}

pub(super) const fn sum(mqrpmt: MqRpmt) -> Spec {
    let leaks: Leaks = (
        &[SIZES, COLUMNS, CHOSEN, REPEATED_SUMS, TOLD_SUMS, WHICH],
        &[SIZES, COLUMNS, CHOSEN, REPEATED_SUMS, STAR, TOLD_SUMS, WHICH],
    );
    Spec { reveals: &[Reveal::Both], sender: SUMS, ..entry(mqrpmt, Operation::Sum, leaks) }
}

pub(super) const fn union(mqrpmt: MqRpmt) -> Spec {
    let leaks: Leaks = (&[SIZES, UNION, ROWS, ALL_ROWS], &[SIZES, UNION, ROWS, STAR, ALL_ROWS]);
    Spec {
        receiver: Knowledge {
            of_you: "the peer's rows whose keys you lack",
            of_peer: "your rows whose keys it lacks",
        },
        sender: Knowledge {
            of_you: "the peer's rows whose keys you lack",
            of_peer: "your rows whose keys it lacks",
        },
        ..entry(mqrpmt, Operation::Union, leaks)
    }
}

pub(super) const fn share(mqrpmt: MqRpmt) -> Spec {
    let leaks: Leaks = (
        &[SIZES, PLACES, COLUMNS, FALSE_SHARES, WHICH],
        &[SIZES, PLACES, COLUMNS, STAR, FALSE_SHARES, WHICH],
    );
    Spec {
        reveals: &[Reveal::Both],
        receiver: SHARES,
        sender: SHARES,
        ..entry(mqrpmt, Operation::Share, leaks)
    }
}
