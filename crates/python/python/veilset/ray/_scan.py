"""What must be known of all blocks of a list before one is cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow
import ray

from .. import _native
from .._frames import KEY_COLUMN, Arrow, free_name
from ..errors import InputError
from ._cluster import fetch
from ._options import Job

if TYPE_CHECKING:
    import ray.data

#: Sums are exact below this many units of the last decimal place.
MOST = (1 << 127) - 1


@dataclass(frozen=True)
class Skipped:
    """Rows that have nothing under a key."""

    empty: int
    placeholders: int
    invalid: int


@dataclass(frozen=True)
class Scan:
    """What is known of a list before it is cut."""

    rows: int
    #: Under each key.
    skipped: list[Skipped]
    #: Decimal places of each value column.
    scales: list[int]
    #: Bytes of the longest row to send.
    width: int
    #: What is to be known of the list: code, text and rows.
    warnings: list[dict[str, Any]]


@dataclass(frozen=True)
class Blocks:
    """A list in the object store, block by block, in order."""

    refs: list[Any]
    #: How many rows each has.
    rows: list[int]
    scan: Scan


def blocks(data: ray.data.Dataset, job: Job) -> Blocks:
    """The list in the object store, after a look at all that the run reads of it."""
    # What is computed twice might come in another order.
    kept = data if job.gives_rows else _narrowed(data, job.columns())
    try:
        kept = kept.materialize()
    except Exception as error:
        # Its text may hold data; Ray has logged it.
        kind = type(getattr(error, "cause", None) or error).__name__
        raise InputError(f"the list cannot be read ({kind}): Ray's log says where") from None
    if len(job.keys) > 1:
        free_name(KEY_COLUMN, kept.columns() or [], "")
    refs = kept.to_arrow_refs()
    scans = fetch([_scan.remote(ref, job) for ref in refs])
    refs = [ref for ref, scan in zip(refs, scans, strict=True) if scan is not None]
    found = [scan for scan in scans if scan is not None]
    if not refs:
        empty = _empty(kept, job)
        refs, found = [ray.put(empty)], [scan_of(empty, job)]
    return Blocks(refs, [of_block[0][0] for of_block in found], _together(found, job))


def _narrowed(data: ray.data.Dataset, columns: list[str]) -> ray.data.Dataset:
    have = data.columns() or []
    # The error that names the columns there are comes from the scan.
    return data.select_columns(columns) if set(columns) <= set(have) else data


def _empty(data: ray.data.Dataset, job: Job) -> pyarrow.Table:
    schema = data.schema()
    if schema is None or not isinstance(schema.base_schema, pyarrow.Schema):
        return pyarrow.table({name: pyarrow.array([], pyarrow.string()) for name in job.columns()})
    return schema.base_schema.empty_table()


#: What one block says of itself under a key: rows, rows without a key (empty, placeholders, unreadable), columns of values, bytes of the
#: longest row, and what is to be known of it: code, text, rows.
Scanned: TypeAlias = tuple[
    int, int, int, int, list[tuple[int, int]], int, list[tuple[str, str, int]]
]


def scan_of(block: pyarrow.Table, job: Job) -> list[Scanned]:
    """Looks at a block, under each key."""
    columns = job.columns()
    return [
        _native.scan(Arrow(block).source(columns), job.spec(key), job.values, job.send)
        for key in range(len(job.keys))
    ]


@ray.remote
def _scan(block: pyarrow.Table, job: Job) -> list[Scanned] | None:
    return scan_of(block, job) if block.num_rows else None


def _together(found: list[list[Scanned]], job: Job) -> Scan:
    by_key = [list(of_key) for of_key in zip(*found, strict=True)]
    # Values and rows to send go with a single key.
    scans = by_key[0]
    scales = [max(scan[4][column][0] for scan in scans) for column in range(len(job.values))]
    for column, scale in enumerate(scales):
        units = sum(scan[4][column][1] * 10 ** (scale - scan[4][column][0]) for scan in scans)
        if units > MOST:
            name = job.values[column]
            raise InputError(
                f"the sum over column {name!r} could exceed 2^127 - 1 units of its last decimal place "
                f"({scale}): round its values, or split the list"
            )
    return Scan(
        rows=sum(scan[0] for scan in scans),
        skipped=[
            Skipped(*(sum(scan[place] for scan in of_key) for place in (1, 2, 3)))
            for of_key in by_key
        ],
        scales=scales,
        width=max(scan[5] for scan in scans),
        warnings=[
            warning
            for place, of_key in enumerate(by_key, 1)
            for warning in _warnings(of_key, f"key {place}, " if len(by_key) > 1 else "")
        ],
    )


def _warnings(scans: list[Scanned], where: str) -> list[dict[str, Any]]:
    """What all blocks say together of a key."""
    rows: dict[tuple[str, str], int] = {}
    for scan in scans:
        for code, what, count in scan[6]:
            rows[code, what] = rows.get((code, what), 0) + count
    return [
        {"code": code, "text": f"{where}{count} row{'s'[: count != 1]}: {what}", "rows": count}
        for (code, what), count in rows.items()
    ]
