#!/usr/bin/env python3
"""Makes the image: an OCI layout in a tar, whose one layer holds veilset, the C library that it needs, and certificate authorities.

    packaging/image.py TREE VERSION REVISION OUT

The C library and the authorities are those of this machine's Debian or Ubuntu, whose package manager checks their signatures.
"""

import gzip
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from archive import add, entry, epoch

USER = 65532
# What the user inside may write: its identity and pinned keys, and lists and results.
HOME, WORK = "var/lib/veilset", "data"
# Where relay and serve listen, and their metrics.
PORTS = ["7000/tcp", "9100/tcp"]
PACKAGES = ["libc6", "ca-certificates"]
FILES = {
    "etc/passwd": f"root:x:0:0::/:/sbin/nologin\nveilset:x:{USER}:{USER}::/{HOME}:/sbin/nologin\n",
    "etc/group": f"root:x:0:\nveilset:x:{USER}:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def unpacked(folder, root):
    """The files of the Debian packages. What scanners look for, who made them and which they are, goes into the image."""
    run("apt-get", "download", "--quiet", *PACKAGES, cwd=folder)
    place(Path("/etc/os-release"), root / "etc/os-release")
    (root / "var/lib/dpkg/status.d").mkdir(parents=True)
    system = folder / "system"
    for name in PACKAGES:
        (package,) = folder.glob(f"{name}_*.deb")
        run("dpkg-deb", "-x", package, system)
        (root / "var/lib/dpkg/status.d" / name).write_text(run("dpkg-deb", "-f", package))
        place(system / f"usr/share/doc/{name}/copyright", root / f"usr/share/doc/{name}/copyright")
    return system


def libraries(program, system, root):
    """Puts the C library where the program looks for it: what it names, and its loader."""
    loader = re.search(r"interpreter: (.+)]", run("readelf", "-lW", program)).group(1)
    names = re.findall(r"NEEDED.*\[(.+)]", run("readelf", "-dW", program))
    found = {path.name: path for path in system.rglob("*.so*") if path.is_file()}
    place(found[Path(loader).name].resolve(), root / loader.lstrip("/"))
    triplet = found["libc.so.6"].parent.name
    for name in {"libc.so.6", *names} - {Path(loader).name}:
        place(found[name], root / "lib" / triplet / name)


def place(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


def rootfs(tree, root, work):
    system = unpacked(work, root)
    program = root / "usr/bin/veilset"
    place(tree / "bin/veilset", program)
    libraries(program, system, root)
    authorities = sorted((system / "usr/share/ca-certificates").rglob("*.crt"))
    certificates = "".join(path.read_text().strip() + "\n" for path in authorities)
    for name, text in {**FILES, "etc/ssl/certs/ca-certificates.crt": certificates}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for name in (
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "LICENCES.txt",
        "LICENCES-RUST.html",
        "veilset.cdx.json",
    ):
        place(tree / name, root / "usr/share/doc/veilset" / name)
    for name in (HOME, WORK, "tmp"):
        (root / name).mkdir(parents=True)


def layer(root):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in sorted(root.rglob("*")):
            made = entry(path, path.relative_to(root).as_posix())
            if made.name in (HOME, WORK):
                made.uid = made.gid = USER
                made.mode = 0o700
            elif made.name == "tmp":
                made.mode = 0o1777
            add(archive, made, path)
    return out.getvalue()


class Layout:
    """The files of an OCI layout."""

    def __init__(self):
        self.files = {"oci-layout": json.dumps({"imageLayoutVersion": "1.0.0"}).encode()}

    def blob(self, kind, content):
        """Takes a blob, and returns its descriptor."""
        digest = hashlib.sha256(content).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = content
        return {
            "mediaType": f"application/vnd.oci.image.{kind}",
            "digest": f"sha256:{digest}",
            "size": len(content),
        }

    def write(self, out):
        with tarfile.open(out, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for name, content in sorted(self.files.items()):
                made = tarfile.TarInfo(name)
                made.size, made.mtime = len(content), epoch()
                archive.addfile(made, io.BytesIO(content))


def image(content, architecture, labels, version):
    layout = Layout()
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, packed, mtime=0) as stream:
        stream.write(content)
    layers = [layout.blob("layer.v1.tar+gzip", packed.getvalue())]
    created = labels["org.opencontainers.image.created"]
    config = {
        "created": created,
        "architecture": architecture,
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "Entrypoint": ["/usr/bin/veilset"],
            "Cmd": ["--help"],
            "Env": ["PATH=/usr/bin", f"VEILSET_HOME=/{HOME}"],
            "WorkingDir": f"/{WORK}",
            "ExposedPorts": {port: {} for port in PORTS},
            "Volumes": {f"/{HOME}": {}, f"/{WORK}": {}},
            "StopSignal": "SIGTERM",
            "Labels": labels,
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(content).hexdigest()}"]},
        "history": [{"created": created, "created_by": "packaging/image.py"}],
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": layout.blob("config.v1+json", json.dumps(config).encode()),
        "layers": layers,
        "annotations": labels,
    }
    described = layout.blob("manifest.v1+json", json.dumps(manifest).encode())
    described["annotations"] = {"org.opencontainers.image.ref.name": f"veilset:{version}"}
    described["platform"] = {"architecture": architecture, "os": "linux"}
    index = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [described],
    }
    layout.files["index.json"] = json.dumps(index).encode()
    return layout


def main():
    tree, version, revision, out = sys.argv[1:]
    created = datetime.fromtimestamp(epoch(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    words = {
        "title": "veilset",
        "description": "Private set operations between two parties",
        "licenses": "MIT OR Apache-2.0",
        "version": version,
        "revision": revision,
        "created": created,
    }
    labels = {f"org.opencontainers.image.{name}": word for name, word in words.items()}
    with tempfile.TemporaryDirectory() as folder:
        work, root = Path(folder), Path(folder, "image")
        rootfs(Path(tree), root, work)
        architecture = run("dpkg", "--print-architecture").strip()
        image(layer(root), architecture, labels, version).write(out)


if __name__ == "__main__":
    main()
