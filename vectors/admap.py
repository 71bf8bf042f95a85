#!/usr/bin/env python3
"""Makes admap.json: the key values of ADMAP's mapping (ADMAP.md, Table 1) for texts as people write them.

    python3 admap.py > admap.json

It uses Python's hashlib alone. The two digests under "published" are the examples of Table 1, for which ADMAP.md gives no text: they are
those of user@example.com and +1111111111, so a number keeps its "+". That number is none of any country, so it is not among the others.
"""

import hashlib
import json
import string

EMAILS = [
    "user@example.com",
    "  User@Example.COM ",
    "\tjane@example.com\t",
    "JANE@EXAMPLE.COM",
    "first.last+tag@gmail.com",
    "JÜRGEN@Example.org",
    "ann@example.org",
]
PHONES = [
    "+49 (30) 123-456",
    "+44 20 7946 0958",
    "+1 202-555-0143",
    "+1.202.555.0143",
]
PUBLISHED = {
    "email": "b4c9a289323b21a01c3e940f150eb9b8c542587f1abfd8f0e1cc1ffc5e475514",
    "phone": "c1d3756a586b6f0d419b3e3d1b328674fbc6c4b842367ee7ded780390fc548ae",
}


def email(text):
    lower = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
    return text.strip().translate(lower)


def phone(text):
    return "".join(sign for sign in text if sign in "+0123456789")


def values(texts, normal):
    digest = {text: hashlib.sha256(normal(text).encode()).hexdigest() for text in texts}
    return [{"text": text, "key_value": digest[text]} for text in texts]


made = {"email": values(EMAILS, email), "phone": values(PHONES, phone)}
assert made["email"][0]["key_value"] == PUBLISHED["email"]
assert values(["+1111111111"], phone)[0]["key_value"] == PUBLISHED["phone"]
columns = ["Key Value", "ADMAP ID", "Space ID"]
print(
    json.dumps({"columns": columns, "published": PUBLISHED, **made}, indent=1, ensure_ascii=False)
)
