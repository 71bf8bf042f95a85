"""The operations, one by one or several with the same peer."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar, Unpack, cast

from ._declared import SCHEME, SHARES, Choices, Join, Match, Operation, Pairs, Scheme, Shares
from ._frames import Table, frame
from ._keywords import helps, refuse_others, refuse_unknown, takes
from ._native import Party, Stop
from ._native import agree as _agree
from ._native import lookup as _lookup
from ._native import plan as _plan
from ._native import run as _run
from ._native import run_local as _run_local
from ._order import (
    AgreeOptions,
    Asked,
    Asks,
    Caller,
    Columns,
    Format,
    JoinOptions,
    Keys,
    Learn,
    LookupOptions,
    NumberOptions,
    Options,
    Security,
    TermOptions,
    Way,
    Wish,
    caller,
    chosen,
    inquiry,
    several,
    way,
)
from ._progress import shown
from ._result import Found, Meeting, Result
from .errors import InputError

T = TypeVar("T")

#: Single items that are looked up.
Items: TypeAlias = list[str] | tuple[str, ...]

#: How long a lookup waits for the service.
PATIENCE = "30s"

MIRRORED: dict[str, Learn] = {"me": "peer", "peer": "me", "both": "both"}


def _whom(peer: str | None, peers: Sequence[str] | None) -> list[str]:
    """The others: one peer, or several."""
    if (peer is None) == (not peers):
        raise InputError("give peer=, or peers= for three parties or more")
    if isinstance(peers, str):
        raise InputError("peers= is a list of names, each with its address: name@host:port")
    return [peer] if peer is not None else list(peers or ())


class Session:
    """Runs with one peer, or with several parties: each as `name@host:port`, or with `via` by its name. Options that are given here hold
    for every run; leaving the context stops what runs still."""

    def __init__(
        self,
        peer: str | None = None,
        *,
        peers: Sequence[str] | None = None,
        **options: Unpack[Options],
    ) -> None:
        refuse_unknown("Session", options, Options)
        self._peers = _whom(peer, peers)
        self._options = options
        self._running: set[Stop] = set()

    def intersect(
        self,
        table: Table,
        *,
        on: Keys,
        match: Match | None = None,
        pairs: Pairs | None = None,
        **options: Unpack[JoinOptions],
    ) -> Result:
        """Finds the rows that both lists have, with the columns that the peer sends of its own. Several keys are lists in a list, the
        most trusted first; `match` says how rows match by them, `pairs` how many rows one row can match."""
        asks = Asks(
            "intersect",
            on,
            send=options.pop("send", ()),
            match=match,
            pairs=pairs,
            join=options.pop("join", "inner"),
            raw_cells=options.pop("raw_cells", False),
        )
        return self._do(table, asks, options, JoinOptions)

    def count(
        self,
        table: Table,
        *,
        on: Keys,
        match: Match | None = None,
        pairs: Pairs | None = None,
        **options: Unpack[NumberOptions],
    ) -> Result:
        """Finds how many distinct keys both lists have, not which; of several keys, how many rows match by any."""
        asks = Asks("count", on, match=match, pairs=pairs)
        return self._do(table, asks, options, NumberOptions)

    def overlaps(self, table: Table, *, on: Columns, **options: Unpack[NumberOptions]) -> Result:
        """Finds how many distinct keys each two of several lists have, and how many all have."""
        return self._do(table, Asks("overlaps", on), options, NumberOptions)

    def sum(
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
        """Adds up one side's values over the keys that both lists have; the side that gives `value` learns the sums, and with `stats`
        the means and variances.

        With `groups`, which both sides give alike, it learns one sum for each of at most so many groups, by the cells of its
        columns `by` and by those of the other side, and the other side nothing. A value `"price*quantity"` is its column `price` times the column `quantity`
        that the other side gives as `factor`."""
        asks = Asks(
            "sum",
            on,
            value=value,
            factor=factor,
            stats=stats,
            by=by,
            groups=groups,
            match=match,
            pairs=pairs,
        )
        return self._do(table, asks, options, NumberOptions)

    def union(
        self,
        table: Table,
        *,
        on: Keys,
        send: Columns = (),
        match: Match | None = None,
        pairs: Pairs | None = None,
        **options: Unpack[Options],
    ) -> Result:
        """Gets the peer's rows whose keys this list lacks; the peer gets the columns `send` beside the key's."""
        return self._do(table, Asks("union", on, send=send, match=match, pairs=pairs), options)

    def share(
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
        """Gets random shares of which keys both lists have, and of the values of either side or, by one key, of both."""
        choices = {"shares": shares}
        asks = Asks("share", on, value=value, choices=choices, match=match, pairs=pairs)
        return self._do(table, asks, options)

    def align(
        self,
        table: Table,
        *,
        on: Columns,
        format: Format = "rows",
        space_id: str | None = None,
        **options: Unpack[Options],
    ) -> Result:
        """Gives every row an identifier that both sides share, and gets those that only the peer has.

        With `format="admap"` the result is the table of IAB Tech Lab's ADMAP: each key's value, its identifier, and the Space ID
        `space_id`, by default the run's id."""
        return self._do(table, Asks("align", on, format=format, space_id=space_id), options)

    def agree(
        self,
        calendar: str | os.PathLike[str],
        *,
        between: str,
        length: str,
        zone: str,
        step: str = "30m",
        hours: str = "09:00-18:00",
        weekends: bool = False,
        prefer: str = "early",
        scheme: Scheme = SCHEME,
        **options: Unpack[AgreeOptions],
    ) -> Meeting:
        """Agrees on the time slot that both calendars have free and both sides together prefer most.

        `length` is that of a slot, or several such as `"60m,30m"`, the best first."""
        place = os.fspath(calendar)
        wish = Wish(place, between, length, step, hours, zone, weekends, prefer)
        asks = Asks("agree", choices={"scheme": scheme})
        self._refuse_several("agree")
        return self._with_peer(
            "agree",
            options,
            AgreeOptions,
            lambda party, way, given, hears, stop: Meeting(
                *_agree(party, way, asks.order(given), wish, hears, stop)
            ),
        )

    def choose(
        self, table: Table, *, on: Columns, scheme: Scheme = SCHEME, **options: Unpack[Options]
    ) -> Result:
        """Agrees on the row that both lists have and both sides together prefer most; the rows stand in the order of preference."""
        return self._do(table, Asks("agree", on, choices={"scheme": scheme}), options)

    def lookup(
        self, asked: Table | Items, *, on: Columns = (), **options: Unpack[LookupOptions]
    ) -> Found:
        """Finds what the list that the peer serves says of a table's rows, or of a list of single items, which the list's
        own presets normalise."""
        self._refuse_several("lookup")
        items = _items(asked, on)
        frame_ = None if items else frame(cast(Table, asked))
        source = None if frame_ is None else frame_.source(several(on))
        options.setdefault("deadline", self._options.get("deadline", PATIENCE))
        return self._with_peer(
            "lookup",
            options,
            LookupOptions,
            lambda party, way, given, hears, stop: Found(
                _lookup(
                    party, way, inquiry(items, on, cast(LookupOptions, given)), source, hears, stop
                ),
                frame_,
            ),
        )

    def _refuse_several(self, operation: str) -> None:
        if len(self._peers) > 1:
            raise InputError(f"{operation} is between two parties: give peer= in place of peers=")

    def close(self) -> None:
        """Stops what runs."""
        for stop in list(self._running):
            stop.stop()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _do(
        self,
        table: Table,
        asks: Asks,
        options: Options | NumberOptions | JoinOptions,
        known: type = Options,
    ) -> Result:
        list_ = frame(table)
        source = list_.source(asks.columns({**self._options, **options}))
        return self._with_peer(
            asks.operation,
            options,
            known,
            lambda party, way, given, hears, stop: Result(
                _run(party, way, asks.order(given), source, hears, stop), list_
            ),
        )

    def _with_peer(
        self,
        operation: str,
        own: Mapping[str, Any],
        known: type,
        work: Callable[[Party, Way, Options, Caller, Stop], T],
    ) -> T:
        """Has `work` done with the options of the run, and those of the session that it has, until somebody stops it."""
        refuse_unknown(operation, own, known)
        shared = {name: value for name, value in self._options.items() if takes(known, name)}
        options = cast(Options, {**shared, **own})
        stop = options.get("stop") or Stop()
        self._running.add(stop)
        try:
            party = options.get("party") or Party.load()
            to_peer = way(self._peers, options)
            return _heard(options, lambda hears: work(party, to_peer, options, hears, stop))
        finally:
            self._running.discard(stop)


def _heard(options: TermOptions, work: Callable[[Caller], T]) -> T:
    """Has `work` tell whoever the options name."""
    with shown(options.get("progress")) as progress:
        return work(caller(progress, options.get("confirm")))


def _items(asked: Table | Items, on: Columns) -> list[str]:
    """The single items, if they are such."""
    if not isinstance(asked, list | tuple):
        if not several(on):
            raise InputError("say which columns are the key of the table: on=")
        return []
    if several(on):
        raise InputError("on= names columns of a table; single items have none")
    if not asked or not all(isinstance(item, str) for item in asked):
        raise InputError("single items are texts, one at least")
    return list(asked)


@helps(JoinOptions)
def intersect(
    table: Table,
    *,
    on: Keys,
    peer: str | None = None,
    peers: Sequence[str] | None = None,
    match: Match | None = None,
    pairs: Pairs | None = None,
    **options: Unpack[JoinOptions],
) -> Result:
    """Finds the rows that both lists have, with the columns that the peer sends of its own. Several keys are lists in a list, the
    most trusted first; `match` says how rows match by them, `pairs` how many rows one row can match."""
    return Session(peer, peers=peers).intersect(table, on=on, match=match, pairs=pairs, **options)


@helps(NumberOptions)
def count(
    table: Table,
    *,
    on: Keys,
    peer: str | None = None,
    peers: Sequence[str] | None = None,
    match: Match | None = None,
    pairs: Pairs | None = None,
    **options: Unpack[NumberOptions],
) -> Result:
    """Finds how many distinct keys both lists have, not which; of several keys, how many rows match by any."""
    return Session(peer, peers=peers).count(table, on=on, match=match, pairs=pairs, **options)


@helps(NumberOptions)
def overlaps(
    table: Table, *, on: Columns, peers: Sequence[str], **options: Unpack[NumberOptions]
) -> Result:
    """Finds how many distinct keys each two of several lists have, and how many all have."""
    return Session(peers=peers).overlaps(table, on=on, **options)


@helps(NumberOptions)
def sum(
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
    """Adds up one side's values over the keys that both lists have; the side that gives `value` learns the sums, and with `stats`
    the means and variances.

    With `groups`, which both sides give alike, it learns one sum for each of at most so many groups, by the cells of its columns `by`
    and of the other side's, and the other side nothing. A value `"price*quantity"` is its column `price` times the column `quantity` that the other side
    gives as `factor`."""
    session = Session(peer)
    return session.sum(
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


@helps(Options)
def union(
    table: Table,
    *,
    on: Keys,
    peer: str,
    send: Columns = (),
    match: Match | None = None,
    pairs: Pairs | None = None,
    **options: Unpack[Options],
) -> Result:
    """Gets the peer's rows whose keys this list lacks; the peer gets the columns `send` beside the key's."""
    return Session(peer).union(table, on=on, send=send, match=match, pairs=pairs, **options)


@helps(Options)
def share(
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
    """Gets random shares of which keys both lists have, and of the values of either side or, by one key, of both."""
    return Session(peer).share(
        table, on=on, value=value, shares=shares, match=match, pairs=pairs, **options
    )


@helps(Options)
def align(
    table: Table,
    *,
    on: Columns,
    peer: str,
    format: Format = "rows",
    space_id: str | None = None,
    **options: Unpack[Options],
) -> Result:
    """Gives every row an identifier that both sides share, and gets those that only the peer has.

    With `format="admap"` the result is the table of IAB Tech Lab's ADMAP: each key's value, its identifier, and the Space ID
    `space_id`, by default the run's id."""
    return Session(peer).align(table, on=on, format=format, space_id=space_id, **options)


@helps(Options)
def choose(
    table: Table,
    *,
    on: Columns,
    peer: str,
    scheme: Scheme = SCHEME,
    **options: Unpack[Options],
) -> Result:
    """Agrees on the row that both lists have and both sides together prefer most; the rows stand in the order of preference."""
    return Session(peer).choose(table, on=on, scheme=scheme, **options)


@helps(AgreeOptions)
def agree(
    calendar: str | os.PathLike[str],
    *,
    peer: str,
    between: str,
    length: str,
    zone: str,
    step: str = "30m",
    hours: str = "09:00-18:00",
    weekends: bool = False,
    prefer: str = "early",
    scheme: Scheme = SCHEME,
    **options: Unpack[AgreeOptions],
) -> Meeting:
    """Agrees on the time slot that both calendars have free and both sides together prefer most.

    `length` is that of a slot, or several such as `"60m,30m"`, the best first."""
    return Session(peer).agree(
        calendar,
        between=between,
        length=length,
        zone=zone,
        step=step,
        hours=hours,
        weekends=weekends,
        prefer=prefer,
        scheme=scheme,
        **options,
    )


@helps(LookupOptions)
def lookup(
    asked: Table | Items, *, peer: str, on: Columns = (), **options: Unpack[LookupOptions]
) -> Found:
    """Finds what the list that the peer serves says of a table's rows, or of a list of single items, which the list's
    own presets normalise."""
    return Session(peer).lookup(asked, on=on, **options)


@helps(TermOptions)
def run_local(
    operation: Operation,
    a: Table,
    b: Table,
    *,
    on: Keys,
    value: Columns = (),
    factor: str | None = None,
    stats: bool = False,
    by: Columns = (),
    groups: int | None = None,
    send: Columns = (),
    shares: Shares = SHARES,
    label: str | None = None,
    match: Match | None = None,
    pairs: Pairs | None = None,
    join: Join = "inner",
    **options: Unpack[TermOptions],
) -> tuple[Result, Result]:
    """Runs both sides in this process, over TLS on loopback: for tests, and to see what each would learn.

    `a` owns the values, if there are any, and `b` the `factor`; `learn` is as `a` says it, and `where` is about its rows. Of a lookup, `a` asks and alone learns; `b` has
    the list, and in the column `label` its labels.
    """
    refuse_unknown("run_local", options, TermOptions)
    own: dict[str, object] = {
        "value": value,
        "factor": factor,
        "stats": stats,
        "by": by,
        "send": send,
        "label": label,
        "match": match,
        "pairs": pairs,
    }
    own["groups"] = groups is not None
    refuse_others(operation, {**own, "shares": shares != SHARES, "join": join != "inner"})
    tables = (frame(a), frame(b))
    # Of an intersection whoever learns alone sends nothing.
    alone = options.get("learn") if operation == "intersect" else None
    sent = [() if alone == learner else send for learner in ("me", "peer")]
    asks = (
        Asks(
            operation,
            on,
            value,
            sent[0],
            {"shares": shares},
            None,
            match,
            pairs,
            join,
            stats=stats,
            by=by,
            groups=groups,
        ),
        Asks(
            operation,
            on,
            (),
            sent[1],
            {"shares": shares},
            label,
            match,
            pairs,
            join,
            factor=factor,
            groups=groups,
        ),
    )
    learn = options.get("learn", "me" if operation == "lookup" else "both")
    mine = cast(Options, {**options, "learn": learn})
    other = cast(Options, {**options, "learn": MIRRORED.get(learn, learn), "where": ()})
    sides = (
        (asks[0].order(mine), tables[0].source(asks[0].columns(mine))),
        (asks[1].order(other), tables[1].source(asks[1].columns(other))),
    )
    stop = options.get("stop") or Stop()
    runs = _heard(options, lambda hears: _run_local(*sides, hears, stop))
    return Result(runs[0], tables[0]), Result(runs[1], tables[1])


@helps(Choices)
def plan(
    operation: Operation,
    rows: int,
    peer_rows: int,
    *,
    keys: int = 1,
    blind: bool = False,
    learn: Learn = "both",
    security: Security = "semi-honest",
    link: str | None = None,
    threads: int | None = None,
    values: int = 1,
    peer_values: int = 0,
    lent_groups: int | None = None,
    products: int = 0,
    factor_bytes: int = 4,
    groups: int | None = None,
    row_bytes: int | None = None,
    **choices: Unpack[Choices],
) -> dict[str, Any]:
    """Prices a run before it happens: what `veilset plan --json` prints."""
    refuse_unknown("plan", choices, Choices)
    for name, number in {
        "rows": rows,
        "peer_rows": peer_rows,
        "keys": keys,
        "values": values,
        "peer_values": peer_values,
        "lent_groups": lent_groups,
        "products": products,
        "factor_bytes": factor_bytes,
        "groups": groups,
        "row_bytes": row_bytes,
    }.items():
        if number is not None and number < 0:
            raise InputError(f"{name} is a number of at least 0, not {number}")
    told = chosen(choices)
    asked = Asked(
        operation,
        rows,
        peer_rows,
        keys,
        blind,
        learn,
        security,
        link,
        threads,
        values,
        peer_values,
        lent_groups,
        products,
        factor_bytes,
        groups,
        row_bytes,
        told,
    )
    prices: dict[str, Any] = json.loads(_plan(asked))
    return prices
