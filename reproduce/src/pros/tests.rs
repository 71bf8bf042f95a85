use super::reconcile::expected;
use super::*;
use crate::grid::Grid;

#[test]
fn the_tables_are_filled() {
    let sizes = [Sizes::equal(8), Sizes::equal(40)];
    // Keys of 4096 bits and implicit runs with 2048 bits take seconds each.
    let small =
        |title: &str| if title.contains("ranks, in seconds") { &sizes[..1] } else { &sizes[..] };
    let measured = PAPER.measured(small);
    let grids: Vec<&Grid> = measured.iter().map(Measured::grid).collect();
    let [keys, plain, expansion, evaluation, fnp, sum, minimum, short, one, ends, linear, average] =
        grids[..]
    else {
        unreachable!("twelve tables")
    };
    assert_eq!([keys.rows.len(), plain.rows.len(), expansion.rows.len()], [8, 6, 2]);
    let filled = |grid: &Grid| grid.rows.iter().flatten().all(|cell| !cell.is_empty());
    assert!([keys, plain, evaluation, fnp, sum, minimum, short, one].into_iter().all(filled));
    assert_eq!(sum.rows[0][..2], ["8", "64"]);
    assert!(sum.columns[5].contains("implicit") && minimum.rows.len() == 1);
    // Of 39 entries one is common; of 7 none.
    assert_eq!((linear.rows.len(), average.rows.len()), (1, 1));
    assert_eq!(linear.rows[0][..3], ["39", "1521", "761"]);
    let ends: Vec<_> = ends.rows.iter().map(|row| [&*row[0], &*row[1]]).collect();
    assert_eq!(ends, [["20", "1"], ["39", "1"], ["40", "2"]]);
    assert_eq!(plot(&measured).matches("<polyline").count(), 5);
}

#[test]
fn the_expectation_is_its_closed_form() {
    // The first of k marked ones among m in random order is at place (m + 1)/(k + 1) on average.
    for (size, common) in [(19, 1), (40, 2), (99, 4), (100, 100)] {
        let closed = ((size * size + 1) as f64) / (common as f64 + 1.0);
        assert!((expected(size, common) / closed - 1.0).abs() < 1e-9, "{size} {common}");
    }
}
