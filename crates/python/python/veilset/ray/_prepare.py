"""A list in pieces, made inside this side's own cluster."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow
import ray

from .. import _native
from .._frames import KEY_COLUMN, Arrow
from ._cluster import fetch, several
from ._options import Job
from ._scan import Blocks


@dataclass(frozen=True)
class Slices:
    """How the list falls into pieces."""

    session: bytes
    #: This side's own, for random slices; without it, a key's piece is the same on both sides.
    secret: bytes | None
    pieces: int
    scales: list[int]
    width: int


@dataclass(frozen=True)
class Pieces:
    """A list in pieces: references to what is in the object store, piece by piece."""

    #: How many distinct keys each has.
    sizes: list[int]
    elements: list[Any]
    words: list[Any]
    items: list[Any]
    #: Where each block's elements are in the piece.
    places: list[Any]
    #: For each piece and block, rows of the block and which of its elements they carry.
    rows: list[list[Any]]
    #: Bytes of a row to send.
    width: int

    @property
    def distinct(self) -> int:
        """How many distinct keys the list has."""
        return sum(self.sizes)


class Marks:
    """By which key each row has matched: for each block a number for each of its rows, 0 for one that has not."""

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self.refs: list[Any] = [None] * len(blocks.refs)

    def add(self, key: int, pieces: Pieces, matched: Sequence[Any]) -> None:
        """Marks the rows that carry a value which matched under a key."""
        count = len(self.refs)
        found = [
            several(_select.options(num_returns=count).remote(*of_piece))
            for of_piece in (
                (matched[p], pieces.places[p], *pieces.rows[p]) for p in range(len(matched))
            )
        ]
        self.refs = [
            _mark.remote(rows, key, marks, *(of_piece[number] for of_piece in found))
            for number, (rows, marks) in enumerate(zip(self._blocks.rows, self.refs, strict=True))
        ]

    def rows(self, keys: int) -> tuple[list[int], list[Any]]:
        """How many rows matched by each key, and those rows, block by block."""
        taken = [
            _take.options(num_returns=2).remote(block, marks, keys)
            for block, marks in zip(self._blocks.refs, self.refs, strict=True)
        ]
        numbers, tables = zip(*taken, strict=True)
        counts = zip(*fetch(list(numbers)), strict=True)
        return [sum(of_key) for of_key in counts], list(tables)


def prepare(
    blocks: Blocks, job: Job, slices: Slices, key: int = 0, marks: Marks | None = None
) -> Pieces:
    """Cuts every block by a key, but for the rows that are marked, and makes one piece of what all blocks have of it."""
    count = slices.pieces
    joins = job.operation == "intersect"
    marked = marks.refs if marks else [None] * len(blocks.refs)
    returns = 2 * count if joins else count
    cuts: list[Any] = [
        _cut.options(num_returns=returns).remote(block, of_block, job, key, slices, joins)
        for block, of_block in zip(blocks.refs, marked, strict=True)
    ]
    shape = (len(job.values), slices.width)
    parts: list[Any] = [
        _merge.options(num_returns=5).remote(shape, _order(slices, p), *(cut[p] for cut in cuts))
        for p in range(count)
    ]
    sizes, elements, words, items, places = zip(*parts, strict=True)
    rows = [[cut[count + p] for cut in cuts] for p in range(count)] if joins else []
    numbers = fetch(list(sizes))
    return Pieces(
        numbers, list(elements), list(words), list(items), list(places), rows, slices.width
    )


def _order(slices: Slices, piece: int) -> bytes | None:
    """What shuffles a random slice, the same if Ray has to make it again."""
    if slices.secret is None:
        return None
    number = piece.to_bytes(4, "little")
    return hashlib.blake2b(number, key=slices.secret, digest_size=32).digest()


@ray.remote
def _cut(
    block: pyarrow.Table, marks: Any, job: Job, key: int, slices: Slices, joins: bool
) -> list[Any]:
    columns = Arrow(block).source(job.columns())
    left = None if marks is None else (marks == 0).tobytes()
    cuts = _native.cut(columns, job.spec(key), job.values, job.send, slices, left)
    own = [(elements, words, items) for elements, _, _, words, items in cuts]
    rows = [(rows, carried) for _, rows, carried, _, _ in cuts]
    return [*own, *rows] if joins else own


@ray.remote
def _merge(shape: tuple[int, int], order: bytes | None, *parts: tuple[bytes, bytes, bytes]) -> Any:
    elements, words, items, places = _native.merge(list(parts), *shape, order)
    return len(elements) // 32, elements, words, items, places


@ray.remote
def _select(matched: bytes, places: list[bytes], *rows: tuple[bytes, bytes]) -> Any:
    """The rows of each block that carry a key of one piece that matched."""
    import numpy

    numbers = [numpy.frombuffer(of_block, "<u4") for of_block in places]
    hits = numpy.zeros(1 + max((int(n.max()) for n in numbers if n.size), default=0), bool)
    hits[numpy.frombuffer(matched, "<u4")] = True
    found = [
        numpy.frombuffer(of_block, "<u4")[hits[number[numpy.frombuffer(carried, "<u4")]]]
        for number, (of_block, carried) in zip(numbers, rows, strict=True)
    ]
    return found if len(found) > 1 else found[0]


@ray.remote
def _mark(rows: int, key: int, marks: Any, *found: Any) -> Any:
    """The marks of a block with those of its rows that matched under a key."""
    import numpy

    marks = numpy.zeros(rows, numpy.uint8) if marks is None else marks.copy()
    marks[numpy.concatenate(found)] = key + 1
    return marks


@ray.remote
def _take(block: pyarrow.Table, marks: Any, keys: int) -> tuple[list[int], pyarrow.Table]:
    """How many rows of a block are marked by each key, and these rows; where there are several keys, with its number."""
    import numpy

    wanted = numpy.flatnonzero(marks)
    numbers = marks[wanted]
    rows = block.take(wanted)
    if keys > 1:
        rows = rows.append_column(KEY_COLUMN, pyarrow.array(numbers.astype("int64")))
    return numpy.bincount(numbers, minlength=keys + 1)[1:].tolist(), rows
