"""Lookups in a list that the command line's own service serves, against plain dictionaries."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest
import veilset
from conftest import KINDS, Pair, Parties, rows, served


@pytest.fixture
def way(parties: Parties, address: str) -> dict[str, Any]:
    return {"peer": "acme", "party": parties.you, "connect": address}


def cities(people: Pair) -> dict[str, str]:
    """The list's labels: of each address that of its first row."""
    pairs = zip(people.b["email"], people.b["city"], strict=True)
    labels: dict[str, str] = {}
    for email, city in pairs:
        labels.setdefault(email.strip().lower(), city)
    return labels


def labelled(people: Pair) -> list[dict[str, Any]]:
    """The rows of the first list that are on the second, with their labels."""
    labels = cities(people)
    everything = rows(pyarrow.table(people.a))
    return [
        {**row, "veilset_label": labels[row["email"]]}
        for row in everything
        if row["email"] in labels
    ]


def columns(frame: Any) -> list[str]:
    return list(getattr(frame, "column_names", None) or frame.columns)


@pytest.mark.parametrize("protocol", ["oprf-filter", "fhe-lookup"])
def test_tables_and_files(
    people: Pair, parties: Parties, address: str, way: dict[str, Any], tmp_path: Path, protocol: str
) -> None:
    want = labelled(people)
    build = ("--label", "city", "--protocol", protocol)
    with served(parties, address, people.b, *build):
        for make in KINDS.values():
            frame = make(people.a)
            found = veilset.lookup(frame, on="email", preset="email", **way)
            assert type(found.table) is type(frame)
            assert rows(found.table) == want
            assert found.count == len(want)
            assert found.protocol == protocol and "acme learns" in found.learned
            entries = found.report["result"]["entries"]
            assert [entry["listed"] for entry in entries] == [
                row["email"] in cities(people) for row in rows(pyarrow.table(people.a))
            ]
        file, out = tmp_path / "a.csv", tmp_path / "out.csv"
        polars.DataFrame(people.a).write_csv(file)
        found = veilset.lookup(file, on="email", preset="email", output=out, **way)
        assert isinstance(found.table, pyarrow.Table)
        texts = [{name: str(cell) for name, cell in row.items()} for row in want]
        assert rows(found.table) == texts
        assert polars.read_csv(out, infer_schema=False).to_dicts() == texts


def test_items_and_a_list_without_labels(
    people: Pair, parties: Parties, address: str, way: dict[str, Any]
) -> None:
    labels = cities(people)
    items = [" " + people.b["email"][0].upper(), "nobody@example.org", people.b["email"][1], ""]
    with served(parties, address, people.b, "--label", "city"):
        found = veilset.lookup(items, **way)
        assert found.table is None and found.count == 2
        assert found.listed == {
            item: labels[item.strip().lower()] for item in items if item.strip().lower() in labels
        }
        assert [entry["key"] for entry in found.report["result"]["entries"]] == [True] * 3 + [False]
        assert "2 of your items" in repr(found)
    with served(parties, address, people.b, "--force"):
        with veilset.Session("acme", party=parties.you, connect=address, learn="me") as session:
            found = session.lookup(items, new_list=True)
            assert found.listed == {items[0]: None, items[2]: None}
            frame = pandas.DataFrame(people.a)
            table = session.lookup(frame, on="email", preset="email").table
        pandas.testing.assert_frame_equal(table, frame[frame["email"].isin(labels)])


def test_refusals(people: Pair, parties: Parties, address: str, way: dict[str, Any]) -> None:
    frame = polars.DataFrame(people.a)
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        (frame, {}, "on="),
        (["x"], {"on": "email"}, "single items have none"),
        ([], {}, "one at least"),
        ([1], {}, "texts"),
        (["x"], {"output": "out.csv"}, "output= is for the rows"),
        (["x"], {"connect": None}, "give connect="),
        (["x"], {"max_list": "much"}, "size"),
        (frame, {"on": "mail"}, "email"),
    ]
    for asked, options, part in wrong:
        with pytest.raises(veilset.InputError, match=part):
            veilset.lookup(asked, **{**way, **options})
    with pytest.raises(veilset.NetworkError):
        veilset.lookup(["x"], deadline=0.2, **way)
    stopped = veilset.Stop()
    stopped.stop()
    with pytest.raises(veilset.NetworkError, match="stopped"):
        veilset.lookup(["x"], stop=stopped, **way)
    with served(parties, address, people.b, "--label", "city"):
        with pytest.raises(veilset.PolicyError):
            veilset.lookup(["x@example.org"], max_list="1kB", **way)
        with pytest.raises(veilset.TermsError, match="presets"):
            veilset.lookup(frame, on="email", **way)
        taken = frame.rename({"name": "veilset_label"})
        with pytest.raises(veilset.InputError, match="veilset_label"):
            _ = veilset.lookup(taken, on="email", preset="email", **way).table


def test_asyncio_progress_and_cancelling(
    people: Pair, parties: Parties, address: str, way: dict[str, Any]
) -> None:
    steps: list[tuple[str, int, int]] = []

    async def ask() -> veilset.Found:
        told: dict[str, Any] = {**way, "progress": lambda *told: steps.append(told)}
        frame = KINDS["polars"](people.a)
        return await veilset.aio.lookup(frame, on="email", preset="email", **told)

    with served(parties, address, people.b, "--label", "city"):
        assert rows(asyncio.run(ask()).table) == labelled(people)
    ends = {step: (done, total) for step, done, total in steps}
    assert set(ends) == {"fetching the list", "asking"}
    assert all(done == total for done, total in ends.values())
    assert ends["asking"][1] == len(set(people.a["email"]))

    async def cancelled() -> None:
        task = asyncio.ensure_future(veilset.aio.lookup(["x"], **way))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    began = time.monotonic()
    asyncio.run(cancelled())
    assert time.monotonic() - began < 15


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("label", ["city", None])
def test_both_sides_in_one_process(people: Pair, kind: str, label: str | None) -> None:
    a, b = KINDS[kind](people.a), KINDS[kind](people.b)
    ours, theirs = veilset.run_local("lookup", a, b, on="email", preset="email", label=label)
    want = labelled(people)
    if label is None:
        for row in want:
            del row["veilset_label"]
    assert rows(ours.table) == want
    assert columns(ours.table)[-1] == ("veilset_label" if label else "name")
    assert ours.count == len(people.common())
    assert (theirs.table, theirs.count) == (None, None)
