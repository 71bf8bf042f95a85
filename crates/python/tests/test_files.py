"""Files: lists and calendars."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars
import pyarrow
import pytest
import veilset
from conftest import Parties, rows

EXAMPLES = Path(__file__).parents[3] / "examples" / "agree"


def test_a_file_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("k;v\n007;x\n8;y\n;z\n")
    frame = polars.DataFrame({"k": ["007", "9"]})
    a, b = veilset.run_local("intersect", path, frame, on="k", delimiter=";")
    assert isinstance(a.table, pyarrow.Table)
    assert rows(a.table) == [{"k": "007", "v": "x"}]
    assert rows(b.table) == [{"k": "007"}]
    assert a.report["empty"] == 1
    union, _ = veilset.run_local("union", str(path), frame, on="k", delimiter=";")
    assert [row["k"] for row in rows(union.table)][-1] == "9"
    assert len(rows(union.table)) == 4
    count, _ = veilset.run_local("count", path, frame, on="k", delimiter=";")
    assert (count.count, count.table) == (1, None)


#: Half of what a list may have in memory if so much is allowed, and the program takes its part.
LITTLE: Any = {"max_memory": "19200kB"}


def long_list(first: int) -> polars.DataFrame:
    """Rows of some 250 bytes."""
    numbers = range(first, first + 4000)
    notes = [f"{n} of no use".ljust(230, ".") for n in numbers]
    return polars.DataFrame({"k": [f"user{n}@example.com" for n in numbers], "note": notes})


def test_long_files_go_to_disk(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    long_list(0).write_csv(a)
    long_list(3000).write_csv(b)
    with caplog.at_level("INFO", "veilset"):
        here, there = veilset.run_local("intersect", a, b, on="k", scratch=scratch, **LITTLE)
    assert [len(rows(side.table)) for side in (here, there)] == [1000, 1000]
    assert sum("of disk in" in line for line in caplog.messages) == 2
    assert list(scratch.iterdir()) == []


def test_long_streams_go_to_disk(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    a, b = long_list(0), long_list(3000)
    more: Any = {"on": "note", "scratch": scratch}
    spilled, _ = veilset.run_local("intersect", a, b, **more, **LITTLE)
    assert spilled.table.equals(a.tail(1000))
    assert list(scratch.iterdir()) == []
    # It was on disk: without the folder there is no place for it.
    scratch.rmdir()
    with pytest.raises(veilset.InputError, match="scratch"):
        veilset.run_local("intersect", a, b, **more, **LITTLE)


def test_rows_go_to_a_file_too(parties: Parties, address: str, tmp_path: Path) -> None:
    frame = polars.DataFrame({"k": ["a", "b", "c"], "n": [1, 2, 3]})
    out = tmp_path / "out.csv"
    with ThreadPoolExecutor() as pool:
        other = veilset.Session("you", party=parties.acme, connect=address)
        theirs = pool.submit(other.intersect, frame.filter(polars.col("k") != "b"), on="k")
        me = veilset.Session("acme", party=parties.you, listen=address)
        mine = me.intersect(frame.select("k"), on="k", output=out)
        assert theirs.result().count == mine.count == 2
    assert out.read_text() == "k\na\nc\n"
    with pytest.raises(veilset.InputError, match="exists"):
        me.intersect(frame, on="k", output=out)


def test_rows_whose_place_goes_away_are_kept(
    parties: Parties, address: str, tmp_path: Path
) -> None:
    frame = polars.DataFrame({"k": ["a", "b", "c"]})
    there, scratch = tmp_path / "there", tmp_path / "scratch"
    there.mkdir()
    scratch.mkdir()

    def leave(_: Any) -> bool:
        there.rmdir()
        return True

    with ThreadPoolExecutor() as pool:
        other = veilset.Session("you", party=parties.acme, connect=address)
        theirs = pool.submit(other.intersect, frame.filter(polars.col("k") != "b"), on="k")
        me = veilset.Session("acme", party=parties.you, listen=address)
        with pytest.raises(veilset.InputError, match="scratch") as lost:
            me.intersect(frame, on="k", output=there / "out.csv", scratch=scratch, confirm=leave)
        assert theirs.result().count == 2
    (kept,) = scratch.iterdir()
    assert kept.name in str(lost.value)
    assert kept.read_text() == "k\na\nc\n"


def test_two_calendars_agree(parties: Parties, address: str, tmp_path: Path) -> None:
    def meet(party: veilset.Party, peer: str, calendar: str, **more: Any) -> Any:
        days: Any = {"between": "2027-03-29..2027-03-30", "length": "60m"}
        return veilset.agree(EXAMPLES / calendar, party=party, peer=peer, **days, **more)

    london: Any = {"zone": "Europe/London", "hours": "08:00-17:00"}
    likes, out = str(EXAMPLES / "likes.txt"), tmp_path / "meeting.ics"
    berlin: Any = {"zone": "Europe/Berlin", "prefer": "mornings", "output": out}
    with ThreadPoolExecutor() as pool:
        acme, you = parties.acme, parties.you
        bob = pool.submit(meet, acme, "you", "bob.ics", connect=address, prefer=likes, **london)
        alice = meet(you, "acme", "alice.ics", listen=address, **berlin)
        # What docs/use/agree.md says of the same calendars on the command line.
        assert alice.start == bob.result().start == datetime(2027, 3, 30, 9, tzinfo=UTC)
        assert alice.end == datetime(2027, 3, 30, 10, tzinfo=UTC)
    assert out.read_bytes().decode() == alice.calendar
    assert "DTSTART:20270330T090000Z" in alice.calendar
