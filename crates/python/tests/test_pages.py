"""The documentation is true: every Python example in it runs, with a peer where it needs one."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas
import pytest
import ray
import veilset
import veilset.ray
from conftest import Parties, served

ROOT = Path(__file__).parents[3]
LIST = "email,name\nann@example.org,Ann\nBen@example.org,Ben\n"
MIRRORED = {"me": "peer", "peer": "me", "both": "both"}


def blocks(page: str) -> list[str]:
    found = re.findall(
        r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL
    )
    assert found, f"{page} has examples"
    return found


@contextmanager
def peer(block: str, parties: Parties, address: str) -> Iterator[None]:
    """The other side of what an example does."""
    if ".lookup(" in block:
        people = {"email": ["ben@example.org", "cy@example.org"], "label": ["dump-2026", ""]}
        with served(parties, address, people, "--label", "label"):
            yield
    else:
        with runs(block, parties.acme, address):
            yield


@contextmanager
def runs(block: str, acme: veilset.Party, address: str) -> Iterator[None]:
    """The other side of each operation in an example, one after the other."""
    calls = re.findall(r"\.(intersect|count)\(([^()]*)\)", block)
    end: Any = {"connect" if "listen=" in block else "listen": address}
    failed: list[BaseException] = []

    on_cluster = "veilset.ray" in block
    options: Any = {"party": acme, "preset": "email", "peer": "you", **end}
    if on_cluster:
        options.update(workers=1, worker_cpus=0.1)

    def run() -> None:
        frame = pandas.DataFrame({"email": ["ben@example.org", "cy@example.org"]})
        functions = veilset.ray if on_cluster else veilset
        try:
            for operation, arguments in calls:
                said = re.search(r'learn="(\w+)"', arguments)
                learn = MIRRORED[said.group(1)] if said else "both"
                getattr(functions, operation)(frame, on="email", learn=learn, **options)
        except veilset.Error as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    yield
    thread.join()
    assert not failed, failed


@pytest.fixture
def cluster() -> Iterator[None]:
    """A small one, for both parties."""
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=100_000_000)
    yield
    ray.shutdown()


@pytest.mark.parametrize("page", ["README.md", "docs/use/python.md"])
def test_examples_run(
    page: str,
    parties: Parties,
    address: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    if "veilset.ray" in (ROOT / page).read_text():
        request.getfixturevalue("cluster")
    monkeypatch.setenv("VEILSET_HOME", str(tmp_path / "you"))
    monkeypatch.chdir(tmp_path)
    Path("customers.csv").write_text(LIST)
    names: dict[str, Any] = {}
    for block in blocks(page):
        here = re.sub(r"(0\.0\.0\.0|\w+\.example):7000", address, block)
        with peer(here, parties, address):
            exec(compile(here, page, "exec"), names)
    assert names["found"].table["email"].tolist() == ["Ben@example.org"]


def test_the_example_of_several_keys_runs(
    parties: Parties, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VEILSET_HOME", str(tmp_path / "you"))
    monkeypatch.chdir(ROOT)
    registry = pandas.read_csv("examples/linkage/registry.csv", sep=";", dtype=str)
    [block] = blocks("docs/use/linkage.md")
    names: dict[str, Any] = {}
    with ThreadPoolExecutor() as pool:
        other = pool.submit(
            veilset.intersect,
            registry.fillna(""),
            on=[["mail"], ["telephone"], *[["given", "family", "birthday"]] * 2],
            preset=[
                "email",
                "phone-gb",
                ["name"] * 2 + ["date"],
                ["name", "name~deletion", "date"],
            ],
            peer="you",
            party=parties.acme,
            connect=address,
        )
        exec(compile(block.replace("0.0.0.0:7000", address), "linkage.md", "exec"), names)
    assert names["found"].table["veilset_key"].tolist() == ["1", "1", "2", "2", "2", "3", "1", "4"]
    assert other.result().table["id"].tolist() == [f"R-0{n}" for n in (1, 2, 3, 4, 5, 6, 8)]


def test_the_example_of_a_join_runs(
    parties: Parties, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VEILSET_HOME", str(tmp_path / "you"))
    monkeypatch.chdir(ROOT)
    south = pandas.read_csv("examples/south.csv", dtype=str)
    [block] = blocks("docs/use/join.md")
    block = block.replace("0.0.0.0:7000", address).replace('"south"', '"acme"')
    names: dict[str, Any] = {}
    with ThreadPoolExecutor() as pool:
        other = pool.submit(
            veilset.intersect,
            south,
            on="E-Mail",
            preset="email",
            send="since",
            learn="peer",
            peer="you",
            party=parties.acme,
            connect=address,
        )
        exec(compile(block, "join.md", "exec"), names)
    table = names["found"].table
    assert len(table) >= len(names["north"])
    since = table["since"].dropna()
    assert 0 < len(since) < len(table)
    assert set(since) <= set(south["since"])
    assert other.result().table is None
