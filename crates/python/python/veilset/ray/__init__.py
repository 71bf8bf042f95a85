"""The operations on lists that are spread over a Ray cluster, each party with its own.

>>> import veilset.ray
>>> found = veilset.ray.intersect("s3://customers/", on="email", preset="email", peer="acme", connect="acme.example:7000")
>>> found.table.write_parquet("s3://matches/")
"""

from __future__ import annotations

from typing import Unpack

try:
    import ray  # noqa: F401
except ImportError as missing:
    raise ImportError("veilset.ray needs Ray: pip install 'veilset[ray]'") from missing

from .._keywords import helps, refuse_unknown
from .._order import Asks, Columns
from ._options import Data, Options
from ._result import Result

__all__ = ["Data", "Options", "Result", "count", "intersect", "sum", "union"]


def _do(data: Data, peer: str, asks: Asks, options: Options) -> Result:
    refuse_unknown(f"ray.{asks.operation}", options, Options)
    # Workers import this package too, and need no datasets, which take long to import.
    from ._run import run

    return run(data, peer, asks, options)


@helps(Options)
def intersect(data: Data, *, on: Columns, peer: str, **options: Unpack[Options]) -> Result:
    """Finds the rows that both lists have."""
    return _do(data, peer, Asks("intersect", on), options)


@helps(Options)
def count(data: Data, *, on: Columns, peer: str, **options: Unpack[Options]) -> Result:
    """Finds how many distinct keys both lists have, not which."""
    return _do(data, peer, Asks("count", on), options)


@helps(Options)
def sum(
    data: Data, *, on: Columns, peer: str, value: Columns = (), **options: Unpack[Options]
) -> Result:
    """Adds up one side's values over the keys that both lists have; the side that gives `value` learns the sums."""
    return _do(data, peer, Asks("sum", on, value=value), options)


@helps(Options)
def union(
    data: Data, *, on: Columns, peer: str, send: Columns = (), **options: Unpack[Options]
) -> Result:
    """Gets the peer's rows whose keys this list lacks; the peer gets the columns `send` beside the key's."""
    return _do(data, peer, Asks("union", on, send=send), options)
