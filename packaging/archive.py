#!/usr/bin/env python3
"""Packs a folder into a .tar.gz or .zip whose bytes depend on nothing but its files: sorted, of root, at SOURCE_DATE_EPOCH.

packaging/archive.py FOLDER ARCHIVE
"""

import gzip
import os
import sys
import tarfile
import time
import zipfile
from pathlib import Path


def epoch():
    return int(os.environ["SOURCE_DATE_EPOCH"])


def entry(path, name):
    """A file or folder as the archive has it."""
    made = tarfile.TarInfo(name)
    made.mtime = epoch()
    if path.is_dir():
        made.type, made.mode = tarfile.DIRTYPE, 0o755
    else:
        made.size, made.mode = path.stat().st_size, 0o755 if os.access(path, os.X_OK) else 0o644
    return made


def add(archive, made, path):
    if made.isdir():
        archive.addfile(made)
    else:
        with path.open("rb") as content:
            archive.addfile(made, content)


def write_tar(folder, out):
    with gzip.GzipFile("", "wb", 9, out, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for path in [folder, *sorted(folder.rglob("*"))]:
                add(archive, entry(path, path.relative_to(folder.parent).as_posix()), path)


def write_zip(folder, out):
    with zipfile.ZipFile(out, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                name = path.relative_to(folder.parent).as_posix()
                made = zipfile.ZipInfo(name, time.gmtime(epoch())[:6])
                archive.writestr(made, path.read_bytes(), zipfile.ZIP_DEFLATED)


def main():
    folder, archive = map(Path, sys.argv[1:])
    with archive.open("wb") as out:
        write = write_zip if archive.suffix == ".zip" else write_tar
        write(folder, out)


if __name__ == "__main__":
    main()
