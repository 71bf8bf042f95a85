"""Two parties, each with a Ray cluster of its own: exact results, lost workers, lost drivers."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import veilset
from conftest import Columns, conforms

pytest.importorskip("ray", reason="Ray is not installed here")

from veilset import _native
from veilset._order import Asks
from veilset.ray._messages import Talk, read
from veilset.ray._options import job
from veilset.ray._prepare import Pieces
from veilset.ray._run import check_sizes
from veilset.ray._scan import Scan

SIDE = Path(__file__).with_name("cluster_side.py")
Ended = dict[str, Any]


class Side:
    """A party in a process of its own."""

    def __init__(self, home: Path) -> None:
        command = [sys.executable, str(SIDE), str(home)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, task: Ended) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()

    def answer(self) -> Ended:
        assert self.process.stdout is not None
        found: Ended = json.loads(self.process.stdout.readline())
        return found

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(timeout=60) is not None


class Sides(NamedTuple):
    """Both parties; the first calls the second `acme`, the second calls the first `you`."""

    you: Side
    acme: Side
    homes: tuple[Path, Path]

    def run(self, you: Ended, acme: Ended) -> tuple[Ended, Ended]:
        """Has both do a run with each other."""
        for side, task in zip(self[:2], ends(you, acme), strict=True):
            side.ask(task)
        return self.you.answer(), self.acme.answer()


def ends(you: Ended, acme: Ended) -> tuple[Ended, Ended]:
    """The two tasks with an address that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    whole = {"advertise": "127.0.0.1", "peer": "acme", "listen": address}
    other = {"peer": "you", "connect": address}
    return (
        {**you, "options": {**whole, **you.get("options", {})}},
        {**acme, "options": {**other, **acme.get("options", {})}},
    )


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sides]:
    homes = (tmp_path_factory.mktemp("h") / "you", tmp_path_factory.mktemp("h") / "acme")
    you, acme = (veilset.Party.create(home) for home in homes)
    you.add_peer("acme", acme.key)
    acme.add_peer("you", you.key)
    both = [Side(home) for home in homes]
    for side in both:
        assert side.answer() == {}
    yield Sides(both[0], both[1], homes)
    for side in both:
        side.close()


def people(numbers: range, rows: int, seed: int) -> Columns:
    """Rows with duplicates, some without a key."""
    draw = random.Random(seed)
    drawn = draw.choices(numbers, k=rows)
    return {
        "email": [f" User{n}@Example.org" for n in drawn] + ["", None],
        "amount": [f"{draw.randrange(-900, 900)}.{draw.randrange(100):02}" for _ in drawn]
        + ["5", "5"],
        "name": [f"name {n}" for n in drawn] + ["none", "none"],
    }


def keys(columns: Columns) -> set[str]:
    """The distinct keys, by plain sets."""
    return {key(email) for email in columns["email"]} - {""}


def key(email: str | None) -> str:
    return (email or "").strip().lower()


YOURS, THEIRS = people(range(500), 700, 1), people(range(300, 1500), 900, 2)
COMMON = keys(YOURS) & keys(THEIRS)


@pytest.mark.parametrize("learn", ["both", "me"])
def test_an_intersection_gives_all_columns_of_matching_rows(sides: Sides, learn: str) -> None:
    mirrored = {"me": "peer", "both": "both"}[learn]
    asked = {"operation": "intersect"}
    you, acme = sides.run(
        {**asked, "columns": YOURS, "options": {"learn": learn}},
        {**asked, "columns": THEIRS, "options": {"learn": mirrored}},
    )
    for ended, columns, learns in ((you, YOURS, True), (acme, THEIRS, learn != "me")):
        assert ended["count"] == (len(COMMON) if learns else None), ended
        whole = [
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        ]
        matching = [row for row in whole if key(row["email"]) in COMMON]
        assert ended["rows"] == (matching if learns else None)
        report = ended["report"]
        assert (report["rows"], report["empty"]) == (len(columns["email"]), 2)
        assert report["distinct"] == len(keys(columns))
        assert report["workers"] == 1 and report["pieces"] == 8
        conforms("cluster", report)
    assert you["report"]["run"] == acme["report"]["run"]


def persons(rows: int, seed: int) -> Columns:
    """Rows of which many have no address, no number or another spelling."""
    draw = random.Random(seed)
    numbers = [draw.randrange(200) for _ in range(rows)]
    return {
        "email": [
            draw.choice([f"u{n}@example.org", f"U{n}@Example.org", "", "n/a"]) for n in numbers
        ],
        "phone": [draw.choice([f"020 7946 {n:04}", f"+4420 7946{n:04}", None]) for n in numbers],
        "name": [f"name {draw.choice([n, n // 2])}" for n in numbers],
        "row": list(range(rows)),
    }


#: The keys of these, by plain functions.
BY_PRESET: tuple[tuple[str, Callable[[str | None], str]], ...] = (
    ("email", lambda cell: "" if key(cell) == "n/a" else key(cell)),
    ("phone", lambda cell: (cell or "").replace(" ", "").replace("+44", "0")),
    ("name", lambda cell: cell or ""),
)


def tiers(lists: list[Columns]) -> list[list[int]]:
    """By which key each row of both lists matches, 0 for none, by plain sets."""
    by_key = [[0] * len(columns["row"]) for columns in lists]
    for number, (name, normal) in enumerate(BY_PRESET, 1):
        values = [
            {
                row: normal(cell)
                for row, cell in enumerate(columns[name])
                if normal(cell) and not found[row]
            }
            for columns, found in zip(lists, by_key, strict=True)
        ]
        common = set(values[0].values()) & set(values[1].values())
        for found, of_list in zip(by_key, values, strict=True):
            for row, value in of_list.items():
                if value in common:
                    found[row] = number
    return by_key


def test_rows_match_by_the_first_of_several_keys_though_workers_are_lost(sides: Sides) -> None:
    lists = [persons(150, 3), persons(220, 4)]
    options = {"on": [[name] for name, _ in BY_PRESET], "preset": ["email", "phone-gb", "name"]}
    task = {"operation": "intersect", "options": {**options, "workers": 2}}
    ended = sides.run(
        {**task, "columns": lists[0], "kill": "match 2"}, {**task, "columns": lists[1]}
    )
    for end, columns, by_key in zip(ended, lists, tiers(lists), strict=True):
        assert "rows" in end, end
        expected = [
            {name: cells[row] for name, cells in columns.items()} | {"veilset_key": number}
            for row, number in enumerate(by_key)
            if number
        ]
        assert end["rows"] == expected
        report = end["report"]
        counts = [by_key.count(number) for number in (1, 2, 3)]
        assert all(counts), counts
        assert report["result"]["by_key"] == counts and report["result"]["rows"] == sum(counts)
        assert report["match"] == "tiers" and report["presets"].count(";") == 2
        assert report["keys"][0]["placeholders"] == columns["email"].count("n/a")
        assert report["keys"][1]["empty"] == columns["phone"].count(None)
        conforms("cluster", report)
    assert ended[0]["count"] == ended[1]["count"]
    assert ended[0]["report"]["retries"] == ended[1]["report"]["retries"] >= 1


def test_a_piece_that_a_worker_has_no_memory_for_ends_the_run_with_that_reason(
    sides: Sides,
) -> None:
    asked = {"operation": "intersect"}
    you, acme = sides.run(
        {**asked, "columns": YOURS, "options": {"retries": 0, "max_memory": "16MiB"}},
        {**asked, "columns": THEIRS, "options": {"retries": 0}},
    )
    assert you["error"] == "PolicyError" and "memory" in you["text"], you
    assert "error" in acme


def test_a_count_is_of_distinct_keys(sides: Sides, tmp_path: Path) -> None:
    file = tmp_path / "theirs.csv"
    lines = [f'"{email or ""}",{n:05}' for n, email in enumerate(THEIRS["email"])]
    file.write_text("\n".join(["email,number", *lines]) + "\n")
    you, acme = sides.run(
        {"operation": "count", "columns": YOURS}, {"operation": "count", "file": str(file)}
    )
    assert you["count"] == acme["count"] == len(COMMON), (you, acme)
    assert you["rows"] is acme["rows"] is None


def test_sums_are_exact(sides: Sides) -> None:
    you, acme = sides.run(
        {"operation": "sum", "columns": YOURS, "options": {"value": ["amount"]}},
        {"operation": "sum", "columns": THEIRS},
    )
    pairs = zip(YOURS["email"], YOURS["amount"], strict=True)
    total = sum((Decimal(text) for email, text in pairs if key(email) in COMMON), Decimal(0))
    assert you["count"] == acme["count"] == len(COMMON), (you, acme)
    assert you["sums"] == {"amount": str(total)} and acme["sums"] is None


def test_a_union_has_the_rows_of_both(sides: Sides) -> None:
    asked = {"operation": "union", "options": {"send": ["name"]}}
    you, acme = sides.run({**asked, "columns": YOURS}, {**asked, "columns": THEIRS})
    size = len(keys(YOURS) | keys(THEIRS))
    for ended, mine, other in ((you, YOURS, THEIRS), (acme, THEIRS, YOURS)):
        assert (ended["count"], ended["matches"]) == (size, len(COMMON)), ended
        own, received = ended["rows"][: len(mine["email"])], ended["rows"][len(mine["email"]) :]
        assert [row["email"] for row in own] == mine["email"]
        assert Counter(key(row["email"]) for row in received) == Counter(keys(other) - COMMON)
        firsts = dict(zip(reversed(other["email"]), reversed(other["name"]), strict=True))
        assert all(row["name"] == firsts[row["email"]] for row in received)
        assert all(row["amount"] is None for row in received)


def test_an_empty_list_and_one_that_learns_alone(sides: Sides) -> None:
    nothing: Columns = {"email": ["", None], "name": ["", ""]}
    you, acme = sides.run(
        {"operation": "union", "columns": nothing, "blocks": 1, "options": {"learn": "me"}},
        {"operation": "union", "columns": THEIRS, "options": {"learn": "peer"}},
    )
    assert (you["matches"], acme["matches"]) == (0, None), (you, acme)
    assert Counter(key(row["email"]) for row in you["rows"][2:]) == Counter(keys(THEIRS))
    assert acme["rows"] is acme["count"] is None


def test_terms_that_differ(sides: Sides) -> None:
    ended = sides.run(
        {"operation": "count", "columns": YOURS, "options": {"preset": "raw"}},
        {"operation": "count", "columns": THEIRS},
    )
    for end in ended:
        assert end["error"] == "TermsError" and "key presets" in end["text"], end


def test_wrong_arguments_and_cells(sides: Sides) -> None:
    bad = {**YOURS, "amount": ["secret"] * len(YOURS["email"])}
    wrong: list[tuple[str, Columns, dict[str, Any], str]] = [
        ("count", {"mail": YOURS["email"]}, {}, "email"),
        ("count", YOURS, {"learn": "all"}, "learn is one of"),
        ("count", YOURS, {"workers": 0}, "workers is 1 at least"),
        ("count", YOURS, {"ports": "70000"}, "ports is a range"),
        ("count", YOURS, {"preset": ["raw", "raw"]}, "presets"),
        ("count", YOURS, {"on": [["email"], ["name"]]}, "count takes one key"),
        ("intersect", YOURS, {"on": [["email"], ["name"]], "learn": "me"}, "learn is 'me'"),
        (
            "intersect",
            {**YOURS, "veilset_key": YOURS["name"]},
            {"on": [["email"], ["name"]]},
            "rename it",
        ),
        ("sum", YOURS, {"value": "amount", "learn": "me"}, "both sides learn"),
        ("sum", bad, {"value": "amount"}, "amount"),
        ("sum", {**YOURS, "amount": [str(1 << 126)] * 702}, {"value": "amount"}, "2^127"),
    ]
    for operation, columns, options, part in wrong:
        task = {"operation": operation, "columns": columns, "options": options}
        sides.you.ask(ends(task, {})[0])
        end = sides.you.answer()
        assert end.get("error") == "InputError" and part in end["text"], end
        assert "secret" not in end["text"]


@pytest.mark.parametrize("operation, stage", [("intersect", "match"), ("count", "exchange")])
def test_killed_workers_lose_nothing(sides: Sides, operation: str, stage: str) -> None:
    asked = {"operation": operation, "options": {"workers": 2}}
    you, acme = sides.run({**asked, "columns": YOURS, "kill": stage}, {**asked, "columns": THEIRS})
    assert you["count"] == acme["count"] == len(COMMON), (you, acme)
    assert you["report"]["retries"] == acme["report"]["retries"] >= 1
    # What was mended is not logged as an error.
    assert you["unhandled"] == acme["unhandled"] == 0


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\xff",
        b"[" * 100_000,
        b'["go"]',
        b'{"kind": ["go"], "go": true}',
        b'{"kind": "sing"}',
        b'{"kind": "go"}',
        b'{"kind": "go", "go": true, "more": 1}',
        b'{"kind": "go", "go": 1}',
        b'{"kind": "count", "count": true}',
        b'{"kind": "count", "count": -1}',
        b'{"kind": "count", "count": 1e3}',
        b'{"kind": "count", "count": ' + b"9" * 5000 + b"}",
        b'{"kind": "counts", "counts": [1, null]}',
        b'{"kind": "rest", "stage": "match", "slot": 4096}',
        json.dumps({"kind": "rest", "stage": "m" * 33, "slot": 0}).encode(),
        b'{"kind": "rest", "stage": "\\ud800", "slot": 0}',
        json.dumps({"kind": "sums", "sums": [1 << 128]}).encode(),
        json.dumps({"kind": "sums", "sums": [0] * 65}).encode(),
    ],
)
def test_a_drivers_message_is_checked_before_use(message: bytes) -> None:
    with pytest.raises(veilset.PeerError, match="the peer's driver sent"):
        read(message)
    assert read(b'{"kind": "go", "go": true}') == {"kind": "go", "go": True}


def agreed(rows: int, workers: int, width: int) -> _native.Agreed:
    """A union with a peer that says the same; rows to send have so many bytes."""
    scan = Scan(rows, [], [], width, [])
    wanted = job(Asks("union", "email"), {})
    return _native.cluster_terms(wanted, scan, workers, True, lambda mine: mine)


@pytest.mark.parametrize(
    "rows, slots, pieces", [(0, 1, 8), (10, 3, 16), (1 << 24, 1, 16), (1 << 40, 4096, 4096)]
)
def test_pieces_come_from_rows_and_pairs_of_workers(rows: int, slots: int, pieces: int) -> None:
    assert agreed(rows, slots, 0).pieces == pieces


@pytest.mark.parametrize(
    "distinct, slices, width, error",
    [
        (80, [10] * 7 + [9], 0, veilset.PeerError),
        (80, [10] * 7, 0, veilset.PeerError),
        (80_000, [80_000] + [0] * 7, 0, veilset.PeerError),
        (1 << 40, [1 << 37] * 8, 0, veilset.PolicyError),
        (1 << 25, [1 << 22] * 8, 4096, veilset.PolicyError),
    ],
)
def test_sizes_that_no_worker_holds_are_refused_before_anything_is_computed(
    distinct: int, slices: list[int], width: int, error: type[veilset.Error]
) -> None:
    own = Pieces([10] * 8, [], [], [], [], [], 0)
    union = agreed(80, 1, width)
    with pytest.raises(error):
        check_sizes({"distinct": distinct, "slices": slices}, own, union)
    check_sizes({"distinct": 80, "slices": [10] * 8}, own, union)


@pytest.mark.parametrize("how, error", [("stops", "NetworkError"), ("declines", "PolicyError")])
def test_a_side_that_goes_no_further(sides: Sides, how: str, error: str) -> None:
    you, acme = sides.run(
        {"operation": "count", "columns": YOURS, how: True},
        {"operation": "count", "columns": THEIRS},
    )
    assert you.get("error") == acme.get("error") == error, (you, acme)
    assert "the peer" in acme["text"]


def test_a_peer_whose_driver_dies(sides: Sides) -> None:
    other = Side(sides.homes[1])
    assert other.answer() == {}
    you, acme = ends(
        {"operation": "count", "columns": YOURS},
        {"operation": "count", "columns": THEIRS, "die": True},
    )
    sides.you.ask(you)
    other.ask(acme)
    assert other.process.wait() != 0
    began = time.monotonic()
    ended = sides.you.answer()
    assert ended.get("error") == "NetworkError", ended
    assert time.monotonic() - began < 30


class SilentLink:
    """A link to a driver that says nothing."""

    deadline = 0.1

    def __init__(self) -> None:
        self.closed = threading.Event()

    def receive(self) -> bytes:
        self.closed.wait()
        raise veilset.NetworkError("closed")


def test_a_driver_that_says_nothing_ends_the_wait_at_the_deadline() -> None:
    link = SilentLink()
    with pytest.raises(veilset.NetworkError, match=r"did not send its terms within 0\.1 s"):
        Talk(link).take_in_time("terms", "send its terms")  # type: ignore[arg-type]
    link.closed.set()
