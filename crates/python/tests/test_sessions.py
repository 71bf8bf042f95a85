"""Parties, sessions, interrupts and errors over TLS."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import polars
import pytest
import veilset
from conftest import Pair, Parties, conforms, rows

FRAME = polars.DataFrame({"k": ["a", "b", "c"]})

#: The other side, as a program of its own.
OTHER = """
import json, sys
import polars
import veilset

home, address = sys.argv[1:]
people = polars.DataFrame(json.load(sys.stdin))
party = veilset.Party.load(home)
with veilset.Session("you", party=party, connect=address, preset="email") as session:
    result = session.intersect(people, on="email")
    total = session.sum(people, on="email")
print(json.dumps([result.table.to_dicts(), total.count, total.report["role"]]))
"""


def test_two_processes(people: Pair, parties: Parties, address: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", OTHER, str(tmp_path / "acme"), address]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin is not None and other.stdout is not None
        json.dump(people.b, other.stdin)
        other.stdin.close()
        options: veilset.Options = {"party": parties.you, "listen": address, "preset": "email"}
        with veilset.Session("acme", **options) as session:
            frame = polars.DataFrame(people.a)
            result = session.intersect(frame, on="email")
            total = session.sum(frame, on="email", value="amount")
        theirs, count, role = json.load(other.stdout)
        assert other.wait() == 0
    common = people.common()
    assert {row["email"].strip().lower() for row in theirs} == common
    assert {row["email"] for row in rows(result.table)} == common
    assert (result.count, count, role) == (len(common), len(common), "receiver")
    assert total.sums is not None and set(total.sums) == {"amount"}
    assert result.report["bytes_sent"] > 0


def test_three_parties(tmp_path: Path) -> None:
    names = ["you", "acme", "bank"]
    parties = {name: veilset.Party.create(tmp_path / name) for name in names}
    with ExitStack() as sockets:
        taken = [sockets.enter_context(socket.socket()) for _ in names]
        for free in taken:
            free.bind(("127.0.0.1", 0))
        ports = dict(zip(names, (free.getsockname()[1] for free in taken), strict=True))
    for own, party in parties.items():
        for name, other in parties.items():
            if name != own:
                party.add_peer(name, other.key)
    lists = {"you": range(0, 40), "acme": range(20, 50), "bank": range(10, 60, 3)}
    frames = {
        name: polars.DataFrame({"k": [f"k{n}" for n in keys]}) for name, keys in lists.items()
    }
    common = set.intersection(*(set(keys) for keys in lists.values()))

    def session(own: str) -> veilset.Session:
        return veilset.Session(
            peers=[f"{name}@127.0.0.1:{ports[name]}" for name in names if name != own],
            party=parties[own],
            listen=f"127.0.0.1:{ports[own]}",
            deadline="60s",
        )

    def runs(own: str) -> list[veilset.Result]:
        with session(own) as several:
            seats: veilset.JoinOptions = {
                "protocol": "leader-pivot",
                "learners": ["me" if name == own else name for name in ("you", "bank")],
                "leader": "me" if own == "bank" else "bank",
                "pivot": "me" if own == "acme" else "acme",
            }
            matched = several.intersect(frames[own], on="k", **seats)
            return [
                matched,
                several.count(frames[own], on="k"),
                several.overlaps(frames[own], on="k"),
            ]

    with ThreadPoolExecutor() as threads:
        ended = dict(zip(names, threads.map(runs, names), strict=True))
    for own, (matched, counted, overlaps) in ended.items():
        conforms("several", matched.report)
        conforms("several", overlaps.report)
        assert counted.count == overlaps.count == len(common)
        assert overlaps.shared is not None
        # Each calls itself "you", as the others call the first one.
        if own == "you":
            for group, count in overlaps.shared.items():
                assert count == len(set.intersection(*(set(lists[name]) for name in group)))
        assert "in all 3 lists" in repr(counted) and "<svg" not in counted._repr_html_()
        if own == "acme":
            assert matched.count is None and matched.table is None
        else:
            assert {row["k"] for row in rows(matched.table)} == {f"k{n}" for n in common}
        assert matched.report["receipt"]["signed"]


def test_several_parties_are_named_alike(parties: Parties) -> None:
    you = parties.you
    wrong: list[tuple[str, veilset.NumberOptions, list[str]]] = [
        ("needs an address", {"listen": "127.0.0.1:0"}, ["acme", "acme"]),
        ("address once", {"connect": "127.0.0.1:0"}, ["acme@127.0.0.1:1"]),
        ("named twice", {"listen": "127.0.0.1:0"}, ["acme@127.0.0.1:1", "acme@127.0.0.1:2"]),
        ("name alone", {"via": "wss://relay.example"}, ["acme@127.0.0.1:1", "acme"]),
        (
            "nobody gives connect=",
            {"connect": "127.0.0.1:1"},
            ["acme@127.0.0.1:1", "bank@127.0.0.1:2"],
        ),
        ("say how you meet acme", {}, ["acme"]),
    ]
    for text, options, peers in wrong:
        with pytest.raises(veilset.InputError, match=text):
            given: veilset.NumberOptions = {"party": you, **options}
            veilset.count(FRAME, on="k", peers=peers, **given)
    with pytest.raises(veilset.InputError, match="give peer="):
        veilset.count(FRAME, on="k", party=you, listen="127.0.0.1:0")
    with pytest.raises(veilset.InputError, match="give peers="):
        veilset.count(FRAME, on="k", peer="acme", party=you, listen="127.0.0.1:0", leader="me")
    with pytest.raises(veilset.InputError, match="between two parties"):
        veilset.Session(peers=["acme", "bank"], party=you).lookup(["x"], connect="127.0.0.1:1")


def test_a_party_is_a_folder(tmp_path: Path) -> None:
    made = veilset.Party.create(tmp_path / "home")
    other = veilset.Party.create(tmp_path / "other")
    with veilset.Party.load(str(tmp_path / "home")) as party:
        assert party.key == made.key and party.key.startswith("veilset1")
        party.add_peer("acme", other.key)
        assert party.peers == made.peers == {"acme": other.key}
        with pytest.raises(veilset.InputError):
            party.add_peer("self", party.key)
        party.remove_peer("acme")
        assert party.peers == {}
    with pytest.raises(veilset.InputError, match="closed"):
        _ = party.key
    with pytest.raises(veilset.InputError):
        veilset.Party.create(tmp_path / "home")
    with pytest.raises(veilset.InputError):
        veilset.Party.load(tmp_path / "nobody")


def test_terms_that_differ(parties: Parties, address: str) -> None:
    def side(party: veilset.Party, peer: str, **end: Any) -> int:
        with pytest.raises(veilset.TermsError) as caught:
            veilset.intersect(FRAME, on="k", peer=peer, party=party, **end)
        assert "key presets" in str(caught.value)
        return caught.value.exit_code

    with ThreadPoolExecutor() as pool:
        first = pool.submit(side, parties.you, "acme", listen=address)
        second = pool.submit(side, parties.acme, "you", connect=address, preset="email")
        assert (first.result(), second.result()) == (3, 3)


def test_a_caller_that_declines(parties: Parties) -> None:
    seen: list[veilset.Terms] = []

    def no(terms: veilset.Terms) -> bool:
        seen.append(terms)
        return False

    with pytest.raises(veilset.PolicyError, match="declined") as caught:
        veilset.run_local("count", FRAME, FRAME, on="k", confirm=no)
    assert caught.value.exit_code == 6
    assert seen[0].peer_distinct == 3 and "You learn" in seen[0].learned and seen[0].leaks


def test_what_the_peer_asks_for_needs_a_yes(parties: Parties, address: str) -> None:
    seen: list[veilset.Terms] = []

    def yes(terms: veilset.Terms) -> bool:
        seen.append(terms)
        return True

    def sides(**asked: Any) -> list[Any]:
        def side(party: veilset.Party, peer: str, **end: Any) -> Any:
            try:
                return veilset.intersect(FRAME, on="k", peer=peer, party=party, **end)
            except veilset.Error as error:
                return error

        with ThreadPoolExecutor() as pool:
            first = pool.submit(side, parties.you, "acme", listen=address, **asked)
            second = pool.submit(
                side, parties.acme, "you", connect=address, protocol="mqrpmt-dh-intersect"
            )
            return [first.result(), second.result()]

    refused, told = sides()
    assert isinstance(refused, veilset.TermsError) and isinstance(told, veilset.TermsError)
    assert "mqrpmt-dh-intersect" in str(refused) and "did not take" in str(told)
    one, two = sides(confirm=yes)
    assert one.count == two.count == 3 and one.protocol == "mqrpmt-dh-intersect"
    assert seen[0].asked_by_peer == [("protocol", "mqrpmt-dh-intersect")]
    assert (seen[0].operation, seen[0].group) == ("intersect", "curve25519")
    assert (seen[0].presets, seen[0].learn) == ("raw/1", "both")
    assert one.report["run"] == two.report["run"]
    for result, key in ((one, parties.acme.key), (two, parties.you.key)):
        conforms("run", result.report)
        assert result.report["peer"]["key"] == key


def test_wrong_arguments(parties: Parties, tmp_path: Path) -> None:
    session = veilset.Session("acme", party=parties.you, connect="localhost:1")
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        (FRAME, {"on": "kk"}, '"k"'),
        (FRAME, {"on": []}, "name"),
        (FRAME, {"on": "k", "preset": "mail"}, "preset"),
        (FRAME, {"on": "k", "preset": ["raw", "raw"]}, "presets"),
        (FRAME, {"on": "k", "protocol": "magic"}, "protocol is one of"),
        (FRAME, {"on": "k", "learn": "all"}, "learn is one of"),
        (FRAME, {"on": "k", "listen": "localhost:2"}, "one of listen=, connect= and via="),
        (FRAME, {"on": "k", "deadline": "soon"}, "duration"),
        (FRAME, {"on": "k", "max_memory": "much"}, "size"),
        (FRAME.lazy(), {"on": "k"}, "collect"),
        ([1, 2], {"on": "k"}, "list is no table"),
        (tmp_path / "missing.csv", {"on": "k"}, "cannot read"),
    ]
    for table, options, part in wrong:
        with pytest.raises(veilset.InputError, match=part) as caught:
            session.intersect(table, **options)
        assert caught.value.exit_code == 2
    with pytest.raises(veilset.InputError, match="no peer"):
        veilset.count(FRAME, on="k", peer="nobody", party=parties.you, connect="localhost:1")


def test_errors_hold_no_values() -> None:
    import pandas

    frame = pandas.DataFrame({"k": ["secret", 7, 2.5]})
    with pytest.raises(veilset.InputError, match="'k' holds values of several types") as caught:
        veilset.run_local("count", frame, FRAME, on="k")
    assert "secret" not in str(caught.value)
    amounts = FRAME.with_columns(v=polars.Series(["1", "secret", "2"]))
    with pytest.raises(veilset.InputError) as caught:
        veilset.run_local("sum", amounts, FRAME, on="k", value="v")
    assert "secret" not in str(caught.value)


def test_a_policy_bounds_runs_and_what_they_release(
    people: Pair, parties: Parties, address: str, tmp_path: Path
) -> None:
    (tmp_path / "you" / "policy.toml").write_text(
        'operations = ["count"]\nleast = 1000\nruns = "1 per 24h"\n'
    )
    common: dict[str, Any] = {"on": "email", "preset": "email", "deadline": 60}

    def both() -> tuple[veilset.Result, veilset.Result]:
        with ThreadPoolExecutor() as pool:
            theirs = pool.submit(
                veilset.count,
                polars.DataFrame(people.b),
                peer="you",
                party=parties.acme,
                listen=address,
                least=1000,
                **common,
            )
            mine = veilset.count(
                polars.DataFrame(people.a),
                peer="acme",
                party=parties.you,
                connect=address,
                **common,
            )
            return mine, theirs.result()

    for result in both():
        assert (result.count, result.withheld) == (None, "fewer than 1000 matches")
        assert result.report["release"]["least"] == 1000
        assert result.report["receipt"]["signed"]
        receipt = result.receipt
        assert receipt is not None
        statement = veilset.verify_receipt(receipt)
        assert statement["run"] == result.report["run"]
        with pytest.raises(veilset.PeerError, match="did not sign"):
            veilset.verify_receipt({**receipt, "signatures": receipt["signatures"][:1]})
        with pytest.raises(veilset.PeerError, match="signature of"):
            veilset.verify_receipt({**receipt, "statement": {**statement, "protocol": "dh"}})
    with pytest.raises(veilset.InputError, match="no receipt"):
        veilset.verify_receipt("{}")
    with pytest.raises(veilset.PolicyError, match=r"rule `runs`, .*policy.toml:3"):
        both()
    frame = polars.DataFrame(people.a)
    with pytest.raises(veilset.PolicyError, match=r"rule `operations`, .*policy.toml:1"):
        veilset.intersect(frame, peer="acme", party=parties.you, connect=address, **common)
    (tmp_path / "strict.toml").write_text("own-least = 1000\n")
    with pytest.raises(veilset.PolicyError, match=r"rule `own-least`, .*strict.toml:1"):
        veilset.count(
            frame,
            peer="acme",
            party=parties.you,
            connect=address,
            policy=tmp_path / "strict.toml",
            **common,
        )
    with pytest.raises(veilset.InputError, match="noise: epsilon=E,delta=D is needed"):
        veilset.run_local("count", frame, frame, on="email", noise="1")
    a, b = veilset.run_local("count", frame, frame, on="email", pad_to=500)
    assert a.report["padded_to"] == b.report["peer_distinct"] == 500 > a.report["distinct"]
    with pytest.raises(veilset.InputError, match="numbers from 1"):
        veilset.run_local("count", frame, frame, on="email", pad_to=0)
    a, b = veilset.run_local("count", frame, frame, on="email", noise="epsilon=1,delta=1e-3")
    assert a.report["release"]["noise"]["dummies"] == b.report["release"]["noise"]["dummies"] > 0


def test_a_deadline(parties: Parties, address: str) -> None:
    with pytest.raises(veilset.NetworkError) as caught:
        veilset.count(FRAME, on="k", peer="acme", party=parties.you, listen=address, deadline=0.2)
    assert caught.value.exit_code == 4


def test_memory_that_is_too_little() -> None:
    big = polars.DataFrame({"k": [str(n) for n in range(5000)]})
    with pytest.raises(veilset.PolicyError):
        veilset.run_local("count", big, big, on="k", max_memory=1000)


def test_leaving_a_session_stops_what_waits(parties: Parties, address: str) -> None:
    session = veilset.Session("acme", party=parties.you, listen=address)
    with ThreadPoolExecutor() as pool:
        with session:
            waiting = pool.submit(session.count, FRAME, on="k")
            time.sleep(0.5)
            assert not waiting.done()
        with pytest.raises(veilset.NetworkError, match="stopped"):
            waiting.result(timeout=10)


def test_other_threads_run_while_one_waits(parties: Parties, address: str) -> None:
    ticks = 0
    stop = veilset.Stop()
    threading.Timer(1.0, stop.stop).start()

    def tick() -> None:
        nonlocal ticks
        while not stop.stopped:
            ticks += 1
            time.sleep(0.01)

    ticking = threading.Thread(target=tick)
    ticking.start()
    with pytest.raises(veilset.NetworkError):
        veilset.count(FRAME, on="k", peer="acme", party=parties.you, listen=address, stop=stop)
    ticking.join()
    assert ticks > 20


def test_an_interrupt_ends_the_wait(
    parties: Parties, address: str, request: pytest.FixtureRequest
) -> None:
    # Whoever runs the tests in the background may have had interrupts ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        veilset.count(FRAME, on="k", peer="acme", party=parties.you, listen=address)
    assert time.monotonic() - began < 5


def test_asyncio(people: Pair, parties: Parties, address: str) -> None:
    steps: list[str] = []

    async def both() -> tuple[veilset.Result, veilset.Result]:
        preset: veilset.Options = {"preset": "email"}
        way: veilset.Options = {"party": parties.you, "listen": address, **preset}
        way["progress"] = lambda step, done, total: steps.append(step)
        a = veilset.aio.intersect(polars.DataFrame(people.a), on="email", peer="acme", **way)
        async with veilset.aio.Session("you", party=parties.acme, connect=address) as session:
            b = session.intersect(polars.DataFrame(people.b), on="email", **preset)
            return await asyncio.gather(a, b)

    a, b = asyncio.run(both())
    assert a.count == b.count == len(people.common())
    assert steps


def test_cancelling_a_task_stops_the_run(parties: Parties, address: str) -> None:
    async def wait() -> None:
        await veilset.aio.count(FRAME, on="k", peer="acme", party=parties.you, listen=address)

    async def cancelled() -> None:
        task = asyncio.ensure_future(wait())
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    began = time.monotonic()
    asyncio.run(cancelled())
    assert time.monotonic() - began < 5


def test_progress_goes_up_to_all_of_each_step(
    people: Pair, capfd: pytest.CaptureFixture[str]
) -> None:
    heard: list[tuple[str, int, int]] = []
    a, b = polars.DataFrame(people.a), polars.DataFrame(people.b)
    # Named, since the plan goes by the machine as measured, and two runs may take two protocols.
    count = functools.partial(veilset.run_local, "count", a, b, on="email", protocol="mqrpmt-dh")
    count(progress=lambda *told: heard.append(told))
    assert heard and all(0 <= done <= total for _, done, total in heard)
    first = heard[0][0]
    assert max(done for step, done, _ in heard if step == first) == heard[0][2]
    capfd.readouterr()
    count(progress=True)
    assert first in capfd.readouterr().err

    def broken(step: str, done: int, total: int) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        count(progress=broken)


def test_hashes_on_one_side_are_warned_of() -> None:
    import hashlib

    hashed = polars.DataFrame({"k": [hashlib.sha256(bytes([n])).hexdigest() for n in range(20)]})
    with pytest.warns(UserWarning, match="look hashed on one side only"):
        veilset.run_local("count", hashed, FRAME, on="k")


def test_plan_prices_every_protocol() -> None:
    prices = veilset.plan("intersect", 1000, 2000, link="50mbit,80ms", threads=1)
    assert prices["operation"] == "intersect" and prices["plans"] and prices["switches"]
    ids = {plan["protocol"] for plan in prices["plans"]}
    assert prices["switches"][0]["protocol"] in ids
    assert all(plan["seconds"] > 0 and plan["learned"] for plan in prices["plans"])
    with pytest.raises(veilset.InputError):
        veilset.plan("intersect", 1, 1, link="fast")
