"""What is computed of the pieces, stage by stage, and what comes of it on this side."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .. import _native
from .._native import Agreed
from ..errors import PeerError
from ._cluster import fetch
from ._messages import Talk
from ._options import Job
from ._prepare import Marks, Pieces
from ._slots import Call
from ._stages import Conduct


@dataclass(frozen=True)
class Run:
    """Everything that an operation is given."""

    job: Job
    agreed: Agreed
    talk: Talk
    conduct: Conduct
    own: Pieces
    #: How many distinct keys the peer has, and in each of its slices.
    peer_distinct: int
    peer_sizes: list[int]
    #: What both sides have under a further key, in rows that are not marked.
    again: Callable[[int], Tier]
    marks: Marks


@dataclass(frozen=True)
class Tier:
    """A key of several."""

    own: Pieces
    #: How many distinct values the peer has.
    peer_distinct: int


@dataclass(frozen=True)
class Outcome:
    """What this side learns."""

    matches: int | None = None
    #: Of an intersection the values that match under the last key, piece by piece; rows that match by one before are marked.
    matched: list[Any] | None = None
    #: What both sides had left under each key of an intersection.
    tiers: list[Tier] = field(default_factory=list)
    #: Sums in units, modulo 2^128.
    sums: list[int] | None = None
    #: How many rows came from the peer, and those as it packed them.
    received: tuple[int, list[Any]] | None = None
    #: Whether all that depends on the result was as an honest peer has it. It is raised when the run is over on both sides, so
    #: that the end of a run tells nothing.
    honest: bool = True


def intersect(run: Run) -> Outcome:
    """Which rows match, key after key; those that match drop out before the next."""
    tiers = [Tier(run.own, run.peer_distinct)]
    matches, honest = 0, True
    while True:
        key, tier = len(tiers) - 1, tiers[-1]
        results = run.conduct.run(_stage(key), _match(run.agreed, tier))
        if not run.agreed.learns:
            return Outcome(tiers=tiers)
        found, matched = zip(*results, strict=True)
        count, as_honest = _together(list(found))
        matches, honest = matches + count, honest and as_honest
        if len(tiers) == len(run.job.keys):
            return Outcome(matches, list(matched), tiers, honest=honest)
        # Both sides learn what drops out, so its time is no secret.
        run.marks.add(key, tier.own, matched)
        tiers.append(run.again(len(tiers)))


def _stage(key: int) -> str:
    """The name of the stage that matches by a key."""
    return f"match {key + 1}" if key else "match"


def _match(agreed: Agreed, tier: Tier) -> Call:
    """Common buckets, each an intersection of its own."""
    own = tier.own
    sizes = (own.distinct, tier.peer_distinct, agreed.pieces)
    both = agreed.learns and agreed.peer_learns

    def match(worker: Any, meeting: Any, piece: int) -> list[Any]:
        arguments = (meeting, sizes, agreed.receiver, both, own.elements[piece])
        return list(worker.intersect.options(num_returns=2).remote(*arguments))

    return match


def count(run: Run) -> Outcome:
    """How many keys match."""
    bits = _bits(run, both=False)
    if not run.agreed.receiver:
        return Outcome(matches=_told_count(run) if run.agreed.learns else None)
    assert bits is not None
    if run.agreed.peer_learns:
        run.talk.send("count", count=bits.told(run))
    return Outcome(matches=bits.matches, honest=bits.honest)


def sum_up(run: Run) -> Outcome:
    """How many keys match, and the sums of one side's values over them."""
    bits = _bits(run, both=False)
    if bits is None:
        masks = run.conduct.run("sums", _give_sums(run))
        matches = _told_count(run)
        masked = run.talk.take("sums")["sums"]
        if len(masked) != run.agreed.sums:
            raise PeerError("the peer's driver sent sums of other columns than there are")
        own = _added(masks, run.agreed.sums)
        return Outcome(
            matches, sums=[(a - b) % (1 << 128) for a, b in zip(masked, own, strict=True)]
        )
    taken = run.conduct.run("sums", _take_sums(run, bits))
    run.talk.send("count", count=bits.told(run))
    run.talk.send("sums", sums=_added(taken, run.agreed.sums))
    return Outcome(matches=bits.matches, honest=bits.honest)


def union(run: Run) -> Outcome:
    """The peer's rows whose keys this side lacks."""
    agreed = run.agreed
    both = agreed.learns and agreed.peer_learns
    bits = _bits(run, both)
    outcome = Outcome()
    # The receiver takes first; if both learn, it gives then.
    for receives in (True, False) if both else (True,):
        if agreed.receiver == receives:
            assert bits is not None
            outcome = _take_items(run, bits, "rows" if receives else "rows back")
        else:
            run.conduct.run("rows" if receives else "rows back", _give_items(run))
    return outcome


@dataclass(frozen=True)
class Bits:
    """Which keys of the peer's slices match: of each slice, what each piece of values says, and about which places."""

    matches: int
    parts: list[list[Any]]
    honest: bool

    def told(self, run: Run) -> int:
        """The count that goes to the peer, never more than there can be."""
        return min(self.matches, run.own.distinct)


def _together(found: list[Any]) -> tuple[int, bool]:
    """How many matched in all pieces, and whether all were as an honest peer has them."""
    counts, honest = zip(*fetch(found), strict=True)
    return sum(counts), all(honest)


def _bits(run: Run, both: bool) -> Bits | None:
    """Steps 1 and 2; the bits on the receiver's side, or on both."""
    sender, receiver = run.own.distinct, run.peer_distinct
    if run.agreed.receiver:
        sender, receiver = receiver, sender
    bits = _native.value_bits(sender, receiver)
    masked = run.conduct.run("exchange", _exchange(run, bits))
    left = bits - (run.agreed.pieces.bit_length() - 1)
    found = None
    for receives in (True, False) if both else (True,):
        name = "look up" if receives else "look up back"
        if run.agreed.receiver == receives:
            found = _hear(run, masked, left, name)
        else:
            _tell(run, masked, left, name)
    return found


def _exchange(run: Run, bits: int) -> Any:
    secret = secrets.token_bytes(32)
    pieces = run.agreed.pieces

    def exchange(worker: Any, meeting: Any, piece: int) -> list[Any]:
        shape = (run.peer_sizes[piece], bits)
        method = worker.exchange.options(num_returns=1 + 2 * pieces)
        return list(method.remote(meeting, secret, shape, run.own.elements[piece]))

    return exchange


def _tell(run: Run, masked: list[list[Any]], bits: int, name: str) -> None:
    """The peer hears which values its own elements have."""
    sizes = fetch([of_slice[0] for of_slice in masked])
    run.talk.send("counts", counts=[sum(of_piece) for of_piece in zip(*sizes, strict=True)])

    def tell(worker: Any, meeting: Any, piece: int) -> list[Any]:
        return [worker.tell.remote(meeting, bits, *(of_slice[1 + piece] for of_slice in masked))]

    run.conduct.run(name, tell)


def _hear(run: Run, masked: list[list[Any]], bits: int, name: str) -> Bits:
    """Which of the peer's elements are among this side's."""
    pieces = run.agreed.pieces
    counts = run.talk.take("counts")["counts"]
    if len(counts) != pieces or sum(counts) != run.own.distinct:
        raise PeerError("the peer's driver has another number of values than it was given")

    def hear(worker: Any, meeting: Any, piece: int) -> list[Any]:
        queries = (of_slice[1 + piece] for of_slice in masked)
        method = worker.hear.options(num_returns=1 + pieces)
        return list(method.remote(meeting, (counts[piece], bits), *queries))

    found = run.conduct.run(name, hear)
    parts = [
        [*(of_piece[1 + number] for of_piece in found), *of_slice[1 + pieces :]]
        for number, of_slice in enumerate(masked)
    ]
    matches, honest = _together([of_piece[0] for of_piece in found])
    return Bits(matches, parts, honest)


def _give_sums(run: Run) -> Any:
    def give(worker: Any, meeting: Any, piece: int) -> list[Any]:
        return [worker.give_sums.remote(meeting, run.agreed.sums, run.own.words[piece])]

    return give


def _take_sums(run: Run, bits: Bits) -> Any:
    def take(worker: Any, meeting: Any, piece: int) -> list[Any]:
        given = (run.agreed.sums, run.peer_sizes[piece], *bits.parts[piece])
        return [worker.take_sums.remote(meeting, *given)]

    return take


def _give_items(run: Run) -> Any:
    def give(worker: Any, meeting: Any, piece: int) -> list[Any]:
        return [worker.give_items.remote(meeting, run.own.width, run.own.items[piece])]

    return give


def _take_items(run: Run, bits: Bits, name: str) -> Outcome:
    def take(worker: Any, meeting: Any, piece: int) -> list[Any]:
        method = worker.take_items.options(num_returns=2)
        given = (run.agreed.peer_width, run.peer_sizes[piece], *bits.parts[piece])
        return list(method.remote(meeting, *given))

    counts, rows = zip(*run.conduct.run(name, take), strict=True)
    received = (sum(fetch(list(counts))), list(rows))
    return Outcome(bits.matches, received=received, honest=bits.honest)


def _told_count(run: Run) -> int:
    """The count that the peer says."""
    told = run.talk.take("count")["count"]
    if told > min(run.own.distinct, run.peer_distinct):
        raise PeerError("the peer's driver counts more matches than there can be")
    return int(told)


def _added(results: list[list[Any]], columns: int) -> list[int]:
    """The sums of all slices, modulo 2^128."""
    words: list[bytes] = fetch([refs[0] for refs in results])
    sums = [0] * columns
    for of_slice in words:
        for column in range(columns):
            part = of_slice[16 * column : 16 * column + 16]
            sums[column] = (sums[column] + int.from_bytes(part, "little")) % (1 << 128)
    return sums


OPERATIONS = {"intersect": intersect, "count": count, "sum": sum_up, "union": union}
