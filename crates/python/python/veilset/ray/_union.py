"""The table of a union: one's own rows, then those that came, as text where the two do not fit."""

from __future__ import annotations

from typing import Any

import pyarrow
import ray

from .. import _native
from ._cluster import fetch
from ._scan import Blocks


def united(blocks: Blocks, received: list[Any]) -> list[Any]:
    """Own rows and received ones; a column whose received texts are no values of its type becomes text."""
    schemas = fetch([_schema.remote(block) for block in blocks.refs])
    own = pyarrow.unify_schemas(schemas, promote_options="permissive")
    foreign = fetch(_schema.remote(received[0]))
    refused = fetch([_refused.remote(rows, own) for rows in received])
    fields = list(own)
    for name in set().union(*refused):
        place = own.get_field_index(name)
        fields[place] = pyarrow.field(name, pyarrow.large_string())
    names = own.names
    fields += [foreign.field(name) for name in foreign.names if name not in names]
    whole = pyarrow.schema([field.with_nullable(True).remove_metadata() for field in fields])
    return [_as.remote(rows, whole) for rows in [*blocks.refs, *received]]


def unpacked(items: list[Any], width: int, columns: list[str]) -> list[Any]:
    """The rows that came, as text."""
    return [_unpacked.remote(of_slice, width, columns) for of_slice in items]


@ray.remote
def _unpacked(items: bytes, width: int, columns: list[str]) -> pyarrow.Table:
    return pyarrow.table(_native.rows_of_items(items, width, columns))


@ray.remote
def _schema(rows: pyarrow.Table) -> pyarrow.Schema:
    return rows.schema


@ray.remote
def _refused(rows: pyarrow.Table, own: pyarrow.Schema) -> set[str]:
    """The columns whose texts are no values of this side's types."""
    refused = set()
    for name in set(rows.column_names) & set(own.names):
        try:
            rows.column(name).cast(own.field(name).type)
        except pyarrow.ArrowException:
            refused.add(name)
    return refused


@ray.remote
def _as(rows: pyarrow.Table, whole: pyarrow.Schema) -> pyarrow.Table:
    """These rows with all columns; those that they lack are null."""
    columns = [
        rows.column(field.name).cast(field.type)
        if field.name in rows.column_names
        else pyarrow.nulls(rows.num_rows, field.type)
        for field in whole
    ]
    return pyarrow.table(columns, schema=whole)
