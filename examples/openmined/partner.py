"""A partner's side of OpenMined's PSI in Python: pip install openmined.psi.

    partner.py setup ITEMS CLIENT_KEYS STRUCTURE KEY SETUP    serves: makes a key and a setup
    partner.py respond KEY REQUEST RESPONSE                   serves: answers a request
    partner.py request ITEMS KEY REQUEST                      asks: makes a key and a request
    partner.py intersect ITEMS KEY SETUP RESPONSE             asks: prints the items that both have
    partner.py serve ITEMS CLIENT_KEYS STRUCTURE              serves over HTTP at a free port, which it prints
    partner.py query ITEMS URL                                asks over HTTP

ITEMS is a text file with an item a line. STRUCTURE is raw, gcs or bloom. With --count before all others whoever asks learns the
number alone.
"""

import http.server
import pathlib
import sys
import urllib.request

import private_set_intersection.python as psi

FALSE_POSITIVES = 1e-9
STRUCTURES = {"raw": psi.DataStructure.RAW, "gcs": psi.DataStructure.GCS, "bloom": psi.DataStructure.BLOOM_FILTER}


def items(path):
    return pathlib.Path(path).read_text(encoding="utf-8").splitlines()


def read(message, path):
    message.ParseFromString(pathlib.Path(path).read_bytes())
    return message


def write(message, path):
    pathlib.Path(path).write_bytes(message.SerializeToString())


def make_setup(server, path, client_keys, structure):
    return server.CreateSetupMessage(FALSE_POSITIVES, int(client_keys), items(path), STRUCTURES[structure])


def setup(reveal, path, client_keys, structure, key, out):
    server = psi.server.CreateWithNewKey(reveal)
    pathlib.Path(key).write_bytes(server.GetPrivateKeyBytes())
    write(make_setup(server, path, client_keys, structure), out)


def respond(reveal, key, request, out):
    server = psi.server.CreateFromKey(pathlib.Path(key).read_bytes(), reveal)
    write(server.ProcessRequest(read(psi.Request(), request)), out)


def request(reveal, path, key, out):
    client = psi.client.CreateWithNewKey(reveal)
    pathlib.Path(key).write_bytes(client.GetPrivateKeyBytes())
    write(client.CreateRequest(items(path)), out)


def tell(reveal, client, path, server_setup, response):
    if not reveal:
        print(client.GetIntersectionSize(server_setup, response))
        return
    own = items(path)
    for index in sorted(client.GetIntersection(server_setup, response)):
        print(own[index])


def intersect(reveal, path, key, server_setup, response):
    client = psi.client.CreateFromKey(pathlib.Path(key).read_bytes(), reveal)
    tell(reveal, client, path, read(psi.ServerSetup(), server_setup), read(psi.Response(), response))


def serve(reveal, path, client_keys, structure):
    server = psi.server.CreateWithNewKey(reveal)
    setup_bytes = make_setup(server, path, client_keys, structure).SerializeToString()

    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self, body):
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self.answer(setup_bytes)

        def do_POST(self):
            message = psi.Request()
            message.ParseFromString(self.rfile.read(int(self.headers["Content-Length"])))
            self.answer(server.ProcessRequest(message).SerializeToString())

    service = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    print(f"listening at 127.0.0.1:{service.server_port}, for one process", file=sys.stderr, flush=True)
    service.serve_forever()


def query(reveal, path, url):
    client = psi.client.CreateWithNewKey(reveal)
    server_setup, response = psi.ServerSetup(), psi.Response()
    with urllib.request.urlopen(url + "/setup") as answer:
        server_setup.ParseFromString(answer.read())
    body = client.CreateRequest(items(path)).SerializeToString()
    asked = urllib.request.Request(url + "/request", body, {"Content-Type": "application/x-protobuf"})
    with urllib.request.urlopen(asked) as answer:
        response.ParseFromString(answer.read())
    tell(reveal, client, path, server_setup, response)


if __name__ == "__main__":
    words = sys.argv[1:]
    reveals = words[:1] != ["--count"]
    command, *rest = words if reveals else words[1:]
    roles = [setup, respond, request, intersect, serve, query]
    {role.__name__: role for role in roles}[command](reveals, *rest)
