"""Workers of this side, and tries at pieces by pairs of workers."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ray
import ray.exceptions

from ..errors import Error, InputError, NetworkError, PeerError, PolicyError
from ._cluster import reason, settle
from ._host import Host, Meeting
from ._messages import TICK, Message, Talk

#: How long a worker may take to start.
START = 120.0


@dataclass(frozen=True)
class Means:
    """What workers are made with."""

    #: Processors that Ray keeps for each.
    cpus: float
    #: Threads of each.
    threads: int
    #: Bytes of memory that each may take; what its node has free without.
    max_memory: int | None
    #: Where they listen: the address, the first and the last port; zeros stand for any.
    place: tuple[str, int, int]
    #: The host name under which the peer reaches them.
    advertise: str | None
    #: Into how many pieces values fall.
    pieces: int


@dataclass(frozen=True)
class Try:
    """One attempt at a piece by the pair of workers of a slot."""

    stage: str
    piece: int
    attempt: int
    slot: int

    def ticket(self, session: bytes) -> bytes:
        """What both workers must have been told, and no other two."""
        told = f"{self.stage}/{self.piece}/{self.attempt}".encode()
        return hashlib.blake2b(told, key=session, digest_size=32).digest()


#: Has a worker do its part: its references come at once, of which the first is to something small.
Call = Callable[[Any, Meeting, int], list[Any]]


class Slot:
    """One of this side's workers after the other, each of which meets those of the same slot on the other side."""

    def __init__(self, number: int, means: Means) -> None:
        self.number = number
        self._means = means
        self._lock = threading.Lock()
        self._closed = False
        self._begin()

    def _begin(self) -> None:
        with self._lock:
            if self._closed:
                raise NetworkError("the run has ended")
            make: Any = ray.remote(num_cpus=self._means.cpus, max_restarts=0)(Host)
            self.worker: Any = make.remote(self._means.place, self._means.pieces)
            self._told: Any = self.worker.where.remote()

    def where(self) -> tuple[str, str]:
        """The worker's address and key."""
        try:
            host, port, key = ray.get(self._told, timeout=START)
        except ray.exceptions.GetTimeoutError:
            raise InputError(
                f"no worker of {self._means.cpus:g} processors started within {START:.0f} s: "
                "lower workers= or worker_cpus=, or add nodes"
            ) from None
        return f"{self._means.advertise or host}:{port}", key

    def replace(self) -> None:
        """Another worker in place of this one, which may be no more."""
        ray.kill(self.worker)
        self._begin()

    def close(self) -> None:
        """Ends the worker; there is no other after it."""
        with self._lock:
            self._closed = True
            ray.kill(self.worker)


class Pool:
    """All slots of this side."""

    def __init__(self, count: int, means: Means) -> None:
        self._count = count
        self._means = means
        self.slots: list[Slot] = []

    def open(self) -> None:
        """Starts all workers; from here on they have their processors for themselves."""
        for number in range(self._count):
            self.slots.append(Slot(number, self._means))
        for slot in self.slots:
            fetched(slot)

    def close(self) -> None:
        """Ends all workers."""
        while self.slots:
            self.slots.pop().close()


class Pair:
    """A slot of this side, and what the peer's driver says about its own."""

    def __init__(self, talk: Talk, slot: Slot, session: bytes) -> None:
        self._talk = talk
        self._slot = slot
        self._session = session
        #: Why this side's worker failed the last time.
        self.why: Error | None = None

    def lead(self, it: Try, call: Call) -> list[Any] | None:
        """Has both sides try, this one listening; nothing if either failed."""
        address, key = self._where()
        self._talk.send("do", **vars(it), address=address, key=key)
        ready = self._take("ready", it)
        return self._meet(it, Meeting(ready["key"], None, *self._secret(it)), call)

    def follow(self, it: Try, asked: Message, call: Call) -> list[Any] | None:
        """Does this side's part of a try that the peer asked for."""
        _, key = self._where()
        self._talk.send("ready", **vars(it), key=key)
        return self._meet(it, Meeting(asked["key"], asked["address"], *self._secret(it)), call)

    def _secret(self, it: Try) -> tuple[bytes, int, int | None]:
        means = self._slot._means
        return it.ticket(self._session), means.threads, means.max_memory

    def _where(self) -> tuple[str, str]:
        """Where and who the worker is; another one's if it is no more."""
        try:
            return self._slot.where()
        except ray.exceptions.RayError as error:
            if _is_fatal(why := reason(error)):
                raise why from None
        self._slot.replace()
        return fetched(self._slot)

    def _meet(self, it: Try, meeting: Meeting, call: Call) -> list[Any] | None:
        self.why = None
        refs = call(self._slot.worker, meeting, it.piece)
        well = self._succeeds(it.slot, refs[0])
        self._talk.send("done", **vars(it), ok=well)
        theirs = self._take("done", it)
        if well and theirs["ok"]:
            return refs
        self._slot.replace()
        if not well:
            settle(refs)
        return None

    def _succeeds(self, slot: int, ref: Any) -> bool:
        """Whether this side's worker did its part; one whose peer has failed is not waited for."""
        while not ray.wait([ref], timeout=TICK, fetch_local=False)[0]:
            self._talk.check()
            if self._talk.refused(slot):
                return False
        try:
            ray.get(ref)
        except ray.exceptions.RayError as error:
            why = reason(error)
            if isinstance(why, InputError):
                raise PeerError("the peer's driver named no worker's key and address") from None
            if _is_fatal(why):
                raise why from None
            self.why = why
            return False
        return True

    def _take(self, kind: str, it: Try) -> Message:
        message = self._talk.take(kind, slot=it.slot)
        if any(message[name] != value for name, value in vars(it).items()):
            raise PeerError("the peer's driver speaks of another try than the one that goes on")
        return message


def fetched(slot: Slot) -> tuple[str, str]:
    """Where a worker is that has just begun."""
    try:
        return slot.where()
    except ray.exceptions.RayError as error:
        kind = type(error).__name__
        raise NetworkError(
            f"a worker did not start ({kind}): does its node have veilset, and a free port of ports=?"
        ) from None


def _is_fatal(error: Error) -> bool:
    """Whether another try cannot mend it. Another key than the one that was named may be a worker's that took a lost one's port."""
    return not isinstance(error, NetworkError | PolicyError)
