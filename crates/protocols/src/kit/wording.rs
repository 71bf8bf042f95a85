//! What several protocols say of themselves in the same words.

use crate::{Knowledge, Leak, Reveal};

/// What a side learns that gets an intersection.
pub(crate) const MATCHES: Knowledge =
    Knowledge { of_you: "which of your rows match", of_peer: "which of its rows match" };

/// What a side learns that gets a count.
pub(crate) const COUNT: Knowledge = Knowledge {
    of_you: "how many distinct keys match, not which",
    of_peer: "how many distinct keys match, not which",
};

/// What the owner of values learns of a sum.
pub(crate) const SUMS: Knowledge = Knowledge {
    of_you: "how many distinct keys match, and the sums of your values over them",
    of_peer: "how many distinct keys match, and the sums of its values over them",
};

/// The same by groups.
pub(crate) const GROUPED_SUMS: Knowledge = Knowledge {
    of_you: "of each group of keys how many match, and the sums of your values over those",
    of_peer: "of each group of keys how many match, and the sums of its values over those",
};

/// What both sides learn that get shares.
pub(crate) const SHARES: Knowledge = Knowledge {
    of_you: "random shares of which of the sender's keys match, and of the values for them",
    of_peer: "random shares of which of the sender's keys match, and of the values for them",
};

/// What the side without values learns of them.
pub(crate) const COLUMNS: Leak = Leak::always(
    "Each side learns the names and scales of the other's value columns, if it has any.",
);

/// What an owner of values can make of them.
pub(crate) const CHOSEN: Leak = Leak::always(
    "The owner chooses the values: sums of distinctive ones tell it which of its keys match, in one run.",
);

/// What counts and sums tell that are repeated.
pub(crate) const REPEATED_SUMS: Leak = Leak::always(
    "Counts and sums of repeated runs over slightly different lists reveal members and their values.",
);

/// What counts tell that are repeated.
pub(crate) const REPEATED: Leak =
    Leak::always("Counts of repeated runs over slightly different lists reveal members.");

/// What a side learns that looks its rows up.
pub(crate) const LISTED: Knowledge = Knowledge {
    of_you: "which of your rows the peer lists, and their labels",
    of_peer: "which of its rows you list, and their labels",
};

/// What a side learns that is to learn nothing.
pub(crate) const SIZE: Knowledge = Knowledge {
    of_you: "nothing but the peer's number of distinct keys",
    of_peer: "nothing but your number of distinct keys",
};

/// What a receiver of labels learns beside them.
pub(crate) const LABELS: Leak = Leak::always(
    "The receiver learns the name of the column of labels, and the length of the longest.",
);

/// What a sender that cheats gets of a lookup.
pub(crate) const UNLISTED: Leak = Leak::by_cheating(
    "A sender that cheats can list other keys than it declared, and one entry can stand for several.",
);

/// What both sides learn in every run.
pub(crate) const SIZES: Leak =
    Leak::always("Each side learns how many distinct keys the other has.");

/// What a sender that cheats gets where its values are as short as an honest one's may be.
pub(crate) const SHORT: Leak =
    Leak::by_cheating("A sender that cheats can make one of its values stand for several keys.");

/// What a receiver that cheats gets where the sender takes its word for what matches.
pub(crate) const TOLD: Leak =
    Leak::by_cheating("If both learn, the sender takes the result from the receiver on trust.")
        .if_learned_by(Reveal::Both);

/// What every oblivious transfer rests on, beside what a protocol does.
pub(crate) const TRANSFER_ASSUMPTION: &str =
    "DDH, random oracle, tweakable correlation robustness of fixed-key AES";

/// What the functions from vector OLE rest on.
pub(crate) const VOLE_ASSUMPTION: &str = "dual LPN (expand-convolute code), DDH, random oracle, tweakable correlation robustness of fixed-key AES";
