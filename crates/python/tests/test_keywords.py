"""Names of arguments: a misspelt one, or one of another operation, is refused before anything is connected."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest
import veilset
import veilset.ray

FRAME = polars.DataFrame({"k": ["a", "b"], "v": [1, 2]})
DAYS: dict[str, Any] = {"between": "2026-03-29..2026-03-30", "length": "1h", "zone": "UTC"}

#: Those that take a table and its key.
OPERATIONS = ("intersect", "count", "sum", "union", "share", "align", "choose", "lookup")

#: Functions that end at a wrong name, or would end at the peer that is missing.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        name: lambda name=name, **options: getattr(veilset, name)(
            FRAME, on="k", peer="nobody", **options
        )
        for name in OPERATIONS
    },
    "agree": lambda **options: veilset.agree("own.ics", peer="nobody", **DAYS, **options),
    "Session": lambda **options: veilset.Session("nobody", **options),
    "run_local": lambda **options: veilset.run_local("count", FRAME, FRAME, on="k", **options),
    "plan": lambda **options: veilset.plan("count", 1, 1, **options),
}
METHODS: dict[str, Callable[..., Any]] = {
    name: lambda name=name, **options: getattr(veilset.Session("nobody"), name)(
        FRAME, on="k", **options
    )
    for name in OPERATIONS
}
TASKS: dict[str, Callable[..., Any]] = {
    name: lambda name=name, **options: asyncio.run(
        getattr(veilset.aio, name)(FRAME, on="k", peer="nobody", **options)
    )
    for name in OPERATIONS
}
CLUSTERS: dict[str, Callable[..., Any]] = {
    name: lambda name=name, **options: getattr(veilset.ray, name)(
        FRAME, on="k", peer="nobody", **options
    )
    for name in ("intersect", "count", "sum", "union")
}
EVERY = {
    f"{kind}.{name}": function
    for kind, functions in {
        "function": FUNCTIONS,
        "method": METHODS,
        "aio": TASKS,
        "ray": CLUSTERS,
    }.items()
    for name, function in functions.items()
}


@pytest.mark.parametrize("call", EVERY.values(), ids=EVERY)
def test_an_unknown_name_is_refused(call: Callable[..., Any]) -> None:
    for name in ("secuirty", "prest", "lern", "nonsense"):
        with pytest.raises(TypeError, match=name):
            call(**{name: "malicious"})


@pytest.mark.parametrize(
    ("call", "options"),
    [
        (FUNCTIONS["intersect"], veilset.JoinOptions),
        (FUNCTIONS["count"], veilset.NumberOptions),
        (FUNCTIONS["agree"], veilset.AgreeOptions),
        (FUNCTIONS["lookup"], veilset.LookupOptions),
        (FUNCTIONS["Session"], veilset.Options),
        (FUNCTIONS["run_local"], veilset.TermOptions),
        (CLUSTERS["count"], veilset.ray.Options),
    ],
)
def test_the_name_that_was_meant_is_proposed(call: Callable[..., Any], options: type) -> None:
    for name in options.__annotations__:
        slip = f"{name[:-2]}{name[-1]}{name[-2]}" if name[-2:-1] != name[-1] else f"{name}x"
        with pytest.raises(TypeError, match=f'"{slip}"; did you mean "{name}"'):
            call(**{slip: 1})


def test_options_of_other_operations_are_refused() -> None:
    wrong: list[tuple[Callable[..., Any], dict[str, Any]]] = [
        (FUNCTIONS["intersect"], {"value": "v"}),
        (FUNCTIONS["count"], {"output": "x.csv"}),
        (FUNCTIONS["sum"], {"send": "v"}),
        (FUNCTIONS["union"], {"join": "left"}),
        (FUNCTIONS["align"], {"shares": "xor"}),
        (FUNCTIONS["agree"], {"preset": "email"}),
        (FUNCTIONS["lookup"], {"learn": "me"}),
        (FUNCTIONS["run_local"], {"value": "v"}),
        (FUNCTIONS["run_local"], {"send": "v"}),
        (FUNCTIONS["run_local"], {"join": "anti"}),
        (FUNCTIONS["run_local"], {"shares": "xor"}),
        (FUNCTIONS["run_local"], {"label": "v"}),
        (FUNCTIONS["run_local"], {"peer": "acme"}),
        (CLUSTERS["count"], {"security": "malicious"}),
        (CLUSTERS["union"], {"value": "v"}),
    ]
    for call, options in wrong:
        (name,) = options
        with pytest.raises(TypeError, match=f'no option "{name}"'):
            call(**options)
    with pytest.raises(TypeError, match="it belongs to sum and share"):
        FUNCTIONS["intersect"](value="v")


def test_negative_sizes_are_refused() -> None:
    with pytest.raises(veilset.InputError, match="rows is a number of at least 0, not -1"):
        veilset.plan("count", -1, 1)


def test_help_names_every_option() -> None:
    pairs: list[tuple[Callable[..., Any], type]] = [
        (veilset.intersect, veilset.Options),
        (veilset.count, veilset.NumberOptions),
        (veilset.agree, veilset.AgreeOptions),
        (veilset.lookup, veilset.LookupOptions),
        (veilset.run_local, veilset.TermOptions),
        (veilset.ray.intersect, veilset.ray.Options),
    ]
    for function, options in pairs:
        lines = (function.__doc__ or "").splitlines()
        for name in options.__annotations__:
            assert any(line.startswith(f"    {name}: ") for line in lines), name


def test_messages_name_arguments_and_not_flags(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("k;v\na;1\n")
    (tmp_path / "out.csv").write_text("")
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        (FRAME, {"preset": "emial"}, "on= and preset=: there is no preset"),
        (tmp_path / "list.csv", {}, "delimiter=';'"),
    ]
    for table, options, part in wrong:
        with pytest.raises(veilset.InputError, match=re.escape(part)) as caught:
            veilset.run_local("count", table, FRAME, on="k", **options)
        assert "--" not in str(caught.value)
    me = veilset.Party.create(tmp_path / "me")
    with pytest.raises(veilset.InputError, match="with output=, or force=True") as caught:
        veilset.intersect(
            FRAME,
            on="k",
            peer=veilset.Party.create(tmp_path / "acme").key,
            party=me,
            listen="127.0.0.1:0",
            output=tmp_path / "out.csv",
        )
    assert "--" not in str(caught.value)
