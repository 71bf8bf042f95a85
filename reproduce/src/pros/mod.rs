//! Mayer, Teubert, Wetzel and Meyer, "Implementation and Performance Evaluation of Privacy-Preserving Fair Reconciliation
//! Protocols on Ordered Sets", CODASPY 2011: its figures 5, 8, 9 and 12 to 15 as tables. The figures are plots, so beside ours stands
//! what the text says of them.

mod cipher;
mod lists;
mod reconcile;
mod symmetric;
#[cfg(test)]
mod tests;

use crate::paper::{Content, Measured, Paper, PaperTable};
use crate::plot::{Curve, svg};
use veilset_bench::Sizes;

pub(crate) const PAPER: Paper = Paper {
    name: "pros",
    source: "Mayer, Teubert, Wetzel and Meyer, CODASPY 2011, section 6",
    notes: "both parties in this process, one thread each, nothing between them; times of runs are processor time of both parties; the \
            paper had both on an Athlon 64 at 1.8 GHz, and keys of 256 bits, which are insecure",
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
            title: "Figure 5: Paillier's encryption over the key's size, milliseconds, 32-bit plaintexts",
            content: Content::Grid(cipher::over_key_size),
        },
        PaperTable {
            title: "Figure 14: the same over the plaintext's length, keys of 1024 bits, which are insecure",
            content: Content::Grid(cipher::over_plaintext),
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
            title: "Figure 9: worst case, sum of ranks, in seconds",
            content: Content::Grid(reconcile::worst_sum),
        },
        PaperTable {
            title: "Figure 15: worst case, minimum of ranks, in seconds",
            content: Content::Grid(reconcile::worst_minimum),
        },
        PaperTable {
            title: "Figure 9 with the paper's 256-bit keys, which are insecure",
            content: Content::Grid(reconcile::worst_short),
        },
        PaperTable {
            title: "Figure 12: one match in random places, sum of ranks",
            content: Content::Grid(reconcile::one_match),
        },
        PaperTable {
            title: "Figure 13 (a): 5 % in common, where an entry more is in common, sum of ranks",
            content: Content::Grid(reconcile::ends_of_sections),
        },
        PaperTable { title: LINEAR, content: Content::Grid(reconcile::linear) },
        PaperTable {
            title: "Figure 13 (c): 5 % in common, with the paper's 256-bit keys, which are insecure, in seconds",
            content: Content::Grid(reconcile::average_short),
        },
    ],
    plot: Some(plot),
};

const LINEAR: &str = "Figure 13 (b): 5 % in common, comparisons and `3pr-dh`";

/// Figure 13 (b): what grows linearly, beside the worst case.
fn plot(measured: &[Measured]) -> String {
    let place = PAPER.tables.iter().position(|table| table.title == LINEAR);
    let Some(Measured::Grid(grid)) = place.and_then(|place| measured.get(place)) else {
        return String::new();
    };
    let curve = |(column, name, published): (usize, &str, bool), scale: f64| {
        let point = |row: &Vec<String>| {
            Some((row[0].parse().ok()?, row[column].parse::<f64>().ok()? * scale))
        };
        let points = grid.rows.iter().filter_map(point).collect();
        Curve { name: name.to_owned(), published, points }
    };
    let curves = [
        curve((1, "worst case", true), 1.0),
        curve((2, "expected (paper)", true), 1.0),
        curve((3, "sum of ranks", false), 1.0),
        curve((4, "minimum of ranks", false), 1.0),
        curve((5, "3pr-dh, microseconds", false), 1e6),
    ];
    let axes = ["entries of each list, 5 % in common", "comparisons, and microseconds"];
    svg("Reconciliation of ordered lists, average case", axes, &curves)
}
