"""The parts of `make dist`: archives, bills, wheels, and the workflow that makes releases."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]


def run(script: str, *arguments: object) -> None:
    words = [sys.executable, str(ROOT / "packaging" / script), *map(str, arguments)]
    subprocess.run(
        words, check=True, cwd=ROOT, env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
    )


@pytest.mark.parametrize("suffix", ["tar.gz", "zip"])
def test_an_archive_depends_on_nothing_but_its_files(tmp_path: Path, suffix: str) -> None:
    archives = []
    for number, order in enumerate((["b", "a"], ["a", "b"])):
        folder = tmp_path / str(number) / "veilset-1" / "bin"
        folder.mkdir(parents=True)
        for name in order:
            (folder / name).write_text(name)
            (folder / name).chmod(0o755 if name == "a" else 0o600)
            os.utime(folder / name, (number, number + 10))
        archives.append(tmp_path / f"{number}.{suffix}")
        run("archive.py", folder.parent, archives[-1])
    assert archives[0].read_bytes() == archives[1].read_bytes()
    if suffix == "tar.gz":
        with tarfile.open(archives[0]) as archive:
            found = [(one.name, one.mode, one.uid, one.mtime) for one in archive]
        names = ["veilset-1", "veilset-1/bin", "veilset-1/bin/a", "veilset-1/bin/b"]
        modes = [0o755, 0o755, 0o755, 0o644]
        assert found == [
            (name, mode, 0, 1700000000) for name, mode in zip(names, modes, strict=True)
        ]


def test_a_bill_has_what_is_linked_and_every_licence(tmp_path: Path) -> None:
    run("bill.py", tmp_path, "x86_64-unknown-linux-gnu", "veilset-nofly")
    bill = json.loads((tmp_path / "veilset.cdx.json").read_text())
    names = {component["name"] for component in bill["components"]}
    assert {"rustls", "tokio", "veilset-protocols"} <= names
    # A library of tests, a macro, and a program's that is not asked for.
    assert not {"proptest", "serde_derive", "veilset-bench"} & names
    known = {component["bom-ref"] for component in bill["components"]} | {"veilset"}
    for dependency in bill["dependencies"]:
        assert {dependency["ref"], *dependency["dependsOn"]} <= known
    licences = (tmp_path / "LICENCES.txt").read_text()
    for component in bill["components"]:
        if "purl" in component:
            assert f"{component['name']} {component['version']}" in licences


def test_a_wheel_records_the_licences_that_it_gets(tmp_path: Path) -> None:
    wheel, notices, out = tmp_path / "x-1-py3-none-any.whl", tmp_path / "notices", tmp_path / "out"
    for folder in (notices, out):
        folder.mkdir()
    (notices / "LICENCES.txt").write_text("text")
    (notices / "veilset.cdx.json").write_text("{}")
    with zipfile.ZipFile(wheel, "w") as made:
        made.writestr("x/__init__.py", "pass")
        made.writestr("x-1.dist-info/METADATA", "Name: x\nLicense-Expression: MIT\n")
        made.writestr("x-1.dist-info/sboms/x.json", "/home/somebody")
        made.writestr("x-1.dist-info/RECORD", "old")
    run("wheel.py", wheel, notices, out)
    with zipfile.ZipFile(out / wheel.name) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    record = files.pop("x-1.dist-info/RECORD").decode().splitlines()
    assert {"x-1.dist-info/licenses/LICENCES.txt", "x-1.dist-info/sboms/veilset.cdx.json"} < set(
        files
    )
    for name, content in files.items():
        digest = urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        assert f"{name},sha256={digest},{len(content)}" in record
    assert record[-1] == "x-1.dist-info/RECORD,,"
    assert b"License-File: LICENCES.txt\n" in files["x-1.dist-info/METADATA"]
    assert "x-1.dist-info/sboms/x.json" not in files


def test_the_workflow_and_the_scripts_parse() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text()
    workflow = yaml.safe_load(text)
    assert set(workflow["jobs"]) == {"test", "dist", "publish"}
    actions = re.findall(r"uses: (.+)", text)
    assert actions and all(re.fullmatch(r"actions/[a-z-]+@v\d+", action) for action in actions)
    assert "secrets." not in text
    for script in ("packaging/deb", "scripts/dist", "scripts/dist-try", "scripts/wheel"):
        subprocess.run(["bash", "-n", script], check=True, cwd=ROOT)
