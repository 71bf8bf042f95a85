"""Two parties intersect their tables over TLS, with the installed package: what scripts/dist-try runs."""

import sys
import tempfile
from threading import Thread

import pyarrow
import veilset

homes = [tempfile.mkdtemp() for _ in range(2)]
left, right = (veilset.Party.create(home) for home in homes)
left.add_peer("right", right.key)
right.add_peer("left", left.key)
found = {}


def run(name, party, emails, **way):
    table = pyarrow.table({"email": emails})
    result = veilset.intersect(table, on="email", preset="email", party=party, **way)
    found[name] = result.table.column("email").to_pylist()


address = "127.0.0.1:7010"
lists = {
    "left": ["ann@example.org", "ben@example.org"],
    "right": ["BEN@example.org", "cem@example.org"],
}
listening = Thread(
    target=run, args=("left", left, lists["left"]), kwargs={"peer": "right", "listen": address}
)
connecting = Thread(
    target=run, args=("right", right, lists["right"]), kwargs={"peer": "left", "connect": address}
)
for thread in (listening, connecting):
    thread.start()
for thread in (listening, connecting):
    thread.join()
if found != {"left": ["ben@example.org"], "right": ["BEN@example.org"]}:
    sys.exit(f"the two parties found {found}")
print(f"veilset {veilset.__version__} on Python {sys.version.split()[0]}: one match on each side")
