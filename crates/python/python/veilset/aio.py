"""The same operations for asyncio. Each runs in a thread; cancelling the task stops the run.

`progress` is called by the event loop, `confirm` by the thread of the run.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, Unpack, cast

from . import _session
from ._declared import SCHEME, SHARES, Match, Operation, Pairs, Scheme, Shares
from ._frames import Table
from ._native import Stop
from ._order import (
    Columns,
    Format,
    JoinOptions,
    Keys,
    LookupOptions,
    NumberOptions,
    Options,
    Progress,
)
from ._result import Found, Meeting, Result
from ._session import Items

T = TypeVar("T")


async def _in_thread(work: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Does the work, which `stop` ends, in a thread; a cancellation waits until it has ended."""
    stop = options.get("stop") or Stop()
    progress = options.get("progress")
    if callable(progress):
        options["progress"] = _from_thread(asyncio.get_running_loop(), progress)
    task = asyncio.ensure_future(asyncio.to_thread(work, *arguments, **{**options, "stop": stop}))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop.stop()
        await asyncio.wait([task])
        # It ended because it was to.
        task.exception()
        raise


def _from_thread(loop: asyncio.AbstractEventLoop, progress: Progress) -> Progress:
    def tell(step: str, done: int, total: int) -> None:
        loop.call_soon_threadsafe(progress, step, done, total)

    return tell


class Session:
    """Runs with one peer or several parties, as :class:`veilset.Session`."""

    def __init__(
        self,
        peer: str | None = None,
        *,
        peers: Sequence[str] | None = None,
        **options: Unpack[Options],
    ) -> None:
        self._session = _session.Session(peer, peers=peers, **options)
        self._options = options

    async def intersect(
        self,
        table: Table,
        *,
        on: Keys,
        match: Match | None = None,
        pairs: Pairs | None = None,
        **options: Unpack[JoinOptions],
    ) -> Result:
        """As :func:`veilset.intersect`."""
        own = {"match": match, "pairs": pairs}
        return await self._do(self._session.intersect, table, on=on, **own, **options)

    async def count(
        self,
        table: Table,
        *,
        on: Keys,
        match: Match | None = None,
        pairs: Pairs | None = None,
        **options: Unpack[NumberOptions],
    ) -> Result:
        """As :func:`veilset.count`."""
        own = {"match": match, "pairs": pairs}
        return await self._do(self._session.count, table, on=on, **own, **options)

    async def overlaps(
        self, table: Table, *, on: Columns, **options: Unpack[NumberOptions]
    ) -> Result:
        """As :func:`veilset.overlaps`."""
        return await self._do(self._session.overlaps, table, on=on, **options)

    async def sum(
        self,
        table: Table,
        *,
        on: Keys,
        value: Columns = (),
        factor: str | None = None,
        stats: bool = False,
        by: Columns = (),
        groups: int | None = None,
        match: Match | None = None,
        pairs: Pairs | None = None,
        **options: Unpack[NumberOptions],
    ) -> Result:
        """As :func:`veilset.sum`."""
        own: dict[str, Any] = {"value": value, "factor": factor, "stats": stats, "by": by}
        own.update(groups=groups, match=match, pairs=pairs)
        return await self._do(self._session.sum, table, on=on, **own, **options)

    async def union(
        self,
        table: Table,
        *,
        on: Keys,
        send: Columns = (),
        match: Match | None = None,
        pairs: Pairs | None = None,
        **options: Unpack[Options],
    ) -> Result:
        """As :func:`veilset.union`."""
        own = {"send": send, "match": match, "pairs": pairs}
        return await self._do(self._session.union, table, on=on, **own, **options)

    async def share(
        self,
        table: Table,
        *,
        on: Keys,
        value: Columns = (),
        shares: Shares = SHARES,
        match: Match | None = None,
        pairs: Pairs | None = None,
        **options: Unpack[Options],
    ) -> Result:
        """As :func:`veilset.share`."""
        own = {"value": value, "shares": shares, "match": match, "pairs": pairs}
        return await self._do(self._session.share, table, on=on, **own, **options)

    async def align(
        self,
        table: Table,
        *,
        on: Columns,
        format: Format = "rows",
        space_id: str | None = None,
        **options: Unpack[Options],
    ) -> Result:
        """As :func:`veilset.align`."""
        return await self._do(
            self._session.align, table, on=on, format=format, space_id=space_id, **options
        )

    async def choose(
        self, table: Table, *, on: Columns, scheme: Scheme = SCHEME, **options: Unpack[Options]
    ) -> Result:
        """As :func:`veilset.choose`."""
        return await self._do(self._session.choose, table, on=on, scheme=scheme, **options)

    async def agree(
        self,
        calendar: str | os.PathLike[str],
        *,
        between: str,
        length: str,
        zone: str,
        **options: Any,
    ) -> Meeting:
        """As :func:`veilset.agree`."""
        days: Any = {"between": between, "length": length, "zone": zone}
        work = self._session.agree
        return await self._do(work, calendar, **days, **options)

    async def lookup(
        self, asked: Table | Items, *, on: Columns = (), **options: Unpack[LookupOptions]
    ) -> Found:
        """As :func:`veilset.lookup`."""
        return await self._do(self._session.lookup, asked, on=on, **options)

    async def _do(self, work: Callable[..., T], given: Any, **options: Any) -> T:
        # The session's own progress and stop are wrapped too.
        for name in ("progress", "stop"):
            if name in self._options:
                options.setdefault(name, self._options[name])
        return cast(T, await _in_thread(work, given, **options))

    async def __aenter__(self) -> Session:
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._session.close()


async def intersect(
    table: Table,
    *,
    on: Keys,
    peer: str | None = None,
    peers: Sequence[str] | None = None,
    match: Match | None = None,
    pairs: Pairs | None = None,
    **options: Unpack[JoinOptions],
) -> Result:
    """As :func:`veilset.intersect`."""
    return await Session(peer, peers=peers).intersect(
        table, on=on, match=match, pairs=pairs, **options
    )


async def count(
    table: Table,
    *,
    on: Keys,
    peer: str | None = None,
    peers: Sequence[str] | None = None,
    match: Match | None = None,
    pairs: Pairs | None = None,
    **options: Unpack[NumberOptions],
) -> Result:
    """As :func:`veilset.count`."""
    return await Session(peer, peers=peers).count(table, on=on, match=match, pairs=pairs, **options)


async def overlaps(
    table: Table, *, on: Columns, peers: Sequence[str], **options: Unpack[NumberOptions]
) -> Result:
    """As :func:`veilset.overlaps`."""
    return await Session(peers=peers).overlaps(table, on=on, **options)


async def sum(
    table: Table,
    *,
    on: Keys,
    peer: str,
    value: Columns = (),
    factor: str | None = None,
    stats: bool = False,
    by: Columns = (),
    groups: int | None = None,
    match: Match | None = None,
    pairs: Pairs | None = None,
    **options: Unpack[NumberOptions],
) -> Result:
    """As :func:`veilset.sum`."""
    return await Session(peer).sum(
        table,
        on=on,
        value=value,
        factor=factor,
        stats=stats,
        by=by,
        groups=groups,
        match=match,
        pairs=pairs,
        **options,
    )


async def union(
    table: Table,
    *,
    on: Keys,
    peer: str,
    send: Columns = (),
    match: Match | None = None,
    pairs: Pairs | None = None,
    **options: Unpack[Options],
) -> Result:
    """As :func:`veilset.union`."""
    return await Session(peer).union(table, on=on, send=send, match=match, pairs=pairs, **options)


async def share(
    table: Table,
    *,
    on: Keys,
    peer: str,
    value: Columns = (),
    shares: Shares = SHARES,
    match: Match | None = None,
    pairs: Pairs | None = None,
    **options: Unpack[Options],
) -> Result:
    """As :func:`veilset.share`."""
    return await Session(peer).share(
        table, on=on, value=value, shares=shares, match=match, pairs=pairs, **options
    )


async def align(
    table: Table,
    *,
    on: Columns,
    peer: str,
    format: Format = "rows",
    space_id: str | None = None,
    **options: Unpack[Options],
) -> Result:
    """As :func:`veilset.align`."""
    return await Session(peer).align(table, on=on, format=format, space_id=space_id, **options)


async def choose(
    table: Table,
    *,
    on: Columns,
    peer: str,
    scheme: Scheme = SCHEME,
    **options: Unpack[Options],
) -> Result:
    """As :func:`veilset.choose`."""
    return await Session(peer).choose(table, on=on, scheme=scheme, **options)


async def agree(
    calendar: str | os.PathLike[str],
    *,
    peer: str,
    between: str,
    length: str,
    zone: str,
    **options: Any,
) -> Meeting:
    """As :func:`veilset.agree`."""
    session = Session(peer)
    return await session.agree(calendar, between=between, length=length, zone=zone, **options)


async def lookup(
    asked: Table | Items, *, peer: str, on: Columns = (), **options: Unpack[LookupOptions]
) -> Found:
    """As :func:`veilset.lookup`."""
    return await Session(peer).lookup(asked, on=on, **options)


async def run_local(
    operation: Operation, a: Table, b: Table, *, on: Keys, **options: Any
) -> tuple[Result, Result]:
    """As :func:`veilset.run_local`."""
    both = await _in_thread(_session.run_local, operation, a, b, on=on, **options)
    return cast(tuple[Result, Result], both)
