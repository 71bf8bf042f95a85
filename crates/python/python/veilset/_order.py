"""Keyword arguments, and what the Rust part takes in their place."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypedDict

if TYPE_CHECKING:
    from ._native import Party, Stop

Operation: TypeAlias = Literal[
    "intersect", "count", "sum", "union", "share", "align", "agree", "lookup"
]
Learn: TypeAlias = Literal["me", "peer", "both"]
Security: TypeAlias = Literal["semi-honest", "malicious"]
Sharing: TypeAlias = Literal["additive", "xor"]
Progress: TypeAlias = Callable[[str, int, int], object]

#: One column, or several.
Columns: TypeAlias = str | Sequence[str]

log = logging.getLogger("veilset")


class Terms(NamedTuple):
    """What both sides agreed on, before anything is computed."""

    #: Who learns what, in a sentence.
    learned: str
    #: What leaks beyond the result, in sentences.
    leaks: list[str]
    #: What looks wrong about the pair of lists.
    warnings: list[str]
    #: The peer's number of distinct keys.
    peer_distinct: int


class TermOptions(TypedDict, total=False):
    """How to compute. Names and defaults are those of the command line's flags."""

    #: How keys are normalised: one preset for all columns of the key, or one for each.
    preset: Columns
    #: Who learns the result; the peer gives the matching word.
    learn: Learn
    #: A protocol's id; the planner chooses without.
    protocol: str
    #: Against whom the protocol must hold.
    security: Security
    #: The group; the protocol's fastest without.
    group: str
    #: How a set travels.
    digest: str
    #: A file with the safe prime to take in place of the group's own.
    prime: str | os.PathLike[str]
    #: Threads for computing; all cores without.
    threads: int
    #: Bytes, or a text such as "2GiB": a run that would need more is refused.
    max_memory: int | str
    #: The folder for encrypted temporary files of lists that take more than a quarter of `max_memory`.
    scratch: str | os.PathLike[str]
    #: What stands between the fields of a CSV file.
    delimiter: str
    #: Gets a step's name, what is done of it and all of it; True draws a bar.
    progress: Progress | bool
    #: Gets the agreed terms, and says whether to go on.
    confirm: Callable[[Terms], bool]
    #: Ends the run from another thread.
    stop: Stop


class Options(TermOptions, total=False):
    """How to compute, and the way to the peer."""

    #: This party; the command line's identity without.
    party: Party
    #: Go to the peer at HOST:PORT.
    connect: str
    #: Wait for the peer at HOST:PORT.
    listen: str
    #: How long to wait for the peer: seconds, or a text such as "10m".
    deadline: float | str
    #: A file that gets the result's rows too.
    output: str | os.PathLike[str]
    #: Whether that file may be replaced.
    force: bool


class LookupOptions(TypedDict, total=False):
    """How to look up. Names and defaults are those of the command line's flags."""

    #: As the list was built: one preset for all columns of the key, or one for each.
    preset: Columns
    #: Take another list than the server had before.
    new_list: bool
    #: The longest list to fetch: bytes, or a text such as "256MiB".
    max_list: int | str
    #: What stands between the fields of a CSV file.
    delimiter: str
    #: A list that takes more than a quarter of this is kept on disk: bytes, or a text such as "500MB".
    max_memory: int | str
    #: The folder for its encrypted temporary file.
    scratch: str | os.PathLike[str]
    #: Gets a step's name, what is done of it and all of it; True draws a bar.
    progress: Progress | bool
    #: Ends the look-up from another thread.
    stop: Stop
    #: This party; the command line's identity without.
    party: Party
    #: Where the service is: HOST:PORT.
    connect: str
    #: How long to wait for the service: seconds, or a text such as "30s".
    deadline: float | str
    #: A file that gets the result's rows too.
    output: str | os.PathLike[str]
    #: Whether that file may be replaced.
    force: bool


@dataclass(frozen=True)
class Order:
    """What to compute."""

    operation: str
    key: str
    learn: str
    protocol: str | None
    security: str
    group: str | None
    digest: str | None
    prime: str | os.PathLike[str] | None
    shares: str
    values: list[str]
    send: list[str]
    label: str | None
    delimiter: str
    max_memory: str | None
    scratch: str | os.PathLike[str] | None
    threads: int | None
    output: str | None
    force: bool


@dataclass(frozen=True)
class Way:
    """The way to the peer."""

    peer: str
    connect: str | None
    listen: str | None
    deadline: str


@dataclass(frozen=True)
class Caller:
    """Who hears of a run."""

    progress: Progress | None
    notify: Callable[[str], object]
    confirm: Callable[[str, list[str], list[str], int], bool]


@dataclass(frozen=True)
class Asked:
    """A run of which only the price is asked."""

    operation: str
    rows: int
    peer_rows: int
    learn: str
    security: str
    link: str | None
    threads: int | None
    values: int
    row_bytes: int
    group: str | None
    digest: str | None


@dataclass(frozen=True)
class Wish:
    """A wish to meet."""

    calendar: str
    between: str
    length: str
    step: str
    hours: str
    zone: str
    weekends: bool
    prefer: str
    scheme: str


@dataclass(frozen=True)
class Inquiry:
    """What is looked up."""

    items: list[str]
    key: str
    new_list: bool
    max_list: str
    delimiter: str
    max_memory: str | None
    scratch: str | os.PathLike[str] | None
    output: str | None
    force: bool


@dataclass(frozen=True)
class Asks:
    """An operation with the arguments that are its own."""

    operation: Operation
    on: Columns = ()
    value: Columns = ()
    send: Columns = ()
    shares: Sharing = "additive"
    label: str | None = None

    def columns(self) -> list[str]:
        """The columns that the run reads."""
        label = [] if self.label is None else [self.label]
        own = [*several(self.on), *several(self.value), *several(self.send), *label]
        return list(dict.fromkeys(own))

    def order(self, options: Options) -> Order:
        """All that the run is told, but where the list is."""
        output, memory = options.get("output"), options.get("max_memory")
        protocol = options.get("protocol", "auto")
        return Order(
            operation=self.operation,
            key=_key(several(self.on), several(options.get("preset", "raw"))),
            learn=options.get("learn", "both"),
            protocol=None if protocol == "auto" else protocol,
            security=options.get("security", "semi-honest"),
            group=options.get("group"),
            digest=options.get("digest"),
            prime=options.get("prime"),
            shares=self.shares,
            values=several(self.value),
            send=several(self.send),
            label=self.label,
            delimiter=options.get("delimiter", ","),
            max_memory=None if memory is None else str(memory),
            scratch=options.get("scratch"),
            threads=options.get("threads"),
            output=None if output is None else os.fspath(output),
            force=options.get("force", False),
        )


def inquiry(items: list[str], on: Columns, options: LookupOptions) -> Inquiry:
    """All that a look-up is told, but where the list is."""
    output, memory = options.get("output"), options.get("max_memory")
    return Inquiry(
        items=items,
        key="" if items else _key(several(on), several(options.get("preset", "raw"))),
        new_list=options.get("new_list", False),
        max_list=str(options.get("max_list", "256MiB")),
        delimiter=options.get("delimiter", ","),
        max_memory=None if memory is None else str(memory),
        scratch=options.get("scratch"),
        output=None if output is None else os.fspath(output),
        force=options.get("force", False),
    )


def several(columns: Columns) -> list[str]:
    """Names, where one may stand for itself."""
    return [columns] if isinstance(columns, str) else list(columns)


def _key(on: list[str], presets: list[str]) -> str:
    """The key in the command line's form: `"COL":PRESET,…`."""
    from .errors import InputError

    if len(presets) == 1:
        presets = presets * len(on)
    if len(presets) != len(on):
        raise InputError(
            f"{len(on)} columns of the key have {len(presets)} presets: give one, or one for each"
        )
    quoted = (column.replace('"', '""') for column in on)
    return ",".join(f'"{column}":{preset}' for column, preset in zip(quoted, presets, strict=True))


def way(peer: str, options: Options) -> Way:
    """The way that the options name."""
    deadline = options.get("deadline", "10m")
    text = deadline if isinstance(deadline, str) else f"{round(1000 * deadline)}ms"
    return Way(peer, options.get("connect"), options.get("listen"), text)


def caller(progress: Progress | None, confirm: Callable[[Terms], bool] | None) -> Caller:
    """Warns of what looks wrong, logs the rest, and asks whoever wants to be asked."""

    def agree(learned: str, leaks: list[str], looks_wrong: list[str], peer_distinct: int) -> bool:
        log.info("%s the peer has %d distinct keys", learned, peer_distinct)
        for text in looks_wrong:
            warnings.warn(text, stacklevel=4)
        return confirm is None or bool(confirm(Terms(learned, leaks, looks_wrong, peer_distinct)))

    return Caller(progress, log.info, agree)
