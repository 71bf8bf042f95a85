//! The figures as panels of one picture.

use super::PAPER;
use crate::grid::{Grid, number};
use crate::paper::Measured;
use crate::plot::{Curve, Panel, Scale, page};

/// A figure: how its table's title begins, and what is drawn of it.
struct Figure {
    table: &'static str,
    title: &'static str,
    axes: [&'static str; 2],
    scale: Scale,
    /// The unit of the values, in that of the table.
    unit: f64,
    curves: &'static [Line],
}

/// The column of a table, the curve's name, and whether it is the paper's.
type Line = (usize, &'static str, bool);

const MILLI: f64 = 1e-3;

const ENTRIES: &str = "entries of each list";

const CIPHER: &[Line] = &[
    (1, "encryption, r^N", false),
    (2, "its decryption", false),
    (3, "without CRT", false),
    (4, "our encryption", false),
    (5, "our decryption", false),
];

const WORST: &[Line] = &[
    (4, "not cached", false),
    (6, "cached", false),
    (9, "ours, not cached", false),
    (10, "ours, cached", false),
    (11, "ours, implicit", false),
];

const FIGURES: [Figure; 12] = [
    Figure {
        table: "Figure 5:",
        title: "5: encryption",
        axes: ["bits of the key", "microseconds"],
        scale: Scale::Logarithmic,
        unit: 1.0,
        curves: CIPHER,
    },
    Figure {
        table: "Figure 14:",
        title: "14: encryption, 1024-bit keys",
        axes: ["bits of the plaintext", "microseconds"],
        scale: Scale::Linear,
        unit: 1.0,
        curves: CIPHER,
    },
    Figure {
        table: "Figure 6:",
        title: "6: round trips over the loopback interface",
        axes: ["bits of the payload", "microseconds"],
        scale: Scale::Linear,
        unit: 1.0,
        curves: &[(1, "TCP", false)],
    },
    Figure {
        table: "Figure 8: expanding",
        title: "8: expanding the polynomial",
        axes: ["roots", "seconds"],
        scale: Scale::Logarithmic,
        unit: 1.0,
        curves: &[(1, "classical", false), (2, "Karatsuba", false), (3, "transforms", false)],
    },
    Figure {
        table: "Figure 9:",
        title: "9: worst case, sum of ranks, 256 bits",
        axes: [ENTRIES, "seconds"],
        scale: Scale::Logarithmic,
        unit: 1.0,
        curves: WORST,
    },
    Figure {
        table: "Figure 15:",
        title: "15: worst case, minimum of ranks, 256 bits",
        axes: [ENTRIES, "seconds"],
        scale: Scale::Logarithmic,
        unit: 1.0,
        curves: WORST,
    },
    Figure {
        table: "Figures 10",
        title: "10 and 16: worst case with the telephones' keys",
        axes: [ENTRIES, "milliseconds"],
        scale: Scale::Linear,
        unit: MILLI,
        curves: &[(4, "256 bits, sum", false), (6, "512 bits", false), (8, "1024 bits", false)],
    },
    Figure {
        table: "Figure 12:",
        title: "12: one match",
        axes: [ENTRIES, "milliseconds"],
        scale: Scale::Logarithmic,
        unit: MILLI,
        curves: &[(7, "256 bits, cached", false), (5, "3pr-dh", false)],
    },
    Figure {
        table: "Figure 13 (a)",
        title: "13 (a): 5 % in common",
        axes: [ENTRIES, "comparisons"],
        scale: Scale::Linear,
        unit: 1.0,
        curves: &[(2, "expected (paper)", true), (3, "counted", false)],
    },
    Figure {
        table: "Figure 13 (a)",
        title: "13 (a): time",
        axes: [ENTRIES, "milliseconds"],
        scale: Scale::Linear,
        unit: MILLI,
        curves: &[(5, "3pr-dh", false)],
    },
    Figure {
        table: "Figure 13 (b)",
        title: "13 (b): 5 % in common",
        axes: [ENTRIES, "comparisons"],
        scale: Scale::Linear,
        unit: 1.0,
        curves: &[
            (2, "expected (paper)", true),
            (3, "sum of ranks", false),
            (4, "minimum of ranks", false),
        ],
    },
    Figure {
        table: "Figure 13 (c)",
        title: "13 (c): 5 % in common, 256 bits",
        axes: [ENTRIES, "milliseconds"],
        scale: Scale::Linear,
        unit: MILLI,
        curves: &[
            (4, "not cached", false),
            (6, "cached", false),
            (8, "ours, cached", false),
            (9, "ours, implicit", false),
        ],
    },
];

impl Figure {
    fn panel<'a>(&self, curves: &'a [Curve]) -> Panel<'a> {
        Panel { title: self.title, axes: self.axes, scale: self.scale, curves }
    }

    fn curves(&self, grid: &Grid) -> Vec<Curve> {
        let curve = |(column, name, published): &Line| {
            let point = |row: &Vec<String>| {
                let value = number(&row[*column])? / self.unit;
                // 0 is what was too short for the table's digits.
                Some((row[0].parse().ok()?, value)).filter(|_| value > 0.0)
            };
            let points = grid.rows.iter().filter_map(point).collect();
            Curve { name: (*name).to_owned(), published: *published, points }
        };
        self.curves.iter().map(curve).collect()
    }
}

pub(super) fn drawn(measured: &[Measured]) -> String {
    let curves = FIGURES.each_ref().map(|figure| {
        let is_its = |title: &str| title.starts_with(figure.table);
        let place = PAPER.tables.iter().position(|table| is_its(table.title));
        match place.and_then(|place| measured.get(place)) {
            Some(Measured::Grid(grid)) => figure.curves(grid),
            _ => Vec::new(),
        }
    });
    let with_curves = FIGURES.iter().zip(&curves);
    let panels: Vec<Panel<'_>> = with_curves.map(|(figure, curves)| figure.panel(curves)).collect();
    page("Reconciliation of ordered lists, the paper's figures", &panels)
}
