"""Makes openmined.json with the published package: python3 -m pip install openmined.psi==2.0.6, then run this.

Keys are fixed and items are made by rule, so every run gives the same bytes.
"""

import importlib.metadata
import json
import pathlib

import private_set_intersection.python as psi

CLIENT_KEY = bytes(range(1, 33))
SERVER_KEY = bytes(range(101, 133))
CLIENT_ITEMS = [f"person{n}@example.com" for n in range(12)] + ["Zoë", "日本", "", "x" * 300]
SERVER_ITEMS = [f"person{n}@example.com" for n in range(3, 60, 3)] + ["日本", "x" * 300]
FALSE_POSITIVES = 1e-9
STRUCTURES = {
    "raw": psi.DataStructure.RAW,
    "gcs": psi.DataStructure.GCS,
    "bloom": psi.DataStructure.BLOOM_FILTER,
}


def run(reveal: bool) -> dict:
    client = psi.client.CreateFromKey(CLIENT_KEY, reveal)
    server = psi.server.CreateFromKey(SERVER_KEY, reveal)
    request = client.CreateRequest(CLIENT_ITEMS)
    response = server.ProcessRequest(request)
    setups = {
        name: server.CreateSetupMessage(FALSE_POSITIVES, len(CLIENT_ITEMS), SERVER_ITEMS, kind)
        for name, kind in STRUCTURES.items()
    }
    for setup in setups.values():
        count = client.GetIntersectionSize(setup, response)
        assert count == len(set(CLIENT_ITEMS) & set(SERVER_ITEMS)), count
    return {
        "reveal": reveal,
        "request": request.SerializeToString().hex(),
        "response": response.SerializeToString().hex(),
        "setups": {name: setup.SerializeToString().hex() for name, setup in setups.items()},
        "common": sorted(client.GetIntersection(setups["raw"], response)) if reveal else None,
        "count": client.GetIntersectionSize(setups["raw"], response),
    }


vectors = {
    "package": "openmined.psi " + importlib.metadata.version("openmined.psi"),
    "client_key": CLIENT_KEY.hex(),
    "server_key": SERVER_KEY.hex(),
    "client_items": CLIENT_ITEMS,
    "server_items": SERVER_ITEMS,
    "false_positives": FALSE_POSITIVES,
    "runs": [run(True), run(False)],
}
target = pathlib.Path(__file__).parent / "openmined.json"
target.write_text(json.dumps(vectors, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
