"""Lists in: what users give, as Ray datasets."""

from __future__ import annotations

import glob
import os
from typing import Any

import pyarrow
import pyarrow.csv
import pyarrow.fs
import ray.data

from .._frames import frame
from ..errors import InputError
from ._options import Data

ROWS_OF_A_BLOCK = 1 << 20


def dataset(data: Data) -> ray.data.Dataset:
    """What the user gave, as a dataset."""
    if isinstance(data, ray.data.Dataset):
        return data
    if isinstance(data, str | os.PathLike):
        return _read(os.fspath(data))
    table = _arrow(data)
    starts = range(0, max(table.num_rows, 1), ROWS_OF_A_BLOCK)
    return ray.data.from_arrow([table.slice(start, ROWS_OF_A_BLOCK) for start in starts])


def _arrow(data: Any) -> pyarrow.Table:
    if isinstance(data, pyarrow.Table):
        return data
    known = frame(data)
    names = getattr(data, "columns", None)
    table = pyarrow.table(data if names is None else known.source(list(names)))
    return table.cast(pyarrow.schema([_carried(field) for field in table.schema]))


def _carried(field: pyarrow.Field) -> pyarrow.Field:
    """The field in a type that Ray carries quickly."""
    views = {
        pyarrow.string_view(): pyarrow.large_string(),
        pyarrow.binary_view(): pyarrow.large_binary(),
    }
    return field.with_type(views.get(field.type, field.type))


def _read(path: str) -> ray.data.Dataset:
    if "://" not in path:
        # Workers stand in other folders than the driver.
        path = os.path.abspath(path)
    paths = sorted(glob.glob(path)) if any(sign in path for sign in "*?[") else [path]
    if not paths:
        raise InputError(f"no file is called {path}: give the path of Parquet or CSV files")
    try:
        read = _read_csv(paths) if _is_text(paths[0]) else ray.data.read_parquet(paths)
    except (OSError, pyarrow.ArrowException, ValueError) as error:
        # What others say of a failure may hold data.
        kind = type(error).__name__
        raise InputError(f"cannot read {path} as Parquet or CSV ({kind})") from None
    read.context.execution_options.preserve_order = True
    return read


def _is_text(path: str) -> bool:
    names = os.listdir(path) if os.path.isdir(path) else [path]
    return any(name.lower().endswith((".csv", ".tsv", ".txt")) for name in names)


def _read_csv(paths: list[str]) -> ray.data.Dataset:
    """Every field is text, so that leading zeros stay."""
    if os.path.isdir(paths[0]):
        folder = paths[0]
        paths = sorted(
            os.path.join(folder, name) for name in os.listdir(folder) if name[0] not in "._"
        )
    tabs = paths[0].lower().endswith(".tsv")
    parse = pyarrow.csv.ParseOptions(delimiter="\t" if tabs else ",", newlines_in_values=True)
    system, name = pyarrow.fs.FileSystem.from_uri(paths[0])
    with system.open_input_stream(name) as stream:
        names = pyarrow.csv.open_csv(stream, parse_options=parse).schema.names
    types = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pyarrow.string()))
    return ray.data.read_csv(paths, parse_options=parse, convert_options=types)
