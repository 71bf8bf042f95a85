"""What a run says of itself, in the words of the protocols that it spreads."""

from __future__ import annotations

from .. import _native
from ._terms import Agreed

MATCHES = ("which of your rows match", "which of its rows match")
COUNT = ("how many distinct keys match, not which",) * 2
SUMS = (
    "how many distinct keys match, and the sums of your values over them",
    "how many distinct keys match, and the sums of its values over them",
)
ROWS = ("the peer's rows whose keys you lack", "your rows whose keys it lacks")
SIZE = (
    "nothing but the peer's number of distinct keys",
    "nothing but your number of distinct keys",
)

#: Protocol, and what is learned by whoever learns the result.
OPERATIONS = {
    "intersect": ("rr22", MATCHES),
    "count": ("mqrpmt-dh", COUNT),
    "sum": ("mqrpmt-dh-sum", COUNT),
    "union": ("mqrpmt-dh-union", ROWS),
}

CLUSTER = "Each side learns how many workers the other has, the power of two of its rows if pieces come from it, and when the result of each piece is there."


def protocol(operation: str) -> str:
    """The protocol's id."""
    return OPERATIONS[operation][0]


def learned(agreed: Agreed, peer: str) -> str:
    """Who learns what, in a sentence."""
    yours = _of(agreed.operation, agreed.sums > 0 and not agreed.receiver, agreed.learns)[0]
    theirs = _of(agreed.operation, agreed.sums > 0 and agreed.receiver, agreed.peer_learns)[1]
    return f"You learn: {yours}. {peer} learns: {theirs}."


def _of(operation: str, owns_values: bool, learns: bool) -> tuple[str, ...]:
    if not learns:
        return SIZE
    return SUMS if owns_values else OPERATIONS[operation][1]


def leaks(agreed: Agreed) -> list[str]:
    """What leaks beyond the result, in sentences."""
    both = agreed.learns and agreed.peer_learns
    return [*_native.leaks(protocol(agreed.operation), both), CLUSTER]
