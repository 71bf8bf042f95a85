"""Private set operations between two parties: compute something of two private lists, and learn nothing else.

>>> import veilset
>>> matches = veilset.intersect(frame, on="email", preset="email", peer="acme", connect="acme.example:7000")
>>> matches.table
"""

from . import aio
from ._frames import Table
from ._native import Party, Stop, __version__
from ._order import (
    AgreeOptions,
    JoinOptions,
    LookupOptions,
    NumberOptions,
    Options,
    TermOptions,
    Terms,
)
from ._result import Found, GroupSums, Meeting, Result, Spread, Warned, verify_receipt
from ._session import (
    Session,
    agree,
    align,
    choose,
    count,
    intersect,
    lookup,
    overlaps,
    plan,
    run_local,
    share,
    sum,
    union,
)
from .errors import (
    Error,
    InputError,
    InternalError,
    NetworkError,
    PeerError,
    PolicyError,
    TermsError,
)

__all__ = [
    "AgreeOptions",
    "Error",
    "Found",
    "GroupSums",
    "InputError",
    "InternalError",
    "JoinOptions",
    "LookupOptions",
    "Meeting",
    "NetworkError",
    "NumberOptions",
    "Options",
    "Party",
    "PeerError",
    "PolicyError",
    "Result",
    "Session",
    "Spread",
    "Stop",
    "Table",
    "TermOptions",
    "Terms",
    "TermsError",
    "Warned",
    "__version__",
    "agree",
    "aio",
    "align",
    "choose",
    "count",
    "intersect",
    "lookup",
    "overlaps",
    "plan",
    "run_local",
    "share",
    "sum",
    "union",
    "verify_receipt",
]
