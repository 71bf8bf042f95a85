"""A run from the user's arguments to the result."""

from __future__ import annotations

import json
import secrets
import time
from typing import Any

import ray
import ray.data

from .. import _native
from .._native import Agreed
from .._order import Asks, caller, way
from .._order import Options as SingleOptions
from .._progress import shown
from ..errors import Error, PeerError, PolicyError
from . import _cluster
from ._data import dataset
from ._messages import Message, Talk
from ._operations import OPERATIONS, Outcome, Run, Tier
from ._options import Data, Job, Options, job, port_range, worker_count
from ._prepare import Marks, Pieces, Slices, prepare
from ._result import Result, distinct, numbers, of_list, report
from ._scan import Blocks, Scan, blocks
from ._slots import Means, Pool
from ._stages import Conduct
from ._union import united, unpacked

#: The most elements of a piece, and the most bytes of its rows: what a worker of some GB holds.
MOST_OF_A_PIECE = 1 << 25
MOST_BYTES_OF_A_PIECE = 1 << 32


class Cluster:
    """One run of this side."""

    def __init__(self, peer: str, options: Options, wanted: Job) -> None:
        self._peer = peer
        self._options = options
        self._job = wanted
        self._stop = options.get("stop") or _native.Stop()
        self._seconds: dict[str, float] = {}
        self._presets = [_native.presets(key) for key in wanted.keys]
        #: What the report says of the run beside its result.
        self._heading: dict[str, Any] = {}
        self._ports = port_range(options)

    def run(self, data: Data, progress: Any) -> Result:
        """Reads the list, meets the peer, and computes."""
        _cluster.join()
        workers = worker_count(self._options, _cluster.processors())
        found = self._timed("read", lambda: blocks(dataset(data), self._job))
        link = self._open(progress)
        talk = Talk(link)
        try:
            run, outcome = self._with_peer(talk, link, found, workers, progress)
            self._end(talk)
        except BaseException as error:
            talk.over(error.exit_code if isinstance(error, Error) else 130)
            raise
        finally:
            talk.close()
        # From here on the peer hears nothing, whatever the result is.
        if not outcome.honest:
            raise PeerError("the peer's list has a key twice, which an honest peer's never has")
        return self._result(run, outcome, found)

    def _open(self, progress: Any) -> _native.Link:
        options = self._options
        party = options.get("party") or _native.Party.load()
        ends: SingleOptions = {}
        for name in ("connect", "listen", "deadline"):
            if name in options:
                ends[name] = options[name]
        hears = caller(None, options.get("confirm"))
        return _native.Link.open(party, way([self._peer], ends), hears, self._stop)

    def _with_peer(
        self, talk: Talk, link: _native.Link, found: Blocks, workers: int, progress: Any
    ) -> tuple[Run, Outcome]:
        agreed = _native.cluster_terms(
            self._job, found.scan, workers, link.connecting, lambda mine: _swap_terms(talk, mine)
        )
        own = self._timed("prepare", lambda: self._prepare(link.session, found, agreed))
        marks = Marks(found)
        pool = Pool(agreed.slots, self._means(agreed, link.connecting))

        def again(key: int) -> Tier:
            # Whoever cuts the list needs the workers' processors.
            pool.close()
            session = link.session_of(key)
            left = self._timed("prepare", lambda: self._prepare(session, found, agreed, key, marks))
            pool.open()
            return Tier(left, _swap_sizes(talk, left, agreed)["distinct"])

        try:
            pool.open()
            sizes = _swap_sizes(talk, own, agreed)
            self._confirm(talk, agreed, sizes["distinct"], found.scan)
            self._heading = {**json.loads(_native.heading()), "run": link.run}
            self._heading["presets"] = ";".join(self._presets)
            self._heading["peer"] = {"name": self._peer, "key": link.peer}
            conduct = Conduct(
                talk=talk,
                pool=pool,
                session=link.session,
                leads=not link.connecting,
                pieces=agreed.pieces,
                retries=self._job.retries,
                progress=progress,
                stop=self._stop,
                seconds=self._seconds,
            )
            run = Run(
                job=self._job,
                agreed=agreed,
                talk=talk,
                conduct=conduct,
                own=own,
                peer_distinct=sizes["distinct"],
                peer_sizes=sizes["slices"],
                again=again,
                marks=marks,
            )
            return run, OPERATIONS[self._job.operation](run)
        finally:
            pool.close()

    def _prepare(
        self,
        session: bytes,
        found: Blocks,
        agreed: Agreed,
        key: int = 0,
        marks: Marks | None = None,
    ) -> Pieces:
        common = self._job.operation == "intersect"
        secret = None if common else secrets.token_bytes(32)
        scan = found.scan
        slices = Slices(session, secret, agreed.pieces, scan.scales, scan.width)
        return prepare(found, self._job, slices, key, marks)

    def _means(self, agreed: Agreed, connecting: bool) -> Means:
        threads = self._job.threads
        # Nobody comes to the workers of the side that connects.
        place = ("127.0.0.1", 0, 0) if connecting else ("0.0.0.0", *self._ports)
        return Means(
            cpus=self._options.get("worker_cpus", float(threads)),
            threads=threads,
            max_memory=self._job.max_memory,
            place=place,
            advertise=self._options.get("advertise"),
            pieces=agreed.pieces,
        )

    def _confirm(self, talk: Talk, agreed: Agreed, peer_distinct: int, scan: Scan) -> None:
        """Both sides say whether they go on."""
        terms = agreed.terms(self._peer, peer_distinct)
        terms["warnings"] = [w["text"] for w in _warnings(scan, agreed, peer_distinct)]
        goes_on = caller(None, self._options.get("confirm")).confirm(terms) is not False
        talk.send("go", go=goes_on)
        if not goes_on:
            raise PolicyError("declined; nothing was sent but the terms and sizes")
        if not talk.take_in_time("go", "consent to the terms")["go"]:
            raise PolicyError("the peer declined the terms")

    def _result(self, run: Run, outcome: Outcome, found: Blocks) -> Result:
        by_key, table = self._timed("join", lambda: _joined(run, outcome, found))
        scan = found.scan
        circumstances = {
            **of_list(run, outcome, self._presets, scan),
            "warnings": [
                *_warnings(scan, run.agreed, run.peer_distinct),
                *_no_match(run, outcome),
            ],
            "result": numbers(run, outcome, by_key, scan.scales),
        }
        return Result(report(run, self._heading, circumstances), table)

    def _end(self, talk: Talk) -> None:
        """Results are handed out only once both sides have theirs."""
        talk.send("end")
        talk.take("end")

    def _timed(self, name: str, work: Any) -> Any:
        began = time.monotonic()
        done = work()
        self._seconds[name] = self._seconds.get(name, 0.0) + time.monotonic() - began
        return done


def _warnings(scan: Scan, agreed: Agreed, peer_distinct: int) -> list[dict[str, Any]]:
    """What is to be known before a run."""
    return [*scan.warnings, *map(_of_lists, agreed.warnings(peer_distinct))]


def _of_lists(warning: tuple[str, str]) -> dict[str, Any]:
    """A warning that is of no rows in particular."""
    code, text = warning
    return {"code": code, "text": text, "rows": None}


def _no_match(run: Run, outcome: Outcome) -> list[dict[str, Any]]:
    said = _native.no_match(*distinct(run, outcome)) if outcome.matches == 0 else None
    return [_of_lists(said)] if said else []


def _swap_terms(talk: Talk, mine: bytes) -> bytes:
    """Tells the peer this side's terms; its own."""
    talk.send(**json.loads(mine))
    theirs: bytes = talk.take_in_time("terms", "send its terms")["body"]
    return theirs


def _swap_sizes(talk: Talk, own: Pieces, agreed: Agreed) -> Message:
    """Both sides' numbers of distinct keys, and those of random slices, which say no more."""
    slices = [] if agreed.operation == "intersect" else own.sizes
    talk.send("sizes", distinct=own.distinct, slices=slices)
    theirs = talk.take("sizes")
    check_sizes(theirs, own, agreed)
    return theirs


def check_sizes(theirs: Message, own: Pieces, agreed: Agreed) -> None:
    """Nothing is computed, or taken of memory, for sizes that no honest peer has or that no worker holds."""
    distinct, slices = theirs["distinct"], theirs["slices"]
    expected = 0 if agreed.operation == "intersect" else agreed.pieces
    wrong = expected and sum(slices) != distinct
    if len(slices) != expected or wrong:
        raise PeerError("the peer's driver sent sizes that do not add up")
    largest = _native.capacity(distinct, agreed.pieces)
    if any(size > largest for size in slices):
        raise PeerError("a slice of the peer is larger than chance makes it in any of 2^40 runs")
    for whose, count in (("this side", own.distinct), ("the peer", distinct)):
        if _native.capacity(count, agreed.pieces) > MOST_OF_A_PIECE:
            raise PolicyError(
                f"{whose} has {count} distinct keys, too many for {agreed.pieces} pieces of "
                f"{MOST_OF_A_PIECE} at most: split the lists"
            )
    if largest * agreed.peer_width > MOST_BYTES_OF_A_PIECE:
        raise PolicyError(
            f"a piece of the peer's rows would take more than {MOST_BYTES_OF_A_PIECE} bytes: "
            "ask it to send fewer columns"
        )


def _joined(
    run: Run, outcome: Outcome, found: Blocks
) -> tuple[list[int] | None, ray.data.Dataset | None]:
    """How many of one's own rows match by each key, if they are known, and the result's table."""
    if outcome.matched is not None:
        last = len(outcome.tiers) - 1
        run.marks.add(last, outcome.tiers[last].own, outcome.matched)
        by_key, tables = run.marks.rows(len(outcome.tiers))
        return by_key, ray.data.from_arrow_refs(tables)
    if outcome.received is not None:
        columns = _distinct([*run.job.key_columns, *run.agreed.peer_columns])
        received = unpacked(outcome.received[1], run.agreed.peer_width, columns)
        return None, ray.data.from_arrow_refs(united(found, received))
    return None, None


def _distinct(names: list[str]) -> list[str]:
    """Names of which no two are the same; the peer may send a column that is called like a key here."""
    distinct: list[str] = []
    for name in names:
        while name in distinct:
            name += " (peer)"
        distinct.append(name)
    return distinct


def run(data: Data, peer: str, asks: Asks, options: Options) -> Result:
    """One operation with one peer."""
    cluster = Cluster(peer, options, job(asks, options))
    with shown(options.get("progress")) as progress:
        try:
            return cluster.run(data, progress)
        except ray.exceptions.RayError as error:
            raise _cluster.reason(error) from None
