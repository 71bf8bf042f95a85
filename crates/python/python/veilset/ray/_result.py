"""What a run on a cluster leaves."""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .._result import Result as SingleResult
from .._result import tell_of_result
from ._operations import Outcome, Run, Tier
from ._scan import Scan

if TYPE_CHECKING:
    import ray.data


class Result(SingleResult):
    """What a run leaves: who learned what, the numbers, and the rows as a Ray dataset."""

    def __init__(self, report: dict[str, Any], table: ray.data.Dataset | None) -> None:
        self.report = report
        self._rows = table
        tell_of_result(report)

    @cached_property
    def table(self) -> ray.data.Dataset | None:
        """The result's rows in the object store; None if there are none to know.

        Of an intersection, your rows that match; of a union, your rows and those that came.
        """
        return self._rows


#: What a report has of the terms as they are.
AS_AGREED = ("operation", "protocol", "security", "group", "digest", "learn")


def report(run: Run, heading: dict[str, Any], circumstances: dict[str, Any]) -> dict[str, Any]:
    """What the command line prints with ``--json``, as far as it makes sense here."""
    terms = run.agreed.terms(heading["peer"]["name"], run.peer_distinct)
    return {
        **heading,
        **{name: terms[name] for name in AS_AGREED},
        "role": run.agreed.role,
        "learned": terms["learned"],
        "pieces": run.agreed.pieces,
        "workers": run.agreed.slots,
        "threads": run.job.threads,
        "retries": run.conduct.failed,
        "seconds": run.conduct.seconds,
        **circumstances,
    }


def distinct(run: Run, outcome: Outcome) -> tuple[int, int]:
    """How many distinct keys this side has, and the peer; of several keys the values that were left under each, together."""
    tiers = outcome.tiers or [Tier(run.own, run.peer_distinct)]
    return sum(tier.own.distinct for tier in tiers), sum(tier.peer_distinct for tier in tiers)


def of_list(run: Run, outcome: Outcome, presets: list[str], scan: Scan) -> dict[str, Any]:
    """What the report says of the lists; of several keys the sums, and what is of each."""
    own, peers = distinct(run, outcome)
    whole: dict[str, Any] = {"rows": scan.rows, "distinct": own, "peer_distinct": peers}
    by_key = [vars(skipped) for skipped in scan.skipped]
    whole |= {name: sum(of_key[name] for of_key in by_key) for name in by_key[0]}
    if len(by_key) > 1:
        sizes = (tier.own.distinct for tier in outcome.tiers)
        keys = zip(presets, sizes, by_key, strict=True)
        whole["match"] = "tiers"
        whole["keys"] = [
            {"presets": of, "distinct": left, **of_key, "crowded": 0} for of, left, of_key in keys
        ]
    return whole


def numbers(
    run: Run, outcome: Outcome, by_key: list[int] | None, scales: list[int]
) -> dict[str, Any]:
    """The result's numbers: `count` is the size of the set that the operation is about."""
    matches = outcome.matches
    if run.job.operation == "intersect":
        rows = None if by_key is None else sum(by_key)
        several = {"by_key": by_key} if len(run.job.keys) > 1 else {}
        return {"count": matches, "rows": rows, **several}
    if run.job.operation == "sum":
        return {"count": matches, "sum": _decimals(run.job.values, outcome.sums, scales)}
    if run.job.operation == "union":
        whole = None if matches is None else run.own.distinct + run.peer_distinct - matches
        received = None if outcome.received is None else outcome.received[0]
        return {"count": whole, "matches": matches, "received": received}
    return {"count": matches}


def _decimals(names: list[str], sums: list[int] | None, scales: list[int]) -> dict[str, str] | None:
    """Sums in units modulo 2^128 as exact decimals."""
    if sums is None:
        return None
    signed = (units - (1 << 128) if units >> 127 else units for units in sums)
    shown = (_decimal(units, scale) for units, scale in zip(signed, scales, strict=True))
    return dict(zip(names, shown, strict=True))


def _decimal(units: int, scale: int) -> str:
    sign = int(units < 0)
    digits = tuple(map(int, str(abs(units))))
    return f"{Decimal((sign, digits, -scale)):f}"
