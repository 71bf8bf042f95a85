//! What the operations say of themselves.

use veilset_crypto::Group;

use super::MAX_ELEMENTS;
use crate::kit::wording::{
    CHOSEN, COLUMNS, COUNT as COUNTED, GROUPED_SUMS, REPEATED, REPEATED_SUMS, SHARES, SIZE, SIZES,
    SUMS, VOLE_ASSUMPTION,
};
use crate::{Allowed, Leak, Operation, Reveal, Security, Sharing, Spec, Taken};

/// How many guesses a side with bins can put into its result.
const GUESSES: Leak = Leak::by_cheating(
    "How many guesses of the other's keys a side that cheats can put into the result is not bounded.",
);

const fn entry(id: &'static str, operation: Operation, leaks: &'static [Leak]) -> Spec {
    Spec {
        id,
        title: "",
        operation,
        paper: "eprint 2019/241, Fig. 5, with the programmable function of eprint 2021/266, Fig. 8",
        security: Security::SemiHonest,
        assumption: VOLE_ASSUMPTION,
        reveals: &[Reveal::Both, Reveal::Receiver],
        receiver: COUNTED,
        sender: COUNTED,
        residue: SIZE,
        leaks,
        max_elements: MAX_ELEMENTS,
        choices: Taken { group: Allowed::Of(&[Group::Ristretto255]), ..Taken::NOTHING },
        cut: false,
        auto: true,
        grouped: false,
        by_groups: None,
        on_shares: true,
        blind: true,
        withholds: true,
        with_rows: None,
    }
}

pub(super) const COUNT: Spec = Spec {
    title: "count on shares of which elements match, which nobody sees",
    ..entry(
        "circuit-count",
        Operation::Count,
        &[
            SIZES,
            REPEATED,
            Leak::by_cheating(
                "A side that cheats can make the count another one, or that of few of its keys, unnoticed.",
            ),
            GUESSES,
        ],
    )
};

pub(super) const SUM: Spec = Spec {
    title: "sums on shares of which elements match, which nobody sees",
    reveals: &[Reveal::Both],
    sender: SUMS,
    by_groups: Some(GROUPED_SUMS),
    ..entry(
        "circuit-sum",
        Operation::Sum,
        &[
            SIZES,
            COLUMNS,
            CHOSEN,
            REPEATED_SUMS,
            Leak::by_cheating(
                "A side that cheats can make the result another one, and the owner of the values can learn which of its keys match, unnoticed.",
            ),
            GUESSES,
        ],
    )
};

pub(super) const SHARE: Spec = Spec {
    title: "shares of which elements match, which nobody sees",
    reveals: &[Reveal::Both],
    receiver: SHARES,
    sender: SHARES,
    choices: Taken {
        group: Allowed::Of(&[Group::Ristretto255]),
        sharing: Allowed::Of(&Sharing::ALL),
        ..Taken::NOTHING
    },
    // Its places are others than those of the other protocols, and more.
    auto: false,
    withholds: false,
    ..entry(
        "circuit-share",
        Operation::Share,
        &[
            SIZES,
            Leak::always(
                "By one key, a place of the shares is a bin, in which a key falls by a hash that both sides know: what is opened place by place later \
                 tells about which keys they are.",
            ),
            COLUMNS,
            Leak::by_cheating(
                "A side that cheats can make the shares those of other matches and values, and learn which of its keys match from what is opened \
                 of them.",
            ),
            GUESSES,
        ],
    )
};
