"""Tables in and out: frames by Arrow's C interface, and files."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from .errors import InputError

if TYPE_CHECKING:
    from ._native import Answers, Batches, Run


class ArrowStream(Protocol):
    """Whatever hands out Arrow record batches."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


#: A pandas or Polars data frame, a pyarrow table, anything else with ``__arrow_c_stream__``, or a file.
Table: TypeAlias = ArrowStream | str | os.PathLike[str]


class Frame(ABC):
    """A table of one kind."""

    @abstractmethod
    def source(self, columns: Sequence[str]) -> ArrowStream | str:
        """What the Rust part reads: these columns, where they can be told apart, or all."""

    @abstractmethod
    def result(self, run: Run, peer: str) -> Any:
        """The rows that a run with this peer leaves; None if there are none to know."""

    @abstractmethod
    def listed(self, found: Run | Answers, peer: str = "peer") -> Any:
        """The rows that are on somebody's list, with the columns beside them if there are any; None if there are none to know."""


class InMemory(Frame):
    """A frame, which gives its rows itself: they are what they were."""

    def result(self, run: Run, peer: str) -> Any:
        if (rows := self.listed(run, peer)) is not None:
            return rows
        if (received := run.received()) is not None:
            return self.joined(received)
        if (mapping := run.mapping()) is not None:
            return self.of(mapping)
        if (identifiers := run.identifiers()) is not None:
            return self.aligned(*identifiers)
        shares = run.shares()
        return None if shares is None else self.of(shares)

    def listed(self, found: Run | Answers, peer: str = "peer") -> Any:
        rows, beside = found.rows(), found.beside()
        if rows is None:
            return None
        return self.rows(rows) if beside is None else self.with_columns(rows, beside, peer)

    @abstractmethod
    def rows(self, rows: Batches) -> Any:
        """The rows with these numbers."""

    @abstractmethod
    def with_columns(self, rows: Batches, columns: Batches, peer: str) -> Any:
        """The rows with these numbers and columns of text beside them, from this peer."""

    @abstractmethod
    def joined(self, received: Batches) -> Any:
        """All rows, then those of text; a column whose texts are no values of its type becomes text."""

    @abstractmethod
    def aligned(self, own: Batches, others: Batches) -> Any:
        """All rows with a column of identifiers, then those that have nothing but one."""

    @abstractmethod
    def of(self, batches: Batches) -> Any:
        """Another table of this kind."""


def frame(table: Table) -> Frame:
    """The table, by its kind."""
    if isinstance(table, str | os.PathLike):
        return File(table)
    if _is(table, "pandas", "DataFrame"):
        return Pandas(table)
    if _is(table, "polars", "DataFrame"):
        return Polars(table)
    if _is(table, "polars", "LazyFrame"):
        raise InputError("a lazy frame has no rows yet: collect() it first")
    if hasattr(table, "__arrow_c_stream__"):
        return Arrow(_pyarrow().table(table))
    kind = type(table).__name__
    raise InputError(
        f"a {kind} is no table: give a pandas or Polars data frame, a pyarrow table, "
        "another object with __arrow_c_stream__, or a file"
    )


def _is(table: object, package: str, name: str) -> bool:
    """Whether it is of a class of a package, which nobody needs to have."""
    kind = getattr(sys.modules.get(package), name, None)
    return kind is not None and isinstance(table, kind)


#: The column with the number of the key by which a row matches.
KEY_COLUMN = "veilset_key"

#: Columns that are added under these names alone.
OWN_COLUMNS = ("veilset_id", KEY_COLUMN, "veilset_label")


def free_name(name: str, names: Sequence[Any], peer: str) -> str:
    """The name under which a column from the peer is added."""
    if name not in names:
        return name
    if name not in OWN_COLUMNS and (other := f"{peer}.{name}") not in names:
        return other
    raise InputError(f'the table has a column "{name}" already: rename it')


def _pyarrow() -> Any:
    import pyarrow  # takes a while, and Polars does without

    return pyarrow


class Arrow(InMemory):
    """A pyarrow table."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def source(self, columns: Sequence[str]) -> ArrowStream | str:
        names = self._table.column_names
        known = all(names.count(name) == 1 for name in columns)
        return cast(ArrowStream, self._table.select(columns) if known else self._table)

    def rows(self, rows: Batches) -> Any:
        return self._table.take(_pyarrow().table(rows).column(0))

    def with_columns(self, rows: Batches, columns: Batches, peer: str) -> Any:
        return Arrow(self.rows(rows)).beside(columns, peer)

    def beside(self, columns: Batches, peer: str = "peer") -> Any:
        """The table with more columns, from this peer."""
        table, more = self._table, _pyarrow().table(columns)
        for field, column in zip(more.schema, more.columns, strict=True):
            name = free_name(field.name, table.column_names, peer)
            table = table.append_column(field.with_name(name), column)
        return table

    def joined(self, received: Batches) -> Any:
        pyarrow, table = _pyarrow(), self._table
        more = pyarrow.table(received)
        for place, name in enumerate(more.column_names):
            if name not in table.column_names:
                continue
            kind = table.schema.field(name).type
            try:
                more = more.set_column(place, name, more.column(place).cast(kind))
            except pyarrow.ArrowException:
                at = table.column_names.index(name)
                table = table.set_column(at, name, table.column(at).cast(pyarrow.large_string()))
        return pyarrow.concat_tables([table, more], promote_options="default")

    def aligned(self, own: Batches, others: Batches) -> Any:
        pyarrow = _pyarrow()
        tables = [self.beside(own), pyarrow.table(others)]
        return pyarrow.concat_tables(tables, promote_options="default")

    def of(self, batches: Batches) -> Any:
        return _pyarrow().table(batches)


class Pandas(InMemory):
    """A pandas data frame."""

    def __init__(self, table: Any) -> None:
        self._frame = table

    def source(self, columns: Sequence[str]) -> ArrowStream | str:
        have = list(self._frame.columns)
        if all(have.count(name) == 1 for name in columns):
            return cast(ArrowStream, self._arrow(list(columns)))
        pyarrow = _pyarrow()
        # The error then names the columns that there are.
        nothing = pyarrow.array([], pyarrow.string())
        return cast(ArrowStream, pyarrow.table([nothing] * len(have), names=[*map(str, have)]))

    def rows(self, rows: Batches) -> Any:
        return self._frame.iloc[_pyarrow().table(rows).column(0).to_numpy()]

    def with_columns(self, rows: Batches, columns: Batches, peer: str) -> Any:
        frame, more = self.rows(rows), self.of(columns)
        for name in more.columns:
            free = free_name(name, list(frame.columns), peer)
            frame = frame.assign(**{free: more[name].array})
        return frame

    def joined(self, received: Batches) -> Any:
        return self._whole().joined(received).to_pandas()

    def aligned(self, own: Batches, others: Batches) -> Any:
        return self._whole().aligned(own, others).to_pandas()

    def of(self, batches: Batches) -> Any:
        return _pyarrow().table(batches).to_pandas()

    def _whole(self) -> Arrow:
        return Arrow(self._arrow(list(self._frame.columns)))

    def _arrow(self, columns: list[Any]) -> Any:
        pyarrow = _pyarrow()
        failures = (pyarrow.ArrowException, TypeError, ValueError)
        try:
            return pyarrow.Table.from_pandas(self._frame[columns], preserve_index=False)
        except failures:
            # What pyarrow says may hold a value.
            raise InputError(self._mixed(columns, failures)) from None

    def _mixed(self, columns: list[Any], failures: tuple[type[Exception], ...]) -> str:
        for name in columns:
            try:
                _pyarrow().Table.from_pandas(self._frame[[name]], preserve_index=False)
            except failures:
                return (
                    f"column {name!r} holds values of several types: make it one, "
                    f"as with frame[{name!r}].astype('string')"
                )
        return "two columns have the same name: rename one"


class Polars(InMemory):
    """A Polars data frame."""

    def __init__(self, table: Any) -> None:
        self._frame = table
        self._polars = sys.modules["polars"]

    def source(self, columns: Sequence[str]) -> ArrowStream | str:
        known = set(columns) <= set(self._frame.columns)
        return cast(ArrowStream, self._frame.select(columns) if known else self._frame)

    def rows(self, rows: Batches) -> Any:
        return self._frame[self.of(rows).to_series()]

    def with_columns(self, rows: Batches, columns: Batches, peer: str) -> Any:
        more, names = self.of(columns), list(self._frame.columns)
        for name in more.columns:
            names.append(free_name(name, names, peer))
        return self.rows(rows).hstack(
            more.rename(dict(zip(more.columns, names[-more.width :], strict=True)))
        )

    def joined(self, received: Batches) -> Any:
        table, more = self._frame, self.of(received)
        for name in set(more.columns) & set(table.columns):
            try:
                more = more.with_columns(more[name].cast(table.schema[name]))
            except self._polars.exceptions.PolarsError:
                table = table.with_columns(table[name].cast(self._polars.String))
        return self._polars.concat([table, more], how="diagonal")

    def aligned(self, own: Batches, others: Batches) -> Any:
        table = self._polars.concat([self._frame, self.of(own)], how="horizontal")
        return self._polars.concat([table, self.of(others)], how="diagonal")

    def of(self, batches: Batches) -> Any:
        return self._polars.DataFrame(batches)


class File(Frame):
    """A file, whose tables are pyarrow's."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)

    def source(self, columns: Sequence[str]) -> ArrowStream | str:
        return self._path

    def result(self, run: Run, peer: str) -> Any:
        if (rows := self.listed(run, peer)) is not None:
            return rows
        own = run.own_rows()
        if own is None:
            shares = run.shares()
            return None if shares is None else _pyarrow().table(shares)
        return Arrow(_pyarrow().table(own)).result(run, peer)

    def listed(self, found: Run | Answers, peer: str = "peer") -> Any:
        rows = found.rows()
        if rows is None:
            return None
        table, columns = _pyarrow().table(found.own_rows()), found.beside()
        if columns is None:
            return table
        # Rows come once here, however often a join has them.
        places = _pyarrow().table(rows).column(0).combine_chunks().dictionary_encode().indices
        return Arrow(table.take(places)).beside(columns, peer)
