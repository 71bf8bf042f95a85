//! Mayer, Teubert, Wetzel and Meyer, "Implementation and Performance Evaluation of Privacy-Preserving Fair Reconciliation
//! Protocols on Ordered Sets", CODASPY 2011: its figures 5, 6 and 8 to 17 as tables and panels. The figures are plots, so beside
//! ours stands what the text says of them.

mod average;
mod cipher;
mod lists;
mod paillier;
mod pairs;
mod panels;
mod runs;
mod symmetric;
mod telephones;
#[cfg(test)]
mod tests;
mod wire;
mod worst;

use crate::paper::{Content, Paper, PaperTable};
use veilset_bench::Sizes;

pub(crate) const PAPER: Paper = Paper {
    name: "pros",
    source: "Mayer, Teubert, Wetzel and Meyer, CODASPY 2011, section 6",
    notes: "both parties in this process, one thread each, nothing between them, or TCP over the loopback interface where it says \"as the \
            paper\"; times of runs are processor time of both parties, the mean ± the standard deviation; the paper had both on an Athlon \
            64 at 1.8 GHz, and keys of 256 bits, which are insecure",
    sizes: &[
        Sizes::equal(20),
        Sizes::equal(50),
        Sizes::equal(100),
        Sizes::equal(200),
        Sizes::equal(500),
        Sizes::equal(1000),
        Sizes::equal(2000),
    ],
    tables: &[
        PaperTable {
            title: "Figure 5: Paillier's encryption over the key's size, microseconds, 32-bit plaintexts; keys below 2048 bits are insecure",
            content: Content::Grid(cipher::over_key_size),
        },
        PaperTable {
            title: "Figure 14: the same over the plaintext's length, keys of 1024 bits, which are insecure",
            content: Content::Grid(cipher::over_plaintext),
        },
        PaperTable {
            title: "Figure 6: round trips by TCP over the loopback interface",
            content: Content::Grid(wire::round_trips),
        },
        PaperTable {
            title: "Figure 8: expanding the polynomial over 255 bits, in seconds",
            content: Content::Grid(symmetric::expansion),
        },
        PaperTable {
            title: "Evaluating it under encryption with the paper's 256-bit keys, which are insecure, in seconds",
            content: Content::Grid(symmetric::evaluation),
        },
        PaperTable {
            title: "Figure 8: symmetric FNP, once in each direction, in seconds",
            content: Content::Grid(symmetric::protocol),
        },
        PaperTable {
            title: "Figure 9: worst case, sum of ranks, as the paper with 256-bit keys, which are insecure, in seconds",
            content: Content::Grid(worst::short_sum),
        },
        PaperTable {
            title: "Figure 15: worst case, minimum of ranks, as the paper with 256-bit keys, which are insecure, in seconds",
            content: Content::Grid(worst::short_minimum),
        },
        PaperTable {
            title: "Worst case, sum of ranks, with ours, in seconds",
            content: Content::Grid(worst::secure_sum),
        },
        PaperTable {
            title: "Worst case, minimum of ranks, with ours, in seconds",
            content: Content::Grid(worst::secure_minimum),
        },
        PaperTable {
            title: "Figures 10 and 16: worst case with the keys of the telephones, which are insecure, in seconds",
            content: Content::Grid(telephones::worst),
        },
        PaperTable {
            title: "Figures 11 and 17: random places with the telephones' 512-bit keys, which are insecure, in seconds",
            content: Content::Grid(telephones::average),
        },
        PaperTable {
            title: "Figure 12: one match in random places, sum of ranks, in seconds; 256-bit keys, which are insecure, but for `3pr-dh`",
            content: Content::Grid(average::one_match),
        },
        PaperTable {
            title: "Figure 13 (a): 5 % in common, where an entry more is in common, sum of ranks, in seconds",
            content: Content::Grid(average::saw_tooth),
        },
        PaperTable {
            title: "Figure 13 (b): 5 % in common, comparisons and `3pr-dh`, in seconds",
            content: Content::Grid(average::linear),
        },
        PaperTable {
            title: "Figure 13 (c): 5 % in common, as the paper with 256-bit keys, which are insecure, in seconds",
            content: Content::Grid(average::short),
        },
    ],
    plot: Some(panels::drawn),
};
