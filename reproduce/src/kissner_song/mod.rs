//! Kim and Kim, "An Experimental Study of Encrypted Polynomial Arithmetics for Private Set Operations", 2017: its tables
//! 1 and 3 to 6 and figures 2 to 4 with ours beside the paper's, its application, and how the algorithms compare.

mod application;
mod figures;
mod link;
mod paper_groups;
mod printed;
mod products;
mod published;

use veilset_bench::{Measurement, Sizes};
use veilset_paper_groups::{Pallas, Setting};
use veilset_protocols::ks::{Algorithm, Spread};

use self::published::PUBLISHED_KEYS;
use crate::Failure;
use crate::grid::{Grid, Scatter, seconds};
use crate::over_group::measure_over;
use crate::paper::{Asked, Content, Paper, PaperTable, in_memory, power};

pub(crate) const PAPER: Paper = Paper {
    name: "kissner-song",
    source: "Kim and Kim 2017, section IV",
    notes: "both parties in this process, one thread each, nothing between them; the paper had two machines and 100 Mbit/s",
    sizes: &[
        Sizes::equal(1 << 7),
        Sizes::equal(1 << 8),
        Sizes::equal(1 << 9),
        Sizes::equal(1 << 10),
        Sizes::equal(1 << 11),
        Sizes::equal(1 << 12),
    ],
    tables: &[
        PaperTable {
            title: "Table 1: key generation for 1024-bit groups, in seconds",
            content: Content::Grid(keys),
        },
        PaperTable {
            title: "Figure 2: key generation in the special setting, in seconds",
            content: Content::Grid(paper_groups::keys),
        },
        PaperTable {
            title: "Table 4: whole runs on the paper's groups of 1024 bits, which are insecure, in seconds",
            content: Content::Grid(paper_groups::programs),
        },
        PaperTable {
            title: "Remark 3: the same with other algorithms, all in the general setting",
            content: Content::Grid(paper_groups::others),
        },
        PaperTable {
            title: "Table 3: whole runs with key generation and transmission, in seconds",
            content: Content::Grid(paper_groups::totals),
        },
        PaperTable {
            title: "Figure 3: what each part takes of them with Karatsuba's algorithm, in percent",
            content: Content::Grid(paper_groups::shares_of_halves),
        },
        PaperTable {
            title: "Figure 4: the same with transforms",
            content: Content::Grid(paper_groups::shares_of_transforms),
        },
        PaperTable {
            title: "Table 6: where transforms overtake Karatsuba's algorithm, in seconds of whole runs",
            content: Content::Grid(paper_groups::overtaking),
        },
        PaperTable {
            title: "Table 5: transmission over a simulated link of 100 Mbit/s",
            content: Content::Grid(paper_groups::transmission),
        },
        PaperTable {
            title: "The do-not-fly application over TLS on one machine, in seconds by sub-module; the paper's without key generation",
            content: Content::Grid(application::screenings),
        },
        PaperTable {
            title: "The intersection on ristretto255 and on Pallas, in seconds",
            content: Content::Grid(runs),
        },
        PaperTable {
            title: "Products of a plain and an encrypted polynomial on ristretto255, in seconds",
            content: Content::Grid(products::on_ristretto),
        },
        PaperTable {
            title: "The same on Pallas, whose scalars have roots of unity",
            content: Content::Grid(products::on_pallas),
        },
        PaperTable {
            title: "How many multiplications a product takes",
            content: Content::Grid(products::counts),
        },
        PaperTable {
            title: "Where one algorithm takes fewer of them than another",
            content: Content::Grid(products::cutoffs),
        },
    ],
    plot: Some(figures::pictures),
};

fn keys(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&["setting", "paper", "here"]);
    for (setting, paper) in PUBLISHED_KEYS {
        let here = paper_groups::generation(setting, 5, asked.runs)?;
        let name = match setting {
            Setting::General => "general".to_owned(),
            Setting::Special { log_size } => format!("special, t = {log_size}"),
        };
        grid.push(vec![name, seconds(Some(paper)), here.seconds()]);
    }
    done("key generation");
    Ok(grid)
}

/// Beyond that, one polynomial for all elements takes minutes.
const MOST_WHOLE: usize = 1 << 13;

/// Beyond that, a run over Pallas takes minutes.
const MOST_ON_PALLAS: usize = 1 << 8;

const RUN_COLUMNS: [&str; 5] =
    ["k", "`ks`", "`ks-binned`", "`ks` on Pallas", "`ks-binned` on Pallas"];

fn runs(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let sizes = asked.sizes;
    let mut grid = Grid::new(&RUN_COLUMNS);
    for size in sizes.iter().map(|sizes| sizes.larger()) {
        let cell = |most: usize, measure: &dyn Fn() -> Result<Measurement, Failure>| {
            let measure = || Ok::<_, Failure>(measure()?.seconds);
            let runs =
                (size <= most).then(|| Scatter::measured(asked.runs, measure)).transpose()?;
            Ok::<_, Failure>(runs.map_or(String::new(), Scatter::seconds))
        };
        let own = |protocol| Ok(in_memory(protocol, size).measure()?);
        let pallas = |spread| measure_over(&Pallas, spread, Algorithm::Fastest, size);
        let row = vec![
            power(size),
            cell(MOST_WHOLE, &|| own("ks"))?,
            cell(usize::MAX, &|| own("ks-binned"))?,
            cell(MOST_ON_PALLAS, &|| pallas(Spread::Whole))?,
            cell(MOST_ON_PALLAS, &|| pallas(Spread::Binned))?,
        ];
        grid.push(row);
        done(&format!("intersection at {}", power(size)));
    }
    Ok(grid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::Measured;

    #[test]
    fn the_tables_are_filled() {
        let sizes: Vec<Sizes> = [1 << 3, 20].map(Sizes::equal).to_vec();
        let measured = PAPER.measured(|_| &sizes);
        let grids: Vec<&Grid> = measured.iter().map(Measured::grid).collect();
        let rows = |table: usize| &grids[table].rows;
        assert_eq!((rows(0).len(), rows(1).len()), (5, 2));
        // Of sizes that the paper does not have, all columns but its own.
        for (table, paper) in [(2, &[1, 3, 4, 6][..]), (3, &[7]), (4, &[1, 3]), (5, &[1, 2, 3])] {
            assert_eq!(rows(table).len(), 2);
            for (column, cell) in rows(table).iter().flat_map(|row| row.iter().enumerate()) {
                let named = grids[table].columns[column].contains("paper") && cell.is_empty();
                assert_eq!(cell.is_empty(), paper.contains(&column), "{table} {column}");
                assert_eq!(cell.is_empty(), named);
            }
        }
        assert!(!rows(7).is_empty());
        // 51 elements of 128 bytes; 8 + 17 ciphertexts of 64 bytes, a key and three frames' headers.
        assert_eq!((&*rows(8)[0][3], &*rows(8)[0][5]), ("0.007", "0.002"));
        for table in 10..13 {
            assert!(rows(table).iter().flatten().all(|cell| !cell.is_empty()), "{table}");
        }
        // 81, 45, 27, … products of nine coefficients each.
        assert_eq!(rows(13)[0][1..3], ["81", "45"]);
        assert_eq!(rows(14).len(), 5);
        assert_eq!(figures::pictures(&measured).matches("<polyline").count(), 19);
    }
}
