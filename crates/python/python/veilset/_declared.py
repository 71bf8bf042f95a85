"""Operations and choices as the Rust part declares them; a test of `veilset-testkit` writes this file."""

from __future__ import annotations

import os
from typing import Annotated, Literal, TypeAlias, TypedDict

Operation: TypeAlias = Literal[
    "intersect", "count", "sum", "union", "share", "align", "agree", "lookup", "overlaps"
]
Group: TypeAlias = Literal["curve25519", "p256", "p256-uncompressed", "ristretto255", "ffdhe2048"]
Digest: TypeAlias = Literal["sorted", "bloom", "shuffled"]
Shares: TypeAlias = Literal["additive", "xor"]
Scheme: TypeAlias = Literal["sum-of-ranks", "minimum-of-ranks"]
Flooding: TypeAlias = Literal["off", "on"]
Match: TypeAlias = Literal["tiers", "one-sided", "grouped", "blind"]
Pairs: TypeAlias = Literal["many", "one-to-one"]
Join: TypeAlias = Literal["inner", "left", "anti"]

#: What stands where nobody chooses.
SHARES: Shares = "additive"
SCHEME: Scheme = "sum-of-ranks"

#: Arguments of single operations, beside those that all of a kind share.
OWN = {
    "send": ("intersect", "union"),
    "value": ("sum", "share"),
    "label": ("lookup",),
    "shares": ("share",),
    "scheme": ("agree",),
    "factor": ("sum",),
    "stats": ("sum",),
    "by": ("sum",),
    "groups": ("sum",),
    "match": ("intersect", "count", "sum", "union", "share"),
    "pairs": ("intersect", "count", "sum", "union", "share"),
    "join": ("intersect",),
}


class Choices(TypedDict, total=False):
    """What both sides choose about a run beside its protocol."""

    group: Annotated[Group, "the group to compute in; default: the protocol's fastest"]
    digest: Annotated[Digest, "the set encoding, by which a set travels; default: sorted"]
    prime: Annotated[
        str | os.PathLike[str],
        "a file from veilset prime, whose safe prime replaces the group's own; both sides give the same",
    ]
    flooding: Annotated[
        Flooding,
        "whether fhe and fhe-lookup flood their answers with noise; both sides give the same; default: off",
    ]
