//! What several protocols say of themselves in the same words.

use crate::Knowledge;

/// What a side learns that gets an intersection.
pub(crate) const MATCHES: Knowledge =
    Knowledge { of_you: "which of your rows match", of_peer: "which of its rows match" };

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
pub(crate) const LABELS: &str =
    "The receiver learns the name of the column of labels, and the length of the longest.";

/// What both sides learn in every run.
pub(crate) const SIZES: &str = "Each side learns how many distinct keys the other has.";

/// What every oblivious transfer rests on, beside what a protocol does.
pub(crate) const TRANSFER_ASSUMPTION: &str =
    "DDH, random oracle, tweakable correlation robustness of fixed-key AES";

/// What the functions from vector OLE rest on.
pub(crate) const VOLE_ASSUMPTION: &str = "dual LPN (expand-convolute code), DDH, random oracle, tweakable correlation robustness of fixed-key AES";
