"""Keyword arguments, and what the Rust part takes in their place."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypedDict, cast

from ._declared import Choices, Join, Match, Operation, Pairs
from ._native import Party, Stop, condition_column
from .errors import InputError

Learn: TypeAlias = Literal["me", "peer", "both"]
Format: TypeAlias = Literal["rows", "admap"]
Security: TypeAlias = Literal["semi-honest", "malicious"]
Progress: TypeAlias = Callable[[str, int, int], object]

#: One column, or several.
Columns: TypeAlias = str | Sequence[str]

#: The columns of one key, or those of each of several, the most trusted first.
Keys: TypeAlias = Columns | Sequence[Columns]

log = logging.getLogger("veilset")


class Terms(NamedTuple):
    """What both sides agreed on, before anything is computed."""

    #: Who learns what, in a sentence.
    learned: str
    #: What leaks beyond the result, in sentences.
    leaks: list[str]
    #: What looks wrong about the lists.
    warnings: list[str]
    #: The peer's number of distinct keys.
    peer_distinct: int
    #: What is computed.
    operation: str
    #: The versioned presets of the key columns, such as `email/1`.
    presets: str
    #: How it is computed, by a protocol's id.
    protocol: str
    #: The protocol's group, where it has one.
    group: str | None
    #: How a set travels in it, where one does.
    digest: str | None
    #: Whether answers under encryption hide their noise, `off` or `on`, where a protocol has that choice.
    flooding: str | None
    #: Against whom the protocol holds.
    security: str
    #: Who gets the result.
    learn: str
    #: What the peer asks for, and this side neither named nor takes by itself: pairs such as `("protocol", "fnp")`. Without
    #: a `confirm` that says yes to it, the run is refused.
    asked_by_peer: list[tuple[str, str]]


#: Options that several kinds of call have, with their meanings.
PresetOption: TypeAlias = Annotated[
    Keys,
    "how keys are normalised: one preset for the key's columns, or one for each; of several keys, one such for each",
]
PlaceholdersOption: TypeAlias = Annotated[
    bool, "treat n/a, NULL, - and other placeholders as ordinary keys; default: they never match"
]
LearnOption: TypeAlias = Annotated[
    Learn, "the side that learns the result: me, peer or both; the peer gives the matching word"
]
DelimiterOption: TypeAlias = Annotated[
    str, "the delimiter of a CSV file; default: a comma, in .tsv a tab"
]
ProgressOption: TypeAlias = Annotated[
    Progress | bool, "gets a step's name, the amount done and the whole amount; True draws a bar"
]
ConfirmOption: TypeAlias = Annotated[
    Callable[[Terms], bool], "gets the agreed terms; the run goes on if it returns True"
]
StopOption: TypeAlias = Annotated[Stop, "ends it from another thread"]
PartyOption: TypeAlias = Annotated[Party, "this party; default: the command line's identity"]


class ProtocolOptions(TypedDict, total=False):
    """Which protocol any run takes."""

    protocol: Annotated[str, "a protocol's id; default: the planner's choice"]
    security: Annotated[Security, "the least security that you accept: semi-honest or malicious"]


class ComputeOptions(ProtocolOptions, Choices, total=False):
    """How any run computes. Names and defaults of all options are those of the command line's flags."""

    threads: Annotated[int, "threads for computing; default: all cores"]
    max_memory: Annotated[
        int | str,
        "the most memory for the run, in bytes or a text such as 2GiB; veilset refuses a run that needs more",
    ]
    progress: ProgressOption
    confirm: ConfirmOption
    stop: StopOption


class TermOptions(ComputeOptions, total=False):
    """How to compute something of two lists."""

    least: Annotated[
        int, "withholds a result of fewer matches from whoever learns; both sides give the same"
    ]
    most_rate: Annotated[
        int,
        "withholds a result in which more than so many per cent of the smaller list match; both sides give the same",
    ]
    round: Annotated[
        int,
        "rounds numbers of the result to its multiples (count and sum only); both sides give the same",
    ]
    noise: Annotated[
        str,
        "gives a count or a sum noise that neither side can subtract, such as epsilon=1,delta=1e-9; both sides give the same",
    ]
    where: Annotated[
        Sequence[str],
        "what rows of your list must say to be used, such as amount>=100 or country=DE; the peer sees neither which nor how many they are "
        "(intersect, count, sum and overlaps only)",
    ]
    pad_to: Annotated[
        int,
        "fills your list up to so many keys with made-up ones (intersect, count, sum and overlaps only)",
    ]

    preset: PresetOption
    keep_placeholders: PlaceholdersOption
    stop_values: Annotated[
        Sequence[str],
        "values that never match, such as your office's telephone; each is read as the key's columns are",
    ]
    most_per_key: Annotated[
        int,
        "leaves out keys that more rows carry, such as an office's telephone; both sides give the same",
    ]
    learn: LearnOption
    scratch: Annotated[
        str | os.PathLike[str],
        "the folder for encrypted temporary files of long lists, and for a result that cannot be written to its file",
    ]
    delimiter: DelimiterOption


class PeerOptions(TypedDict, total=False):
    """The way to the peer."""

    policy: Annotated[
        str | os.PathLike[str],
        "your policy; default: policy.toml in the folder of your identity, if there is one",
    ]
    reference: Annotated[
        str, "the reference of your agreement with the peer; both sides give the same"
    ]

    party: PartyOption
    connect: Annotated[str, "connect to the peer at HOST:PORT"]
    listen: Annotated[str, "wait for the peer at HOST:PORT"]
    via: Annotated[
        str, "meet the peer at this relay, such as wss://relay.example; both sides give the same"
    ]
    deadline: Annotated[float | str, "the longest wait for it: seconds, or a text such as 10m"]


class OutputOptions(TypedDict, total=False):
    """A file for the result."""

    output: Annotated[str | os.PathLike[str], "a file that gets the result too"]
    force: Annotated[bool, "whether that file may be replaced"]


class SeatOptions(TypedDict, total=False):
    """Who is what among several parties."""

    learners: Annotated[
        Sequence[str],
        "with peers=: the parties that learn the result, and me for yourself; all give the same; default: all",
    ]
    leader: Annotated[
        str, "with peers=: the party that computes the result, one of those who learn; or me"
    ]
    pivot: Annotated[
        str,
        "with peers=: the party that must not pool what it sees with the leader, where a protocol needs one; or me",
    ]


class NumberOptions(TermOptions, PeerOptions, SeatOptions, total=False):
    """Those of a run with the peer whose result is numbers."""


class Options(NumberOptions, OutputOptions, total=False):
    """Those of a run with the peer whose result has rows."""


class JoinOptions(Options, total=False):
    """Those of an intersection."""

    send: Annotated[Columns, "columns that the peer gets of your rows that match"]
    join: Annotated[
        Join,
        "which of your rows the result has: inner, those that match; left, all; anti, those that do not match",
    ]
    raw_cells: Annotated[
        bool,
        "leaves formulas and control characters of the peer's cells in a CSV output as they come",
    ]


class AgreeOptions(ComputeOptions, PeerOptions, OutputOptions, total=False):
    """Those of an agreement on a slot."""


class LookupOptions(OutputOptions, total=False):
    """How to look up in a list that the peer serves."""

    preset: Annotated[
        Columns, "as the list was built: one preset for the key's columns, or one for each"
    ]
    keep_placeholders: Annotated[
        bool, "look up n/a, NULL, - and other placeholders in rows, too, as in single items"
    ]
    new_list: Annotated[bool, "accept another list than the server had before"]
    max_list: Annotated[int | str, "the longest list to fetch: bytes, or a text such as 256MiB"]
    delimiter: DelimiterOption
    max_memory: Annotated[
        int | str,
        "keeps the list on disk if it takes more than a quarter of this: bytes, or a text such as 500MB",
    ]
    scratch: Annotated[
        str | os.PathLike[str], "the folder for the encrypted temporary file of a list on disk"
    ]
    progress: ProgressOption
    stop: StopOption
    party: PartyOption
    connect: Annotated[str, "connect to the server at HOST:PORT"]
    via: Annotated[str, "meet the server at this relay, to which it goes, too"]
    deadline: Annotated[
        float | str, "the longest wait for the server: seconds, or a text such as 30s"
    ]


@dataclass(frozen=True)
class Order:
    """What to compute."""

    operation: str
    keys: list[str]
    match: str | None
    keep_placeholders: bool
    stop_values: list[str]
    where: list[str]
    most_per_key: int | None
    learn: str
    protocol: str | None
    security: str
    choices: dict[str, str]
    values: list[str]
    factor: str | None
    stats: bool
    by: list[str]
    groups: int | None
    send: list[str]
    join: Join
    raw_cells: bool
    format: str
    space_id: str | None
    label: str | None
    delimiter: str | None
    max_memory: str | None
    scratch: str | os.PathLike[str] | None
    threads: int | None
    output: str | None
    force: bool
    policy: str | os.PathLike[str] | None
    reference: str | None
    least: int | None
    most_rate: int | None
    round: int | None
    noise: str | None
    pad_to: int | None


@dataclass(frozen=True)
class Way:
    """The way to the others."""

    peers: list[str]
    connect: str | None
    listen: str | None
    via: str | None
    deadline: str
    learners: list[str]
    leader: str | None
    pivot: str | None


@dataclass(frozen=True)
class Caller:
    """Who hears of a run."""

    progress: Progress | None
    notify: Callable[[str], object]
    confirm: Callable[[dict[str, Any]], bool | None]


@dataclass(frozen=True)
class Asked:
    """A run of which only the price is asked."""

    operation: str
    rows: int
    peer_rows: int
    keys: int
    blind: bool
    learn: str
    security: str
    link: str | None
    threads: int | None
    values: int
    peer_values: int
    lent_groups: int | None
    products: int
    factor_bytes: int
    groups: int | None
    row_bytes: int | None
    choices: dict[str, str]


@dataclass(frozen=True)
class Wish:
    """A wish to meet."""

    calendar: str
    between: str
    length: str
    step: str
    hours: str
    zone: str
    weekends: bool
    prefer: str


@dataclass(frozen=True)
class Inquiry:
    """What is looked up."""

    items: list[str]
    key: str
    keep_placeholders: bool
    new_list: bool
    max_list: str
    delimiter: str | None
    max_memory: str | None
    scratch: str | os.PathLike[str] | None
    output: str | None
    force: bool


@dataclass(frozen=True)
class Asks:
    """An operation with the arguments that are its own."""

    operation: Operation
    on: Keys = ()
    value: Columns = ()
    send: Columns = ()
    choices: Mapping[str, str] | None = None
    label: str | None = None
    match: Match | None = None
    pairs: Pairs | None = None
    join: Join = "inner"
    raw_cells: bool = False
    format: Format = "rows"
    space_id: str | None = None
    factor: str | None = None
    stats: bool = False
    by: Columns = ()
    groups: int | None = None

    def columns(self, options: Mapping[str, Any]) -> list[str]:
        """The columns that the run reads."""
        compared = [condition_column(text) for text in several(options.get("where", ()))]
        single = [name for name in (self.factor, self.label) if name is not None]
        keys = [column for key in linked(self.on) for column in key]
        given = [self.value, self.by, self.send]
        own = [*keys, *(name for names in given for name in several(names)), *single, *compared]
        return list(dict.fromkeys(own))

    def order(self, options: Options) -> Order:
        """All that the run is told, but where the list is."""
        output, memory = options.get("output"), options.get("max_memory")
        protocol = options.get("protocol", "auto")
        if self.pairs == "one-to-one" and options.get("most_per_key") is not None:
            raise InputError('pairs="one-to-one" is most_per_key=1: give one of the two')
        if self.stats and not several(self.value):
            raise InputError("stats= is for the side that gives value=")
        if self.factor is not None and several(self.value):
            raise InputError("value= and factor= are for different sides: give one of the two")
        return Order(
            operation=self.operation,
            keys=_keys(linked(self.on), options.get("preset", "raw")),
            match=self.match,
            keep_placeholders=options.get("keep_placeholders", False),
            stop_values=list(options.get("stop_values", ())),
            where=several(options.get("where", ())),
            most_per_key=1 if self.pairs == "one-to-one" else options.get("most_per_key"),
            learn=options.get("learn", "both"),
            protocol=None if protocol == "auto" else protocol,
            security=options.get("security", "semi-honest"),
            choices={**chosen(options), **(self.choices or {})},
            values=several(self.value),
            factor=self.factor,
            stats=self.stats,
            by=several(self.by),
            groups=self.groups,
            send=several(self.send),
            join=self.join,
            raw_cells=self.raw_cells,
            format=self.format,
            space_id=self.space_id,
            label=self.label,
            delimiter=options.get("delimiter"),
            max_memory=None if memory is None else str(memory),
            scratch=options.get("scratch"),
            threads=options.get("threads"),
            output=None if output is None else os.fspath(output),
            force=options.get("force", False),
            policy=options.get("policy"),
            reference=options.get("reference"),
            least=options.get("least"),
            most_rate=options.get("most_rate"),
            round=options.get("round"),
            noise=options.get("noise"),
            pad_to=options.get("pad_to"),
        )


def chosen(options: Mapping[str, Any]) -> dict[str, str]:
    """The choices among the options, as texts."""
    given = {name: options.get(name) for name in Choices.__annotations__}
    return {name: os.fspath(value) for name, value in given.items() if value is not None}


def inquiry(items: list[str], on: Columns, options: LookupOptions) -> Inquiry:
    """All that a lookup is told, but where the list is."""
    output, memory = options.get("output"), options.get("max_memory")
    return Inquiry(
        items=items,
        key="" if items else _key(several(on), several(options.get("preset", "raw"))),
        keep_placeholders=options.get("keep_placeholders", False),
        new_list=options.get("new_list", False),
        max_list=str(options.get("max_list", "256MiB")),
        delimiter=options.get("delimiter"),
        max_memory=None if memory is None else str(memory),
        scratch=options.get("scratch"),
        output=None if output is None else os.fspath(output),
        force=options.get("force", False),
    )


def several(columns: Columns) -> list[str]:
    """Names, where one may stand for itself."""
    return [columns] if isinstance(columns, str) else list(columns)


def linked(on: Keys) -> list[list[str]]:
    """The columns of each key: of one, unless some key is a list of its own."""
    if isinstance(on, str) or all(isinstance(column, str) for column in on):
        return [several(cast(Columns, on))]
    return [several(key) for key in on]


def _keys(on: list[list[str]], presets: Keys) -> list[str]:
    """Each key in the command line's form."""
    if len(on) == 1:
        one = linked(presets)
        return [_key(on[0], one[0] if len(one) == 1 else [])]
    of_each = [presets] * len(on) if isinstance(presets, str) else list(presets)
    if len(of_each) != len(on):
        raise InputError(f"{len(on)} keys have {len(of_each)} presets: give one, or one for each")
    return [_key(key, several(preset)) for key, preset in zip(on, of_each, strict=True)]


def _key(on: list[str], presets: list[str]) -> str:
    """The key in the command line's form: `"COL":PRESET,…`."""
    if len(presets) == 1:
        presets = presets * len(on)
    if len(presets) != len(on):
        raise InputError(
            f"{len(on)} columns of the key have {len(presets)} presets: give one, or one for each"
        )
    quoted = (column.replace('"', '""') for column in on)
    return ",".join(f'"{column}":{preset}' for column, preset in zip(quoted, presets, strict=True))


def way(peers: Sequence[str], options: Options) -> Way:
    """The way to these parties that the options name."""
    deadline = options.get("deadline", "10m")
    text = deadline if isinstance(deadline, str) else f"{round(1000 * deadline)}ms"
    return Way(
        peers=list(peers),
        connect=options.get("connect"),
        listen=options.get("listen"),
        via=options.get("via"),
        deadline=text,
        learners=list(options.get("learners", ())),
        leader=options.get("leader"),
        pivot=options.get("pivot"),
    )


def caller(progress: Progress | None, confirm: Callable[[Terms], bool] | None) -> Caller:
    """Warns of what looks wrong, logs the rest, and asks whoever wants to be asked."""

    def agree(agreed: dict[str, Any]) -> bool | None:
        terms = Terms(**agreed)
        log.info("%s the peer has %d distinct keys", terms.learned, terms.peer_distinct)
        group = f" on {terms.group}" if terms.group else ""
        sets = f", sets {terms.digest}" if terms.digest else ""
        noise = ", noise flooded" if terms.flooding == "on" else ""
        log.info("protocol %s%s%s%s", terms.protocol, group, sets, noise)
        for text in terms.warnings:
            warnings.warn(text, stacklevel=4)
        return None if confirm is None else bool(confirm(terms))

    return Caller(progress, log.info, agree)
