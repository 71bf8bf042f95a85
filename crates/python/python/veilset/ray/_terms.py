"""What both sides must want alike, before anything is computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import PeerError, TermsError
from ._messages import MAX_PIECES, Message, Talk
from ._options import Job
from ._scan import Scan

#: Of the conversation of drivers and of the way in which lists fall into pieces.
VERSION = 1

MIRRORED = {"me": "peer", "peer": "me", "both": "both"}

#: Rows of a piece, about, in a list so large that workers do not decide.
ROWS_OF_A_PIECE = 1 << 20


@dataclass(frozen=True)
class Agreed:
    """A run as both sides want it."""

    operation: str
    #: Whether this side is the receiver, which learns first, or the sender.
    receiver: bool
    learns: bool
    peer_learns: bool
    #: Pieces: a power of two.
    pieces: int
    #: Pairs of workers.
    slots: int
    #: The peer's columns: names of values or of what it sends.
    peer_columns: list[str]
    #: Value columns of a sum, whoever has them.
    sums: int
    #: Bytes of a row that the peer sends.
    peer_width: int


def least_pieces(rows: int) -> int:
    """How many pieces a list asks for: a power of two."""
    return _power(max(8, -(-rows // ROWS_OF_A_PIECE)))


def together(mine: int, theirs: int, slots: int) -> int:
    """How many pieces a run has, of what both lists ask for and with so many pairs of workers."""
    return max(mine, theirs, _power(4 * slots))


def _power(wanted: int) -> int:
    return min(1 << (wanted - 1).bit_length(), MAX_PIECES)


def agree(talk: Talk, job: Job, scan: Scan, presets: str, workers: int, connecting: bool) -> Agreed:
    """Both sides say what they want; differences end the run, which names them all."""
    mine: Message = {
        "version": VERSION,
        "operation": job.operation,
        "presets": presets,
        "learn": job.learn,
        "values": job.values,
        "scales": scan.scales,
        "send": job.send or [],
        "width": scan.width,
        "pieces": least_pieces(scan.rows),
        "workers": workers,
    }
    talk.send("terms", **mine)
    theirs = talk.take_in_time("terms", "send its terms")
    _compare(mine, theirs)
    return _agreed(job, mine, theirs, connecting)


def _compare(mine: Message, theirs: Message) -> None:
    found = list(_differences(mine, theirs))
    if found:
        said = "; ".join(
            f"{field}: here {here}, at the peer {there}" for field, here, there in found
        )
        raise TermsError(
            f"the two sides do not agree on the terms: {said}; agree with the peer and run again"
        )
    sums, union = mine["operation"] == "sum", mine["operation"] == "union"
    if len(theirs["values"]) != len(theirs["scales"]) or (theirs["values"] and not sums):
        raise PeerError("the peer's terms have values that its operation has not")
    if len(set(theirs["send"])) != len(theirs["send"]):
        raise PeerError("the peer's terms name a column to send twice")
    if (theirs["send"] or theirs["width"]) and (not union or theirs["learn"] == "me"):
        raise PeerError("the peer's terms have rows to send that its operation has not")


def _differences(mine: Message, theirs: Message) -> Iterator[tuple[str, str, str]]:
    """Every field on which the two sides differ, with what both say, escaped."""
    for name, field in (
        ("version", "version"),
        ("operation", "operation"),
        ("presets", "key presets"),
    ):
        if mine[name] != theirs[name]:
            yield field, _shown(mine[name]), _shown(theirs[name])
    if theirs["learn"] != MIRRORED[mine["learn"]]:
        field = "who learns (learn: one side's me is the other side's peer)"
        yield field, _shown(mine["learn"]), _shown(theirs["learn"])
    if mine["operation"] == theirs["operation"] == "sum":
        if mine["values"] and theirs["values"]:
            yield "value columns (value on one side alone)", "given", "given, too"
        if not mine["values"] and not theirs["values"]:
            yield "value columns (one side gives value)", "none", "none either"


def _shown(value: object) -> str:
    """A side's word, escaped and short."""
    return ascii(value)[:200]


def _agreed(job: Job, mine: Message, theirs: Message, connecting: bool) -> Agreed:
    alone = {"me": True, "peer": False, "both": connecting}[job.learn]
    slots = min(mine["workers"], theirs["workers"])
    return Agreed(
        operation=job.operation,
        receiver=not mine["values"] if job.operation == "sum" else alone,
        learns=job.learn != "peer",
        peer_learns=job.learn != "me",
        pieces=together(mine["pieces"], theirs["pieces"], slots),
        slots=slots,
        peer_columns=theirs["send"],
        sums=len(mine["values"]) or len(theirs["values"]),
        peer_width=theirs["width"],
    )
