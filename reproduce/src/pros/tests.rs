use chacha20::ChaCha20Rng;
use rand_core::SeedableRng;
use veilset_protocols::Scheme;
use veilset_protocols::agree::Reuse;

use super::average::expected;
use super::lists::Lists;
use super::*;
use crate::grid::Grid;

#[test]
fn the_tables_are_filled() {
    let sizes = [Sizes::equal(8), Sizes::equal(40)];
    // Implicit runs with 2048 bits take seconds each.
    let small = |title: &str| if title.contains("with ours") { &sizes[..1] } else { &sizes[..] };
    let measured = PAPER.measured(small);
    let rows: Vec<usize> = measured.iter().map(|table| table.grid().rows.len()).collect();
    assert_eq!(rows, [66, 32, 33, 2, 2, 2, 2, 2, 1, 1, 5, 18, 2, 39, 1, 1]);
    let grid = |begin: &str| -> &Grid {
        let place = PAPER.tables.iter().position(|table| table.title.starts_with(begin));
        measured[place.expect(begin)].grid()
    };
    // Not all keys are ours, and not all sizes have the paper's words.
    let may_lack = |title: &str| {
        ["Figure 5:", "expanding", "Figures 11"].iter().any(|part| title.contains(part))
    };
    for (table, measured) in PAPER.tables.iter().zip(&measured) {
        let cells = measured.grid().rows.iter().flatten();
        assert!(
            may_lack(table.title) || cells.into_iter().all(|cell| !cell.is_empty()),
            "{}",
            table.title
        );
    }
    assert_eq!(grid("Worst case, sum").rows[0][..2], ["8", "64"]);
    // Of 39 entries one is common; of 7 none.
    assert_eq!(grid("Figure 13 (b)").rows[0][..3], ["39", "1521", "761"]);
    let teeth = grid("Figure 13 (a)");
    let row = |n: usize| &teeth.rows[n - 2][..3];
    assert_eq!([row(19), row(20)], [["19", "0", "361"], ["20", "1", "201"]]);
    assert_eq!(teeth.markdown().lines().count(), 2 + 6, "{}", teeth.markdown());
    let picture = panels::drawn(&measured);
    assert_eq!(picture.matches("<polyline").count(), 39);
    assert!(!picture.contains("points=\"\""));
}

#[test]
fn the_papers_rounds_find_what_the_scheme_prefers() {
    let keys = pairs::keys(64);
    let rng = &mut ChaCha20Rng::from_seed([18; 32]);
    for scheme in Scheme::ALL {
        for (size, common) in [(1, 1), (1, 0), (5, 0), (5, 1), (6, 3)] {
            let lists = Lists::random(size, common, rng);
            for reuse in [Reuse::Cached, Reuse::Fresh] {
                // It tells whether both sides stopped at the right pair.
                pairs::run(&keys, reuse, scheme, &lists).expect("the right pair");
            }
            assert!(common > 0 || lists.comparisons(scheme) == (size * size) as u64);
        }
        assert_eq!(Lists::worst(7).comparisons(scheme), 49);
    }
}

#[test]
fn the_expectation_is_its_closed_form() {
    // The first of k marked ones among m in random order is at place (m + 1)/(k + 1) on average.
    for (size, common) in [(19, 1), (40, 2), (99, 4), (100, 100)] {
        let closed = ((size * size + 1) as f64) / (common as f64 + 1.0);
        assert!((expected(size, common) / closed - 1.0).abs() < 1e-9, "{size} {common}");
    }
}
