#!/usr/bin/env python3
"""Makes pair.json: PAIR's cipher as libsodium computes it, so that tests have an oracle of other authors.

    python3 pair.py > pair.json          (with libsodium 1.0.18 or later)
"""

import base64
import ctypes
import ctypes.util
import hashlib
import json

sodium = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
sodium.sodium_init()


def out(length):
    return ctypes.create_string_buffer(length)


def derived(uniform):
    point = out(32)
    assert sodium.crypto_core_ristretto255_from_hash(point, uniform) == 0
    return point.raw


def times(scalar, point):
    product = out(32)
    assert sodium.crypto_scalarmult_ristretto255(product, scalar, point) == 0
    return product.raw


def scalar(name):
    reduced = out(32)
    sodium.crypto_core_ristretto255_scalar_reduce(reduced, hashlib.sha512(name).digest())
    return reduced.raw


def is_point(encoded):
    # RFC 9496 (section 4.3.1) refuses the top bit, which libsodium 1.0.18 overlooks.
    return encoded[31] < 128 and sodium.crypto_core_ristretto255_is_valid_point(encoded) == 1


def text(data):
    return base64.b64encode(data).decode()


def encodings():
    """Strings of 32 bytes of which some are points: uniform ones, small ones, and those around the field's order."""
    order = 2**255 - 19
    numbers = list(range(1, 65)) + [order - n for n in range(1, 33)] + [order + n for n in range(0, 19)] + [2**256 - 1]
    strings = [n.to_bytes(32, "little") for n in numbers]
    for n in range(300):
        uniform = bytearray(hashlib.sha256(b"encoding %d" % n).digest())
        if n % 3:
            # An even number below the order, as encodings are.
            uniform[0] &= 254
            uniform[31] &= 127
        strings.append(bytes(uniform))
    return strings


salt = hashlib.sha256(b"veilset pair salt").digest()
kp, ka = scalar(b"veilset pair publisher"), scalar(b"veilset pair advertiser")
odd = ["", " ", "\0", "\n", "=", "a,b\"c", "e:" + "0" * 64, "é" * 100, "ÄÖÜ@EXAMPLE.COM", "\u202eann@example.org", "😀", "x" * 1000, "null", "+442079460018"]
identifiers = odd + [hashlib.sha256(b"user%d@example.com" % n).hexdigest()[: 8 + n % 57] for n in range(1000 - len(odd))]
kskp, pair = [], hashlib.sha256()
for identifier in identifiers:
    point = derived(hashlib.sha512(hashlib.sha256(salt + identifier.encode()).digest()).digest())
    once = times(kp, point)
    twice = times(ka, once)
    assert twice == times(kp, times(ka, point))
    kskp.append(text(once))
    pair.update(twice)
print(json.dumps({
    "salt": text(salt), "kp": text(kp), "ka": text(ka),
    "identifiers": identifiers, "kskp": kskp, "sha256_of_pair_ids": pair.hexdigest(),
    "encodings": [{"base64": text(encoded), "point": is_point(encoded)} for encoded in encodings()],
}, indent=0, ensure_ascii=True))
