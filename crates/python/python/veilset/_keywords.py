"""Which keyword arguments a function takes: unknown ones are refused, known ones stand in its help."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar, get_args, get_type_hints

from ._declared import OWN

F = TypeVar("F", bound=Callable[..., Any])


def refuse_unknown(function: str, given: Iterable[str], options: type) -> None:
    """Raises a TypeError if an argument is none of the options.

    Python does not look at the names behind `**options`; a misspelt one would leave a default in its place.
    """
    for name in given:
        if not takes(options, name):
            raise TypeError(
                f'{function}() has no option "{name}"{_hint(name, options.__annotations__)}'
            )


def takes(options: type, name: str) -> bool:
    """Whether the option is one of these."""
    return name in options.__annotations__


def refuse_others(operation: str, given: Mapping[str, object]) -> None:
    """Raises a TypeError if there is an argument that only other operations have."""
    for name, operations in OWN.items():
        if given.get(name) and operation not in operations:
            raise TypeError(f'{operation}() has no option "{name}"{_hint(name, ())}')


def _hint(name: str, known: Iterable[str]) -> str:
    if operations := OWN.get(name):
        return f": it belongs to {' and '.join(operations)}"
    if close := get_close_matches(name, known, n=1):
        return f'; did you mean "{close[0]}"?'
    return ""


def helps(options: type) -> Callable[[F], F]:
    """Adds the options with their meanings to a function's help."""

    def add(function: F) -> F:
        hints = get_type_hints(options, include_extras=True)
        lines = "".join(f"\n{name}: {get_args(hint)[-1]}" for name, hint in hints.items())
        own = textwrap.dedent(function.__doc__ or "")
        function.__doc__ = f"{own}\n\nOptions:\n{textwrap.indent(lines, '    ')}\n"
        return function

    return add
