"""Parties, lists and addresses for the tests."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pandas
import polars
import pyarrow
import pytest
import veilset
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

Columns = dict[str, list[Any]]

#: How each kind of frame is made of columns, and read back as rows.
KINDS: dict[str, Callable[[Columns], Any]] = {
    "pandas": pandas.DataFrame,
    "polars": polars.DataFrame,
    "pyarrow": pyarrow.table,
}


#: What reports are, as the command line's documentation has it.
SCHEMA = json.loads(
    (Path(__file__).parents[3] / "docs" / "json.schema.json").read_text(encoding="utf-8")
)


def conforms(name: str, report: dict[str, Any]) -> None:
    """Fails if a report is not what the definition called `name` says."""
    whole = {"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}
    Draft202012Validator(whole).validate(report)


def rows(frame: Any) -> list[dict[str, Any]]:
    """A frame's rows, whatever its kind."""
    if isinstance(frame, pandas.DataFrame):
        frame = pyarrow.Table.from_pandas(frame, preserve_index=False)
    found: list[dict[str, Any]] = (
        frame.to_pylist() if isinstance(frame, pyarrow.Table) else frame.to_dicts()
    )
    return found


class Pair(NamedTuple):
    """Two lists of people; the second writes its addresses otherwise."""

    a: Columns
    b: Columns

    def common(self) -> set[str]:
        """The addresses in both, by plain sets."""
        return {email.lower() for email in self.a["email"]} & {
            email.strip().lower() for email in self.b["email"]
        }


@pytest.fixture
def people() -> Pair:
    """Two lists of a few hundred people, of whom some are in both, some twice in one."""
    draw = random.Random(7)
    a = draw.choices(range(400), k=300)
    b = draw.choices(range(200, 600), k=250)
    return Pair(
        {
            "email": [f"user{n}@example.org" for n in a],
            "amount": [draw.randrange(-500, 500) for _ in a],
            "name": [f"name {n}" for n in a],
        },
        {"email": [f" User{n}@Example.org" for n in b], "city": [f"city {n % 7}" for n in b]},
    )


class Parties(NamedTuple):
    """Two parties that have pinned each other."""

    you: veilset.Party
    acme: veilset.Party


@pytest.fixture
def parties(tmp_path: Path) -> Parties:
    """The first calls the second `acme`, the second calls the first `you`."""
    you, acme = veilset.Party.create(tmp_path / "you"), veilset.Party.create(tmp_path / "acme")
    you.add_peer("acme", acme.key)
    acme.add_peer("you", you.key)
    return Parties(you, acme)


@pytest.fixture
def address() -> str:
    """An address that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


#: The program of the build that the library is of.
PROGRAM = os.environ.get("VEILSET", str(Path(__file__).parents[3] / "target" / "debug" / "veilset"))


def run(home: Path, *arguments: str) -> None:
    """A command of the program's, with its folder as home."""
    command = [PROGRAM, *arguments]
    environment = {**os.environ, "VEILSET_HOME": str(home)}
    done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@contextmanager
def served(parties: Parties, address: str, people: Columns, *build: str) -> Iterator[None]:
    """The service of `acme`, by the command line: a list of these people for `you`."""
    home = Path(parties.acme.home)
    polars.DataFrame(people).write_csv(home / "list.csv")
    run(home, "serve", "build", "list.csv", "--key", "email:email", *build, "-o", "list.veil")
    command = [PROGRAM, "serve", "list.veil", "--listen", address]
    environment = {**os.environ, "VEILSET_HOME": str(home)}
    with subprocess.Popen([*command, "--allow", "you"], cwd=home, env=environment) as service:
        try:
            yield
        finally:
            service.terminate()
