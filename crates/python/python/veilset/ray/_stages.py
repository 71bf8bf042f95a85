"""A stage of a run: all pieces, by all pairs of workers, until each was done on both sides."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .._native import Stop
from .._order import Progress
from ..errors import Error, NetworkError, PeerError, PolicyError
from ._messages import TICK, Talk
from ._slots import START, Call, Pair, Pool, Try


@dataclass
class Conduct:
    """What all stages of a run share."""

    talk: Talk
    pool: Pool
    session: bytes
    #: Whether this side picks pieces and its workers listen.
    leads: bool
    pieces: int
    retries: int
    progress: Progress | None
    stop: Stop
    #: Tries that failed on either side.
    failed: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    def run(self, name: str, call: Call) -> list[list[Any]]:
        """Does a stage; what each piece has come to on this side."""
        began = time.monotonic()
        stage = Stage(self, name, call)
        results = stage.run()
        self.seconds[name] = time.monotonic() - began
        return results


class Stage:
    """One stage while it goes on."""

    def __init__(self, conduct: Conduct, name: str, call: Call) -> None:
        self._conduct = conduct
        self._name = name
        self._call = call
        self._lock = threading.Lock()
        self._results: dict[int, list[Any]] = {}
        self._failures: dict[int, int] = {}
        self._pieces: queue.Queue[int] = queue.Queue()
        self._broken: BaseException | None = None

    def run(self) -> list[list[Any]]:
        """Every slot works until no piece is left."""
        pieces = self._conduct.pieces
        for piece in range(pieces):
            self._pieces.put(piece)
        self._tell()
        work = self._lead if self._conduct.leads else self._follow
        self._in_threads(work)
        if len(self._results) != pieces:
            raise PeerError(f"the peer's driver left out pieces of the stage {self._name!r}")
        return [self._results[piece] for piece in range(pieces)]

    def _in_threads(self, work: Callable[[Pair, int], None]) -> None:
        """A thread for each slot, while this one waits; the first error ends all."""
        conduct = self._conduct
        threads = [
            threading.Thread(
                target=self._guarded,
                args=(work, Pair(conduct.talk, slot, conduct.session), slot.number),
                daemon=True,
            )
            for slot in conduct.pool.slots
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(TICK)
                if conduct.stop.stopped:
                    conduct.talk.fail(NetworkError("stopped"))
        if self._broken is not None:
            raise self._broken
        conduct.talk.check()

    def _guarded(self, work: Callable[[Pair, int], None], pair: Pair, slot: int) -> None:
        try:
            work(pair, slot)
        except BaseException as error:  # noqa: BLE001
            with self._lock:
                self._broken = self._broken or error
            end = error if isinstance(error, Error) else NetworkError("the run has ended")
            self._conduct.talk.fail(end)

    def _lead(self, pair: Pair, slot: int) -> None:
        while (piece := self._next()) is not None:
            it = Try(self._name, piece, self._failures.get(piece, 0), slot)
            self._note(it, pair.lead(it, self._call), pair.why)
        self._conduct.talk.send("rest", stage=self._name, slot=slot)

    def _next(self) -> int | None:
        """A piece that nobody works at; nothing if all are done."""
        while True:
            try:
                return self._pieces.get(timeout=TICK)
            except queue.Empty:
                self._conduct.talk.check()
                if len(self._results) == self._conduct.pieces:
                    return None

    def _follow(self, pair: Pair, slot: int) -> None:
        talk = self._conduct.talk
        while (asked := talk.take("do", "rest", slot=slot))["kind"] == "do":
            it = Try(asked["stage"], asked["piece"], asked["attempt"], slot)
            if it.stage != self._name or it.piece >= self._conduct.pieces:
                raise PeerError("the peer's driver asked for a piece that is not of this stage")
            self._await_failure(it)
            with self._lock:
                expected = self._failures.get(it.piece, 0)
                if it.piece in self._results or it.attempt != expected:
                    raise PeerError("the peer's driver asked for a piece twice")
            self._note(it, pair.follow(it, asked, self._call), pair.why)
        if asked["stage"] != self._name:
            raise PeerError("the peer's driver ended another stage than the one that goes on")

    def _await_failure(self, it: Try) -> None:
        """The peer may have heard of a failed try before the thread of that slot has put another worker in its place."""
        until = time.monotonic() + START
        while it.attempt == self._failures.get(it.piece, 0) + 1 and time.monotonic() < until:
            self._conduct.talk.check()
            time.sleep(TICK / 10)

    def _note(self, it: Try, refs: list[Any] | None, why: Error | None) -> None:
        with self._lock:
            if refs is not None:
                self._results[it.piece] = refs
                return self._tell()
            self._conduct.failed += 1
            self._failures[it.piece] = it.attempt + 1
        if it.attempt >= self._conduct.retries:
            raise _gave_up(it, why)
        self._pieces.put(it.piece)

    def _tell(self) -> None:
        """Progress."""
        progress = self._conduct.progress
        if progress is not None:
            progress(self._name, len(self._results), self._conduct.pieces)


def _gave_up(it: Try, why: Error | None) -> Error:
    """The end of a run of which a piece failed too often, the last time because of `why` if that was this side's worker."""
    failed = f"piece {it.piece} of the stage {it.stage!r} failed {it.attempt + 1} times"
    if isinstance(why, PolicyError):
        return PolicyError(f"{failed}: {why}")
    return NetworkError(
        f"{failed}: are the ports of the listening side's workers open to the other side's nodes?"
    )
