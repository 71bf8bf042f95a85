"""What a run leaves."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from html import escape
from typing import Any, NamedTuple

from ._frames import Frame
from ._native import Answers, Run
from ._native import verify_receipt as verify
from ._venn import venn


class Warned(NamedTuple):
    """Something that looks wrong, or that a result depends on."""

    #: What it is about; docs/use/data.md lists the codes.
    code: str
    #: A sentence.
    text: str
    #: How many rows of one's own list it concerns; None where it is not about rows.
    rows: int | None


def warned(report: dict[str, Any]) -> list[Warned]:
    """What a report warns of."""
    return [Warned(**warning) for warning in report["warnings"]]


def tell_of_result(report: dict[str, Any]) -> None:
    """Warns of what is known after a run alone; the rest was told with the terms."""
    for warning in warned(report):
        if warning.code == "no-match":
            warnings.warn(warning.text, stacklevel=4)


def verify_receipt(receipt: dict[str, Any] | str | bytes) -> dict[str, Any]:
    """What both parties signed, once both signatures are verified: of a result's receipt, or of the text of a receipt's file.

    A receipt that somebody did not sign, or that was changed, is a :class:`PeerError`, anything else an :class:`InputError`.
    """
    if isinstance(receipt, dict):
        receipt = json.dumps(receipt)
    file = receipt.encode() if isinstance(receipt, str) else receipt
    verify(file)
    return dict(json.loads(file)["statement"])


@dataclass(frozen=True)
class Spread:
    """How the values of the matching keys spread, each the sum over its rows."""

    #: Their mean; None where no key matches.
    mean: Decimal | None
    #: Their variance: the mean of squares of how far they are from their mean.
    variance: Decimal | None


def _spreads(result: Mapping[str, Any]) -> dict[str, Spread] | None:
    """What a result says of its columns' spreads."""
    means, variances = result.get("mean"), result.get("variance")
    if means is None or variances is None:
        return None

    def exact(text: str | None) -> Decimal | None:
        return None if text is None else Decimal(text)

    return {name: Spread(exact(mean), exact(variances[name])) for name, mean in means.items()}


@dataclass(frozen=True)
class GroupSums:
    """What is known of a group."""

    #: Its cells, by column.
    by: dict[str, str]
    #: How many of its keys both sides have; None where there are fewer than the least result.
    count: int | None
    #: Exact sums of the value columns over these keys; None as the count.
    sums: dict[str, Decimal] | None
    #: With `stats`, how the values of these keys spread, by column; None as the count.
    spreads: dict[str, Spread] | None

    @classmethod
    def of(cls, group: dict[str, Any]) -> GroupSums:
        """What a report says of a group."""
        sums = group["sum"]
        exact = None if sums is None else {name: Decimal(text) for name, text in sums.items()}
        return cls(group["by"], group["count"], exact, _spreads(group))


class Result:
    """What a run leaves: who learned what, the numbers, and the rows."""

    def __init__(self, run: Run, frame: Frame) -> None:
        self._run = run
        self._frame = frame
        #: What the command line prints with ``--json``.
        self.report: dict[str, Any] = json.loads(run.json())
        tell_of_result(self.report)

    @property
    def operation(self) -> str:
        """What was computed."""
        return str(self.report["operation"])

    @property
    def protocol(self) -> str:
        """How."""
        return str(self.report["protocol"])

    @property
    def learned(self) -> str:
        """Who learned what, in a sentence."""
        return str(self.report["learned"])

    @property
    def warnings(self) -> list[Warned]:
        """What looks wrong about the lists or the result."""
        return warned(self.report)

    @property
    def count(self) -> int | None:
        """The size of the set that the operation is about: of the union after a union or an alignment, else of the
        intersection; None if this side was not to learn it."""
        return self._number("count")

    @property
    def matches(self) -> int | None:
        """How many keys both sides have; None if this side was not to learn it."""
        result = self.report["result"]
        return self._number("matches" if "matches" in result else "count")

    @property
    def sums(self) -> dict[str, Decimal] | None:
        """Exact sums of the value columns over the matching keys; None if this side was not to learn any."""
        sums = self.report["result"].get("sum")
        return None if sums is None else {name: Decimal(text) for name, text in sums.items()}

    @property
    def spreads(self) -> dict[str, Spread] | None:
        """With `stats`, how the values of the matching keys spread, by column; None if this side was not to learn any."""
        return _spreads(self.report["result"])

    @property
    def groups(self) -> list[GroupSums] | None:
        """What is known of each group, in the order of its cells; None if this side was not to learn any."""
        groups = self.report["result"].get("groups")
        return None if groups is None else [GroupSums.of(group) for group in groups]

    @property
    def shared(self) -> dict[tuple[str, ...], int] | None:
        """How many keys each two lists have, and all, by the names of their parties, yours being "you"; None of another operation."""
        result = self.report["result"]
        if "shared" not in result:
            return None
        names = [list_["name"] for list_ in result["sets"]]
        return {
            tuple(names[place] for place in group["of"]): int(group["count"])
            for group in result["shared"]
        }

    @property
    def withheld(self) -> str | None:
        """Why a rule of the terms withholds the result from this side, which was to learn it; None if none does."""
        match self.report["result"].get("withheld"):
            case {"fewer_than": least}:
                return f"fewer than {least} matches"
            case {"above_percent": most}:
                return f"more than {most} % of the smaller list match"
        return None

    @property
    def receipt(self) -> dict[str, Any] | None:
        """What both parties signed at the end, with the signatures, for :func:`veilset.verify_receipt`; None where the way to the
        peer has no keys, as in a test."""
        text = self._run.receipt()
        return None if text is None else dict(json.loads(text))

    @cached_property
    def table(self) -> Any:
        """The result's rows, in a table of the kind that came in (of pyarrow for a file); None if there are none to know.

        Of an intersection, your rows that match; of an agreement, the row chosen, if any; of a union, your rows and those that came; of an alignment, your rows
        with their identifiers, and the others, or ADMAP's table; of shares, this side's.
        """
        # Of several parties nothing comes that would stand under a name.
        peer = self.report.get("peer") or {"name": ""}
        return self._frame.result(self._run, peer["name"])

    def _number(self, name: str) -> int | None:
        number = self.report["result"].get(name)
        return None if number is None else int(number)

    def __repr__(self) -> str:
        return f"<veilset {self.operation} by {self.protocol}: {self._said()}>"

    def _repr_html_(self) -> str:
        report = self.report
        several = "peers" in report
        picture = (
            ""
            if several
            else venn(self.operation, report["distinct"], report["peer_distinct"], self.matches)
        )
        lines = "".join(f"<br>{escape(line)}" for line in (self._said(), self.learned))
        return f"<div>{picture}<p><b>veilset {escape(self.operation)}</b>{lines}</p></div>"

    def _said(self) -> str:
        if self.operation == "agree":
            row = self._number("row")
            return "no key is in both lists" if row is None else f"row {row + 1} of yours"
        if self.withheld is not None:
            return f"{self.withheld}: the result is withheld"
        if self.matches is None:
            return "the number of matches is not yours to know"
        if (by_key := self.report["result"].get("by_key")) is not None:
            return f"{sum(by_key)} of your {self.report['rows']} rows match"
        matched = f"{self.matches} of your {self.report['distinct']} keys match"
        if "peers" in self.report:
            matched = f"{self.matches} keys are in all {len(self.report['peers']) + 1} lists"
        if self.report.get("match") == "grouped":
            matched = f"{self.matches} rows match"
        sums = "".join(f", {name} {total}" for name, total in (self.sums or {}).items())
        return f"{matched}{sums}"


class Meeting:
    """What an agreement on a slot leaves."""

    def __init__(self, report: str, calendar: str | None) -> None:
        #: What the command line prints with ``--json``.
        self.report: dict[str, Any] = json.loads(report)
        #: The slot as an iCalendar file of one event; None if no slot is free for both.
        self.calendar = calendar

    @property
    def start(self) -> datetime | None:
        """When the slot begins; None if no slot is free for both."""
        return self._time("start")

    @property
    def end(self) -> datetime | None:
        """When it ends."""
        return self._time("end")

    @property
    def learned(self) -> str:
        """Who learned what, in a sentence."""
        return str(self.report["learned"])

    @property
    def warnings(self) -> list[Warned]:
        """What looks wrong about the calendars."""
        return warned(self.report)

    def _time(self, name: str) -> datetime | None:
        slot = self.report["result"]
        return None if slot is None else datetime.fromisoformat(slot[name])

    def __repr__(self) -> str:
        return f"<veilset agree: {self.start or 'no slot is free for both'}>"


class Found:
    """What a lookup leaves: who learned what, the numbers, and the rows or items that are listed."""

    def __init__(self, answers: Answers, frame: Frame | None) -> None:
        self._answers = answers
        self._frame = frame
        for warning in self.warnings:
            warnings.warn(warning.text, stacklevel=4)

    @property
    def operation(self) -> str:
        """What was done: `lookup`."""
        return str(self.report["operation"])

    @property
    def protocol(self) -> str:
        """How."""
        return str(self.report["protocol"])

    @property
    def learned(self) -> str:
        """Who learned what, in a sentence."""
        return self._answers.learned()

    @property
    def count(self) -> int:
        """How many of the rows or items are listed."""
        return self._answers.count()

    @property
    def warnings(self) -> list[Warned]:
        """What looks wrong about the rows that were looked up."""
        return [Warned(*warning) for warning in self._answers.warnings()]

    @cached_property
    def report(self) -> dict[str, Any]:
        """What the command line prints with ``--json``: an entry for every row or item."""
        report: dict[str, Any] = json.loads(self._answers.json())
        return report

    @property
    def listed(self) -> dict[str, str | None]:
        """Of single items, those that are listed, with their labels; None is the label where the list has none."""
        entries = self.report["result"]["entries"]
        return {e["item"]: e["label"] for e in entries if "item" in e and e["listed"]}

    @cached_property
    def table(self) -> Any:
        """The rows that are listed, in a table of the kind that came in (of pyarrow for a file), with their labels in the
        column `veilset_label` if the list has labels; None for single items."""
        return None if self._frame is None else self._frame.listed(self._answers)

    def __repr__(self) -> str:
        what = "items" if self._frame is None else "rows"
        return f"<veilset lookup: {self.count} of your {what} are listed>"
