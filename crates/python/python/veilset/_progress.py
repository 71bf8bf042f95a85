"""A bar for a terminal or a notebook."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._order import Progress


@contextmanager
def shown(progress: Progress | bool | None) -> Iterator[Progress | None]:
    """What hears of a run: the caller's own, a bar, or nobody."""
    if not isinstance(progress, bool):
        yield progress
    elif progress:
        bar = _bar()
        try:
            yield bar
        finally:
            bar.close()
    else:
        yield None


def _bar() -> Tqdm | Plain:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return Plain()
    return Tqdm(tqdm)


class Tqdm:
    """A bar of tqdm's for each step."""

    def __init__(self, make: Any) -> None:
        self._make = make
        self._bar: Any = None

    def __call__(self, step: str, done: int, total: int) -> None:
        if self._bar is None or self._bar.desc.removesuffix(": ") != step:
            self.close()
            self._bar = self._make(total=total, desc=step)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Leaves the last bar as it is."""
        if self._bar is not None:
            self._bar.close()


class Plain:
    """A line on standard error for each step, written again as it goes on."""

    def __init__(self) -> None:
        self._step = ""

    def __call__(self, step: str, done: int, total: int) -> None:
        if self._step not in ("", step):
            sys.stderr.write("\n")
        self._step = step
        sys.stderr.write(f"\r{step:28} {100 * done // max(total, 1):3} %")
        sys.stderr.flush()

    def close(self) -> None:
        """Ends the last line."""
        if self._step:
            sys.stderr.write("\n")
