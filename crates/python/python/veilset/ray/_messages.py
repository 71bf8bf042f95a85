"""What drivers tell each other: JSON over a link, each message checked before anybody sees it."""

from __future__ import annotations

import json
import math
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from .._native import MAX_COLUMNS, MAX_KEYS, MAX_NAME, MAX_PIECES, MAX_WORKERS, Link
from ..errors import BY_EXIT_CODE, Error, InternalError, NetworkError, PeerError, PolicyError

Check = Callable[[object], bool]
Message = dict[str, Any]

#: The most tries at a piece after the first.
MAX_ATTEMPTS = 1000

#: No slot: what is said about the run as a whole.
WHOLE = -1

#: How often whoever waits looks whether the run has ended.
TICK = 0.2

#: How long what came before the end of a connection may take to be read.
PATIENCE = 5.0

#: More messages than that never wait for a slot if the peer keeps to the protocol.
MAX_WAITING = 16


def number(least: int, most: int) -> Check:
    """A whole number within these bounds."""
    return lambda value: type(value) is int and least <= value <= most


def text(longest: int) -> Check:
    """A text of so many bytes at most."""
    return lambda value: isinstance(value, str) and _length(value) <= longest


def _length(value: str) -> int:
    """Bytes of a text; of half a character, which is none, more than any text may have."""
    try:
        return len(value.encode())
    except UnicodeEncodeError:
        return sys.maxsize


def flag(value: object) -> bool:
    """Yes or no."""
    return isinstance(value, bool)


def several(check: Check, most: int) -> Check:
    """A list of so many at most."""
    return lambda value: isinstance(value, list) and len(value) <= most and all(map(check, value))


TRY = {
    "stage": text(32),
    "piece": number(0, MAX_PIECES - 1),
    "attempt": number(0, MAX_ATTEMPTS),
    "slot": number(0, MAX_WORKERS - 1),
}

#: Every message but the terms, by its kind.
FORMS: dict[str, dict[str, Check]] = {
    "sizes": {
        "distinct": number(0, MAX_KEYS),
        "slices": several(number(0, (1 << 32) - 1), MAX_PIECES),
    },
    "go": {"go": flag},
    # The conductor asks for a try at a piece, with where and who its worker is; the other says who its own is.
    "do": {**TRY, "address": text(MAX_NAME), "key": text(MAX_NAME)},
    "ready": {**TRY, "key": text(MAX_NAME)},
    "done": {**TRY, "ok": flag},
    "rest": {"stage": text(32), "slot": number(0, MAX_WORKERS - 1)},
    "counts": {"counts": several(number(0, MAX_KEYS), MAX_PIECES)},
    "count": {"count": number(0, MAX_KEYS)},
    "sums": {"sums": several(number(0, (1 << 128) - 1), MAX_COLUMNS)},
    "end": {},
    "over": {"code": number(0, 255)},
}


def read(data: bytes) -> Message:
    """A message of the peer's, if it is one."""
    try:
        message = json.loads(data)
    except (ValueError, RecursionError):
        raise PeerError("the peer's driver sent what is no message") from None
    kind = message.get("kind") if isinstance(message, dict) else None
    if kind == "terms":
        # Whoever compares them reads them.
        return {"kind": kind, "body": data}
    form = FORMS.get(kind) if isinstance(kind, str) else None
    if form is None or set(message) != {"kind", *form}:
        raise PeerError("the peer's driver sent a message of no known kind")
    for name, check in form.items():
        if not check(message[name]):
            raise PeerError(f"the peer's driver sent {kind!r} with an impossible {name!r}")
    return dict(message)


class Talk:
    """The conversation with the peer's driver."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._waiting: dict[int, queue.Queue[Message]] = {}
        self._lock = threading.Lock()
        self._failure: Error | None = None
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def send(self, kind: str, **fields: object) -> None:
        """Tells the peer."""
        try:
            self._link.send(json.dumps({"kind": kind, **fields}).encode())
        except NetworkError:
            # What the peer said before it closed the connection says more than that it is closed.
            self._listener.join(PATIENCE)
            self.check()
            raise

    def take_in_time(self, kind: str, what: str) -> Message:
        """Waits for the next message about the whole run, until the deadline."""
        return self._take((kind,), WHOLE, time.monotonic() + self._link.deadline, what)

    def take(self, *kinds: str, slot: int = WHOLE) -> Message:
        """Waits for the next message about a slot, which must be of one of these kinds."""
        return self._take(kinds, slot, math.inf, "")

    def _take(self, kinds: tuple[str, ...], slot: int, end: float, what: str) -> Message:
        waiting = self._of(slot)
        while True:
            try:
                message = waiting.get(timeout=TICK)
            except queue.Empty:
                self.check()
                if time.monotonic() >= end:
                    seconds = self._link.deadline
                    raise NetworkError(f"the peer did not {what} within {seconds:g} s") from None
                continue
            if message["kind"] not in kinds:
                raise PeerError(f"the peer's driver said {message['kind']!r} out of turn")
            return message

    def refused(self, slot: int) -> bool:
        """Whether the peer has already said that it failed at what this slot does."""
        waiting = self._of(slot).queue
        return bool(waiting) and waiting[0].get("ok") is False

    def check(self) -> None:
        """Raises what ended the conversation, if something did."""
        if self._failure is not None:
            raise type(self._failure)(str(self._failure))

    def fail(self, error: Error) -> None:
        """Ends the conversation for every thread of this side; the first reason holds."""
        with self._lock:
            self._failure = self._failure or error

    def over(self, code: int) -> None:
        """Tells the peer that this side ends the run, if it still listens."""
        try:
            self.send("over", code=code)
        except Error:
            pass

    def close(self) -> None:
        """Says that no more comes."""
        self.fail(NetworkError("the run has ended"))
        self._link.close()

    def _of(self, slot: int) -> queue.Queue[Message]:
        with self._lock:
            return self._waiting.setdefault(slot, queue.Queue(MAX_WAITING))

    def _listen(self) -> None:
        try:
            while True:
                self._hear(read(self._link.receive()))
        except Error as error:
            self.fail(error)
        except Exception as error:  # noqa: BLE001
            self.fail(InternalError(f"the conversation of drivers broke: {type(error).__name__}"))

    def _hear(self, message: Message) -> None:
        if message["kind"] == "over":
            raise _said(message["code"])
        try:
            self._of(message.get("slot", WHOLE)).put_nowait(message)
        except queue.Full:
            raise PeerError("the peer's driver talks out of turn") from None


def _said(code: int) -> Error:
    """The peer's end of the run, by its exit code."""
    kind = BY_EXIT_CODE.get(code)
    if kind is PolicyError:
        return PolicyError("the peer declined the terms, or may not go on with them")
    name = "an interrupt" if kind is None else kind.__name__
    return NetworkError(f"the peer ended the run ({name} on its side): ask it why, then run again")
