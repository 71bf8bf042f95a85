"""Both parties of an intersection, each with a Ray cluster of its own on this machine.

    pip install 'veilset[ray]'
    python examples/cluster.py

Between two organisations, each runs its own half: its list, its party, and the other's address.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow
import ray
import veilset
import veilset.ray

ADDRESS = "127.0.0.1:7400"

#: Every third customer of the one is a customer of the other.
LISTS = {"shop": range(0, 300_000, 2), "bank": range(0, 300_000, 3)}


def side(name: str, peer: str, home: str) -> None:
    """One party: its cluster, its list, its run."""
    # With ray.init("auto") it would be the cluster that this machine belongs to.
    ray.init(num_cpus=2, object_store_memory=200_000_000, include_dashboard=False)
    numbers = LISTS[name]
    emails = [f"user{number}@example.org" for number in numbers]
    table = pyarrow.table({"email": emails, f"{name}_id": list(numbers)})
    options: veilset.ray.Options = {"preset": "email", "workers": 1, "advertise": "127.0.0.1"}
    options["listen" if name == "shop" else "connect"] = ADDRESS
    with veilset.Party.load(home) as party:
        options["party"] = party
        found = veilset.ray.intersect(table, on="email", peer=peer, **options)
    print(f"{name}: {found.learned}")
    print(f"{name}: {found.count} keys match; the first rows are")
    assert found.table is not None
    for row in found.table.take(3):
        print(f"{name}:", row)


def main() -> None:
    """Makes both parties, which pin each other's key, and runs each in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        homes = {name: str(Path(folder) / name) for name in LISTS}
        parties = {name: veilset.Party.create(home) for name, home in homes.items()}
        parties["shop"].add_peer("bank", parties["bank"].key)
        parties["bank"].add_peer("shop", parties["shop"].key)
        sides = [
            subprocess.Popen([sys.executable, __file__, name, peer, homes[name]])
            for name, peer in (("shop", "bank"), ("bank", "shop"))
        ]
        codes = [process.wait() for process in sides]
    sys.exit(max(codes))


if __name__ == "__main__":
    side(*sys.argv[1:]) if len(sys.argv) > 1 else main()
