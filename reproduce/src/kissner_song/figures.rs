//! Figures 2 to 4 and Table 4 as pictures.

use crate::grid::{Grid, number};
use crate::paper::Measured;
use crate::plot::{Curve, Panel, Scale, page};

/// What of a table is drawn: its place among the tables, a title, the axis of values, and its columns.
struct Drawn {
    table: usize,
    title: &'static str,
    values: &'static str,
    columns: &'static [usize],
}

const DRAWN: [Drawn; 4] = [
    Drawn {
        table: 1,
        title: "Figure 2: key generation, special setting",
        values: "seconds",
        columns: &[1, 2, 3],
    },
    Drawn {
        table: 5,
        title: "Figure 3: shares of a run, Karatsuba",
        values: "percent",
        columns: &[1, 2, 3, 4, 5, 6],
    },
    Drawn {
        table: 6,
        title: "Figure 4: shares of a run, transforms",
        values: "percent",
        columns: &[1, 2, 3, 4, 5, 6],
    },
    Drawn {
        table: 2,
        title: "Table 4: both programs, 1024 bits",
        values: "seconds",
        columns: &[1, 2, 4, 5],
    },
];

/// What a picture has less room for than a table.
const LONG: [(&str, &str); 3] =
    [(", general setting", ""), (", special setting", ""), ("transmission", "transfer")];

/// All of them.
pub(super) fn pictures(measured: &[Measured]) -> String {
    let curves = DRAWN.each_ref().map(|drawn| match measured.get(drawn.table) {
        Some(Measured::Grid(grid)) => drawn.curves(grid),
        _ => Vec::new(),
    });
    let panels: Vec<Panel<'_>> = DRAWN
        .iter()
        .zip(&curves)
        .map(|(Drawn { title, values, .. }, curves)| {
            let axes = ["elements of each side", values];
            Panel { title, axes, scale: Scale::Logarithmic, curves }
        })
        .collect();
    page("Encrypted polynomials", &panels)
}

impl Drawn {
    fn curves(&self, grid: &Grid) -> Vec<Curve> {
        let curve = |column: &usize| {
            let point = |row: &Vec<String>| {
                let log: i32 = row[0].strip_prefix("2^")?.parse().ok()?;
                let value = number(&row[*column]).filter(|value| *value > 0.0)?;
                Some((2_f64.powi(log), value))
            };
            let name = &grid.columns[*column];
            Curve {
                name: LONG
                    .iter()
                    .fold(name.clone(), |name, (long, short)| name.replace(long, short)),
                published: name.starts_with("paper"),
                points: grid.rows.iter().filter_map(point).collect(),
            }
        };
        self.columns.iter().map(curve).collect()
    }
}
