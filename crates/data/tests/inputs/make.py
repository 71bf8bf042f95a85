"""Makes the files beside this one: what people have, and what of it is read.

    pip install openpyxl pandas pyarrow xlsxwriter && python make.py
"""

import bz2
import csv
import gzip
import lzma
import pickle
from datetime import date, datetime, time, timedelta
from pathlib import Path

import numpy
import pandas
import pyarrow as pa
import xlsxwriter
from openpyxl import Workbook
from pyarrow import ipc, orc, parquet

FOLDER = Path(__file__).parent

# A cell of a workbook, its format, and its text.
CELLS = [
    [("e-mail", None, "e-mail"), ("phone", None, "phone"), ("paid", None, "paid"), ("on", None, "on"), ("ok", None, "ok")],
    [("ann@x.org", None, "ann@x.org"), (447911123456, None, "447911123456"), (0.1 + 0.2, None, "0.3"),
     (date(2024, 2, 29), "yyyy-mm-dd", "2024-02-29"), (True, None, "true")],
    [(None, None, "")] * 5,
    [("bob, \"b\"\nx", None, "bob, \"b\"\nx"), ("0044 7911", None, "0044 7911"), (-12.5, "0.00", "-12.5"),
     (datetime(2024, 2, 29, 13, 45, 30), "dd/mm/yyyy hh:mm", "2024-02-29T13:45:30"), (False, None, "false")],
    [("  é ", None, "  é "), (None, None, ""), (1e15, None, "1000000000000000"), (time(6, 30), "hh:mm", "06:30:00"),
     ("=1+1", None, "")],
    [("007", "@", "007"), (12, None, "12"), (1e-7, None, "0.0000001"), (timedelta(hours=26, minutes=30), "[h]:mm:ss", "26:30:00"),
     ("#N/A", None, "#N/A")],
]


def fill(sheet, column: int = 1, row: int = 1) -> None:
    for down, cells in enumerate(CELLS):
        for right, (value, shown, _) in enumerate(cells):
            cell = sheet.cell(row + down, column + right, value)
            if shown:
                cell.number_format = shown


def workbooks() -> None:
    book = Workbook()
    fill(book.active)
    book.create_sheet("Empty")
    hidden = book.create_sheet("Hidden")
    hidden["A1"] = "not asked for"
    hidden.sheet_state = "hidden"
    book.save(FOLDER / "one.xlsx")

    book = Workbook()
    book.active.title = "Notes"
    book.active["A1"] = "about"
    fill(book.create_sheet("Customers"), column=3, row=2)
    book.save(FOLDER / "several.xlsx")

    book = Workbook()
    book.active.append(["k", "v"])
    book.active.append(["a", 1, "beside"])
    book.save(FOLDER / "beside.xlsx")

    # As Excel does, with texts in a table of their own.
    book = xlsxwriter.Workbook(FOLDER / "shared.xlsx")
    sheet = book.add_worksheet("People")
    for row, cells in enumerate(CELLS):
        for column, (value, shown, _) in enumerate(cells):
            if value in ("=1+1", "#N/A"):
                sheet.write_formula(row, column, "=NA()" if value == "#N/A" else value, None, "" if value == "=1+1" else value)
            elif value is not None:
                sheet.write(row, column, value, book.add_format({"num_format": shown or "General"}))
    book.close()

    with open(FOLDER / "one.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerows([text for *_, text in cells] for cells in CELLS if any(text for *_, text in cells))


def others() -> None:
    table = pa.table({"k": ["a", "b"], "n": [1, 2]})
    orc.write_table(table, FOLDER / "list.orc")
    parquet.write_table(table, FOLDER / "brotli.parquet", compression="brotli")
    frame = table.to_pandas()
    (FOLDER / "list.pkl").write_bytes(pickle.dumps(frame.to_dict()))
    text = frame.to_csv(index=False).encode()
    (FOLDER / "list.csv.bz2").write_bytes(bz2.compress(text))
    (FOLDER / "list.csv.xz").write_bytes(lzma.compress(text))
    for name, text in [("list", text), ("one", (FOLDER / "one.csv").read_bytes())]:
        (FOLDER / f"{name}.csv.gz").write_bytes(gzip.compress(text, mtime=0))
        with pa.CompressedOutputStream(FOLDER / f"{name}.csv.zst", "zstd") as file:
            file.write(text)
    frame.to_json(FOLDER / "default.json")
    frame.to_json(FOLDER / "records.json", orient="records")
    dates = pandas.DataFrame({"day": pandas.to_datetime(["2024-02-29", "2024-03-01 13:45", None], format="ISO8601")})
    dates.to_parquet(FOLDER / "dates.parquet", index=False)


def damaged() -> None:
    """Honest files of the kinds that a damaged one is made of."""
    table = pa.table({
        "text": [f"a text that is long enough {n % 7}" for n in range(300)],
        "number": list(range(300)),
        "kind": pa.array([f"k{n % 3}" for n in range(300)]).dictionary_encode(),
        "list": [[n, n + 1] for n in range(300)],
    })
    for codec in ["lz4", "zstd"]:
        options = ipc.IpcWriteOptions(compression=codec)
        with ipc.new_file(FOLDER / f"{codec}.arrow", table.schema, options=options) as file:
            file.write_table(table, max_chunksize=100)
        with ipc.new_stream(FOLDER / f"{codec}.arrows", table.schema, options=options) as file:
            file.write_table(table, max_chunksize=100)
    plain = table.drop_columns("kind")
    for name, encoding in [("delta", "DELTA_BYTE_ARRAY"), ("lengths", "DELTA_LENGTH_BYTE_ARRAY")]:
        for version in ["1.0", "2.0"]:
            parquet.write_table(plain, FOLDER / f"{name}{version[0]}.parquet", use_dictionary=False, compression="none",
                                column_encoding={"text": encoding}, data_page_version=version)
    for codec in ["snappy", "gzip", "zstd"]:
        parquet.write_table(table, FOLDER / f"{codec}.parquet", compression=codec, data_page_version="2.0")


def halves() -> None:
    """Every number of 16 bits that is one, and the fewest digits for it."""
    numbers = numpy.arange(2**16, dtype=numpy.uint16).view(numpy.float16)
    finite = numbers[numpy.isfinite(numbers)]
    texts = [numpy.format_float_positional(number, unique=True, trim="-") for number in finite]
    (FOLDER / "halves.txt").write_text("\n".join(texts[::61]) + "\n")


if __name__ == "__main__":
    workbooks()
    others()
    damaged()
    halves()
