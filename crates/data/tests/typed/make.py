"""Makes the files beside this one: the same rows as Parquet and Arrow, and what Python says is their text.

    pip install pyarrow && python make.py
"""

import csv
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
from pyarrow import feather, ipc, parquet

FOLDER = Path(__file__).parent
BERLIN = timezone(timedelta(hours=1))


def plain(number: float) -> str:
    """The shortest digits that read back as the number, written out."""
    text = format(Decimal(repr(number)), "f")
    return text.removesuffix(".0")


def clock(moment) -> str:
    """ISO 8601 with no digit after the last that is not zero."""
    text = moment.isoformat()
    return text.rstrip("0") if "." in text else text


def instant(moment: datetime) -> str:
    return clock(moment.astimezone(timezone.utc).replace(tzinfo=None)) + "Z"


WINTER = datetime(2024, 2, 29, 1, 2, 3, 450_000)
CASES = [
    ("int8", pa.int8(), [-128, 127, None], str),
    ("int16", pa.int16(), [-32768, None, 7], str),
    ("int32", pa.int32(), [0, -1, 2**31 - 1], str),
    ("int64", pa.int64(), [-(2**63), 2**63 - 1, None], str),
    ("uint8", pa.uint8(), [0, 255, None], str),
    ("uint16", pa.uint16(), [0, 65535, None], str),
    ("uint32", pa.uint32(), [0, 2**32 - 1, None], str),
    ("uint64", pa.uint64(), [0, 2**64 - 1, None], str),
    ("bool", pa.bool_(), [True, False, None], lambda value: str(value).lower()),
    ("float64", pa.float64(), [0.1, -1e22, 2.5e-7], plain),
    ("float64_whole", pa.float64(), [1.0, -0.0, None], plain),
    ("decimal", pa.decimal128(10, 2), [Decimal("12.50"), Decimal("-0.05"), None], str),
    ("decimal256", pa.decimal256(50, 3), [Decimal("1" + "0" * 40 + ".000"), Decimal("-7.125"), None], str),
    ("decimal_whole", pa.decimal128(5, 0), [Decimal("-123"), Decimal("0"), None], str),
    ("date32", pa.date32(), [date(1969, 12, 31), date(2024, 2, 29), None], date.isoformat),
    ("date64", pa.date64(), [date(1, 1, 1), date(9999, 12, 31), None], date.isoformat),
    ("time32", pa.time32("ms"), [time(1, 2, 3, 4000), time(0), None], clock),
    ("time64", pa.time64("us"), [time(23, 59, 59, 999_990), time(12), None], clock),
    ("seconds", pa.timestamp("s"), [datetime(1970, 1, 1), datetime(1950, 1, 2, 3, 4, 5), None], clock),
    ("micros", pa.timestamp("us"), [WINTER, datetime(2000, 1, 1), None], clock),
    ("millis_utc", pa.timestamp("ms", "UTC"), [WINTER.replace(tzinfo=timezone.utc), None, None], instant),
    ("nanos_berlin", pa.timestamp("ns", "Europe/Berlin"), [WINTER.replace(tzinfo=BERLIN), None, None], instant),
    ("string", pa.string(), ["a,\"b\"\n", "", None], str),
    ("large_string", pa.large_string(), ["é", " x ", None], str),
    ("string_view", pa.string_view(), ["longer than twelve bytes", "short", None], str),
    ("binary", pa.binary(), [b"\x00\xffA", b"", None], bytes.hex),
    ("large_binary", pa.large_binary(), [b"\x01", b"\x02\x03", None], bytes.hex),
    ("fixed", pa.binary(4), [b"\xde\xad\xbe\xef", b"\0\0\0\0", None], bytes.hex),
    ("dictionary", pa.dictionary(pa.int16(), pa.string()), ["x", "y", "x"], str),
    ("dictionary_int", pa.dictionary(pa.int8(), pa.int64()), [42, None, 42], str),
    ("null", pa.null(), [None, None, None], str),
]


def main() -> None:
    schema = pa.schema([(name, kind) for name, kind, _, _ in CASES])
    arrays = [pa.array(values, kind) for _, kind, values, _ in CASES]
    table = pa.Table.from_arrays(arrays, schema=schema)
    feather.write_feather(table, FOLDER / "values.arrow", compression="lz4")
    with ipc.new_stream(FOLDER / "values.arrows", schema, options=ipc.IpcWriteOptions(compression="zstd")) as out:
        out.write_table(table, max_chunksize=2)
    parquet.write_table(table, FOLDER / "values.parquet", compression="snappy", row_group_size=2)
    with (FOLDER / "values.csv").open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(schema.names)
        for row in range(3):
            cells = ((values[row], text) for _, _, values, text in CASES)
            writer.writerow("" if value is None else text(value) for value, text in cells)


main()
