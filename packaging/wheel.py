#!/usr/bin/env python3
"""Copies a wheel, with licences and the bill of materials in the place where installers put them.

packaging/wheel.py WHEEL FOLDER OUT
"""

import base64
import hashlib
import os
import sys
import time
import zipfile
from pathlib import Path


def line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def main():
    wheel, folder, out = map(Path, sys.argv[1:])
    date = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    with zipfile.ZipFile(wheel) as made:
        files = {name: made.read(name) for name in made.namelist()}
    (record,) = [name for name in files if name.endswith(".dist-info/RECORD")]
    info = record.removesuffix("/RECORD")
    # The builder's own bill names folders of this machine, and libraries that are in no product.
    files = {
        name: content for name, content in files.items() if not name.startswith(f"{info}/sboms/")
    }
    texts = [path.name for path in sorted(folder.iterdir()) if path.suffix != ".json"]
    said = "".join(f"License-File: {name}\n" for name in texts).encode()
    expression = b"License-Expression: "
    files[f"{info}/METADATA"] = files[f"{info}/METADATA"].replace(expression, said + expression, 1)
    for path in sorted(folder.iterdir()):
        place = "sboms" if path.suffix == ".json" else "licenses"
        files[f"{info}/{place}/{path.name}"] = path.read_bytes()
    del files[record]
    lines = [line(name, content) for name, content in files.items()]
    files[record] = "".join([*lines, f"{record},,\n"]).encode()
    with zipfile.ZipFile(out / wheel.name, "w") as packed:
        for name, content in files.items():
            made = zipfile.ZipInfo(name, date)
            made.external_attr = 0o644 << 16
            packed.writestr(made, content, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
