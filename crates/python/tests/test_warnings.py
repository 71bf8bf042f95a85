"""What a run says of the quality of its lists, and of its result."""

import warnings

import polars
import pytest
import veilset

DIRTY = polars.DataFrame(
    {"k": ["n/a", "NULL", "-", "unknown", "ann", "bob"], "v": ["1", "", "3", "", "", "4"]}
)


def test_placeholders_never_match_unless_both_sides_keep_them() -> None:
    with pytest.warns(UserWarning, match="4 rows: a placeholder such as n/a"):
        ours, theirs = veilset.run_local("count", DIRTY, DIRTY, on="k")
    assert ours.count == theirs.count == 2
    assert [(w.code, w.rows) for w in theirs.warnings] == [("placeholders", 4)]
    assert ours.warnings == theirs.warnings and ours.report["placeholders"] == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours, _ = veilset.run_local("count", DIRTY, DIRTY, on="k", keep_placeholders=True)
    assert ours.count == 6 and ours.warnings == []


def test_empty_value_cells_are_warned_of() -> None:
    with pytest.warns(UserWarning, match='1 row: an empty cell of value column "v" counts as 0'):
        ours, theirs = veilset.run_local("sum", DIRTY, DIRTY, on="k", value="v")
    assert [w.code for w in ours.warnings] == ["empty-values", "placeholders"]
    assert [w.code for w in theirs.warnings] == ["placeholders"]


def test_no_match_at_all_is_warned_of_after_the_run() -> None:
    a, b = polars.DataFrame({"k": ["a", "b"]}), polars.DataFrame({"k": ["c", "d"]})
    with pytest.warns(UserWarning, match="No key matches"):
        ours, _ = veilset.run_local("intersect", a, b, on="k")
    assert [tuple(w) for w in ours.warnings] == [("no-match", ours.warnings[0].text, None)]
