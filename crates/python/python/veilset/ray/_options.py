"""Keyword arguments of a run on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias, TypedDict

from .. import _native
from .._frames import Table
from .._native import MAX_COLUMNS, MAX_LINKAGE_KEYS, MAX_NAME, MAX_WORKERS
from .._order import (
    Asks,
    ConfirmOption,
    Learn,
    LearnOption,
    PartyOption,
    PlaceholdersOption,
    PresetOption,
    Progress,
    StopOption,
    linked,
    several,
)
from .._order import Options as SingleOptions
from ..errors import InputError
from ._messages import MAX_ATTEMPTS

if TYPE_CHECKING:
    import ray.data

#: A Ray dataset, a data frame, or files (Parquet or CSV) by path, folder or pattern.
Data: TypeAlias = "ray.data.Dataset | Table"


class Options(TypedDict, total=False):
    """How to compute on a cluster, and the way to the peer."""

    preset: PresetOption
    keep_placeholders: PlaceholdersOption
    learn: LearnOption
    party: PartyOption
    connect: Annotated[str, "go to the peer's driver at HOST:PORT"]
    listen: Annotated[str, "wait for the peer's driver at HOST:PORT"]
    deadline: Annotated[
        float | str, "how long to wait for the peer's driver: seconds, or a text such as 10m"
    ]
    workers: Annotated[
        int,
        "workers; the cluster's processors say without; the smaller of both sides' numbers counts",
    ]
    threads: Annotated[int, "threads of a worker; 1 without"]
    max_memory: Annotated[
        int | str, "the memory of a worker, such as 4GB; what its node has free without"
    ]
    worker_cpus: Annotated[
        float, "processors that Ray keeps for a worker; as many as it has threads without"
    ]
    advertise: Annotated[
        str,
        "the host name under which the peer's workers reach this side's; each node's own without",
    ]
    ports: Annotated[
        str, "the ports on which this side's workers listen, such as 20000-20100; any without"
    ]
    progress: Annotated[
        Progress | bool,
        "gets a step's name, what is done of it and all of it, from the run's threads; True draws a bar",
    ]
    confirm: ConfirmOption
    stop: StopOption
    retries: Annotated[int, "how often a piece may fail before the run does; 4 without"]


@dataclass(frozen=True)
class Job:
    """What to compute of a list, and with what."""

    operation: str
    #: Each key in the command line's form, the most trusted first.
    keys: list[str]
    #: Whether placeholders such as `n/a` are keys.
    keep_placeholders: bool
    #: The columns of each key.
    on: list[list[str]]
    learn: Learn
    values: list[str]
    #: The columns that a union sends; None sends nothing.
    send: list[str] | None
    threads: int
    max_memory: int | None
    retries: int

    def columns(self) -> list[str]:
        """The columns that a run reads."""
        return list(dict.fromkeys([*self.key_columns, *self.values, *(self.send or [])]))

    @property
    def key_columns(self) -> list[str]:
        """The columns of all keys."""
        return [column for key in self.on for column in key]

    def spec(self, key: int) -> tuple[str, bool]:
        """A key as the Rust part takes it."""
        return self.keys[key], self.keep_placeholders

    @property
    def gives_rows(self) -> bool:
        """Whether the result is a table."""
        return self.operation in ("intersect", "union")


def job(asks: Asks, options: Options) -> Job:
    """What the arguments ask for."""
    single: SingleOptions = {"preset": options.get("preset", "raw")}
    learn = options.get("learn", "both")
    if learn not in ("me", "peer", "both"):
        raise InputError(f'learn is one of "me", "peer" and "both", not {learn!r}')
    if asks.operation == "sum" and learn != "both":
        raise InputError('both sides learn something of a sum: leave learn at "both"')
    on = linked(asks.on)
    if len(on) > 1 and (asks.operation != "intersect" or learn != "both"):
        raise InputError(
            f"on a cluster, {asks.operation} takes one key where learn is {learn!r}: several are for "
            "intersect, whose sides both learn; or run it without the cluster"
        )
    if len(on) > MAX_LINKAGE_KEYS:
        raise InputError(f"a list has at most {MAX_LINKAGE_KEYS} keys")
    sends = asks.operation == "union" and learn != "me"
    memory = options.get("max_memory")
    made = Job(
        operation=asks.operation,
        keys=asks.order(single).keys,
        keep_placeholders=options.get("keep_placeholders", False),
        on=on,
        learn=learn,
        values=several(asks.value),
        send=several(asks.send) if sends else None,
        threads=_at_least("threads", options.get("threads", 1), 1),
        max_memory=None if memory is None else _native.memory(str(memory)),
        retries=min(_at_least("retries", options.get("retries", 4), 0), MAX_ATTEMPTS),
    )
    _check_names(made)
    return made


def _check_names(made: Job) -> None:
    names = [*made.values, *(made.send or [])]
    if len(names) > MAX_COLUMNS or any(len(name.encode()) > MAX_NAME for name in names):
        raise InputError(
            f"a run has {MAX_COLUMNS} value or sent columns at most, with names of {MAX_NAME} bytes"
        )


def worker_count(options: Options, cpus: float) -> int:
    """How many workers this side has."""
    threads = options.get("threads", 1)
    each = options.get("worker_cpus", float(threads))
    room = int(cpus // each) if each > 0 else 1
    count = options.get("workers", min(max(room, 1), MAX_WORKERS))
    if _at_least("workers", count, 1) > MAX_WORKERS:
        raise InputError(f"a run has {MAX_WORKERS} workers at most")
    return count


def port_range(options: Options) -> tuple[int, int]:
    """The first and the last port that workers listen on; zeros stand for any."""
    ports = options.get("ports")
    if ports is None:
        return 0, 0
    first, dash, last = ports.partition("-")
    if (
        first.isascii()
        and first.isdigit()
        and (last or first).isdigit()
        and bool(dash) == bool(last)
    ):
        low, high = int(first), int(last or first)
        if 0 < low <= high < 1 << 16:
            return low, high
    raise InputError(f'ports is a range such as "20000-20100", not {ports!r}')


def _at_least(name: str, value: int, least: int) -> int:
    if value < least:
        raise InputError(f"{name} is {least} at least, not {value}")
    return value
