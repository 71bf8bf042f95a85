#!/usr/bin/env python3
"""Writes what the crates of a product link: a bill of materials (CycloneDX) and the full texts of all licences.

    packaging/bill.py FOLDER TARGET PACKAGE…

cargo-about and cargo-cyclonedx would take minutes to build, and look at the features of the whole workspace; `cargo tree` says which
crates these packages link for this target.
"""

import json
import os
import re
import subprocess
import sys
import uuid
from datetime import UTC, datetime
from pathlib import Path

TEXTS = re.compile(r"(licen[cs]e|copying|notice|copyright|unlicense)", re.IGNORECASE)


def cargo(*arguments):
    offline = ["--locked", "--offline"]
    return subprocess.run(
        ["cargo", *arguments, *offline], check=True, capture_output=True, text=True
    ).stdout


def linked(target, packages):
    """Names and versions of the crates whose code is in the product: no macros, no build scripts, no tests."""
    asked = [word for package in packages for word in ("-p", package)]
    edges = [
        "-e",
        "normal,no-proc-macro",
        "--target",
        target,
        "--prefix",
        "none",
        "--format",
        "{p}",
    ]
    lines = cargo("tree", *asked, *edges).splitlines()
    return {(line.split()[0], line.split()[1].removeprefix("v")) for line in lines if line}


def metadata(target, wanted):
    """The packages themselves, and which of them each depends on."""
    read = json.loads(cargo("metadata", "--format-version", "1", "--filter-platform", target))
    packages = [one for one in read["packages"] if (one["name"], one["version"]) in wanted]
    packages.sort(key=lambda one: (one["name"], one["version"]))
    ids = {one["id"] for one in packages}
    nodes = {node["id"]: node["deps"] for node in read["resolve"]["nodes"] if node["id"] in ids}
    uses = {}
    for id, dependencies in nodes.items():
        normal = [
            one for one in dependencies if any(kind["kind"] is None for kind in one["dep_kinds"])
        ]
        uses[id] = sorted({one["pkg"] for one in normal} & ids)
    return packages, uses


def checksums():
    """What Cargo.lock says of the crates' archives."""
    lock = Path("Cargo.lock").read_text(encoding="utf-8")
    entry = re.compile(r'name = "(.+)"\nversion = "(.+)"\nsource = .+\nchecksum = "(.+)"')
    return {(name, version): checksum for name, version, checksum in entry.findall(lock)}


def reference(package):
    name, version = package["name"], package["version"]
    return f"pkg:cargo/{name}@{version}"


def bill(product, packages, uses, epoch):
    sums = checksums()
    version = next(one["version"] for one in packages if one["name"] == "veilset")
    names = {one["id"]: reference(one) for one in packages}
    components = []
    for package in packages:
        component = {
            "type": "library",
            "bom-ref": names[package["id"]],
            "name": package["name"],
            "version": package["version"],
            "licenses": [{"expression": package["license"].replace("/", " OR ")}],
        }
        checksum = sums.get((package["name"], package["version"]))
        if checksum:
            component["purl"] = names[package["id"]]
            component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        components.append(component)
    main = {"type": "application", "bom-ref": product, "name": product, "version": version}
    of = [
        {"ref": names[id], "dependsOn": [names[one] for one in used]}
        for id, used in sorted(uses.items())
    ]
    ours = [names[one["id"]] for one in packages if not one["source"]]
    body = {
        "metadata": {
            "timestamp": datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": main,
        },
        "components": components,
        "dependencies": [{"ref": product, "dependsOn": ours}, *of],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(body))
    head = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
    }
    return json.dumps(head | body, indent=1) + "\n"


def own_texts(package):
    """The licences that lie in a crate, those of C code below it, too."""
    root = Path(package["manifest_path"]).parent
    found = [path for path in sorted(root.rglob("*")) if path.is_file() and TEXTS.match(path.name)]
    found = [path for path in found if path.suffix not in (".rs", ".c", ".h", ".py", ".go")]
    return [path.read_text(encoding="utf-8", errors="replace").strip() for path in found]


def texts(packages):
    """Each crate's texts. One without any gets those of its sister crate, or a text in which nobody is named."""
    found = {one["id"]: own_texts(one) for one in packages}
    for package in packages:
        if found[package["id"]]:
            continue
        sisters = [
            one
            for one in packages
            if one["repository"] == package["repository"] and found[one["id"]]
        ]
        free = [one for one in packages if one["license"] == "CC0-1.0" and found[one["id"]]]
        if "Apache-2.0" in package["license"]:
            found[package["id"]] = [Path("LICENSE-APACHE").read_text(encoding="utf-8").strip()]
        elif sisters and package["repository"]:
            found[package["id"]] = found[sisters[0]["id"]]
        elif package["license"] == "CC0-1.0" and free:
            found[package["id"]] = found[free[0]["id"]]
        else:
            sys.exit(
                f"{package['name']} {package['version']} has no text of its licence, {package['license']}"
            )
    return found


def licences(packages):
    crates = {}
    found = texts(packages)
    for package in packages:
        for text in found[package["id"]]:
            key = " ".join(text.split())
            crates.setdefault(key, (text, []))[1].append(f"{package['name']} {package['version']}")
    parts = [
        "The licences of the libraries that are linked. Each text stands below the libraries that it came with.\n"
    ]
    for text, names in crates.values():
        parts.append(f"{'=' * 100}\n{', '.join(dict.fromkeys(names))}\n{'-' * 100}\n\n{text}\n")
    return "\n".join(parts)


def main():
    folder, target, *asked = sys.argv[1:]
    packages, uses = metadata(target, linked(target, asked))
    libraries = [one for one in packages if one["source"]]
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    said = {
        "veilset.cdx.json": bill("veilset", packages, uses, epoch),
        "LICENCES.txt": licences(libraries),
    }
    for name, text in said.items():
        Path(folder, name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
