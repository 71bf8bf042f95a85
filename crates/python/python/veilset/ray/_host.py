"""The actor that holds a worker: it meets one of the peer's for each piece.

The first or only value that a method returns is small, for the driver; the others stay in the object store.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
import ray

from .. import _native


@dataclass(frozen=True)
class Meeting:
    """Whom a worker meets, and over what."""

    #: The key of the peer's worker.
    peer: str
    #: Its address, on the side that connects.
    connect: str | None
    #: What both workers must have been told.
    ticket: bytes
    threads: int
    #: Bytes of memory that the worker may take; what its node has free without.
    max_memory: int | None


class Host:
    """A worker in a process of its own."""

    def __init__(self, place: tuple[str, int, int], pieces: int) -> None:
        self._worker = _native.Worker(*place)
        self._pieces = pieces

    def where(self) -> tuple[str, int, str]:
        """The node's address, the port, and the key."""
        node = ray.util.get_node_ip_address()  # type: ignore[no-untyped-call]
        return node, self._worker.port, self._worker.key

    def intersect(
        self, meeting: Meeting, sizes: tuple[int, int, int], receiver: bool, both: bool, own: bytes
    ) -> tuple[tuple[int, bool], bytes]:
        """How many elements matched, and whether the peer's are distinct; then which matched."""
        found, distinct = self._worker.intersect(meeting, own, sizes, receiver=receiver, both=both)
        return (len(found or b"") // 4, distinct), found or b""

    def exchange(
        self, meeting: Meeting, secret: bytes, shape: tuple[int, int], own: bytes
    ) -> list[Any]:
        """How many of the peer's values fall into each piece; those values, then their places in the peer's slice."""
        values = self._worker.exchange(meeting, secret, own, shape)
        parts = _native.split(values, self._pieces)
        return [
            [len(part) // 16 for part, _ in parts],
            *(part for part, _ in parts),
            *(places for _, places in parts),
        ]

    def tell(self, meeting: Meeting, bits: int, *values: bytes) -> None:
        """Tells the peer a piece of values, which came slice by slice."""
        self._worker.tell(meeting, b"".join(values), bits)

    def hear(self, meeting: Meeting, shape: tuple[int, int], *queries: bytes) -> list[Any]:
        """How many of a piece of queries are among the values, and whether none is asked for twice; then slice by slice a
        byte for each query.
        """
        found, distinct = self._worker.hear(meeting, shape, b"".join(queries))
        bits, begin = [], 0
        for part in queries:
            end = begin + len(part) // 16
            bits.append(found[begin:end])
            begin = end
        return [(sum(found), distinct), *bits]

    def give_sums(self, meeting: Meeting, columns: int, words: bytes) -> bytes:
        """The sums of the masks of a slice's numbers."""
        return self._worker.give_sums(meeting, words, columns)

    def take_sums(self, meeting: Meeting, columns: int, size: int, *parts: bytes) -> bytes:
        """The masked sums over the elements of the peer's slice that match."""
        return self._worker.take_sums(meeting, chosen(size, parts), columns)

    def give_items(self, meeting: Meeting, width: int, items: bytes) -> None:
        """Gives the peer the rows of a slice that it lacks."""
        self._worker.give_items(meeting, items, width)

    def take_items(
        self, meeting: Meeting, width: int, size: int, *parts: bytes
    ) -> tuple[int, bytes]:
        """How many rows of the peer's slice this side lacks, and those rows as the peer packed them."""
        items = self._worker.take_items(meeting, chosen(size, parts), width)
        return len(items) // max(width, 1), items


def chosen(size: int, parts: tuple[bytes, ...]) -> bytes:
    """A slice's bits in order, of their pieces and then the places of these."""
    bits = numpy.zeros(size, numpy.uint8)
    half = len(parts) // 2
    for part, places in zip(parts[:half], parts[half:], strict=True):
        bits[numpy.frombuffer(places, "<u4")] = numpy.frombuffer(part, numpy.uint8)
    return bits.tobytes()
